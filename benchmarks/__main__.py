"""``make bench``: every measurement, one after the other; ``python -m benchmarks NAME`` runs one."""

from __future__ import annotations

import importlib
import sys

ALL = (
    *("startup", "overhead", "sandbox"),
    *("cases_search", "cases_detectors"),
    *("insight_golden", "insight_growth", "insight_leakage"),
    *("conformal_speed", "conformal_guarantee"),
    "formula_equivalence",
)


def main(names: list[str]) -> None:
    for name in names or ALL:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
