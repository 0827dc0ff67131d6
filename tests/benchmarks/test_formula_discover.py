"""What `discover` is compared on: laws from a file, results that a later run goes on from, stages left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.formula_discover import Record, Result, Without, recovery
from benchmarks.formula_discover_data import Law, equations, laws_in

LAWS = Path(__file__).parents[2] / "benchmarks" / "formula_discover_laws.toml"


def test_every_law_of_the_file_has_its_rows_its_distractors_and_its_noise() -> None:
    laws = laws_in(LAWS)
    assert len({law.name for law in laws}) == len(laws) > 30
    for law in laws:
        inputs, target = law.table()
        assert inputs.shape == (law.rows, len(law.ranges) + law.distractors), law.name
        assert np.isfinite(target).all(), law.name
        clean = law._replace(noise=0.0).table()[1]
        relative_error = float(np.sqrt(np.mean(np.square(target - clean)) / np.mean(np.square(clean))))
        assert relative_error == pytest.approx(law.noise, rel=0.25), law.name


def test_a_law_is_recovered_or_not_by_its_form() -> None:
    law = Law("energy", "", "0.5*m*v**2", {"m": (1.0, 5.0), "v": (1.0, 5.0)}, distractors=1)
    subject = Without(left_out=("operon", "inside"))
    assert recovery(subject, law, seconds=5) == (True, "0.5*m*v**2")
    other = law._replace(formula="tan(m)*v", rows=40)
    assert not recovery(subject, other, seconds=0.01)[0]


def test_a_stage_that_there_is_not_is_refused() -> None:
    with pytest.raises(SystemExit, match="no stage magic"):
        Without(left_out=("magic",))


def test_a_record_goes_on_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    first = Record(path)
    for score, subject in ((1.0, "discover"), (0.0, "pyoperon")):
        first.add(Result("hard", "hill", 0.01, subject, 30.0, score, 4.5, 'x, "y"'))
    again = Record(path)
    assert again.results == first.results
    assert again.has("hill", 0.01, "discover", 30.0)
    assert not again.has("hill", 0.1, "discover", 30.0)
    assert dict(again.summary()) == {"discover: score": 1.0, "pyoperon: score": 0.0}


def test_held_out_equations_are_sixty_and_none_is_of_the_other_half() -> None:
    halved, developed = equations(held_out=True), equations(held_out=False)
    if not halved:
        pytest.skip("the public equations are not here: set ASSAY_BENCHMARKS")
    assert len({law.name for law in halved}) == len(halved) == 60
    assert not {law.formula for law in halved} & {law.formula for law in developed}
