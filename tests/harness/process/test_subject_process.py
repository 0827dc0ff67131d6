from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assay.core import Budget, Record, get_track
from assay.harness import LocalRunner, RunSpec, resolve_subject, run
from assay.harness.execute import NO_TASK
from assay.harness.process.isolation import Isolation
from assay.harness.process.subject_process import SubjectServer

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

GOOD = "def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)\n"


def one(spec: RunSpec, tmp_path: Path) -> Record:
    result = run([spec], out=tmp_path / "out")
    assert not result.lost
    return result.records[0]


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("raise KeyError('age')", "exception", "KeyError: 'age' (bad.py, line 2, in solve)"),
        ("raise SystemExit(7)", "exception", "SystemExit: 7"),
        ("import os; os._exit(3)", "crashed", "ended without an answer (exit status 3)"),
        ("import ctypes; ctypes.string_at(0)", "crashed", "crashed (SIGSEGV)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crashed", "crashed (SIGKILL)"),
        ("while True: pass", "timeout", "no answer within 1 s"),
        ("import time; time.sleep(60)", "timeout", "no answer within 1 s"),
        ("return bytearray(900 << 20)", "memory", "needed more than 300 MB"),
        ("import numpy; return numpy.ones(200_000_000)", "memory", "needed more than 300 MB"),
        ("return {1, 2}", "malformed answer", "an answer is a list of true and false"),
        ("return object()", "malformed answer", "cannot be encoded"),
        ("return (True,)", "malformed answer", "1 claims for 5 numbers"),
        ("def f(): return f()\n    return f()", "exception", "RecursionError"),
    ],
)
def test_a_failing_subject_is_scored_at_the_floor_with_its_error(
    spec: Spec, subject_file: Write, tmp_path: Path, body: str, kind: str, message: str
) -> None:
    subject = subject_file("bad.py", f"def solve(task, budget):\n    {body}\n")
    record = one(spec(subject, seconds=1 if kind == "timeout" else 30, memory_mb=300), tmp_path)
    assert (record.status, record.error_kind, record.scores["accuracy"]) == ("failed", kind, 0.0)
    assert message in (record.error or "")


def test_a_request_with_very_many_readable_files_arrives_whole(tmp_path: Path) -> None:
    files = [tmp_path / "data" / f"{number:0200}" for number in range(600)]
    files[0].parent.mkdir()
    for file in files:
        file.touch()
    (tmp_path / "subject").mkdir()
    (tmp_path / "subject" / "mine.py").write_text("def solve(task, budget):\n    raise ValueError('arrived')\n")
    subject = resolve_subject(str(tmp_path / "subject" / "mine.py"), get_track("conformal"))
    with closing(SubjectServer(tmp_path, Isolation(readable=tuple(map(str, files))))) as server:
        answer = server.solve("conformal", subject, NO_TASK, Budget(), problem=tmp_path / "problem", retried=True)
    assert "arrived" in (answer.error or "")


def test_a_subject_is_watched_whatever_it_calls_itself(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    body = "import ctypes\ndef solve(task, budget):\n    ctypes.CDLL(None).prctl(15, b'\\xff')\n    while True: pass\n"
    record = one(spec(subject_file("bad.py", body), seconds=10, cpu_seconds=0.3), tmp_path)
    assert record.error == "no answer within 0.3 s of processor time"


def test_a_subject_that_cannot_import_what_it_needs_fails_with_the_reason(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    late = GOOD.replace("    return", "    import no_such_module\n    return")
    record = one(spec(subject_file("bad.py", late)), tmp_path)
    assert record.error == "ModuleNotFoundError: No module named 'no_such_module' (bad.py, line 2, in solve)"


def test_equal_failures_give_equal_records_although_addresses_differ(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    subject = subject_file("bad.py", "def solve(task, budget):\n    raise ValueError(object())\n")
    record = one(spec(subject), tmp_path)
    assert "<object object at 0x…>" in (record.error or "")


def test_a_flood_of_output_neither_blocks_nor_spills(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    flood = "import sys\n" + GOOD.replace(
        "    return", "    sys.stdout.write('x' * 5_000_000); print('end')\n    return"
    )
    result = run([spec(subject_file("loud.py", flood))], out=tmp_path / "out")
    assert result.records[0].status == "ok"


def test_every_cell_gets_a_fresh_process_with_a_clean_environment_and_folder(
    spec: Spec, subject_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("ALLOWED", "yes")
    source = (
        "import os, sys\nstate = []\n"
        "def solve(task, budget):\n"
        "    state.append(1)\n"
        "    seen = (len(state), os.listdir('.'), 'SECRET_KEY' in os.environ, os.environ.get('ALLOWED'))\n"
        "    open('left.txt', 'w').write('x')\n"
        "    raise RuntimeError(repr(seen))\n"
    )
    result = run([spec(subject_file("look.py", source), environment=("ALLOWED",))], out=tmp_path / "out")
    for record in result.records:
        assert "(1, [], False, 'yes')" in (record.error or "")
    assert list((tmp_path / "out" / ".scratch").iterdir()) == []


def test_the_subject_process_never_holds_the_truth(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    source = (
        "import gc\n"
        "def solve(task, budget):\n"
        "    names = sorted({type(o).__name__ for o in gc.get_objects()} & {'Task', 'Truth', 'Problem'})\n"
        "    raise RuntimeError(','.join(names))\n"
    )
    record = one(spec(subject_file("look.py", source)), tmp_path)
    assert record.error is not None
    assert "Task" in record.error  # so the search does find what is there
    assert "Truth" not in record.error
    assert "Problem" not in record.error


def test_what_a_subject_leaves_running_is_ended(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    source = (
        "import os, sys, subprocess\n"
        "def solve(task, budget):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)\n"
        f"    open({str(tmp_path / 'pids')!r}, 'a').write(f'{{child.pid}}\\n')\n"
        "    return tuple(n % 2 == 0 for n in task.numbers)\n"
    )
    record = one(spec(subject_file("forks.py", source)), tmp_path)
    assert record.status == "ok"
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_random_generators_follow_the_seed(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    source = "import random\ndef solve(task, budget):\n    return tuple(random.random() < 0.5 for _ in task.numbers)\n"
    subject = subject_file("coin.py", source)
    first = run([spec(subject, seeds=(1, 2, 3))], out=tmp_path / "a")
    second = run([spec(subject, seeds=(1, 2, 3))], out=tmp_path / "b", workers=2)
    assert [r.content() for r in first.records] == [r.content() for r in second.records]


def test_a_reply_that_breaks_the_protocol_fails_only_its_cell(spec: Spec, subject_file: Write, tmp_path: Path) -> None:
    source = (
        "import os\n"
        "def solve(task, budget):\n"
        "    for fd in range(3, 64):\n"
        "        try:\n"
        "            os.write(fd, b'\\xff' * 64)\n"
        "        except OSError:\n"
        "            pass\n"
        "    return ()\n"
    )
    result = run([spec(subject_file("forge.py", source), "divide")], out=tmp_path / "out")
    by_subject = {record.subject: record for record in result.records}
    assert by_subject["forge"].error_kind == "malformed answer"
    assert by_subject["divide"].status == "ok"


def test_a_subject_that_kills_its_server_is_blamed_only_after_a_second_time_alone(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    source = (
        "import os, signal\ndef solve(task, budget):\n    os.kill(os.getppid(), signal.SIGKILL)\n    while True: pass\n"
    )
    result = run([spec(subject_file("killer.py", source), "divide")], out=tmp_path / "out", workers=2)
    assert not result.lost
    by_subject = {record.subject: record for record in result.records}
    assert by_subject["killer"].status == "failed"
    assert "crashed its process twice while running alone" in (by_subject["killer"].error or "")
    assert by_subject["divide"].scores == {"accuracy": 1.0}


def test_time_is_measured_without_the_start_of_the_server(spec: Spec, tmp_path: Path) -> None:
    started = time.monotonic()
    record = one(spec("divide"), tmp_path)
    assert 0 < record.seconds < time.monotonic() - started
    assert record.cost["peak_memory_mb"] > 1


def test_a_runner_refuses_a_senseless_number_of_workers() -> None:
    with pytest.raises(ValueError, match="workers must be a whole number of at least 1, got 0"):
        LocalRunner(0)
