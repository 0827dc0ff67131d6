"""One benchmark in a process of its own: its text goes to standard output, its rows to a file as they arrive."""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

from benchmarks.measure import row_to_json

ROWS = "ASSAY_BENCH_ROWS"  # where the rows go


def main(name: str) -> None:
    """Run it; rows that were measured before it failed are kept."""
    rows = importlib.import_module(f"benchmarks.{name}").main()
    with Path(os.environ.get(ROWS, os.devnull)).open("a", encoding="utf-8") as out:
        for row in rows or ():
            print(json.dumps(row_to_json(row)), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
