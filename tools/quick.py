"""The fast inner loop, ``make quick``: style of the changed files, and the unmarked tests that they can break.

Changed is what differs from the last commit, untracked files included; in a clean tree, what differs from ``main``.
Tests come nearest first: those that mirror or import a changed file, then those one import further, up to a number of
test files. What is left out is said, and run by ``make test``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.import_graph import ImportGraph

__all__ = ["Selection", "changed_files", "main", "select_tests"]

ROOT = Path(__file__).parents[1]
MARKED = "process or ray or browser or golden or docs or fuzz or soak"
MOST_FILES = 40
FARTHEST = 2  # imports between a test file and a changed one
_NO_TESTS = 5  # what pytest returns when every test is marked


class Selection(NamedTuple):
    """What to give to pytest, and the test files further away."""

    targets: list[Path]
    left_out: list[Path]


def changed_files(root: Path) -> list[Path]:
    """Files that differ from the last commit, or from where ``main`` was left when nothing does; deleted ones too."""
    names = _git(root, "diff", "--name-only", "--no-renames", "HEAD") + _git(
        root, "ls-files", "--others", "--exclude-standard"
    )
    if not names:
        names = _git(root, "diff", "--name-only", "--no-renames", "main...HEAD")
    return sorted({root / name for name in names})


def select_tests(root: Path, changed: Sequence[Path], most: int = MOST_FILES) -> Selection:
    """Doctests of the changed files and the test files that depend on them, nearest first."""
    distances = ImportGraph(root).distances(changed)
    for path in changed:
        if (mirror := _mirror(root, path)).is_file():
            distances[mirror] = min(distances.get(mirror, 1), 1)
        if path.name == "conftest.py":
            below = path.parent.rglob("test_*.py")
            distances.update({test: min(distances.get(test, FARTHEST), FARTHEST) for test in below})
    packages = {_mirror(root, path).parent for path in changed}
    tests = sorted(
        (path for path in distances if _is_test(root, path)),
        key=lambda path: (distances[path], path.parent not in packages, path),
    )
    near = [path for path in tests if distances[path] <= FARTHEST][:most]
    doctests = [path for path in changed if path.is_file() and path.suffix == ".py" and root / "src" in path.parents]
    return Selection([*doctests, *near], tests[len(near) :])


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the style of the changed files, then run the tests; the first failure's code, or 0."""
    parser = argparse.ArgumentParser(prog="make quick", description=__doc__)
    parser.add_argument("--most", type=int, default=MOST_FILES, help="test files at most")
    parser.add_argument("--list", action="store_true", help="only name the tests")
    options = parser.parse_args(arguments)
    changed = changed_files(ROOT)
    selection = select_tests(ROOT, changed, options.most)
    print(f"{len(changed)} changed files, {len(selection.targets)} files with tests to run", flush=True)
    if selection.left_out:
        print(f"{len(selection.left_out)} test files further away are left to make test", flush=True)
    targets = [path.relative_to(ROOT).as_posix() for path in selection.targets]
    if options.list:
        print("\n".join(targets))
        return 0
    sources = [str(path) for path in changed if path.suffix == ".py" and path.is_file()]
    if sources:
        for style in (("check",), ("format", "--check")):
            if code := _call("ruff", *style, "--force-exclude", *sources):
                return code
    if not targets:
        return 0
    code = _call("pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", f"not ({MARKED})", *targets)
    return 0 if code == _NO_TESTS else code


def _call(module: str, *arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode


def _git(root: Path, *arguments: str) -> list[str]:
    process = subprocess.run(["git", "-C", root, *arguments, "-z"], capture_output=True, text=True, check=True)
    return process.stdout.split("\0")[:-1]


def _is_test(root: Path, path: Path) -> bool:
    return root / "tests" in path.parents and path.name.startswith("test_")


def _mirror(root: Path, path: Path) -> Path:
    """Where the tests of a module lie: ``src/assay/a/b.py`` has ``tests/a/test_b.py``."""
    package = root / "src" / "assay"
    inside = path.relative_to(package) if package in path.parents else Path()
    return root / "tests" / inside.parent / f"test_{path.name}"


if __name__ == "__main__":
    sys.exit(main())
