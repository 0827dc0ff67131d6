"""Local variables that say what happened to a value (``found``, ``told``) instead of what it holds.

``python -m tools.local_names`` lists them, a line each; ``tests/tools/test_local_names.py`` keeps the list empty.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["BANNED", "Local", "banned_locals", "sources"]

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "benchmarks", "tools", "fuzz", "examples", "docs")
BANNED = frozenset(
    {"asked", "found", "got", "heard", "held", "made", "meant", "said", "spoken", "taken", "told", "wanted"}
)
TERMS = ("held_out", "not_found")
EMITTED = ("src/assay/insight/search/kernels.py",)  # its text is written into features, whose digests it would change


class Local(NamedTuple):
    """A name that is assigned, and the line where it is."""

    line: int
    name: str


def banned_locals(source: str) -> Iterator[Local]:
    r"""Names that are assigned in a text and begin or end with a banned word, in the order of the text.

    >>> [local.name for local in banned_locals("found = 1\nfor told in []: pass\nfoundation = 2\nlast_said: int = 3")]
    ['found', 'told', 'last_said']
    >>> list(banned_locals("held_out = 1\nclass Row:\n    found: int = 0"))
    []
    """
    tree = ast.parse(source)
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    names = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields
    ]
    for node in sorted(names, key=lambda node: (node.lineno, node.col_offset)):
        name = node.id.strip("_").lower()
        words = name.split("_")
        if not name.startswith(TERMS) and not BANNED.isdisjoint((words[0], words[-1])):
            yield Local(node.lineno, node.id)


def sources() -> Iterator[Path]:
    """Every Python file whose names are read: all but the tests, and what is copied into answers."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if str(path.relative_to(ROOT)) not in EMITTED:
                yield path


def main() -> None:
    """Print file, line and name of each."""
    for path in sources():
        for local in banned_locals(path.read_text(encoding="utf-8")):
            print(f"{path.relative_to(ROOT)}:{local.line}: {local.name}")


if __name__ == "__main__":
    main()
