"""Public is what ``__all__`` lists, and the API pages show all of it."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "assay"
PACKAGES = (
    "assay",
    *(
        "assay.core",
        "assay.stats",
        "assay.sandbox",
        "assay.chat",
        "assay.harness",
        "assay.charts",
        "assay.report",
        "assay.serve",
        "assay.testing",
        "assay.connections",
    ),
    *("assay.cases", "assay.conformal", "assay.drift", "assay.formula", "assay.insight"),
    *("assay.connections.pytest", "assay.connections.sklearn", "assay.connections.inspect"),
    *("assay.connections.mlflow", "assay.connections.tuning"),
    *("assay.cases.metrics", "assay.conformal.metrics", "assay.conformal.regions"),
    *("assay.drift.metrics", "assay.formula.metrics", "assay.insight.metrics", "assay.insight.features"),
)
INTERNAL = {"assay.api", "assay.cli", "assay.intake", "assay.publish"}  # used through assay itself, commands and tracks
ADDRESSES = {"__version__"}  # what needs no description


def page_of(package: str) -> Path:
    """A track's metrics, and whatever else it has below its top, are on its own page."""
    return ROOT / "docs" / "api" / f"{package.split('.')[min(1, package.count('.'))]}.md"


def shown(hooks: ModuleType, package: str) -> dict[str, str]:
    """The names on a package's page, with the line that describes those without a docstring of their own."""
    page = hooks.prepare(page_of(package).read_text(encoding="utf-8"))
    directives = re.findall(rf"^::: {re.escape(package)}\.(\w+)$", page, re.MULTILINE)
    by_hand = [] if package.count(".") > 1 else re.findall(r"^- \*\*`(\w+)`\*\*: (.*)$", page, re.MULTILINE)
    return dict.fromkeys(directives, "see its docstring") | dict(by_hand)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_on_its_page(hooks: ModuleType, package: str) -> None:
    names = shown(hooks, package)
    public = set(importlib.import_module(package).__all__) - ADDRESSES
    if package.count(".") > 1:  # what the track itself shows is on the page already
        public -= set(importlib.import_module(package.rpartition(".")[0]).__all__)
    missing = sorted(public - set(names))
    page = page_of(package).relative_to(ROOT)
    assert not missing, f"write a docstring, or a line in {page}, for {', '.join(missing)} of {package}"
    assert not [name for name in public if len(names[name].split()) < 2]
    gone = sorted(set(names) - public)
    assert not gone, f"{page} describes {', '.join(gone)}, which {package} does not offer"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_is_listed_once(package: str) -> None:
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def modules() -> list[Path]:
    """Modules that others may import from; the cli's command modules are reached through the command only."""
    found = [path for path in SOURCE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py")]
    return sorted(path for path in found if "templates" not in path.parts and path.parent != SOURCE / "cli")


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_every_module_says_what_is_public(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    targets = [
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert "__all__" in targets


def test_the_public_packages_are_all_packages_of_the_library() -> None:
    found = {f"assay.{path.parent.name}" for path in SOURCE.glob("*/__init__.py")}
    assert found - INTERNAL == {package for package in PACKAGES if package.count(".") == 1}
