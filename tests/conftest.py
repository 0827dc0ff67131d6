"""What tests of several folders share: the external track, installed for real, and small helpers around it."""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from tests import environment, markers  # noqa: F401 - the first prepares when it is imported

from assay.api import running
from assay.cli.main import main
from assay.core import registry
from assay.core.track import AnyTrack

# a busy machine must not turn a property red; examples are the same in every run
settings.register_profile("assay", deadline=None, derandomize=True)
settings.load_profile("assay")

EXTERNAL = tuple(Path(__file__).parent / name for name in ("external_track", "external_metrics"))

Assay = Callable[..., subprocess.CompletedProcess[str]]


def pytest_configure(config: pytest.Config) -> None:
    """One worker where a test does not say how many: each is two processes that load libraries for seconds."""
    patch = pytest.MonkeyPatch()
    patch.setattr(running, "cores", functools.wraps(running.cores)(lambda: 1))
    config.add_cleanup(patch.undo)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples are those of the code: no module of tests is searched for them."""
    return [collector for collector in (yield) if not isinstance(collector, DoctestModule)]


@pytest.hookimpl(tryfirst=True)  # before markers are selected by
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    markers.mark(items)


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Commands that run in this process show notices and wait for signals, which the next test must not see."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)
    logger = logging.getLogger("assay")
    logger.handlers.clear()
    logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="session")
def external_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the external packages: a track, and metrics with a runner."""
    folder = tmp_path_factory.mktemp("source")
    sources = [shutil.copytree(package, folder / package.name) for package in EXTERNAL]  # building leaves traces
    target = tmp_path_factory.mktemp("packages")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(target), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def installed(external_packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The external packages, seen by this process and by all it starts."""
    monkeypatch.syspath_prepend(str(external_packages))
    paths = [str(external_packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


@pytest.fixture
def parity(installed: None) -> Iterator[AnyTrack]:
    """The external track, registered in this process and in all it starts."""
    for cached in (registry._entries, registry.get_track):
        cached.cache_clear()
    yield registry.get_track("parity")
    for cached in (registry._entries, registry.get_track):
        cached.cache_clear()


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    """Run a command in the test's own folder, in this process: starting an interpreter costs a second each time."""

    def call(*arguments: str, code: int = 0, folder: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        out, errors = io.StringIO(), io.StringIO()
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(errors),
            pytest.raises(SystemExit) as ended,
        ):
            main(list(arguments))
        returned = int(ended.value.code or 0)
        done = subprocess.CompletedProcess(arguments, returned, out.getvalue(), errors.getvalue())
        assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call


@pytest.fixture
def assay_process(tmp_path: Path) -> Assay:
    """Run the installed command in the test's own folder, as a user would."""

    def call(*arguments: str, code: int = 0, folder: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).parent / "assay"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=300)
        assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return call
