"""The hostile corpus: nothing gets out, nothing is left behind, and the sandbox serves on."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from assay.sandbox import FunctionResult, FunctionSource, Limits, Sandbox, Tables

CORPUS = sorted((Path(__file__).parent / "hostile").glob("*.txt"))
NOBODY = 65534
CONTROL = FunctionSource(
    "control", "def control(row, df_train, aux): return row['x'] + df_train['x'].sum() + len(aux['a'])"
)
LIMITS = {
    "loops": Limits(function_seconds=0.4, memory_mb=512),
    "exits": Limits(function_seconds=2, memory_mb=128),
    "memory": Limits(function_seconds=20, memory_mb=256),
}


def attacks(file: Path) -> list[FunctionSource]:
    code = file.read_text()
    return [FunctionSource(name, code) for name in re.findall(r"^def (attack_\w+)\(", code, re.MULTILINE)]


@dataclass
class Outside:
    """Real targets on this machine, readable and writable for everyone: only the sandbox keeps a guest from them."""

    folder: Path
    tcp: socket.socket
    udp: socket.socket
    unix: socket.socket
    abstract: socket.socket
    label: str

    @property
    def secret(self) -> Path:
        return self.folder / "secret.csv"

    def rows(self, sandbox: Sandbox) -> pd.DataFrame:
        assert sandbox._server is not None
        return pd.DataFrame(
            {
                "x": [0, 1, 2],
                "tcp": self.tcp.getsockname()[1],
                "udp": self.udp.getsockname()[1],
                "unix": str(self.folder / "unix"),
                "abstract": self.label,
                "secret": str(self.secret),
                "folder": str(self.folder),
                "host": os.getpid(),
                "server": sandbox._server._process.pid,
            }
        )

    def traces(self) -> list[str]:
        """What a guest has left behind, seen from outside."""
        traces = [f"file {path.name}" for path in self.folder.iterdir() if path.name not in ("secret.csv", "unix")]
        traces += (
            [f"{stat.filemode(self.secret.stat().st_mode)}"] if self.secret.stat().st_mode & 0o777 != 0o666 else []
        )
        traces += ["changed secret"] if self.secret.read_text() != "a,b\nhidden,1\n" else []
        traces += ["poisoned package"] if (Path(pd.__file__).parent / "marker.py").exists() else []
        traces += ["shared memory"] if Path("/dev/shm/marker").exists() else []
        for peer in (self.tcp, self.udp, self.unix, self.abstract):
            try:
                if peer.type == socket.SOCK_DGRAM:
                    traces.append(f"packet {peer.recv(64)!r}")
                else:
                    peer.accept()[0].close()
                    traces.append(f"connection to {peer.getsockname()}")
            except BlockingIOError:
                continue
        return traces


@pytest.fixture
def outside() -> Iterator[Outside]:
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    folder.chmod(0o777)
    (folder / "secret.csv").write_text("a,b\nhidden,1\n")
    (folder / "secret.csv").chmod(0o666)
    label = f"assay-{os.getpid()}-{folder.name}"
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    tcp.bind(("127.0.0.1", 0))
    udp.bind(("127.0.0.1", 0))
    unix.bind(str(folder / "unix"))
    abstract.bind(f"\0{label}")
    (folder / "unix").chmod(0o777)
    for peer in (tcp, udp, unix, abstract):
        peer.setblocking(False)
        if peer.type == socket.SOCK_STREAM:
            peer.listen()
    yield Outside(folder, tcp, udp, unix, abstract, label)
    for peer in (tcp, udp, unix, abstract):
        peer.close()
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=[0, NOBODY], ids=["as is", "ordinary user"])
def guarded(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox whose guests have our own user, and one whose guests are an ordinary user."""
    if request.param and os.getuid() != 0:
        pytest.skip("guests are of an ordinary user already: only root can choose another")
    os.environ["ASSAY_TEST_SECRET"] = "SECRET"
    with Sandbox.start(_user=request.param) as sandbox:
        del os.environ["ASSAY_TEST_SECRET"]
        other = pd.DataFrame({"x": [1], "target": ["another runs label"]})
        sandbox.run([FunctionSource("f", "def f(row): return 1")], Tables(rows=other, train=other))
        yield sandbox


def escaped(result: FunctionResult) -> bool:
    values = [] if result.column is None else result.column.to_pylist()
    return any(isinstance(value, str) and "ESCAPED" in value for value in values) or "ESCAPED" in result.message


def test_the_corpus_is_large_and_names_are_unique() -> None:
    names = [function.name for file in CORPUS for function in attacks(file)]
    assert len(names) >= 150
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_every_attack_is_contained_and_the_sandbox_serves_on(file: Path, guarded: Sandbox, outside: Outside) -> None:
    rows = outside.rows(guarded)
    train = pd.DataFrame({"x": [10, 20]})
    tables = Tables(rows=rows, train=train, auxiliary={"a": pd.DataFrame({"y": [1.0, 2.0, 3.0]})})
    (before,) = guarded.run([CONTROL], tables)
    limits = LIMITS.get(file.stem, Limits(function_seconds=20, memory_mb=512))
    results = guarded.run(attacks(file), tables, limits=limits)
    (after,) = guarded.run([CONTROL], tables)
    assert [result.name for result in results if escaped(result)] == []
    assert outside.traces() == []
    for control in (before, after):
        assert control.column.to_pylist() == [33, 34, 35], control
    assert guarded._server is not None
    assert guarded._server._process.pid == rows["server"][0]
    assert guarded._server._process.poll() is None
    if file.stem == "loops":
        assert {result.status for result in results} <= {"timeout", "memory", "exception"}


def test_the_same_attacks_succeed_where_nothing_guards(outside: Outside) -> None:
    """Otherwise 'contained' might mean that the attack is broken."""
    expected = """
    tcp_connect udp_send unix_socket abstract_socket read_secret read_with_numpy list_folder write_file fork subprocess
    thread own_memory_map anonymous_file socketpair path_tricks raw_open
    """
    functions = [function for file in CORPUS for function in attacks(file) if function.name[7:] in expected.split()]
    assert len(functions) == len(expected.split())
    with Sandbox.start(level="weak") as weak:
        results = weak.run(functions, Tables(rows=outside.rows(weak).head(1)), limits=Limits(function_seconds=20))
    assert [result.name for result in results if not escaped(result)] == []
    assert len(outside.traces()) >= 4
