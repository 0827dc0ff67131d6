"""Answers of the cases track, and their bytes: JSON that a person can write by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import LARGEST, FloatArray, IntArray
from assay.core import InvalidInput
from assay.core.display import counted
from assay.intake.answers import no_answer, parse_answer
from assay.intake.fields import demand_known_keys

__all__ = ["CasesAnswer", "decode", "encode"]

_ENTRY = {"scores": "score", "unfamiliarity": "entry", "suspicion": "entry"}
_KEYS = ("scores", "neighbors", "unfamiliarity", "suspicion")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CasesAnswer:
    """What a subject of the cases track gives: a score per query, and the cases it rests on, if any.

    Parameters
    ----------
    scores : array of n numbers
        One per query, higher for more trust that its prediction is right.
    neighbors : array of shape (n, k), optional
        Rows of the training cases that the score rests on. Whatever can be computed from them is computed again.
    unfamiliarity : array of n numbers, optional
        Higher for a query that is less like the training cases; judged where a problem has planted such queries.
    suspicion : array of one number per training case, optional
        Higher for a label that is more likely wrong; judged where a problem has changed labels.

    Raises
    ------
    InvalidInput
        When lengths do not fit together, or a number is not finite.

    Examples
    --------
    >>> CasesAnswer(scores=[0.5, 1.0], neighbors=[[3], [0]]) == decode(b'{"scores": [0.5, 1], "neighbors": [[3], [0]]}')
    True
    >>> CasesAnswer(scores=[float("nan")])
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: scores[0] is nan; every score must be a finite number.
    """

    scores: FloatArray
    neighbors: IntArray | None = None
    unfamiliarity: FloatArray | None = None
    suspicion: FloatArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", _as_scores(self.scores, "scores"))
        if self.neighbors is not None:
            object.__setattr__(self, "neighbors", _as_neighbors(self.neighbors, len(self.scores)))
        if self.unfamiliarity is not None:
            object.__setattr__(self, "unfamiliarity", _as_scores(self.unfamiliarity, "unfamiliarity"))
            if len(self.unfamiliarity) != len(self.scores):
                raise InvalidInput(
                    f"answer: unfamiliarity has {len(self.unfamiliarity)} entries for {len(self.scores)} scores; give "
                    "one per query."
                )
        if self.suspicion is not None:
            object.__setattr__(self, "suspicion", _as_scores(self.suspicion, "suspicion"))

    def __repr__(self) -> str:
        named = "" if self.neighbors is None else f", {counted(self.neighbors.shape[1], 'neighbor')} each"
        further = [name for name in ("unfamiliarity", "suspicion") if getattr(self, name) is not None]
        return f"CasesAnswer({counted(len(self.scores), 'score')}{named}{''.join(f', {name}' for name in further)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CasesAnswer):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in _KEYS)

    __hash__ = None  # type: ignore[assignment]  # arrays have none


def _same(a: npt.NDArray[Any] | None, b: npt.NDArray[Any] | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _as_scores(values: Any, name: str) -> FloatArray:
    of = "case" if name == "suspicion" else "query"
    array = _rectangle(values, name, ndim=1, kinds="iuf", expected=f"a list of numbers, one per {of}")
    scores = array.astype(np.float64)
    bad = ~(np.abs(scores) < LARGEST)
    if bad.any():
        where = int(np.argmax(bad))
        limit = f" within ±{LARGEST:g}" if np.isfinite(scores[where]) else ""
        raise InvalidInput(
            f"answer: {name}[{where}] is {scores[where]}; every {_ENTRY[name]} must be a finite number{limit}."
        )
    return scores


def _as_neighbors(values: Any, queries: int) -> IntArray:
    expected = "one list of case numbers per query, all of one length"
    array = _rectangle(values, "neighbors", ndim=2, kinds="iu", expected=expected)
    if len(array) != queries:
        raise InvalidInput(f"answer: neighbors has {len(array)} rows for {queries} scores; give one row per query.")
    if queries and not array.shape[1]:
        raise InvalidInput("answer: neighbors names no case; give at least one per query, or leave neighbors out.")
    if array.size and array.max() > np.iinfo(np.int64).max:
        raise InvalidInput(f"answer: neighbors names case {array.max()}, which no case base has.")
    return array.astype(np.int64)


def _rectangle(values: Any, name: str, *, ndim: int, kinds: str, expected: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):
        raise InvalidInput(f"answer: {name} must be {expected}; its rows differ in length.") from None
    if array.size == 0 and array.ndim < ndim:
        array = array.reshape((0,) * ndim)
    if array.ndim != ndim or (array.size and array.dtype.kind not in kinds):
        raise InvalidInput(f"answer: {name} must be {expected}; got {array.dtype} of shape {array.shape}.")
    return array


def encode(answer: CasesAnswer | npt.ArrayLike) -> bytes:
    """The answer as JSON; floats are written so that they come back as they were. Scores alone are an answer, too.

    >>> encode([0.5, 1.0])
    b'{"scores":[0.5,1.0]}'
    """
    if isinstance(answer, list | tuple | np.ndarray):
        answer = CasesAnswer(scores=answer)  # type: ignore[arg-type]  # made an array, and checked
    if not isinstance(answer, CasesAnswer):
        raise no_answer(answer, wanted="a list or array of numbers, one score per query, or a CasesAnswer")
    arrays = {name: getattr(answer, name) for name in _KEYS}
    body = {name: array.tolist() for name, array in arrays.items() if array is not None}
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def decode(data: bytes) -> CasesAnswer:
    """Read an answer from untrusted bytes; whatever is wrong with them is an InvalidInput.

    >>> decode(b'{"scores": [1, 0.25]}').scores.tolist()
    [1.0, 0.25]
    """
    body = parse_answer(data, finite="every score must be a finite number")
    if not isinstance(body, dict):
        raise InvalidInput(f'answer: must be an object {{"scores": [...]}}, got {type(body).__name__}.')
    demand_known_keys(body, _KEYS, what="answer")
    if "scores" not in body:
        raise InvalidInput("answer: 'scores' is missing; give a list of numbers, one per query.")
    neighbors = body.get("neighbors")
    for key in ("scores", "unfamiliarity", "suspicion"):
        if key == "scores" or body.get(key) is not None:
            _demand_list(body[key], key, (int, float))
    if neighbors is not None:
        _demand_list(neighbors, "neighbors", (list,))
        for place, row in enumerate(neighbors):
            _demand_list(row, f"neighbors[{place}]", (int,))
    return CasesAnswer(**body)


def _demand_list(values: Any, name: str, kinds: tuple[type, ...]) -> None:
    if type(values) is not list:
        raise InvalidInput(f"answer: {name} must be a list, got {type(values).__name__}.")
    for place, value in enumerate(values):
        if type(value) not in kinds:  # exactly: true is no number here
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise InvalidInput(f"answer: {name}[{place}] must be {expected}, got {type(value).__name__}.")
