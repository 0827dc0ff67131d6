from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from assay.core import InvalidInput, Setting, UnknownName
from assay.insight import TRACK, InsightConfig
from assay.insight.examine.config import PRESETS, SETTINGS


def test_the_documents_constants_are_the_defaults() -> None:
    config = InsightConfig()
    assert config.COVERAGE_METRIC_WEIGHTS == {
        "correlation_coverage": 0.0,
        "incremental_performance_coverage": 0.3,
        "predictive_coverage": 0.0,
        "single_column_predictive_coverage": 0.7,
    }
    assert (config.COVERAGE_CORRELATION_THRESHOLD, config.ELIGIBILITY_THRESHOLD) == (0.15, 0.0)
    assert (config.N_RF_ESTIMATORS, config.RANDOM_STATE, config.MAX_DEPTH) == (100, 42, 10)
    assert (config.MAX_FEATURES, config.N_SAMPLES, config.MAX_UNIQUE_VALUES_FOR_CATEGORICAL) == (20, 5000, 10)
    assert (config.INCLUSIVE_PERFORMANCE_WEIGHT, config.COVERAGE_WEIGHT, config.TARGET_LEAK_PENALTY) == (0.5, 0.5, 1.0)


def test_settings_and_config_have_the_same_defaults() -> None:
    assert InsightConfig.read(SETTINGS) == InsightConfig()
    named = {name.partition(".")[0] for name in SETTINGS}
    assert named == {field.name for field in fields(InsightConfig)}


CHANGED: dict[str, Setting] = {
    "trust_columns": True,
    "fast": True,
    "check_leakage": "never",
    "sandbox": "weak",
    "function_seconds": 5.0,
    "N_RF_ESTIMATORS": 7,
    "RANDOM_STATE": 1,
    "MAX_DEPTH": 3,
    "MAX_FEATURES": 5,
    "N_SAMPLES": 100,
    "MAX_UNIQUE_VALUES_FOR_CATEGORICAL": 4,
    "COVERAGE_CORRELATION_THRESHOLD": 0.3,
    "ELIGIBILITY_THRESHOLD": 0.1,
    "INCLUSIVE_PERFORMANCE_WEIGHT": 0.4,
    "COVERAGE_WEIGHT": 0.6,
    "TARGET_LEAK_PENALTY": 2.0,
    "rho_order": "difference",
    "r2_scale": "raw",
    "chance": "counted",
}


@pytest.mark.parametrize("name", CHANGED)
def test_every_constant_can_be_set(name: str) -> None:
    assert getattr(InsightConfig.read(TRACK.configure({name: CHANGED[name]})), name) == CHANGED[name]


def test_none_is_forgotten() -> None:
    assert {*CHANGED, "preset"} == {name for name in SETTINGS if "." not in name}


def test_coverage_weights_can_be_set_one_by_one() -> None:
    given = {
        "COVERAGE_METRIC_WEIGHTS.correlation_coverage": 0.4,
        "COVERAGE_METRIC_WEIGHTS.single_column_predictive_coverage": 0.3,
    }
    weights = InsightConfig.read(TRACK.configure(given)).COVERAGE_METRIC_WEIGHTS
    assert weights["correlation_coverage"] == 0.4
    assert sum(weights.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"COVERAGE_METRIC_WEIGHTS.correlation_coverage": 0.4}, "add up to 1"),
        (
            {
                "COVERAGE_METRIC_WEIGHTS.correlation_coverage": -0.1,
                "COVERAGE_METRIC_WEIGHTS.single_column_predictive_coverage": 0.8,
            },
            "must not be negative",
        ),
        ({"MAX_DEPTH": -1}, "'MAX_DEPTH' must be at least 0"),
        ({"N_RF_ESTIMATORS": 0}, "'N_RF_ESTIMATORS' must be at least 1"),
        ({"COVERAGE_CORRELATION_THRESHOLD": float("nan")}, "must be at least 0"),
        ({"rho_order": "after"}, "after"),
        ({"preset": "insight-eval", "r2_scale": "raw"}, "knows no other reading"),
    ],
)
def test_a_senseless_value_is_refused(given: dict[str, Setting], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        InsightConfig.read(TRACK.configure(given))


def test_an_unknown_preset_is_named_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="insight-eval"):
        TRACK.configure({"preset": "insighteval"})


def test_the_published_preset_knows_no_depth_limit_unless_told() -> None:
    published = InsightConfig.read(TRACK.configure({"preset": "insight-eval"}))
    assert published.forest.max_depth is None
    config = InsightConfig.read(TRACK.configure({"preset": "insight-eval", "MAX_DEPTH": 4}))
    assert config.forest.max_depth == 4
    spec = InsightConfig.read(TRACK.configure({}))
    assert spec.forest.max_depth == 10
    assert spec.forest.merge_close_values  # as the verified releases of scikit-learn do
    assert set(PRESETS["insight-eval"]) <= set(SETTINGS)


@pytest.mark.parametrize("name", ["trust_colums", "COVERAGE_METRIC_WEIGHTS"])
def test_a_setting_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(UnknownName, match=f"No setting named '{name}'. Did you mean"):
        InsightConfig.read({name: True})


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("N_RF_ESTIMATORS", "5", "a whole number"),
        ("N_RF_ESTIMATORS", 1.5, "a whole number"),
        ("N_RF_ESTIMATORS", True, "a whole number"),
        ("MAX_DEPTH", 2.5, "a whole number"),
        ("trust_columns", "false", "True or False"),
        ("function_seconds", "60", "a number"),
        ("COVERAGE_METRIC_WEIGHTS.predictive_coverage", "x", "a number"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(name: str, value: Setting, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name.replace('.', '.*')}.* must be {words}, got {value!r}"):
        InsightConfig.read({name: value})


def test_whole_numbers_of_numpy_are_numbers() -> None:
    assert InsightConfig(N_RF_ESTIMATORS=np.int64(7), function_seconds=5).N_RF_ESTIMATORS == 7  # type: ignore[arg-type]
