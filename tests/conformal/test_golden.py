"""The published implementation's values: every one whose definition we share, and a list of those we refuse."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.conformal import (
    PredictionSets,
    class_coverage,
    conformal_quantile,
    coverage,
    coverage_gap,
    efficiency,
    informativeness,
    taskwise_coverage,
)
from assay.conformal.calibration.clusters import clustering_parameters
from assay.conformal.calibration.quantile import conformal_rank, smallest_calibration
from assay.conformal.metrics import (
    class_count_weights,
    taskwise_coverage_gap,
    taskwise_efficiency,
    taskwise_informativeness,
    weighted_efficiency,
    weighted_informativeness,
)
from assay.core import InvalidInput

Case = dict[str, Any]

# their name -> ours; percentages become shares, absent classes stay in place as nan
SAME: dict[str, Callable[[Any, Any, Case], Any]] = {
    "compute_informativeness(multi)": lambda s, y, c: informativeness(s, overall="joint"),
    "compute_taskwise_informativeness": lambda s, y, c: taskwise_informativeness(s),
    "compute_efficiency(multi)": lambda s, y, c: efficiency(s, overall="joint"),
    "compute_taskwise_efficiency": lambda s, y, c: taskwise_efficiency(s),
    "compute_class_based_weights": lambda s, y, c: class_count_weights(c["task_num_classes"]),
    "compute_taskwise_covgap": lambda s, y, c: 100 * taskwise_coverage_gap(s, y, alpha=c["alpha"]),
    "experiment.overall_covgap (class-count-weighted mean of taskwise)": lambda s, y, c: (
        100 * coverage_gap(s, y, alpha=c["alpha"], overall="classes")
    ),
    "covgap-fix:compute_taskwise_covgap (joint scalar)": lambda s, y, c: (
        100 * coverage_gap(s, y, alpha=c["alpha"], overall="joint")
    ),
    "2025:compute_overall_efficiency": lambda s, y, c: efficiency(s),
    "2025:compute_overall_informativeness": lambda s, y, c: informativeness(s),
    "2025:compute_overall_covgap": lambda s, y, c: 100 * coverage_gap(s, y, alpha=c["alpha"], overall="pooled"),
    "notebook taskwise coverage": lambda s, y, c: taskwise_coverage(s, y),
    "notebook overall coverage (pooled)": lambda s, y, c: coverage(s, y),
    'joint coverage (all tasks; covgap-fix "covered")': lambda s, y, c: coverage(s, y, overall="joint"),
}
SINGLE: dict[str, Callable[[Any, Any, Case], Any]] = {
    "compute_informativeness": lambda s, y, c: informativeness(s),
    "compute_efficiency": lambda s, y, c: efficiency(s),
    "compute_covgap": lambda s, y, c: 100 * coverage_gap(s, y, alpha=c["alpha"]),
    "compute_classwise_coverage": lambda s, y, c: class_coverage(s, y)[0][~np.isnan(class_coverage(s, y)[0])],
}
WEIGHTED = {
    "compute_weighted_efficiency": weighted_efficiency,
    "compute_weighted_informativeness": weighted_informativeness,
}


def sets_of(case: Case) -> PredictionSets:
    return PredictionSets.from_labels(case["sets"], classes=case["task_num_classes"])


def expected_of(entry: dict[str, Any]) -> Any:
    value = entry["value"]
    if isinstance(value, list):
        return np.array([float(part) for part in value])
    return float(value)


def ours(name: str, case: Case) -> tuple[str, Any]:
    """What becomes of one of their values: ``same`` with our value, or ``refused`` with the error."""
    sets, labels = sets_of(case), case["labels"]
    if name in SAME:
        return "same", SAME[name](sets, labels, case)
    if match := re.fullmatch(r"(\w+)\(task (\d+)\)", name):
        task = int(match[2])
        return "same", SINGLE[match[1]](sets.task(task), [labels[task]], case)
    match = re.fullmatch(r"(\w+)\[(\w+),normalize=(True|False)\]", name)
    assert match, f"{name} is in no table"
    weights = np.asarray(case["weights"][match[2]])
    value = WEIGHTED[match[1]](sets, weights)
    return "same", value if match[3] == "True" else value * weights.sum()


def test_every_value_of_the_published_metrics_is_reproduced_or_refused_with_a_reason(
    metrics_golden: list[Case],
) -> None:
    counted = {"same": 0, "nan": 0, "negative weights": 0, "zero weights": 0, "label outside": 0, "theirs fails": 0}
    for case in metrics_golden:
        outside = any(label >= c for y, c in zip(case["labels"], case["task_num_classes"], strict=True) for label in y)
        for name, entry in case["expected"].items():
            negative = "negative_mix" in name and min(case["weights"]["negative_mix"]) < 0
            needs_labels = any(word in name for word in ("cov", "coverage"))
            if negative or "zeros" in name or (outside and needs_labels):
                with pytest.raises(InvalidInput, match="not negative" if negative else "all zero|outside the"):
                    ours(name, case)
                kind = "negative weights" if negative else "zero weights" if "zeros" in name else "label outside"
                counted[kind] += 1
                continue
            _, value = ours(name, case)
            if "error" in entry:  # they crash without samples; ours is undefined and says so with nan
                assert case["n"] == 0
                assert np.isnan(value).all()
                counted["theirs fails"] += 1
                continue
            expected = expected_of(entry)
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12, err_msg=name)
            counted["nan" if np.size(expected) and np.isnan(expected).all() else "same"] += 1
    assert counted["same"] >= 380
    assert all(count > 0 for count in counted.values()), counted


def test_every_published_quantile_is_reproduced_exactly(quantile_golden: dict[str, Any]) -> None:
    checked = 0
    for row in quantile_golden["get_conformal_quantile"]:
        if row["k_order_stat"] is not None:
            assert conformal_rank(row["n"], row["alpha"]) == row["k_order_stat"]
        if isinstance(row["scores"], list):
            assert conformal_quantile(row["scores"], row["alpha"]) == float(row["qhat"])
            checked += 1
        else:
            assert (conformal_rank(row["n"], row["alpha"]) > row["n"]) == (row["qhat"] == "inf")
    assert checked == 60


def test_published_sample_sizes_and_clustering_parameters_are_reproduced(quantile_golden: dict[str, Any]) -> None:
    for alpha, smallest in quantile_golden["get_quantile_threshold"].items():
        assert smallest_calibration(float(alpha)) == smallest
    for row in quantile_golden["get_clustering_parameters"]:
        assert list(clustering_parameters(row["K"], row["N"])) == row["value"]


def test_digits_have_the_published_accuracies(golden_folder: Any) -> None:
    from assay.conformal.metrics import high_level_accuracy, low_level_accuracy

    with np.load(golden_folder / "real_digits.npz") as data:
        guesses = [data[f"test_probs_{task}"].argmax(axis=1) for task in range(3)]
        low = low_level_accuracy(list(data["test_labels"]), guesses)
        assert low.round(4).tolist() == [0.9467, 0.9017, 0.89]
        assert round(high_level_accuracy(list(data["test_labels"]), guesses), 4) == 0.7983
        assert math.isclose(low.mean(), 0.9128, abs_tol=5e-5)
