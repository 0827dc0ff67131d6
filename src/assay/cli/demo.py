"""``assay demo``: every track on its built-in problems, with a few subjects that differ."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from assay.cli.shared.options import out_option, workers_option
from assay.core import Call, InvalidInput, MissingExtra, UnknownName, parse_call

if TYPE_CHECKING:
    from assay.core import AnyTrack

__all__ = ["SUBJECTS", "demo", "demo_subjects"]

ORACLE: Final = "oracle"
# a few of each kind, so that the whole takes minutes; a track that is not named here brings all of its subjects
SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cases": (
        "correspondence",
        "vote",
        "trust-score",
        "max-probability",
        "nearest-distance",
        "conformal-knn",
        "detector",
    ),
    "conformal": (
        *("auto", "global", "taskwise", "classwise", "mondrian", "joint", "max-rank", "bonferroni"),
        *("mapie", "crepes", "likeliest-class", "full-set"),
    ),
    "drift": ("explainer", "bm25", "date-only", "random"),
    "formula": ("discover(seconds=4)", "polynomial", "linear", "gplearn(population=200, generations=8)"),
    "insight": ("relational", "nothing", "base-columns", "target"),
}


@click.command(epilog="Example: assay demo --out demo-results")
@out_option("demo-results", "Write results and report to this folder.")
@click.option("--track", "chosen", multiple=True, metavar="NAME", help="Run only this track; repeatable.")
@workers_option
def demo(out: Path, chosen: tuple[str, ...], workers: int | None) -> int:
    """Run every track on its built-in problems with several subjects, and write the report."""
    from assay.api.progress import BarProgress
    from assay.api.running import run_specs
    from assay.cli.shared.summary import conclude
    from assay.core import get_track, track_names
    from assay.harness import RunSpec

    specs = []
    for name in chosen or track_names():
        track = get_track(name)
        subjects = demo_subjects(track)
        specs.append(RunSpec(track=name, subjects=subjects))
        click.echo(f"{name}: {track.question}", err=True)
    results = run_specs(specs, out=out, workers=workers, progress=BarProgress())
    code = conclude(results, as_json=False, quiet=False)
    report = results.to_html(out / "report.html")
    click.echo(f"Report: {report.resolve()}")
    return code


def demo_subjects(track: AnyTrack) -> tuple[str, ...]:
    """The subjects of a track's demonstration that can run here, the oracle last; those that cannot are named."""
    names = SUBJECTS.get(track.name, tuple(sorted(track.subjects)))
    runnable = [subject for subject in names if _runs(track, parse_call(subject))]
    return (*runnable, ORACLE)


def _runs(track: AnyTrack, call: Call) -> bool:
    if call.name in track.privileged:
        return True
    try:
        if call.name not in track.subjects:
            raise UnknownName(f"subject of track {track.name!r}", call.name, track.subjects)
        track.subjects[call.name](**call.parameters)
    except (MissingExtra, InvalidInput) as error:
        click.echo(f"{track.name}: without {call.name}. {error}", err=True)
        return False
    return True
