"""Python values as subjects and metrics: written into files with the source they need."""

from assay.harness.callables.calling import demand_subject
from assay.harness.callables.capture import capture
from assay.harness.callables.naming import name_of
from assay.harness.callables.pickled import pickle_subject
from assay.harness.callables.unavailable import SourceUnavailable

__all__ = ["SourceUnavailable", "capture", "demand_subject", "name_of", "pickle_subject"]
