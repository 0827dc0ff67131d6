"""Subjects that are programs: a shell script, a command line, what they see, and how they fail."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import AnyTrack, Budget, InvalidInput, Record, UnknownName
from assay.harness import RunSpec, run
from assay.harness.programs.program import _environment
from assay.harness.store.store import Store
from assay.harness.subject_ref import resolve_subject

Spec = Callable[..., RunSpec]

GOOD = """#!/bin/sh
set -eu
python3 - "$1/problem.json" "$2" <<'PYTHON'
import json, sys
numbers = json.load(open(sys.argv[1]))["numbers"]
json.dump([number % 2 == 0 for number in numbers], open(sys.argv[2], "w"))
PYTHON
echo '{"tokens": 12, "cost_usd": 0.5, "model": "none"}' > "$ASSAY_USAGE"
"""


@pytest.fixture
def program(tmp_path: Path) -> Callable[[str, str], str]:
    def write(name: str, source: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
        path.chmod(0o755)
        return name

    return write


def only(result_records: tuple[Record, ...]) -> Record:
    return result_records[0]


@pytest.mark.parametrize("isolation", ["confined", "none"])
def test_a_shell_script_solves_problems_and_says_what_it_used(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path, isolation: str
) -> None:
    program("agent.sh", GOOD)
    result = run([spec("agent.sh", isolation=isolation)], out=tmp_path / "out")
    assert [record.scores["accuracy"] for record in result.records] == [1.0, 1.0]
    record = only(result.records)
    assert record.subject == "agent"
    assert record.isolation.partition(",")[0] == isolation
    assert record.cost["reported_tokens"] == 12
    assert record.cost["reported_cost_usd"] == 0.5
    assert "reported_model" not in record.cost


def test_a_command_line_carries_arguments_and_its_folder(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path
) -> None:
    program("mine/agent.sh", '#!/bin/sh\npython3 "$1" "$2" "$3"\n')
    program(
        "mine/lib/solve.py",
        "import json, sys, pathlib\n"
        "n = json.loads((pathlib.Path(sys.argv[1]) / 'problem.json').read_text())['numbers']\n"
        "pathlib.Path(sys.argv[2]).write_text(json.dumps([x % 2 == 0 for x in n]))\n",
    )
    result = run([spec("own=command(run='./agent.sh lib/solve.py', folder='mine')")], out=tmp_path / "out")
    assert {(record.subject, record.status, record.scores["accuracy"]) for record in result.records} == {
        ("own", "ok", 1.0)
    }


def test_a_program_sees_the_task_and_neither_truth_nor_id_nor_tags(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path
) -> None:
    run_spec = spec(program("look.sh", '#!/bin/sh\nfind .. | sort; cat "$1/problem.json"; echo; pwd; exit 3\n'))
    for index in range(2):
        path = tmp_path / "problems" / f"p{index}" / "problem.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "id": f"p{index}", "tags": {"made for": "x"}}))
    result = run([run_spec], out=tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        log = store.answer(only(result.records).answer_key).log
    assert "numbers" in log
    for word in ("truth", "even", "made for", '"id"', "/p0"):
        assert word not in log, word


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        ("#!/bin/sh\nexit 3\n", "crashed", "exit status 3"),
        ("#!/bin/sh\nkill -9 $$\n", "crashed", "signal 9"),
        ("#!/bin/sh\ntrue\n", "missing answer", "wrote nothing to its second argument"),
        ("#!/bin/sh\necho nonsense > $2\n", "malformed answer", ""),
        ("#!/bin/sh\nsleep 60\n", "timeout", "no answer within"),
        ("\x7fELF\0", "cannot be built", "cannot be started"),
        ("#!/bin/sh\nln -s /etc/passwd $2\n", "missing answer", "no answer"),
    ],
)
def test_a_failing_program_fails_its_own_cells_only(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path, source: str, kind: str, words: str
) -> None:
    program("agent.sh", GOOD)
    program("bad.sh", source)
    result = run([spec("bad.sh", "agent.sh", seconds=2.0, isolation="confined")], out=tmp_path / "out")
    bad = [record for record in result.records if record.subject == "bad"]
    assert {(record.status, record.error_kind) for record in bad} == {("failed", kind)}
    assert all(words in (record.error or "") for record in bad)
    assert all(record.status == "ok" for record in result.records if record.subject == "agent")


def test_what_a_program_leaves_running_ends_with_its_cell(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path
) -> None:
    mark = f"3{os.getpid()}"
    program("agent.sh", GOOD + f"setsid sleep {mark} &\n")
    run([spec("agent.sh")], out=tmp_path / "out")
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _readable(path)]
    assert not [line for line in running if f"sleep\0{mark}".encode() in line]


def _readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


def test_an_edited_program_is_a_new_subject(
    parity: AnyTrack, program: Callable[[str, str], str], tmp_path: Path
) -> None:
    program("agent.sh", GOOD)
    before = resolve_subject("command(run='sh agent.sh')", parity, folder=tmp_path)
    program("agent.sh", GOOD + "# edited\n")
    after = resolve_subject("command(run='sh agent.sh')", parity, folder=tmp_path)
    assert before.name == after.name == "command(run='sh agent.sh')"
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("command", "give the command line"),
        ("command(run='')", "give the command line"),
        ("command(run='sh \"open')", "cannot be read"),
        ("command(run='./absent.sh')", "there is no program './absent.sh'"),
        ("command(run='./x', folder='absent')", "there is no folder 'absent'"),
        ("command(run='../outside.sh')", "lies outside"),
    ],
)
def test_mistakes_in_a_command_are_named(parity: AnyTrack, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "outside.sh").write_text("#!/bin/sh\n")
    with pytest.raises(InvalidInput, match=words.replace(".", r"\.")):
        resolve_subject(text, parity, folder=tmp_path / "here")


def test_an_unknown_parameter_of_a_command_is_named(parity: AnyTrack, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="fodler"):
        resolve_subject("command(run='x', fodler='y')", parity, folder=tmp_path)


def test_a_program_whose_folder_holds_the_problems_is_refused(
    spec: Spec, program: Callable[[str, str], str], tmp_path: Path
) -> None:
    program("agent.sh", GOOD)
    with pytest.raises(InvalidInput, match="and so the truth"):
        run([spec("command(run='./agent.sh', folder='.')")], out=tmp_path / "out")


def test_a_program_is_told_of_tokens_and_cost_where_the_budget_has_them(tmp_path: Path) -> None:
    environment = _environment(tmp_path, tmp_path / "answer", Budget(tokens=500, cost=0.25))
    assert (environment["ASSAY_TOKENS"], environment["ASSAY_COST"]) == ("500", "0.25")
    assert not {"ASSAY_TOKENS", "ASSAY_COST"} & set(_environment(tmp_path, tmp_path / "answer", Budget()))


def test_a_program_is_told_amounts_in_full_and_without_an_exponent(tmp_path: Path) -> None:
    budget = Budget(seconds=1234567.0, cost=0.123456789)
    environment = _environment(tmp_path, tmp_path / "answer", budget)
    assert (environment["ASSAY_SECONDS"], environment["ASSAY_COST"]) == ("1234567", "0.123456789")
