from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.chat.tokens import estimate_prompt_tokens, estimate_tokens

# texts with their tokens in a common tokenizer, which takes words whole and digits in threes
KNOWN = [("Hello, world!", 4), ("The quick brown fox jumps over the lazy dog.", 10), ("1234567890", 4)]


@pytest.mark.parametrize(("text", "tokens"), KNOWN)
def test_an_estimate_is_no_less_than_a_common_tokenizer_takes_and_at_most_three_times_that(
    text: str, tokens: int
) -> None:
    assert tokens <= estimate_tokens(text) <= 3 * tokens


@given(st.text(max_size=80), st.text(max_size=80))
def test_estimates_are_no_more_than_bytes_and_grow_with_the_text(one: str, other: str) -> None:
    assert estimate_tokens(one) <= len(one.encode(errors="replace"))
    assert estimate_tokens(one + other) >= max(estimate_tokens(one), estimate_tokens(other))


def test_each_message_costs_more_than_its_text() -> None:
    messages = [{"role": "user", "content": "hello"}] * 2
    assert estimate_prompt_tokens(messages) > 2 * estimate_tokens("hello")
