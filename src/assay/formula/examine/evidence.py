"""What examination found out about an answer; metrics and details read nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assay.formula.equivalence.certificate import Equivalence, Verdict
from assay.formula.expression.expression import Expression
from assay.formula.expression.program import FloatArray
from assay.formula.problem.task import Property, Role

__all__ = ["FormulaEvidence", "FrontModel", "Judged", "PartEvidence"]


class FrontModel(NamedTuple):
    """A model of the subject's Pareto set: its text, size, R² on the test part, and its verdict where there is one."""

    formula: str
    nodes: int
    r2: float
    verdict: Verdict | None
    trouble: str = ""  # why it could not be used; such a model is left out of the front


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judged:
    """The model that the subject stands by: as written and simplified, what it uses, and how it relates to the truth.

    A model without a formula has none of these: ``formula`` is empty, ``expression`` and ``simplified`` are None.
    ``equivalence`` is None without a truth; ``said`` and ``computed`` are the subject's own predictions on training
    rows and the values of its formula there, None when it gave none.
    """

    formula: str
    expression: Expression | None
    simplified: Expression | None
    simplification: str  # the method, with the reason where it was not sympy's
    used: tuple[str, ...]
    train_r2: float
    equivalence: Equivalence | None
    said: FloatArray | None = None
    computed: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartEvidence:
    """What was found from one training table, with its values on the test and the extrapolation partition."""

    noise: float
    model: Judged
    test: FloatArray
    extrapolation: FloatArray | None
    front: tuple[FrontModel, ...]
    target: FloatArray  # of the training rows to which ``said`` belongs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FormulaEvidence:
    """What metrics of the formula track read: all parts of an answer beside the noise-free targets.

    Attributes
    ----------
    property : str
        The property that the problem was made for.
    truth : str or None
        The true formula.
    roles : mapping of str to str
        What each variable is for.
    test_target : ndarray of shape (rows,)
        The target of the test rows, free of noise.
    extrapolation_target : ndarray or None
        That of the rows outside of the training box.
    parts : tuple of PartEvidence
        For each training table the model and its values on the test and extrapolation rows.
    truth_test : ndarray or None
        The values of the true formula on the test rows; None where it is not known.

    Examples
    --------
    >>> import numpy as np
    >>> evidence = FormulaEvidence(
    ...     property="features", truth="x1", roles={"x1": "relevant", "x2": "irrelevant"},
    ...     test_target=np.array([1.0, 2.0]), extrapolation_target=None, parts=(),
    ... )
    >>> evidence.having("irrelevant")
    ('x2',)
    """

    property: Property
    truth: str | None
    roles: Mapping[str, Role]
    test_target: FloatArray
    extrapolation_target: FloatArray | None
    parts: tuple[PartEvidence, ...]
    truth_test: FloatArray | None = None

    def having(self, role: Role) -> tuple[str, ...]:
        """The variables of that role."""
        return tuple(name for name, actual in self.roles.items() if actual == role)
