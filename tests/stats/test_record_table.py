from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from assay.core import Record
from assay.stats import RecordTable, score_table
from assay.stats.record_table import LABELS, Lazy, decode_label, encode

MakeRecord = Callable[..., Record]


def _records(make_record: MakeRecord) -> list[Record]:
    return [
        make_record("b", "p1", 2**70, 0.5, tags={"noise": 0.1}, cost={"tokens": 3.0}),
        make_record("a", "p2", 0, math.nan, status="failed", error_kind="crash", seconds=2.5),
        make_record(
            "b", "p2", 0, 0.25, scores={"auroc": 0.25, "extra": 1.0}, versions={"auroc": 2}, budget={"n": None}
        ),
    ]


def test_every_label_reads_back_as_the_record_has_it(make_record: MakeRecord) -> None:
    records = _records(make_record)
    table = RecordTable.of(records)
    for name in LABELS:
        found = [decode_label(name, table.label(name, row)) for row in range(len(table))]
        expected = [getattr(record, name) for record in records]
        assert found == ["" if value is None else value for value in expected], name
        assert list(table.labels[name].values) == sorted(set(table.labels[name].values))


def test_absent_and_undefined_scores_are_told_apart(make_record: MakeRecord) -> None:
    table = RecordTable.of(_records(make_record))
    assert table.scores["auroc"].tolist() == pytest.approx([0.5, math.nan, 0.25], nan_ok=True)
    assert "auroc" not in table.absent
    assert table.absent["extra"].tolist() == [True, True, False]
    assert table.failed.tolist() == [False, True, False]
    assert table.costs["tokens"].tolist() == pytest.approx([3.0, math.nan, math.nan], nan_ok=True)
    assert (table.seconds.tolist(), table.seed(0), table.key(1)) == ([0.0, 2.5, 0.0], 2**70, "a/p2/0")


def test_rows_that_are_taken_are_those_of_a_table_of_their_records(make_record: MakeRecord) -> None:
    records = _records(make_record)
    rows = np.array([2, 1])
    taken, fresh = RecordTable.of(records).take(rows), RecordTable.of([records[2], records[1]])
    for name in LABELS:
        assert taken.labels[name].values == fresh.labels[name].values
        assert taken.labels[name].codes.tolist() == fresh.labels[name].codes.tolist()
    assert {name: rows.tolist() for name, rows in taken.absent.items()} == {"extra": [False, True]}
    assert (taken.key(0), taken.seconds.tolist()) == ("b/p2/0", [0.0, 2.5])


def test_counts_and_places_of_a_column() -> None:
    column = encode(["x", "y", "x"])
    assert (column.counts(), column.where("x").tolist()) == ({"x": 2, "y": 1}, [True, False, True])
    assert column.where("z").tolist() == [False, False, False]


def test_a_lazy_column_is_made_once_and_knows_its_names() -> None:
    made = []
    columns = Lazy("ab", lambda name: made.append(name) or name.upper())  # type: ignore[func-returns-value]
    assert (columns["a"], columns["a"], len(columns), list(columns)) == ("A", "A", 2, ["a", "b"])
    assert made == ["a"]
    with pytest.raises(KeyError):
        columns["c"]


def test_a_table_gives_the_scores_that_its_records_give(make_record: MakeRecord) -> None:
    generator = np.random.default_rng(3)
    records = [
        make_record(subject, f"p{problem}", seed, float(generator.integers(0, 3)))
        for subject in "abc"
        for problem in range(9)
        for seed in range(int(generator.integers(1, 12)))
    ]
    expected: dict[tuple[str, str], list[float]] = {}
    for record in records:
        expected.setdefault((record.subject, record.problem), []).append(record.scores["auroc"])
    for found in (score_table(records, "auroc"), score_table(RecordTable.of(records), "auroc")):
        for (subject, problem), scores in expected.items():
            value = found.with_floor[found.row(subject), found.problems.index(problem)]
            assert value == pytest.approx(sum(scores) / len(scores), abs=1e-15)
