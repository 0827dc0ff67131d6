"""Subjects that use up what there is: memory, processes, pipes, and the examiner's memory. Others do not notice."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.harness.fault_helpers import ASSAY, Processes, contents

from assay.core.track import AnyTrack
from assay.harness import RunSpec, execute, run
from assay.harness.execute import Examiner, Job
from assay.harness.plan import make_plan, prepare
from assay.harness.process import memory
from assay.harness.runners.worker import Broken, finish_safely

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

GOOD = "def solve(task, budget):\n    return tuple(n % 2 == 0 for n in task.numbers)\n"
HUNGRY = "def solve(task, budget):\n    blocks = []\n    while True:\n        blocks.append(bytearray(4 << 20))\n"
HUNGRY_CHILDREN = (
    "import subprocess, sys\ndef solve(task, budget):\n"
    "    code = 'blocks = []\\nwhile True: blocks.append(bytearray(4 << 20))'\n"
    "    done = [subprocess.run([sys.executable, '-c', code], stderr=subprocess.DEVNULL) for _ in range(3)]\n"
    "    raise RuntimeError(f'children ended with {[child.returncode for child in done]}')\n"
)
FORKS = (
    "import os, time\ndef solve(task, budget):\n"
    "    for _ in range(7):\n        os.fork()\n"
    "    while True:\n"
    "        if os.fork() == 0:\n            os.setsid()\n            time.sleep(0.2)\n            os._exit(0)\n"
    "        time.sleep(0.2)\n"
)
HOPS = (  # one process that is always another one by the time it is looked for
    "import os, time\ndef solve(task, budget):\n"
    "    if os.fork():\n        time.sleep(60)\n"
    "    while True:\n"
    "        if os.fork():\n            os._exit(0)\n"
    "        os.setsid()\n        time.sleep(0.001)\n"
)
MUTE = "import os, time\ndef solve(task, budget):\n    os.closerange(0, 1 << 12)\n    time.sleep(60)\n"
DEAF = "import os\ndef solve(task, budget):\n    os.closerange(3, 1 << 12)\n    return (True,)\n"
STOPPED = "import os, signal\ndef solve(task, budget):\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return ()\n"


GREEDY = {
    "hungry": (HUNGRY, "memory", "needed more than 300 MB"),
    "parent": (HUNGRY_CHILDREN, "memory or exception", ""),  # together they need too much, or one after the other
    "forks": (FORKS, "timeout or processes", ""),  # which of them is seen first depends on the machine
    "hops": (HOPS, "timeout or processes", ""),  # those that have ended count until somebody waits for them
    "mute": (MUTE, "crashed", "crashed (SIGKILL)"),
    "deaf": (DEAF, "crashed", ""),  # it may end by itself before it is ended
    "stopped": (STOPPED, "timeout", "no answer within 1 s"),
}


def test_greedy_subjects_fail_by_themselves_and_leave_nothing_running(
    spec: Spec, subject_file: Write, tmp_path: Path
) -> None:
    greedy = [subject_file(f"{name}.py", source) for name, (source, _, _) in GREEDY.items()]
    limits = {
        name: {"seconds": 1.0 if "timeout" in kind else 30.0, "memory_mb": 300.0}
        for name, (_, kind, _) in GREEDY.items()
    }
    run_spec = spec(*greedy, subject_file("good.py", GOOD), problems=("problems/p0",), limits=limits)
    result = run([run_spec], out=tmp_path / "out", workers=2)
    assert not result.lost
    by_subject = {record.subject: record for record in result.records}
    assert by_subject["good"].scores == {"accuracy": 1.0}
    for name, (_, kind, message) in GREEDY.items():
        assert by_subject[name].status == "failed", name
        assert str(by_subject[name].error_kind) in kind.split(" or "), name
        assert message in (by_subject[name].error or ""), name
    there = Processes(1).lines
    assert [line for line in there.values() if str(tmp_path) in line] == []
    assert [pid for pid in there if _works_in(pid, tmp_path)] == []


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink()).startswith(str(folder))
    except OSError:
        return False


BOMB = "#!/bin/sh\n(printf '['; yes '[],' | head -n 9000000 | tr -d '\\n'; printf 'true]') > $2\n"


def test_an_answer_that_explodes_while_it_is_read_fails_its_cell_alone(spec: Spec, tmp_path: Path) -> None:
    """Some 27 MB of answer become half a gigabyte of objects, in a worker that may not have as much."""
    (tmp_path / "bomb.sh").write_text(BOMB)
    (tmp_path / "bomb.sh").chmod(0o755)
    spec("bomb.sh")  # its problems are what is needed here

    def starve() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (620 << 20, resource.RLIM_INFINITY))

    arguments = [ASSAY, "run", "parity", "--subject", "bomb.sh", "--subject", "divide", "--out", "out", "--quiet"]
    arguments += ["--problems", "problems/p0", "--workers", "1"]
    process = subprocess.run(
        arguments, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=starve, timeout=120
    )
    assert process.returncode == 0, process.stderr
    records = [json.loads(text) for text in contents(tmp_path).values()]
    errors = {record["subject"]: (record["error_kind"], record["error"]) for record in records}
    assert errors == {
        "bomb": ("memory", "not enough memory to read its answer"),
        "divide": (None, None),
    }


def test_an_examination_that_explodes_loses_its_cell_with_the_reason(
    spec: Spec, parity: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*arguments: object) -> Any:
        raise MemoryError

    plan = make_plan(prepare(spec("divide")), out=tmp_path / "out")
    examiner = Examiner(tmp_path)
    monkeypatch.setattr(execute, "track_with", lambda name, metrics: replace(parity, examine=explode))
    try:
        broken = finish_safely(examiner, Job(cell=plan.cells[0]))
        monkeypatch.setattr(execute, "track_with", lambda name, metrics: replace(parity, load=explode))
        loading = finish_safely(examiner, Job(cell=plan.cells[-1]))
    finally:
        examiner.close()
    for failure in (broken, loading):
        assert isinstance(failure, Broken)
        assert failure.final
        assert "needs more memory than a worker may take on this machine" in failure.reason


def test_a_worker_may_not_take_the_whole_machine() -> None:
    code = (
        "import resource\nfrom assay.harness.process.memory import limit_worker, machine_memory\nlimit_worker()\n"
        "maps = []\ntry:\n    while len(maps) < 4 * (machine_memory() >> 30):\n"
        "        maps.append(__import__('mmap').mmap(-1, 1 << 28))\n"
        "except OSError:\n    print('refused', len(maps) / 4 / (machine_memory() >> 30))\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[1] == resource.RLIM_INFINITY)\n"
    )
    command = [str(Path(ASSAY).parent / "python"), "-c", code]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert lines[0] == "refused"
    assert 0.6 < float(lines[1]) < 0.8
    assert lines[2] == "True", "subjects below may be allowed more"
    assert memory.machine_memory() > 1 << 28
