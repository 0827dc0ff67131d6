"""Records as columns: what statistics read, also for millions of records."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from assay.core import Record, plain
from assay.core.arrays import BoolArray
from assay.stats.resampling import FloatArray, IntArray

__all__ = ["LABELS", "LOST", "Coded", "Lazy", "RecordTable", "decode_label", "encode"]


LABELS = (
    *("subject", "subject_digest", "problem", "problem_digest", "seed", "status", "error_kind", "isolation"),
    *("tags", "versions", "budget"),
)
LOST = "lost"  # the status of a row that stands for a cell without a record
_JSON_LABELS = ("tags", "versions", "budget")


class Coded(NamedTuple):
    """A column of texts: the distinct ones, sorted, and each row's place among them."""

    values: tuple[str, ...]
    codes: IntArray

    def where(self, value: str) -> BoolArray:
        """The rows that have this value."""
        place = self.values.index(value) if value in self.values else -1
        rows: BoolArray = self.codes == place
        return rows

    def take(self, rows: IntArray) -> Coded:
        """The column of these rows, without the values that none of them has."""
        codes = self.codes[rows]
        used = np.bincount(codes, minlength=len(self.values)) > 0
        if used.all():
            return Coded(self.values, codes)
        places = np.cumsum(used) - 1
        return Coded(tuple(np.array(self.values, dtype=object)[used].tolist()), places[codes])

    def joined(self, other: Coded) -> Coded:
        """Both columns, the other below."""
        values = tuple(sorted({*self.values, *other.values}))
        places = {value: place for place, value in enumerate(values)}
        moved = [np.array([places[value] for value in part.values], dtype=np.int64) for part in (self, other)]
        return Coded(values, np.concatenate([moved[0][self.codes], moved[1][other.codes]]))

    def counts(self) -> dict[str, int]:
        """How many rows have each value; values that no row has are left out."""
        counted = np.bincount(self.codes, minlength=len(self.values))
        return {value: int(count) for value, count in zip(self.values, counted, strict=True) if count}


class CellGroup(NamedTuple):
    """Cells that have equally many rows, and those rows, a line for each cell."""

    cells: IntArray
    rows: IntArray


V = TypeVar("V")


class Lazy(Mapping[str, V]):
    """A mapping that computes each value on first access."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V]) -> None:
        self._names = tuple(names)
        self._make = make
        self._values: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        if name not in self._values:
            if name not in self._names:
                raise KeyError(name)
            self._values[name] = self._make(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def encode(entries: Sequence[str]) -> Coded:
    """The distinct entries, sorted, and each entry's place among them.

    >>> values, codes = encode(["b", "a", "b"])
    >>> values, codes.tolist()
    (('a', 'b'), [1, 0, 1])
    """
    distinct = tuple(sorted(set(entries)))
    places = {entry: place for place, entry in enumerate(distinct)}
    return Coded(distinct, np.array([places[entry] for entry in entries], dtype=np.int64))


@dataclass(frozen=True, kw_only=True, eq=False)
class RecordTable:
    """Columns of equal length, a row per record.

    ``labels`` are the texts of :data:`LABELS`, mappings among them as JSON; a row of the status ``lost`` stands for a
    cell that could not be finished, with the scores of a failure there; ``scores`` has nan where a score is
    undefined and where it is absent, and ``absent`` tells the two apart: the rows without a metric, for metrics that
    some row lacks. ``costs`` has nan where a cost was not reported. ``key`` gives the key of a row's record.
    """

    labels: Mapping[str, Coded]
    seconds: FloatArray
    scores: Mapping[str, FloatArray]
    absent: Mapping[str, BoolArray]
    costs: Mapping[str, FloatArray]
    key: Callable[[int], str]

    def __len__(self) -> int:
        return self.seconds.size

    @property
    def failed(self) -> BoolArray:
        """The rows whose subject failed."""
        return self.labels["status"].where("failed")

    @property
    def lost(self) -> BoolArray:
        """The rows of cells that could not be finished."""
        return self.labels["status"].where(LOST)

    @cached_property
    def cells(self) -> IntArray:
        """The place of each row in a table of subjects and problems, subject after subject."""
        problems, codes = self.labels["problem"]
        cells: IntArray = self.labels["subject"].codes * len(problems) + codes
        return cells

    @cached_property
    def by_cell(self) -> IntArray:
        """The rows in the order of their cells."""
        return np.argsort(self.cells, kind="stable")

    @cached_property
    def groups(self) -> tuple[CellGroup, ...]:
        """The rows of every cell."""
        return self.grouped(self.by_cell)

    def grouped(self, rows: IntArray) -> tuple[CellGroup, ...]:
        """These rows, given in the order of their cells, cell by cell."""
        counts = np.bincount(self.cells[rows])
        starts = np.cumsum(counts) - counts
        groups = []
        for count in np.flatnonzero(np.bincount(counts[counts > 0])).tolist():
            cells = np.flatnonzero(counts == count)
            groups.append(CellGroup(cells, rows[starts[cells, np.newaxis] + np.arange(count)]))
        return tuple(groups)

    @cached_property
    def one_per_cell(self) -> bool:
        """Whether no subject has two rows on a problem."""
        return bool(np.bincount(self.cells, minlength=1).max() <= 1)

    @cached_property
    def twins(self) -> tuple[int, int] | None:
        """Two rows of the same subject, problem and seed, if there are any."""
        if self.one_per_cell:
            return None
        values, seeds = self.labels["seed"]
        place = self.cells * len(values) + seeds
        if place.max() < 4 * place.size and np.bincount(place).max() <= 1:  # few places: counting is quicker
            return None
        order = np.argsort(place, kind="stable")
        same = np.flatnonzero(np.diff(place[order]) == 0)
        return (int(order[same[0]]), int(order[same[0] + 1])) if same.size else None

    def label(self, name: str, row: int) -> str:
        """The text of one row."""
        column = self.labels[name]
        return column.values[int(column.codes[row])]

    def seed(self, row: int) -> int:
        """The seed of one row."""
        return int(self.label("seed", row))

    def take(self, rows: IntArray) -> RecordTable:
        """The table of these rows, in this order; columns are computed on first access."""
        return RecordTable(
            labels=Lazy(self.labels, lambda name: self.labels[name].take(rows)),
            seconds=self.seconds[rows],
            scores=Lazy(self.scores, lambda name: self.scores[name][rows]),
            absent={name: lacking[rows] for name, lacking in self.absent.items() if lacking[rows].any()},
            costs=Lazy(self.costs, lambda kind: self.costs[kind][rows]),
            key=lambda row: self.key(int(rows[row])),
        )

    def with_lost(self, cells: RecordTable) -> RecordTable:
        """The same rows and below them those of cells that could not be finished, with every metric of the table."""
        count = len(cells)
        return RecordTable(
            labels=Lazy(
                self.labels,
                lambda name: self.labels[name].joined(
                    encode([LOST] * count) if name == "status" else cells.labels[name]
                ),
            ),
            seconds=np.concatenate([self.seconds, cells.seconds]),
            scores=Lazy(self.scores, lambda name: np.concatenate([self.scores[name], cells.scores[name]])),
            absent={name: np.concatenate([rows, np.zeros(count, np.bool_)]) for name, rows in self.absent.items()},
            costs=Lazy(self.costs, lambda kind: np.concatenate([self.costs[kind], np.full(count, np.nan)])),
            key=lambda row: self.key(row) if row < len(self) else cells.key(row - len(self)),
        )

    @classmethod
    def of(cls, records: Iterable[Record]) -> RecordTable:
        """The columns of these records, in their order."""
        rows = records if isinstance(records, tuple | list) else tuple(records)
        metrics = sorted({name for record in rows for name in record.scores})
        absent = {name: np.array([name not in record.scores for record in rows], dtype=np.bool_) for name in metrics}
        kinds = sorted({kind for record in rows for kind in record.cost})
        return cls(
            labels={name: encode(_texts(rows, name)) for name in LABELS},
            seconds=_floats(record.seconds for record in rows),
            scores={name: _floats(record.scores.get(name, math.nan) for record in rows) for name in metrics},
            absent={name: rows_without for name, rows_without in absent.items() if rows_without.any()},
            costs={kind: _floats(record.cost.get(kind, math.nan) for record in rows) for kind in kinds},
            key=lambda row: rows[row].key,
        )


def decode_label(name: str, value: str) -> Any:
    """What a label stands for: the mapping, the whole number or the text that a record has under this name."""
    return json.loads(value) if name in (*_JSON_LABELS, "seed") else value


def _texts(records: Sequence[Record], name: str) -> list[str]:
    """The label of each record; every distinct mapping is serialized once, since few differ."""
    values = [getattr(record, name) for record in records]
    if name not in _JSON_LABELS:
        return [str("" if value is None else value) for value in values]
    text_of: dict[tuple[Any, ...], str] = {}
    texts = []
    for value in values:
        key = tuple((entry, repr(amount)) for entry, amount in value.items())
        if key not in text_of:
            text_of[key] = json.dumps(plain(value), ensure_ascii=False, sort_keys=True)
        texts.append(text_of[key])
    return texts


def _floats(values: Iterable[float]) -> FloatArray:
    return np.array(list(values), dtype=np.float64)
