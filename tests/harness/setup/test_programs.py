from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import Call, InvalidInput
from assay.harness.programs.program import read_program
from assay.harness.setup.programs import demand_startable


def startable(folder: Path, run: str = "./agent.sh") -> None:
    demand_startable(read_program(Call("command", {"run": run}), folder), name="mine")


@pytest.mark.parametrize(
    ("source", "mode", "words"),
    [
        ("#!/bin/sh\ntrue\n", 0o644, r"agent.sh is not executable. Make it so: chmod \+x .*agent.sh"),
        ("#!/no/such/interpreter -u\n", 0o755, "names the interpreter '/no/such/interpreter' .* not here"),
        ("#!/usr/bin/env no-such-language\n", 0o755, "names the interpreter 'no-such-language'"),
        ("#!/usr/bin/env -S no-such-language -u\n", 0o755, "names the interpreter 'no-such-language'"),
        ("#!/bin/sh\r\ntrue\r\n", 0o755, r"Convert it: sed -i 's/\\r\$//' .*agent.sh"),
        ("#!\n", 0o755, "names no interpreter after #!"),
        ("import sys\n", 0o755, "a text that names no interpreter. .* #!/usr/bin/env python3"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_with_the_way_out(
    tmp_path: Path, source: str, mode: int, words: str
) -> None:
    path = tmp_path / "agent.sh"
    path.write_bytes(source.encode())
    path.chmod(mode)
    with pytest.raises(InvalidInput, match=words):
        startable(tmp_path)


def test_a_program_that_can_be_started_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "agent.sh"
    for head in (b"#!/bin/sh\n", b"#! /usr/bin/env sh\n", b"#!/usr/bin/env -S LANG=C sh -e\n", b"\x7fELF\x02\0\0", b""):
        path.write_bytes(head)
        path.chmod(0o755)
        startable(tmp_path)
    startable(tmp_path, "sh agent.sh")
    with pytest.raises(InvalidInput, match="no program 'no-such-language' on the PATH"):
        startable(tmp_path, "no-such-language agent.sh")


def test_the_command_that_makes_it_executable_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my agent.sh").write_text("#!/bin/sh\n")
    with pytest.raises(InvalidInput, match=r"chmod \+x 'my agent.sh'$"):
        startable(tmp_path, "'./my agent.sh'")
