from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput, UnknownName
from assay.drift.detection.drift import DriftType
from assay.drift.generate.changes import PATTERNS
from assay.drift.generate.simulate import Simulated, simulate


def having(simulated: Simulated, activity: str) -> Any:
    """Which cases have an activity, by place."""
    code = simulated.log.activities.index(activity)
    names = np.zeros(len(simulated.log), dtype=bool)
    names[simulated.log.case_codes[simulated.log.activity_codes == code]] = True
    return names


def test_the_same_seed_gives_the_same_log_and_another_seed_another() -> None:
    one, two, other = (simulate(seed=seed, cases=80, noise=0.1) for seed in (3, 3, 4))
    pd.testing.assert_frame_equal(one.log.to_frame(), two.log.to_frame())
    assert one.drifts == two.drifts
    assert one.log.events != other.log.events or not one.log.to_frame().equals(other.log.to_frame())


def test_cases_are_in_order_and_span_the_days() -> None:
    simulated = simulate(seed=1, cases=200, start=datetime(2021, 5, 1, tzinfo=UTC), days=100)
    assert simulated.log.notes == ()
    assert simulated.log.cases[:2] == ("case 1", "case 2")
    assert simulated.log.start_of(0) >= datetime(2021, 5, 1, tzinfo=UTC)
    assert (simulated.log.starts[-1] - simulated.log.starts[0]) / 86400e9 == pytest.approx(100, abs=5)


def find(pattern: str, kind: str, drift: DriftType, cases: int = 300) -> Simulated:
    for seed in range(40):
        simulated = simulate(seed=seed, patterns=[pattern], drifts=[drift], cases=cases)
        if simulated.drifts[0].changes[0].kind == kind:
            return simulated
    raise AssertionError(kind)


def test_a_sudden_change_is_where_it_is_said_to_be() -> None:
    simulated = find("re", "added", "sudden")
    (point,) = simulated.points
    new = having(simulated, simulated.drifts[0].activities[0])
    assert not new[:point].any()
    assert new[point:].all()
    drift = simulated.drifts[0].drift
    assert drift.start_case == drift.end_case == simulated.log.cases[point]
    assert drift.start == simulated.log.start_of(point)


def test_a_gradual_change_rises_between_start_and_end() -> None:
    simulated = find("re", "added", "gradual", cases=900)
    first, last = simulated.points
    new = having(simulated, simulated.drifts[0].activities[0])
    assert not new[:first].any()
    assert new[last:].all()
    thirds = [part.mean() for part in np.array_split(new[first:last], 3)]
    assert 0 < thirds[0] < thirds[1] < thirds[2] < 1


def test_a_recurring_change_comes_back() -> None:
    simulated = find("re", "added", "recurring")
    a, b, c = simulated.points
    new = having(simulated, simulated.drifts[0].activities[0])
    assert [new[:a].any(), new[a:b].all(), new[b:c].any(), new[c:].all()] == [False, True, False, True]


def test_an_incremental_change_has_steps_of_its_own() -> None:
    simulated = simulate(seed=9, drifts=["incremental"], cases=300)
    assert len(simulated.points) == 4
    assert len(simulated.drifts[0].changes) == 4
    assert simulated.drifts[0].description.count(".") == 4


def test_several_drifts_follow_each_other_in_their_parts() -> None:
    kinds: list[DriftType] = ["sudden", "gradual", "incremental", "recurring"]
    simulated = simulate(seed=5, drifts=kinds, cases=800)
    assert [planted.drift.type for planted in simulated.drifts] == kinds
    for number, planted in enumerate(simulated.drifts):
        assert 200 * number < planted.points[0] <= planted.points[-1] < 200 * (number + 1)
    assert simulated.points == tuple(sorted(simulated.points))
    assert len({planted.drift.id for planted in simulated.drifts}) == 4


def test_changes_can_come_together_and_concern_a_part_of_the_cases() -> None:
    assert len(simulate(seed=1, cases=60, together=3).drifts[0].changes) == 3
    shares = []
    for seed in range(6):
        simulated = simulate(seed=seed, patterns=["re"], reach=0.3, cases=600)
        new = having(simulated, simulated.drifts[0].activities[0])
        (point,) = simulated.points
        shares.append(abs(new[point:].mean() - new[:point].mean()))
    assert np.mean(shares) == pytest.approx(0.3, abs=0.05)


def test_noise_disturbs_its_share_of_the_cases() -> None:
    clean, noisy = (simulate(seed=2, drifts=[], cases=400, noise=noise, domain="orders") for noise in (0.0, 0.9))

    def variants(simulated: Simulated) -> int:
        return len({simulated.log.trace(case) for case in range(400)})

    assert clean.drifts == ()
    assert variants(noisy) > 1.5 * variants(clean)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_can_be_simulated(pattern: str) -> None:
    simulated = simulate(seed=11, patterns=[pattern], cases=40)
    assert simulated.drifts[0].changes[0].pattern == pattern
    assert set(simulated.drifts[0].activities)


def test_impossible_wishes_are_refused() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": 1, "cases": 10}, "cases must be a whole number of at least 20"),
        ({"seed": 1, "together": 0}, "together must be"),
        ({"seed": 1, "noise": 1.0}, "noise must be a share"),
        ({"seed": 1, "reach": 0.0}, "reach must be a share"),
        ({"seed": 1, "days": 0}, "days must be above 0"),
        ({"seed": 1, "patterns": ["cd"], "drifts": ["sudden"] * 2}, "no process has room for 2 x 1 changes .* cd"),
    ]
    for options, message in wrong:
        with pytest.raises(InvalidInput, match=message):
            simulate(**options)
    with pytest.raises(UnknownName, match="No drift type named 'abrupt'"):
        simulate(seed=1, drifts=["abrupt"])  # type: ignore[list-item]
