"""What a subject's process can reach: tried from inside, with real files and a real listener."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput, Record, UnknownName
from assay.harness import RunSpec, run
from assay.harness.process.container import container_reason
from assay.harness.process.isolation import Isolation

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

PRYING = """
import json, os, socket
from pathlib import Path
import helper

def attempt(action):
    try:
        return repr(action())[:80]
    except Exception as error:
        return type(error).__name__

def solve(task, budget):
    facts = {{
        "truth": attempt(lambda: Path({truth!r}).read_text()),
        "problems": attempt(lambda: sorted(os.listdir({problems!r}))),
        "secret": attempt(lambda: Path({secret!r}).read_text()),
        "write": attempt(lambda: Path({secret!r}).with_name("left-behind").write_text("x")),
        "own folder": attempt(lambda: Path("note").write_text("mine")),
        "connect": attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 2).close()),
        "process": attempt(lambda: os.system("exit 7") >> 8),
        "helper": helper.VALUE,
    }}
    raise RuntimeError(json.dumps(facts))
"""


@pytest.fixture
def prying(subject_file: Write, tmp_path: Path, listener: int) -> str:
    (tmp_path / "secret.txt").write_text("a secret")
    subject_file("helper.py", "VALUE = 'imported'\n")
    return subject_file(
        "prying.py",
        PRYING.format(
            truth=str(tmp_path / "problems" / "p0" / "truth" / "even.json"),
            problems=str(tmp_path / "problems"),
            secret=str(tmp_path / "secret.txt"),
            port=listener,
        ),
    )


@pytest.fixture
def listener() -> object:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def findings(spec: RunSpec, tmp_path: Path) -> tuple[dict[str, str], Record]:
    result = run([spec], out=tmp_path / "out")
    record = result.records[0]
    text = (record.error or "").removeprefix("RuntimeError: ")
    return json.loads(text[: text.index("}") + 1]), record


def test_a_confined_subject_sees_its_own_source_and_folder_and_nothing_else(
    spec: Spec, prying: str, tmp_path: Path
) -> None:
    facts, record = findings(spec(prying, isolation="confined"), tmp_path)
    assert record.isolation.startswith("confined")
    for name in ("truth", "problems", "secret", "connect"):
        assert facts[name] == "PermissionError", name
    assert facts["write"] in ("OSError", "PermissionError")  # read-only, or out of reach
    assert facts["helper"] == "imported"
    assert facts["own folder"] == "4"
    assert facts["process"] == "7"
    assert not (tmp_path / "left-behind").exists()


def test_without_confinement_it_sees_all_that_the_user_sees(spec: Spec, prying: str, tmp_path: Path) -> None:
    facts, record = findings(spec(prying, isolation="none"), tmp_path)
    assert record.isolation == "none"
    assert facts["secret"] == "'a secret'"
    assert facts["connect"] == "None"


def test_the_network_and_further_files_are_allowed_by_name_and_recorded(
    spec: Spec, prying: str, tmp_path: Path
) -> None:
    run_spec = spec(prying, isolation="confined", network=True, readable=("secret.txt",))
    facts, record = findings(run_spec, tmp_path)
    assert record.isolation.startswith("confined, network allowed")
    assert (facts["secret"], facts["connect"]) == ("'a secret'", "None")
    assert facts["truth"] == "PermissionError"
    assert not (tmp_path / "left-behind").exists()


@pytest.mark.parametrize("path", [".", "problems", "problems/p1/truth", "out"])
def test_a_readable_path_that_would_show_a_truth_is_refused(spec: Spec, prying: str, tmp_path: Path, path: str) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(InvalidInput, match="with its truth"):
        run([spec(prying, readable=(path,))], out=tmp_path / "out")


def test_a_readable_path_that_is_not_there_is_refused(spec: Spec, prying: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file or folder not found"):
        run([spec(prying, readable=("gone",))], out=tmp_path / "out")


def test_an_unknown_isolation_is_refused(spec: Spec) -> None:
    with pytest.raises(UnknownName, match="confined"):
        spec("x.py", isolation="strong")


def test_isolation_survives_storage() -> None:
    isolation = Isolation(environment=("A",), network=True, readable=("/x",))
    body = {"environment": ["A"], "isolation": "confined", "network": True, "readable": ["/x"]}
    assert Isolation.from_json(body) == isolation
    assert isolation.to_json() == body


def test_a_container_holds_neither_problems_nor_results(spec: Spec, prying: str, tmp_path: Path) -> None:
    if (reason := container_reason()) is not None:
        pytest.skip(reason)
    facts, record = findings(spec(prying, isolation="container"), tmp_path)
    assert record.isolation.startswith("container")
    assert (facts["truth"], facts["problems"], facts["secret"]) == ("FileNotFoundError",) * 3
    assert (facts["helper"], facts["own folder"], facts["process"]) == ("imported", "4", "7")
    assert not (tmp_path / "left-behind").exists()


def test_a_container_that_cannot_run_is_refused_with_the_reason(
    spec: Spec, prying: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.harness.process.isolation.container_reason", lambda: "no bwrap")
    with pytest.raises(InvalidInput, match="'container' is not available here: no bwrap. Use 'confined'"):
        run([spec(prying, isolation="container")], out=tmp_path / "out")


BESIDE = (
    "from pathlib import Path\ndef solve(task, budget):\n    return (Path(__file__).parent / 'thr.txt').read_text()\n"
)
BY_PATH = "def solve(task, budget):\n    return open({!r}).read()\n"


def test_the_failure_to_open_a_file_says_how_to_allow_it(
    spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thr.txt").write_text("0.5")
    truth = next(path for path in (tmp_path / "problems").rglob("*") if path.is_file())
    agents = {
        "beside": BESIDE,
        "missing": BESIDE.replace("thr.txt", "none.txt"),
        "whole": BY_PATH.format(str(tmp_path / "mine" / "thr.txt")),
        "relative": BY_PATH.format("mine/thr.txt"),
        "truth": BY_PATH.format(str(truth)),
    }
    for name, text in agents.items():
        (tmp_path / "mine" / f"{name}.py").write_text(text)
    result = run([spec(*(f"mine/{name}.py" for name in agents), isolation="confined")], out=tmp_path / "out")
    errors = {record.subject: record.error or "" for record in result.records}
    allow = 'allow it with readable="mine/thr.txt", --readable mine/thr.txt'
    assert "directory: 'thr.txt' (beside.py, line 3, in solve); thr.txt is next to the subject: " in errors["beside"]
    assert errors["beside"].endswith(allow)
    assert errors["whole"].endswith(f"(whole.py, line 2, in solve); it cannot be seen: {allow}")
    assert f"name the file by its whole path, {tmp_path}/mine/thr.txt, and {allow}" in errors["relative"]
    assert errors["missing"].endswith("'none.txt' (missing.py, line 3, in solve)")
    assert "readable" not in errors["truth"]
    assert not [error for error in errors.values() if ".scratch" in error]
