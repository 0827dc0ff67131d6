"""``assay show``: one record in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from assay.cli.shared.options import folder_argument, json_option, print_json
from assay.core import InvalidInput, Json, Record, UnknownName

__all__ = ["show"]


@click.command(epilog="Example: assay show results 3fa9c1   or   assay show results iris-decision-tree/vote/0")
@folder_argument
@click.argument("record", required=False)
@click.option("--subject", metavar="NAME", help="Show the first record of this subject, instead of RECORD.")
@click.option("--problem", metavar="ID", help="Show the first record on this problem.")
@click.option("--seed", type=int, metavar="N", help="Show the first record with this seed.")
@json_option
def show(
    folder: Path, record: str | None, subject: str | None, problem: str | None, seed: int | None, as_json: bool
) -> None:
    """Show one RECORD of DIR in full: the start of its key, or problem/subject/seed, or by --subject and --problem."""
    from assay.harness import Store

    options = {"subject": subject, "problem": problem, "seed": seed}
    filters = {name: value for name, value in options.items() if value is not None}
    if (record is None) == (not filters):
        raise InvalidInput("name the record: its key, problem/subject/seed, or --subject NAME --problem ID.")
    with Store(folder, read_only=True) as store:
        by_key = store.find_records(record) if record is not None else ()
        latest = () if by_key else [entry for run in store.latest_runs() for entry in store.records(run.id)]
        chosen = _first(latest, filters) if record is None else _choose(record, latest, by_key)
        printed = store.answer(chosen.answer_key).log
    from assay.report.conversation import conversation_of, conversation_text

    conversation = conversation_of(chosen)
    if as_json:
        messages: dict[str, Json] = (
            {"conversation": [message._asdict() for message in conversation]} if conversation else {}
        )
        print_json({**chosen.to_json(), **messages, "log": printed})
        return
    from rich.console import Console
    from rich.text import Text

    from assay.report import record_view

    console = Console()
    console.print(record_view(chosen))
    if conversation:
        console.print(Text(f"Conversation:\n{conversation_text(conversation)}"))
    if printed:
        console.print(Text(f"What the subject printed:\n{printed.rstrip()}"))


def _choose(text: str, latest: Sequence[Record], by_key: tuple[Record, ...]) -> Record:
    if len(by_key) == 1:
        return by_key[0]
    if by_key:
        keys = ", ".join(record.key[:12] for record in by_key[:5])
        raise InvalidInput(
            f"record {text!r} is ambiguous: {len(by_key)} keys start so ({keys}, ...). Give more letters."
        )
    named = [record for record in latest if text in _names(record)]
    if not named:
        examples = ", ".join(_path(record) for record in latest[:3])
        raise InvalidInput(f"No record {text!r}. Give the start of a key or problem/subject/seed, such as {examples}.")
    return named[0]


def _first(latest: Sequence[Record], filters: Mapping[str, str | int]) -> Record:
    """The first record that has all of this, a failed one before others."""
    if "subject" in filters:
        from assay.report.comparing import match_subject

        filters = {**filters, "subject": match_subject(str(filters["subject"]), {record.subject for record in latest})}
    for name, value in filters.items():
        values = {getattr(record, name) for record in latest}
        if value not in values:
            raise UnknownName(name, str(value), sorted(map(str, values)))
    matches = [record for record in latest if all(getattr(record, name) == value for name, value in filters.items())]
    if not matches:
        criteria = ", ".join(f"{name} {value}" for name, value in filters.items())
        raise InvalidInput(f"no record has {criteria}.")
    return min(matches, key=lambda record: record.status != "failed")


def _names(record: Record) -> tuple[str, ...]:
    """The full path, also without the seed, and with the subject's name cut before its parameters."""
    short = f"{record.problem}/{record.subject.partition('(')[0]}"
    return _path(record), f"{record.problem}/{record.subject}", f"{short}/{record.seed}", short


def _path(record: Record) -> str:
    return f"{record.problem}/{record.subject}/{record.seed}"
