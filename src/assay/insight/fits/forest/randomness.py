"""The random draws of a forest, which depend on its seed, its trees and the number of rows, never on the data."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Bootstrap", "bootstrap"]

_LARGEST = np.iinfo(np.int32).max  # the exclusive bound of every seed that scikit-learn draws


class Bootstrap(NamedTuple):
    """How often each tree draws each row, and the state in which each tree's splitter starts."""

    counts: npt.NDArray[np.uint8]  # [trees, rows]
    states: npt.NDArray[np.uint32]  # [trees]


@lru_cache(maxsize=8)
def bootstrap(rows: int, trees: int, seed: int) -> Bootstrap:
    """The draws of scikit-learn's forests for this seed; read-only, shared by every fit of this size.

    >>> draws = bootstrap(5, 2, 42)
    >>> draws.counts.sum(axis=1).tolist()
    [5, 5]
    """
    source, tree_source = np.random.RandomState(seed), np.random.RandomState(seed)
    counts = np.empty((trees, rows), dtype=np.uint8)
    states = np.empty(trees, dtype=np.uint32)
    for tree in range(trees):
        tree_seed = source.randint(_LARGEST)
        tree_source.seed(tree_seed)  # a new source would first ask the system for randomness
        sample = tree_source.randint(0, rows, rows, dtype=np.int32)
        # no row is drawn 256 times: at one million rows the chance is below 1e-500
        counts[tree] = np.bincount(sample, minlength=rows)
        tree_source.seed(tree_seed)
        states[tree] = tree_source.randint(0, _LARGEST)
    counts.flags.writeable = False
    states.flags.writeable = False
    return Bootstrap(counts, states)
