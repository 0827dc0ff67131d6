import numpy as np
import pytest

from assay.drift.detection.changepoints import find_change_points
from assay.drift.detection.features import Feature, FeatureTable
from assay.drift.detection.transitions import Transition, find_transitions

CASES = 1000


def judged(chances: list[np.ndarray], *, returns: int = 2, seed: int = 0) -> list[Transition]:
    """What is made of cases that say yes to each feature with these chances."""
    rng = np.random.default_rng(seed)
    counts = np.stack([rng.random(CASES) < chance for chance in chances], axis=1).astype(np.int32)
    table = FeatureTable(
        tuple(Feature("activity", str(at)) for at in range(len(chances))), counts, np.arange(CASES + 1)
    )
    points = find_change_points(table, alpha=0.01, min_cases=40, min_effect=0.03)
    return list(find_transitions(table, points, min_cases=40, returns=returns))


def step(*places: int, low: float = 0.1, high: float = 0.8) -> np.ndarray:
    """Low, and from each place on the other one."""
    switched = (np.arange(CASES)[:, None] >= np.array(places)).sum(axis=1) % 2
    return np.where(switched == 1, high, low)


def slope(first: int, last: int) -> np.ndarray:
    return 0.1 + 0.7 * np.clip((np.arange(CASES) - first) / (last - first), 0, 1)


NOISE = np.full(CASES, 0.3)


def test_a_step_is_sudden() -> None:
    (outcome,) = judged([step(400), 0.9 - step(400), NOISE])
    assert (outcome.type, outcome.first == outcome.last) == ("sudden", True)
    assert outcome.first == pytest.approx(400, abs=5)


def test_weak_steps_are_hardly_ever_taken_for_slopes() -> None:
    outcome = [judged([step(500, low=0.4, high=0.65), NOISE], seed=seed) for seed in range(20)]
    kinds = [transition.type for transitions in outcome for transition in transitions]
    assert len(kinds) == 20
    assert kinds.count("sudden") >= 18


def test_a_slope_is_gradual_from_its_foot_to_its_top() -> None:
    (outcome,) = judged([slope(300, 700), 0.9 - slope(300, 700), NOISE])
    assert outcome.type == "gradual"
    assert outcome.first == pytest.approx(300, abs=80)
    assert outcome.last == pytest.approx(700, abs=80)


def test_steps_of_different_features_near_each_other_are_incremental() -> None:
    (outcome,) = judged([step(400), step(480), step(560), NOISE])
    assert outcome.type == "incremental"
    assert (outcome.first, outcome.last) == pytest.approx((400, 560), abs=6)


def test_steps_far_from_each_other_are_drifts_of_their_own() -> None:
    outcome = judged([step(250), step(500), step(750), NOISE])
    assert [transition.type for transition in outcome] == ["sudden"] * 3
    two = judged([step(400), step(600), NOISE])
    assert [transition.type for transition in two] == ["sudden", "sudden"]


def test_a_behaviour_that_comes_and_goes_is_recurring() -> None:
    (outcome,) = judged([step(300, 450, 600), NOISE])
    assert outcome.type == "recurring"
    assert (outcome.first, outcome.last) == pytest.approx((300, 600), abs=8)
    assert [transition.type for transition in judged([step(300, 600), NOISE])] == ["sudden", "sudden"]
    assert [transition.type for transition in judged([step(300, 600), NOISE], returns=1)] == ["recurring"]


def test_no_points_are_no_drifts() -> None:
    assert judged([NOISE, NOISE]) == []
