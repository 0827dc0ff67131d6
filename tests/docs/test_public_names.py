"""Public is what ``__all__`` lists, and the documentation mentions all of it."""

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
    *(
        "assay.core",
        "assay.stats",
        "assay.sandbox",
        "assay.chat",
        "assay.harness",
        "assay.charts",
        "assay.report",
        "assay.testing",
    ),
    *("assay.cases", "assay.conformal", "assay.drift", "assay.formula", "assay.insight"),
    *("assay.drift.metrics", "assay.formula.metrics", "assay.insight.metrics"),
)
INTERNAL = {"assay.api", "assay.cli", "assay.intake"}  # used through commands and tracks, not imported by users


@pytest.fixture(scope="module")
def page(hooks: ModuleType) -> str:
    """The page of public names as it is published, generated parts included."""
    return str(hooks.prepare((ROOT / "docs" / "api.md").read_text(encoding="utf-8"), []))


def described(page: str, package: str) -> dict[str, str]:
    """The names in a package's section, with what is said of them."""
    _, found, rest = page.partition(f"\n## {package}\n")
    assert found, f"docs/api.md has no section {package!r}"
    section = rest.partition("\n## ")[0]
    return dict(re.findall(r"^- \*\*`(\w+)`\*\*(?: `\([^`]*\)`)?: (.*)$", section, re.MULTILINE))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_described(page: str, package: str) -> None:
    names = described(page, package)
    public = importlib.import_module(package).__all__
    missing = sorted(set(public) - set(names))
    assert not missing, f"write a docstring, or a line in docs/api.md, for {', '.join(missing)} of {package}"
    assert not [name for name in public if len(names[name].split()) < 2]
    gone = sorted(set(names) - set(public))
    assert not gone, f"docs/api.md describes {', '.join(gone)}, which {package} does not offer"


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
