"""Labels written into the source: such a column fits the training labels better than the test labels."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.insight.columns.calling import UNREADABLE, parse_source
from assay.insight.leakage.perturbations import BoolArray
from assay.insight.leakage.tails import binomial_tail, fisher_greater
from assay.insight.problem.task import ProblemType

__all__ = ["ALPHA", "LEAST_LITERALS", "Agreement", "as_classes", "compare_agreement", "literal_volume", "readings"]

LEAST_LITERALS = 40  # characters of constants: fewer hold too little to memorise with
_LOOKS_AT_ITSELF = re.compile(r"__\w+__|\b(getattr|hasattr|vars|dir|locals|globals|inspect)\b")
_WORD = re.compile(r"\w+(?:[-.:/]\w+)*")
_MOST_VALUES = 20  # distinct values that are looked up one by one
_CUTS = 200
ALPHA = 1e-6
_RECENT_ALPHA = 1e-3
_ABSENT_ALPHA = 1e-3


class Agreement(NamedTuple):
    """How often the best simple reading of a column gives the label, on rows whose labels it may and may not know."""

    train: float
    test: float
    p_value: float

    @property
    def memorised(self) -> bool:
        """Whether chance is ruled out."""
        return self.p_value < ALPHA


def literal_volume(code: str, *, known: Collection[str] = (), ids: Collection[str] = ()) -> int:
    r"""The characters of all constants in a source, but the names of columns and tables.

    Documentation and the names of the code itself count where the source can read them, or where they hold ids of rows.

    >>> literal_volume("def f(row):\n    'The age.'\n    return {1: 0, 22: 1}.get(row['age'])", known=["age"])
    5
    """
    try:
        tree = parse_source(code)
    except UNREADABLE:
        return len(code)
    documentation = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    volume = 0
    asides: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant):
            asides += _names(node)
            continue
        value = node.value
        if id(node) in documentation:
            asides.append(str(value))
        elif isinstance(value, str | bytes):
            volume += 0 if value in known else len(value)
        elif value is not None and value is not ...:
            volume += _digits(value)
    if _LOOKS_AT_ITSELF.search(code):
        return volume + sum(map(len, asides))
    named = frozenset(ids)
    return volume + sum(len(word) for text in asides for word in _WORD.findall(text) if word in named)


def _names(node: ast.AST) -> list[str]:
    """The names in a node, such as those of parameters, keywords and attributes."""
    entries = [entry for _, value in ast.iter_fields(node) for entry in (value if isinstance(value, list) else [value])]
    return [entry for entry in entries if isinstance(entry, str)]


def _digits(value: Any) -> int:
    # a whole number may be too long to be written
    return value.bit_length() // 4 + 1 if isinstance(value, int) else len(repr(value))


def compare_agreement(
    train: npt.NDArray[Any],
    train_labels: npt.NDArray[Any],
    test: npt.NDArray[Any],
    test_labels: npt.NDArray[Any],
    kind: ProblemType,
    *,
    recent: BoolArray | None = None,
) -> Agreement:
    """Fit the best simple reading on the training rows, and ask whether it does worse on the test rows by chance.

    Readings: one cut through the values or at the end of those of the test rows, or a look-up of few values; numbers as
    labels count as high or low. The p-value is that of Fisher's exact test, one-sided, within one class of labels:
    parts may differ in how frequent a class is. Where the rare values of a column never occur among the test rows,
    their hits are compared with what the label's frequency explains. Where rows have times, the ``recent`` ones of the
    training rows, which are the test rows' neighbours, must show the same: what changes slowly is not memorised.
    """
    y, z = as_classes(train_labels, test_labels, kind)
    best = Agreement(0.0, 0.0, 1.0)
    for train_reading, test_reading in readings(train, y, test):
        right, hits = train_reading == y, test_reading == z
        p = _worse(train_reading, y, test_reading, z)
        if recent is not None and recent.any() and p < ALPHA:
            near = _worse(train_reading[recent], y[recent], test_reading, z)
            p = p if near < _RECENT_ALPHA else near
        if p < best.p_value:
            best = Agreement(float(right.mean()), float(hits.mean()), p)
    return best


def as_classes(
    train_labels: npt.NDArray[Any], test_labels: npt.NDArray[Any], kind: ProblemType
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Labels as texts; numbers are above the middle of the training labels or not."""
    if kind == "regression":
        middle = float(np.median(train_labels.astype(np.float64)))
        train_labels = train_labels.astype(np.float64) > middle
        test_labels = test_labels.astype(np.float64) > middle
    y, z = (np.asarray([str(label) for label in labels]) for labels in (train_labels, test_labels))
    return y, z


def _worse(
    train_reading: npt.NDArray[Any], y: npt.NDArray[Any], test_reading: npt.NDArray[Any], z: npt.NDArray[Any]
) -> float:
    """The p-value of doing worse on the unseen rows, of the class that shows it best."""
    right, hits = train_reading == y, test_reading == z
    classes = np.unique(y)
    inside = min(_fisher(right[y == label], hits[z == label]) for label in classes) * len(classes)
    return min(max(inside, _fisher(right, hits)), _rare(train_reading, right, test_reading, y, z), 1.0)


def readings(
    train: npt.NDArray[Any], labels: npt.NDArray[Any], test: npt.NDArray[Any]
) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """The labels that simple readings, fitted on the training rows, see in the values of both parts."""
    pairs = []
    texts, others = (np.asarray(["" if v is None or v != v else str(v) for v in values]) for values in (train, test))
    common = pd.Series(labels).mode()[0]
    if len(set(texts)) <= _MOST_VALUES:
        table = pd.Series(labels).groupby(texts).agg(lambda group: group.mode()[0]).to_dict()
        pairs.append((_looked_up(texts, table, common), _looked_up(others, table, common)))
    numbers = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy(dtype=np.float64)
    test_numbers = pd.to_numeric(pd.Series(others), errors="coerce").to_numpy(dtype=np.float64)
    finite = np.unique(numbers[np.isfinite(numbers)])
    if len(finite) > 1:
        cuts = (finite[1:] + finite[:-1]) / 2
        cuts = cuts[np.unique(np.linspace(0, len(cuts) - 1, min(_CUTS, len(cuts))).astype(int))]
        scored = [(_by_cut(numbers, labels, numbers, cut, common) == labels).mean() for cut in cuts]
        cut = cuts[int(np.argmax(scored))]
        finite_test = test_numbers[np.isfinite(test_numbers)]
        tails = (finite_test.max(), finite_test.min()) if len(finite_test) else ()  # what test rows never reach
        for end in (cut, *tails):
            train_labels, test_labels = (
                _by_cut(numbers, labels, part, end, common) for part in (numbers, test_numbers)
            )
            pairs.append((train_labels, test_labels))
    return pairs


def _looked_up(values: npt.NDArray[Any], table: Mapping[Any, Any], common: str) -> npt.NDArray[Any]:
    return np.asarray([table.get(value, common) for value in values])


def _by_cut(
    fitted: npt.NDArray[Any], labels: npt.NDArray[Any], values: npt.NDArray[Any], cut: float, common: str
) -> npt.NDArray[Any]:
    """The commonest label on either side of a cut; missing values are a side of their own."""
    sides = np.where(np.isnan(fitted), 2, fitted > cut)
    table = {side: pd.Series(labels[sides == side]).mode()[0] for side in np.unique(sides)}
    return np.asarray([table.get(side, common) for side in np.where(np.isnan(values), 2, values > cut)])


def _fisher(right: BoolArray, hits: BoolArray) -> float:
    return fisher_greater(int(right.sum()), int((~right).sum()), int(hits.sum()), int((~hits).sum()))


def _rare(
    train_reading: npt.NDArray[Any],
    right: BoolArray,
    test_reading: npt.NDArray[Any],
    y: npt.NDArray[Any],
    z: npt.NDArray[Any],
) -> float:
    """The p-value of the rarer predictions' hits, when the test rows get no such prediction at all.

    Some rows always lie beyond all test rows, and neighbours share labels: there must be more than chance puts there.
    """
    smallest, share = 1.0, len(train_reading) / (len(train_reading) + len(test_reading))
    for label in np.unique(train_reading):
        same = train_reading == label
        if (
            same.sum() <= len(train_reading) / 2
            and not (test_reading == label).any()
            and share ** same.sum() < _ABSENT_ALPHA
        ):
            chance = max(float((z == label).mean()), float((y == label).mean()))
            smallest = min(smallest, binomial_tail(int(right[same].sum()), int(same.sum()), chance))
    return smallest
