"""Did a move or a rename change a result? Every built-in problem x subject x two seeds, before and after.

Runs the built-in problems of all tracks at a starting commit (once; its source and records are kept under
build/unchanged) and in this tree, and compares the records: problem digests, statuses, scores, details, errors and
tags. Seconds, hosts, software, keys and digests of subjects may differ: since 0.2 a digest covers all code that a
subject can reach, so that it differs from that of 0.1 once, and from then on with every edit of that code. Exit code 1
where anything else does. How many subjects have another digest is said, and is no error.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

START = "5c0ba6b361bf76319235c209dd44192a17ac7dcc"  # before the second reading of all code (decision 19)
ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "unchanged"
SEEDS = (0, 1)
NOT_RUN = {"llm", "pysr", "srbench"}  # need a server, Julia, a file of results
SETTINGS = {"formula": ("--set", "simplification=canonical")}  # sympy's way ends by the clock
COMPARED = ("problem_digest", "status", "scores", "details", "error", "error_kind", "tags", "settings", "versions")

Cell: TypeAlias = tuple[str, str, str, int]
Records: TypeAlias = dict[Cell, Mapping[str, Any]]


def subjects(track: str, source: Path) -> list[str]:
    """Every subject that a track of that tree can run here by its bare name, the privileged ones included."""
    code = (
        "import json, sys; from assay.core import get_track; track = get_track(sys.argv[1]);"
        "print(json.dumps(sorted({*track.subjects, *track.privileged, 'oracle'})))"
    )
    names: list[str] = json.loads(_python(source, "-c", code, track))
    return [name for name in names if name not in NOT_RUN]


def records(source: Path, store: Path, *, tracks: tuple[str, ...], workers: int) -> Records:
    """Run what is missing of a tree's records, and read them; nothing is taken from a store of other code."""
    collected: Records = {}
    for track in tracks:
        folder = store / track
        choice = [part for name in subjects(track, source) for part in ("--subject", name)]
        seeds = [part for seed in SEEDS for part in ("--seed", str(seed))]
        common = ["--problems", "builtin", "--seconds", "300", "--workers", str(workers), "--quiet"]
        _python(
            source,
            "-m",
            "assay",
            "run",
            track,
            *common,
            *SETTINGS.get(track, ()),
            *choice,
            *seeds,
            "--out",
            str(folder),
        )
        archive = store / f"{track}.zip"
        archive.unlink(missing_ok=True)
        _python(source, "-m", "assay", "export", str(folder), "--no-html", "--out", str(archive))
        collected |= dict(_read(archive))
    return collected


def _python(source: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0"}
    ran = subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode not in (0, 1):  # 1: cells failed, which records tell
        raise SystemExit(f"{' '.join(arguments[:4])} ended with {ran.returncode}.")
    return ran.stdout


def _read(archive: Path) -> Iterator[tuple[Cell, Mapping[str, Any]]]:
    with zipfile.ZipFile(archive) as bundle:
        for line in io.TextIOWrapper(bundle.open(_records_name(bundle)), encoding="utf-8"):
            record = json.loads(line)
            yield (record["track"], record["problem"], record["subject"], record["seed"]), record


def _records_name(bundle: zipfile.ZipFile) -> str:
    return next(name for name in bundle.namelist() if name.endswith("records.jsonl"))


def differences(before: Records, after: Records) -> list[tuple[str, ...]]:
    """A row per difference: track, problem, subject, seed, field, before, after."""
    rows: list[tuple[str, ...]] = []
    for cell in sorted({*before, *after}):
        name = tuple(map(str, cell))
        if cell not in before or cell not in after:
            rows.append((*name, "record", str(cell in before), str(cell in after)))
            continue
        for field in COMPARED:
            old, new = before[cell].get(field), after[cell].get(field)
            if not _equal(old, new):
                rows.append((*name, field, json.dumps(old)[:400], json.dumps(new)[:400]))
    return rows


def renewed(before: Records, after: Records) -> set[tuple[str, str]]:
    """Track and name of the subjects whose digests differ."""
    return {
        (track, subject)
        for track, problem, subject, seed in {*before} & {*after}
        if before[track, problem, subject, seed].get("subject_digest")
        != after[track, problem, subject, seed].get("subject_digest")
    }


def _equal(old: object, new: object) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return old == new or (math.isnan(old) and math.isnan(new))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_equal(old[key], new[key]) for key in old if not _measured(key))
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_equal, old, new))
    return old == new


def _measured(key: str) -> bool:
    return key.endswith("seconds")


def main() -> None:
    """Compare, print what differs, and keep it as CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--start", default=START, help="the commit to compare with [%(default).12s]")
    parser.add_argument("--track", action="append", help="one track only; may be repeated")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only-start", action="store_true", help="store the records of the starting commit and stop")
    options = parser.parse_args()
    tracks = tuple(options.track or ("cases", "conformal", "drift", "formula", "insight"))
    base = BUILD / options.start[:12]
    tree = base / "tree"
    if not tree.is_dir():
        tree.mkdir(parents=True)
        packed = subprocess.run(["git", "archive", options.start, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x", "-C", str(tree)], input=packed.stdout, check=True)
    before = records(tree / "src", base / "records", tracks=tracks, workers=options.workers)
    print(f"{len(before):,} records at {options.start[:12]}")
    if options.only_start:
        return
    now = BUILD / "now"
    shutil.rmtree(now, ignore_errors=True)
    after = records(ROOT / "src", now, tracks=tracks, workers=options.workers)
    rows = differences(before, after)
    print(f"{len(renewed(before, after)):,} subjects have another digest, which is no difference of results")
    with (BUILD / "differences.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("track", "problem", "subject", "seed", "field", "before", "after"), *rows])
    for row in rows[:20]:
        print(" | ".join(row))
    print(f"{len(after):,} records now: {len(rows):,} differences")
    raise SystemExit(1 if rows else 0)


if __name__ == "__main__":
    main()
