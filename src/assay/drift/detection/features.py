"""What happens in each case, as yes or no: activities, repetitions, relations near and far, durations, resources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from assay.core import UnknownName
from assay.core.arrays import BoolArray, IntArray
from assay.drift.logs.event_log import EventLog

__all__ = ["Feature", "FeatureTable", "Perspective", "feature_table"]

Perspective = Literal["flow", "time", "resource"]
Kind = Literal["activity", "repetition", "follows", "later", "duration", "resource"]

_MOST_BINS = 4000  # consecutive cases are counted together in longer logs
_MOST_ACTIVITIES = 60  # of which relations at a distance are looked at, the most frequent ones
_MOST_FEATURES = 2500
_RARE = 4  # a feature that so few cases have, or lack, cannot tell anything
_PIECE = 400  # cases whose relations are held at once
_START, _END = "(start)", "(end)"


class Feature(NamedTuple):
    """A question that every case answers with yes or no; ``second`` is the later activity of a relation."""

    kind: Kind
    first: str
    second: str = ""


class FeatureTable(NamedTuple):
    """How many cases of each bin say yes: ``counts[bin, feature]``; ``edges`` are the first cases of the bins."""

    features: tuple[Feature, ...]
    counts: npt.NDArray[np.int32]
    edges: IntArray

    @property
    def cases(self) -> int:
        """The number of cases."""
        return int(self.edges[-1])


def feature_table(log: EventLog, *, perspectives: Sequence[Perspective] = ("flow",)) -> FeatureTable:
    """The features of a log, without those that are equal to another or hardly vary."""
    for perspective in perspectives:
        if perspective not in get_args(Perspective):
            raise UnknownName("perspective", str(perspective), get_args(Perspective))
    cases = len(log)
    width = -(-cases // _MOST_BINS)
    edges = np.append(np.arange(0, cases, width), cases)
    parts: list[tuple[list[Feature], npt.NDArray[np.int32]]] = []
    if "flow" in perspectives:
        parts.append(_flow(log, edges))
    if "time" in perspectives:
        parts.append(_durations(log, edges))
    if "resource" in perspectives and log.resource_codes is not None:
        parts.append(_resources(log, edges))
    features = [feature for names, _ in parts for feature in names]
    counts = np.concatenate([part for _, part in parts], axis=1) if parts else np.zeros((len(edges) - 1, 0), np.int32)
    informative = _informative(counts, cases)
    return FeatureTable(tuple(features[at] for at in informative), np.ascontiguousarray(counts[:, informative]), edges)


def _informative(counts: npt.NDArray[np.int32], cases: int) -> IntArray:
    """Features that vary, each once, at most as many as can be held; in their order."""
    total = counts.sum(axis=0)
    least = max(_RARE, cases // 250)
    chosen = np.flatnonzero((total >= least) & (total <= cases - least))
    # equal columns have equal sums under random weights, and others practically never
    weights = np.random.default_rng(0).integers(1, 1 << 40, size=len(counts))
    _, first = np.unique(weights @ counts[:, chosen].astype(np.int64), return_index=True)
    chosen = chosen[np.sort(first)]
    if len(chosen) > _MOST_FEATURES:
        spread = total[chosen] * (cases - total[chosen])
        chosen = np.sort(chosen[np.argsort(-spread, kind="stable")[:_MOST_FEATURES]])
    return chosen


def _flow(log: EventLog, edges: IntArray) -> tuple[list[Feature], npt.NDArray[np.int32]]:
    codes, offsets, cases = log.activity_codes.astype(np.int64), log.offsets, len(log)
    names = [*log.activities, _START, _END]
    size = len(names)
    # directly-follows pairs, with marks before the first and behind the last event of a case
    before = np.concatenate([[size - 2], codes[:-1]])
    before[offsets[:-1]] = size - 2
    pairs = np.concatenate([before * size + codes, codes[offsets[1:] - 1] * size + size - 1])
    owners = np.concatenate([log.case_codes.astype(np.int64), np.arange(cases)])
    distinct, pair_codes = np.unique(pairs, return_inverse=True)
    common = np.argsort(-np.bincount(codes, minlength=len(log.activities)), kind="stable")[:_MOST_ACTIVITIES]
    features = [Feature("activity", name) for name in log.activities]
    features += [Feature("repetition", name) for name in log.activities]
    features += [Feature("follows", names[pair // size], names[pair % size]) for pair in distinct]
    features += [Feature("later", names[a], names[b]) for a in common for b in common if a != b]
    by_owner = np.argsort(owners, kind="stable")
    owners, pair_codes = owners[by_owner], pair_codes[by_owner]
    pieces = []
    step = max(1, _PIECE // int(np.diff(edges)[0])) * int(np.diff(edges)[0])
    for low in range(0, cases, step):
        high = min(low + step, cases)
        events = slice(int(offsets[low]), int(offsets[high]))
        row = log.case_codes[events].astype(np.int64) - low
        often = _tally(row, codes[events], high - low, len(log.activities))
        inside = slice(*np.searchsorted(owners, [low, high]))
        pairs_here = _tally(owners[inside] - low, pair_codes[inside], high - low, len(distinct)) > 0
        later = _later(row, codes[events], offsets[low:high] - offsets[low], common, len(log.activities))
        piece = np.concatenate([often > 0, often > 1, pairs_here, later], axis=1)
        pieces.append(_binned(piece, edges, low, high))
    return features, np.concatenate(pieces)


def _later(
    row: IntArray,
    codes: IntArray,
    starts: IntArray,
    common: IntArray,
    activities: int,
) -> BoolArray:
    """Whether the first event of one activity lies before the last of another, for all pairs of different ones."""
    place = np.arange(len(codes)) - starts[row]
    first = np.full((len(starts), activities), np.iinfo(np.int32).max, dtype=np.int32)
    last = np.full((len(starts), activities), -1, dtype=np.int32)
    np.maximum.at(last, (row, codes), place.astype(np.int32))
    np.minimum.at(first, (row, codes), place.astype(np.int32))
    before = first[:, common][:, :, None] < last[:, common][:, None, :]
    return before[:, ~np.eye(len(common), dtype=np.bool_)]


def _tally(rows: IntArray, columns: IntArray, height: int, width: int) -> IntArray:
    return np.bincount(rows * width + columns, minlength=height * width).reshape(height, width)


def _binned(piece: BoolArray, edges: IntArray, low: int, high: int) -> npt.NDArray[np.int32]:
    starts = edges[(edges >= low) & (edges < high)] - low
    if len(starts) == len(piece):
        return piece.astype(np.int32)
    return np.add.reduceat(piece, starts, axis=0, dtype=np.int32)


def _durations(log: EventLog, edges: IntArray) -> tuple[list[Feature], npt.NDArray[np.int32]]:
    """Whether a case, or the way to an activity in it, takes longer than in three quarters, half, a quarter of all."""
    offsets, cases = log.offsets, len(log)
    whole = (log.ends - log.starts).astype(np.float64)
    columns, features = [], []
    for level in (0.25, 0.5, 0.75):
        columns.append(whole > np.quantile(whole, level))
        features.append(Feature("duration", "(case)", f"above {level:.0%}"))
    waits = np.diff(log.times, prepend=log.times[0]).astype(np.float64)
    waits[offsets[:-1]] = np.nan
    for code, name in enumerate(log.activities):
        of = np.flatnonzero((log.activity_codes == code) & ~np.isnan(waits))
        if len(of) < _RARE:
            continue
        for level in (0.25, 0.5, 0.75):
            slow = np.zeros(cases, dtype=np.bool_)
            slow[log.case_codes[of[waits[of] > np.quantile(waits[of], level)]]] = True
            columns.append(slow)
            features.append(Feature("duration", name, f"above {level:.0%}"))
    return features, _binned(np.stack(columns, axis=1), edges, 0, cases)


def _resources(log: EventLog, edges: IntArray) -> tuple[list[Feature], npt.NDArray[np.int32]]:
    """Whether a resource carries out an activity in the case."""
    assert log.resource_codes is not None
    named = log.resource_codes >= 0
    pairs = log.activity_codes[named].astype(np.int64) * len(log.resources) + log.resource_codes[named]
    distinct, codes, often = np.unique(pairs, return_inverse=True, return_counts=True)
    common = np.sort(np.argsort(-often, kind="stable")[:_MOST_FEATURES])
    place = np.full(len(distinct), -1)
    place[common] = np.arange(len(common))
    table = np.zeros((len(log), len(common)), dtype=np.bool_)
    rows, columns = log.case_codes[named], place[codes]
    table[rows[columns >= 0], columns[columns >= 0]] = True
    features = [
        Feature("resource", log.activities[pair // len(log.resources)], log.resources[pair % len(log.resources)])
        for pair in distinct[common]
    ]
    return features, _binned(table, edges, 0, len(log))
