"""An agent over any OpenAI-compatible chat endpoint: describe, ask for functions, try them, report back, repeat."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from assay.chat import ChatClient
from assay.core import Budget, BuiltInSubject, Call, InvalidInput, SubjectFailed
from assay.core.checks import demand_whole
from assay.insight.answer.answer import InsightAnswer
from assay.insight.problem.task import InsightTask
from assay.insight.subjects.llm.conversation import Conversation, Plan
from assay.insight.subjects.llm.spending import Spending

__all__ = ["Llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Llm(BuiltInSubject):
    """A subject that requests feature functions from a language model and reports the results of the last ones to it.

    Functions run in locked-down processes, on the training rows without the target. The model is told the values, how
    they go with the target, or why a function failed, and repairs it; what still fails, looks ahead or is constant is
    dropped. No request is sent that could go beyond the tokens or the cost of the budget. Without any function to
    submit, the subject has failed.

    Parameters
    ----------
    base_url : str
        An OpenAI-compatible chat endpoint.
    model : str
        The model's name there.
    rounds : int, default 3
        How often the model is asked for insights.
    repairs : int, default 2
        How often in each round it may repair what failed.
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
    reply_tokens : int, default 4096
        The most tokens of one reply, where the budget limits tokens or cost.

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
    repairs: int = 2
    temperature: float = 0.0
    key_variable: str = "ASSAY_CHAT_KEY"
    request_seconds: float = 120.0
    retries: int = 4
    prompt_price: float = 0.0
    completion_price: float = 0.0
    reply_tokens: int = 4096
    usage: dict[str, float] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("rounds", 1), ("repairs", 0), ("reply_tokens", 1)):
            demand_whole(getattr(self, name), f"llm: {name}", least=least)
        for name in ("temperature", "prompt_price", "completion_price"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise InvalidInput(f"llm: {name} must be a number of at least 0, got {value!r}.")
        if self.base_url or self.model:
            self._client()  # what is wrong with the endpoint is said now, not in every cell

    @property
    def name(self) -> str:
        """With every parameter that is not the default and can change the answer: prices do where cost is limited."""
        if not self.base_url and not self.model:
            return "llm"
        parameters = {name: getattr(self, name) for name in _DEFAULTS}
        return str(Call("llm", {name: value for name, value in parameters.items() if value != _DEFAULTS[name]}))

    def solve(self, task: InsightTask, budget: Budget, /) -> InsightAnswer:
        """At most twenty columns with code, words and values, ranked by what they add."""
        if not self.base_url or not self.model:
            raise SubjectFailed("not configured", "llm: give it an endpoint, as in llm(base_url='...', model='...')")
        if budget.cost is not None and not (self.prompt_price or self.completion_price):
            raise SubjectFailed("not configured", "llm: to keep to a cost it must know prompt_price, completion_price")
        spending = Spending(
            budget,
            prompt_price=self.prompt_price,
            completion_price=self.completion_price,
            reply_tokens=self.reply_tokens,
        )
        plan = Plan(self.rounds, self.repairs, self.temperature, self.request_seconds)
        self.usage.clear()
        try:
            return Conversation(task, budget, plan, spending).run(self._client(), self.name)
        finally:
            self.usage.update(spending.report())

    def _client(self) -> ChatClient:
        return ChatClient(
            base_url=self.base_url,
            model=self.model,
            key_variable=self.key_variable or None,
            seconds=self.request_seconds,
            retries=self.retries,
        )


_NO_EFFECT = ("key_variable", "request_seconds", "retries", "usage")  # on the answer
_DEFAULTS = {entry.name: entry.default for entry in fields(Llm) if entry.name not in _NO_EFFECT}
