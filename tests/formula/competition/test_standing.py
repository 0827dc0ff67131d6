"""Places among published algorithms, beside ranks that scipy computes."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from scipy.stats import rankdata

from assay.formula.competition.published import Beside, Figures
from assay.formula.competition.standing import standing_summary, standings

UNKNOWN = Figures(math.nan, math.nan, math.nan)


def test_places_follow_mean_ranks_over_the_data_sets_that_all_have() -> None:
    rng = np.random.default_rng(4)
    names = [f"*A{number}" for number in range(6)]
    datasets = [f"d{number}" for number in range(9)]
    r2 = np.round(rng.uniform(size=(9, 7)), 1)  # with ties
    size = rng.integers(1, 9, size=(9, 7)).astype(float)
    table = {
        (name, dataset): Figures(r2[row, column], size[row, column], 1.0)
        for row, dataset in enumerate(datasets)
        for column, name in enumerate(names)
    }
    del table["*A2", "d8"]  # so that d8 is no data set of all
    table["*elsewhere", "d99"] = Figures(1.0, 1.0, 1.0)
    rows = [
        Beside(dataset, "mine", 1, 0, Figures(r2[row, 6], size[row, 6], 1.0), "", UNKNOWN)
        for row, dataset in enumerate(datasets)
    ]
    by_name = {one.name: one for one in standings(rows, table)}
    ranks = np.mean([rankdata(-r2[row]) for row in range(8)], axis=0)
    sizes = np.mean([rankdata(size[row]) for row in range(8)], axis=0)
    assert set(by_name) == {*names, "mine"}
    for column, name in enumerate([*names, "mine"]):
        assert by_name[name].r2_rank == ranks[column]
        assert by_name[name].size_rank == sizes[column]
        assert by_name[name].r2_place == rankdata(ranks, method="min")[column]
        assert by_name[name].r2 == np.median(r2[:8, column])
    assert [one.ours for one in by_name.values()].count(True) == 1
    assert "> mine" in standing_summary(list(by_name.values()))


def test_an_unknown_size_comes_last() -> None:
    table = {("*A", "d"): Figures(0.5, math.nan, 1.0), ("*B", "d"): Figures(0.4, 90.0, 1.0)}
    rows = [Beside("d", "mine", 1, 0, Figures(0.1, 10.0, 1.0), "", UNKNOWN)]
    assert {one.name: one.size_place for one in standings(rows, table)} == {"mine": 1, "*B": 2, "*A": 3}


def test_nothing_shared_is_said() -> None:
    rows = [Beside("d", "mine", 1, 0, Figures(0.1, 10.0, 1.0), "", UNKNOWN)]
    assert standings(rows, {}) != []  # alone among none
    both = [*rows, Beside("e", "mine", 1, 0, Figures(0.1, 10.0, 1.0), "", UNKNOWN)]
    assert standings(both, {("*A", "d"): UNKNOWN, ("*B", "e"): UNKNOWN}) == []
    assert "No data set" in standing_summary([])


def test_a_median_does_not_depend_on_the_place_of_an_unknown_figure() -> None:
    for sizes in permutations((math.nan, 1.0, 2.0)):
        rows = [
            Beside(f"d{place}", "mine", 1, 0, Figures(0.5, size, 1.0), "", UNKNOWN) for place, size in enumerate(sizes)
        ]
        assert standings(rows, {})[0].size == 2.0  # what is unknown comes last
    rows = [Beside("d", "mine", 1, 0, Figures(0.5, math.nan, 1.0), "", UNKNOWN)]
    assert math.isnan(standings(rows, {})[0].size)


def test_a_subject_that_is_called_as_a_published_algorithm_keeps_its_own_figures() -> None:
    rows = [Beside("d", "KernelRidge", 1, 0, Figures(0.9, 5.0, 1.0), "KernelRidge", UNKNOWN)]
    entries = standings(rows, {("KernelRidge", "d"): Figures(0.2, 40.0, 1.0), ("Linear", "d"): Figures(0.5, 3.0, 1.0)})
    assert [(one.name, one.ours, one.r2) for one in entries] == [
        ("KernelRidge", True, 0.9),
        ("Linear", False, 0.5),
        ("KernelRidge", False, 0.2),
    ]
