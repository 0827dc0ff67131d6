"""Input that is right in its form and arbitrary in its content: only clear errors come out, and good input is read."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.chat.reply import read_reply
from assay.cli.shared.options import read_settings
from assay.conformal.problem.reading import read_labels, read_matrices, read_sets
from assay.core import AssayError, get_track, parse_call, track_names
from assay.drift.logs.read import read_log
from assay.drift.problem.detector_files import RESULTS, WINDOWS, read_detections
from assay.formula import parse, to_text
from assay.formula.answer.answer import FormulaAnswer
from assay.harness import read_run_file
from assay.insight.answer.answer import read_solution
from assay.insight.leakage.static.notes import explain_source
from assay.insight.subjects.llm.extract import extract_functions


@contextlib.contextmanager
def clear_errors_only(words: str = "") -> Iterator[None]:
    """Assay's own errors end what stands here, if they say something; all others end the test."""
    try:
        yield
    except AssayError as error:
        if not str(error).strip() or words not in str(error):
            raise AssertionError(f"an error that does not name {words!r}: {error}") from error


FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])

_words = st.text(max_size=12)
_leaves = st.none() | st.booleans() | st.integers() | st.floats() | _words
_trees = st.recursive(
    _leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_words, inner, max_size=4), max_leaves=12
)


# formulas, from a grammar
_atoms = st.sampled_from(["x", "y", "x0", "x_1", "3", "2.5e-3", "pi", "1e308"])
_formulas = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**", "^"]), inner).map(
            lambda p: f"({p[0]}{p[1]}{p[2]})"
        ),
        st.tuples(st.sampled_from(["sin", "exp", "log", "sqrt", "abs", "tanh"]), inner).map(
            lambda p: f"{p[0]}({p[1]})"
        ),
        inner.map(lambda part: f"-{part}"),
    ),
    max_leaves=20,
)


@given(_formulas)
def test_a_formula_of_the_grammar_is_read_and_reads_back_as_itself(text: str) -> None:
    with clear_errors_only():  # such as of a division by a constant that is 0
        result = parse(text)
        assert to_text(parse(to_text(result))) == to_text(result)


@given(
    st.lists(
        st.one_of(_formulas, st.text(max_size=30), st.sampled_from(["(", ")", "+", ",", "sin", "1e999"])), max_size=6
    )
)
def test_any_row_of_pieces_of_formulas_is_read_or_refused(parts: list[str]) -> None:
    with clear_errors_only():
        parse("".join(parts))


# event logs, as trees
_values = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
_moments = st.one_of(
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"), st.sampled_from(["", "x", "2020-01-01", "1e9"])
)
_attributes = st.tuples(
    st.sampled_from(["string", "date", "int", "float", "boolean", "id", "list"]),
    st.sampled_from(["concept:name", "time:timestamp", "org:resource", "x", ""]),
    _values | _moments,
)
_events = st.lists(_attributes, max_size=5)
_traces = st.lists(st.tuples(_events, st.lists(_events, max_size=3)), max_size=3)


def _element(attribute: tuple[str, str, str]) -> str:
    tag, key, value = attribute
    # what XML cannot hold would be refused by the parser at once
    legal = "".join(letter for letter in value if letter in "\t\n\r" or " " <= letter <= "\ud7ff" or letter >= "\ue000")
    return f"<{tag} key={quoteattr(key)} value={quoteattr(legal.replace(chr(0xFFFE), '').replace(chr(0xFFFF), ''))}/>"


@FEW
@given(_traces)
def test_a_log_of_any_traces_and_attributes_is_read_or_refused(tmp_path: Path, traces: object) -> None:
    assert isinstance(traces, list)
    parts = []
    for own, events in traces:
        inside = "".join(f"<event>{''.join(map(_element, event))}</event>" for event in events)
        parts.append(f"<trace>{''.join(map(_element, own))}{inside}</trace>")
    path = tmp_path / "log.xes"
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?><log>{"".join(parts)}</log>', encoding="utf-8")
    with clear_errors_only("log.xes"):
        log = read_log(path)
        assert log.events > 0
        assert read_log(path, attributes=("x",)).events == log.events, "the quick and the careful way disagree"


@FEW
@given(st.dictionaries(_words, st.dictionaries(_words, _trees, max_size=3), max_size=2), st.lists(_words, max_size=4))
def test_detector_files_of_any_content_are_read_or_refused(tmp_path: Path, windows: object, cells: list[str]) -> None:
    (tmp_path / WINDOWS).write_text(json.dumps(windows))
    header = ",Detected Changepoints,Detected Drift Types,Prediction Confidence,gold_source_document\n"
    row = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    (tmp_path / RESULTS).write_text(header + row + "\n", encoding="utf-8", errors="replace", newline="")
    with clear_errors_only():
        read_detections(tmp_path)


# run files and options
_keys = st.sampled_from(
    ["track", "subjects", "seeds", "budget", "settings", "limits", "network", "out", "workers", "run"]
)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_toml(entry)}" for name, entry in value.items()) + "}"
    return json.dumps(value if value is not None else "none")


_settings = st.recursive(
    st.booleans()
    | st.integers()
    | st.text(alphabet="abc\u00e9.=[", max_size=5)
    | st.floats(-1e9, 1e9).map(lambda x: x + 0.5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["seconds", "memory_mb", "a"]), inner),
    max_leaves=6,
)


@FEW
@given(st.dictionaries(_keys, _settings), st.booleans())
def test_a_run_file_of_any_values_is_read_or_refused(tmp_path: Path, content: dict[str, object], nested: bool) -> None:
    path = tmp_path / "run.toml"
    lines = [f"{name} = {_toml(value)}" for name, value in content.items()]
    path.write_text("\n".join(["[[run]]", *lines] if nested else lines), encoding="utf-8")
    with clear_errors_only():
        read_run_file(path)


@given(st.lists(st.tuples(_words, _trees), max_size=3))
def test_settings_of_any_values_are_read_or_refused(pairs: list[tuple[str, object]]) -> None:
    with clear_errors_only():
        result = read_settings([f"{name}={_toml(value)}" for name, value in pairs])
        for name in track_names():
            get_track(name).configure(result)


@given(st.text(max_size=20), st.dictionaries(st.text(max_size=5), _leaves, max_size=3))
def test_a_call_of_any_name_and_values_is_read_or_refused(name: str, parameters: dict[str, object]) -> None:
    text = f"{name}({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"
    with clear_errors_only():
        result = parse_call(text)
        assert parse_call(str(result)) == result


# answers and replies
@pytest.mark.parametrize("name", ["cases", "conformal", "drift", "formula"])
@settings(max_examples=40)
@given(tree=_trees)
def test_an_answer_of_any_content_is_read_or_refused(name: str, tree: object) -> None:
    with pytest.raises(AssayError):  # no arbitrary tree happens to be an answer
        get_track(name).decode(json.dumps(tree).encode())


@given(st.fixed_dictionaries({"choices": _trees, "usage": _trees}))
def test_a_chat_reply_of_any_content_is_read_or_refused(body: object) -> None:
    with clear_errors_only():
        assert read_reply(json.dumps(body).encode(), seconds=1.0, attempts=1).prompt_tokens >= 0


@FEW
@given(
    st.dictionaries(
        st.sampled_from(["solved_by", "enriched_column_names", "sorted_feature_functions", "notes"]), _trees
    )
)
def test_a_solution_of_any_content_is_read_or_refused(tmp_path: Path, content: dict[str, object]) -> None:
    (tmp_path / "solution_attributes.json").write_text(json.dumps(content))
    with clear_errors_only("solution_attributes.json"):
        read_solution(tmp_path)


_statements = st.recursive(
    st.sampled_from(["pass", "return row['churn']", "x = df_train", "del row", "import os", "global x", "yield 1"]),
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(["if x:", "for x in y:", "while 1:", "with a as b:", "def f(row):", "class A:"]), inner
        ).map(lambda pair: pair[0] + "\n" + "\n".join(" " + line for line in pair[1].split("\n"))),
        st.lists(inner, min_size=1, max_size=3).map("\n".join),
        inner.map(lambda part: "try:\n" + "\n".join(" " + line for line in part.split("\n")) + "\nfinally: pass"),
    ),
    max_leaves=8,
)


@given(_statements)
def test_source_of_any_statements_is_explained_and_looked_through(body: str) -> None:
    source = "def debt(row, df_train):\n" + "\n".join(" " + line for line in body.split("\n"))
    assert isinstance(explain_source(source, "debt", target="churn"), tuple)
    assert len(extract_functions(f"```python\n{source}\n```").candidates) <= 40


# arrays
_arrays = st.tuples(
    st.sampled_from(["bool", "int64", "float64", "U3", "S2", "complex128", "datetime64[s]", "uint8"]),
    st.lists(st.integers(0, 3), max_size=3),
).map(lambda pair: np.zeros(pair[1], dtype=pair[0]))


@FEW
@given(st.dictionaries(st.sampled_from(["sets_0", "sets_1", "y", "a", "labels10"]), _arrays, max_size=3))
def test_arrays_of_any_type_and_shape_are_read_or_refused(tmp_path: Path, arrays: dict[str, object]) -> None:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    path = tmp_path / "a.npz"
    path.write_bytes(stream.getvalue())
    for read in (read_matrices, read_sets, lambda path: read_labels(path, read_matrices(path))):
        with clear_errors_only():
            read(path)


@given(st.lists(st.lists(_formulas | st.text(max_size=8), max_size=3), max_size=3))
def test_fronts_of_any_texts_make_an_answer_or_are_refused(fronts: list[list[str]]) -> None:
    with clear_errors_only():
        FormulaAnswer(fronts=fronts)  # type: ignore[arg-type]
