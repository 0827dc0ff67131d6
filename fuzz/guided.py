"""Inputs led by coverage: atheris tells which inputs reached new code of Assay, and goes on from these.

atheris is in no extra and in no lock: it has no wheels for all machines that Assay runs on.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import pkgutil
import random
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzz.mutation import mutate

__all__ = ["Guide", "instrument"]

_MISSING = "fuzz guided: needs atheris, which is not installed: pip install atheris"
_LONGEST = 1 << 20  # bytes of an input


def instrument() -> str:
    """Have every module of Assay that is imported from now on tell where it runs; else why that cannot be."""
    if importlib.util.find_spec("atheris") is None:
        return _MISSING
    atheris = importlib.import_module("atheris")
    with _quiet():
        # for the rest of the process: some modules are imported when they are first used
        atheris.instrument_imports(include=["assay"], exclude=list(_compiled())).__enter__()
    return ""


def _compiled() -> Iterator[str]:
    """Modules whose functions are compiled by numba, which does not know the instructions that would be added."""
    yield "assay.conformal.sets.kernels"
    place = Path(__file__).parents[1] / "src" / "assay" / "insight" / "fits" / "forest" / "kernels"
    yield from (f"assay.insight.fits.forest.kernels.{module.name}" for module in pkgutil.iter_modules([str(place)]))


class Guide:
    """One reader for so many seconds, in a process of its own."""

    def __init__(self, target: Any, seconds: float, folder: Path) -> None:
        self.target, self.seconds, self.folder = target, seconds, folder
        self.inputs = 0

    def __str__(self) -> str:
        return f"{self.inputs:,} inputs, {self._reached()} of them kept for what they reach"

    def findings(self) -> Iterator[Any]:
        """Everything but clear errors, as it is found."""
        from fuzz.apart import Board, child_findings

        corpus = self.folder / "corpus"
        corpus.mkdir(parents=True)
        for number, seed in enumerate(self.target.seeds[:100]):
            (corpus / f"seed-{number}").write_bytes(seed)
        board = Board()
        died = yield from child_findings(self.target.name, lambda report: self._fuzz(report, board), board)
        self.inputs += board.read()[0] + 1
        if died:
            return

    def _reached(self) -> int:
        return sum(not path.name.startswith("seed-") for path in (self.folder / "corpus").iterdir())

    def _fuzz(self, report: Callable[[Any], None], board: Any) -> None:
        """Runs in the fork and does not come back: atheris ends the process."""
        from fuzz.engine import bounded_memory, try_one

        atheris = importlib.import_module("atheris")
        target, number, kinds = self.target, 0, set[str]()

        def test_one(data: bytes) -> None:
            nonlocal number
            board.write(number, data)
            number += 1
            finding = try_one(target, data)
            if finding is not None and finding.kind not in kinds:
                kinds.add(finding.kind)
                report(finding)

        def change(data: bytes, most: int, seed: int) -> bytes:
            """In the way of the format three times in four, else in that of the library."""
            chance = random.Random(seed)
            if chance.random() < 0.25:
                return bytes(atheris.Mutate(data, most))
            try:
                return bytes(target.mutate(data, chance, target.seeds)[:most])
            except (
                ValueError,
                LookupError,
                TypeError,
                OSError,
                EOFError,
                RuntimeError,
                zipfile.BadZipFile,
                struct.error,
            ):
                # bytes that no longer are of the format
                return mutate(data, chance, target.seeds)[:most]

        options = [f"-max_total_time={max(1, round(self.seconds))}", f"-max_len={_LONGEST}", "-rss_limit_mb=0"]
        options += ["-timeout=90", "-verbosity=0", "-print_final_stats=0", f"-artifact_prefix={self.folder}/"]
        with bounded_memory(), _quiet():
            atheris.Setup(["fuzz", *options, str(self.folder / "corpus")], test_one, custom_mutator=change)
            atheris.Fuzz()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the library's words, which come from C as well."""
    sys.stderr.flush()
    stderr, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nothing)
