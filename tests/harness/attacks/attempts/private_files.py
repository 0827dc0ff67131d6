"""Reading private files, the truth, the store and other subjects by their paths."""

from __future__ import annotations

import ctypes
import os
import runpy
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.harness.attacks import means


def secret_by_its_path(target: means.Target) -> str | None:
    return means.read(target.secret)


def plain_file_of_the_user(target: means.Target) -> str | None:
    return means.read(target.plain)


def truth_by_its_path(target: means.Target) -> str | None:
    return means.read(target.truth)


def truth_as_arrays(target: means.Target) -> str | None:
    import numpy as np

    return f"loaded {list(np.load(target.truth))}"


def live_store_by_its_path(target: means.Target) -> str | None:
    return means.read(target.store)


def live_store_through_sqlite(target: means.Target) -> str | None:
    try:
        connection = sqlite3.connect(f"file:{target.store}?mode=ro&immutable=1", uri=True)
        return f"read {connection.execute('SELECT count(*) FROM records').fetchone()} records"
    except sqlite3.Error as error:
        raise OSError(str(error)) from None


def journal_of_the_live_store(target: means.Target) -> str | None:
    return means.every([lambda: means.read(target.store + "-wal"), lambda: means.read(target.store + "-shm")])


def private_file_of_a_sibling(target: means.Target) -> str | None:
    return means.read(f"{target.sibling}/private.txt")


def source_of_a_sibling(target: means.Target) -> str | None:
    return means.read(f"{target.sibling}/sibling.py")


def sibling_run_as_a_module(target: means.Target) -> str | None:
    return means.secret_in(repr(runpy.run_path(f"{target.sibling}/sibling.py")))


def original_of_its_own_source_folder(target: means.Target) -> str | None:
    beside = Path(target.sibling).parent
    return means.every([lambda other=other: means.read(str(other)) for other in beside.glob("private_files_t*/*.py")])


def secret_through_a_symbolic_link(target: means.Target) -> str | None:
    os.symlink(target.secret, "link")
    return means.read("link")


def secret_through_a_link_to_its_folder(target: means.Target) -> str | None:
    os.symlink(target.home, "folder")
    return means.read("folder/" + os.path.basename(target.secret))


def secret_through_a_hard_link(target: means.Target) -> str | None:
    os.link(target.secret, "hard")
    return means.read("hard")


def secret_moved_into_the_working_folder(target: means.Target) -> str | None:
    os.rename(target.plain, "moved")
    return means.read("moved")


def secret_exchanged_with_a_file_of_its_own(target: means.Target) -> str | None:
    Path("mine").write_text("mine")
    means.syscall(316, -100, b"mine", -100, target.plain.encode(), 2)  # renameat2, RENAME_EXCHANGE
    return means.read("mine")


def secret_by_dots_from_the_working_folder(target: means.Target) -> str | None:
    return means.read(os.path.relpath(target.secret))


def secret_by_a_descriptor_of_a_parent_folder(target: means.Target) -> str | None:
    folder = os.open(target.home, os.O_PATH | os.O_DIRECTORY)
    return means.read(os.open(os.path.basename(target.secret), os.O_RDONLY, dir_fd=folder))


def secret_reopened_from_a_path_descriptor(target: means.Target) -> str | None:
    return means.read(f"/proc/self/fd/{os.open(target.secret, os.O_PATH)}")


def secret_by_openat2(target: means.Target) -> str | None:
    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, 0)
    return means.read(means.syscall(437, -100, target.secret.encode(), how, 24))


def secret_through_the_root_link_of_proc(target: means.Target) -> str | None:
    return means.every(
        [lambda entry=entry: means.read(f"/proc/self/{entry}{target.secret}") for entry in ("root", "task/self/root")]
        + [lambda: means.read(f"/proc/thread-self/root{target.secret}")]
    )


def secret_by_a_shell(target: means.Target) -> str | None:
    return means.secret_in(means.shell(f"cat '{target.secret}' '{target.home}'/*"))


def secret_by_a_fresh_interpreter(target: means.Target) -> str | None:
    command = [sys.executable, "-I", "-c", f"print(open({target.secret!r}).read())"]
    return means.secret_in(subprocess.run(command, capture_output=True, timeout=2, check=False).stdout)


def secret_as_standard_input_of_a_child(target: means.Target) -> str | None:
    return means.secret_in(means.shell(f"cat < '{target.secret}'; . '{target.secret}' 2>&1"))


def secret_as_a_program_or_library(target: means.Target) -> str | None:
    try:
        ctypes.CDLL(target.secret)
    except OSError as error:
        if "invalid ELF header" in str(error) or "file too short" in str(error):
            return f"the loader read it: {error}"
        raise
    return "the loader took it"


def secret_in_an_extended_attribute(target: means.Target) -> str | None:
    return means.secret_in(os.getxattr(target.plain, "user.note"))


def secret_after_a_change_of_root(target: means.Target) -> str | None:
    os.chroot(target.home)
    return means.read("/" + os.path.basename(target.secret))


def secret_from_a_working_folder_of_its_choice(target: means.Target) -> str | None:
    os.chdir(target.home)
    return means.read(os.path.basename(target.secret))


def names_watched_with_inotify(target: means.Target) -> str | None:
    watch = means.syscall(294, os.O_NONBLOCK)
    return means.every(
        [
            lambda path=path: f"watches {path}: {means.syscall(254, watch, path.encode(), 0xFFF)}"
            for path in (target.truth, target.store, target.home)
        ]
    )


def another_truth_by_search(target: means.Target) -> str | None:
    """Wherever the mounts, the environment and the own path point at, look for truth folders."""
    roots = {str(Path.cwd().parents[depth]) for depth in range(min(5, len(Path.cwd().parents) - 1))}
    roots |= {part for value in os.environ.values() for part in value.split(":") if part.startswith("/tmp")}
    for root in roots:
        for folder, _, names in os.walk(root):
            if folder.endswith("/truth") and names:
                return means.read(f"{folder}/{names[0]}")
    return None
