"""The documented statistics once more, from their formulas alone and with whole matrices: nothing of Assay is used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import norm, t

Bounds: TypeAlias = tuple[float, float, float]  # mean, low, high

_CLUSTERS = {  # docs/statistics.md: the first of these tags that a problem has says with which others it goes
    "cases": ("dataset",),
    "conformal": ("family",),
    "drift": ("organisation", "domain"),
    "formula": ("dataset", "family"),
    "insight": ("base", "family"),
}


def per_problem(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean over seeds of one metric in an exported table, a row per subject and a column per problem."""
    return scores[scores.metric == metric].groupby(["subject", "problem"]).value.mean().unstack()


def of_subject(table: Any, subject: str) -> pd.Series:
    """A subject's values over problems."""
    found: pd.Series = table.loc[subject]
    return found


def clusters(scores: pd.DataFrame, track: str) -> pd.Series | None:
    """The cluster of each problem; None where each is alone."""
    tags = [f"tag.{name}" for name in _CLUSTERS.get(track, ()) if f"tag.{name}" in scores]
    problems = scores.drop_duplicates("problem").set_index("problem").sort_index()
    found = {}
    for problem, row in problems.iterrows():
        drawn = row.get("tag.origin") == "generated"
        own = [tag for tag in tags if not pd.isna(row[tag]) and not (tag == "tag.dataset" and drawn)]
        found[problem] = f"{own[0]}={row[own[0]]}" if own else f"={problem}"
    series = pd.Series(found)
    return series if tags and series.nunique() < len(series) else None


def interval(values: pd.Series, groups: pd.Series | None = None) -> Bounds:
    """The mean of a subject's or a pair's values over problems with its 95 % interval; undefined ones are left out."""
    known = values.dropna()
    if groups is not None:
        own = groups[known.index]
        if own.nunique() < len(own):
            return _clustered(known.to_numpy(), own.to_numpy())
    return _bootstrapped(known.to_numpy())


def _bootstrapped(values: Any) -> Bounds:
    """BCa over 2,000 resamples of the sorted values, read at a quantile that is expanded for few of them."""
    values = np.sort(values)
    n = len(values)
    if n < 2:
        return (float(values.mean()) if n else math.nan), math.nan, math.nan
    if values[0] == values[-1]:
        return float(values[0]), float(values[0]), float(values[0])
    mean = values.mean()
    deviations = values - mean
    drawn = deviations[np.random.default_rng(0).integers(0, n, size=(2000, n))].mean(axis=1)
    drawn[np.abs(drawn) < 1e-11 * np.abs(deviations).max()] = 0.0
    z = math.sqrt(n / (n - 1)) * t.ppf(0.975, n - 1)
    share = ((drawn < 0).mean() + (drawn <= 0).mean()) / 2
    bias = norm.ppf(min(max(share, 0.5 / 2000), 1 - 0.5 / 2000))
    skewness = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    levels = []
    for shift in (bias - z, bias + z):
        room = 1 - skewness * shift
        levels.append(norm.cdf(bias + shift / room if room > 0 else math.copysign(math.inf, shift)))
    low, high = mean + np.quantile(drawn, levels)
    return float(mean), float(max(min(low, mean), values[0])), float(min(max(high, mean), values[-1]))


def _clustered(values: Any, groups: Any) -> Bounds:
    """CR2 with Satterthwaite's degrees of freedom: of the model y = mean + error, with every matrix written out."""
    mean, n = float(values.mean()), len(values)
    names = list(dict.fromkeys(groups))
    if len(names) < 3:
        return mean, math.nan, math.nan
    if np.ptp(values) == 0:
        return mean, mean, mean
    members = np.array([[float(group == name) for group in groups] for name in names])
    sizes = members.sum(axis=1)
    # the correlation within clusters, by an analysis of variance
    means = members @ values / sizes
    within = ((values - means @ members) ** 2).sum() / max(1, n - len(names))
    between = (sizes * (means - mean) ** 2).sum() / (len(names) - 1)
    usual = (n - (sizes**2).sum() / n) / (len(names) - 1)
    total = between + (usual - 1) * within
    rho = min(1.0, max(0.0, (between - within) / total)) if total > 0 else 0.0
    covariance = (1 - rho) * np.eye(n) + rho * members.T @ members
    residual = np.eye(n) - np.ones((n, n)) / n
    # the variance of the mean is a sum of squares of these rows times the values
    rows = np.diag(1 / np.sqrt(1 - sizes / n)) @ members @ residual / n
    variance = ((rows @ values) ** 2).sum()
    form = rows @ covariance @ rows.T
    degrees = np.trace(form) ** 2 / (form**2).sum()
    bias = np.trace(form) / (covariance.sum() / n**2)
    reach = t.ppf(0.975, degrees) * math.sqrt(variance / bias)
    return mean, mean - reach, mean + reach


def p_value(differences: pd.Series, groups: pd.Series | None = None) -> float:
    """The sign-flip test over all patterns of signs: of problems, or of whole clusters; at most 13 that differ."""
    known = differences.dropna()
    if len(known) < 2:
        return math.nan
    moving = known if groups is None else known.groupby(groups[known.index]).sum()
    moving = moving[moving.abs() > 1e-12 * known.abs().max()]
    if len(moving) < 2:
        return 1.0
    assert len(moving) <= 13, "more patterns than are tried one by one"
    signs = np.array(np.meshgrid(*[[1.0, -1.0]] * len(moving))).reshape(len(moving), -1)
    sums = np.abs(moving.to_numpy() @ signs)
    return float((sums >= abs(moving.sum()) - 1e-11 * moving.abs().max()).mean())


def holm(values: Sequence[float]) -> list[float]:
    """Corrected p-values, in the order given."""
    given = pd.Series(values, dtype=float)
    ordered = given.dropna().sort_values(kind="stable")
    corrected = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
    return [float(value) for value in corrected.reindex(given.index)]


def mean_ranks(table: pd.DataFrame, goal: str) -> pd.Series:
    """Mean over problems of the rank; equals share, and who has no value stands last."""
    answered = table.loc[:, table.notna().any()]
    return answered.rank(ascending=goal == "min", na_option="bottom").mean(axis=1)


def place_ranges(table: pd.DataFrame, goal: str, groups: pd.Series | None) -> dict[str, tuple[int, int]]:
    """The places that each subject takes when problems, or whole clusters of them, are drawn again 2,000 times."""
    answered = table.loc[:, table.notna().any()]
    own = pd.Series(answered.columns, index=answered.columns) if groups is None else groups[answered.columns]
    names = sorted(own.unique())
    if len(names) < 2:
        return {name: (1, len(table)) for name in table.index}
    sums = np.array([answered.loc[:, own == name].sum(axis=1) for name in names])
    counts = np.array([answered.loc[:, own == name].count(axis=1) for name in names])
    drawn = np.random.default_rng(0).integers(0, len(names), size=(2000, len(names)))
    means = pd.DataFrame((sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)).round(10))
    tail = norm.cdf(-math.sqrt(len(names) / (len(names) - 1)) * t.ppf(0.975, len(names) - 1))
    ends = []
    sides: tuple[tuple[Literal["min", "max"], float], ...] = (("min", tail), ("max", 1 - tail))
    for ties, level in sides:
        ranks = means.rank(axis=1, method=ties, ascending=goal == "min", na_option="bottom")
        ends.append(np.quantile(ranks, level, axis=0, method="inverted_cdf").astype(int))
    return dict(zip(table.index, zip(*ends, strict=True), strict=True))


def tiers(table: pd.DataFrame, ordered: Sequence[str], groups: pd.Series | None) -> dict[str, int]:
    """The first subject that differs from the first of a tier starts the next one."""
    found: dict[str, int] = {}
    rest, tier = list(ordered), 0
    while rest:
        first, *below = rest
        tier += 1
        corrected = holm([p_value(of_subject(table, first) - of_subject(table, other), groups) for other in below])
        members = next((place for place, p in enumerate(corrected) if p < 0.05), len(below))
        found |= dict.fromkeys([first, *below[:members]], tier)
        rest = below[members:]
    return found
