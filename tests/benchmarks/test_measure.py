"""Exponents, rows and the command's own errors."""

from __future__ import annotations

import doctest
import math
import os
from pathlib import Path

import benchmarks.gate
import benchmarks.measure
import pytest
from benchmarks.capacity import estimate, example_costs
from benchmarks.measure import Cpu, beside, fitted, folder_bytes, growth
from benchmarks.memory import TreeWatch, peak_mb, reset_peak, resident_mb
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import __main__ as command


@pytest.mark.parametrize("module", [benchmarks.measure, benchmarks.gate])
def test_examples_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@given(st.floats(-1.0, 3.0), st.floats(0.01, 100.0))
def test_an_exponent_is_found_again(exponent: float, scale: float) -> None:
    sizes = [10.0, 50.0, 200.0, 1000.0]
    assert fitted(sizes, [scale * size**exponent for size in sizes]).exponent == pytest.approx(exponent, abs=1e-9)


def test_a_curve_of_one_point_has_no_exponent() -> None:
    assert math.isnan(fitted([10], [1]).exponent)
    assert math.isnan(growth("flat", [1, 2], [0, 1]).value)


def test_a_peer_of_nothing_has_no_ratio() -> None:
    ratio = beside("CPU", 1.0, "s", peer="other", theirs=0.0).ratio
    assert ratio is not None
    assert math.isnan(ratio)


def test_an_unknown_benchmark_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["200"]) == 2
    assert "'200'" in capsys.readouterr().err
    assert command.main(["startupp"]) == 2
    assert "startup" in capsys.readouterr().err


def test_every_listed_benchmark_has_a_main() -> None:
    for name in command.available():
        assert "\ndef main(" in (command.ROOT / "benchmarks" / f"{name}.py").read_text(), name


def test_a_benchmark_that_breaks_keeps_its_rows_and_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "benchmarks"
    package.mkdir()
    for module in ("__init__", "measure", "one"):
        (package / f"{module}.py").write_text((command.ROOT / "benchmarks" / f"{module}.py").read_text())
    head = "from benchmarks.measure import shown, sized\n\ndef main():\n    yield shown('a', sized(1.0, 2.0), 's')\n"
    (package / "broken.py").write_text(head + "    raise SystemExit('no')\n")
    (package / "fine.py").write_text(head)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    found = command.measure(("broken", "fine"), quick=True)
    assert found.failed == {"broken": "exit status 1"}
    assert [row.name for row in found.rows["broken"]] == ["a"]
    assert found.measured()["fine: a"].value == 2.0


def test_bytes_of_a_folder_leave_out_what_is_named(tmp_path: Path) -> None:
    for name, size in (("a/x", 3), ("b/y", 5), ("z", 7)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"." * size)
    assert folder_bytes(tmp_path) == 15
    assert folder_bytes(tmp_path, apart=("b",)) == 10


def test_memory_and_time_of_a_block_are_seen() -> None:
    idle = resident_mb()
    reset_peak()
    with Cpu() as cpu, TreeWatch(os.getpid(), seconds=0.01) as watch:
        data = bytearray(os.urandom(60 << 20))
    assert peak_mb() - idle > 50
    assert watch.largest_mb > 50
    assert cpu.seconds > 0
    assert len(data) == 60 << 20


def test_the_estimate_names_the_driver_when_cells_are_short_and_the_work_when_they_are_long() -> None:
    size = {"problems": 100_000, "subjects": 50, "workers": 200, "nodes": 25}
    short = estimate(example_costs(work_cell=0.1), **size)
    assert short.bottleneck.startswith("the driver")
    assert short.cells == 5_000_000
    assert short.break_even == pytest.approx(0.4)
    assert short.cells_per_second == pytest.approx(500)
    assert short.driver_hours == pytest.approx(5_000_000 * 2e-3 / 3600)
    assert estimate(example_costs(work_cell=10.0), **size).bottleneck == "solving and examining"
    assert estimate(example_costs(plan_problem=1.0), **size).bottleneck == "planning"
