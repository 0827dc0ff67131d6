"""``assay init``: a study that runs at once, to be edited."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from assay.cli.shared.options import PATH
from assay.core import AnyTrack
from assay.core.display import shell_word
from assay.core.files.drafts import demand_new_folder

__all__ = ["init", "scaffold"]

SUBJECT = "subject.py"


@click.command(epilog="Example: assay init cases my-study && assay run my-study/run.toml")
@click.argument("track")
@click.argument("folder", metavar="DIR", type=PATH)
def init(track: str, folder: Path) -> None:
    """Scaffold a study of TRACK in DIR: one example problem, a subject of your own, a run file."""
    from assay.core import get_track

    for path in scaffold(get_track(track), folder):
        click.echo(f"wrote {path}")
    if (folder / SUBJECT).is_file():
        click.echo(f"Look what it gets and gives: assay check {shell_word(folder / SUBJECT)} --track {track}")
    click.echo(f"Try it: assay run {shell_word(folder / 'run.toml')}")


def scaffold(track: AnyTrack, folder: Path) -> list[Path]:
    """Write the study; an existing folder with something in it is left alone."""
    from assay.core import find_problems

    demand_new_folder(folder)
    with tempfile.TemporaryDirectory() as name:
        track.builtin(Path(name))
        example = find_problems(Path(name), marker=track.marker)[0]
        shutil.copytree(example, folder / "problems" / example.name)
    subjects = sorted(track.subjects)[:2]
    paths = [folder / "problems" / example.name]
    if track.template:
        paths.append(folder / SUBJECT)
        paths[-1].write_text(track.template, encoding="utf-8")
        subjects.insert(0, SUBJECT)
    paths.append(folder / "run.toml")
    listed = ", ".join(f'"{subject}"' for subject in (*subjects, "oracle"))
    paths[-1].write_text(
        f'track = "{track.name}"\nproblems = "problems"\nsubjects = [{listed}]\nseeds = [0]\nout = "results"\n\n'
        f"[budget]\nseconds = 60\nmemory_mb = 2048\n",
        encoding="utf-8",
    )
    return paths
