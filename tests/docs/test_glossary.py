"""The glossary holds for all that users read: help, errors, docstrings, comments and pages."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tools.words import banned_phrases, commands, find_phrases, texts, unclear_help


@pytest.fixture(scope="module")
def phrases(root: Path) -> tuple[str, ...]:
    return banned_phrases((root / "docs" / "glossary.md").read_text(encoding="utf-8"))


def test_the_page_bans_the_phrases_of_the_house_style(phrases: tuple[str, ...]) -> None:
    assert {"mended", "there is no such", "for want of", "kinds of trouble", "the same one, the same bytes"} <= set(
        phrases
    )
    assert len(phrases) >= 40


def test_no_banned_phrase_stands_in_code_or_on_a_page(root: Path, phrases: tuple[str, ...]) -> None:
    found = [hit for place, text in texts(root) for hit in find_phrases(place, text, phrases)]
    assert not found, "\n".join(f"{hit.place}: {hit.phrase!r} in ...{hit.around}..." for hit in found)


def test_all_of_the_source_and_every_page_is_searched(root: Path) -> None:
    places = {place for place, _ in texts(root)}
    assert {"src/assay/cli/run.py", "src/assay/core/errors.py", "docs/index.md", "README.md"} <= places
    assert len(places) > 500


@pytest.mark.parametrize(
    "planted",
    [
        'raise InvalidInput(f"{path}: there is no such file.")',
        'raise InvalidInput(\n    f"{path}: there is no "\n    "such file."\n)',
        "# perhaps for want\n# of memory",
        '"""The defect was Mended."""',
        "Give a folder of\nready answers.",
    ],
)
def test_a_planted_phrase_is_found(planted: str, phrases: tuple[str, ...]) -> None:
    assert list(find_phrases("planted", planted, phrases))


def test_every_command_and_option_says_what_it_does(phrases: tuple[str, ...]) -> None:
    from assay.cli.main import cli

    known = list(commands(cli, "assay"))
    assert len(known) > 60
    unclear = [text for name, command in known for text in unclear_help(name, command)]
    assert not unclear, "\n".join(unclear)
    shown = [(name, command.get_help(click.Context(command, info_name=name))) for name, command in known]
    found = [hit for name, text in shown for hit in find_phrases(name, text, phrases)]
    assert not found, "\n".join(f"{hit.place}: {hit.phrase!r} in ...{hit.around}..." for hit in found)


def test_help_that_is_missing_or_begins_elsewhere_is_found() -> None:
    options = [
        click.Option(["--limit"], help="Of the whole run: no cell begins after it."),
        click.Option(["--seed"], help="May be repeated."),
        click.Option(["--out"]),
        click.Option(["--good"], help="Write to FILE."),
    ]
    unclear = list(unclear_help("assay x", click.Command("x", params=options)))
    assert [text.partition(":")[0] for text in unclear] == [
        "assay x",
        "assay x --limit",
        "assay x --seed",
        "assay x --out",
    ]
