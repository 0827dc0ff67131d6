"""Whether the formula was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from assay.core import InvalidInput, Metric, UnknownName
from assay.formula.equivalence.certificate import POSITIVE, VERDICTS, Verdict
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.metrics.reading import by_verdict, has_truth, over_parts, share
from assay.formula.problem.task import FormulaTask, FormulaTruth, Part

__all__ = ["rediscovery_score", "solved", "solved_in_front"]

_ALMOST = 0.99


def rediscovery_score(verdict: Verdict, closeness: float = 0.0) -> float:
    r"""1 for a formula that was found, up to constants; else how close its tree comes, at most 0.99.

    $$\begin{cases} 1 & \text{identical, offset, factor, affine, form} \\
    \min(0.99, \text{closeness}) & \text{else} \end{cases}$$

    An undecided verdict counts by its closeness; its rate is published beside the score.

    Parameters
    ----------
    verdict : str
        A verdict of ``equivalent``.
    closeness : float, default 0.0
        How close the trees are, as ``Equivalence.closeness`` has it.

    Returns
    -------
    float
        A number from 0 to 1.

    Raises
    ------
    UnknownName
        No such verdict.
    InvalidInput
        The closeness does not lie in [0, 1].

    Examples
    --------
    >>> rediscovery_score("form"), rediscovery_score("different", 0.75), rediscovery_score("undecided", 1.0)
    (1.0, 0.75, 0.99)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    if not 0 <= closeness <= 1:
        raise InvalidInput(f"closeness lies in [0, 1], got {closeness}.")
    return 1.0 if verdict in POSITIVE else min(_ALMOST, closeness)


def solved(verdict: Verdict) -> float:
    r"""1 for a formula that was found, up to constants, else 0; the mean over problems is the solution rate.

    $$[v \in \{\text{identical, offset, factor, affine, form}\}]$$

    Undefined (nan) for an undecided verdict: it is no "no", and its rate is published beside.

    Parameters
    ----------
    verdict : str
        A verdict of ``equivalent``.

    Returns
    -------
    float
        1.0 or 0.0, or nan.

    Examples
    --------
    >>> solved("affine"), solved("different"), solved("undecided")
    (1.0, 0.0, nan)
    """
    if verdict not in VERDICTS:
        raise UnknownName("verdict", verdict, VERDICTS)
    return math.nan if verdict == "undecided" else float(verdict in POSITIVE)


def solved_in_front(verdicts: Sequence[Verdict]) -> float:
    r"""1 when any model of the subject's Pareto set is the formula, else 0.

    $$\max_{m} [v_m \in \{\text{identical, offset, factor, affine, form}\}]$$

    Undefined (nan) when none is and one is undecided, or when there is no verdict.

    Parameters
    ----------
    verdicts : sequence of str
        The verdicts on all models of the Pareto set.

    Returns
    -------
    float
        1.0 or 0.0, or nan.

    Examples
    --------
    >>> solved_in_front(["different", "form"]), solved_in_front(["different"])
    (1.0, 0.0)
    """
    outcomes = [solved(verdict) for verdict in verdicts]
    if 1.0 in outcomes:
        return 1.0
    return math.nan if not outcomes or any(math.isnan(one) for one in outcomes) else 0.0


def _rediscovery(evidence: FormulaEvidence, part: PartEvidence) -> float:
    equivalence = part.model.equivalence
    return math.nan if equivalence is None else rediscovery_score(equivalence.verdict, equivalence.closeness)


def _front(evidence: FormulaEvidence, part: PartEvidence) -> float:
    return solved_in_front([model.verdict for model in part.front if model.verdict is not None])


def _on_parts(name: str, chosen: Callable[[Part | PartEvidence], bool]) -> Metric[FormulaEvidence]:
    """The score on some of the tables, defined where a problem has such a table."""

    def has_part(task: FormulaTask, truth: FormulaTruth) -> bool:
        return has_truth(task, truth) and any(map(chosen, task.parts))

    return share(name, over_parts(_rediscovery, chosen), rediscovery_score, has_part)


METRICS: tuple[Metric[FormulaEvidence], ...] = (
    share("rediscovery", over_parts(_rediscovery), rediscovery_score, has_truth),
    _on_parts("rediscovery_clean", lambda part: part.noise == 0),
    _on_parts("rediscovery_noisy", lambda part: part.noise > 0),
    share("solved", over_parts(by_verdict(solved)), solved, has_truth),
    share("solved_in_front", over_parts(_front), solved_in_front, has_truth),
)
