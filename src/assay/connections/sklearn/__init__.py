"""Estimators and scorers for scikit-learn: conformal sets, explanations by cases, and the metrics of three tracks."""

from assay.connections.sklearn.conformal import ConformalClassifier
from assay.connections.sklearn.explained import ExplainedClassifier
from assay.connections.sklearn.scoring import MetricScorer, scorer, scorers

__all__ = ["ConformalClassifier", "ExplainedClassifier", "MetricScorer", "scorer", "scorers"]
