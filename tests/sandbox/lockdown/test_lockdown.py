from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.sandbox import Sandbox
from assay.sandbox.lockdown import landlock, lockdown
from assay.sandbox.lockdown.kernel import count_threads, syscall
from assay.sandbox.lockdown.limits import apply_limits, resource_limits
from assay.sandbox.lockdown.lockdown import TooManyThreads, close_others, library_folders, lock_down
from assay.sandbox.lockdown.syscalls import MACHINES


def in_child(work: Callable[[], object]) -> str:
    """What the work gives or raises in a forked child, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = repr(work())
        except BaseException as error:  # noqa: BLE001 - the parent wants to know, whatever it is
            outcome = f"{type(error).__name__}: {error}"
        os.write(writing, outcome.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        outcome = pipe.read().decode()
    os.waitpid(child, 0)
    return outcome


def test_lock_down_is_refused_while_another_thread_runs() -> None:
    stop = threading.Event()

    def locked_with_a_thread() -> None:
        thread = threading.Thread(target=stop.wait, daemon=True)
        thread.start()
        lock_down(["landlock"], keep=0, readable=[], seconds=1, memory_mb=100)

    assert in_child(locked_with_a_thread) == (
        "TooManyThreads: lock-down needs a process with one thread, this one has 2"
    )
    assert issubclass(TooManyThreads, RuntimeError)


def test_landlock_binds_one_thread_only_which_is_why_threads_are_refused(tmp_path: Path) -> None:
    """The reason for the rule above: an older thread reads on after the restriction."""
    (tmp_path / "file").write_text("content")

    def read_from_older_thread() -> tuple[str, str]:
        begun, answered, seen = threading.Event(), threading.Event(), []

        def work() -> None:
            begun.wait()
            seen.append((tmp_path / "file").read_text())
            answered.set()

        threading.Thread(target=work, daemon=True).start()
        landlock.restrict([])
        begun.set()
        answered.wait()
        try:
            (tmp_path / "file").read_text()
        except PermissionError:
            return seen[0], "denied"
        return seen[0], "read"

    assert in_child(read_from_older_thread) == "('content', 'denied')"


def test_granted_places_can_be_read_and_written_as_granted(tmp_path: Path) -> None:
    for name in ("open", "closed", "own"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)

    def attempt() -> list[str]:
        landlock.restrict([(tmp_path / "open", landlock.READ), (tmp_path / "own", landlock.READ_WRITE)])
        results = []
        for name in ("open", "closed", "own"):
            for mode in ("r", "w"):
                try:
                    with (tmp_path / name / "file").open(mode):
                        results.append(f"{name} {mode}")
                except PermissionError:
                    continue
        return results

    assert in_child(attempt) == "['open r', 'own r', 'own w']"


def test_a_place_that_does_not_exist_grants_nothing() -> None:
    assert in_child(lambda: landlock.restrict([(Path("/no/such/place"), landlock.READ)])) == repr(landlock.abi())


def test_limits_hold_and_cannot_be_raised_again() -> None:
    def attempt() -> tuple[tuple[int, int], str]:
        apply_limits({resource.RLIMIT_NOFILE: 20, resource.RLIMIT_CORE: 0})
        lockdown.drop_capabilities(MACHINES[os.uname().machine])
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
        except (ValueError, PermissionError):
            return resource.getrlimit(resource.RLIMIT_NOFILE), "refused"
        return resource.getrlimit(resource.RLIMIT_NOFILE), "raised"

    assert in_child(attempt) == "((20, 20), 'refused')"


def test_a_limit_that_is_lower_already_stays() -> None:
    def attempt() -> tuple[int, int]:
        resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
        apply_limits({resource.RLIMIT_NOFILE: 64})
        return resource.getrlimit(resource.RLIMIT_NOFILE)

    assert in_child(attempt) == "(30, 30)"


def test_memory_is_counted_from_what_is_mapped_already() -> None:
    limits = resource_limits(seconds=0.2, memory_mb=10, mapped=5)
    assert limits[resource.RLIMIT_AS] == 5 + 10 * 2**20
    assert limits[resource.RLIMIT_CPU] == 3


def test_all_descriptors_but_the_given_are_closed() -> None:
    def attempt() -> list[bool]:
        one, two, three = (os.open("/dev/null", os.O_RDONLY) for _ in range(3))
        close_others([two])
        return [Path(f"/proc/self/fd/{number}").exists() for number in (0, one, two, three)]

    # the pipe back is closed too, so the child speaks through a copy of it
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 0)
        os.write(0, repr(attempt()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == b"[True, False, True, False]"
    os.waitpid(child, 0)


def test_libraries_are_readable_and_nothing_above_them() -> None:
    folders = library_folders()
    assert Path(os.__file__).parent.resolve() in folders
    assert all(len(folder.parts) > 3 for folder in folders)
    assert not any(Path.home() == folder or Path("/") == folder for folder in folders)


def test_threads_are_counted_by_the_kernel() -> None:
    stop = threading.Event()
    before = count_threads()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    assert count_threads() == before + 1
    stop.set()
    thread.join()


def test_a_failing_call_names_itself() -> None:
    with pytest.raises(OSError, match="landlock_restrict_self: "):
        syscall("landlock_restrict_self", 446, -1, 0)


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"platform.machine": "aarch64"}, r"a verified seccomp filter for aarch64 \(its table has not been run there"),
        ({"platform.machine": "riscv64"}, r"a seccomp filter for riscv64"),
        ({"sys.platform": "darwin"}, r"Linux \(this is darwin\)"),
        ({"landlock.abi": 0}, r"Landlock \(Linux 5.13 or later"),
    ],
)
def test_a_missing_layer_refuses_strong_with_the_way_to_weak(
    monkeypatch: pytest.MonkeyPatch, patch: dict[str, str | int], reason: str
) -> None:
    for name, value in patch.items():
        fixed = value if name == "sys.platform" else lambda value=value: value
        monkeypatch.setattr(f"assay.sandbox.lockdown.lockdown.{name}", fixed)
    with pytest.raises(InvalidInput, match=f"level 'strong' needs {reason}.*choose level='weak' explicitly"):
        Sandbox()
    Sandbox(level="weak").close()


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"no level 'medium'\. Known: strong, weak\."):
        Sandbox(level="medium")
