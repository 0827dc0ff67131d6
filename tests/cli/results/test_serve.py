"""``assay serve``, ``assay run --serve`` and ``assay report --no-truth``."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.main import cli
from assay.cli.results import serve as serve_module
from assay.core import InvalidInput, MissingExtra
from assay.serve import server


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the server was asked for; none is started."""
    calls: list[dict[str, Any]] = []

    def serve(results: Any, *, started: Any, stopped: Any, **other: Any) -> None:
        calls.append({"results": results, **other})
        started("http://127.0.0.1:1/token/")
        stopped(lambda: None)

    monkeypatch.setattr("assay.serve.serve", serve)
    return calls


def test_the_address_is_told_and_options_are_passed_on(served: list[dict[str, Any]]) -> None:
    result = CliRunner().invoke(cli, ["serve", "a", "b.zip", "--port", "8000", "--no-truth"])
    assert result.exit_code == 0, result.output
    assert served == [{"results": (Path("a"), Path("b.zip")), "host": "127.0.0.1", "port": 8000, "truth": False}]
    assert result.stderr == "Serving at http://127.0.0.1:1/token/\n"
    result = CliRunner().invoke(cli, ["serve", "a", "--host", "0.0.0.0"])
    assert "not encrypted" in result.stderr


def test_missing_libraries_and_ports_in_use_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = server._listening("127.0.0.1", 0)
    with chosen, pytest.raises(InvalidInput, match=r"cannot be listened on .* Choose another --host or --port"):
        server.serve([tmp_path], port=chosen.getsockname()[1])
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="starlette"):
        server.serve([tmp_path])
    result = CliRunner().invoke(cli, ["run", "conformal", "--subject", "global", "--out", str(tmp_path), "--serve"])
    assert isinstance(result.exception, MissingExtra)


def test_the_view_of_a_run_ends_with_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[Any] = []

    def start(command: list[str], **how: Any) -> Any:
        assert command[1:5] == ["-P", "-m", "assay", "serve"]
        started.append(command)
        return real(["cat"], **how)

    real = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(KeyboardInterrupt), serve_module.served_beside(tmp_path):
        raise KeyboardInterrupt  # the run is interrupted: leaving waits for the server, which ends with its input
    assert len(started) == 1


def test_no_truth_is_about_the_page() -> None:
    result = CliRunner().invoke(cli, ["report", "results", "--no-truth"])
    assert "add --html FILE" in str(result.exception)
