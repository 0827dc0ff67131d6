"""Problems that resemble each other: intervals against matrices, their coverage, whole clusters flipped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from assay.core import InvalidInput, Record
from assay.stats import cluster_interval, compare, rank_ranges, score_table, sign_flip_p_value, summarise
from assay.stats.clusters import cluster_codes
from assay.stats.record_table import RecordTable
from assay.stats.scores import ScoreTable

TRIALS = 2000
SIZES = np.array([1, 2, 2, 3, 4, 6])


def _by_matrices(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> tuple[float, float]:
    """The bounds from the definitions: residual-maker, square roots of its blocks, quadratic forms of normal values."""
    size, names = values.size, np.unique(clusters)
    members = [np.flatnonzero(clusters == name) for name in names]
    maker = np.eye(size) - 1 / size
    sums = np.array([[values[rows].sum(), rows.size] for rows in members])
    within = sum(float(np.sum((values[rows] - values[rows].mean()) ** 2)) for rows in members) / (size - names.size)
    between = float(np.sum(sums[:, 1] * (sums[:, 0] / sums[:, 1] - values.mean()) ** 2)) / (names.size - 1)
    usual = (size - np.sum(sums[:, 1] ** 2) / size) / (names.size - 1)
    rho = float(np.clip((between - within) / (between + (usual - 1) * within), 0, 1))
    covariance = (1 - rho) * np.eye(size) + rho * (clusters[:, np.newaxis] == clusters)
    forms = []
    for rows in members:
        block = maker[np.ix_(rows, rows)]
        levels, vectors = np.linalg.eigh(block)
        root = vectors @ np.diag(levels**-0.5) @ vectors.T  # CR2's adjustment
        forms.append(maker[:, rows] @ root @ np.ones(rows.size) / size)
    stacked = np.array(forms)
    terms = stacked @ covariance @ stacked.T
    degrees = np.trace(terms) ** 2 / np.sum(terms**2)
    truth = np.ones(size) @ covariance @ np.ones(size) / size**2
    variance = np.sum((stacked @ values) ** 2) * truth / np.trace(terms)
    reach = stats.t.ppf(0.975, degrees) * math.sqrt(variance)
    return values.mean() - reach, values.mean() + reach


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_is_that_of_the_matrices_in_the_papers(seed: int) -> None:
    generator = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(6), SIZES)
    values = generator.normal(size=6)[clusters] + generator.normal(size=clusters.size)
    interval = cluster_interval(values, clusters)
    assert tuple(interval[1:]) == pytest.approx(_by_matrices(values, clusters))


def test_clusters_of_equal_size_give_the_interval_of_their_means() -> None:
    values = np.random.default_rng(1).random(20)
    clusters = np.tile(np.arange(5), 4)
    means = values.reshape(4, 5).mean(axis=0)
    reach = stats.t.ppf(0.975, 4) * means.std(ddof=1) / math.sqrt(5)
    assert tuple(cluster_interval(values, clusters)) == pytest.approx(
        (means.mean(), means.mean() - reach, means.mean() + reach)
    )


def _skewed(generator: np.random.Generator, *shape: int) -> NDArray[np.float64]:
    """Gamma with shape 2: mean 0, variance 1, skewness 1.4."""
    return (generator.gamma(2.0, size=shape) - 2.0) / math.sqrt(2.0)


def _coverage(count: int, sizes: NDArray[np.int64], draw: Callable[..., NDArray[np.float64]], share: float) -> float:
    generator = np.random.default_rng(30)
    clusters = np.repeat(np.arange(count), np.resize(sizes, count))
    common = draw(generator, TRIALS, count)[:, clusters]
    trials = math.sqrt(share) * common + math.sqrt(1 - share) * draw(generator, TRIALS, clusters.size)
    intervals = (cluster_interval(values, clusters) for values in trials)
    return sum(interval.low <= 0 <= interval.high for interval in intervals) / TRIALS


@pytest.mark.parametrize("count", [6, 12, 40])
def test_intervals_over_skewed_and_correlated_clusters_hold_the_truth_as_often_as_they_say(count: int) -> None:
    coverage = _coverage(count, SIZES, _skewed, 0.5)
    assert 0.935 <= coverage <= 0.965, coverage


@pytest.mark.soak
@pytest.mark.parametrize(
    ("count", "draw", "share"),
    list(
        product(
            [6, 12, 40],
            [
                _skewed,
                lambda generator, *shape: generator.normal(size=shape),
                lambda generator, *shape: (generator.beta(8, 2, size=shape) - 0.8) / math.sqrt(0.16 / 11),
            ],
            [0.0, 0.3, 0.5, 0.8],
        )
    ),
)
def test_intervals_hold_the_truth_whatever_the_correlation(
    count: int, draw: Callable[..., NDArray[np.float64]], share: float
) -> None:
    coverage = _coverage(count, SIZES, draw, share)
    assert 0.93 <= coverage <= 0.975, coverage  # six strongly correlated clusters: too wide rather than too narrow


def test_taking_clustered_problems_for_independent_would_not_do() -> None:
    # shows that the simulation can tell right from wrong
    generator = np.random.default_rng(31)
    clusters = np.repeat(np.arange(12), 4)
    held = 0
    for _ in range(400):
        values = generator.normal(size=12)[clusters] + generator.normal(size=48)
        held += abs(values.mean()) <= stats.t.ppf(0.975, 47) * values.std(ddof=1) / math.sqrt(48)
    assert held / 400 < 0.85


def test_too_few_clusters_have_a_mean_and_no_bounds() -> None:
    interval = cluster_interval([0.1, 0.2, 0.6], [0, 0, 1])
    assert interval.value == pytest.approx(0.3)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_equal_values_have_an_interval_without_width_and_infinite_ones_none() -> None:
    assert tuple(cluster_interval([0.5] * 4, [0, 0, 1, 2])) == (0.5, 0.5, 0.5)
    assert math.isnan(cluster_interval([0.5, math.inf, 0.1, 0.2], [0, 0, 1, 2]).low)


def test_values_and_clusters_of_different_lengths_are_refused() -> None:
    with pytest.raises(InvalidInput, match="a cluster for each value"):
        cluster_interval([0.1, 0.2], [0])


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_size_of_the_values_does_not_matter(scale: float) -> None:
    values, clusters = np.array([0.1, 0.4, 0.3, 0.9, 0.8]), [0, 0, 1, 2, 2]
    plain, scaled = cluster_interval(values, clusters), cluster_interval(values * scale, clusters)
    assert tuple(np.array(scaled) / scale) == pytest.approx(tuple(plain))


MakeRecord = Callable[..., Record]


def _table(make_record: MakeRecord, scores: dict[str, list[float]], families: str, **tags: str) -> ScoreTable:
    records = [
        make_record(subject, f"p{place:02d}", 0, score, tags={"family": families[place], **tags})
        for subject, own in scores.items()
        for place, score in enumerate(own)
    ]
    return score_table(records, "auroc", clusters=("base", "family"))


A = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.5, 0.7, 0.9]
B = [0.7, 0.7, 0.3, 0.8, 0.5, 0.8, 0.4, 0.2, 0.1]


def test_means_and_differences_take_the_problems_of_a_family_together(make_record: MakeRecord) -> None:
    table = _table(make_record, {"a": A, "b": B}, "aabbccddd")
    first = summarise(table)[0]
    codes = [0, 0, 1, 1, 2, 2, 3, 3, 3]
    assert first.clusters == 4
    assert first.mean == cluster_interval(A, codes)
    found = compare(table, "a", "b")
    assert found.clusters == 4
    assert tuple(found.difference) == pytest.approx(tuple(cluster_interval(np.subtract(A, B), codes)))
    sums = [sum(x - y for x, y, code in zip(A, B, codes, strict=True) if code == own) for own in range(4)]
    assert found.p_value == sign_flip_p_value(sums) == 0.125
    assert found.smallest_p_value == 0.125
    mirrored = compare(table, "b", "a")
    assert mirrored.difference.low == -found.difference.high
    assert mirrored.p_value == found.p_value


def test_where_no_tag_repeats_nothing_changes(make_record: MakeRecord) -> None:
    alone, untagged = (_table(make_record, {"a": A, "b": B}, families) for families in ("abcdefghi", "abcdefghi"))
    plain = score_table(
        [make_record(s, f"p{i:02d}", 0, x) for s, own in (("a", A), ("b", B)) for i, x in enumerate(own)], "auroc"
    )
    assert alone.clusters is None
    assert summarise(alone) == summarise(plain) == summarise(untagged)
    assert compare(alone, "a", "b") == compare(plain, "a", "b")
    assert rank_ranges(alone) == rank_ranges(plain)


def test_the_first_tag_that_a_problem_has_counts_and_one_without_any_is_alone(make_record: MakeRecord) -> None:
    tags = [{"base": "x", "family": "f"}, {"base": "x"}, {"family": "f"}, {"family": "f"}, {}, {}]
    records = [make_record("a", f"p{place}", 0, 0.5, tags=own) for place, own in enumerate(tags)]
    codes = cluster_codes(RecordTable.of(records), ("base", "family"))
    assert codes is not None
    groups = [codes.tolist().index(code) for code in codes.tolist()]
    assert groups == [0, 0, 2, 2, 4, 5], json.dumps(codes.tolist())


def test_ranges_of_places_are_wider_where_problems_come_in_clusters(make_record: MakeRecord) -> None:
    generator = np.random.default_rng(4)
    families = "".join(chr(ord("a") + place // 6) for place in range(36))
    common = np.repeat(generator.normal(size=(4, 6)), 6, axis=1)
    scores = common + 0.1 * generator.normal(size=(4, 36))
    rows = {name: scores[row].tolist() for row, name in enumerate("wxyz")}
    together = rank_ranges(_table(make_record, rows, families))
    alone = rank_ranges(_table(make_record, rows, families, base=""))  # one cluster: nothing is known
    assert {(entry.best, entry.worst) for entry in alone} == {(1, 4)}
    records = [make_record(s, f"p{i:02d}", 0, x) for s, own in rows.items() for i, x in enumerate(own)]
    single = rank_ranges(score_table(records, "auroc"))
    assert sum(entry.worst - entry.best for entry in together) > sum(entry.worst - entry.best for entry in single)


def test_generated_data_sets_are_each_their_own(make_record: Callable[..., Record]) -> None:
    def tagged(problem: str, **tags: str) -> Record:
        return replace(make_record("a", problem, 0, 0.5), tags=tags)

    public = [tagged(f"p{place}", dataset="iris", origin="public") for place in range(3)]
    drawn = [tagged(f"q{place}", dataset="clouds", origin="generated") for place in range(4)]
    table = score_table([*public, *drawn], "auroc", clusters=["dataset"])
    assert table.clusters is not None
    assert np.unique(table.clusters).size == 5
    assert score_table(drawn, "auroc", clusters=["dataset"]).clusters is None


def test_texts_beside_numbers_are_no_names_of_clusters() -> None:
    with pytest.raises(InvalidInput, match="clusters: texts stand beside others"):
        cluster_interval([0.1, 0.5, 0.4, 0.9], [1, "1", "a", "b"])  # type: ignore[arg-type]
