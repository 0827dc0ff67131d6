from __future__ import annotations

import logging
import operator
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from assay.insight.fits.forest.kernels import compiled as module
from assay.insight.fits.forest.kernels.compiled import compiled, numba_missing
from assay.insight.fits.forest.kernels.machine_code import processor
from assay.insight.fits.forest.selfcheck import check_engines

FIT = """
import logging, sys, numpy as np
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
logging.getLogger("numba").setLevel(logging.WARNING)
from assay.insight.fits.forest import ForestSettings, predict
rows = np.arange(6.0).reshape(-1, 1)
for _ in range(2):
    print(predict(rows, rows[:, 0], rows, task="regression", classes=0, settings=ForestSettings(trees=2)).engine)
print("numba" in sys.modules)
"""


def fit(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    process = subprocess.run([sys.executable, "-c", FIT], capture_output=True, text=True, check=False, env=environment)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split()[:2] == ["closed-form", "closed-form"]
    return process


@pytest.mark.soak
def test_the_first_run_says_what_it_compiles_and_the_second_needs_no_compiler(tmp_path: Path) -> None:
    announcements = [line for line in fit(tmp_path).stderr.splitlines() if line.startswith("assay.insight ")]
    assert announcements == ["assay.insight compiling one_column for this machine, once (some seconds)"]
    second = fit(tmp_path)
    assert "compiling" not in second.stderr
    assert second.stdout.split()[-1] == str(not processor())  # where machine code stands alone
    for code_files in tmp_path.rglob("*.o"):
        code_files.write_bytes(code_files.read_bytes()[:-40])
    assert fit(tmp_path).stdout.split()[-1] == "True"  # damaged code is not run


def test_every_kernel_of_the_forests_is_kept_for_the_next_process() -> None:
    if not processor():
        pytest.skip("machine code does not stand alone here")
    assert not check_engines()
    code_files = {path.name.rpartition("-")[0] for path in (module._code_folder() or Path()).glob("*.o")}
    assert code_files >= {
        *("one_column.find_groups", "one_column.group_means", "one_column.pair_shares", "one_column.class_shares"),
        *("one_column_growth.find_all_groups", "one_column_growth.root_sums"),
        *("one_column_growth.grow_class_trees", "one_column_growth.grow_mean_trees"),
        *("tree_classifier._grow", "tree_regressor._grow"),
    }


def test_without_a_folder_to_keep_it_in_it_is_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class NoFolder:
        @staticmethod
        def njit(*, cache: bool = False, **options: Any) -> Any:
            if cache:
                raise RuntimeError("no locator available")
            just_in_time: Any = numba.njit
            return just_in_time(**options)

    def double(value: float) -> float:
        return 2.0 * value

    monkeypatch.setattr(module, "_numba", NoFolder)
    with caplog.at_level(logging.INFO, logger="assay.insight"):
        assert compiled(double)(1.5) == 3.0
    assert caplog.messages == ["compiled kernels cannot be kept for later runs: no locator available"]


def test_importing_the_forests_does_not_import_the_compiler() -> None:
    check = "import sys, assay.insight.fits.forest; print(sorted({'numba', 'sklearn'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"


def test_kept_code_that_names_modules_of_the_compiler_imports_none_of_them() -> None:
    stub = module._NamedOnly.import_module("numba.never_loaded")
    assert (stub.__name__, "numba.never_loaded" in sys.modules) == ("numba.never_loaded", False)
    for loaded in ("numba.core.types", "operator"):  # what kernels themselves use stays the real one
        assert module._NamedOnly.import_module(loaded) is sys.modules[loaded]


def test_compiled_arithmetic_is_not_reordered() -> None:
    @compiled
    def total(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        total = 0.0
        for value in values:
            total += value
        return total

    values = np.array([1e16, 1.0, -1e16, 1.0] * 8)
    assert total(values) == reduce(operator.add, values.tolist())  # 1.0 would be 16.0 in another order
    assert np.isnan(total(np.array([np.inf, -np.inf])))


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Forget what was found out about the compiler, before and after."""
    for cached in (numba_missing, module._numba):
        cached.cache_clear()
    yield
    for cached in (numba_missing, module._numba):
        cached.cache_clear()


@pytest.mark.usefixtures("forgetful")
def test_a_missing_compiler_is_a_reason_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_code_folder", lambda: None)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert numba_missing().startswith("numba cannot be imported (")


def test_code_that_was_kept_is_dropped_when_any_source_changes(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text("one = 1\n")
    code_files = tmp_path / "__pycache__"
    code_files.mkdir()
    module._forget_stale_code(tmp_path)
    index = code_files / "kernel.sum-1.py311.nbi"
    index.write_text("machine code")
    module._forget_stale_code(tmp_path)
    assert index.exists()
    (tmp_path / "helper.py").write_text("two = 2\n")
    module._forget_stale_code(tmp_path)
    assert not index.exists()
