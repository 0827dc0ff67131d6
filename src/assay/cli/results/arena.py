"""``assay arena``: rounds on problems that did not exist when the subjects were submitted."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.shared.options import (
    folder_argument,
    headline_option,
    json_option,
    new_folder_option,
    print_json,
    together,
    workers_option,
)
from assay.core.display import counted, shell_word

if TYPE_CHECKING:
    from assay.publish.arena.revealing import Round

__all__ = ["arena"]

_HELP = """Compare subjects on problems that nobody can have seen: commit, enter, reveal, replay.

Example: assay arena commit round1 --family solved-laws --problems 20
"""


@click.group("arena", help=_HELP)
def arena() -> None:
    """All commands of an arena."""


_run_options = together(
    click.option("--seconds", type=float, help="Wall-clock limit of one answer [60]."), workers_option, json_option
)


@arena.command("commit", epilog="Example: assay arena commit round1 --family solved-laws --problems 20")
@folder_argument
@click.option(
    "--family",
    "families",
    multiple=True,
    required=True,
    metavar="NAME",
    help="Draw problems from this family; repeatable.",
)
@click.option(
    "--problems",
    type=int,
    default=20,
    show_default=True,
    metavar="N",
    help="Draw this many problems of each family, twice.",
)
@click.option(
    "--difficulty", default="easy", show_default=True, metavar="NAME", help="Set the difficulty: easy, medium or hard."
)
@click.option("--public-seed", default="", metavar="TEXT", help="Use the public seed of an earlier round [drawn].")
@json_option
def commit_command(
    folder: Path, families: tuple[str, ...], problems: int, difficulty: str, public_seed: str, as_json: bool
) -> None:
    """Open a round in DIR: draw a secret seed and write what is to be published.

    Publish DIR/commitment.json and DIR/public, and keep DIR/seed.secret. Families: solved-laws (laws of physics solved
    for another variable), laws-with-constants (with changed constants), renamed-worlds (insight, under invented names).
    """
    from assay.publish.arena.commitment import SEED, commit

    commitment = commit(folder, families, problems=problems, difficulty=difficulty, public_seed=public_seed)
    if as_json:
        print_json({**commitment.terms(), "commitment": commitment.digest})
        return
    click.echo(f"Commitment {commitment.digest}")
    click.echo(f"Publish {folder}/commitment.json and {folder}/public; keep {folder}/{SEED} to yourself.")
    click.echo(f"Subjects are submitted with: assay arena enter {shell_word(folder)} mine.py")


@arena.command("enter", epilog="Example: assay arena enter round1 mine.py")
@folder_argument
@click.argument("subject")
@click.option("--track", metavar="NAME", help="Choose the track, if the round has several.")
@json_option
def enter_command(folder: Path, subject: str, track: str | None, as_json: bool) -> None:
    """Submit SUBJECT, a Python file or a built-in subject: it is copied into DIR and digested."""
    from assay.publish.arena.entries import digest_of_entries, enter, read_entries

    entry = enter(folder, subject, track=track)
    entries = read_entries(folder)
    if as_json:
        print_json({**asdict(entry), "entries": digest_of_entries(entries)})
        return
    click.echo(f"{entry.name}: digest {entry.digest}")
    click.echo(f"{counted(len(entries), 'entry')}, digest of all {digest_of_entries(entries)}: publish it.")


@arena.command("reveal", epilog="Example: assay arena reveal round1")
@folder_argument
@click.option(
    "--seed",
    "seeds",
    multiple=True,
    type=int,
    default=(0,),
    metavar="N",
    help="Run subjects with this seed; repeatable.",
)
@_run_options
def reveal_command(
    folder: Path, seeds: tuple[int, ...], seconds: float | None, workers: int | None, as_json: bool
) -> None:
    """Generate the fresh problems of DIR from the secret seed and run every entry on them and on the public ones."""
    from assay.api.progress import choose_progress
    from assay.api.running import cores
    from assay.publish.arena.revealing import reveal

    watch = choose_progress(False if as_json else None)
    ended = reveal(folder, seeds=seeds, seconds=seconds, workers=workers or cores(), progress=watch)
    if as_json:
        print_json({"seed": ended.seed, "results": str(ended.results), "gaps": _gap_rows(ended)})
        return
    click.echo(f"Seed {ended.seed}")
    _show_gaps(ended)
    click.echo(
        f"Results: assay report {shell_word(ended.results)}. Publish {folder} without problems; "
        "others: assay arena replay."
    )


@arena.command("replay", epilog="Example: assay arena replay round1 --out again")
@folder_argument
@new_folder_option
@click.option("--seed", default="", metavar="HEX", help="Give the revealed seed, if DIR has no revealed.json.")
@_run_options
def replay_command(
    folder: Path, out: Path, seed: str, seconds: float | None, workers: int | None, as_json: bool
) -> int:
    """Do the round of DIR again from its seed: the same problems, the same subjects, and every record compared.

    Exit code 1 where something differs.
    """
    from assay.api.progress import choose_progress
    from assay.api.running import cores
    from assay.publish.arena.revealing import replay

    watch = choose_progress(False if as_json else None)
    again = replay(folder, out, seed=seed, seconds=seconds, workers=workers or cores(), progress=watch)
    if as_json:
        print_json(
            {
                "equal": again.equal,
                "problems": again.problems,
                "compared": again.compared,
                "differences": list(again.differences),
                "notes": list(again.notes),
                "gaps": _gap_rows(again.round),
            }
        )
    else:
        for line in again.notes:
            click.echo(f"Note: {line}")
        for line in again.differences:
            click.echo(line)
        verdict = "EQUAL" if again.equal else "DIFFERENT" if again.differences else "NOTHING TO COMPARE WITH"
        click.echo(f"{verdict}: {again.problems} problems drawn from the seeds, {again.compared} records compared.")
        _show_gaps(again.round)
    return 1 if again.differences else 0


@arena.command("gap", epilog="Example: assay arena gap round1 --metric r2")
@folder_argument
@headline_option
@json_option
def gap_command(folder: Path, metric: str | None, as_json: bool) -> None:
    """Show the memorisation gap of each subject of a finished round: public minus fresh score, with interval."""
    from assay.publish.arena.revealing import round_of

    ended = round_of(folder, metric=metric)
    if as_json:
        print_json(_gap_rows(ended))
        return
    _show_gaps(ended)


def _gap_rows(ended: Round) -> list[dict[str, object]]:
    return [{"family": family, **asdict(gap), "gap": gap.gap._asdict()} for family, gap in ended.gaps]


def _show_gaps(ended: Round) -> None:
    from assay.report import print_whole
    from assay.report.wording import format_number, format_signed

    lines = []
    for family in dict.fromkeys(name for name, _ in ended.gaps):
        gaps = [gap for name, gap in ended.gaps if name == family]
        lines.append(f"{family}, {gaps[0].metric}: public minus fresh, 95 % interval over {gaps[0].pairs} pairs")
        width = max(len(gap.subject) for gap in gaps)
        for gap in sorted(gaps, key=lambda gap: (-gap.fresh, gap.subject)):
            verdict = "memory" if gap.found else ""
            interval = f"[{format_signed(gap.gap.low)}, {format_signed(gap.gap.high)}]"
            if math.isnan(gap.gap.low):
                interval = "(too few pairs for an interval)"
            lines.append(
                f"  {gap.subject:{width}}  fresh {format_number(gap.fresh)}  public {format_number(gap.public)}  "
                f"gap {format_signed(gap.gap.value)} {interval}  {verdict}".rstrip()
            )
    print_whole("\n".join(lines))
