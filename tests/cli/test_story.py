"""A run of eight subjects of which six are broken in six ways: the terminal alone tells which, why and what to do."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.main import cli
from assay.cli.shared.story import command_lines
from assay.core.track import AnyTrack

BROKEN = {
    "raises.py": "def solve(task, budget):\n    weights = {}\n    return weights['a rather long key ' * 6]\n",
    "none.py": "def solve(task, budget):\n    return None\n",
    "slow.py": "import time\n\n\ndef solve(task, budget):\n    time.sleep(60)\n",
    "short.py": "def solve(task, budget):\n    return (True,) * (len(task.numbers) // 2)\n",
    "hog.py": "def solve(task, budget):\n    return bytearray(400 << 20)\n",
}
WHY = {
    "raises": ("exception", "(raises.py, line 3, in solve)"),
    "none": ("malformed answer", "solve returned None: it cannot be encoded"),
    "slow": ("timeout", "no answer within 0.5 s"),
    "short": ("malformed answer", "3 claims for 7 numbers"),
    "hog": ("memory", "needed more than 256 MB"),
    "my agent": ("crashed", "the program ended with exit status 3"),
}


@pytest.fixture
def study(tmp_path: Path, parity: AnyTrack, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folder with the subjects, and the command line of the run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, source in BROKEN.items():
        Path(name).write_text(source)
    Path("my agent.sh").write_text("#!/bin/sh\nexit 3\n")
    Path("my agent.sh").chmod(0o755)
    for index, size in enumerate((7, 9)):
        folder = Path("problems", f"numbers-with-a-rather-long-name-{index}")
        (folder / "truth").mkdir(parents=True)
        numbers = list(range(size))
        (folder / "problem.json").write_text(json.dumps({"track": "parity", "numbers": numbers}))
        (folder / "truth" / "even.json").write_text(json.dumps([number % 2 == 0 for number in numbers]))
    subjects = [*BROKEN, "my agent.sh", "divide", "oracle"]
    options = ["--problems", "problems", "--out", "my results", "--memory-mb", "256", "--workers", "1"]
    limits = ["--limit", "slow:seconds=0.5"]
    return ["run", "parity", *(word for name in subjects for word in ("--subject", name)), *options, *limits]


def call(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, words, standalone_mode=False)
    assert result.exception is None, result.exception
    assert (result.return_value or 0) == code
    return result


def commands(text: str) -> list[list[str]]:
    """The commands in a text, as a shell would read them."""
    joined = re.sub(r" \\\n +", " ", text)
    return [shlex.split(line) for line in joined.splitlines() if line.startswith("    assay ")]


def test_the_terminal_alone_tells_which_subjects_failed_why_and_what_to_do(study: list[str]) -> None:
    result = call(*study)
    assert "12 of 16 cells failed: 4 solved, 12 failed. Results in my results." in result.stderr
    assert result.stderr.startswith("assay: preparing parity")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "…" not in result.stdout
    _, _, story = result.stdout.partition("What went wrong (6 reasons)\n")
    blocks = story.split("\n\n")
    for subject, (kind, reason) in WHY.items():
        (block,) = [block for block in blocks if block.strip().startswith(f"{subject}: all 2 cells failed ({kind})")]
        assert reason in " ".join(block.split())
        assert "First: numbers-with-a-rather-long-name-0, seed 0" in block
    assert "a rather long key " * 6 in " ".join(story.split())
    assert "If it needs more: add --limit slow:seconds=1 to the run." in story
    assert "If it needs more: add --limit hog:memory_mb=512 to the run." in story

    typed = commands(story)
    shown = [words for words in typed if words[1] == "show"]
    assert [words[words.index("--subject") + 1] for words in shown] == sorted(WHY)
    for words in shown:
        assert "status          failed" in call(*words[1:]).stdout
    tried = {words[2] for words in typed if words[1] == "check"}
    assert tried == {"raises.py", "none.py", "short.py", "my agent.sh"}
    for words in typed:
        if words[1] == "check":
            assert words[words.index("--problem") + 1] == "problems/numbers-with-a-rather-long-name-0"
            assert words[words.index("--memory-mb") + 1] == "256"
    assert (
        "It does not work yet" in call(*next(words for words in typed if words[2] == "my agent.sh")[1:], code=1).stdout
    )
    again = typed[-1]
    assert sorted(again[1:]) == sorted([*study, "--retry-failed"])

    Path("short.py").write_text("def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)\n")
    repaired = call(*study)
    assert "10 of 16 cells failed: 2 solved, 14 from the store (10 of them failed)." in repaired.stderr
    report = call("report", "my results").stdout
    assert "What went wrong (5 reasons)" in report
    body = json.loads(call(*study, "--json").stdout)
    assert body["outcome"]["reused_failed"] == 10
    assert {entry["subject"]: entry["kind"] for entry in body["failures"]} == {
        name: kind for name, (kind, _) in WHY.items() if name != "short"
    }
    assert all(entry["cells"] == entry["of"] == 2 and entry["next"] for entry in body["failures"])


def test_set_up_mistakes_end_with_2_and_keep_going_leaves_them_out(study: list[str]) -> None:
    Path("my agent.sh").chmod(0o644)
    Path("none.py").write_text("import no_such_module\n\n\ndef solve(task, budget):\n    return None\n")
    options = ["--subject", "my agent.sh", "--subject", "none.py", "--subject", "divide", "--out", "other", "--quiet"]
    with_problems = ["run", "parity", "--problems", "problems", *options]
    refused = CliRunner().invoke(cli, with_problems, standalone_mode=False)
    assert "chmod +x 'my agent.sh'" in str(refused.exception)
    Path("my agent.sh").chmod(0o755)
    refused = CliRunner().invoke(cli, with_problems, standalone_mode=False)
    assert "1 of 3 subjects cannot be run; nothing was run:" in str(refused.exception)
    assert "No module named 'no_such_module' (none.py, line 1" in str(refused.exception)
    stored = call(*with_problems, "--keep-going", code=2)
    assert "Left out: subject 'none': cannot be loaded: ModuleNotFoundError" in stored.stderr
    assert "2 of 4 cells failed: 2 solved, 2 failed." in stored.stderr


def test_a_long_command_is_broken_between_words_and_can_be_pasted() -> None:
    command = """assay run parity --subject 'a b.py' --subject "command(run='x y')" --set k=3 --retry-failed"""
    lines = command_lines(command, 40)
    assert max(map(len, lines)) <= 40
    assert shlex.split(" ".join(line.removesuffix("\\") for line in lines)) == shlex.split(command)
    assert command_lines("assay run ... --retry-failed", 60) == ["assay run ... --retry-failed"]


def test_a_broken_metric_is_told_as_one_to_fix(
    parity: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.py").write_text("def typo(evidence):\n    return 1 / 0\n")
    call = ["run", "parity", "--subject", "divide", "--metric", "broken.py:typo", "--workers", "1", "--out", "out"]
    result = CliRunner().invoke(cli, call, catch_exceptions=False)
    assert "Fix the metric and run the same command again" in result.stdout
    assert "Not the subject's fault" not in result.stdout
