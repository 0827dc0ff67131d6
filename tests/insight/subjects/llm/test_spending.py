from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.chat import ChatReply
from assay.chat.tokens import estimate_prompt_tokens, estimate_tokens
from assay.core import Budget
from assay.insight.subjects.llm.spending import LEAST_REPLY, Spending

PIECES = st.text(alphabet="abc 123_()=.\n", min_size=1, max_size=400)


@settings(max_examples=40, deadline=None)
@given(
    tokens=st.integers(300, 20_000),
    shares=st.lists(st.floats(0.1, 1.0), min_size=12, max_size=12),
    texts=st.lists(PIECES, min_size=6, max_size=6),
)
def test_no_conversation_goes_beyond_its_tokens_whatever_the_tokenizer(
    tokens: int, shares: list[float], texts: list[str]
) -> None:
    """The endpoint takes a share of each estimate, another one for each message, and every token it is allowed."""
    spending = Spending(Budget(tokens=tokens), prompt_price=1.0, completion_price=2.0, reply_tokens=4096)
    messages, taken, spent = [], [], 0
    for place, text in enumerate(texts):
        messages.append({"role": "user", "content": text})
        taken.append(estimate_tokens(text) * shares[2 * place])
        allowed = spending.allowance(messages)
        assert allowed is not None
        if not allowed:
            assert spent + spending.expected(messages) + LEAST_REPLY > tokens
            break
        prompt = math.ceil(sum(taken))
        spent += prompt + allowed
        spending.add(messages, ChatReply("x " * allowed, prompt, allowed, 0.1))
        messages.append({"role": "assistant", "content": "x " * allowed})
        taken.append(allowed)
    assert spent <= tokens


@settings(max_examples=40, deadline=None)
@given(cost=st.floats(0.0005, 0.05), texts=st.lists(PIECES, min_size=6, max_size=6))
def test_no_conversation_costs_more_than_its_budget(cost: float, texts: list[str]) -> None:
    spending = Spending(Budget(cost=cost), prompt_price=2.0, completion_price=8.0, reply_tokens=4096)
    messages = []
    for text in texts:
        messages.append({"role": "user", "content": text})
        if not (allowed := spending.allowance(messages)):
            break
        spending.add(messages, ChatReply("x", estimate_prompt_tokens(messages), allowed, 0.1))
    assert spending.cost <= cost * (1 + 1e-9)


def test_a_tokenizer_that_takes_more_than_estimated_is_learned() -> None:
    messages = [{"role": "user", "content": "word " * 50}]
    spending = Spending(Budget(tokens=9000), prompt_price=0.0, completion_price=0.0, reply_tokens=4096)
    estimate = spending.expected(messages)
    spending.add(messages, ChatReply("x", 3 * estimate, 1, 0.1))
    assert spending.expected([*messages, *messages]) >= 5.9 * estimate


def test_without_a_budget_nothing_is_limited() -> None:
    spending = Spending(Budget(), prompt_price=0.0, completion_price=0.0, reply_tokens=10)
    assert spending.allowance([{"role": "user", "content": "x" * 10**6}]) is None
    assert "cost" not in spending.report()


def test_a_price_near_zero_leaves_the_whole_reply() -> None:
    spending = Spending(Budget(cost=1.0), prompt_price=0.0, completion_price=1e-310, reply_tokens=4096)
    assert spending.allowance([{"role": "user", "content": "hello"}]) == 4096
