from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal import PredictionSets, SetCounts, count_sets
from assay.conformal.examine.evidence import NO_SETS
from assay.conformal.sets import counts as tally
from assay.conformal.sets.checks import IntArray
from assay.core import InvalidInput

CLASSES = (3, 70, 5)


def data(seed: int, samples: int = 50) -> tuple[list[Any], IntArray]:
    rng = np.random.default_rng(seed)
    sets = [rng.uniform(size=(samples, count)) < rng.uniform() for count in CLASSES]
    return sets, np.stack([rng.integers(-1, count, samples) for count in CLASSES], axis=1)


def slow(sets: list[Any], labels: IntArray) -> SetCounts:
    """The same counts, sample by sample."""
    by_class = [np.zeros((count, 2), dtype=np.int64) for count in CLASSES]
    by_size = [np.zeros((count + 1, 3), dtype=np.int64) for count in CLASSES]
    known = covered = single = volume = empty = 0
    for i in range(len(labels)):
        sizes = [int(matrix[i].sum()) for matrix in sets]
        states = [2 if y < 0 else int(matrix[i, y]) for matrix, y in zip(sets, labels[i], strict=True)]
        for task, (size, state) in enumerate(zip(sizes, states, strict=True)):
            by_size[task][size, state] += 1
            if state < 2:
                by_class[task][labels[i, task], state] += 1
        known += 2 not in states
        covered += states == [1] * len(states)
        single += sizes == [1] * len(sizes)
        volume += int(np.prod(sizes))
        empty += 0 in sizes
    tasks = tuple(tally.TaskCounts(by_class=a, by_size=b) for a, b in zip(by_class, by_size, strict=True))
    return SetCounts(tasks=tasks, known=known, covered=covered, single=single, volume=volume, empty=empty)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_every_way_of_counting_gives_the_same_counts(
    packed: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "_WORTH_COMPILING", 0 if compiled else 10**9)
    for seed in range(4):
        sets, labels = data(seed)
        source: Any = PredictionSets.from_matrices(sets) if packed else sets
        assert count_sets(source, labels) == slow(sets, labels)
        only = count_sets(sets[:1], labels[:, :1])
        assert (only.known, only.covered) == (only.tasks[0].labelled, only.tasks[0].hits)
        assert only.volume == only.tasks[0].total_size


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("label", [3, -2])
def test_a_label_outside_the_classes_is_refused_on_every_path(
    packed: bool, compiled: bool, label: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tally, "_WORTH_COMPILING", 0 if compiled else 10**9)
    sets, labels = data(0)
    labels[17, 0] = label
    with pytest.raises(InvalidInput, match=f"labels, task 0: {label} at sample 17 is outside the 3 classes"):
        count_sets(PredictionSets.from_matrices(sets) if packed else sets, labels)


@given(st.integers(0, 1000), st.lists(st.integers(0, 50), max_size=4))
def test_counts_of_parts_add_up_to_those_of_the_whole(seed: int, cuts: list[int]) -> None:
    sets, labels = data(seed)
    edges = [0, *sorted(cuts), 50]
    parts = [count_sets([m[a:b] for m in sets], labels[a:b]) for a, b in pairwise(edges)]
    whole = count_sets(sets, labels)
    assert SetCounts.merge(parts) == whole
    sent = [SetCounts.from_json(json.loads(json.dumps(part.to_json()))) for part in reversed(parts)]
    assert SetCounts.merge(sent) == whole


@given(st.integers(0, 1000))
def test_the_order_of_samples_does_not_matter(seed: int) -> None:
    sets, labels = data(seed)
    order = np.random.default_rng(seed).permutation(50)
    assert count_sets([m[order] for m in sets], labels[order]) == count_sets(sets, labels)


def test_products_of_many_sizes_stay_exact() -> None:
    full = [np.ones((3, 100), dtype=np.bool_)] * 12
    assert count_sets(full).volume == 3 * 100**12


def test_without_labels_only_sizes_are_counted() -> None:
    sets, _ = data(1)
    counts = count_sets(sets)
    assert counts.known == counts.covered == sum(task.labelled for task in counts.tasks) == 0
    assert counts.samples == 50


def test_counts_that_do_not_belong_together_are_refused() -> None:
    a, b = count_sets([np.ones((1, 2))]), count_sets([np.ones((1, 3))])
    with pytest.raises(InvalidInput, match="do not belong together"):
        a + b
    with pytest.raises(InvalidInput, match="nothing to merge"):
        SetCounts.merge([])
    with pytest.raises(InvalidInput, match="1 tasks were given where 3"):
        count_sets(data(0)[0], [[0] * 50])
    assert a != b
    assert a != 3


@pytest.mark.parametrize("classes", [4, 100, 260, 1020, 1024])
def test_four_classes_at_a_time_are_counted_as_one_by_one(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(classes)
    sets = rng.random((40, classes)) < rng.random((40, 1))
    sets[0] = True  # a full row fills every lane
    labels = rng.integers(-1, classes, 40)
    for tasks in (1, 2):
        expected = count_sets([sets] * tasks, [labels] * tasks)
        with monkeypatch.context() as compiled:
            compiled.setattr("assay.conformal.sets.counts._WORTH_COMPILING", 0)
            assert count_sets([sets] * tasks, [labels] * tasks) == expected


def test_counts_without_a_task_of_classes_show_themselves() -> None:
    assert repr(NO_SETS) == "SetCounts(0 samples, 0 tasks)"
    assert "0 of 0" in NO_SETS._repr_html_()
