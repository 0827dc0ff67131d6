from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote, decode, encode

names = st.text(min_size=1, max_size=8)
quotes = st.builds(Quote, names, st.integers(0, 99), st.integers(0, 99), st.text(max_size=8))
replies = st.lists(names, max_size=4, unique=True).flatmap(
    lambda ranking: st.builds(
        DriftReply,
        ranking=st.just(tuple(ranking)),
        scores=st.none() | st.tuples(*[st.floats(-5, 5) for _ in ranking]),
        quotes=st.lists(quotes, max_size=2).map(tuple),
        abstained=st.booleans(),
        confidence=st.none() | st.floats(0, 1),
    )
)


@given(st.dictionaries(names, replies, max_size=3).map(lambda entries: DriftAnswer(replies=entries)))
def test_every_answer_survives_its_bytes(answer: DriftAnswer) -> None:
    assert decode(encode(answer)) == answer
    assert encode(decode(encode(answer))) == encode(answer)


def test_a_plain_list_is_a_ranking() -> None:
    assert decode(b'{"drifts": {"d": ["a", "b"]}}').replies["d"] == DriftReply(ranking=("a", "b"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not valid JSON"),
        (b"[]", 'must be {"drifts"'),
        (b"{}", 'must be {"drifts"'),
        (b'{"drifts": {}, "more": 1}', "unknown key 'more'"),
        (b'{"drifts": {"d": 3}}', "drift 'd' must have an object or a list"),
        (b'{"drifts": {"d": {"rankings": []}}}', "unknown key 'rankings'. Did you mean 'ranking'"),
        (b'{"drifts": {"d": {"ranking": "a"}}}', "ranking must be a list"),
        (b'{"drifts": {"d": {"ranking": [1]}}}', "list of document names"),
        (b'{"drifts": {"d": {"ranking": ["a"], "scores": []}}}', "0 scores for 1 ranked documents"),
        (
            b'{"drifts": {"d": {"ranking": ["a"], "scores": [NaN]}}}',
            "NaN is not allowed; every number must be finite",
        ),
        (b'{"drifts": {"d": {"ranking": ["a"], "scores": [1e999]}}}', "scores must be finite"),
        (b'{"drifts": {"d": {"ranking": ["a"], "scores": [true]}}}', "scores must be finite numbers, got True"),
        (b'{"drifts": {"d": {"confidence": 2}}}', "between 0 and 1"),
        (b'{"drifts": {"d": {"abstained": 1}}}', "abstained must be true or false"),
        (b'{"drifts": {"d": {"quotes": [{"document": "a"}]}}}', "a quote lacks start, end, text"),
        (
            b'{"drifts": {"d": {"quotes": [{"document": "a", "start": 0.5, "end": 1, "text": "x"}]}}}',
            "whole numbers, got 0.5",
        ),
    ],
)
def test_malformed_answers_are_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(data)


def test_only_answers_can_be_encoded() -> None:
    wrong: Any = {"d": "a.txt"}
    with pytest.raises(InvalidInput, match="a ranking of document names per drift, as .*; got a list of str"):
        encode(["a.txt"])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="drift 'd': must have a list of document names.* got 'a.txt'"):
        encode(wrong)
    with pytest.raises(InvalidInput, match="drift 'd': must have a list of document names.* got 'a.txt'"):
        DriftAnswer(replies=wrong)


def test_a_generator_is_a_ranking_as_a_list_is() -> None:
    reply = DriftReply(ranking=(name for name in ("a", "b")), scores=iter([2.0, 1.0]))  # type: ignore[arg-type]
    assert reply == DriftReply(ranking=("a", "b"), scores=(2.0, 1.0))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"ranking": 5}, "ranking must be a list of document names, got 5"),
        ({"ranking": {"a"}}, "ranking must be a list of document names"),
        ({"ranking": ["a"], "scores": 5}, "scores must be a list of numbers, got 5"),
        ({"quotes": 5}, "quotes must be a list of quotes, got 5"),
    ],
)
def test_what_has_no_order_is_no_part_of_a_reply(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        DriftReply(**parts)


def test_replies_are_given_by_drift() -> None:
    with pytest.raises(InvalidInput, match="replies must be a DriftReply per drift id, got 5"):
        DriftAnswer(replies=5)  # type: ignore[arg-type]
