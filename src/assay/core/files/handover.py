"""The task as a folder, for subjects that are programs: everything that lies in the problem's folder but the truth."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

from assay.core.errors import InvalidInput
from assay.core.files.folders import walk
from assay.core.files.text import read_json

__all__ = ["TRUTH", "all_but_truth"]

TRUTH: Final = "truth"
_UNTOLD: Final = ("id", "tags")  # they say what a problem was made for


def all_but_truth(problem: Path, target: Path) -> None:
    """Copy a problem's folder into a new one: without ``truth/``, hidden files, links, devices, its id and tags."""
    if target.exists():
        raise InvalidInput(f"{target}: already exists. Write the task into a new folder.")
    target.mkdir(parents=True)
    for path in sorted(walk(problem)):
        inside = path.relative_to(problem)
        if inside.parts[0] == TRUTH or any(part.startswith(".") for part in inside.parts) or path.is_symlink():
            continue
        if path.is_dir():
            (target / inside).mkdir(exist_ok=True)
        elif inside == Path("problem.json") and path.is_file():
            content = {key: value for key, value in read_json(path).items() if key not in _UNTOLD}
            text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
            # half a character is written as JSON's own escape
            (target / inside).write_text(text, encoding="utf-8", errors="backslashreplace")
        elif path.is_file():  # a pipe or a device has no end
            shutil.copyfile(path, target / inside)
