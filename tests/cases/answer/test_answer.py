import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases.answer.answer import CasesAnswer, decode, encode
from assay.core import InvalidInput
from assay.intake import limits

scores = st.lists(st.floats(-1e149, 1e149), max_size=20)


@given(scores, st.integers(0, 4), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_answers_come_back_to_the_last_bit(values: list[float], k: int, random: Any) -> None:
    neighbors = [[random.randrange(2**40) for _ in range(k)] for _ in values] if k else None
    answer = CasesAnswer(scores=values, neighbors=neighbors)  # type: ignore[arg-type]
    again = decode(encode(answer))
    assert again == answer
    assert again.scores.tobytes() == answer.scores.tobytes()
    assert encode(again) == encode(answer)


def test_the_bytes_are_json_that_a_person_could_have_written() -> None:
    answer = CasesAnswer(scores=np.array([0.1, 1.0]), neighbors=np.array([[1, 2], [0, 3]]))
    assert json.loads(encode(answer)) == {"scores": [0.1, 1.0], "neighbors": [[1, 2], [0, 3]]}
    assert decode(b' {"neighbors": null, "scores": [1, -0.5]}\n') == CasesAnswer(scores=np.array([1.0, -0.5]))


def test_unfamiliarity_and_suspicion_come_back_and_tell_answers_apart() -> None:
    answer = CasesAnswer(scores=np.array([0.5]), unfamiliarity=np.array([3]), suspicion=np.array([0.1, 0.2]))
    assert json.loads(encode(answer)) == {"scores": [0.5], "unfamiliarity": [3.0], "suspicion": [0.1, 0.2]}
    assert decode(encode(answer)) == answer
    assert answer != CasesAnswer(scores=np.array([0.5]), unfamiliarity=np.array([3]))
    assert answer != CasesAnswer(scores=np.array([0.5]), suspicion=np.array([0.1, 0.2]))
    with pytest.raises(InvalidInput, match="unfamiliarity has 2 entries for 1 scores"):
        CasesAnswer(scores=np.array([0.5]), unfamiliarity=np.array([3.0, 4.0]))


def test_answers_differ_in_scores_in_neighbors_and_from_other_things() -> None:
    plain = CasesAnswer(scores=np.array([1.0]))
    with_case = CasesAnswer(scores=np.array([1.0]), neighbors=np.array([[0]]))
    assert plain != CasesAnswer(scores=np.array([2.0]))
    assert plain != with_case
    assert with_case != CasesAnswer(scores=np.array([1.0]), neighbors=np.array([[1]]))
    assert plain != "answer"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[1, 2]", "must be an object"),
        (b'{"neighbors": [[1]]}', "'scores' is missing"),
        (b'{"scores": [1], "neighbours": [[1]]}', "unknown key 'neighbours'. Did you mean 'neighbors'"),
        (b'{"scores": 1}', "scores must be a list, got int"),
        (b'{"scores": [1], "suspicion": 1}', "suspicion must be a list, got int"),
        (b'{"scores": [1], "suspicion": [true]}', r"suspicion\[0\] must be int or float, got bool"),
        (b'{"scores": [1], "unfamiliarity": [1e999]}', r"unfamiliarity\[0\] is inf; every entry must be"),
        (b'{"scores": [1], "unfamiliarity": []}', "unfamiliarity has 0 entries for 1 scores"),
        (b'{"scores": ["1"]}', r"scores\[0\] must be int or float, got str"),
        (b'{"scores": [1, true]}', r"scores\[1\] must be int or float, got bool"),
        (b'{"scores": [null]}', "got NoneType"),
        (b'{"scores": [[1]]}', "got list"),
        (b'{"scores": [NaN]}', "NaN is not allowed; every score must be a finite number"),
        (b'{"scores": [-Infinity]}', "-Infinity is not allowed; every score"),
        (b'{"scores": [1e999]}', r"scores\[0\] is inf"),
        (b'{"scores": [1e200]}', r"scores\[0\] is 1e\+200"),
        (b'{"scores": [' + b"9" * 400 + b"]}", "scores"),
        (b'{"scores": [' + b"9" * 5000 + b"]}", "not valid JSON"),
        (b'{"scores": [1], "neighbors": [1]}', r"neighbors\[0\] must be list, got int"),
        (b'{"scores": [1], "neighbors": [[1.0]]}', r"neighbors\[0\]\[0\] must be int, got float"),
        (b'{"scores": [1], "neighbors": [[true]]}', "got bool"),
        (b'{"scores": [1, 2], "neighbors": [[1, 2], [1]]}', "differ in length"),
        (b'{"scores": [1, 2], "neighbors": [[1]]}', "1 rows for 2 scores"),
        (b'{"scores": [1], "neighbors": []}', "0 rows for 1 scores"),
        (b'{"scores": [1], "neighbors": [[]]}', "names no case"),
        (b'{"scores": [1], "neighbors": [[18446744073709551615]]}', "no case base has"),
        (b'{"scores": [1], "neighbors": [[' + b"9" * 400 + b"]]}", "neighbors"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_malformed_bytes_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(data)


def test_too_many_bytes_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LARGEST_ANSWER", 10)
    with pytest.raises(InvalidInput, match="13 bytes are more than the 10 allowed"):
        decode(b'{"scores":[]}')


@pytest.mark.parametrize("values", ["high", [[1.0]], [True], ["a"], [np.nan]])
def test_a_subject_cannot_build_a_malformed_answer(values: Any) -> None:
    with pytest.raises(InvalidInput, match="answer: scores"):
        CasesAnswer(scores=values)


def test_only_answers_are_encoded() -> None:
    with pytest.raises(InvalidInput, match="numbers, one score per query, or a CasesAnswer; got dict"):
        encode({"scores": [1.0]})  # type: ignore[arg-type]


def test_scores_alone_are_an_answer() -> None:
    assert decode(encode(np.array([0.5, 1.0]))) == CasesAnswer(scores=[0.5, 1.0])  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="every score must be a finite number"):
        encode([0.5, float("nan")])


def test_a_score_beyond_the_largest_is_told_the_limit() -> None:
    with pytest.raises(InvalidInput, match=r"scores\[0\] is 1e\+200; .* must be a finite number within ±1e\+150"):
        CasesAnswer(scores=[1e200])  # type: ignore[arg-type]
