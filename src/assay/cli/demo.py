"""``assay demo``: every track on its built-in problems."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.options import cores, workers_option
from assay.core import MissingExtra

__all__ = ["demo"]


@click.command(epilog="Example: assay demo --out demo-results")
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo-results"), show_default=True, metavar="DIR")
@workers_option
def demo(out: Path, workers: int | None) -> int:
    """Run every track on its built-in problems with its own subjects, and write the report."""
    from assay.cli.outcome import conclude
    from assay.cli.progress import BarProgress
    from assay.core import get_track, track_names
    from assay.harness import RunSpec, run
    from assay.report import load, write_html

    specs = []
    for name in track_names():
        track = get_track(name)
        subjects = []
        for subject, factory in sorted(track.subjects.items()):
            try:
                factory()
            except MissingExtra as error:
                click.echo(f"{name}: without {subject}. {error}", err=True)
                continue
            subjects.append(subject)
        specs.append(RunSpec(track=name, subjects=(*subjects, "oracle")))
        click.echo(f"{name}: {track.question}", err=True)
    result = run(specs, out=out, workers=workers or cores(), progress=BarProgress())
    code = conclude(result, fail_under=None, as_json=False, quiet=False)
    report = out / "report.html"
    write_html(load(out), report)
    click.echo(f"Report: {report.resolve()}")
    return code
