"""Hostile programs, and subjects whose own folder is the attack: links, FIFOs, odd sources, early modules."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tests.harness.attacks import means

# what a program does with its answer, its usage and its task; a shell script each
SCRIPTS = {
    "reads_the_secret": 'cat "$SECRET" "$TRUTH" "$STORE"; cp "$SECRET" "$ASSAY_ANSWER"',
    "answer_is_a_link_to_the_secret": 'ln -s "$SECRET" "$ASSAY_ANSWER"',
    "answer_is_a_hard_link_to_the_secret": 'ln "$SECRET" "$ASSAY_ANSWER"',
    "answer_is_a_link_to_the_truth": 'ln -s "$TRUTH" "$ASSAY_ANSWER"',
    "answer_is_a_fifo": 'mkfifo "$ASSAY_ANSWER"',
    "answer_is_a_folder": 'mkdir "$ASSAY_ANSWER"',
    "answer_is_an_endless_device": 'ln -s /dev/zero "$ASSAY_ANSWER"',
    "answer_is_of_enormous_size": 'truncate -s 1T "$ASSAY_ANSWER" || truncate -s 500M "$ASSAY_ANSWER"',
    "folder_of_the_answer_is_a_link": 'd=$(dirname "$ASSAY_ANSWER"); '
    'mv "$d" "$d.aside"; ln -s "$HOME_FOLDER" "$d"; echo x > "$ASSAY_ANSWER"',
    "usage_is_a_link_to_the_secret": 'ln -sf "$SECRET" "$ASSAY_USAGE"; echo "{}" > "$ASSAY_ANSWER"',
    "usage_is_a_fifo": 'mkfifo "$ASSAY_USAGE"; echo "{}" > "$ASSAY_ANSWER"',
    "usage_is_absurd": 'echo \'{"tokens": 1e999, "cpu_seconds": -5, "x\\ud800": NaN}\' > "$ASSAY_USAGE"; '
    'echo "{}" > "$ASSAY_ANSWER"',
    "task_folder_is_replaced": 'rm -rf "$ASSAY_TASK"; ln -s "$HOME_FOLDER" "$ASSAY_TASK"; echo "{}" > "$ASSAY_ANSWER"',
    "leaves_daemons": "(trap '' TERM HUP; setsid sleep 19 &) ; echo '{}' > \"$ASSAY_ANSWER\"",
    "kills_its_parent": "kill -9 $PPID; sleep 0.3; echo '{}' > \"$ASSAY_ANSWER\"",
    "prints_half_characters": "printf '\\355\\240\\200\\377\\000' ; printf '\\355\\240\\200' >&2; exit 3",
}


def write_programs(folder: Path, target: means.Target, only: str = "") -> dict[str, str]:
    """Name and reference of each program."""
    programs = {}
    for name, body in SCRIPTS.items():
        place = folder / f"program_{name}"
        if only not in place.name:
            continue
        place.mkdir(parents=True)
        paths = {"SECRET": target.secret, "TRUTH": target.truth, "STORE": target.store, "HOME_FOLDER": target.home}
        head = "".join(f"{key}='{value}'\n" for key, value in paths.items())
        (place / "agent.sh").write_text(f"#!/bin/sh\n{head}{body}\n")
        programs[place.name] = f"{place.name}=command(run='sh agent.sh', folder='{folder.name}/{place.name}')"
    return programs


Build = Callable[[Path, means.Target], str]
_SAYS = "def solve(task, budget):\n    import pathlib\n    here = pathlib.Path(__file__).parent\n"
_SAYS += "    others = [p for p in here.rglob('*') if p.is_file() and p.name != 'agent.py']\n"
_SAYS += "    raise RuntimeError(' '.join(p.read_text(errors='replace') for p in others))\n"


def _python(place: Path, source: str) -> str:
    (place / "agent.py").write_text(source)
    return f"subjects/{place.name}/agent.py"


def _runs_early(target: means.Target) -> str:
    return f"open({target.mark()!r}, 'w').write('marker')\n"


def link_to_the_secret_as_a_module(place: Path, target: means.Target) -> str:
    (place / "stolen.py").symlink_to(target.secret)
    return _python(place, _SAYS + "    import stolen\n")


def link_to_a_folder_as_a_package(place: Path, target: means.Target) -> str:
    (place / "stolen").symlink_to(target.sibling)
    return _python(place, "import stolen.sibling\n" + _SAYS)


def hard_link_to_the_secret_as_a_module(place: Path, target: means.Target) -> str:
    """A module of the user, elsewhere on the same disk, under a second name."""
    os.link(Path(target.home).parent / "private_module.py", place / "stolen.py")
    return _python(place, "import stolen\n\n\ndef solve(task, budget):\n    raise RuntimeError(stolen.NOTE)\n")


def link_in_the_folder_of_a_program(place: Path, target: means.Target) -> str:
    (place / "stolen").symlink_to(target.secret)
    (place / "agent.sh").write_text("cat stolen\n")
    return f"command(run='sh agent.sh', folder='subjects/{place.name}')"


def linked_folder_in_the_folder_of_a_program(place: Path, target: means.Target) -> str:
    (place / "stolen").symlink_to(target.home)
    (place / "agent.sh").write_text("cat stolen/*\n")
    return f"command(run='sh agent.sh', folder='subjects/{place.name}')"


def environment_of_the_driver_by_a_link(place: Path, target: means.Target) -> str:
    (place / "stolen").symlink_to("/proc/self/environ")
    (place / "agent.sh").write_text("cat stolen\n")
    return f"command(run='sh agent.sh', folder='subjects/{place.name}')"


def fifo_in_the_folder_of_a_program(place: Path, target: means.Target) -> str:
    os.mkfifo(place / "fifo")
    (place / "agent.sh").write_text("echo x\n")
    return f"command(run='sh agent.sh', folder='subjects/{place.name}')"


def fifo_as_a_module(place: Path, target: means.Target) -> str:
    os.mkfifo(place / "stolen.py")
    return _python(place, "import stolen\n" + _SAYS)


def program_named_by_dots(place: Path, target: means.Target) -> str:
    return "command(run='cat home/secret.txt problems/generated-3-000/truth/labels.npz')"


def package_that_runs_when_it_is_found(place: Path, target: means.Target) -> str:
    package = place.parent.parent / "lab_of_attackers"
    package.mkdir()
    (package / "__init__.py").write_text(_runs_early(target))
    (package / "agents.py").write_text(_SAYS)
    return "lab_of_attackers.agents:solve"


def modules_of_the_library_beside_it(place: Path, target: means.Target) -> str:
    for name in ("json", "numpy", "assay", "pickle", "sitecustomize", "usercustomize", "ast", "hashlib", "socket"):
        (place / f"{name}.py").write_text(_runs_early(target))
    return _python(place, "import json, pickle\n" + _SAYS)


def source_of_endless_depth(place: Path, target: means.Target) -> str:
    return _python(place, "x = " + "(" * 50_000 + ")" * 50_000 + "\n" + _SAYS)


def source_of_long_sums(place: Path, target: means.Target) -> str:
    return _python(place, "x = " + "+".join(["1"] * 100_000) + "\n" + _SAYS)


def source_that_is_no_text(place: Path, target: means.Target) -> str:
    (place / "agent.py").write_bytes(b"# coding: utf-7\n\xff\xfe\0import os\n")
    return f"subjects/{place.name}/agent.py"


def source_with_half_a_character(place: Path, target: means.Target) -> str:
    return _python(place, "raise ValueError('\\ud800')\n")


BUILDS: tuple[Build, ...] = (
    link_to_the_secret_as_a_module,
    link_to_a_folder_as_a_package,
    hard_link_to_the_secret_as_a_module,
    link_in_the_folder_of_a_program,
    linked_folder_in_the_folder_of_a_program,
    environment_of_the_driver_by_a_link,
    fifo_in_the_folder_of_a_program,
    fifo_as_a_module,
    program_named_by_dots,
    package_that_runs_when_it_is_found,
    modules_of_the_library_beside_it,
    source_of_endless_depth,
    source_of_long_sums,
    source_that_is_no_text,
    source_with_half_a_character,
)
