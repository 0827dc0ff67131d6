"""An explainer in words and in plain values: a line, a small table for notebooks, and everything that it is made of."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from assay.cases.explanation.facts import Thresholds
from assay.cases.neighbors.casebase import CaseBase
from assay.cases.neighbors.checks import Label, LabelArray
from assay.cases.neighbors.index import CaseIndex
from assay.core import Json, plain
from assay.core.display import counted, object_html
from assay.version import __version__

__all__ = ["describe_explainer", "explainer_html", "explainer_line"]

_SHOWN = 8  # names of features in a display


class _Explainer(Protocol):
    """What is told of an explainer."""

    cases: CaseBase
    index: CaseIndex
    k: int
    metric: Any
    metric_params: dict[str, Any]
    weighting: Any
    class_weights: dict[Label, float] | None
    requested_algorithm: Any
    min_recall: float
    thresholds: Thresholds
    ood_level: float
    allow_unseen: bool

    @property
    def train_predictions(self) -> LabelArray | None: ...


def explainer_line(explainer: _Explainer) -> str:
    """Its size on one line."""
    cases = explainer.cases
    features, classes = counted(len(cases.feature_names), "feature"), counted(len(cases.classes), "class")
    return (
        f"CaseExplainer({counted(len(cases.y), 'case')}, {features}, {classes}, k={explainer.k}, "
        f"metric {_described(explainer.metric)!r})"
    )


def explainer_html(explainer: _Explainer) -> str:
    """Its facts and its classes for a notebook."""
    cases, thresholds = explainer.cases, explainer.thresholds
    labels, counts = np.unique(cases.y, return_counts=True)
    rows = zip((cases.titled(label) for label in labels.tolist()), counts.tolist(), strict=True)
    more = ["..."] if len(cases.feature_names) > _SHOWN else []
    facts = {
        "cases": len(cases.y),
        "features": ", ".join([*cases.feature_names[:_SHOWN], *more]),
        "neighbours": explainer.k,
        "metric": f"{_described(explainer.metric)}, scale {cases.space.scale}",
        "search": explainer.index.algorithm,
        "thresholds": f"high from {thresholds.high:g}, medium from {thresholds.medium:g}",
    }
    return object_html("CaseExplainer", facts, columns=("class", "cases"), rows=rows, total=len(labels))


def describe_explainer(explainer: _Explainer) -> dict[str, Json]:
    """Cases, classes, space, search with its timings and recall, thresholds in plain JSON values."""
    cases, index = explainer.cases, explainer.index
    classes, counts = np.unique(cases.y, return_counts=True)
    named = zip(classes.tolist(), counts.tolist(), strict=True)
    weights = explainer.class_weights
    return {
        "version": __version__,
        "n": len(cases.y),
        "features": list(cases.feature_names),
        "categorical": list(cases.categorical),
        "private": sorted(cases.private),
        "metadata": list(cases.metadata),
        "units": dict(cases.units),
        "classes": [{"label": label, "name": cases.name_of(label), "cases": count} for label, count in named],
        "k": explainer.k,
        "metric": cases.space.metric,
        "metric_params": {name: _described(value) for name, value in explainer.metric_params.items()},
        "scale": cases.space.scale,
        "feature_weights": None if cases.feature_weights is None else cases.feature_weights.tolist(),
        "weighting": _described(explainer.weighting),
        "class_weights": None if weights is None else list(weights.values()),
        "algorithm": index.algorithm,
        "requested_algorithm": explainer.requested_algorithm,
        "probe": None if index.probe is None else plain(index.probe._asdict()),
        "recall": index.recall,
        "min_recall": explainer.min_recall if index.recall is not None else None,
        "thresholds": {"high": explainer.thresholds.high, "medium": explainer.thresholds.medium},
        "ood_level": explainer.ood_level,
        "allow_unseen": explainer.allow_unseen,
        "knows_train_predictions": explainer.train_predictions is not None,
    }


def _described(value: object) -> Json:
    """An option in plain JSON values; a function by its name."""
    return str(getattr(value, "__name__", type(value).__name__)) if callable(value) else plain(value)
