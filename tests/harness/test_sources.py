"""What a user's subject consists of is found in its source."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.core.files.digest import digest_implementation
from assay.harness.sources import file_source, module_source

USER = "a66c08ac7a8ec7ffb6b333ade12fd77ba5095b3eeb12d514917dde932ef92162"
BUILT_IN = "35e4826c3141c4ea9ef276583c3eecae41c5673b70d8b6d2dc103a0bb35f0e92"
SOLVE = "def solve(task, budget): ...\n"


def parts(folder: Path, source: str) -> dict[str, str]:
    (folder / "agent.py").write_text(source + SOLVE)
    return file_source(folder / "agent.py").parts()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words.txt").write_text("a")
    (tmp_path / "weights.json").write_text("{}")
    (tmp_path.parent / "outside.txt").write_text("")
    (tmp_path / "link.txt").symlink_to(tmp_path.parent / "outside.txt")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("W = 'weights.json'\n", {"weights.json"}),
        ("W = open(HERE / 'data' / 'words.txt')\n", {"data/words.txt"}),
        ("W = os.path.join(HERE, 'data', 'words.txt')\n", {"data/words.txt"}),
        ("W = 'data/../weights.json'\n", {"weights.json"}),
        ("W = 'data'\n", set()),
        ("W = 'absent.txt', '', 'x' * 3, '../outside.txt', 'link.txt', '\\0', 'agent.py'\n", set()),
        (f"W = {'a' * 5000!r}\n", set()),
    ],
)
def test_a_data_file_that_the_source_names_is_part_of_the_subject(folder: Path, source: str, names: set[str]) -> None:
    assert set(parts(folder, source)) == {"agent.py", *names}


def test_versions_of_imported_distributions_are_parts_and_nothing_is_imported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "gplearn", raising=False)  # another test may have needed it
    (folder / "helper.py").write_text("import yaml_of_nobody\n")
    source = "import json, sklearn.svm\nimport helper\nfrom assay.core import Budget\ndef late():\n    import gplearn\n"
    loaded = set(sys.modules)
    digests = parts(folder, source)
    assert set(digests) == {"agent.py", "helper.py", "scikit-learn", "assay-discovery", "gplearn", "yaml_of_nobody"}
    assert digests["yaml_of_nobody"] == "not installed"
    assert digests["scikit-learn"][0].isdigit()
    assert set(sys.modules) == loaded


def test_beside_an_installed_module_lie_libraries_not_its_own_files() -> None:
    digests = module_source("gplearn.genetic", "SymbolicRegressor", sys.path).parts()
    assert {"gplearn/__init__.py", "gplearn/genetic.py", "gplearn/functions.py"} <= set(digests)
    assert {"numpy", "scikit-learn"} <= set(digests)
    assert not any(name.startswith(("numpy/", "sklearn/")) for name in digests)


def test_the_way_digests_are_made_is_that_of_0_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # another way would have every stored answer of every user solved again
    (tmp_path / "agent.py").write_text(SOLVE)
    assert file_source(tmp_path / "agent.py").digest == USER
    package = tmp_path / "pinned_example"
    package.mkdir()
    (package / "__init__.py").write_text("from pinned_example.two import value\n")
    (package / "one.py").write_text(
        '"""Doc."""\nfrom pinned_example import value\n\ndef f(x=1): return f"{x}{value}"\n'
    )
    (package / "two.py").write_text("value: int = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert digest_implementation("pinned_example.one") == BUILT_IN
