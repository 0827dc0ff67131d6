from __future__ import annotations

import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput, Record
from assay.core.track import AnyTrack
from assay.harness import LocalRunner, RunResult, RunSpec, Store, rescore, run
from assay.harness.execute import Job
from assay.harness.runners import Lost
from assay.harness.store.stored_answer import Finished

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

COUNTING = """
from pathlib import Path
def solve(task, budget):
    with Path({log!r}).open("a") as log:
        log.write("called\\n")
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def contents(records: tuple[Record, ...]) -> list[str]:
    return [record.content() for record in records]


@pytest.fixture
def counting(subject_file: Write, tmp_path: Path) -> str:
    return subject_file("counting.py", COUNTING.format(log=str(tmp_path / "calls")))


def calls(tmp_path: Path) -> int:
    path = tmp_path / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_second_run_of_the_same_plan_calls_no_subject(spec: Spec, counting: str, tmp_path: Path) -> None:
    first = run([spec(counting, seeds=(0, 1))], out=tmp_path / "out")
    assert (first.solved, first.reused, calls(tmp_path)) == (4, 0, 4)
    second = run([spec(counting, seeds=(0, 1))], out=tmp_path / "out")
    assert (second.solved, second.reused, calls(tmp_path)) == (0, 4, 4)
    assert contents(first.records) == contents(second.records)


def test_an_edited_subject_file_is_a_new_subject(spec: Spec, counting: str, tmp_path: Path) -> None:
    run([spec(counting)], out=tmp_path / "out")
    with (tmp_path / counting).open("a") as file:
        file.write("# edited\n")
    again = run([spec(counting)], out=tmp_path / "out")
    assert (again.solved, calls(tmp_path)) == (2, 4)
    assert len(again.records) == 2  # reports read this plan's records, not the old ones


def test_an_edited_problem_is_a_new_problem(spec: Spec, counting: str, tmp_path: Path) -> None:
    run([spec(counting)], out=tmp_path / "out")
    path = tmp_path / "problems" / "p0" / "problem.json"
    path.write_text(path.read_text().replace("4", "8"))
    assert run([spec(counting)], out=tmp_path / "out").solved == 1


def test_another_budget_is_another_answer(spec: Spec, counting: str, tmp_path: Path) -> None:
    run([spec(counting)], out=tmp_path / "out")
    assert run([spec(counting, seconds=5)], out=tmp_path / "out").solved == 2


def test_one_worker_and_two_give_equal_records(spec: Spec, counting: str, tmp_path: Path) -> None:
    one = run([spec(counting, "divide(divisor=3)", "oracle", seeds=(0, 1, 2))], out=tmp_path / "one", workers=1)
    two = run([spec(counting, "divide(divisor=3)", "oracle", seeds=(0, 1, 2))], out=tmp_path / "two", workers=2)
    assert contents(one.records) == contents(two.records)


def test_failures_are_kept_and_retried_only_on_request(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    flag = tmp_path / "works-now"
    source = (
        "from pathlib import Path\ndef solve(task, budget):\n"
        f"    if not Path({str(flag)!r}).exists():\n        raise RuntimeError('not yet')\n"
        "    return tuple(n % 2 == 0 for n in task.numbers)\n"
    )
    subject = subject_file("later.py", source)
    assert run([spec(subject)], out=tmp_path / "out").records[0].status == "failed"
    flag.touch()
    assert run([spec(subject)], out=tmp_path / "out").records[0].status == "failed"
    retried = run([spec(subject)], out=tmp_path / "out", retry_failed=True)
    assert (retried.solved, retried.records[0].status, retried.records[0].scores) == (2, "ok", {"accuracy": 1.0})


def test_ready_answers_are_examined_and_missing_ones_counted(spec: Spec, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "p0.json").write_text("[true, false, true, false, true]")
    result = run([spec("answers")], out=tmp_path / "out")
    first, second = result.records
    assert (first.scores["accuracy"], first.isolation) == (1.0, "ready")
    assert (second.error_kind, second.scores["accuracy"]) == ("missing answer", 0.0)


def test_a_bumped_metric_version_rescores_stored_answers_without_solving(
    spec: Spec, counting: str, tmp_path: Path, external_packages: Path
) -> None:
    """Through the command line, because the track's code itself changes between the runs."""
    packages = tmp_path / "packages"
    shutil.copytree(external_packages, packages)
    command = [str(Path(sys.executable).parent / "assay")]
    environment = {**os.environ, "PYTHONPATH": str(packages)}

    def call(*arguments: str) -> dict[str, list[dict[str, object]]]:
        process = subprocess.run(
            [*command, *arguments, "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return json.loads(process.stdout)["tracks"][0]  # type: ignore[no-any-return]

    unlocked = ("--isolation", "none")  # it counts its calls in the test's folder
    before = call("run", "parity", "--problems", "problems", "--subject", counting, "--out", "out", *unlocked)
    module = packages / "assay_parity" / "__init__.py"
    text = module.read_text()
    text = text.replace("/ len(even)", "/ (2 * len(even))").replace("oracle=1.0", "oracle=0.5, version=2")
    module.write_text(text)
    after = call("rescore", "out")
    assert calls(tmp_path) == 2
    assert [record["scores"] for record in before["records"]] == [{"accuracy": 1.0}] * 2
    assert [record["scores"] for record in after["records"]] == [{"accuracy": 0.5}] * 2
    again = call("run", "parity", "--problems", "problems", "--subject", counting, "--out", "out", *unlocked)
    assert calls(tmp_path) == 2
    assert again["records"] == after["records"]


def test_a_lost_cell_stays_lost_when_the_rest_is_scored_again(
    spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Losing(LocalRunner):
        def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
            taken = list(jobs)
            yield from super().map([job for job in taken if job.cell.problem != "p1"], hidden=hidden)
            yield from (Lost(job.cell, "the power went off") for job in taken if job.cell.problem == "p1")

    run([spec("divide")], out=tmp_path / "out", runner=Losing(1))
    with Store(tmp_path / "out", read_only=True) as store:
        assert list(store.floors().values()) == [{"accuracy": 0.0}]
    monkeypatch.setattr(
        importlib.import_module("assay.harness.rescoring"),
        "_current",
        lambda cell, *_: replace(cell, record_key=cell.record_key[::-1]),
    )
    rescore(tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        ((cell, _),) = store.losses(store.latest_runs()[0].id)
        assert cell.problem == "p1"
        assert store.floors()[cell.record_key] == {"accuracy": 0.0}


def test_rescoring_without_a_change_does_nothing(spec: Spec, counting: str, tmp_path: Path) -> None:
    first = run([spec(counting)], out=tmp_path / "out")
    again = rescore(tmp_path / "out")
    assert (again.solved, again.rescored, again.reused) == (0, 0, 2)
    assert contents(first.records) == contents(again.records)


def test_a_killed_worker_is_replaced_and_its_cell_retried(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    slow = "import time\ndef solve(task, budget):\n    time.sleep(0.15)\n    return (True,) * len(task.numbers)\n"
    plan = spec(subject_file("slow.py", slow), seeds=(0, 1, 2))
    expected = run([plan], out=tmp_path / "expected")
    runner = LocalRunner(2)
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 2:
            time.sleep(0.5)
            for pid in runner.worker_pids[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    result = run([plan], out=tmp_path / "found", runner=runner)
    killed += [0, 0]
    killer.join()
    assert killed[0] > 0
    assert not result.lost
    assert contents(result.records) == contents(expected.records)


def test_a_bug_in_examining_is_never_scored(
    spec: Spec, tmp_path: Path, external_packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    shutil.copytree(external_packages, packages)
    module = packages / "assay_parity" / "__init__.py"
    module.write_text(module.read_text().replace("return Evidence(", "return 1 / 0 and Evidence("))
    monkeypatch.setenv("PYTHONPATH", str(packages))
    result = run([spec("divide")], out=tmp_path / "out")
    assert (result.solved, len(result.records), len(result.lost)) == (0, 0, 2)
    assert "ZeroDivisionError" in result.lost[0].reason
    assert "The examiner failed" in result.lost[0].reason
    with Store(tmp_path / "out") as store:
        assert len(store.losses(store.latest_runs()[0].id)) == 2
    monkeypatch.setenv("PYTHONPATH", str(external_packages))
    mended = run([spec("divide")], out=tmp_path / "out")
    assert (mended.solved, mended.lost) == (2, ())
    with Store(tmp_path / "out") as store:
        assert store.losses(store.latest_runs()[0].id) == ()


def test_what_a_failure_scores_is_stored_with_a_lost_cell(
    spec: Spec, tmp_path: Path, external_packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    shutil.copytree(external_packages, packages)
    module = packages / "assay_parity" / "__init__.py"
    broken = module.read_text().replace("return Evidence(", "return 1 / 0 and Evidence(")
    module.write_text(broken.replace("oracle=1.0),", "floor=lambda problem: len(problem.task.numbers) / 100),"))
    monkeypatch.setenv("PYTHONPATH", str(packages))
    (tmp_path / "problems" / "p1" / "truth" / "even.json").unlink()  # of a broken problem nobody knows it
    result = run([spec("divide", seeds=(0, 1))], out=tmp_path / "out")
    numbers = len(json.loads((tmp_path / "problems" / "p0" / "problem.json").read_text())["numbers"])
    lost = {loss.cell.record_key: loss.cell.problem for loss in result.lost}
    with Store(tmp_path / "out", read_only=True) as store:
        floors = store.floors()
    assert sorted(lost[key] for key in floors) == ["p0", "p0"]
    assert list(floors.values()) == [{"accuracy": numbers / 100}] * 2
    monkeypatch.setenv("PYTHONPATH", str(external_packages))
    shutil.rmtree(tmp_path / "problems" / "p1")
    run([spec("divide", seeds=(0, 1))], out=tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        assert store.floors() == {}


def test_a_broken_problem_loses_only_its_own_cells(spec: Spec, tmp_path: Path) -> None:
    (tmp_path / "problems" / "p1" / "truth" / "even.json").unlink()
    result = run([spec("divide", "oracle")], out=tmp_path / "out")
    assert [record.problem for record in result.records] == ["p0", "p0"]
    assert [loss.cell.problem for loss in result.lost] == ["p1", "p1"]
    assert "even.json" in result.lost[0].reason


def test_a_problem_that_changes_under_the_run_is_not_scored(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    path = tmp_path / "problems" / "p1" / "problem.json"
    source = (
        "from pathlib import Path\ndef solve(task, budget):\n"
        f"    Path({str(path)!r}).write_text(Path({str(path)!r}).read_text() + ' ')\n"
        "    return tuple(n % 2 == 0 for n in task.numbers)\n"
    )
    result = run([spec(subject_file("meddler.py", source))], out=tmp_path / "out")
    assert [record.problem for record in result.records] == ["p0"]
    assert "has changed since it was planned" in result.lost[0].reason


def test_two_runs_cannot_write_one_folder_at_once(spec: Spec, tmp_path: Path) -> None:
    import fcntl

    (tmp_path / "out").mkdir()
    with (tmp_path / "out" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InvalidInput, match="another run is writing here"):
            run([spec("divide")], out=tmp_path / "out")


@pytest.mark.parametrize(
    ("subjects", "message"),
    [
        (("divid",), r"No subject named 'divid'. Did you mean 'divide'\? Known: command, divide, inspect, oracle."),
        (("divide(diviser=3)",), "No parameter of subject 'divide' named 'diviser'. Did you mean 'divisor'"),
        (
            ("divide", "divide"),
            "two subjects are named 'divide'. Give one of them another name before its reference, as in second=",
        ),
        (("missing.py",), "missing.py: file not found"),
        (("oracle(k=1)",), "'oracle' takes no parameters"),
        (("no_such_module_here:thing",), "there is no module 'no_such_module_here'"),
    ],
)
def test_wrong_input_leaves_nothing_behind(spec: Spec, tmp_path: Path, subjects: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        run([spec(*subjects)], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_runs_of_one_track_are_refused_because_results_show_the_latest_only(spec: Spec, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="two runs of track 'parity' go into one results folder"):
        run([spec("oracle"), spec("divide")], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_builtin_problems_are_written_once_into_the_results_folder(parity: AnyTrack, tmp_path: Path) -> None:
    spec = RunSpec(track="parity", subjects=("divide",))
    run([spec], out=tmp_path / "out")
    folder = tmp_path / "out" / "problems" / "parity"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result: RunResult = run([spec], out=tmp_path / "out")
    assert result.reused == 8
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


SUSPECT = """
import os, pathlib, socket
def solve(task, budget):
    try:
        pathlib.Path({secret!r}).read_text()
    except OSError:
        pass
    try:
        socket.socket(socket.AF_INET)
    except OSError:
        pass
    if os.fork() == 0:
        os.execv("/bin/true", ["true"])
    os.wait()
    return tuple(n % 2 == 0 for n in task.numbers)
"""


def test_a_subject_under_suspicion_is_run_again_with_a_log_of_its_system_calls(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    secret = str(tmp_path / "problems" / "p0" / "truth" / "even.json")
    suspect = subject_file("suspect.py", SUSPECT.format(secret=secret))
    before = run([spec("divide", suspect, isolation="confined")], out=tmp_path / "out")
    result = run([spec("divide", suspect, isolation="confined")], out=tmp_path / "out", workers=2, trace=["suspect"])
    assert (result.solved, result.lost, len(result.traces)) == (2, (), 2)
    assert {record.subject: record.isolation for record in result.records}["suspect"].endswith(", traced")
    assert "traced" not in {record.subject: record.isolation for record in result.records}["divide"]
    assert [record.scores for record in result.records] == [record.scores for record in before.records]
    for path in result.traces:
        assert path.stat().st_mode & 0o077 == 0
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        refused = [entry for entry in entries if entry.get("error") in ("EACCES", "EPERM")]
        assert [secret] in [entry.get("paths") for entry in refused]
        assert "socket" in [entry["call"] for entry in refused]
        assert ["/bin/true"] in [entry.get("paths") for entry in entries]
        assert "exited" in [entry.get("event") for entry in entries]


def test_only_subjects_with_a_process_can_be_traced(spec: Spec, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="No subject with a process to trace named 'oracle'"):
        run([spec("divide", "oracle")], out=tmp_path / "out", trace=["oracle"])
    assert not (tmp_path / "out").exists()
