"""A small run with a subject of each kind, its bundle, a key, and a runner that needs no processes of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assay.conformal import generate
from assay.core import InfrastructureFailed
from assay.harness import RunSpec, run
from assay.harness.execute import Examiner, Job
from assay.harness.runners import Lost
from assay.harness.store.stored_answer import Finished
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.verifying import verify_bundle
from assay.publish.bundle.writing import write_bundle

AGENT = """\
import numpy as np


def solve(task, budget):
    chance = np.random.default_rng(budget.seed)
    return [chance.random(matrix.shape) < 0.5 for matrix in task.test_probabilities]
"""
METRIC = """\
def size_twice(evidence):
    return 2.0
"""


class Here:
    """Examines cells in this process, and keeps the subjects' server warm."""

    name = "here"

    def __init__(self, scratch: Path) -> None:
        self._examiner = Examiner(scratch)

    def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished | Lost]:
        for job in jobs:
            try:
                yield self._examiner.finish(job)
            except InfrastructureFailed as error:
                yield Lost(job.cell, str(error))

    def close(self) -> None:
        self._examiner.close()


class Study(NamedTuple):
    """What an author has, and what a reviewer gets."""

    results: Path
    agent: Path
    bundle: Path
    metric: Path


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    runner = Here(tmp_path_factory.mktemp("scratch"))
    yield runner
    runner.close()


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory, here: Here) -> Study:
    folder = tmp_path_factory.mktemp("study")
    agent, metric = folder / "agent.py", folder / "own_metric.py"
    agent.write_text(AGENT)
    metric.write_text(METRIC)
    generate(folder / "problems", problems=1, seed=3, calibration=120, test=80)
    spec = RunSpec(
        track="conformal",
        subjects=("taskwise", "oracle", "agent.py"),
        problems=("problems",),
        seeds=(0, 1),
        metrics=("coverage@0.5",),
        folder=folder,
    )
    run(spec, out=folder / "results", runner=here)
    bundle = folder / "bundle.zip"
    write_bundle(folder / "results", bundle)
    return Study(folder / "results", agent, bundle, metric)


@pytest.fixture(scope="session")
def verified(here: Here) -> Callable[..., Verification]:
    """Verifies without processes of its own."""

    def verify(path: Path, **options: Any) -> Verification:
        return verify_bundle(path, runner=here, **options)

    return verify


class Signed(NamedTuple):
    """A key, the list that allows its owner, and the bundle that it signed."""

    key: Path
    signers: Path
    bundle: Path


@pytest.fixture(scope="session")
def signed(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Signed:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    folder = tmp_path_factory.mktemp("keys")
    key, signers, bundle = folder / "key", folder / "allowed_signers", folder / "signed.zip"
    make_key(key)
    signers.write_text(f"alice@example.org {key.with_suffix('.pub').read_text()}")
    write_bundle(study.results, bundle, key=key)
    return Signed(key, signers, bundle)


def make_key(path: Path) -> None:
    """A key without a passphrase."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)], check=True)
