from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from assay.core import InfrastructureFailed, InvalidInput
from assay.sandbox import FunctionResult, FunctionSource, Limits, Sandbox, SharedTable, Tables

Run = Callable[..., FunctionResult]
ROWS = Tables(rows=pd.DataFrame({"x": [1, 2, 3]}))
DOUBLE = FunctionSource("double", "def double(row): return 2 * row['x']")
SLEEP = FunctionSource("sleep", "import time\ndef sleep(row): time.sleep(30)")


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("return row['age']", "exception", "exception at row 0: KeyError 'age' (line 2)"),
        ("raise SystemExit(7)", "exception", "exception at row 0: SystemExit 7 (line 2)"),
        ("return [1, 2]", "invalid output", "invalid output at row 0: returned a list; each row needs one number"),
        ("import os; os._exit(3)", "crashed", "crashed (exit status 3)"),
        ("import ctypes; ctypes.string_at(0)", "crashed", "crashed (SIGSEGV)"),
        ("import os; os.abort()", "crashed", "crashed (SIGABRT)"),
        ("return bytearray(900 << 20)", "memory", "memory: needed more than 300 MB"),
        ("return float(np.ones(200_000_000).sum())", "memory", "memory: needed more than 300 MB"),
        ("while True: pass", "timeout", "timeout: no result within 0.5 s"),
        ("raise ValueError(object())", "exception", "exception at row 0: ValueError <object object at 0x…> (line 2)"),
    ],
)
def test_a_failing_function_says_why(run: Run, body: str, status: str, message: str) -> None:
    limits = Limits(function_seconds=0.5 if status == "timeout" else 20, memory_mb=300)
    result = run(f"def f(row):\n    {body}\n", limits=limits)
    assert result.status == status
    assert result.message.startswith(message)
    assert result.column is None


def test_a_table_function_that_fails_names_its_line(run: Run) -> None:
    result = run("def f(df):\n    ages = df['age']\n    return ages\n")
    assert result.message.startswith("exception: KeyError 'age' (line 2)")


def test_rows_that_raise_are_null_and_counted(run: Run) -> None:
    rows = pd.DataFrame({"x": [1, 2, 3], "word": "text"})  # beside text, numbers are Python's own and divide as such
    result = run("def f(row):\n    return 1 / (row['x'] - 2)\n", rows=rows)
    assert result.status == "ok"
    assert result.column.to_pylist() == [-1.0, None, 1.0]
    assert result.rows_failed == 1
    assert result.message == "exception at row 1: ZeroDivisionError division by zero (line 2)"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def f(row: return 1", "exception in the code around the function: SyntaxError"),
        ("import no_such_module", "exception in the code around the function: ModuleNotFoundError No module named"),
        ("raise SystemExit", "exception in the code around the function: SystemExit"),
        ("x = 1", "the code has no function named 'f': it defines no function"),
        ("def g(row): return 1\ndef h(row): return 2", "the code has no function named 'f': it defines g, h"),
        ("def f(): return 1", "cannot be called: takes no row"),
        ("def f(row, aux, mystery): return 1", "cannot be called: parameter 'mystery' is neither"),
        ("def f(row, df_train): return 1", "cannot be called: it takes df_train, and there is none here"),
    ],
)
def test_code_that_cannot_be_used_says_why(run: Run, code: str, message: str) -> None:
    result = run(code)
    assert result.status == "exception"
    assert result.message.startswith(message)


def test_a_lone_function_of_another_name_is_refused(run: Run) -> None:
    result = run("def g(row): return row.x")
    assert (result.status, result.message) == ("exception", "the code has no function named 'f': it defines g")


def test_one_functions_failure_leaves_the_others_alone(sandbox: Sandbox) -> None:
    bad = [
        FunctionSource("exit", "import os\ndef exit(row): os._exit(1)"),
        FunctionSource("loop", "def loop(row):\n while 1: 0"),
    ]
    results = sandbox.run([DOUBLE, *bad, DOUBLE], ROWS, limits=Limits(function_seconds=0.5))
    assert [result.status for result in results] == ["ok", "crashed", "timeout", "ok"]
    assert results[3].column.to_pylist() == [2, 4, 6]


def test_the_solutions_time_is_shared_by_its_functions(sandbox: Sandbox) -> None:
    results = sandbox.run([SLEEP, DOUBLE], ROWS, limits=Limits(solution_seconds=0.3))
    assert [result.status for result in results] == ["timeout", "timeout"]
    assert results[1].message == "timeout: the solution's 0.3 s were used up before it started"


def test_output_is_bounded(run: Run) -> None:
    rows = pd.DataFrame({"x": range(400)})
    result = run("def f(row): return 'x' * 9000", rows=rows, limits=Limits(output_mb=1))
    assert (result.status, result.message) == ("invalid output", "a column of 3 MB, at most 1 MB are allowed")


def test_functions_see_train_and_auxiliary_tables_by_file_name(run: Run) -> None:
    train, loans = pd.DataFrame({"x": [10, 20]}), pd.DataFrame({"x": [1, 1, 2], "sum": [5.0, 6.0, 7.0]})
    code = "def f(row, df_train, aux):\n    t = aux['loans.csv']\n"
    code += "    return t[t['x'] == row['x']]['sum'].sum() + len(df_train)"
    assert run(code, train=train, auxiliary={"loans.csv": loans}).column.to_pylist() == [13.0, 9.0, 2.0]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(df): return df['x'] * 2", [2, 4, 6]),
        ("def f(df): return df['x'].to_numpy() > 1", [False, True, True]),
        ("def f(df): return df.sort_values('x', ascending=False)['x']", [1, 2, 3]),
        ("def f(df): return list(df['x'])", [1, 2, 3]),
        ("def f(df): return df[['x']]", [1, 2, 3]),
        ("def f(df, aux): return df['x'] + len(aux)", [1, 2, 3]),
        ("def f(x): return x + 1", [2, 3, 4]),
    ],
)
def test_whole_tables_and_single_columns_can_be_asked_for(run: Run, code: str, expected: list[object]) -> None:
    assert run(code).column.to_pylist() == expected


@pytest.mark.parametrize("returned", ["df", "df['x'].sum()", "df['x'].head(2)", "{'x': 1}"])
def test_a_table_function_must_return_one_column(run: Run, returned: str) -> None:
    result = run(f"def f(df):\n    df['y'] = 1\n    return {returned}\n")
    assert result.status == "invalid output"


def test_edits_of_tables_reach_no_other_function_and_no_later_run(sandbox: Sandbox) -> None:
    edit = "def edit(row, df_train, aux):\n    aux['a']['y'] = 0\n    df_train['x'] = 0\n"
    edit += "    aux['a'].loc[5] = 0\n    aux['b'] = 1\n    return aux['a']['y'].sum()"
    read = "def read(row, df_train, aux): return aux['a']['y'].sum() + df_train['x'].sum() + len(aux)"
    shared = SharedTable(pd.DataFrame({"y": [1, 2]}), "a")
    tables = Tables(rows=pd.DataFrame({"x": [1]}), train=pd.DataFrame({"x": [10]}), auxiliary={"a": shared})
    for _ in range(2):
        results = sandbox.run([FunctionSource("edit", edit), FunctionSource("read", read)], tables)
        assert [result.column.to_pylist() for result in results] == [[0], [14]]


def test_the_clock_stands_still_in_every_spelling(run: Run) -> None:
    code = """
import time, datetime as module
from datetime import datetime as kind, date as day

def f(row):
    moments = [kind.now(), kind.today(), kind.utcnow(), module.datetime.now()]
    moments += [datetime.now(), datetime.datetime.now()]
    moments += [pd.Timestamp.now(), pd.Timestamp('now'), pd.Timestamp.today(), pd.to_datetime('today')]
    moments += [pd.Timestamp(time.time(), unit='s'), pd.Timestamp(time.strftime('%Y-%m-%d %H:%M:%S'))]
    moments += [pd.Timestamp(time.ctime()), pd.Timestamp(datetime.now(module.timezone.utc)).tz_localize(None)]
    days = [day.today(), module.date.today(), datetime.date.today()]
    assert isinstance(pd.Timestamp('2024-01-01'), kind) and isinstance(kind.now(), module.date)
    assert datetime.strptime('2024', '%Y').year == 2024 and datetime.timedelta(days=1) == module.timedelta(1)
    return ','.join(sorted({str(pd.Timestamp(m)) for m in moments} | {str(d) for d in days}))
"""
    expected = ["2023-05-06,2023-05-06 07:08:09"] * 3
    result = run(code, clock=datetime(2023, 5, 6, 7, 8, 9))
    assert result.column is not None, result
    assert result.column.to_pylist() == expected


def test_randomness_repeats_with_the_seed_and_changes_with_it(run: Run) -> None:
    code = """
import random, secrets, uuid, os
def f(row):
    parts = [random.random(), np.random.rand(), np.random.default_rng().random(), random.Random().random()]
    parts += [random.SystemRandom().random(), secrets.token_hex(4), uuid.uuid4(), os.urandom(2), {'a', 'b', 'c'}]
    return str(parts)
"""
    first, again, other = (run(code, seed=seed).column.to_pylist() for seed in (1, 1, 2))
    assert first == again
    assert len({*first, *other}) == 6


def test_names_that_feature_code_expects_are_there(run: Run) -> None:
    code = """
def helper(a: Dict[str, List[Any]], b: Optional[Union[int, Tuple]] = None): return math.floor(2.5)
def f(row, aux: Dict[str, pd.DataFrame] = None):
    return helper({}) + len(re.findall('a', 'banana')) + np.int64(1) + Counter('aab')['a'] + defaultdict(int)['x']
"""
    assert run(code).column.to_pylist() == [8, 8, 8]


def test_libraries_that_are_loaded_late_work(run: Run) -> None:
    assert (
        run("def f(row):\n    import scipy.stats\n    return scipy.stats.norm.cdf(0)").column.to_pylist() == [0.5] * 3
    )


def test_functions_in_parallel_give_the_same_results_in_the_same_order() -> None:
    functions = [FunctionSource(f"f{n}", f"def f{n}(row): return row['x'] * {n}") for n in range(6)]
    with Sandbox(parallel=2) as sandbox:
        results = sandbox.run(functions, ROWS)
    assert [result.column.to_pylist() for result in results] == [[n, 2 * n, 3 * n] for n in range(6)]


def test_an_empty_table_gives_an_empty_column(run: Run) -> None:
    assert len(run("def f(row): return 1", rows=pd.DataFrame({"x": []})).column) == 0


def descendants(sandbox: Sandbox) -> list[int]:
    """The process numbers below the server."""
    assert sandbox._server is not None
    processes, queue = [], [sandbox._server._process.pid]
    while queue:
        for task in Path(f"/proc/{queue.pop()}/task").iterdir():
            below = [int(child) for child in (task / "children").read_text().split()]
            processes += below
            queue += below
    return processes


def during_a_run(sandbox: Sandbox, strike: Callable[[], None]) -> BaseException | None:
    """Strike while a guest sleeps; what the run raised."""
    raised: list[BaseException] = []

    def work() -> None:
        try:
            sandbox.run([SLEEP], ROWS, limits=Limits(function_seconds=20))
        except InfrastructureFailed as error:
            raised.append(error)

    sandbox.run([DOUBLE], ROWS)  # warm; the server belongs to this thread
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.5)
    strike()
    thread.join(timeout=15)
    assert not thread.is_alive()
    return raised[0] if raised else None


def guest_of(sandbox: Sandbox) -> int:
    """The sleeping guest: the one process below a holder."""
    assert sandbox._server is not None
    server, deadline = sandbox._server._process.pid, time.monotonic() + 10
    while time.monotonic() < deadline:
        holders = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        below = [Path(f"/proc/{pid}/task/{pid}/children") for pid in holders]
        guests = [children for path in below if path.exists() and (children := path.read_text().split())]
        if guests:
            return int(guests[0][0])
        time.sleep(0.02)
    raise AssertionError("no guest was started")


@pytest.mark.parametrize("victim", ["guest", "server", "holder"])
def test_a_process_killed_from_outside_is_our_trouble_and_the_next_run_works(victim: str) -> None:
    with Sandbox() as sandbox:

        def strike() -> None:
            assert sandbox._server is not None
            guest = guest_of(sandbox)
            holder = int(Path(f"/proc/{guest}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill({"guest": guest, "server": sandbox._server._process.pid, "holder": holder}[victim], signal.SIGKILL)

        error = during_a_run(sandbox, strike)
        assert isinstance(error, InfrastructureFailed), error
        (result,) = sandbox.run([DOUBLE], ROWS)
        assert result.column.to_pylist() == [2, 4, 6]


def test_a_server_that_died_while_idle_is_replaced_in_silence() -> None:
    with Sandbox() as sandbox:
        sandbox.run([DOUBLE], ROWS)
        assert sandbox._server is not None
        os.kill(sandbox._server._process.pid, signal.SIGKILL)
        sandbox._server._process.wait()
        assert sandbox.run([DOUBLE], ROWS)[0].status == "ok"


def test_nothing_is_left_running_after_close() -> None:
    sandbox = Sandbox()
    sandbox.run([SLEEP], ROWS, limits=Limits(function_seconds=0.1))
    pids = descendants(sandbox)
    assert pids
    sandbox.close()
    deadline = time.monotonic() + 5
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "still running"
        time.sleep(0.02)


def test_descriptors_do_not_accumulate(sandbox: Sandbox) -> None:
    sandbox.run([DOUBLE], ROWS)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - iterdir would be one of them
    for _ in range(5):
        sandbox.run([DOUBLE, DOUBLE], ROWS)
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208


def test_costs_and_facts_are_told(sandbox: Sandbox, run: Run) -> None:
    result = run("def f(row):\n    return sum(range(300_000))")
    assert 0 < result.cpu_seconds < 10
    assert result.seconds > 0
    assert result.peak_memory_mb > 20
    assert sandbox.facts["level"] == sandbox.level == "strong"
    assert int(sandbox.facts["landlock_abi"]) >= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clock": datetime(2024, 1, 1, tzinfo=UTC)}, "clock must be without time zone"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": True}, "seed must be a whole number"),
    ],
)
def test_wrong_options_are_refused(sandbox: Sandbox, options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        sandbox.run([DOUBLE], ROWS, **options)  # type: ignore[arg-type]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="parallel must be a whole number of at least 1, got 0"):
        Sandbox(parallel=0)
    with pytest.raises(InvalidInput, match="function_seconds must be a positive number, got -1"):
        Limits(function_seconds=-1)
    frame = pd.DataFrame({"x": [1]})
    many = Tables(rows=frame, auxiliary={str(n): frame for n in range(201)})
    with pytest.raises(InvalidInput, match="201 auxiliary tables; at most 200"):
        Sandbox().run([DOUBLE], many)


def test_texts_are_grouped_without_threads(sandbox: Sandbox) -> None:
    table = pd.DataFrame({"k": [1, 1, 2], "day": ["2024-01-05", "2024-03-01", "2024-02-01"]})
    code = "def last(row, aux):\n    return aux['t.csv'].groupby('k')['day'].max()[row['x']]\n"
    tables = Tables(rows=pd.DataFrame({"x": [1, 2]}), auxiliary={"t.csv": table})
    (result,) = sandbox.run([FunctionSource("last", code)], tables, limits=Limits(function_seconds=20))
    assert (result.status, result.column.to_pylist()) == ("ok", ["2024-03-01", "2024-02-01"])


def test_a_process_with_tables_serves_the_runs_that_share_them_and_no_other() -> None:
    first, second = (SharedTable(pd.DataFrame({"y": [value]}), "train") for value in (10, 20))
    add = FunctionSource("add", "def add(row, df_train): return row['x'] + int(df_train['y'][0])")
    with Sandbox() as sandbox:
        served = []
        for train, start in ((first, 1), (second, 2), (first, 3), (second, 4)):
            (result,) = sandbox.run([add], Tables(rows=pd.DataFrame({"x": [start]}), train=train))
            assert result.column.to_pylist() == [start + (10 if train is first else 20)]
            served.append(sandbox._holders[-1])
        assert served[0] is served[2] is not served[1] is served[3]
        assert served[0]._tables == {"train": first}  # rows were the guest's own
        for value in range(5):
            sandbox.run([add], Tables(rows=pd.DataFrame({"x": [1]}), train=SharedTable(pd.DataFrame({"y": [value]}))))
        assert len(sandbox._holders) <= 3


def test_large_tables_of_several_functions_are_loaded_once_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sandbox.processes._SMALL", 0)
    monkeypatch.setattr("assay.sandbox.host._LOADED_OFTEN", 0)
    with Sandbox() as sandbox:
        sandbox.run([DOUBLE, DOUBLE], ROWS)
        (holder,) = sandbox._holders
        assert list(holder._tables) == ["rows"]
        sandbox.run([DOUBLE], ROWS)
        assert holder not in sandbox._holders


def test_a_process_with_tables_that_died_while_idle_is_replaced_in_silence() -> None:
    tables = Tables(rows=pd.DataFrame({"x": [1]}), train=SharedTable(pd.DataFrame({"y": [1]})))
    with Sandbox() as sandbox:
        sandbox.run([DOUBLE], tables)
        gone = sandbox._holders[-1]
        gone._control.shutdown(socket.SHUT_RDWR)
        assert sandbox.run([DOUBLE], tables)[0].status == "ok"
        assert sandbox._holders[-1] is not gone
