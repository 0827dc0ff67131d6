"""Nonconformity scores: how strange each class would be, from a matrix of probabilities; inputs are never changed.

Equal probabilities get equal scores: where ranks decide, the rank is that of the last of them. All scores are computed
in double precision, whatever the probabilities came in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.conformal.sets.checks import FloatArray, IntArray, as_probabilities
from assay.core import Call, InvalidInput, UnknownName, parse_call

__all__ = ["SCORES", "Score", "aps", "hinge", "margin", "parse_score", "pip", "raps", "top_k"]

_LARGEST = 1e15  # of parameters


def hinge(probabilities: Any) -> FloatArray:
    r"""One minus the probability of the class (also known as LAC).

    $$s_c = 1 - p_c$$

    >>> hinge([[0.75, 0.25]]).tolist()
    [[0.25, 0.75]]
    """
    return 1.0 - _matrix(probabilities)


def margin(probabilities: Any) -> FloatArray:
    r"""The largest probability of another class, minus that of the class; 0 stands in for another class of one.

    $$s_c = \max_{j \neq c} p_j - p_c$$

    >>> margin([[0.75, 0.25]]).tolist()
    [[-0.5, 0.5]]
    """
    p = _matrix(probabilities)
    if p.shape[1] == 1:
        return -p
    second, first = np.partition(p, -2, axis=1)[:, -2:].T
    scores: FloatArray = np.where(p == first[:, None], second[:, None], first[:, None]) - p
    return scores


def pip(probabilities: Any, *, own: bool = True) -> FloatArray:
    r"""The hinge score, plus a penalty for every class that is more likely, the less the later it comes.

    $$s_c = 1 - p_c + \sum_{r=1}^{\mathrm{rank}(c)} \frac{p_{(r)}}{r}$$

    With ``own=True`` the sum includes the class's own rank, and the likeliest class always scores exactly 1; with
    ``own=False`` it runs over the classes that are strictly more likely.

    >>> pip([[0.5, 0.25, 0.25]]).round(4).tolist(), pip([[0.5, 0.25, 0.25]], own=False).tolist()
    ([[1.0, 1.4583, 1.4583]], [[0.5, 1.25, 1.25]])
    """
    p = _matrix(probabilities)
    ranked = _ranked(p)
    penalties = np.cumsum(ranked.values / np.arange(1, p.shape[1] + 1), axis=1)
    if not own:
        penalties = np.concatenate([np.zeros((len(p), 1)), penalties], axis=1)
    # exactly 1, as the definition says: rounding must not split the likeliest classes of different samples
    scores = 1.0 - p + _scatter(ranked, np.take_along_axis(penalties, ranked.last if own else ranked.first, axis=1))
    return np.where(_rank(ranked) == 1, 1.0, scores) if own else scores


def aps(probabilities: Any, *, uniform: npt.ArrayLike | None = None) -> FloatArray:
    r"""The probability of all classes that are at least as likely (adaptive prediction sets).

    $$s_c = \sum_{j : p_j \geq p_c} p_j, \qquad
    \text{randomised: } \sum_{j : p_j > p_c} p_j + u \sum_{j : p_j = p_c} p_j$$

    ``uniform`` holds a number from 0 to 1 per sample; it removes the over-coverage of the plain form.

    >>> aps([[0.5, 0.25, 0.25]]).tolist(), aps([[0.5, 0.25, 0.25]], uniform=[0.5]).tolist()
    ([[0.5, 1.0, 1.0]], [[0.25, 0.75, 0.75]])
    """
    p = _matrix(probabilities)
    ranked = _ranked(p)
    return _scatter(ranked, _cumulated(ranked, uniform))


def raps(
    probabilities: Any, *, penalty: float = 0.01, k_reg: int = 1, uniform: npt.ArrayLike | None = None
) -> FloatArray:
    r"""APS with a penalty for every rank beyond the first few (regularised adaptive prediction sets).

    $$s_c = \mathrm{APS}_c + \lambda \max(0, \mathrm{rank}(c) - k_\mathrm{reg})$$

    >>> raps([[0.5, 0.25, 0.25]], penalty=0.5, k_reg=1).tolist()
    [[0.5, 2.0, 2.0]]
    """
    if isinstance(penalty, bool) or not isinstance(penalty, int | float | np.number) or not 0 <= penalty <= _LARGEST:
        raise InvalidInput(f"raps: penalty must be a number of at least 0, got {penalty!r}.")
    if isinstance(k_reg, bool) or not isinstance(k_reg, int) or not 0 <= k_reg <= _LARGEST:
        raise InvalidInput(f"raps: k_reg must be a whole number of at least 0, got {k_reg!r}.")
    ranked = _ranked(_matrix(probabilities))
    cumulated = _scatter(ranked, _cumulated(ranked, uniform))
    scores: FloatArray = cumulated + penalty * np.maximum(0, _rank(ranked) - k_reg)
    return scores


def top_k(probabilities: Any) -> FloatArray:
    r"""The rank of the class, 1 for the likeliest: every set holds the same number of classes.

    $$s_c = |\{j : p_j \geq p_c\}|$$

    >>> top_k([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2]]).tolist()
    [[3.0, 1.0, 2.0], [2.0, 2.0, 3.0]]
    """
    return _rank(_ranked(_matrix(probabilities)))


class _Ranked(NamedTuple):
    """Classes from the likeliest on; for each place the first and last place with the same probability."""

    order: IntArray
    values: FloatArray
    first: IntArray
    last: IntArray


def _ranked(p: FloatArray) -> _Ranked:
    order = np.argsort(-p, axis=1, kind="stable")
    values = np.take_along_axis(p, order, axis=1)
    places = np.broadcast_to(np.arange(p.shape[1]), p.shape)
    new = np.ones(p.shape, dtype=np.bool_)
    new[:, 1:] = values[:, 1:] != values[:, :-1]
    ends = np.ones(p.shape, dtype=np.bool_)
    ends[:, :-1] = new[:, 1:]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, places, p.shape[1])[:, ::-1], axis=1)[:, ::-1]
    return _Ranked(order, values, first, last)


def _scatter(ranked: _Ranked, by_place: npt.NDArray[Any]) -> FloatArray:
    """Values by place as values by class."""
    by_class = np.empty(ranked.values.shape)
    np.put_along_axis(by_class, ranked.order, by_place, axis=1)
    return by_class


def _rank(ranked: _Ranked) -> FloatArray:
    return _scatter(ranked, ranked.last + 1)


def _cumulated(ranked: _Ranked, uniform: npt.ArrayLike | None) -> FloatArray:
    sums = np.cumsum(ranked.values, axis=1)
    upper = np.take_along_axis(sums, ranked.last, axis=1)
    if uniform is None:
        return upper
    u = np.asarray(uniform, dtype=np.float64)
    if u.shape != (len(sums),) or not ((u >= 0) & (u <= 1)).all():
        raise InvalidInput(f"uniform: give one number from 0 to 1 for each of the {len(sums)} samples.")
    lower = np.take_along_axis(np.concatenate([np.zeros((len(sums), 1)), sums], axis=1), ranked.first, axis=1)
    randomised: FloatArray = lower + u[:, None] * (upper - lower)
    return randomised


def _matrix(probabilities: Any) -> FloatArray:
    (matrix,) = as_probabilities([probabilities])
    return matrix.astype(np.float64)


SCORES: Mapping[str, Callable[..., FloatArray]] = {
    "hinge": hinge,
    "margin": margin,
    "pip": pip,
    "aps": aps,
    "raps": raps,
    "top_k": top_k,
}
_PARAMETERS = {"pip": ("own",), "aps": ("randomized",), "raps": ("penalty", "k_reg", "randomized")}
_ALIASES = {"lac": "hinge", "topk": "top_k", "top-k": "top_k"}


@dataclass(frozen=True, slots=True)
class Score:
    """A score by name with its parameters; its text is canonical and can be read again by :func:`parse_score`."""

    call: Call

    def __str__(self) -> str:
        return str(self.call)

    @property
    def by_probability(self) -> bool:
        """Whether a class is in the set exactly when its probability is large enough."""
        return self.call.name == "hinge"

    def __call__(self, probabilities: Any, rng: np.random.Generator) -> FloatArray:
        """Scores of every class; the generator is used by randomised scores only."""
        parameters: dict[str, Any] = dict(self.call.parameters)
        if parameters.pop("randomized", False):
            parameters["uniform"] = rng.uniform(size=len(probabilities))
        return SCORES[self.call.name](probabilities, **parameters)


def parse_score(text: str | Score) -> Score:
    """Read ``hinge``, ``pip(own=False)``, ``raps(penalty=0.1, k_reg=2)``, ``aps(randomized=True)`` and the like.

    >>> str(parse_score("raps( k_reg=2 )")), str(parse_score("lac"))
    ('raps(k_reg=2)', 'hinge')
    """
    if isinstance(text, Score):
        return text
    call = parse_call(str(text))
    name = _ALIASES.get(call.name, call.name)
    if name not in SCORES:
        raise UnknownName("score", call.name, (*SCORES, *_ALIASES))
    for parameter in call.parameters:
        if parameter not in _PARAMETERS.get(name, ()):
            raise UnknownName(f"parameter of score {name!r}", parameter, _PARAMETERS.get(name, ()))
    score = Score(Call(name, call.parameters))
    score([[0.5, 0.5]], np.random.default_rng(0))  # a bad parameter is refused now, not at the first use
    return score
