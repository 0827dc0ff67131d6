"""PMLB's regression tables under SRBench's protocol: medians of three methods beside the published ones, and places.

Splits, standardisation and seeds are SRBench's; budgets are short ones for a laptop: SRBench gave every method 500,000
evaluations and up to 48 hours, tuned by a grid search. A method without tuning and with fewer evaluations is a little
worse; one that is much worse is a mistake of ours.
"""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path
from statistics import median

from assay.core import track_names
from assay.formula.competition.published import beside_published, beside_summary, read_published
from assay.formula.competition.standing import standing_summary, standings
from assay.formula.problem.pmlb import table_files, write_pmlb_problems
from assay.harness import RunSpec, run
from assay.report import load
from benchmarks.measure import Rows, Unmeasured, shown, sized

SUBJECTS = ("linear", "gplearn(population=500, generations=20)", "pyoperon(population=500, evaluations=100000)")
SECONDS, SPLITS = sized(60.0, 20.0), sized(3, 1)
_LARGEST = 400_000  # bytes of a packed table; the few larger ones say no more


def main() -> Rows:
    place = Path(os.environ.get("ASSAY_BENCHMARKS", ""))
    folder, published = place / "pmlb" / "regression", place / "formula" / "srbench_blackbox_results.csv.gz"
    if "formula" not in track_names() or not folder.is_dir() or not published.is_file():
        yield Unmeasured(name="", reason="ASSAY_BENCHMARKS points at no tables of PMLB with SRBench's results")
        return
    theirs = read_published(published)
    datasets = {dataset for _, dataset in theirs}
    names = [name for name, path in table_files(folder).items() if name in datasets and path.stat().st_size < _LARGEST]
    names = names[:: sized(1, 8)]
    with tempfile.TemporaryDirectory() as temporary:
        write_pmlb_problems(Path(temporary) / "problems", folder, datasets=names, splits=SPLITS)
        out = Path(temporary) / "results"
        run(
            [
                RunSpec(
                    track="formula",
                    problems=(str(Path(temporary) / "problems"),),
                    subjects=SUBJECTS,
                    seconds=SECONDS,
                )
            ],
            out=out,
            workers=2,
        )
        rows = beside_published([record for entry in load(out).tracks for record in entry.records], theirs)
    print(beside_summary(rows))
    places = standings(rows, theirs)
    print(standing_summary(places))
    for one in places:
        if one.ours:
            yield shown(f"{one.name}: place by R² of {len(places)}", one.r2_place, "")
            yield shown(f"{one.name}: place by size of {len(places)}", one.size_place, "")
    for subject in dict.fromkeys(row.subject for row in rows):
        differences = [row.difference for row in rows if row.subject == subject and not math.isnan(row.difference)]
        if differences:
            yield shown(f"{subject}: median difference to the published R²", median(differences), "")
        yield shown(f"{subject}: failed cells", sum(row.failed for row in rows if row.subject == subject), "")
