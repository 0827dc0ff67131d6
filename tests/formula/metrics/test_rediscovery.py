import math

import pytest

from assay.core import InvalidInput, UnknownName
from assay.formula.equivalence.certificate import VERDICTS, Verdict
from assay.formula.metrics import mean_property_score, rediscovery_score, solved, solved_in_front, undecided


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_rediscovery_scores_one_and_everything_else_less(verdict: Verdict) -> None:
    is_rediscovery = verdict in {"identical", "offset", "factor", "affine", "form"}
    assert (rediscovery_score(verdict, 1.0) == 1.0) is is_rediscovery
    assert rediscovery_score(verdict, 0.25) == (1.0 if is_rediscovery else 0.25)
    assert rediscovery_score(verdict) == (1.0 if is_rediscovery else 0.0)


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'identical'"):
        rediscovery_score("identica")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"closeness lies in \[0, 1\]"):
        rediscovery_score("different", 1.5)
    with pytest.raises(InvalidInput, match="'noise' must lie"):
        mean_property_score({"noise": 1.5})


@pytest.mark.parametrize("verdict", VERDICTS)
def test_what_is_solved_scores_one_in_re_discovery_and_nothing_else_does(verdict: str) -> None:
    one = rediscovery_score(verdict, 0.5) == 1.0  # type: ignore[arg-type]
    is_rediscovery = solved(verdict)  # type: ignore[arg-type]
    assert (is_rediscovery == 1.0) == one
    assert math.isnan(is_rediscovery) == (undecided(verdict) == 1.0)  # type: ignore[arg-type]


def test_an_unknown_verdict_is_refused() -> None:
    for score in (solved, undecided):
        with pytest.raises(UnknownName):
            score("perhaps")  # type: ignore[arg-type]


def test_one_solution_in_the_front_is_enough_and_an_undecided_one_leaves_it_open() -> None:
    assert solved_in_front(["different", "undecided", "affine"]) == 1.0
    assert math.isnan(solved_in_front(["different", "undecided"]))
    assert math.isnan(solved_in_front([]))
    assert solved_in_front(["undefined", "different"]) == 0.0
