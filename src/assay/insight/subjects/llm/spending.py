"""Tokens and money of a conversation: no request is sent that could go beyond its budget."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from assay.chat import ChatFailed, ChatReply
from assay.chat.tokens import estimate_prompt_tokens, estimate_tokens
from assay.core import Budget

__all__ = ["LEAST_REPLY", "Spending"]

LEAST_REPLY = 200  # tokens of a reply that can hold a function
_MILLION = 1e6

Messages = Sequence[Mapping[str, str]]


class Spending:
    """Tokens and money spent, as counted by the endpoint, or estimated where it reports none."""

    def __init__(self, budget: Budget, *, prompt_price: float, completion_price: float, reply_tokens: int) -> None:
        self._budget = budget
        self._prices = (prompt_price, completion_price)  # of a million tokens
        self._reply_tokens = reply_tokens
        self._counted = (0, 0)  # messages of the last prompt, and its tokens as the endpoint counted them
        self._factor = 1.0  # tokens that the endpoint counts for each that is estimated, at least 1
        self._prompt = self._completion = self._estimated = self._requests = 0
        self._seconds = 0.0

    @property
    def is_limited(self) -> bool:
        """Whether there is a budget of tokens or of money."""
        return self._budget.tokens is not None or self._budget.cost is not None

    @property
    def cost(self) -> float:
        """The money spent."""
        return self._price(self._prompt, self._completion)

    def expected(self, messages: Messages) -> int:
        """The tokens of a prompt: what the endpoint counted for its beginning, and an estimate of what is new."""
        counted, tokens = self._counted
        return tokens + math.ceil(self._factor * estimate_prompt_tokens(messages[counted:]))

    def allowance(self, messages: Messages) -> int | None:
        """The tokens that a reply may have; 0 when these messages must not be sent, None without a budget."""
        if not self.is_limited:
            return None
        prompt, most = self.expected(messages), self._reply_tokens
        if self._budget.tokens is not None:
            most = min(most, self._budget.tokens - self._prompt - self._completion - prompt)
        if self._budget.cost is not None:
            remaining = self._budget.cost - self._price(self._prompt + prompt, self._completion)
            price = self._prices[1] / _MILLION
            if remaining < 0:
                return 0
            most = int(min(most, remaining / price)) if price else most
        return most if most >= min(LEAST_REPLY, self._reply_tokens) else 0

    def shortage(self, messages: Messages) -> str:
        """Why these messages must not be sent."""
        needed = f"the next request takes about {self.expected(messages)} tokens, and {LEAST_REPLY} for a reply"
        spent = []
        if self._budget.tokens is not None:
            spent.append(f"tokens: {self._prompt + self._completion} of {self._budget.tokens}")
        if self._budget.cost is not None:
            spent.append(f"cost: {self.cost:.4g} of {self._budget.cost:g}")
        return f"the budget does not allow another request ({needed}; spent {', '.join(spent)})"

    def add(self, messages: Messages, reply: ChatReply) -> None:
        """Count a request and its reply."""
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        if prompt:
            self._counted = (len(messages), prompt)
            self._factor = max(prompt / estimate_prompt_tokens(messages), 1.0)
        else:
            prompt = self.expected(messages)
            self._estimated += prompt
        if not completion:
            completion = estimate_tokens(reply.text)
            self._estimated += completion
        self._prompt += prompt
        self._completion += completion
        self._requests += reply.attempts
        self._seconds += reply.seconds

    def add_lost(self, messages: Messages, failure: ChatFailed, seconds: float) -> None:
        """Count a request without a reply: as its prompt, if the model may have worked on it."""
        self._requests += failure.attempts
        self._seconds += seconds
        if failure.may_have_worked:
            prompt = self.expected(messages)
            self._prompt += prompt
            self._estimated += prompt

    def report(self) -> dict[str, float]:
        """For the record."""
        used: dict[str, float] = {"prompt_tokens": self._prompt, "completion_tokens": self._completion}
        used |= {"requests": self._requests, "chat_seconds": self._seconds}
        if self._estimated:
            used["estimated_tokens"] = self._estimated
        return {**used, "cost": self.cost} if any(self._prices) else used

    def _price(self, prompt: int, completion: int) -> float:
        return (prompt * self._prices[0] + completion * self._prices[1]) / _MILLION
