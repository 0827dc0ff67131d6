"""A marked secret, given in every way there is, is in no store, log, report, export or message."""

from __future__ import annotations

import io
import json
import os
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.fault_helpers import ASSAY

from assay.core import InvalidInput
from assay.core.track import AnyTrack
from assay.harness import RunSpec, Store, run
from assay.harness.process.secrets import Mask
from assay.harness.subject_ref import resolve_subject

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

MARK = "MARKED"
SECRET = f"sk-{MARK}-5f2a9c71d0"
PASSWORD = f"pw-{MARK}-77aa"
ADDRESS = f"http://user:{PASSWORD}@proxy.example:3128"

SUBJECTS = {
    "prints.py": "import os, sys\ndef solve(task, budget):\n"
    "    print(dict(os.environ), os.environ['AGENT_KEY'], 'x' * 3990)\n"
    "    sys.stderr.write(os.environ['AGENT_KEY'] * 40)\n"
    "    return tuple(n % 2 == 0 for n in task.numbers)\n",
    "raises.py": "import os\ndef solve(task, budget):\n"
    "    raise ValueError('y' * 380 + os.environ['AGENT_KEY'] + os.environ['AGENT_PROXY'])\n",
    "tells.py": "import os\ndef solve(task, budget):\n    return (os.environ['AGENT_KEY'],)\n",
    "kinds.py": "import os\nfrom assay.core import SubjectFailed\ndef solve(task, budget):\n"
    "    raise SubjectFailed(os.environ['AGENT_KEY'], 'password in ' + os.environ['AGENT_PROXY'])\n",
    "counts.py": "import os\nclass Agent:\n    name, digest = 'counts', '1'\n    usage = {}\n"
    "    def solve(self, task, budget):\n        self.usage = {os.environ['AGENT_KEY']: 1.0}\n"
    "        return tuple(n % 2 == 0 for n in task.numbers)\n",
    "dies.py": "import os\ndef solve(task, budget):\n"
    "    os.write(2, os.environ['AGENT_KEY'].encode())\n    os._exit(4)\n",
}
PROGRAM = '#!/bin/sh\nenv\necho $AGENT_KEY >&2\necho "[\\"$AGENT_KEY\\"]" > $2\nexit $1_\n'


def files_with(folder: Path, words: tuple[str, ...]) -> list[str]:
    """The files in which one of the words stands, also inside zip files."""
    names = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        parts = {str(path): path.read_bytes()}
        if path.suffix == ".zip":
            with zipfile.ZipFile(io.BytesIO(parts[str(path)])) as archive:
                parts |= {f"{path}!{name}": archive.read(name) for name in archive.namelist()}
        names += [name for name, content in parts.items() if any(word.encode() in content for word in words)]
    return names


def stored_error(folder: Path) -> str:
    """All that the store gives back: records, and answers with their logs and bytes."""
    texts = []
    with Store(folder / "out", read_only=True) as store:
        for latest in store.latest_runs():
            texts.append(json.dumps(dict(latest.settings), default=str))
            for record in store.records(latest.id):
                answer = store.answer(record.answer_key)
                texts += [json.dumps(record.to_json()), answer.log, str(answer.error), str(answer.payload)]
    return "\n".join(texts)


def test_secrets_of_all_kinds_are_in_no_file_and_no_message(parity: AnyTrack, tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    work = tmp_path / "work"
    sources.mkdir()
    work.mkdir()
    for name, source in SUBJECTS.items():
        (sources / name).write_text(source)
    (sources / "program.sh").write_text(PROGRAM)
    (sources / "program.sh").chmod(0o755)
    environment = {**os.environ, "AGENT_KEY": SECRET, "AGENT_PROXY": ADDRESS, "NOT_PASSED_TOKEN": f"tok-{MARK}-1234"}
    output = ""

    def call(*arguments: str) -> None:
        nonlocal output
        process = subprocess.run(
            [ASSAY, *arguments], cwd=work, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        output += process.stdout + process.stderr
        assert process.returncode == 0, process.stderr

    subjects = [*(f"{sources / name}" for name in SUBJECTS), "command(run='./program.sh', folder='../sources')"]
    subjects[list(SUBJECTS).index("counts.py")] += ":Agent"
    named = [word for subject in subjects for word in ("--subject", subject)]
    run_it = ("run", "parity", *named, "--out", "out", "--pass-env", "AGENT_KEY", "--pass-env", "AGENT_PROXY")
    call(*run_it, "--workers", "2")
    files = ("--html", "report.html", "--csv", "scores.csv", "--json-file", "report.json", "--markdown", "report.md")
    call("report", "out", *files, "--problems", "--every-metric")
    call("export", "out", "--out", "export.zip")
    with Store(work / "out", read_only=True) as store:
        records = store.records(store.latest_runs()[0].id)
        by_subject = {record.subject: record for record in records}
        logs = {record.subject: store.answer(record.answer_key).log for record in records}
    assert "[AGENT_KEY]" in logs["prints"]
    assert by_subject["prints"].status == "ok"
    assert by_subject["tells"].error_kind == "secret in answer"
    assert by_subject["raises"].error is not None
    assert "[AGENT_K" in by_subject["raises"].error  # where a message is cut, a name is cut
    assert "AGENT_PROXY" in (by_subject["kinds"].error or "")
    words = (MARK, SECRET[:8], PASSWORD[:6])
    assert files_with(work, words) == []
    assert not any(word in stored_error(work) for word in words)
    assert not any(word in output for word in words)


@pytest.mark.soak
def test_secrets_are_in_no_file_of_ray_either(parity: AnyTrack, tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    for name in ("prints.py", "raises.py", "tells.py"):
        (tmp_path / name).write_text(SUBJECTS[name])
    named = [word for name in ("prints.py", "raises.py", "tells.py") for word in ("--subject", name)]
    arguments = [ASSAY, "run", "parity", *named, "--out", "out", "--runner", "ray", "--workers", "2"]
    arguments += ["--pass-env", "AGENT_KEY", "--pass-env", "AGENT_PROXY"]
    with tempfile.TemporaryDirectory(dir="/tmp") as sockets:  # a short path: Ray's sockets lie in it
        environment = {**os.environ, "AGENT_KEY": SECRET, "AGENT_PROXY": ADDRESS, "RAY_TMPDIR": sockets}
        process = subprocess.run(
            arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=180
        )
        assert process.returncode == 0, process.stderr
        assert list(Path(sockets).rglob("*.log")), "Ray wrote elsewhere"
        assert files_with(Path(sockets), (MARK,)) == []
    assert files_with(tmp_path / "out", (MARK,)) == []
    assert MARK not in process.stdout + process.stderr + stored_error(tmp_path)


@pytest.mark.parametrize(
    "subject",
    [
        f"command(run='./agent.sh --model m {SECRET}')",
        f"agent.py:Agent(key='{SECRET}')",
        "command(run='./agent.sh http://me:hunter2@host/v1')",
        "command(run='./agent.sh --api-key abcdefgh')",
        "command(run='./agent.sh --token=abcdefgh')",
        "command(run='./agent.sh --password abcdefgh')",
    ],
)
def test_a_subject_named_with_a_secret_is_refused_without_repeating_it(
    parity: AnyTrack, monkeypatch: pytest.MonkeyPatch, subject: str
) -> None:
    monkeypatch.setenv("AGENT_KEY", SECRET)
    with pytest.raises(InvalidInput, match="--pass-env NAME") as caught:
        resolve_subject(subject, parity)
    assert not any(word in str(caught.value) for word in (MARK, "hunter2", "abcdefgh"))


@pytest.mark.parametrize(
    "subject",
    ["command(run='./a.sh --key-column id --tokens 5 --token-limit 9')", "divide", "command(run='./a.sh x@y.z')"],
)
def test_harmless_words_are_no_secrets(parity: AnyTrack, tmp_path: Path, subject: str) -> None:
    (tmp_path / "a.sh").write_text("#!/bin/sh\n")
    assert resolve_subject(subject, parity, folder=tmp_path).name


def test_the_key_of_an_endpoint_is_masked_where_a_subject_repeats_it(
    spec: Spec, subject_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CHAT_KEY", SECRET)
    source = "import os\ndef solve(task, budget):\n    raise ValueError('Bearer ' + os.environ['ASSAY_CHAT_KEY'])\n"
    result = run([spec(subject_file("agent.py", source), environment=("ASSAY_CHAT_KEY",))], out=tmp_path / "out")
    assert "ValueError: Bearer [ASSAY_CHAT_KEY]" in (result.records[0].error or "")
    assert files_with(tmp_path / "out", (MARK,)) == []


def test_what_an_unconfined_subject_reads_elsewhere_is_masked_as_well(
    spec: Spec, subject_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", SECRET)
    source = (
        "import os\nfrom pathlib import Path\ndef solve(task, budget):\n"
        "    worker = Path(f'/proc/{os.getppid()}/stat').read_text().split()[3]\n"
        "    raise ValueError(Path(f'/proc/{worker}/environ').read_text().partition('DEPLOY_TOKEN=')[2][:60])\n"
    )
    result = run([spec(subject_file("agent.py", source))], out=tmp_path / "out")
    assert "[DEPLOY_TOKEN]" in (result.records[0].error or "")
    assert files_with(tmp_path / "out", (MARK,)) == []


@settings(max_examples=60)
@given(st.text(min_size=6, max_size=40), st.text(max_size=30), st.text(max_size=30))
def test_a_passed_value_is_gone_from_any_text_and_nothing_else_is(value: str, before: str, after: str) -> None:
    mask = Mask({"GIVEN": value}, passed=["GIVEN"])
    hidden = mask.hide(before + value + after)
    if value.strip().startswith("/"):
        assert hidden == before + value + after
    else:
        assert not any(value in part for part in hidden.split("[GIVEN]"))
    assert Mask({"GIVEN": value}).hide(before + value + after) == before + value + after


def test_short_values_and_paths_are_no_secrets() -> None:
    mask = Mask({"API_KEY": "abc", "CREDENTIALS": "/home/me/key.json"}, passed=["API_KEY"])
    assert mask.hide("abc /home/me/key.json") == "abc /home/me/key.json"
    assert mask.variable_in(b"abc /home/me/key.json") is None
