from __future__ import annotations

import re
import tomllib
from importlib.metadata import EntryPoint, EntryPoints, PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from assay.core.files import extras as module
from assay.core.files.extras import extras, install_hint
from assay.version import DISTRIBUTION

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


class Installed:
    """A distribution as an installer left it."""

    def __init__(self, *requires: str, track: str = "assay.cases:TRACK") -> None:
        self.requires = list(requires)
        self.entry_points = EntryPoints([EntryPoint("cases", track, "assay.tracks")])


@pytest.fixture(autouse=True)
def fresh() -> Any:
    extras.cache_clear()
    yield
    extras.cache_clear()


def installed(monkeypatch: pytest.MonkeyPatch, **libraries: Installed) -> None:
    def distribution(name: str) -> Installed:
        if name.replace("-", "_") not in libraries:
            raise PackageNotFoundError(name)
        return libraries[name.replace("-", "_")]

    monkeypatch.setattr(module, "distribution", distribution)


def test_the_metadata_bears_the_name_that_the_package_knows() -> None:
    assert PROJECT["name"] == DISTRIBUTION != "assay"
    assert PROJECT["scripts"] == {"assay": "assay.cli.main:main"}


def test_every_extra_of_the_project_is_known_with_its_libraries() -> None:
    entries = {
        extra: sorted(re.sub(r"\s", "", text) for text in texts)
        for extra, texts in PROJECT["optional-dependencies"].items()
    }
    stored = extras()
    assert stored, "Assay is not installed"
    for extra in stored:  # an environment may have been installed before an extra was added
        assert sorted(stored[extra].values()) == entries[extra]


def test_a_hint_names_libraries_and_never_a_distribution_called_assay(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, assay_discovery=Installed("numpy>=2", 'pysr<3,>=1.0; extra == "pysr"'))
    assert install_hint(["pysr"], "pysr") == "pip install 'pysr<3,>=1.0'"
    assert install_hint(["pysr", "other"], "none") == "pip install 'pysr' 'other'"


def test_somebody_elses_distribution_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, assay=Installed('pysr>=9; extra == "pysr"', track="other:TRACK"))
    assert extras() == {}
    extras.cache_clear()
    installed(monkeypatch, assay=Installed('pysr>=1; extra == "pysr"'))
    assert extras() == {"pysr": {"pysr": "pysr>=1"}}


def test_no_text_of_the_project_tells_to_install_assay_from_an_index() -> None:
    texts = [*ROOT.glob("src/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md", *ROOT.glob("benchmarks/*.py")]
    hint = re.compile(r"pip install (?:--?[\w-]+ )*[\"']?assay\b")
    assert [str(path) for path in texts if hint.search(path.read_text(encoding="utf-8"))] == []
