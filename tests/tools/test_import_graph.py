from __future__ import annotations

from pathlib import Path

from tools.import_graph import ImportGraph


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_importers_are_found_at_their_distance_and_through_names_that_packages_hand_on(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "src/assay/a/__init__.py": "from assay.a.one import value as public\nfrom assay.a.other import more\n",
            "src/assay/a/one.py": "import os\nvalue = 1\n",
            "src/assay/a/other.py": "more = 2\n",
            "src/assay/b.py": "def late():\n    from assay.a import public\n    return public\n",
            "tests/test_b.py": "import assay.b\n",
            "tests/a/test_other.py": "from assay.a import more\n",
        },
    )
    distances = ImportGraph(tmp_path).distances([tmp_path / "src/assay/a/one.py", tmp_path / "README.md"])
    assert {path.relative_to(tmp_path).as_posix(): distance for path, distance in distances.items()} == {
        "src/assay/a/one.py": 0,
        "src/assay/a/__init__.py": 1,
        "src/assay/b.py": 1,
        "tests/test_b.py": 2,
    }
