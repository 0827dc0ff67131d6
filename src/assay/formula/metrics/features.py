"""Which of the offered features a model uses: the irrelevant, the relevant, the surrogates."""

from __future__ import annotations

import math
from collections.abc import Collection

from assay.core import InvalidInput, Metric
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.metrics.reading import over_parts, share

__all__ = ["irrelevant_avoided", "relevant_share", "s1", "surrogates_avoided"]


def irrelevant_avoided(used: Collection[str], irrelevant: Collection[str], *, train_r2: float | None = None) -> float:
    r"""S1: share of the irrelevant features that the model avoids.

    $$S_1 = 1 - \frac{|i \cap f|}{|i|}$$

    A model whose training R² is given and at most 0 gets 0: it avoids features by saying nothing. Undefined (nan) when
    no feature is irrelevant.

    Parameters
    ----------
    used : collection of str
        The features on which the model's value depends, as ``used_variables`` gives them.
    irrelevant : collection of str
        The features that have nothing to do with the target.
    train_r2 : float, optional
        R² of the model on the training rows.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> irrelevant_avoided({"x1", "x7"}, {"x5", "x6", "x7", "x8"})
    0.75
    >>> irrelevant_avoided(set(), {"x5"}), irrelevant_avoided(set(), {"x5"}, train_r2=0.0)
    (1.0, 0.0)
    """
    return _avoided(used, irrelevant, train_r2)


def s1(used: Collection[str], irrelevant: Collection[str]) -> float:
    r"""S1 as the source document has it: what the model explains does not count, so that a constant has 1.

    $$S_1 = 1 - \frac{|i \cap f|}{|i|}$$

    Undefined (nan) when no feature is irrelevant. S2 is ``relevant_share``.

    Parameters
    ----------
    used : collection of str
        The features on which the model's value depends, as ``used_variables`` gives them.
    irrelevant : collection of str
        The features that have nothing to do with the target.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> s1({"x1", "x7"}, {"x5", "x6", "x7", "x8"}), s1(set(), {"x5"})
    (0.75, 1.0)
    """
    return _avoided(used, irrelevant, None)


def surrogates_avoided(used: Collection[str], surrogates: Collection[str], *, train_r2: float | None = None) -> float:
    r"""Share of the surrogate features that the model avoids: it did not stay in the local optimum they make.

    $$1 - \frac{|z \cap f|}{|z|}$$

    A model whose training R² is given and at most 0 gets 0. Undefined (nan) without surrogates.

    Parameters
    ----------
    used : collection of str
        The features on which the model's value depends, as ``used_variables`` gives them.
    surrogates : collection of str
        The features that only stand for a part of the formula.
    train_r2 : float, optional
        R² of the model on the training rows.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> surrogates_avoided({"x1", "z1"}, {"z1", "z2"})
    0.5
    """
    return _avoided(used, surrogates, train_r2)


def _avoided(used: Collection[str], unwanted: Collection[str], train_r2: float | None) -> float:
    for names in (used, unwanted):
        if isinstance(names, str):
            raise InvalidInput(f"features must be a collection of names, got the text {names!r}; write {{{names!r}}}.")
    if not unwanted:
        return math.nan
    if train_r2 is not None and not train_r2 > 0:
        return 0.0
    return 1.0 - len(set(unwanted) & set(used)) / len(set(unwanted))


def relevant_share(used: Collection[str], relevant: Collection[str]) -> float:
    r"""S2: share of the features in the model that are relevant.

    $$S_2 = \frac{|r \cap f|}{|f|}$$

    Undefined (nan) for a model that uses no feature.

    Parameters
    ----------
    used : collection of str
        The features on which the model's value depends, as ``used_variables`` gives them.
    relevant : collection of str
        The features of the true formula.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> relevant_share({"x1", "x7"}, {"x1", "x2"})
    0.5
    >>> relevant_share(set(), {"x1"})
    nan
    """
    return len(set(relevant) & set(used)) / len(set(used)) if used else math.nan


def _irrelevant(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return irrelevant_avoided(part.model.used, evidence.having("irrelevant"), train_r2=part.model.train_r2)


def _surrogates(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return surrogates_avoided(part.model.used, evidence.having("surrogate"), train_r2=part.model.train_r2)


def _relevant(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return relevant_share(part.model.used, evidence.having("relevant")) if evidence.roles else math.nan


def _plain(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return s1(part.model.used, evidence.having("irrelevant"))


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    share("surrogates_avoided", over_parts(_surrogates), surrogates_avoided, lambda task, truth: truth.surrogates),
    share("irrelevant_avoided", over_parts(_irrelevant), irrelevant_avoided, lambda task, truth: truth.irrelevant),
    share("s1", over_parts(_plain), s1, lambda task, truth: truth.irrelevant),
    share("relevant_share", over_parts(_relevant), relevant_share, lambda task, truth: truth.roles),
)
