"""The regressor of our own, as an estimator and as a subject, and what simplifies the formulas of other subjects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from assay.core import Budget, NamedSubject, UnknownName
from assay.core.arrays import FloatArray
from assay.core.calls import parse_call
from assay.formula.answer.answer import FormulaAnswer, Model
from assay.formula.expression.expression import to_text
from assay.formula.expression.parser import parse
from assay.formula.problem.task import FormulaTask
from assay.formula.subjects.adapter import Adapter, Candidate
from assay.formula.subjects.genetic import Gplearn
from assay.formula.subjects.linear import Linear
from assay.formula.subjects.operon import Operon
from assay.formula.subjects.polynomial import Polynomial
from assay.formula.subjects.pysr import PySr
from assay.formula.subjects.sindy import Sindy

if TYPE_CHECKING:
    from assay.formula.discovery.estimator import Discover

__all__ = ["ADAPTERS", "Discovery", "Snap", "discover"]

_SHARE, _SIMPLIFIED = 0.7, 4  # of the seconds, for the wrapped subject; models of a front that are simplified
ADAPTERS: Mapping[str, Callable[..., Adapter]] = MappingProxyType(
    {
        "linear": Linear,
        "polynomial": Polynomial,
        "gplearn": Gplearn,
        "pyoperon": Operon,
        "pysindy": Sindy,
        "pysr": PySr,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery(Adapter):
    """Finds a formula in stages; uses all of its time, or ``seconds`` for a table, unless a formula is exact."""

    title = "discover"
    seconds: int = 600  # at most, where the budget has more

    @property
    def libraries(self) -> tuple[str, ...]:
        """PyOperon, where it is there to give seeds."""
        return ("pyoperon",) if find_spec("pyoperon") else ()

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The chosen model first, then the front."""
        from assay.formula.discovery.search import search

        outcome = search(inputs, target, seconds=min(seconds, self.seconds), seed=seed)
        return [Candidate(entry.expression, entry.error) for entry in outcome.models]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snap(NamedSubject):
    """Another subject's formulas: constants fitted again, parts deleted that the data do not ask for, numbers snapped.

    The simplified formula comes first and the one that was given behind it, so that an answer shows what changed.
    """

    title = "snap"
    always = ("subject",)
    subject: str = "pyoperon"

    def __post_init__(self) -> None:
        self._wrapped()

    def _wrapped(self) -> Adapter:
        call = parse_call(self.subject)
        if call.name not in ADAPTERS:
            raise UnknownName("subject that snap can wrap", call.name, ADAPTERS)
        return ADAPTERS[call.name](**call.parameters)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Those of the subject that it wraps."""
        return self._wrapped().libraries

    def solve(self, task: FormulaTask, budget: Budget, /) -> FormulaAnswer:
        """The wrapped subject's fronts, each model behind its simpler form."""
        answer = self._wrapped().solve(task, replace(budget, seconds=_SHARE * budget.seconds))
        fronts = []
        for part, front in zip(task.parts, answer.fronts, strict=True):
            columns = dict(zip(task.variables, part.inputs.T, strict=True))
            simpler = [_simpler(model.formula, columns, part.target) for model in front[:_SIMPLIFIED]]
            texts = dict.fromkeys([*simpler[:1], *(model.formula for model in front[:1]), *simpler[1:]])
            rest = (model.formula for model in front[1:] if model.formula not in texts)
            fronts.append(tuple(Model(formula=text) for text in (*texts, *rest)))
        return FormulaAnswer(fronts=tuple(fronts))


def _simpler(text: str, columns: Mapping[str, FloatArray], target: FloatArray) -> str:
    """The formula simplified, or as it is where it has no values to go by."""
    from assay.formula.discovery.fitting import fit_constants, without_weak_parts
    from assay.formula.discovery.simplification import folded
    from assay.formula.discovery.snapping import snapped

    fit = fit_constants(folded(parse(text, names=list(columns), dialect="plain")), columns, target)
    if not np.isfinite(fit.error):
        return text
    short = without_weak_parts(fit, columns, target, floor=1e-22 * float(np.var(target)))
    return to_text(snapped(short, columns, target).expression)


def discover(
    *,
    seconds: float = 30.0,
    stages: Sequence[str] | None = None,
    units: Sequence[str] | None = None,
    target_unit: str | None = None,
    random_state: int | None = None,
) -> Discover:
    """A symbolic regressor in scikit-learn's manner.

    Fitted, it has ``formula_`` (the text), ``front_`` (the models that no other beats in both size and error),
    ``explanation_`` (which stage found the formula, why the search ended, R² on held-out rows with an interval, where
    the formula may fail), ``log_``, ``sympy()`` and ``latex()``.

    Parameters
    ----------
    seconds : float, default 30.0
        How long it may search; it ends sooner when a formula is exact up to rounding.
    stages : sequence of str, optional
        The stages to run, of ``power``, ``rational``, ``units``, ``redundancy``, ``products``, ``terms``,
        ``quotients``, ``couples``, ``pairs``, ``transforms``, ``symmetry``, ``operon``, ``vary``, ``inside``,
        ``nested`` and ``swaps``; all by default.
    units : sequence of str, optional
        The unit of every column, such as ``"kg*m/s**2"`` or ``"N"``, ``"1"`` for a plain number. With them the search
        also looks at groups of columns without a unit, which are fewer.
    target_unit : str, optional
        The unit of the target; needed with ``units``.
    random_state : int, optional
        Random seed of the held-out rows; 0 by default.

    Returns
    -------
    Discover
        An estimator with ``fit(X, y)`` and ``predict(X)``.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).uniform(1, 5, (60, 2))
    >>> discover(seconds=5).fit(rows, 0.5 * rows[:, 0] * rows[:, 1] ** 2).formula_
    '0.5*x0*x1**2'
    """
    from assay.formula.discovery.estimator import Discover

    return Discover(seconds=seconds, stages=stages, units=units, target_unit=target_unit, random_state=random_state)
