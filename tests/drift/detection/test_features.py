from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from assay.core import UnknownName
from assay.drift.detection import features
from assay.drift.detection.features import Feature, feature_table
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog


def reference(log: EventLog) -> dict[Feature, np.ndarray]:
    """Which cases say yes, case by case."""
    names: dict[Feature, np.ndarray] = defaultdict(lambda: np.zeros(len(log), dtype=int))
    for case in range(len(log)):
        trace = log.trace(case)
        for name in set(trace):
            names[Feature("activity", name)][case] = 1
            if trace.count(name) > 1:
                names[Feature("repetition", name)][case] = 1
        marked = ["(start)", *trace, "(end)"]
        for a, b in pairwise(marked):
            names[Feature("follows", a, b)][case] = 1
        for i, a in enumerate(trace):
            for b in trace[i + 1 :]:
                if a != b:
                    names[Feature("later", a, b)][case] = 1
    return names


def test_features_agree_with_a_slow_count(monkeypatch: pytest.MonkeyPatch) -> None:
    log = simulate(seed=6, cases=150, noise=0.2).log
    expected = reference(log)
    monkeypatch.setattr(features, "_PIECE", 40)
    table = feature_table(log)
    assert len(table.features) > 50
    for at, feature in enumerate(table.features):
        np.testing.assert_array_equal(table.counts[:, at], expected[feature])
    kept = {table.counts[:, at].tobytes() for at in range(len(table.features))}
    assert len(kept) == len(table.features)  # each once
    for feature, column in expected.items():  # and none forgotten that varies
        if 4 <= column.sum() <= len(log) - 4:
            assert column.astype(np.int32).tobytes() in kept, feature


def test_long_logs_are_counted_in_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    log = simulate(seed=6, cases=150, noise=0.2).log
    whole = feature_table(log, perspectives=("flow", "time", "resource"))
    monkeypatch.setattr(features, "_MOST_BINS", 40)
    monkeypatch.setattr(features, "_PIECE", 12)
    table = feature_table(log, perspectives=("flow", "time", "resource"))
    assert table.edges.tolist() == [*range(0, 150, 4), 150]
    assert table.cases == 150
    for at, feature in enumerate(table.features):
        if feature in whole.features:
            column = whole.counts[:, whole.features.index(feature)]
            np.testing.assert_array_equal(table.counts[:, at], np.add.reduceat(column, table.edges[:-1]))


def test_times_and_resources_are_looked_at_when_asked() -> None:
    log = simulate(seed=6, cases=100).log
    kinds = {feature.kind for feature in feature_table(log, perspectives=("time", "resource")).features}
    assert kinds == {"duration", "resource"}
    table = feature_table(log, perspectives=("time",))
    half = table.counts[:, table.features.index(Feature("duration", "(case)", "above 50%"))]
    assert half.sum() == 50
    assert ((log.ends - log.starts)[half == 1].min()) > ((log.ends - log.starts)[half == 0].max())
    with pytest.raises(UnknownName, match="No perspective named 'cost'"):
        feature_table(log, perspectives=("cost",))  # type: ignore[arg-type]


def test_many_features_are_cut_to_the_most_varied(monkeypatch: pytest.MonkeyPatch) -> None:
    log = simulate(seed=6, cases=150, noise=0.2).log
    whole = feature_table(log)
    monkeypatch.setattr(features, "_MOST_FEATURES", 10)
    table = feature_table(log)
    assert len(table.features) == 10
    share = table.counts.mean(axis=0)
    others = [at for at, feature in enumerate(whole.features) if feature not in table.features]
    rest = whole.counts[:, others].mean(axis=0)
    assert (share * (1 - share)).min() >= (rest * (1 - rest)).max()
