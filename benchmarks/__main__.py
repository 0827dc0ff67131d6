"""``make bench``: every measurement, one after the other; ``python -m benchmarks NAME`` runs one."""

from __future__ import annotations

import importlib
import sys

ALL = (
    *("startup", "overhead", "sandbox", "runners"),
    *("cases_search", "cases_detectors"),
    *("insight_golden", "insight_growth", "insight_leakage", "insight_generated", "insight_relational"),
    *("conformal_speed", "conformal_guarantee"),
    *("formula_equivalence", "formula_suite"),
    *("drift_xes", "drift_detection", "drift_metrics", "drift_explainers"),
    "report_size",
)


def main(names: list[str]) -> None:
    for name in names or ALL:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
