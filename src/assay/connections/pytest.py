"""The pytest plugin: fixtures for runs and results; nothing heavy is imported until a test asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from assay.connections.asserting import assert_beats, assert_not_worse
    from assay.report import Results

__all__ = ["assert_beats", "assert_not_worse"]

_OUT = pytest.StashKey[dict[Path, None]]()

if not TYPE_CHECKING:  # a type checker knows both names from the import above

    def __getattr__(name: str) -> object:
        if name in __all__:
            from assay.connections import asserting

            return getattr(asserting, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("assay")
    group.addoption(
        "--assay-out",
        metavar="DIR",
        help="keep the results of assay_run in this folder and go on from there; by default they are temporary",
    )
    group.addoption(
        "--assay-baseline",
        metavar="RESULTS",
        help="the results folder, or its export, that assay_baseline loads",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the list of folders that the run writes."""
    config.stash[_OUT] = {}


@pytest.fixture(scope="session")
def assay_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Results]:
    """Run subjects as :func:`assay.run` does; ``name`` chooses the folder below ``--assay-out``."""
    out = request.config.getoption("--assay-out")
    # workers of pytest-xdist must not share a folder
    parent = Path(out, os.environ.get("PYTEST_XDIST_WORKER", "")) if out else tmp_path_factory.mktemp("assay")

    def run(track: Any, subjects: Any = None, *, name: str | None = None, **options: Any) -> Results:
        import assay

        folder = parent / (name or (track if isinstance(track, str) else "results"))
        results = assay.run(track, subjects, **{"out": folder, "progress": False, **options})
        if out:
            request.config.stash[_OUT][results.folder] = None
        return results

    return run


@pytest.fixture(scope="session")
def assay_baseline(request: pytest.FixtureRequest) -> Results:
    """The results that ``--assay-baseline`` names; without it the test is skipped."""
    path = request.config.getoption("--assay-baseline")
    if path is None:
        pytest.skip("no earlier results to compare with: give --assay-baseline RESULTS")
    import assay

    return assay.load(path)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say where results were kept."""
    for folder in config.stash.get(_OUT, {}):
        terminalreporter.write_line(f"assay results: {folder}")
