from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.report import Results
from assay.report.gates.gate import FailUnder, Gate, NotWorse
from assay.report.gates.judging import judge_gates

Make = Callable[..., Results]


def rows(values: list[float], *, subject: str = "vote", delay: float = 1.0, **other: Any) -> list[Any]:
    return [(f"p{place:02}", subject, 0, value, delay, other) for place, value in enumerate(values)]


EVEN = [0.5 + 0.01 * place for place in range(12)]


def test_a_gate_that_names_subjects_is_not_failed_by_a_weak_baseline(make_results: Make) -> None:
    results = make_results(rows(EVEN, subject="mine(k=5)") + rows([0.1] * 12, subject="weak"))
    assert [entry.subject for entry in results.gate(fail_under=0.5).missed] == ["weak"]
    assert results.gate(fail_under=0.5, subjects="mine").passed
    assert not results.gate(fail_under=0.5, subjects=["mine", "weak"])
    (verdict,) = results.gate(fail_under=0.5, subjects="weak")
    assert (verdict.gate, verdict.text) == ("share at least 0.5", "share = 0.1, required at least 0.5")
    assert results.gate(fail_under=1.0, metric="delay").passed  # less is better there
    assert "delay = 1.0, required at most 0.9" in repr(results.gate(fail_under=0.9, metric="delay")).replace(
        "1,", "1.0,"
    )


def test_an_aggregate_may_be_a_gate_and_rounding_does_not_hide_a_miss(make_results: Make) -> None:
    results = make_results(rows([0.79999999, 0.8]))
    assert results.gate(fail_under=0.1, metric="spread").passed
    (verdict,) = results.gate(fail_under=0.8)
    assert not verdict.passed
    assert verdict.text.startswith("share = 0.79999999")
    assert make_results(rows([0.8, 0.8])).gate(fail_under=0.8)[0].text == "share = 0.8, required at least 0.8"


def test_a_gate_is_not_met_while_cells_are_missing_or_lost(make_results: Make) -> None:
    unfinished = make_results(rows(EVEN), pending=[("p99", "vote", 0)])
    (verdict,) = unfinished.gate(fail_under=0.1)
    assert not verdict.passed
    assert "12 of 13 cells done; 1 still to do" in verdict.text
    lost = make_results(rows(EVEN), lost={("p00", "gone", 0): "disk full"})
    assert [entry.subject for entry in lost.gate(fail_under=0.1).missed] == ["gone"]
    assert "no cell is finished" in lost.gate(fail_under=0.1).missed[0].text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no gate to judge"),
        ({"fail_under": 0.5, "metric": "shar"}, "No metric named 'shar'. Did you mean 'share'?"),
        ({"fail_under": 0.5, "subjects": "vot"}, "No subject named 'vot'. Did you mean 'vote'?"),
        ({"fail_under": math.nan}, "must be a finite number"),
        ({"fail_under": "0.5"}, "must be a finite number"),
        ({"not_worse_than": "earlier"}, "must be results, as in assay.load('earlier')"),
    ],
)
def test_gates_that_name_what_is_not_there_are_refused(
    make_results: Make, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as error:
        make_results(rows(EVEN)).gate(**options)
    assert message in str(error.value)


def test_a_loss_within_the_margin_passes_and_a_larger_one_does_not(make_results: Make) -> None:
    earlier = make_results(rows(EVEN))
    noise = np.random.default_rng(0).normal(0, 0.01, 12)
    now = make_results(rows([value - 0.01 + drawn for value, drawn in zip(EVEN, noise, strict=True)]))
    assert now.gate(not_worse_than=earlier, by=0.05).passed
    (verdict,) = now.gate(not_worse_than=earlier, by=0.005)
    assert not verdict.passed
    assert "over 12 common problems and 1 seed: a loss of 0.0" in verdict.text
    assert "cannot be excluded at 95 %, allowed 0.005" in verdict.text
    assert earlier.gate(not_worse_than=now, by=0.0).passed is bool(np.mean(noise) < 0.01)  # gains are no losses


def test_of_a_metric_where_less_is_better_more_is_a_loss(make_results: Make) -> None:
    earlier, now = make_results(rows(EVEN, delay=1.0)), make_results(rows(EVEN, delay=2.0))
    assert not now.gate(not_worse_than=earlier, by=0.9, metric="delay")
    assert now.gate(not_worse_than=earlier, by=1.0, metric="delay")
    assert earlier.gate(not_worse_than=now, metric="delay")


def test_pairs_are_the_same_problems_by_content_and_the_same_seeds(make_results: Make) -> None:
    earlier = make_results([*rows(EVEN), *((f"p{n:02}", "vote", 1, 0.0, 1.0, {}) for n in range(12))])
    changed = rows(EVEN)
    changed[0] = (*changed[0][:3], 0.0, 1.0, {"problem_digest": "edited"})
    (verdict,) = make_results(changed).gate(not_worse_than=earlier, by=0.02)
    assert verdict.passed
    assert "over 11 common problems and 1 seed (1 of the earlier run not here or changed)" in verdict.text


def test_too_few_problems_are_said_and_not_passed(make_results: Make) -> None:
    few = make_results(rows(EVEN[:5]))
    (verdict,) = make_results(rows([1.0] * 5)).gate(not_worse_than=few, by=0.5)
    assert not verdict.passed
    assert "5 common problems" in verdict.text
    assert "too few problems to exclude a loss, at least 6 are needed" in verdict.text


@pytest.mark.parametrize(
    ("earlier", "gate", "message"),
    [
        (rows(EVEN, subject="zzz"), {}, "No subject of track 'toy' named 'vote'. Known: zzz. Name the subjects"),
        ([(f"q{n}", "vote", 0, 0.5, 1.0, {}) for n in range(9)], {}, "no problem and seed in common"),
        ([(f"p{n:02}", "vote", 7, 0.5, 1.0, {}) for n in range(9)], {}, "no problem and seed in common"),
        (rows(EVEN), {"metric": "spread"}, "'spread' exists only across problems"),
        (rows(EVEN, versions={"examine": 1, "share": 2}), {}, "'share' was scored by another version"),
    ],
)
def test_earlier_runs_that_cannot_be_compared_are_errors(
    make_results: Make, earlier: list[Any], gate: dict[str, Any], message: str
) -> None:
    now = make_results(rows(EVEN))
    with pytest.raises(InvalidInput) as error:
        now.gate(not_worse_than=make_results(earlier), **gate)
    assert message in str(error.value)


def test_a_run_is_not_compared_with_itself_nor_with_another_track(make_results: Make) -> None:
    now = make_results(rows(EVEN))
    with pytest.raises(InvalidInput, match="this is the run itself"):
        now.gate(not_worse_than=now)
    with pytest.raises(InvalidInput, match="holds nothing of track 'toy'"):
        now.gate(not_worse_than=make_results(rows(EVEN), track="other"))


def test_several_gates_are_judged_in_their_order(make_results: Make) -> None:
    results = make_results(rows(EVEN))
    gates: list[Gate] = [
        FailUnder(value=0.5),
        FailUnder(value=0.9, subjects=("vote",)),
        NotWorse(baseline=make_results(rows(EVEN))),
    ]
    verdicts = judge_gates(gates, results)
    assert [entry.passed for entry in verdicts] == [True, False, True]
    assert repr(verdicts).endswith("2 of 3 gates met")
    assert not verdicts
    assert "missed" in verdicts._repr_html_()
    assert verdicts[2].seconds == 6.0


@pytest.mark.soak
@pytest.mark.parametrize("problems", [10, 30])
def test_a_loss_of_exactly_the_margin_passes_rarely(problems: int) -> None:
    from assay.stats import bootstrap_interval

    generator = np.random.default_rng(7)
    passed = [
        bootstrap_interval(generator.normal(-0.05, 0.1, problems), seed=seed).low >= -0.05 for seed in range(2000)
    ]
    assert 0.01 <= np.mean(passed) <= 0.05


@pytest.mark.parametrize(
    ("mean", "threshold", "text"),
    [
        (0.79996, 0.79998, "share = 0.79996, required at least 0.79998"),
        (0.8, 0.8000001, "share = 0.8, required at least 0.8000001"),
        (0.80004, 0.80002, "share = 0.80004, required at least 0.80002"),
        (0.71234, 0.8, "share = 0.7123, required at least 0.8"),
    ],
)
def test_the_numbers_of_a_verdict_stand_on_its_side(
    make_results: Make, mean: float, threshold: float, text: str
) -> None:
    (verdict,) = make_results(rows([mean, mean])).gate(fail_under=threshold)
    assert verdict.text == text
    assert verdict.passed == (mean >= threshold)


def test_rounding_does_not_hide_that_a_loss_is_larger_than_allowed(make_results: Make) -> None:
    earlier, now = make_results(rows(EVEN)), make_results(rows([value - 0.0203 for value in EVEN]))
    (verdict,) = now.gate(not_worse_than=earlier, by=0.02)
    assert not verdict.passed
    assert "a loss of 0.0203" in verdict.text
    assert verdict.text.endswith("allowed 0.02")
