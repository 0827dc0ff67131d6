"""An agent over any OpenAI-compatible chat endpoint: describe, ask for functions, try them, report back, repeat."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from assay.chat import ChatClient, ChatFailed
from assay.core import Budget, BuiltInSubject, Call, InvalidInput, SubjectFailed
from assay.core.checks import demand_whole
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask
from assay.insight.subjects.llm.extract import extract_functions
from assay.insight.subjects.llm.prompt import describe_task, feedback, rules
from assay.insight.subjects.llm.trial import Tried, Validation, try_candidate

__all__ = ["Llm"]

_MOST_COLUMNS = 20
_PER_ROUND = 10
_KEPT_BACK = 0.15  # of the time, to put the answer together
_FUNCTION_SECONDS = 15.0
_FUNCTION_SHARE = 0.1  # of the time, so that one that hangs leaves some to the others
_FUNCTION_MB = 1024
_ALIKE = 0.999  # rank correlation from which two columns are one


@dataclass(frozen=True, slots=True, kw_only=True)
class Llm(BuiltInSubject):
    """A subject that asks a language model for feature functions, and tells it what became of the last ones.

    Functions run in locked-down processes, on the training rows without the target; those that fail, look ahead or say
    nothing are dropped. No further round begins once the tokens or the cost of the budget are spent.

    Parameters
    ----------
    base_url : str
        An OpenAI-compatible chat endpoint.
    model : str
        The model's name there.
    rounds : int, default 3
        How often the model is asked.
    temperature : float, default 0.0
        How freely it answers.
    key_variable : str, default "ASSAY_CHAT_KEY"
        The environment variable with the key, read when a request is made; the key is in no record.
    request_seconds : float, default 120.0
        What one request may take.
    retries : int, default 4
        How often a request that failed is sent again.
    prompt_price : float, default 0.0
        The price of a million tokens sent, in any currency.
    completion_price : float, default 0.0
        The price of a million tokens received.

    Raises
    ------
    InvalidInput
        A number is out of range, or the endpoint cannot be one.

    Examples
    --------
    >>> Llm(base_url="http://localhost:8000/v1", model="small", rounds=2).name
    "llm(base_url='http://localhost:8000/v1', model='small', rounds=2)"
    """

    base_url: str = ""
    model: str = ""
    rounds: int = 3
    temperature: float = 0.0
    key_variable: str = "ASSAY_CHAT_KEY"
    request_seconds: float = 120.0
    retries: int = 4
    prompt_price: float = 0.0
    completion_price: float = 0.0
    usage: dict[str, float] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        demand_whole(self.rounds, "llm: rounds", least=1)
        for name in ("temperature", "prompt_price", "completion_price"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise InvalidInput(f"llm: {name} must be a number of at least 0, got {value!r}.")
        if self.base_url or self.model:
            self._client()  # what is wrong with the endpoint is said now, not in every cell

    @property
    def name(self) -> str:
        """With every parameter that is not the default."""
        if not self.base_url and not self.model:
            return "llm"
        given = {name: getattr(self, name) for name in ("base_url", "model", "rounds", "temperature")}
        return str(Call("llm", {name: value for name, value in given.items() if value != _DEFAULTS[name]}))

    def solve(self, task: InsightTask, budget: Budget, /) -> InsightAnswer:
        """At most twenty columns with code, words and values, the more they add the higher ranked."""
        if not self.base_url or not self.model:
            raise SubjectFailed("not configured", "llm: give it an endpoint, as in llm(base_url='...', model='...')")
        if budget.cost is not None and not (self.prompt_price or self.completion_price):
            raise SubjectFailed("not configured", "llm: to keep to a cost it must know prompt_price, completion_price")
        end = time.monotonic() + budget.seconds * (1 - _KEPT_BACK)
        talk = _Conversation(self, task, budget, end)
        self.usage.clear()
        try:
            talk.run(self._client())
        finally:
            self.usage.update(talk.usage())
        return talk.answer(self.name)

    def _client(self) -> ChatClient:
        return ChatClient(
            base_url=self.base_url,
            model=self.model,
            key_variable=self.key_variable or None,
            seconds=self.request_seconds,
            retries=self.retries,
        )


_DEFAULTS = {"base_url": "", "model": "", "rounds": 3, "temperature": 0.0}


class _Conversation:
    """One conversation about one task."""

    def __init__(self, settings: Llm, task: InsightTask, budget: Budget, end: float) -> None:
        self._settings = settings
        self._task = task
        self._budget = budget
        self._end = end
        self._kept: dict[str, Tried] = {}
        self._notes: list[dict[str, object]] = []
        self._messages: list[dict[str, str]] = []
        self._used = {"prompt_tokens": 0, "completion_tokens": 0, "requests": 0, "chat_seconds": 0.0}

    def run(self, client: ChatClient) -> None:
        """Ask, try and report, until the rounds, the time or the budget are over."""
        validation = Validation(self._task, seed=self._budget.seed)
        self._say("system", rules(_PER_ROUND))
        self._say("user", describe_task(self._task))
        for number in range(1, self._settings.rounds + 1):
            if self._spent(number) or not self._ask(client, number):
                return
            extraction = extract_functions(self._messages[-1]["content"])
            tried = []
            for candidate in extraction.candidates:
                left = self._end - time.monotonic()
                if left <= 1.0:
                    self._note(f"round {number}: no time for the other functions")
                    break
                seconds = min(_FUNCTION_SECONDS, _FUNCTION_SHARE * self._budget.seconds, left)
                memory = min(_FUNCTION_MB, self._budget.memory_mb)
                entry = try_candidate(candidate, self._task, seconds=seconds, memory_mb=memory, seed=self._budget.seed)
                if entry.status == "ok" and entry.train is not None:
                    gain = validation.score({entry.name: entry.train}) - validation.base
                    entry = entry._replace(gain=gain)
                    self._kept[entry.name] = entry
                tried.append(entry)
            columns = {name: entry.train for name, entry in self._kept.items() if entry.train is not None}
            total = validation.score(columns)
            message = feedback(self._task, tried, extraction.problems, base=validation.base, total=total)
            self._say("user", message)
            self._log(f"round {number}: {len(tried)} functions, {len(self._kept)} kept, validation {total:.4f}")

    def _spent(self, number: int) -> bool:
        """Whether the budget leaves no tokens or no money for another round."""
        used = self.usage()
        tokens = used["prompt_tokens"] + used["completion_tokens"]
        for name, amount, most in (
            ("tokens", tokens, self._budget.tokens),
            ("cost", used.get("cost", 0.0), self._budget.cost),
        ):
            if most is not None and amount >= most:
                self._note(f"round {number}: the budget of {name} is spent ({amount:g} of {most:g})")
                return True
        return False

    def _ask(self, client: ChatClient, number: int) -> bool:
        """Whether there is a reply to work with; without any so far, the subject has failed."""
        left = self._end - time.monotonic()
        try:
            reply = client.complete(
                self._messages, temperature=self._settings.temperature, seed=self._budget.seed, within=max(left, 0.0)
            )
        except ChatFailed as failure:
            if not self._kept:
                hint = ""
                if failure.kind == "unreachable":
                    hint = " A confined subject reaches the network with --allow-network only."
                raise SubjectFailed("endpoint", f"{failure}{hint}") from None
            self._note(f"round {number}: {failure}")
            return False
        self._used["requests"] += reply.attempts
        self._used["prompt_tokens"] += reply.prompt_tokens
        self._used["completion_tokens"] += reply.completion_tokens
        self._used["chat_seconds"] += reply.seconds
        self._say("assistant", reply.text)
        return True

    def _say(self, role: str, content: str) -> None:
        self._messages.append({"role": role, "content": content})
        self._notes.append({"role": role, "content": content})

    def _note(self, text: str) -> None:
        self._notes.append({"role": "agent", "content": text})
        self._log(text)

    def _log(self, text: str) -> None:
        sys.stderr.write(f"llm: {text}\n")

    def usage(self) -> dict[str, float]:
        """What it took, in tokens, requests, seconds and, where prices are given, money."""
        prices = {"prompt_tokens": self._settings.prompt_price, "completion_tokens": self._settings.completion_price}
        used = dict(self._used)
        if any(prices.values()):
            used["cost"] = sum(used[name] * price / 1e6 for name, price in prices.items())
        return used

    def answer(self, name: str) -> InsightAnswer:
        """The kept columns by gain, of equal ones the first."""
        chosen: list[Tried] = []
        for entry in sorted(self._kept.values(), key=lambda entry: -entry.gain):
            if len(chosen) < _MOST_COLUMNS and not _repeats(entry, chosen):
                chosen.append(entry)
        frames = {
            part: pd.DataFrame({entry.name: getattr(entry, part) for entry in chosen}) for part in ("train", "test")
        }
        return InsightAnswer(
            solved_by=name,
            columns=tuple(entry.name for entry in chosen),
            descriptions=tuple(entry.candidate.description for entry in chosen),
            functions=tuple(
                FeatureFunction(name=entry.name, code=entry.candidate.code, score=round(entry.gain, 6))
                for entry in chosen
            ),
            notes=tuple(json.dumps(note, ensure_ascii=False) for note in self._notes),
            **(frames if chosen else {}),
        )


def _repeats(entry: Tried, chosen: Sequence[Tried]) -> bool:
    """Whether a column orders the rows as one that is chosen already."""
    if entry.train is None or entry.train.dtype.kind not in "if":
        return False
    ranks = entry.train.rank()
    others = [other.train for other in chosen if other.train is not None and other.train.dtype.kind in "if"]
    return any(abs(float(ranks.corr(other.rank()))) > _ALIKE for other in others)
