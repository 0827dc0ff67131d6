"""Run files, options of the command line, subjects, stores, exports and what is shipped between machines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.cli.run import _read_limits
from assay.cli.shared.options import read_pairs, read_settings
from assay.core import get_track, parse_call
from assay.core.files.text import read_json
from assay.harness import (
    RunSpec,
    Store,
    check_store,
    make_runner,
    merge_stores,
    read_run_file,
    resolve_subject,
    run,
)
from assay.harness.process.usage import read_usage, relayed
from assay.harness.programs.program import read_program
from assay.harness.runners.shipping import pack_problem
from assay.harness.sources import file_source
from assay.harness.store.store import STORE_NAME
from assay.intake.archives import unpack
from assay.publish.bundle.examining import cases_of, draw_sample
from assay.publish.bundle.local_track import resolve_track
from assay.publish.bundle.reading import open_bundle
from assay.publish.bundle.writing import write_bundle
from assay.report import load, write_archive
from assay.report.comparing import match_subject
from assay.report.gates.judging import judge_gates
from assay.report.gates.reading import read_fail_under, read_not_worse
from fuzz.containers import mutate_bundle, mutate_export, mutate_store, zipped
from fuzz.targets.target import Target, of_file, of_text
from fuzz.targets.tracks import smallest

__all__ = ["option_targets", "run_targets", "store_targets"]

_RUN = b"""out = "r"
workers = 2
[[run]]
track = "cases"
subjects = ["vote"]
seeds = [0, 1]
problems = ["builtin", "x"]
environment = ["HOME"]
isolation = "confined"
network = false
readable = "data"
[run.budget]
seconds = 3
memory_mb = 512
[run.limits.vote]
memory_mb = 100
[run.settings]
preset = "x"
deep.er = 1.5
"""
_FLAT = b'track = "insight"\nsubjects = "oracle"\nsettings = {fast = true}\n'
_SUBJECT = """import json
from pathlib import Path as P
import helper, os.path
if True:
    def solve(task, budget):
        return task
"""


def option_targets(folder: Path) -> Iterator[Target]:
    """The small parsers of options and names."""
    calls = ("knn(k=5, weighting='cubed')", "command(run='sh agent.sh', folder='x')", "a.b:c(x=[1,2.5,'y'])")
    yield of_text("subject", parse_call, *calls, weight=40)
    yield of_text("--fail-under", read_fail_under, "0.8", "auroc=0.8", "a=b=1e3", "x(k=1),y:z:m@1=0", weight=10)
    yield of_text("names of earlier results", read_not_worse, "old", "a,b(c=1):old,auroc,by=0.02", weight=10)
    yield of_text(
        "--limit", lambda text: _limited(text.split("\n")), "slow:seconds=300", "a:b:memory_mb=4096", weight=10
    )
    yield of_text(
        "--set", lambda text: read_settings(text.split("\n")), "depth=3\nfast=true", "a=[1]\nb='x'", weight=10
    )
    insight = get_track("insight")

    def configured(text: str) -> object:
        from assay.insight.examine.config import InsightConfig

        return InsightConfig.read(insight.configure(read_settings(text.split("\n"))))

    settings = (
        "preset=insight-eval\nMAX_DEPTH=12",
        "COVERAGE_METRIC_WEIGHTS.correlation=0.5\nfast=true",
        "N_SAMPLES=9",
    )
    yield of_text("settings of insight", configured, *settings, weight=10)

    def columns(text: str) -> object:
        return read_pairs(text.split("\n"), "--column", "give ROLE=NAME")

    yield of_text("--column", columns, "case=a\ntime=b", weight=5)
    yield of_text("name of a subject", lambda text: match_subject(text, ("knn(k=5)", "vote")), "knn", "vote", weight=5)
    place = folder / "options"
    yield of_file("run file", place / "run.toml", read_run_file, (_RUN, _FLAT), weight=40)
    yield of_file("json object", place / "a.json", read_json, (b'{"id": "x", "tags": {"a": 1}}',), weight=20)
    used = b'{"tokens": 120, "cost_usd": 0.5, "model": "x"}'
    yield of_file("usage", place / "usage.json", lambda path: relayed(read_usage(path)), (used,), weight=10)


def _limited(texts: list[str]) -> object:
    """The limits, also as a run takes them."""
    limits = _read_limits(tuple(texts))
    return RunSpec(track="cases", subjects=tuple(limits), limits=limits)


def run_targets(folder: Path) -> Iterator[Target]:
    """What subjects consist of and what is shipped; the built-in problems lie in the folder already."""
    yield from _subjects(folder / "subjects")
    yield from _shipped(folder / "shipped", smallest(get_track("formula"), folder / "formula"))


def store_targets(folder: Path) -> Iterator[Target]:
    """What a run leaves; one on a built-in problem is run for it."""
    problem, whole = smallest(get_track("formula"), folder / "formula"), folder / "whole"
    spec = RunSpec(track="formula", subjects=("oracle", "linear"), problems=(str(problem),), isolation="none")
    run((spec,), out=whole, runner=lambda scratch: make_runner("local", 1, scratch=scratch))
    with Store(whole):  # opened for writing and closed: everything is in the one file
        pass
    yield from _stores(folder / "stores", whole)
    yield from _exports(folder / "exports", whole)
    yield from _bundles(folder / "bundles", whole)


def _subjects(folder: Path) -> Iterator[Target]:
    place = folder / "program"
    place.mkdir(parents=True)
    (place / "agent.sh").write_text("exit 0\n")
    (place / "helper.py").write_text("import json\n")

    def program(text: str) -> object:
        return read_program(parse_call(text), folder).digest

    def reference(text: str) -> object:
        if Path(text.rpartition("=")[2].strip()).is_absolute():
            return None  # whoever names a folder anywhere on the disk wants it to be read
        return resolve_subject(text, get_track("cases"), folder=place)

    yield of_text("program", program, "command(run='sh agent.sh --deep', folder='program')", "command(run='./a')")
    texts = (
        "mine=agent.py:solve",
        "vote",
        "knn(k=3)",
        "ready:answers",
        "./agent.py",
        "helper:solve",
        "command(run='ls')",
    )
    yield of_text("reference to a subject", reference, *texts, weight=10)
    source = (_SUBJECT.encode(), b"from . import helper\nfrom .. import x\nfrom helper import *\nsubject = 3\n")
    yield of_file("subject file", place / "agent.py", lambda path: file_source(path).digest, source, weight=5)


def _shipped(folder: Path, problem: Path) -> Iterator[Target]:
    """Archives may hold any name; nothing may appear beside the folder they are unpacked into."""
    inside = folder / "inside"
    inside.mkdir(parents=True)

    def read(data: bytes) -> object:
        try:
            return unpack(data, inside / "new")
        finally:
            shutil.rmtree(inside / "new", ignore_errors=True)

    yield Target("shipped archive", (pack_problem(problem),), read, weight=2, mutate=zipped(), root=inside)


def _stores(folder: Path, whole: Path) -> Iterator[Target]:
    seed = (whole / STORE_NAME).read_bytes()
    place, merged = folder / "one", folder / "merged"

    def look(_: Path) -> object:
        for name in (f"{STORE_NAME}-wal", f"{STORE_NAME}-shm"):
            (place / name).unlink(missing_ok=True)
        report = check_store(place)
        with Store(place, read_only=True) as store:
            for entry in store.runs():
                store.cells(entry.id)
        return report, load(place)

    def merge(_: Path) -> object:
        try:
            return merge_stores(merged, [place])
        finally:
            shutil.rmtree(merged, ignore_errors=True)

    yield of_file("store", place / STORE_NAME, look, (seed,), weight=2, breaking=mutate_store)
    yield of_file("store merge", place / STORE_NAME, merge, (seed,), weight=1, breaking=mutate_store)


def _exports(folder: Path, whole: Path) -> Iterator[Target]:
    folder.mkdir(parents=True)
    write_archive(load(whole), folder / "run.zip", with_html=False, resamples=100)
    seed = (folder / "run.zip").read_bytes()

    def read(path: Path) -> object:
        results = load(path)
        return judge_gates([read_fail_under("0.5")], results)

    yield of_file("export", folder / "run.zip", read, (seed,), weight=2, breaking=mutate_export)


def _bundles(folder: Path, whole: Path) -> Iterator[Target]:
    """All that is read of a bundle before an answer is examined."""
    folder.mkdir(parents=True)
    write_bundle(whole, folder / "bundle.zip")
    seed = (folder / "bundle.zip").read_bytes()

    def read(path: Path) -> object:
        with open_bundle(path) as bundle, tempfile.TemporaryDirectory(dir=folder) as draft:
            if any(bundle.changed_bytes()):
                return None
            place = Path(draft)
            for bundled in bundle.tracks():
                local = resolve_track(bundle, bundled, place, metrics=(), trust_metrics=False)
                sample = draw_sample(bundled.records, 1.0, bundle.digest, "")
                cases_of(local, bundle, place, sample)
                [str(difference) for difference in local.differences]
        return None

    yield of_file("bundle", folder / "bundle.zip", read, (seed,), weight=2, breaking=mutate_bundle)
