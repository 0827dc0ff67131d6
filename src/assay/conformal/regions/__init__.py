"""Regions for tasks of any kind: intervals of numbers beside sets of classes, for tables and for streams."""

from assay.conformal.regions.calibrate import RegionCalibration, calibrate_regions
from assay.conformal.regions.classes import Classes, Labels
from assay.conformal.regions.cross import CrossRegressor, cross_coverage, cross_intervals
from assay.conformal.regions.draw import RegionDraw, draw_regions
from assay.conformal.regions.numbers import Quantiles, Values
from assay.conformal.regions.region import Intervals
from assay.conformal.regions.regions import Regions
from assay.conformal.regions.stream import StreamCalibration
from assay.conformal.regions.thresholds import weighted_quantile

__all__ = [
    "Classes",
    "CrossRegressor",
    "Intervals",
    "Labels",
    "Quantiles",
    "RegionCalibration",
    "RegionDraw",
    "Regions",
    "StreamCalibration",
    "Values",
    "calibrate_regions",
    "cross_coverage",
    "cross_intervals",
    "draw_regions",
    "weighted_quantile",
]
