"""PyOperon's front as seeds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from assay.formula.discovery.fitting import fit_constants
from assay.formula.discovery.simplification import folded
from assay.formula.discovery.state import State
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import symbols_of
from assay.formula.expression.parser import rename

__all__ = ["operon_seeds"]

_OPERON_EVALUATIONS, _OPERON_SEEDS, _OPERON_SECONDS = (50_000, 500_000), 6, 2.0  # at least and at most


def operon_seeds(state: State) -> Iterator[None]:
    """PyOperon's front as seeds: fitted again, and rid of what they do not need."""
    from assay.formula.subjects.operon import Operon

    seconds = min(state.until - time.monotonic(), 2 * (state.work - WORK.spent))
    if find_spec("pyoperon") is None or seconds < _OPERON_SECONDS:
        state.note("operon: left out, as it is not installed or little time is left")
        return
    yield
    variables = state.reduced().variables
    rows = np.column_stack([one.values for one in variables])
    cost = 1e4 + 10.0 * len(rows)  # of an evaluation
    evaluations = int(np.clip(0.33 * (state.work - WORK.spent) * 1e9 / cost, *_OPERON_EVALUATIONS))
    candidates = Operon(evaluations=evaluations).fit(rows, state.target, seconds=seconds, seed=0)
    WORK.count(evaluations * cost)
    names = {f"x{place}": symbols_of(one.expression)[0] for place, one in enumerate(variables)}
    added = 0
    for candidate in candidates:
        fit = fit_constants(folded(rename(candidate.expression, names)), state.columns, state.target)
        if np.isfinite(fit.error) and added < _OPERON_SEEDS:
            added += 1
            state.front.add(state.shortened(fit), "operon")
            yield
