"""Whether a model is the truth: refute numerically, confirm with a certificate, and never hang."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.core import InvalidInput
from assay.formula.equivalence.certificate import POSITIVE, Equivalence
from assay.formula.equivalence.closeness import canonical_closeness
from assay.formula.equivalence.comparator import Comparator
from assay.formula.equivalence.reading import read_model, read_truth
from assay.formula.equivalence.sampling import Domain, check_domain
from assay.formula.expression.dialects import DialectName
from assay.formula.expression.expression import Expression
from assay.formula.expression.program import Program

__all__ = ["equivalent"]


def equivalent(
    truth: str | Expression,
    model: str | Expression,
    *,
    domain: Domain | None = None,
    names: Sequence[str] | None = None,
    dialect: DialectName = "auto",
    seed: int = 0,
    seconds: float = 5.0,
    symbolic: bool = False,
) -> Equivalence:
    """Compare a model with the truth.

    Parameters
    ----------
    truth : str or Expression
        The true formula.
    model : str or Expression
        The formula to judge.
    domain : mapping of str to (float, float), optional
        Where the formulas live, as ``{"x": (0, 5)}``; by default boxes of positive numbers are tried.
    names : sequence of str, optional
        The variables of the data in their order, for models that count columns; by default those of the domain, else
        those of the truth.
    dialect : {"auto", "plain", "gplearn", "operon", "pysr"}, default "auto"
        How the model is written.
    seed : int, default 0
        Seed of the points at which the formulas are compared.
    seconds : float, default 5.0
        The processor time that refitting may take, and what sympy may take by the clock.
    symbolic : bool, default False
        Add a proof where one is found, and simplify with sympy for the closeness, in a process of its own that is ended
        after ``seconds``.

    Returns
    -------
    Equivalence
        The verdict with its certificate.

    Raises
    ------
    InvalidInput
        The truth cannot be read, or has no value on the domain.

    Examples
    --------
    >>> equivalent("x**2 + y", "y + x*x").verdict
    'identical'
    >>> equivalent("k*x", "0.5*k*x + 3").verdict
    'affine'
    >>> equivalent("exp(-x**2/2)", "exp(-0.503*x**2)").verdict
    'form'
    >>> equivalent("x + y", "x - y").verdict, equivalent("x", "sqrt(-x)").verdict, equivalent("x", "x +").verdict
    ('different', 'undefined', 'unparsable')
    """
    started = time.thread_time()
    checked = None if domain is None else check_domain(domain)
    pair = read_truth(truth, domain=checked, names=names)
    try:
        tree = read_model(model, pair, dialect)
    except InvalidInput as error:
        return Equivalence(
            verdict="unparsable", notes=(str(error),), seconds=time.thread_time() - started, truth=pair.truth
        )
    programs = Program.of(pair.truth), Program.of(tree)
    compared = [name for name in pair.columns if any(name in program.symbols for program in programs)]
    comparator = Comparator(
        truth=programs[0],
        model=programs[1],
        names=compared,
        domain=check_domain(checked, compared) if checked and compared else None,
        seed=seed,
        until=started + seconds,
    )
    with np.errstate(all="ignore"):
        result = comparator.verdict()
    if symbolic:
        from assay.formula.equivalence.symbolic import add_symbolic

        result = add_symbolic(result, pair.truth, tree, domain=checked, seconds=seconds)
    else:
        result = _with_closeness(result, pair.truth, tree)
    return replace(result, seconds=time.thread_time() - started, truth=pair.truth, model=tree)


def _with_closeness(result: Equivalence, truth: Expression, model: Expression) -> Equivalence:
    if result.verdict in POSITIVE:
        return replace(result, closeness=1.0)
    return replace(result, closeness=canonical_closeness(truth, model))
