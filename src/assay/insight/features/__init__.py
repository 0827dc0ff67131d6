"""Columns found in several tables as a scikit-learn transformer, for use outside of evaluations."""

from assay.insight.features.relational_features import RelationalFeatures

__all__ = ["RelationalFeatures"]
