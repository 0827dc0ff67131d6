"""Methods that find formulas, each behind the same small class: baselines of our own and other people's software."""

from assay.formula.adapters.base import Adapter, Candidate, Stopwatch
from assay.formula.adapters.genetic import Gplearn
from assay.formula.adapters.linear import Linear
from assay.formula.adapters.operon import Operon
from assay.formula.adapters.polynomial import Polynomial
from assay.formula.adapters.pysr import PySr
from assay.formula.adapters.sindy import Sindy

__all__ = ["Adapter", "Candidate", "Gplearn", "Linear", "Operon", "Polynomial", "PySr", "Sindy", "Stopwatch"]
