from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.tools.test_import_graph import write
from tools.quick import changed_files, select_tests


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {
            "src/assay/m/metric.py": "",
            "src/assay/m/registered.py": "from assay.m.metric import x\n",
            "src/assay/m/report.py": "from assay.m.registered import x\n",
            "tests/m/test_metric.py": "",  # the mirror, which need not import anything
            "tests/m/test_registered.py": "from assay.m.registered import x\n",
            "tests/m/test_report.py": "from assay.m.report import x\n",
            "tests/a/test_user.py": "from assay.m.metric import x\n",
            "tests/a/helpers.py": "from assay.m.metric import x\n",
        },
    )
    return tmp_path


def test_tests_come_nearest_first_and_what_is_further_away_is_named(tree: Path) -> None:
    selection = select_tests(tree, [tree / "src/assay/m/metric.py"])
    assert [path.relative_to(tree).as_posix() for path in selection.targets] == [
        "src/assay/m/metric.py",
        "tests/m/test_metric.py",
        "tests/a/test_user.py",
        "tests/m/test_registered.py",
    ]
    assert [path.name for path in selection.left_out] == ["test_report.py"]
    fewer = select_tests(tree, [tree / "src/assay/m/metric.py"], most=1)
    assert [path.name for path in fewer.targets] == ["metric.py", "test_metric.py"]
    assert len(fewer.left_out) == 3


def test_a_changed_test_a_deleted_module_and_a_changed_conftest_have_tests_too(tree: Path) -> None:
    assert select_tests(tree, [tree / "tests/a/test_user.py"]).targets == [tree / "tests/a/test_user.py"]
    assert select_tests(tree, [tree / "tests/a/conftest.py"]).targets == [tree / "tests/a/test_user.py"]
    (tree / "src/assay/m/metric.py").unlink()
    assert select_tests(tree, [tree / "src/assay/m/metric.py"]).targets == [tree / "tests/m/test_metric.py"]
    assert select_tests(tree, [tree / "README.md"]) == ([], [])


def test_changed_is_what_differs_from_the_last_commit_or_from_main(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=/dev/null"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    write(tmp_path, {"old.py": "", "gone.py": "", ".gitignore": "build/\n"})
    git("add", "--all")
    git("commit", "--message", "one")
    assert changed_files(tmp_path) == []
    git("switch", "--create", "work")
    write(tmp_path, {"old.py": "x = 1\n", "new file.py": "", "build/made.py": ""})
    (tmp_path / "gone.py").unlink()
    expected = [tmp_path / name for name in ("gone.py", "new file.py", "old.py")]
    assert changed_files(tmp_path) == expected
    git("add", "--all")
    git("commit", "--message", "two")
    assert changed_files(tmp_path) == expected
