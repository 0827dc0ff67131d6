"""Properties of every metric of every installed track; a metric that is forgotten here turns a test red."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from assay.core import AnyProblem, Metric, find_problems, get_track, track_names

METRICS = [(track, metric) for track in track_names() for metric in get_track(track).metrics]

BUILT_IN = {"cases", "conformal", "drift", "formula", "insight"}

# public helpers of metrics modules that are no metrics themselves
HELPERS = {
    "drift": {"always_fire", "count_detections", "golden_ranks", "pool_detections"},
}


@cache
def examined(track: str) -> tuple[tuple[AnyProblem, Any], ...]:
    """The built-in problems, each with the evidence of its truth."""
    spine = get_track(track)
    settings = {**spine.settings, **spine.privileged_settings}
    with tempfile.TemporaryDirectory() as name:
        spine.builtin(Path(name))
        problems = [spine.load(folder) for folder in find_problems(Path(name), marker=spine.marker)]
        return tuple((problem, spine.examine(problem, spine.oracle(problem), settings)) for problem in problems)


@pytest.mark.parametrize(("track", "metric"), METRICS, ids=lambda value: getattr(value, "name", value))
def test_the_floor_is_a_number_or_undefined_where_the_metric_is(track: str, metric: Metric[Any]) -> None:
    for problem, evidence in examined(track):
        floor = metric.floor_for(problem)
        oracle = metric.function(evidence)
        assert not math.isinf(floor)
        if metric.oracle is not None:
            assert math.isnan(floor) == math.isnan(oracle)


@pytest.mark.parametrize(("track", "metric"), METRICS, ids=lambda value: getattr(value, "name", value))
def test_floor_and_oracle_are_within_the_limits(track: str, metric: Metric[Any]) -> None:
    low, high = metric.limits or (-math.inf, math.inf)
    for problem, evidence in examined(track):
        for number in (metric.floor_for(problem), metric.function(evidence), metric.oracle):
            if number is not None and not math.isnan(number):
                assert low <= number <= high + metric.tolerance


@pytest.mark.parametrize("track", track_names())
def test_the_best_end_of_every_headline_is_known(track: str) -> None:
    if track in BUILT_IN:
        assert get_track(track).metric(get_track(track).headline).ends[1] is not None


@pytest.mark.parametrize("track", track_names())
def test_every_public_metric_function_has_a_formula_and_an_example(track: str) -> None:
    module = importlib.import_module(f"assay.{track}.metrics")
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value) and name not in HELPERS.get(track, set()):
            text = inspect.getdoc(value) or ""
            assert "$$" in text, f"{module.__name__}.{name} has no formula"
            assert ">>>" in text, f"{module.__name__}.{name} has no example"
    for metric in get_track(track).metrics:
        assert metric.definition.__name__ in module.__all__, f"metric {metric.name!r} is not public"


@pytest.mark.parametrize("track", track_names())
def test_every_module_of_metrics_is_collected(track: str) -> None:
    package = importlib.import_module(f"assay.{track}.metrics")
    modules = [
        importlib.import_module(f"{package.__name__}.{entry.name}") for entry in pkgutil.iter_modules(package.__path__)
    ]
    registered = [metric for module in modules for metric in getattr(module, "METRICS", ())]
    assert sorted(metric.name for metric in registered) == sorted(metric.name for metric in get_track(track).metrics)
    assert get_track(track).metrics[0].name == get_track(track).headline
    public = {name for module in modules if set(module.__all__) <= set(package.__all__) for name in module.__all__}
    assert public == set(package.__all__)
    top = importlib.import_module(f"assay.{track}")
    shown = public & set(top.__all__)
    assert shown, "the top of a track shows the main metrics"
    assert all(getattr(top, name) is getattr(package, name) for name in shown)
