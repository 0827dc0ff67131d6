"""The choice of candidates: those that explain the target together, simple ones beyond them, and stand-ins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.problem.task import ProblemType
from assay.insight.search.pool import mean_ranks

__all__ = ["Choice", "choose", "responses_of"]

Matrix = npt.NDArray[np.float32]
_RIDGE = 1e-3
_STEPS = 12
_MOST_CLASSES = 6
_SCREENED = 1500
_PICKS = 10  # columns that explain the target together, at most
_SINGLES = 2  # of the strongest alone
_LOOKS = 6  # steps at which all candidates are looked at
_FEW_LEVELS = 64
_PLAINER = 0.03  # share of a gain that a unit of cost weighs among hedges
_SIMPLE = 2.5  # cost up to which a recipe is called simple: one condition, no second column
_NEARLY = 0.8  # share of the best gain at which a simple column goes first
_TOLERATED = 2.0  # log-likelihood that two simple columns instead of one made of two may cost
_PLAIN = 2.5  # cost of what is taken beyond the certain
_PLAIN_PAYS = 2.0  # what each unit of its cost takes away once more
_UNLIKE = 0.7  # rank correlation with the chosen up to which it counts as something else
_ALONE = 0.9  # the same for the strongest alone
_MOST_LOST = 0.7  # share of a column's gain that a stand-in may lack
_DIFFERS = 0.97  # rank correlation up to which a stand-in differs from what is there
_SAYING = 3.0  # gain that one unit of a recipe's cost must bring


def responses_of(target: npt.NDArray[Any], kind: ProblemType) -> tuple[FloatArray, bool]:
    """The target as columns of numbers: 0 and 1 for each class but one of two, standardised when it is a number."""
    from scipy import stats  # takes as long to import as all of ours

    if kind == "regression":
        values = pd.to_numeric(pd.Series(target), errors="coerce").fillna(0.0).to_numpy(dtype=np.float64)
        ranks = stats.rankdata(values)
        heavy = abs(stats.skew(values)) > 3 if values.std() > 0 else False
        used = ranks if heavy else values
        return ((used - used.mean()) / (used.std() or 1.0))[None, :], False
    texts = pd.Series(target).astype(str)
    classes = texts.value_counts().index.tolist()
    if len(classes) <= 2:
        return (texts == classes[-1]).to_numpy(dtype=np.float64)[None, :], True
    return np.vstack([(texts == c).to_numpy(dtype=np.float64) for c in classes[:_MOST_CLASSES]]), True


@dataclass(slots=True)
class Choice:
    """A candidate, and why it was taken."""

    place: int
    why: str


class Fit(NamedTuple):
    """A model of one response: residuals and weights of the rows, and the log-likelihood."""

    residuals: FloatArray
    weights: FloatArray
    value: float


def _fit(design: FloatArray, y: FloatArray, *, logistic: bool) -> Fit:
    """A linear or logistic model of the columns of a design, the first of which is constant."""
    n = len(y)
    ridge = np.eye(len(design)) * _RIDGE * n
    ridge[0, 0] = 1e-9
    if not logistic:
        beta = np.linalg.solve(design @ design.T + ridge, design @ y)
        r = y - beta @ design
        variance = max(float(r @ r) / n, 1e-9)
        return Fit(r / variance, np.full(n, 1.0 / variance), -0.5 * n * float(np.log(variance)))
    beta = np.zeros(len(design))
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(beta @ design, -30, 30)))
        w = np.maximum(p * (1.0 - p), 1e-4)
        step = np.linalg.solve((design * w) @ design.T + ridge, design @ (y - p) - ridge @ beta)
        size = float(np.abs(step).max())
        beta += step if size < 5 else step * (5 / size)
        if size < 1e-4:
            break
    p = np.clip(1.0 / (1.0 + np.exp(-np.clip(beta @ design, -30, 30))), 1e-9, 1 - 1e-9)
    value = float((y * np.log(p) + (1 - y) * np.log(1 - p)).sum())
    return Fit(y - p, np.maximum(p * (1.0 - p), 1e-4), value)


class Search:
    """Scores of all candidates, raw and ranked, given the chosen ones."""

    def __init__(
        self, raw: Matrix, ranked: Matrix, costs: FloatArray, responses: FloatArray, *, logistic: bool
    ) -> None:
        self._responses, self._logistic = responses, logistic
        self.count = len(raw)
        self.costs = np.tile(costs, 2)
        self.simple = self.costs <= _SIMPLE
        self.columns = np.concatenate([np.clip(raw, -6, 6), ranked])  # a candidate is a place in either half

    def _fitted(self, chosen: list[int]) -> tuple[FloatArray, list[Fit]]:
        """A constant and the chosen columns as a design, and its model of each response."""
        design = np.vstack([np.ones(self.columns.shape[1]), self.columns[chosen].astype(np.float64)])
        return design, [_fit(design, y, logistic=self._logistic) for y in self._responses]

    def gains(self, chosen: list[int]) -> FloatArray:
        """Twice the expected gain in log-likelihood of each column, by the score test, less what it costs to say."""
        total = np.zeros(len(self.columns))
        design, fits = self._fitted(chosen)
        for r, w, _ in fits:
            upper = self.columns @ r.astype(np.float32)
            cross = self.columns @ (design * w).T.astype(np.float32)
            inner = np.linalg.inv((design * w) @ design.T + 1e-6 * np.eye(len(design)))
            own = self._weighted(w.astype(np.float32))
            remainder = own - np.einsum("ij,jk,ik->i", cross, inner, cross, optimize=True)
            total += np.where(remainder > 0.02 * own, upper.astype(np.float64) ** 2 / np.maximum(remainder, 1e-9), 0.0)
        return np.maximum(np.nan_to_num(total, nan=0.0, posinf=0.0) - _SAYING * self.costs, 0.0)

    def better_half(self, gains: FloatArray) -> FloatArray:
        """The gain of each candidate, raw or ranked."""
        return np.maximum(gains[: self.count], gains[self.count :])

    def _weighted(self, w: npt.NDArray[np.float32]) -> FloatArray:
        """The weighted squares of all columns; in pieces, to save memory."""
        pieces = [(piece * piece) @ w for piece in np.array_split(self.columns, max(len(self.columns) // 2000, 1))]
        return np.concatenate(pieces).astype(np.float64)

    def value(self, chosen: list[int]) -> float:
        """The log-likelihood, less what the columns cost."""
        total = 0.0  # not by sum(), which rounds otherwise since Python 3.12
        for fit in self._fitted(chosen)[1]:
            total += fit.value
        return total - 0.5 * _SAYING * float(self.costs[chosen].sum())

    def alike(self, place: int) -> FloatArray:
        """The absolute rank correlation of a candidate with all others."""
        ranked = self.columns[self.count :]
        correlations: FloatArray = np.abs(ranked @ ranked[place % self.count]) / self.columns.shape[1]
        return correlations


def choose(
    raw: Matrix,
    costs: FloatArray,
    responses: FloatArray,
    *,
    logistic: bool,
    most: int = 20,
    further: int = 4,
) -> list[Choice]:
    """Places of candidates, the best first, at most ``most``."""
    if not len(raw):
        return []
    ranked = np.empty_like(raw)
    for place, values in enumerate(raw):
        ranked[place] = mean_ranks(values)
    threshold = 2.0 * np.log(max(len(raw), 10)) * 1.1
    every = Search(raw, ranked, costs, responses, logistic=logistic)
    screened = _screen(every, threshold)
    search = Search(raw[screened], ranked[screened], costs[screened], responses, logistic=logistic)
    together = [(int(screened[c % search.count]), c >= search.count) for c in _together(search, threshold)]
    plain = _further(every, [place + every.count * ranks for place, ranks in together], 2 * further)
    screened = np.union1d(screened, np.array(plain, dtype=np.int64))
    search = Search(raw[screened], ranked[screened], costs[screened], responses, logistic=logistic)
    places = {int(place): number for number, place in enumerate(screened)}
    chosen = [places[place] + search.count * ranks for place, ranks in together]
    choices = _fill(search, chosen, [places[place] for place in plain], most=most, further=further)
    return [Choice(int(screened[choice.place]), choice.why) for choice in choices]


def _screen(search: Search, threshold: float) -> npt.NDArray[np.int64]:
    """Those that look best at any step of a plain forward selection, of all and of the simple ones."""
    if search.count <= _SCREENED:
        return np.arange(search.count)
    chosen: list[int] = []
    screened: set[int] = set()
    simple = search.simple[: search.count]
    while len(chosen) <= _LOOKS:
        gains = search.gains(chosen)
        best = search.better_half(gains)
        most = _SCREENED // 2 if not chosen else _SCREENED // 6
        screened.update(np.argsort(-best, kind="stable")[:most].tolist())
        screened.update(np.argsort(-np.where(simple, best, -1.0), kind="stable")[:most].tolist())
        top = _next(search, gains)
        if gains[top] < threshold:
            break
        chosen.append(top)
    return np.array(sorted(screened))


def _next(search: Search, gains: FloatArray) -> int:
    """The best one, or the best simple one where that is nearly as good."""
    best = int(np.argmax(gains))
    simple = int(np.argmax(np.where(search.simple, gains, -1.0)))
    return simple if search.simple[simple] and gains[simple] >= _NEARLY * gains[best] else best


def _together(search: Search, threshold: float) -> list[int]:
    """Those that explain the target together."""
    chosen = _split(search, _greedy(search, threshold))
    chosen = _split(search, _swap(search, chosen))
    return _drop(search, chosen, threshold / 2)


def _further(search: Search, chosen: list[int], count: int) -> list[int]:
    """Plain columns unlike the chosen ones that say most beyond them, though too little to be certain."""
    near = np.zeros(search.count)
    for column in chosen:
        np.maximum(near, search.alike(column), out=near)
    costs, now, places = search.costs[: search.count], list(chosen), []
    for _ in range(count):
        gains = search.gains(now)
        best = search.better_half(gains) - _PLAIN_PAYS * costs
        best[(costs > _PLAIN) | (near > _UNLIKE)] = -np.inf
        place = int(np.argmax(best))
        if not np.isfinite(best[place]):
            break
        places.append(place)
        now.append(place + search.count * (gains[place + search.count] > gains[place]))
        np.maximum(near, search.alike(place), out=near)
    return places


def _fill(search: Search, chosen: list[int], plain: list[int], *, most: int, further: int) -> list[Choice]:
    """The chosen ones, plain ones beyond them, the strongest alone, and what could stand in place of the chosen."""
    alone = search.better_half(search.gains([]))
    choices: list[Choice] = []
    near = np.zeros(search.count)
    levels: list[npt.NDArray[np.int64]] = []

    def take(place: int, why: str, limit: float) -> bool:
        if near[place] > limit or len(choices) >= most:
            return False
        groups = _groups(search.columns[place])
        if groups is not None:
            if any(_follows(groups, finer) for finer in levels):
                return False  # a forest reads it from the other
            levels.append(groups)
        choices.append(Choice(place, why))
        np.maximum(near, search.alike(place), out=near)
        near[place] = 2.0
        return True

    for place in sorted((column % search.count for column in chosen), key=lambda place: -alone[place]):
        take(place, "together", 0.995)
    for place in plain[:further]:
        take(place, "further", 0.9)
    plainly = alone - 2 * _SAYING * np.maximum(search.costs[: search.count] - 1.0, 0.0)
    for place in np.argsort(-plainly, kind="stable")[:2000]:
        if sum(choice.why == "alone" for choice in choices) >= _SINGLES:
            break
        take(int(place), "alone", _ALONE)
    queues = [iter(queue) for queue in _hedges(search, chosen)]
    while queues and len(choices) < most:  # each chosen one in turn
        queues = [queue for queue in queues if any(take(place, "hedge", _DIFFERS) for place in queue)]
    for place in plain[further:]:
        take(place, "further", 0.9)
    for place in np.argsort(-alone, kind="stable")[:4000]:
        if len(choices) >= most:
            break
        take(int(place), "rest", 0.9)
    return choices


def _groups(values: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """Which rows have the same value, where there are few different ones."""
    distinct, groups = np.unique(values, return_inverse=True)
    return groups.reshape(-1).astype(np.int64) if len(distinct) <= _FEW_LEVELS else None


def _follows(groups: npt.NDArray[np.int64], finer: npt.NDArray[np.int64]) -> bool:
    """Whether rows that agree in the one agree in the other."""
    return len(np.unique(finer * _FEW_LEVELS + groups)) == len(np.unique(finer))


def _greedy(search: Search, threshold: float) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < _PICKS:
        gains = search.gains(chosen)
        best = _next(search, gains)
        if gains[best] < threshold:
            break
        chosen.append(best)
        if len(chosen) >= 3:
            chosen = _swap(search, chosen, rounds=1)
    return chosen


def _swap(search: Search, chosen: list[int], *, rounds: int = 3) -> list[int]:
    """Replace single ones as long as the likelihood rises."""
    value = search.value(chosen)
    for _ in range(rounds):
        changed = False
        for number in range(len(chosen)):
            others = chosen[:number] + chosen[number + 1 :]
            gains = search.gains(others)
            for candidate in np.argsort(-gains, kind="stable")[:3]:
                if int(candidate) in chosen:
                    continue
                trial = search.value([*others, int(candidate)])
                if trial > value + 0.5:
                    chosen = [*others[:number], int(candidate), *others[number:]]
                    value, changed = trial, True
                    break
        if not changed:
            break
    return chosen


def _split(search: Search, chosen: list[int]) -> list[int]:
    """Replace combined columns by two simple ones that explain as much: insights are counted one by one."""
    for column in [column for column in chosen if not search.simple[column]]:
        if len(chosen) > _PICKS:
            break
        others = [other for other in chosen if other != column]
        parts: list[int] = []
        for _ in range(2):
            gains = np.where(search.simple, search.gains([*others, *parts]), -1.0)
            parts.append(int(np.argmax(gains)))
        place = chosen.index(column)
        trial = [*others[:place], *parts, *others[place:]]
        if len(set(trial)) == len(trial) and search.value(trial) > search.value(chosen) - _TOLERATED:
            chosen = trial
    return chosen


def _drop(search: Search, chosen: list[int], least: float) -> list[int]:
    """Drop columns that the others make redundant."""
    while len(chosen) > 1:
        value = search.value(chosen)
        losses = [value - search.value(chosen[:n] + chosen[n + 1 :]) for n in range(len(chosen))]
        worst = int(np.argmin(losses))
        if losses[worst] > least:
            break
        chosen = chosen[:worst] + chosen[worst + 1 :]
    return chosen


def _hedges(search: Search, chosen: list[int]) -> list[list[int]]:
    """The columns that could replace each chosen one, ordered by the loss of likelihood."""
    queues: list[list[int]] = []
    for number, column in enumerate(chosen):
        others = chosen[:number] + chosen[number + 1 :]
        gains = search.gains(others)
        own = gains[column]
        best = search.better_half(gains)
        alike = search.alike(column)
        places = [int(place) for place in np.argsort(-best, kind="stable")[:300] if alike[place] >= 0.3]
        losses = [
            (float((own - best[place]) / max(own, 1e-9)) + _PLAINER * float(search.costs[place]), place)
            for place in places
        ]
        queues.append([place for loss, place in sorted(losses) if loss <= _MOST_LOST])
    return queues
