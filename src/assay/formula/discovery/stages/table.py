"""The stages of a search, each a generator that pauses after every step so that others can have their turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from assay.formula.discovery.stages.improvement import inside, nested, swaps, vary
from assay.formula.discovery.stages.operon import operon_seeds
from assay.formula.discovery.stages.products import pairs, products
from assay.formula.discovery.stages.quick import linear, power, rational, redundancy, units
from assay.formula.discovery.stages.sums import couples, quotients, terms, transforms
from assay.formula.discovery.stages.symmetry import symmetry
from assay.formula.discovery.state import State

__all__ = ["FIRST", "SHARED", "STAGES", "Stage"]

Stage = Callable[[State], Iterator[object]]

# those that are quick run first, one after the other; the others share what is left, by weight and from a start
FIRST: Mapping[str, Stage] = MappingProxyType(
    {"linear": linear, "power": power, "rational": rational, "units": units, "redundancy": redundancy}
)
SHARED: Mapping[str, tuple[Stage, float, float]] = MappingProxyType(
    {
        "products": (products, 3.0, 0.0),
        "terms": (terms, 3.0, 0.0),
        "quotients": (quotients, 4.0, 0.0),
        "couples": (couples, 4.0, 0.0),
        "pairs": (pairs, 1.0, 0.02),
        "transforms": (transforms, 1.5, 0.0),
        "symmetry": (symmetry, 5.0, 0.0),
        "operon": (operon_seeds, 2.0, 0.15),
        "vary": (vary, 4.0, 0.05),
        "inside": (inside, 4.0, 0.05),
        "nested": (nested, 3.0, 0.0),
        "swaps": (swaps, 4.0, 0.0),
    }
)
STAGES = (*(name for name in FIRST if name != "linear"), *SHARED)
