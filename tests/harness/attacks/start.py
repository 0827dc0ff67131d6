"""Start a battle in a process and a folder of its own, as this user or as another."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.harness.attacks.battle import Report
from tests.harness.attacks.corpus import alone

_TREE = Path(__file__).parents[3]
_LONGEST = 150.0  # seconds
_LONGEST_ALONE = 40.0


class Unable(Exception):
    """There is no way to run here as that user; the message says why."""


def start(*, user: int | None = None, only: str = "") -> Report:
    """Run all attempts, and give what was found."""
    report = _start(user, only, _LONGEST)
    for name in alone():
        if only in name and only != name:
            further = _start(user, name, _LONGEST_ALONE)
            report.attempts += 1
            report.seconds += further.seconds
            report.findings += [f"{name}: {finding}" for finding in further.findings]
            report.outcomes |= further.outcomes
    return report


def _start(user: int | None, only: str, longest: float) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="assay-attacks-"))
    field = folder / "field"
    field.mkdir()
    account: dict[str, Any] = {}
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    interpreter = sys.executable
    if user is not None:
        interpreter = _interpreter_for(user)
        account = {"user": user, "group": user, "extra_groups": []}
        paths = [str(_TREE / "src"), *(entry for entry in sys.path if entry.endswith("site-packages"))]
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(paths), "HOME": str(field)}
        folder.chmod(0o755)
        os.chown(field, user, user)
    command = [interpreter, "-m", "tests.harness.attacks", "--folder", str(field), "--only", only]
    report = Report()
    try:
        with (folder / "output").open("w+") as output, (folder / "errors").open("w+") as errors:
            process = subprocess.Popen(
                command,
                cwd=_TREE,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                **account,
            )
            try:
                code = process.wait(longest)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                finished = {line.split()[1] for line in (field / "progress.txt").read_text().splitlines()}
                waiting = sorted(
                    {path.name for path in (field / "subjects").iterdir()} - finished - {"honest", "sibling"}
                )
                report.findings.append(f"the run hung for {longest:.0f} s; not finished: {waiting}")
                return report
            output.seek(0)
            errors.seek(0)
            printed = errors.read()
            if code:
                report.findings.append(f"the driver ended with status {code}: {printed[-2000:]}")
                return report
            report = Report(**json.loads(output.read()))
            report.findings += [f"the driver printed: {printed[-500:]}"] if printed else []
            return report
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Also what attempts have made hard to remove: flags, modes, folders deeper than Python recurses."""
    for command in (["chattr", "-R", "-f", "-i", "-a"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        with contextlib.suppress(OSError):
            subprocess.run([*command, str(folder)], check=False, capture_output=True)


def _interpreter_for(user: int) -> str:
    """The first interpreter that this user may start."""
    if os.getuid() != 0:
        raise Unable("only root can start processes of another user")
    for interpreter in (sys.executable, "/usr/bin/python3"):
        try:
            command = [interpreter, "-c", "import sys; assert sys.version_info >= (3, 11)"]
            if subprocess.run(command, user=user, group=user, extra_groups=[], check=False, cwd="/").returncode == 0:
                return interpreter
        except OSError:
            continue
    raise Unable(f"user {user} may not enter the folder of {sys.executable}, and there is no other Python 3.11")
