"""Other people's packages, installed beside ours for a measurement and never into our environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build" / "peers"


def peer(requirement: str) -> Path | None:
    """The folder of an installed peer, or None with the reason printed."""
    target = FOLDER / requirement.replace("==", "-")
    if target.is_dir():
        return target
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    result = subprocess.run(
        [*command, "--target", str(target), requirement], capture_output=True, text=True, check=False
    )
    if result.returncode:
        print(f"{requirement}: not measured, it cannot be installed ({result.stderr.strip().splitlines()[-1]})")
        return None
    return target
