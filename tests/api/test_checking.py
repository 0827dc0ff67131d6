"""One subject on one small problem, step by step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.api import Check, check
from assay.api.checking import _own_frames
from assay.cli.check import check_command
from assay.core import AnyTrack, InvalidInput

STEPS = ["subject", "task", "call", "answer", "evidence", "scores"]
Write = Callable[[str], Path]


@pytest.fixture
def agent(tmp_path: Path) -> Write:
    def write(body: str) -> Path:
        path = tmp_path / "agent.py"
        path.write_text(f"def solve(task, budget):\n    {body}\n")
        return path

    return write


def names(report: Check) -> list[str]:
    return [step.name for step in report.steps]


def test_a_subject_that_works_is_shown_step_by_step(parity: AnyTrack, agent: Write) -> None:
    report = check(agent("print('hello')\n    return [n % 2 == 0 for n in task.numbers]"), "parity")
    assert report.ok
    assert names(report) == STEPS
    assert (report.problem, dict(report.scores)) == ("numbers-0", {"accuracy": 1.0}), "the smallest, by bytes"
    text = report.text
    assert "1 subject   an object of a Python file:" in text
    assert "numbers: tuple of 12 entries: (0, 3, 6, 9, ...)" in text
    assert "| hello" in text
    assert "accuracy ↑ 1.000, the headline" in text
    assert f"It works. To run it: assay run parity --subject {agent('')}" in text
    assert report._repr_html_().startswith("<pre>agent on problem numbers-0 of track parity")


def test_the_next_command_names_the_problems_of_the_user(parity: AnyTrack, tmp_path: Path) -> None:
    folder = tmp_path / "my problems"
    parity.builtin(folder)
    assert check("divide", "parity", problem=folder).next == f"assay run parity --problems '{folder}' --subject divide"


@pytest.mark.parametrize(
    ("body", "steps", "kind", "reason"),
    [
        ("return task.nmbers", 3, "exception", "Did you mean 'numbers'? Task has: numbers."),
        ("return None", 4, "malformed answer", "solve returned None: it cannot be encoded (TypeError"),
        ("return [True]", 4, "malformed answer", "1 claims for 12 numbers"),
        ("import time; time.sleep(60)", 3, "timeout", "no answer within 1 s"),
    ],
)
def test_a_subject_that_breaks_is_shown_up_to_where_it_breaks(
    parity: AnyTrack, agent: Write, body: str, steps: int, kind: str, reason: str
) -> None:
    report = check(str(agent(body)), "parity", seconds=1 if kind == "timeout" else 30)
    assert not report.ok
    assert report.failure is not None
    assert (names(report), report.failure.step) == (STEPS[:steps], STEPS[steps - 1])
    assert report.failure.kind == kind
    assert reason in report.failure.reason
    assert not report.scores
    assert f"It does not work yet: step {report.failure.step!r} failed." in report.text
    assert max(map(len, report.text.replace(str(agent("")), "").splitlines())) <= 80
    assert ("--seconds 300" in report.text) is (kind == "timeout")


def test_only_the_subjects_own_lines_of_a_traceback_are_shown(parity: AnyTrack, agent: Write) -> None:
    report = check(agent("import json\n    return json.loads('{')"), "parity")
    assert report.failure is not None
    assert report.failure.traceback == ("agent.py, line 3, in solve", "    return json.loads('{')")
    assert "decoder.py" not in report.text


def test_a_function_is_checked_as_it_is(parity: AnyTrack) -> None:
    def mine(task: Any) -> Any:
        return task.numbers.nothing

    report = check(mine, "parity")
    assert report.failure is not None
    assert report.failure.traceback == ("in mine", "    return task.numbers.nothing")
    assert report.subject == "mine"


def test_a_program_and_ready_answers_are_shown_what_they_get(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text('#!/bin/sh\necho working\necho "[true]" > "$2"\n')
    (tmp_path / "agent.sh").chmod(0o755)
    report = check(tmp_path / "agent.sh", "parity", readable=["/bin"])
    assert "problem.json: " in report.text
    assert "truth" not in report.text
    assert "| working" in report.text
    assert report.failure is not None
    assert report.failure.step == "answer"
    (tmp_path / "answers").mkdir()
    report = check(tmp_path / "answers", "parity")
    assert report.failure is not None
    assert (report.failure.step, report.failure.kind) == ("answer", "missing answer")


def test_a_program_without_an_answer_is_shown_where_to_write_it(tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text("#!/bin/sh\necho hi\n")
    (tmp_path / "agent.sh").chmod(0o755)
    for track in ("formula", "insight"):
        report = check(tmp_path / "agent.sh", track, readable=["/bin"])
        assert report.failure is not None
        assert report.failure.kind == "missing answer"
        assert report.failure.reason.startswith("the program wrote nothing to its second argument, the ")
        assert "A program gets two arguments" in report.text
        assert "folder of answers" not in report.text


def test_the_contract_of_the_step_is_shown() -> None:
    report = check(lambda task: None, "formula")
    assert "solve(task, budget) returns a formula over task.variables as text" in report.text
    assert report.failure is not None
    assert report.failure.reason.startswith("solve returned None. An answer of the formula track is a formula over ")
    assert report.problem == "exact-4"


def test_wrong_input_is_an_error_before_anything_runs(parity: AnyTrack, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="2 subjects are given. Give one"):
        check(["oracle", "divide"], "parity")
    with pytest.raises(InvalidInput, match="No subject named 'divid'. Did you mean 'divide'"):
        check("divid", "parity")
    with pytest.raises(InvalidInput, match="problem folder not found"):
        check("oracle", "parity", problem=tmp_path / "nothing")


def test_no_problem_at_all_is_the_users_mistake(parity: AnyTrack) -> None:
    with pytest.raises(InvalidInput, match="check: 0 problems are given. Give one"):
        check("oracle", "parity", problem=[])


def test_one_variable_and_one_path_may_stand_alone_as_for_a_run(
    parity: AnyTrack, agent: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "yes")
    (tmp_path / "notes.txt").write_text("yes")
    message = f"import os\n    print(os.environ['MINE'], open({str(tmp_path / 'notes.txt')!r}).read())"
    answer = "\n    return [n % 2 == 0 for n in task.numbers]"
    report = check(agent(message + answer), "parity", environment="MINE", readable=tmp_path / "notes.txt")
    assert report.ok
    assert "yes yes" in report.log


def test_the_command_says_by_its_exit_code_whether_it_works(parity: AnyTrack, agent: Write) -> None:
    def call(*arguments: str) -> tuple[Any, str]:
        result = CliRunner().invoke(check_command, [*arguments, "--track", "parity"], standalone_mode=False)
        assert result.exception is None
        return result.return_value, result.output

    assert call("divide")[0] == 0
    code, output = call(str(agent("return 1 / 0")), "--json", "--isolation", "none")
    content = json.loads(output)
    assert (code, content["ok"], content["failure"]["step"]) == (1, False, "call")
    assert "ZeroDivisionError" in content["failure"]["reason"]
    assert content["failure"]["traceback"] == [f"{agent('')}, line 2, in solve", "    return 1 / 0"]


def test_a_check_leaves_nothing_behind(parity: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check("divide", "parity")  # the built-in problems are kept for as long as this process lives
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert check("divide", "parity").ok
    assert not list(tmp_path.iterdir())


def test_a_folder_whose_name_begins_like_that_of_python_is_the_subject_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.prefix", "/opt/python")
    frames = [f'  File "/opt/{folder}/agent.py", line 2, in solve' for folder in ("python", "python-agents")]
    log = "\n".join(["Traceback (most recent call last):", *frames, "ValueError: x"])
    assert _own_frames(log, lines=True) == ("/opt/python-agents/agent.py, line 2, in solve",)
