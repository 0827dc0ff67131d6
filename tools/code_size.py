"""How large every package is: files, code lines and the largest folder, now or at any commit.

``python -m tools.code_size`` prints a table; ``--commit`` names an earlier state of the repository.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

__all__ = ["Size", "code_lines", "sizes"]

PACKAGE = PurePosixPath("src/assay")
ROOT = Path(__file__).resolve().parent.parent
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """Of one package; the largest folder is counted in modules."""

    files: int
    lines: int
    largest_folder: int


def code_lines(source: str) -> int:
    r"""Lines that hold code: without docstrings, comments and blank lines.

    >>> code_lines('"What it is."\n\nx = (  # why\n    1\n)\n')
    3
    >>> code_lines('def f() -> str:\n    "Text."\n    return "a"\n')
    2
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - set(_docstring_lines(ast.parse(source))))


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)


def sizes(modules: Mapping[PurePosixPath, str]) -> dict[str, Size]:
    """The size of every package, from the sources by their path inside of assay; ``all`` comes last.

    >>> sizes({PurePosixPath("core/a.py"): "x = 1", PurePosixPath("core/b/c.py"): "y = 2"})["core"]
    Size(files=2, lines=2, largest_folder=1)
    """
    lines: dict[str, list[int]] = defaultdict(list)
    folders: dict[str, Counter[PurePosixPath]] = defaultdict(Counter)
    for path, source in modules.items():
        count = code_lines(source)
        for package in ("all", path.parts[0] if len(path.parts) > 1 else "(top)"):
            lines[package].append(count)
            folders[package][path.parent] += path.name != "__init__.py"
    order = [*sorted(lines.keys() - {"all"}), "all"]
    return {name: Size(len(lines[name]), sum(lines[name]), max(folders[name].values())) for name in order}


def _modules(commit: str | None) -> Iterator[tuple[PurePosixPath, str]]:
    if commit is None:
        root = ROOT / PACKAGE
        for path in root.rglob("*.py"):
            yield PurePosixPath(path.relative_to(root)), path.read_text(encoding="utf-8")
        return
    packed = subprocess.run(["git", "archive", commit, str(PACKAGE)], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name.endswith(".py") else None
            if content is not None:
                yield PurePosixPath(member.name).relative_to(PACKAGE), content.read().decode()


def main(arguments: Iterable[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commit", help="count this state of the repository [the files as they are]")
    options = parser.parse_args(None if arguments is None else list(arguments))
    print("| package | files | code lines | largest folder |\n|---|---|---|---|")
    for package, size in sizes(dict(_modules(options.commit))).items():
        print(f"| `{package}` | {size.files:,} | {size.lines:,} | {size.largest_folder} |")


if __name__ == "__main__":
    main()
