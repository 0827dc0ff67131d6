"""The steps of the Dockerfile, done without Docker: ``python -m tools.image_steps FOLDER``.

A new environment stands for the image's Python, folders below FOLDER for its files, and where this runs as root the
user of the image runs the command.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Do every step in turn, then ask the doctor and run a small study as the image's user."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    environment = folder / "python"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    path = f"{environment / 'bin'}:/usr/bin:/bin"
    home, user, check = folder / "home", "", ["assay", "doctor"]
    home.mkdir(exist_ok=True)
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "COPY":
            *sources, target = rest.split()
            for source in sources:
                _copy(ROOT / source, Path(f"{folder}{target}"), inside=target.endswith("/"))
        elif word == "RUN" and rest.startswith("pip "):
            script = rest.replace("/build", str(folder / "build"))
            subprocess.run(["sh", "-ec", script], check=True, env={"PATH": path, "HOME": str(home)})
        elif word == "RUN":
            print(f"left out: {line}", flush=True)
            continue
        elif word == "USER":
            user = rest
        elif word == "HEALTHCHECK":
            check = json.loads(rest[rest.index("[") :])
        print(f"done: {line}" if word not in ("#", "") else "", flush=True)
    prefix: list[str] = []
    if user and os.getuid() == 0:
        subprocess.run(["chown", "-R", user, str(home)], check=True)
        prefix = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    for words in (
        check,
        ["assay", "run", "formula", "--problems", "exact-3", "--subject", "linear", "--out", "results"],
    ):
        print(f"$ {shlex.join([*prefix, *words])}", flush=True)
        result = subprocess.run([*prefix, *words], cwd=home, check=False, env={"PATH": path, "HOME": str(home)})
        print(f"exit {result.returncode}", flush=True)


def _copy(source: Path, target: Path, *, inside: bool) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        return
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target / source.name if inside else target)


if __name__ == "__main__":
    main()
