from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.harness.callables.conftest import Recapture, Script, load
from tests.harness.callables.values_table import REFUSED, WORKS

from assay.core import InvalidInput
from assay.harness.callables import SourceUnavailable, capture


@pytest.mark.parametrize("title", WORKS)
def test_a_value_does_the_same_after_it_was_captured(title: str, script: Script, recapture: Recapture) -> None:
    source, value, question = WORKS[title]
    main = script(source)
    original = eval(value, vars(main))
    captured = recapture(original)
    vars(main).clear()  # nothing may be looked up where it came from
    script(source)
    fresh = eval(value, vars(sys.modules["__main__"]))
    assert _shown(eval(question, {"it": captured})) == _shown(eval(question, {"it": fresh}))


def _shown(value: Any) -> str:
    return repr(value)


@pytest.mark.parametrize("title", REFUSED)
def test_a_value_that_cannot_be_captured_is_refused_with_a_remedy(title: str, script: Script, tmp_path: Path) -> None:
    source, value, message = REFUSED[title]
    main = script(source)
    with pytest.raises(InvalidInput, match=message) as error:
        capture(eval(value, vars(main)), tmp_path, name="value")
    assert "\n" not in str(error.value)
    assert "hunter2" not in str(error.value)


def test_the_value_of_a_secret_variable_is_refused(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "correcthorsebattery")
    main = script("GREETING = 'correcthorsebattery'\ndef solve(t):\n    return GREETING")
    with pytest.raises(InvalidInput, match="the environment variable SERVICE_TOKEN would be written"):
        capture(main.solve, tmp_path, name="solve")


def test_words_that_only_sound_secret_are_captured(script: Script, recapture: Recapture) -> None:
    main = script("token, end_token = 'sentence', '<|endoftext|>'\ndef solve(t):\n    return token, end_token")
    assert recapture(main.solve)(1) == ("sentence", "<|endoftext|>")


def test_a_function_without_source_is_refused(tmp_path: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec("def solve(task):\n    return 1", names)
    with pytest.raises(
        SourceUnavailable, match="function 'solve': was defined interactively.*Put the subject into a file"
    ):
        capture(names["solve"], tmp_path, name="solve")


def test_source_that_changed_since_is_refused(script: Script, tmp_path: Path) -> None:
    main = script("def solve(task):\n    return 1\nclass Mine:\n    def solve(self, task, budget):\n        return 3")
    (tmp_path / "script.py").write_text(
        "def solve(t):\n    return 2\nclass Mine:\n    def solve(self, t, b):\n        return 4"
    )
    for value in (main.solve, main.Mine, main.Mine()):
        with pytest.raises(
            SourceUnavailable, match=r"line [14] of .*script.py is no longer its source. Define it again"
        ):
            capture(value, tmp_path, name="solve")


def test_two_helpers_of_one_name_are_refused(script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "first_module.py").write_text("def helper():\n    return 1\ndef make():\n    return lambda: helper()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    main = script(
        "import first_module\nf = first_module.make()\n"
        "def helper():\n    return 2\ndef solve(t):\n    return f() + helper()"
    )
    with pytest.raises(SourceUnavailable, match="two different objects of that name are needed.*Rename one"):
        capture(main.solve, tmp_path / "out", name="solve")
    monkeypatch.delitem(sys.modules, "first_module")


def test_local_modules_are_copied_with_all_that_they_import(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "mylib"
    package.mkdir()
    (package / "__init__.py").write_text("from .model import Model\n")
    (package / "model.py").write_text(
        "from mylib import deep\nclass Model:\n    def solve(self, t, b):\n        return deep.K\n"
    )
    (package / "deep.py").write_text("K = 6\n")
    (package / "unused.py").write_text("raise SystemExit\n")
    (tmp_path / "beside.py").write_text("def f(t):\n    return t\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    main = script(
        "import mylib\nfrom beside import f\nmodel = mylib.Model()\n"
        "def solve(t):\n    import mylib.deep\n    return f(t) + model.solve(t, None) + mylib.deep.K"
    )
    path = capture(main.solve, tmp_path / "out", name="solve")
    files = {file.relative_to(path.parent).as_posix() for file in path.parent.rglob("*.py")}
    assert files == {"subject.py", "beside.py", "mylib/__init__.py", "mylib/model.py", "mylib/deep.py"}
    for name in [name for name in sys.modules if name.split(".")[0] in ("mylib", "beside")]:
        monkeypatch.delitem(sys.modules, name)
    process = subprocess.run(
        [sys.executable, "-c", "import subject; print(subject.subject(1))"],
        cwd=path.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.stdout.strip() == "13", process.stderr


DETERMINED = """
import sys
from pathlib import Path
WORDS = {"pear", "apple", "fig", "plum"}
KINDS = frozenset({("a", 1), ("b", 2), ("c", 3)})
ROWS = list(range(2000))
class Mine:
    def __init__(self):
        self.words = WORDS
    def solve(self, task, budget):
        return sorted(self.words), KINDS, sum(ROWS), len(task)
"""
CAPTURED = """
from assay.harness.callables import capture
print(capture(Mine(), Path(sys.argv[1]), name="mine"))
"""


def test_equal_values_give_equal_files_in_every_process(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(DETERMINED + CAPTURED)
    contents = []
    for seed in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "script.py", str(tmp_path / seed)],
            capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert process.returncode == 0, process.stderr
        path = Path(process.stdout.strip())
        contents.append({file.name: file.read_bytes() for file in path.parent.iterdir()})
    assert set(contents[0]) == {"subject.py", "captured_1.json"}
    assert contents[0] == contents[1]
    assert load(path).solve("ab", None)[2:] == (1999000, 2)


def test_an_edit_is_another_file_and_a_comment_is_not(script: Script, tmp_path: Path) -> None:
    paths = []
    for edit in ("", "  # a comment", " + 1"):
        main = script(DETERMINED.replace("len(task)", f"len(task){edit}"))
        paths.append(capture(main.Mine(), tmp_path / "out", name="mine"))
    assert paths[0] == paths[1] != paths[2]


def test_a_captured_value_is_written_once_and_another_beside_it(script: Script, tmp_path: Path) -> None:
    main = script("pair = [lambda t: t + 1, lambda t: t + 2]")
    first = capture(main.pair[0], tmp_path / "out", name="lambda")
    assert capture(main.pair[0], tmp_path / "out", name="lambda") == first
    assert capture(main.pair[1], tmp_path / "out", name="lambda") != first
