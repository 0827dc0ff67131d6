"""Classes with similar scores share a threshold: clusters are found on one part of the data, thresholds on the rest."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from assay.conformal.calibration.quantile import conformal_quantile, smallest_calibration
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.core import InvalidInput

__all__ = ["LEVELS", "ClusteringParameters", "cluster_thresholds", "clustering_parameters"]

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9)  # quantiles of its scores, by which a class is known


class ClusteringParameters(NamedTuple):
    """How many samples of each class find the clusters, and how many clusters there are."""

    samples: int
    clusters: int


def clustering_parameters(classes: int, samples: int) -> ClusteringParameters:
    r"""What Ding et al. (2023) suggest for so many classes of at least so many samples each.

    $$n_\mathrm{clustering} = \lfloor \gamma n \rfloor, \qquad M = \lfloor n_\mathrm{clustering} / 2 \rfloor, \qquad
    \gamma = \frac{K}{75 + K}$$

    May be 0 of both where data are few; the methods then use one cluster.

    >>> clustering_parameters(12, 372), clustering_parameters(2, 19)
    (ClusteringParameters(samples=51, clusters=25), ClusteringParameters(samples=0, clusters=0))
    """
    used = samples * classes // (75 + classes)
    return ClusteringParameters(used, used // 2)


def cluster_thresholds(
    true_scores: FloatArray,
    labels: IntArray,
    classes: int,
    alpha: Fraction,
    *,
    clusters: int | Literal["auto"],
    seed: int,
) -> tuple[FloatArray, tuple[int, ...]]:
    """A threshold for every class by its cluster, and the classes that had too few samples and got the pooled one.

    A part of each class's samples, drawn by the seed, places the class by the quantiles of its scores; the rest gives
    the clusters' thresholds. Classes with fewer samples than a finite threshold needs are pooled.
    """
    if clusters != "auto" and (isinstance(clusters, bool) or not isinstance(clusters, int) or clusters < 1):
        raise InvalidInput(f'clusters must be "auto" or a whole number of at least 1, got {clusters!r}.')
    counts = np.bincount(labels, minlength=classes)
    enough = max(smallest_calibration(alpha), 2)
    frequent = np.flatnonzero(counts >= enough)
    if not len(frequent):
        return np.full(classes, conformal_quantile(true_scores, alpha)), tuple(range(classes))
    suggested = clustering_parameters(len(frequent), int(counts[frequent].min()))
    count = suggested.clusters if clusters == "auto" else clusters
    placing = _draw(labels, frequent, max(1, suggested.samples), seed)
    quantiles = np.asarray([np.quantile(true_scores[placing & (labels == c)], LEVELS) for c in frequent])
    cluster = _assign(quantiles, max(1, min(count, len(frequent))), seed)
    rest = ~placing
    thresholds = np.full(classes, conformal_quantile(true_scores[rest], alpha))
    for number in np.unique(cluster):
        members = frequent[cluster == number]
        thresholds[members] = conformal_quantile(true_scores[rest & np.isin(labels, members)], alpha)
    return thresholds, tuple(np.flatnonzero(counts < enough).tolist())


def _draw(labels: IntArray, frequent: IntArray, each: int, seed: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(labels), dtype=np.bool_)
    for label in frequent:
        places = np.flatnonzero(labels == label)
        chosen[rng.choice(places, size=min(each, len(places) // 2), replace=False)] = True
    return chosen


def _assign(quantiles: FloatArray, clusters: int, seed: int) -> Sequence[int] | IntArray:
    if clusters == 1:
        return np.zeros(len(quantiles), dtype=np.int64)
    if clusters >= len(np.unique(quantiles, axis=0)):
        return np.unique(quantiles, axis=0, return_inverse=True)[1].ravel()
    from sklearn.cluster import KMeans

    assigned: IntArray = (
        KMeans(n_clusters=clusters, n_init=10, random_state=seed % 2**32).fit_predict(quantiles).astype(np.int64)
    )
    return assigned
