import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core import InvalidInput, SubjectFailed
from assay.insight.answer.answer import (
    FeatureFunction,
    InsightAnswer,
    decode,
    encode,
    read_solution,
    ready_answer,
    write_solution,
)
from assay.intake import limits

CODE = "def late(row, aux_dataframes):\n    return 1\n"


def answer(**changes: Any) -> InsightAnswer:
    values: dict[str, Any] = {
        "solved_by": "tester",
        "columns": ("late", "word"),
        "descriptions": ("late payments", "a wörd"),
        "functions": (FeatureFunction(name="late", code=CODE, score=0.5), FeatureFunction(name="word", code="")),
        "train": pd.DataFrame({"id": [1, 2, 3], "late": [0.5, None, 2.0], "word": ["a", None, "c"]}),
        "test": pd.DataFrame({"id": [4, 5], "late": [1, 2], "word": ["a", "b"]}),
    }
    return InsightAnswer(**{**values, **changes})


def assert_same(a: InsightAnswer, b: InsightAnswer) -> None:
    for name in ("solved_by", "columns", "descriptions", "functions"):
        assert getattr(a, name) == getattr(b, name)
    for part in ("train", "test"):
        one, other = getattr(a, part), getattr(b, part)
        assert (one is None) == (other is None)
        if one is not None:
            pd.testing.assert_frame_equal(one, other, check_exact=True)


EMPTY = InsightAnswer(solved_by="", columns=())
CODE_ONLY = answer(train=None, test=None)


@pytest.mark.parametrize("given_answer", [answer(), EMPTY, CODE_ONLY])
def test_an_answer_comes_back_from_its_bytes(given_answer: InsightAnswer) -> None:
    data = encode(given_answer)
    assert_same(decode(data), given_answer)
    assert encode(decode(data)) == data


def test_descriptions_of_another_number_give_way_to_the_names() -> None:
    assert answer(descriptions=("one",), columns=("late_ones", "b")).descriptions == ("late ones", "b")
    assert answer().descriptions == ("late payments", "a wörd")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": "late"}, r"answer: columns must be a sequence of texts, got str"),
        ({"columns": 3}, r"answer: columns must be a sequence of texts, got int"),
        ({"columns": ("a", 3)}, r"answer: columns must be text, got int"),
        ({"columns": ("a", "")}, r"answer: a declared column has an empty name"),
        ({"columns": ("a", "b", "a")}, r"answer: column 'a' is declared 2 times; once is enough"),
        ({"columns": ("\ud800",)}, r"answer: columns is not Unicode text"),
        ({"solved_by": 3}, r"answer: solved_by must be text, got int"),
        ({"functions": ("code",)}, r"answer: functions must be as FeatureFunction\(name=.*; got str"),
        ({"train": None}, r"answer: there is a test table but no train table; give both or none"),
        ({"test": None}, r"answer: there is a train table but no test table; give both or none"),
        ({"test": {"a": 1}}, r"answer, test table: must be a pandas DataFrame, got dict"),
        ({"train": pd.DataFrame({"a": [[1]]})}, r"answer, train table, column 'a': holds a list"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        answer(**changes)


def framed(header: Any, tail: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return b"assay-insight-1\n" + struct.pack("<Q", len(text)) + text + tail


HEADER = {"solved_by": "", "columns": [], "descriptions": [], "functions": [], "tables": {}}
TABLE = {"rows": 1, "columns": [["a", "int", 8]]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"not an encoded answer of the insight track"),
        (b"{}", r"not an encoded answer of the insight track"),
        (b"assay-insight-1\n\0\0", r"not an encoded answer of the insight track"),
        (b"assay-insight-1\n" + b"\xff" * 8, r"the header should have 18446744073709551615 bytes, 0 are there"),
        (framed(b"{"), r"the header: not valid JSON"),
        (framed(b"\xff"), r"the header: not UTF-8 text"),
        (framed(b"[" * 100_000), r"the header: not valid JSON: nested too deeply"),
        (framed(b'{"a": NaN}'), r"the header: NaN is not allowed; every number must be finite"),
        (framed([]), r"the header must be an object with the keys columns, descriptions, functions, solved_by, tables"),
        (framed({**HEADER, "more": 1}), r"the header must be an object with the keys"),
        (framed({**HEADER, "columns": "a"}), r"columns must be a list, got str"),
        (framed({**HEADER, "columns": [1]}), r"columns must be text, got int"),
        (framed({**HEADER, "functions": [["f", "c"]]}), r"functions\[0\] must hold a name, code and a score"),
        (framed({**HEADER, "functions": [["f", "c", "1"]]}), r"score must be a finite number"),
        (framed({**HEADER, "functions": [["f", "c", 10**400]]}), r"score must be a finite number"),
        (framed({**HEADER, "functions": [[{}, "c", 1]]}), r"name must be text"),
        (framed({**HEADER, "tables": {"train": TABLE}}), r"tables must be train and test, or none"),
        (framed({**HEADER, "tables": {"train": TABLE, "test": TABLE}}, b"x" * 8), r"should have 8 bytes, 0 are left"),
        (framed({**HEADER, "tables": {"train": TABLE, "test": TABLE}}, b"x" * 17), r"1 bytes are left after the last"),
        (framed(HEADER, b"x"), r"1 bytes are left after the last table"),
    ],
)
def test_bytes_that_are_no_answer_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decode(data)


def test_every_truncation_and_many_corruptions_are_refused_or_read_never_worse() -> None:
    data = encode(answer())
    for end in range(len(data)):
        with pytest.raises(InvalidInput):
            decode(data[:end])
    rng = np.random.default_rng(0)
    for _ in range(1500):
        broken = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 4)):
            broken[place] = rng.integers(256)
        try:
            assert isinstance(decode(bytes(broken)), InsightAnswer)
        except InvalidInput:
            continue


@given(st.binary(max_size=300))
@example(b"null")
def test_noise_is_refused(noise: bytes) -> None:
    for data in (noise, framed(noise), framed(HEADER, noise + b"x")):
        with pytest.raises(InvalidInput):
            decode(data)


def test_an_answer_above_the_cap_is_refused_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode(answer())
    monkeypatch.setattr(limits, "LARGEST_ANSWER", len(data) - 1)
    with pytest.raises(InvalidInput, match=rf"{len(data)} bytes are more than the {len(data) - 1} allowed. Ship fewer"):
        encode(answer())
    with pytest.raises(InvalidInput, match=rf"{len(data)} bytes are more than the"):
        decode(data)


def test_only_answers_are_encoded() -> None:
    with pytest.raises(
        InvalidInput, match=r"columns with the functions that compute them, as InsightAnswer\(.*; got dict"
    ):
        encode({"columns": []})  # type: ignore[arg-type]


@pytest.mark.parametrize("given_answer", [answer(), EMPTY, CODE_ONLY])
def test_a_solution_folder_comes_back_as_it_was_written(tmp_path: Path, given_answer: InsightAnswer) -> None:
    write_solution(tmp_path / "s", given_answer)
    assert_same(read_solution(tmp_path / "s"), given_answer)


def test_functions_of_equal_score_are_all_kept(tmp_path: Path) -> None:
    functions = tuple(FeatureFunction(name=name, code="", score=0.5) for name in ("c", "a", "b"))
    write_solution(tmp_path, answer(functions=functions))
    assert read_solution(tmp_path).functions == functions


def test_a_public_solution_needs_only_its_columns(tmp_path: Path) -> None:
    (tmp_path / "solution_attributes.json").write_text('{"enriched_column_names": ["a_b"], "unknown": 3}')
    found = read_solution(tmp_path)
    assert (found.solved_by, found.columns, found.descriptions, found.functions) == (
        tmp_path.name,  # who solved it is not in the file
        ("a_b",),
        ("a b",),
        (),
    )
    assert found.train is None


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("solution_attributes.json", "{}", r"attributes.json: 'enriched_column_names' is missing; it must be a list"),
        ("solution_attributes.json", '{"enriched_column_names": "a"}', r"'enriched_column_names' is 'a'; it must be"),
        (
            "solution_attributes.json",
            '{"enriched_column_names": ["late", "late"]}',
            r"json: answer: column 'late' is decl",
        ),
        (
            "solution_attributes.json",
            '{"enriched_column_names": [], "solved_by": 3}',
            r"json: 'solved_by' is 3; it must",
        ),
        ("solution_attributes.json", '{"enriched_column_names": [], "feature_descriptions": {}}', r"'feature_desc"),
        (
            "solution_attributes.json",
            '{"enriched_column_names": [], "sorted_feature_functions": 1}',
            r"json: 'sorted_f",
        ),
        ("enriched_test.csv", None, r"enriched_test.csv: file not found beside enriched_train.csv"),
        ("enriched_train.csv", None, r"enriched_train.csv: file not found beside enriched_test.csv"),
        ("enriched_test.csv", "id,late\n1,2\n", r"enriched_test.csv: declared column 'word' is not there. Known: id"),
        ("enriched_train.csv", "id,late,words\n1,2,3\n", r"enriched_train.csv: declared column 'word'.*mean 'words'"),
        ("enriched_train.csv", "late,word,late\n1,2,3\n", r"enriched_train.csv: column 'late' occurs 2 times"),
        ("enriched_test.csv", "late,word\n", r"enriched_test.csv: the table has no rows"),
    ],
)
def test_a_broken_solution_is_named_with_file_and_place(
    tmp_path: Path, file: str, content: str | None, message: str
) -> None:
    write_solution(tmp_path / "agent" / "churn", answer())
    if content is None:
        (tmp_path / "agent" / "churn" / file).unlink()
    else:
        (tmp_path / "agent" / "churn" / file).write_text(content)
    with pytest.raises(InvalidInput, match=message):
        ready_answer(tmp_path / "agent", "churn")


def test_a_ready_answer_is_the_folder_of_the_problem(tmp_path: Path) -> None:
    write_solution(tmp_path / "agent" / "churn v1", answer())
    assert_same(decode(ready_answer(tmp_path / "agent", "churn v1")), answer())


@pytest.mark.parametrize("problem", ["absent", "../elsewhere"])
def test_an_answer_that_is_not_there_is_the_subjects_failure(tmp_path: Path, problem: str) -> None:
    (tmp_path / "agent").mkdir()
    write_solution(tmp_path / "elsewhere", answer())
    with pytest.raises(SubjectFailed, match=r"no answer for problem") as caught:
        ready_answer(tmp_path / "agent", problem)
    assert caught.value.kind == "missing answer"


def test_notes_come_along_and_their_absence_leaves_no_trace(tmp_path: Path) -> None:
    plain = answer(train=None, test=None)
    noted = answer(train=None, test=None, notes=("first", "zweitens: ü"))
    assert b"notes" not in encode(plain)
    assert decode(encode(noted)).notes == ("first", "zweitens: ü")
    assert decode(encode(plain)).notes == ()
    write_solution(tmp_path / "noted", noted)
    write_solution(tmp_path / "plain", plain)
    assert read_solution(tmp_path / "noted").notes == noted.notes
    assert "notes" not in (tmp_path / "plain" / "solution_attributes.json").read_text()


@pytest.mark.parametrize(
    ("given_notes", "read"), [("one", ("one",)), (["a", 3, "b"], ("a", "b")), ({"a": 1}, ()), (None, ())]
)
def test_notes_of_a_folder_are_taken_as_far_as_they_are_texts(
    tmp_path: Path, given_notes: Any, read: tuple[str, ...]
) -> None:
    write_solution(tmp_path, answer(train=None, test=None))
    path = tmp_path / "solution_attributes.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "notes": given_notes}))
    assert read_solution(tmp_path).notes == read


@pytest.mark.parametrize("notes", ["one text", (1,), ("\ud800",)])
def test_notes_are_texts(notes: Any) -> None:
    with pytest.raises(InvalidInput, match="notes"):
        answer(notes=notes)


@pytest.mark.parametrize("score", [0.5, 9e-05, -9e-05, 1.5e-07, 1e16])
def test_functions_of_equal_scores_keep_them_in_a_folder(score: float, tmp_path: Path) -> None:
    functions = tuple(FeatureFunction(name=name, code=f"def {name}(row): return 1", score=score) for name in "abc")
    write_solution(tmp_path, InsightAnswer(solved_by="me", columns=("a", "b", "c"), functions=functions))
    assert read_solution(tmp_path).functions == functions
