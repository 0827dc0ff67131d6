"""A conversation about one task: request functions, run them on training rows, request repairs, then more functions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from assay.chat import ChatClient, ChatFailed
from assay.core import Budget, SubjectFailed
from assay.core.display import counted
from assay.insight.answer.answer import InsightAnswer
from assay.insight.answer.functions import FeatureFunction
from assay.insight.problem.task import InsightTask
from assay.insight.subjects.llm.extract import Extraction, extract_functions
from assay.insight.subjects.llm.prompt import ask_for_more, ask_for_repair, describe_task, feedback, rules
from assay.insight.subjects.llm.spending import Spending
from assay.insight.subjects.llm.transcript import Transcript, shorten
from assay.insight.subjects.llm.trial import Tried, Validation, as_column, compute_test, try_candidate

__all__ = ["Conversation", "Plan"]

_MOST_COLUMNS = 20
_PER_ROUND = 10
_FOR_ANSWER = 0.15  # of the time, to put the answer together
_FOR_ENDING = 0.03
_FUNCTION_SECONDS = 15.0
_FUNCTION_SHARE = 0.1  # of the time, so that one that hangs leaves some to the others
_FUNCTION_MB = 1024
_ALIKE = 0.999  # rank correlation from which two columns are one
_SHOWN = 200  # characters of a reply in an error


class Plan(NamedTuple):
    """The settings of a conversation."""

    rounds: int
    repairs: int  # of each round
    temperature: float
    request_seconds: float


class Conversation:
    """The state of a conversation: messages, functions that work, and what is spent."""

    def __init__(self, task: InsightTask, budget: Budget, plan: Plan, spending: Spending) -> None:
        self._task, self._budget, self._plan, self._spending = task, budget, plan, spending
        self._began = time.monotonic()
        self._working: dict[str, Tried] = {}
        self._last: Tried | None = None  # of those that failed
        self._unparsed = ""  # why the last code that is not Python cannot be read
        self._transcript = Transcript()

    def run(self, client: ChatClient, name: str) -> InsightAnswer:
        """The answer; SubjectFailed, after the conversation was printed, when there is no function to submit."""
        try:
            self._talk(client)
            return self._answer(name)
        except SubjectFailed:
            self._transcript.print_short()
            raise

    def _talk(self, client: ChatClient) -> None:
        """Ask, try and report, until the rounds, the time or the budget are over."""
        validation = Validation(self._task, seed=self._budget.seed)
        self._transcript.say("system", rules(_PER_ROUND))
        self._transcript.say("user", describe_task(self._task))
        for number in range(1, self._plan.rounds + 1):
            for repair in range(self._plan.repairs + 1):
                place = f"round {number}" + (f", repair {repair}" if repair else "")
                if not self._ask(client, place):
                    return
                extraction = extract_functions(self._transcript.messages[-1]["content"])
                self._unparsed = next(reversed(extraction.problems), self._unparsed)
                tried = self._try(extraction, validation, place)
                failed = [entry.name for entry in tried if entry.status != "ok"]
                columns = {name: entry.train for name, entry in self._working.items() if entry.train is not None}
                total = validation.score(columns)
                report = feedback(self._task, tried, extraction.problems, base=validation.base, total=total)
                needs_repair = bool(failed or extraction.problems or not tried)
                more = ask_for_more()
                if needs_repair and repair < self._plan.repairs:
                    more = ask_for_repair(self._task, failed)
                self._transcript.say("user", f"{report}\n{more}")
                summary = (
                    f"{len(tried)} functions, {len(failed)} failed, {len(self._working)} kept, validation {total:.4f}"
                )
                self._transcript.log(f"{place}: {summary}")
                if not needs_repair:
                    break

    def _ask(self, client: ChatClient, place: str) -> bool:
        """Whether there is a reply to work with; the first request of all must have one."""
        messages = self._transcript.messages
        allowed = self._spending.allowance(messages)
        if allowed == 0:
            shortage = self._spending.shortage(messages)
            if len(messages) == 2:
                raise SubjectFailed("budget", f"llm: {shortage}. Raise it: --limit SUBJECT:tokens=N or cost=X.")
            self._transcript.remark(f"{place}: {shortage}")
            return False
        began, within = time.monotonic(), max(self._remaining(_FOR_ANSWER), 0.0)
        try:
            reply = client.complete(
                messages,
                temperature=self._plan.temperature,
                seed=self._budget.seed,
                within=within,
                max_tokens=allowed,
                paid_once=self._spending.is_limited,
            )
        except ChatFailed as failure:
            self._spending.add_lost(messages, failure, time.monotonic() - began)
            kind, limit = self._limit(failure, within)
            message = f"{failure}{limit}"
            if not self._working:
                raise SubjectFailed(kind, message) from None
            self._transcript.remark(f"{place}: {message}")
            return False
        self._spending.add(messages, reply)
        self._transcript.say("assistant", reply.text)
        return True

    def _limit(self, failure: ChatFailed, within: float) -> tuple[str, str]:
        """The kind of failure, and which of the agent's own limits a request ran into."""
        if failure.kind != "time-out":
            return "endpoint", ""
        if within < self._plan.request_seconds:
            return "timeout", f" The time of the whole answer, {self._budget.seconds:g} s, was over."
        return "endpoint", f" The limit is request_seconds={self._plan.request_seconds:g}."

    def _try(self, extraction: Extraction, validation: Validation, place: str) -> list[Tried]:
        """Every function of a reply on the training rows; those that work are kept."""
        tried = []
        for candidate in extraction.candidates:
            if self._remaining(_FOR_ANSWER) <= 1.0:
                self._transcript.remark(f"{place}: no time for the other functions")
                break
            entry = try_candidate(candidate, self._task, **self._bounds(_FOR_ANSWER), seed=self._budget.seed)
            if entry.status == "ok" and entry.train is not None:
                entry = entry._replace(gain=validation.score({entry.name: entry.train}) - validation.base)
                self._working[entry.name] = entry
            else:
                self._last = entry
            tried.append(entry)
        return tried

    def _remaining(self, reserve: float) -> float:
        """Seconds until only the reserve, a share of the time, is left."""
        return self._began + self._budget.seconds * (1 - reserve) - time.monotonic()

    def _bounds(self, reserve: float) -> dict[str, float]:
        """What one function may use."""
        seconds = min(_FUNCTION_SECONDS, _FUNCTION_SHARE * self._budget.seconds, max(self._remaining(reserve), 0.1))
        return {"seconds": seconds, "memory_mb": min(_FUNCTION_MB, self._budget.memory_mb)}

    def _answer(self, name: str) -> InsightAnswer:
        """The kept columns by gain, of equal ones the first, with their values where there is time for them."""
        chosen: list[Tried] = []
        for entry in sorted(self._working.values(), key=lambda entry: -entry.gain):
            if len(chosen) < _MOST_COLUMNS and not _repeats(entry, chosen):
                chosen.append(entry)
        test: dict[str, pd.Series[Any]] = {}
        for entry in list(chosen):
            if self._remaining(_FOR_ENDING) <= 1.0:
                break
            outcome = compute_test(entry.candidate, self._task, **self._bounds(_FOR_ENDING))
            if outcome.status == "ok":
                test[entry.name] = as_column(outcome.values[0]).set_axis(self._task.test.index)
            elif outcome.status != "timeout":
                self._transcript.remark(f"{entry.name} is left out, {outcome.status} on the rows to predict")
                self._last = entry._replace(status=outcome.status, message="on the rows to predict")
                chosen.remove(entry)
        if not chosen:
            raise self._nothing()
        whole = len(test) == len(chosen)
        train = pd.DataFrame({entry.name: entry.train for entry in chosen}) if whole else None
        return InsightAnswer(
            solved_by=name,
            columns=tuple(entry.name for entry in chosen),
            descriptions=tuple(entry.candidate.description for entry in chosen),
            functions=tuple(
                FeatureFunction(name=entry.name, code=entry.candidate.code, score=round(entry.gain, 6))
                for entry in chosen
            ),
            train=train,
            test=pd.DataFrame(test) if whole else None,
            notes=self._transcript.notes(),
        )

    def _nothing(self) -> SubjectFailed:
        """Why there is no function to submit."""
        reason = f"the last could not be parsed: {self._unparsed}" if self._unparsed else ""
        if self._last is not None:
            reason = f"the last, {self._last.name}: {self._last.status}. {self._last.message}"
        if reason:
            return SubjectFailed("no usable function", f"llm: none of the model's functions can be used; {reason}")
        replies = [message["content"] for message in self._transcript.messages if message["role"] == "assistant"]
        last = shorten(" ".join(replies[-1].split()), _SHOWN) if replies else ""
        return SubjectFailed(
            "no function",
            f"llm: no Python function in {counted(len(replies), 'reply')} of the model. Use one that writes "
            f"code, and let its replies be long enough (reply_tokens). The last: {last!r}",
        )


def _repeats(entry: Tried, chosen: Sequence[Tried]) -> bool:
    """Whether a column orders the rows as one that is chosen already."""
    if entry.train is None or entry.train.dtype.kind not in "if":
        return False
    ranks = entry.train.rank()
    others = [other.train for other in chosen if other.train is not None and other.train.dtype.kind in "if"]
    return any(abs(float(ranks.corr(other.rank()))) > _ALIKE for other in others)
