"""Every example of the README and of the documentation is run, page by page, in the order of the page.

- A ``python`` block is run; the blocks of a page share a namespace.
- In a ``console`` block, lines that start with ``$ `` are run by bash and must exit with 0; a ``\\`` at the end of a
  line goes on with the next one. Lines below a command stand in what it prints at 80 columns, in one piece.
- A block with a file name after its language, as in ``toml study.toml``, is written to that file.
- A block ``text output`` (``text output long``) stands in what the ``python`` block before it printed.
- ``python long`` and ``console long`` are run in the long tests only.
- ``console no-run`` and every other block is only shown.

A line that is one ``assay`` command, with ``|| echo "exit code $?"`` where it is to fail, is run in this process.

In output that is shown, ``...`` stands for anything: lines that are left out, times, and figures that differ.

All of a page happens in one temporary folder. A line ``<!-- needs: PACKAGE -->`` names a package that is no part of the
normal environment: without it the page is skipped.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import linecache
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import click
import pytest

from assay.cli.main import cli, main

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
LANGUAGES_RUN = {"python", "console"}

_ASSAY = re.compile(r'assay (?P<words>[^|&;<>$`#]+?)(?P<may_fail>\s+\|\| echo "exit code \$\?")?')
_NEEDS = re.compile(r"^<!-- needs: (\w+) -->$", re.MULTILINE)
_FENCE = re.compile(r"^(?P<indent>[ ]*)(?P<fence>`{3,}|~{3,})[ ]*(?P<info>[^\n`]*)$")


class Block(NamedTuple):
    """A fenced block: the words after the fence, its text, and the line on which the text starts."""

    info: tuple[str, ...]
    text: str
    line: int

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""

    @property
    def file(self) -> str | None:
        return next((word for word in self.info[1:] if "." in word), None)


def blocks_of(markdown: str) -> Iterator[Block]:
    """The fenced blocks of a page; one that is never closed is an error."""
    opened: re.Match[str] | None = None
    lines: list[str] = []
    start = 0
    for number, line in enumerate(markdown.splitlines(), start=1):
        match = _FENCE.match(line)
        if opened is None:
            if match is not None:
                opened, lines, start = match, [], number + 1
        elif match is not None and match["fence"].startswith(opened["fence"]) and not match["info"].strip():
            yield Block(tuple(opened["info"].split()), "\n".join(lines) + "\n", start)
            opened = None
        else:
            lines.append(line.removeprefix(opened["indent"]))
    assert opened is None, f"the block that starts before line {start} is never closed"


class Command(NamedTuple):
    """A command of a ``console`` block: what bash gets, the line of the page, and the output that the page shows."""

    text: str
    line: int
    shown: str


def commands_of(block: Block) -> list[Command]:
    commands: list[Command] = []
    goes_on = False
    for number, line in enumerate(block.text.splitlines(keepends=True), start=block.line):
        if goes_on or line.startswith("$ "):
            if goes_on:
                commands[-1] = commands[-1]._replace(text=commands[-1].text + line)
            else:
                commands.append(Command(line[2:], number, ""))
            goes_on = line.endswith("\\\n")
        elif commands:
            commands[-1] = commands[-1]._replace(shown=commands[-1].shown + line)
    return commands


def is_run(block: Block) -> bool:
    return "no-run" not in block.info and (block.language in LANGUAGES_RUN or block.file is not None)


def is_output(block: Block) -> bool:
    return block.info[:2] == ("text", "output")


def check_output(place: str, shown: str, printed: str) -> None:
    """What a page shows must stand in what was printed; blanks at the ends of lines do not count."""
    want, got = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (shown, printed))
    checker = doctest.OutputChecker()
    assert checker.check_output(f"...\n{want}...\n", f"\n{got}\n", doctest.ELLIPSIS), (
        f"{place}: the page shows\n{want}but this is printed:\n{got}"
    )


def is_long(block: Block) -> bool:
    return "long" in block.info


def run_page(page: str, blocks: list[Block], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do what the page says, in the folder; where a package is missing that it needs, the test is skipped."""
    for needed in _NEEDS.findall((ROOT / page).read_text(encoding="utf-8") if (ROOT / page).is_file() else ""):
        pytest.importorskip(needed, reason=f"{page} needs {needed}: `make connections` runs it")
        warnings.simplefilter("ignore")  # those of the package
    module = ModuleType("snippets_of_a_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses look their module up
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    source = python_lines(blocks)  # functions of a page are subjects, taken with their source
    monkeypatch.setitem(linecache.cache, page, (sum(map(len, source)), None, source, page))
    printed = io.StringIO()
    for block in blocks:
        if is_output(block):
            check_output(f"{page}, line {block.line}", block.text, printed.getvalue())
        elif not is_run(block):
            continue
        elif block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            # as many empty lines before it as on the page: a traceback names the page's own line
            code = compile("\n" * (block.line - 1) + block.text, page, "exec")
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(code, vars(module))
        else:
            run_console(page, block, folder)


def python_lines(blocks: list[Block]) -> list[str]:
    """The Python of a page on the page's own lines."""
    lines: list[str] = []
    for block in filter(is_run, blocks):
        if block.language == "python" and block.file is None:
            lines += ["\n"] * (block.line - 1 - len(lines)) + block.text.splitlines(keepends=True)
    return lines


def run_assay(words: list[str]) -> tuple[int, str]:
    """The exit code and all that a command prints, run here: starting an interpreter costs a second each time."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), pytest.raises(SystemExit) as ended:
        main(words)
    return int(ended.value.code or 0), printed.getvalue()


def run_bash(text: str, folder: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return done.returncode, done.stdout


def run_console(page: str, block: Block, folder: Path) -> None:
    for command in commands_of(block):
        alone = _ASSAY.fullmatch(command.text.replace("\\\n", " ").strip())
        code, printed = run_assay(shlex.split(alone["words"])) if alone else run_bash(command.text, folder)
        if alone and alone["may_fail"] and code:
            code, printed = 0, f"{printed}exit code {code}\n"
        place = f"{page}, line {command.line}"
        assert code == 0, f"{place}: $ {command.text}exits with {code}\n{printed}"
        check_output(place, command.shown, printed)


# the first pages of the tracks and the tutorials are tried with every commit, the other pages in the long tests
OFTEN = {page for folder in ("start", "tutorials") for page in (ROOT / "docs" / folder).glob("*.md")}
PARAMETERS = [pytest.param(page, marks=[] if page in OFTEN else [pytest.mark.soak]) for page in PAGES]
LONG = [page for page in PAGES if page in OFTEN and any(map(is_long, blocks_of(page.read_text(encoding="utf-8"))))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PARAMETERS, ids=name_of)
def test_every_example_of_a_page_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [block for block in blocks_of(page.read_text(encoding="utf-8")) if page not in LONG or not is_long(block)]
    run_page(name_of(page), blocks, tmp_path, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("page", LONG, ids=name_of)
def test_every_example_of_a_long_page_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(name_of(page), list(blocks_of(page.read_text(encoding="utf-8"))), tmp_path, monkeypatch)


def parse(words: list[str]) -> click.Context:
    """The context of a command line, down to its last command; nothing is run."""
    command: click.Command = cli
    context, rest = None, words
    while True:
        context = command.make_context(command.name, list(rest), parent=context)
        if not isinstance(command, click.Group):
            return context
        rest = [*context._protected_args, *context.args]
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None, name
        command = found


COMMANDS = sorted(
    {
        (page.relative_to(ROOT).as_posix(), line)
        for page in PAGES
        for block in blocks_of(page.read_text(encoding="utf-8"))
        if block.language == "console"
        for line in (" ".join(command.text.replace("\\\n", " ").split()) for command in commands_of(block))
        if re.fullmatch(r"assay [^|&;<>\\]+", line) and " --help" not in line
    }
)


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_every_command_of_a_page_has_options_that_exist(page: str, line: str) -> None:
    parse(shlex.split(line, comments=True)[1:])


def test_an_option_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(click.UsageError, match="No such option"):
        parse(["run", "cases", "--subjects", "vote"])


def test_the_pages_have_examples_to_run() -> None:
    run = [block for page in PAGES for block in blocks_of(page.read_text(encoding="utf-8")) if is_run(block)]
    assert sum(block.language == "python" for block in run) >= 10
    assert sum(block.language == "console" for block in run) >= 10


def page_of(*lines: str) -> list[Block]:
    return list(blocks_of("\n".join(lines)))


def test_blocks_share_a_namespace_and_files_and_stand_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = page_of(
        *("```text note.txt", "seven", "```"),
        *("```python", "number = 7", "```"),
        *("```console", "$ cat note.txt > copy.txt", "```"),
        *("```console no-run", "$ false", "```"),
        *("```python", "from pathlib import Path", "assert number == 7"),
        *("assert Path('copy.txt').read_text() == 'seven\\n'", "```"),
    )
    run_page("page", page, tmp_path, monkeypatch)


def test_a_failing_command_names_page_line_and_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match=r"page.md, line 3: \$ echo oh; exit 4\n\s*exits with 4\n\s*oh"):
        run_page("page.md", page_of("# Page", "```console", "$ echo oh; exit 4", "```"), tmp_path, monkeypatch)


def test_output_on_a_page_is_compared_with_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    console = page_of("```console", "$ printf '%s\\n' one two \\", "    three four", "two", "...", "fo...", "```")
    run_page("page.md", console, tmp_path, monkeypatch)
    with pytest.raises(AssertionError, match=r"page.md, line 2: the page shows\n\s*one\n\s*three\n"):
        run_page("page.md", page_of("```console", "$ seq 3", "one", "three", "```"), tmp_path, monkeypatch)
    python = ("```python", "print('a\\nb')", "```", "```text output")
    run_page("page.md", page_of(*python, "b", "```"), tmp_path, monkeypatch)
    with pytest.raises(AssertionError, match=r"page.md, line 5: the page shows\n\s*c\n"):
        run_page("page.md", page_of(*python, "c", "```"), tmp_path, monkeypatch)


def test_a_failing_block_and_a_warning_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        run_page("page.md", page_of("```python", "1 / 0", "```"), tmp_path, monkeypatch)
    with pytest.raises(UserWarning, match="careful"):
        run_page(
            "p.md", page_of("```python", "import warnings; warnings.warn('careful')", "```"), tmp_path, monkeypatch
        )


def test_a_block_that_is_never_closed_is_an_error() -> None:
    with pytest.raises(AssertionError, match="never closed"):
        page_of("```python", "1")
