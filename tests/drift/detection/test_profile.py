from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, mannwhitneyu

from assay.core import InvalidInput
from assay.drift.detection.profile import ChangeKind, ChangeProfile, ChangeRow, change_profile
from assay.drift.generate.changes import PATTERNS
from assay.drift.generate.problems import draw_problem
from assay.drift.generate.simulate import Simulated, simulate
from assay.stats import holm


def profile_of(simulated: Simulated, window: int = 200) -> ChangeProfile:
    return change_profile(simulated.log, simulated.drifts[0].drift, window=window)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_changed_leads_the_vocabulary(pattern: str) -> None:
    simulated = simulate(seed=40, patterns=[pattern], cases=500, noise=0.05)
    words = profile_of(simulated).vocabulary()
    # a branch is the activity of its first step, of which the second may be as telling
    assert set(words[:4]) & set(simulated.drifts[0].activities)


def test_shares_and_statistics_agree_with_a_slow_count() -> None:
    simulated = simulate(seed=41, patterns=["cb"], cases=400, noise=0.1)
    (point,) = simulated.points
    profile = profile_of(simulated, window=120)
    assert (profile.cases_before, profile.cases_after) == (120, 120)
    sides = [
        [simulated.log.trace(case) for case in range(*ends)] for ends in ((point - 120, point), (point, point + 120))
    ]
    for row in profile.rows:
        if row.kind == "activity" and not row.name.endswith("repeated"):
            yes = [sum(row.name in trace for trace in side) for side in sides]
        elif row.kind == "activity":
            yes = [sum(trace.count(row.activities[0]) > 1 for trace in side) for side in sides]
        elif row.kind == "relation":
            pairs = [[set(pairwise(trace)) for trace in side] for side in sides]
            yes = [sum(row.activities in changes for changes in side) for side in pairs]
        elif row.kind == "variant":
            yes = [sum(", ".join(trace) == row.name for trace in side) for side in sides]
        else:
            continue
        assert (row.before, row.after) == (yes[0] / 120, yes[1] / 120)
        assert row.difference == pytest.approx(row.after - row.before)
        if 0 < sum(yes) < 240:
            counts = [[count, 120 - count] for count in yes]
            expected = chi2_contingency(counts, correction=False, lambda_="log-likelihood").statistic
            assert row.statistic == pytest.approx(expected, abs=1e-9)


def test_durations_are_medians_with_a_rank_test_and_p_values_are_corrected() -> None:
    simulated = simulate(seed=42, patterns=["du"], cases=400)
    (point,) = simulated.points
    profile = profile_of(simulated)
    hours = (simulated.log.ends - simulated.log.starts) / 3600e9
    before, after = hours[point - 200 : point], hours[point : point + profile.cases_after]
    assert 180 <= profile.cases_after <= 200  # the last ones are still open
    (row,) = [row for row in profile.rows if row.name == "whole case"]
    assert (row.before, row.after) == (np.median(before), np.median(after))
    p_values = [row.p_value for row in profile.rows]
    assert p_values == sorted(p_values)
    raw = mannwhitneyu(before, after, method="asymptotic").pvalue
    assert row.p_value >= raw
    recomputed = holm(chi2.sf([row.statistic for row in profile.rows], 1))
    np.testing.assert_allclose([row.p_value for row in profile.rows], recomputed, rtol=1e-6, atol=1e-12)
    name = simulated.drifts[0].activities[0]
    assert profile.vocabulary() == (name,)
    assert profile.changed(kind="duration")[0].name == f"until {name}"


def test_resources_count_only_where_the_activity_is() -> None:
    added = simulate(seed=44, patterns=["rp"], cases=400)
    assert not profile_of(added).changed(kind="resource")
    moved = simulate(seed=43, patterns=["rs"], cases=400)
    rows = profile_of(moved).changed(kind="resource")
    assert {row.activities for row in rows} == {moved.drifts[0].activities}
    assert "by" in rows[0].name


def test_nothing_is_certain_where_nothing_changed() -> None:
    simulated = simulate(seed=45, drifts=[], cases=400, noise=0.1)
    drift = replace(simulate(seed=45, cases=400).drifts[0].drift, start_case="case 200", end_case="case 200")
    profile = change_profile(simulated.log, drift)
    assert profile.changed() == ()
    assert profile.vocabulary() == ()
    assert "no certain change (199 cases before, 200 after)" in profile.table()


def test_recurring_and_gradual_drifts_are_compared_outside_the_mixture() -> None:
    for kind in ("recurring", "gradual"):
        simulated = simulate(seed=46, patterns=["rp"], drifts=[kind], cases=600)
        profile = profile_of(simulated, window=100)
        shares = {row.name: (row.before, row.after) for row in profile.rows if row.kind == "activity"}
        old_new = sorted(shares[name] for name in simulated.drifts[0].activities)
        assert old_new == [(0.0, 1.0), (1.0, 0.0)]


def test_a_recurring_drift_that_ends_in_the_new_behaviour_is_compared_after_its_end() -> None:
    drawn = draw_problem("hard-0", seed=[55, 0], difficulty="hard")
    (log,) = drawn.task.logs.values()
    (drift,) = [one for one in drawn.task.drifts if one.type == "recurring"]
    profile = change_profile(log, drift, others=drawn.task.drifts)
    assert profile.changed()
    assert profile.cases_after > 36  # the first stretch of 36 cases shows nothing for sure


def test_what_comes_takes_its_relations_along() -> None:
    def row(kind: ChangeKind, name: str, difference: float, *activities: str) -> ChangeRow:
        return ChangeRow(kind, name, 0.0, difference, difference, 30.0, 0.0001, activities)

    rows = [row("activity", "Sign", 1.0, "Sign"), row("relation", "Check → Sign", 1.0, "Check", "Sign")]
    rows += [row("relation", "Sign → Pay", 1.0, "Sign", "Pay"), row("relation", "Check → Pay", -1.0, "Check", "Pay")]
    profile = ChangeProfile(rows=tuple(rows), cases_before=9, cases_after=9)
    assert profile.evidence() == pytest.approx({"Sign": 90.0, "Check": 5.0, "Pay": 5.0})
    moved = ChangeProfile(rows=tuple(rows[1:]), cases_before=9, cases_after=9)
    assert moved.evidence() == pytest.approx({"Sign": 30.0, "Check": 30.0, "Pay": 30.0})


def test_a_case_that_the_log_does_not_know_is_found_by_its_time() -> None:
    simulated = simulate(seed=47, patterns=["re"], cases=400)
    drift = simulated.drifts[0].drift
    foreign = replace(drift, start_case="copy 17", end_case="copy 17")
    assert change_profile(simulated.log, foreign) == change_profile(simulated.log, drift)


def test_a_drift_at_the_very_edge_has_an_empty_profile() -> None:
    simulated = simulate(seed=48, cases=100)
    drift = replace(simulated.drifts[0].drift, start_case="case 1", end_case="case 1")
    assert change_profile(simulated.log, drift).rows == ()
    with pytest.raises(InvalidInput, match="window must be a whole number of at least 5"):
        change_profile(simulated.log, drift, window=2)


def test_the_table_shows_the_strongest_and_counts_the_rest() -> None:
    profile = profile_of(simulate(seed=49, patterns=["sw"], cases=400))
    stacked = profile.table(limit=3, width=60).splitlines()
    assert stacked[0] == "what"
    assert all(row.name in stacked for row in profile.changed()[:3])
    lines = profile.table(limit=3, width=300).splitlines()
    assert lines[0].split() == ["kind", "what", "before", "after", "change", "p"]
    assert len(lines) == 5
    assert lines[-1] == f"... and {len(profile.changed()) - 3} more"
    assert list(profile.to_frame().columns)[:3] == ["kind", "name", "before"]
    assert len(profile.to_frame()) == len(profile.rows)


def test_what_open_cases_have_not_done_yet_is_no_change() -> None:
    simulated = simulate(seed=47, drifts=[], cases=400)
    log = simulated.log
    cut = int(np.quantile(log.times, 0.8))  # as if it had been exported in the middle of the work
    here = log.times <= cut
    cases = np.unique(log.case_codes[here])
    short = replace(
        log,
        cases=tuple(log.cases[case] for case in cases),
        case_codes=np.searchsorted(cases, log.case_codes[here]).astype(np.int32),
        activity_codes=log.activity_codes[here],
        times=log.times[here],
        resources=(),
        resource_codes=None,
        attributes={},
    )
    late = short.cases[int(np.searchsorted(short.starts, short.times.max() - 8 * int((log.ends - log.starts).max())))]
    place = short.cases.index(late)
    when = short.start_of(place)
    drift = replace(simulate(seed=45, cases=400).drifts[0].drift, start_case=late, end_case=late, start=when, end=when)
    assert change_profile(short, drift).changed() == ()
    assert change_profile(short, drift).cases_after < len(short) - place


def test_no_side_reaches_beyond_another_drift() -> None:
    simulated = simulate(seed=48, patterns=["rp", "du"], drifts=["sudden", "sudden"], cases=500)
    first, second = (entry.drift for entry in simulated.drifts)
    alone = change_profile(simulated.log, second)
    beside = change_profile(simulated.log, second, others=[first, second])
    points = sorted(simulated.points)
    assert beside.cases_before == points[1] - points[0] < alone.cases_before or points[1] - points[0] >= 200
    assert change_profile(simulated.log, first, others=[first, second]).cases_after <= points[1] - points[0]


def test_days_of_the_week_are_compared_by_a_test_of_all_seven() -> None:
    simulated = simulate(seed=49, drifts=[], cases=300)
    log = simulated.log
    code = int(log.activity_codes[1])
    moved = log.times.copy()
    days = (moved // 86_400_000_000_000 + 3) % 7  # Monday is 0
    chosen = (log.activity_codes == code) & (log.case_codes >= 150)
    moved[chosen] += (3 - days[chosen]) * 86_400_000_000_000  # to Thursdays
    when = log.start_of(150)
    drift = replace(
        simulate(seed=45, cases=400).drifts[0].drift,
        start_case=log.cases[150],
        end_case=log.cases[150],
        start=when,
        end=when,
    )
    profile = change_profile(replace(log, times=moved), drift, window=100)
    (row,) = [row for row in profile.changed(kind="weekday") if row.activities == (log.activities[code],)]
    assert row.name.endswith(" on Thursdays")
    assert row.after == 1.0
    after = 150 + profile.cases_after
    sides = [(log.case_codes >= low) & (log.case_codes < high) for low, high in ((50, 150), (150, after))]
    shown = (moved // 86_400_000_000_000 + 3) % 7
    counts = np.array([np.bincount(shown[side & (log.activity_codes == code)], minlength=7) for side in sides])
    expected = chi2_contingency(counts[:, counts.sum(axis=0) > 0], correction=False, lambda_="log-likelihood")
    assert chi2.sf(row.statistic, 1) == pytest.approx(expected.pvalue, rel=1e-6)


def test_days_of_the_week_are_not_compared_where_a_side_spans_less_than_three_weeks() -> None:
    simulated = simulate(seed=45, cases=400)
    busy = replace(simulated.log, times=simulated.log.times[0] + (simulated.log.times - simulated.log.times[0]) // 100)
    assert [row for row in profile_of(simulated).rows if row.kind == "weekday"]
    assert not [row for row in change_profile(busy, simulated.drifts[0].drift).rows if row.kind == "weekday"]


def test_a_profile_knows_who_did_each_activity() -> None:
    simulated = simulate(seed=45, cases=400)
    log, people = simulated.log, profile_of(simulated).people
    assert log.resource_codes is not None
    assert set(people) <= set(log.activities)
    name = log.activities[0]
    seen = {log.resources[code] for code in log.resource_codes[log.activity_codes == 0] if code >= 0}
    assert people[name]
    assert set(people[name]) <= seen
