"""Answers of the formula track, and their bytes: formulas as text, in JSON that a person can write by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from assay.core import InvalidInput
from assay.core.display import counted, object_html, shortened
from assay.formula.expression.program import FloatArray
from assay.formula.expression.typesetting import typeset_text
from assay.intake.answers import no_answer, parse_answer
from assay.intake.fields import demand_known_keys

__all__ = ["ACCEPTED", "CHECKED_ROWS", "LONGEST_FORMULA", "FormulaAnswer", "Model", "decode", "encode"]

ACCEPTED = "the text of a formula, as 'x0 * x1', a sympy expression, a list of them, best first, or a FormulaAnswer"
LONGEST_FORMULA = 4_000_000  # characters; what is longer than the parser takes is still recorded with its reason
CHECKED_ROWS = 100
_MOST_TEST_ROWS = 10_000_000
_MOST_MODELS = 1000
_MOST_PARTS = 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A formula, and what the subject's own predict() says on the first training rows (up to 100) of its part.

    Parameters
    ----------
    formula : str
        The formula as text, in any dialect that Assay reads; empty for a model that has none.
    predictions : array-like of shape (n,), optional
        What the subject's own ``predict`` says on the first training rows, at most 100.
    test_predictions : array-like of shape (n,), optional
        Of a model without a formula: what it predicts of ``task.test_inputs``. It is judged by its accuracy alone.

    Raises
    ------
    InvalidInput
        The formula is too long, there is neither a formula nor test predictions, or the predictions are no list of
        numbers.

    Examples
    --------
    >>> Model(formula="x0 + 1", predictions=[1.0, 2.5]).predictions.tolist()
    [1.0, 2.5]
    """

    formula: str = ""
    predictions: FloatArray | None = None
    test_predictions: FloatArray | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.formula, str) or not (self.formula.strip() or self.test_predictions is not None):
            raise InvalidInput(f"answer: a model must be the text of a formula, got {self.formula!r:.80}.")
        if len(self.formula) > LONGEST_FORMULA:
            raise InvalidInput(f"answer: a formula of {len(self.formula)} characters; {LONGEST_FORMULA} are allowed.")
        object.__setattr__(self, "formula", self.formula.strip())
        if self.predictions is not None:
            object.__setattr__(
                self, "predictions", _as_predictions(self.predictions, most=CHECKED_ROWS, of="training rows")
            )
        if self.test_predictions is not None:
            if self.formula:
                raise InvalidInput("answer: test_predictions are for a model without a formula; leave one of both out.")
            object.__setattr__(
                self, "test_predictions", _as_predictions(self.test_predictions, most=_MOST_TEST_ROWS, of="test rows")
            )

    def __repr__(self) -> str:
        if self.test_predictions is not None:
            return f"Model(no formula, {counted(len(self.test_predictions), 'test prediction')})"
        predictions = "" if self.predictions is None else f", {counted(len(self.predictions), 'prediction')}"
        return f"Model({shortened(self.formula)!r}{predictions})"

    def _repr_html_(self) -> str:
        return typeset_text(self.formula) if self.formula else repr(self)

    def __eq__(self, other: object) -> bool:
        return _plain_model(self) == _plain_model(other) if isinstance(other, Model) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # arrays have none


def _as_predictions(predictions: npt.ArrayLike, *, most: int, of: str) -> FloatArray:
    try:
        values = np.array(predictions, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput("answer: predictions must be a list of numbers, one per row.") from None
    if values.ndim != 1:
        raise InvalidInput(f"answer: predictions must be a list of numbers, one per row; got shape {values.shape}.")
    if len(values) > most:
        raise InvalidInput(f"answer: {len(values)} predictions; give those of the first {most} {of} only.")
    values[~np.isfinite(values)] = np.nan  # JSON has one value for all that is no number
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaAnswer:
    """For every part of the task the models found there: the one the subject stands by first, then its Pareto set.

    Parameters
    ----------
    fronts : sequence of sequences of Model or str
        For every part of the task its models, best first.

    Raises
    ------
    InvalidInput
        A part has no model, or what is given is no list of lists.

    Examples
    --------
    >>> FormulaAnswer(fronts=[["x0 + x1", "x0"]]) == FormulaAnswer.of("x0 + x1", "x0")
    True
    >>> FormulaAnswer(fronts=[[]])
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: part 0 has no model; give at least one formula.
    """

    fronts: tuple[tuple[Model, ...], ...]

    def __post_init__(self) -> None:
        fronts: Any = self.fronts
        if isinstance(fronts, str) or not isinstance(fronts, Sequence) or not 1 <= len(fronts) <= _MOST_PARTS:
            raise InvalidInput(f"answer: fronts must be a list with one list of models per part, got {fronts!r:.80}.")
        object.__setattr__(self, "fronts", tuple(_as_front(front, place) for place, front in enumerate(fronts)))

    def __repr__(self) -> str:
        first = ", ".join(repr(shortened(front[0].formula)) for front in self.fronts[:2])
        more = ", …" if len(self.fronts) > 2 else ""
        return f"FormulaAnswer({first}{more}; {self._size()})"

    def _repr_html_(self) -> str:
        rows = (
            (part, place, Markup(typeset_text(model.formula)))
            for part, front in enumerate(self.fronts)
            for place, model in enumerate(front, start=1)
        )
        total = sum(map(len, self.fronts))
        return object_html(f"Answer: {self._size()}", {}, columns=("part", "model", "formula"), rows=rows, total=total)

    def _size(self) -> str:
        return f"{counted(sum(map(len, self.fronts)), 'model')} for {counted(len(self.fronts), 'part')}"

    @classmethod
    def of(cls, *models: Model | str) -> FormulaAnswer:
        """The answer to a task with one part."""
        return cls(fronts=(models,))  # type: ignore[arg-type]  # texts become models


def _as_front(models: Any, part: int) -> tuple[Model, ...]:
    if isinstance(models, str | Model) or not isinstance(models, Sequence):
        raise InvalidInput(f"answer: part {part} must be a list of models, got {type(models).__name__}.")
    if not models:
        raise InvalidInput(f"answer: part {part} has no model; give at least one formula.")
    if len(models) > _MOST_MODELS:
        raise InvalidInput(f"answer: part {part} has {len(models)} models; {_MOST_MODELS} are allowed.")
    return tuple(model if isinstance(model, Model) else Model(formula=model) for model in models)


def encode(answer: FormulaAnswer | Model | str | Sequence[Model | str]) -> bytes:
    """The answer as JSON; numbers are written so that they come back as they were.

    A formula, or a list of them, best first, is the answer to a task with one part.

    >>> encode("x0 + 1")
    b'{"parts":[["x0 + 1"]]}'
    """
    if isinstance(answer, str | Model):
        answer = FormulaAnswer.of(answer)
    elif isinstance(answer, list | tuple) and answer and all(isinstance(entry, str | Model) for entry in answer):
        answer = FormulaAnswer.of(*answer)
    if not isinstance(answer, FormulaAnswer):
        raise no_answer(answer, wanted=ACCEPTED)
    body = {"parts": [[_plain_model(model) for model in front] for front in answer.fronts]}
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def _plain_model(model: Model) -> Any:
    if model.test_predictions is not None:
        return {"test_predictions": _plain_numbers(model.test_predictions)}
    if model.predictions is None:
        return model.formula
    return {"formula": model.formula, "predictions": _plain_numbers(model.predictions)}


def _plain_numbers(values: FloatArray) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def decode(data: bytes) -> FormulaAnswer:
    """Read an answer from untrusted bytes; whatever is wrong with them is an InvalidInput.

    ``{"parts": [[model, ...], ...]}`` holds one list of models per part; ``{"models": [model, ...]}`` is short for one
    part. A model is a text or ``{"formula": text, "predictions": [...]}``; one without a formula is
    ``{"test_predictions": [...]}``.

    >>> decode(b'{"models": ["x0 + 1"]}').fronts[0][0].formula
    'x0 + 1'
    """
    body = parse_answer(data, finite="write null for a prediction that is not a number")
    if not isinstance(body, dict):
        raise InvalidInput(f'answer: must be an object {{"parts": [[...]]}}, got {type(body).__name__}.')
    demand_known_keys(body, ("parts", "models"), what="answer")
    if len(body) != 1:
        raise InvalidInput("answer: must hold either 'parts' or 'models'.")
    parts = body["parts"] if "parts" in body else [body["models"]]
    if not isinstance(parts, list) or not all(isinstance(part, list) for part in parts):
        raise InvalidInput("answer: 'parts' must be a list with one list of models per part.")
    return FormulaAnswer(fronts=tuple(tuple(_read_model(model) for model in part) for part in parts))


def _read_model(body: Any) -> Model:
    if isinstance(body, str):
        return Model(formula=body)
    if isinstance(body, dict) and body.keys() == {"test_predictions"}:
        return Model(test_predictions=_read_numbers(body["test_predictions"], "test_predictions"))
    if not isinstance(body, dict) or "formula" not in body or not body.keys() <= {"formula", "predictions"}:
        raise InvalidInput("answer: a model must be a text, or an object with 'formula' and maybe 'predictions'.")
    if body.get("predictions") is None:
        return Model(formula=body["formula"])
    return Model(formula=body["formula"], predictions=_read_numbers(body["predictions"], "predictions"))


def _read_numbers(entries: Any, key: str) -> FloatArray:
    if not isinstance(entries, list) or not all(value is None or type(value) in (int, float) for value in entries):
        raise InvalidInput(f"answer: {key!r} must be a list of numbers, null where there is none.")
    try:
        return np.array([np.nan if value is None else float(value) for value in entries])
    except OverflowError:
        raise InvalidInput(f"answer: {key!r} holds a number that is too large.") from None
