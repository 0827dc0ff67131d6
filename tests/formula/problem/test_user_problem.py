"""Problems from tables of one's own: what is written, what is checked, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.core.files.digest import digest_folder
from assay.formula import TRACK, load
from assay.formula.problem.user_problem import new_problem

RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(RNG.uniform(1, 5, (80, 3)), columns=["mass", "speed", "hue"])
TABLE["energy"] = TABLE.mass * TABLE.speed**2 / 2
TRUTH = "mass*speed**2/2"


def test_without_a_formula_the_problem_is_ones_own_and_split_by_the_seed(tmp_path: Path) -> None:
    new = new_problem(tmp_path / "a", TABLE, target="energy")
    problem = load(tmp_path / "a")
    assert new.facts == {"variables": 3, "training rows": 60, "test rows": 20, "property": "own"}
    assert problem.truth.formula is None
    assert problem.truth.property == "own"
    assert not new.oracle
    for name, seed in (("b", 0), ("c", 1)):
        new_problem(tmp_path / name, TABLE, target="energy", seed=seed, id="a")
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b") != digest_folder(tmp_path / "c")


def test_a_true_formula_is_fitted_and_columns_beside_it_are_distractors(tmp_path: Path) -> None:
    new = new_problem(tmp_path / "a", TABLE, target="energy", truth=TRUTH)
    truth = load(tmp_path / "a").truth
    assert new.facts["truth R²"] == 1.0
    assert new.oracle == {"a": 1.0}
    assert not new.warnings
    assert truth.property == "features"
    assert (truth.relevant, truth.irrelevant) == (("mass", "speed"), ("hue",))


def test_measured_test_rows_get_the_values_of_the_formula_and_a_warning_tells_the_fit(tmp_path: Path) -> None:
    spread = TABLE.assign(energy=TABLE.energy + RNG.normal(0, 3, len(TABLE)))
    new = new_problem(tmp_path / "a", spread, target="energy", truth=TRUTH, ignore=["hue"])
    truth = load(tmp_path / "a").truth
    np.testing.assert_allclose(truth.test_target, truth.test_inputs[:, 0] * truth.test_inputs[:, 1] ** 2 / 2)
    r2 = new.facts["truth R²"]
    assert isinstance(r2, float)
    assert 0.9 < r2 < 0.999
    assert len(new.warnings) == 1
    assert f"R² of {r2:.4g}" in new.warnings[0]
    assert new.oracle == {"a": 1.0}


def test_a_formula_that_explains_a_part_only_is_refused(tmp_path: Path) -> None:
    fault = r"R² of 0\.[5-7]\d*; the largest residual is .*At least 0\.75 is needed"
    with pytest.raises(InvalidInput, match=fault):
        new_problem(tmp_path / "a", TABLE, target="energy", truth="speed**2*1.5", ignore=["mass"])
    assert not (tmp_path / "a").exists()


def test_rows_outside_of_the_box_are_for_extrapolation(tmp_path: Path) -> None:
    new_problem(tmp_path / "a", TABLE, target="energy", truth=TRUTH, box={"speed": (1, 4)})
    problem = load(tmp_path / "a")
    assert problem.truth.property == "extrapolation"
    assert problem.truth.extrapolation_inputs is not None
    assert problem.task.parts[0].inputs[:, 1].max() <= 4 < problem.truth.extrapolation_inputs[:, 1].min()
    assert problem.truth.domain["speed"] == (1, 4)


def test_tables_for_test_and_extrapolation_are_used_whole(tmp_path: Path) -> None:
    new = new_problem(tmp_path / "a", TABLE[:40], target="energy", test=TABLE[40:60], extrapolation=TABLE[60:])
    rows = {name: value for name, value in new.facts.items() if name.endswith("rows")}
    assert rows == {"training rows": 40, "test rows": 20, "extrapolation rows": 20}
    assert len(new.tables) == 3


def test_each_level_of_noise_is_a_training_table_with_that_share_of_variance(tmp_path: Path) -> None:
    many = pd.concat([TABLE] * 50, ignore_index=True)
    new_problem(tmp_path / "a", many, target="energy", truth=TRUTH, noise=[0, 0.01, 0.2])
    problem = load(tmp_path / "a")
    assert problem.truth.property == "noise"
    clean = problem.task.parts[0]
    for part, level in zip(problem.task.parts, (0, 0.01, 0.2), strict=True):
        added = part.target - clean.target
        assert part.noise == level
        assert np.var(added) / (np.var(clean.target) + np.var(added)) == pytest.approx(level, rel=0.1)


def test_the_property_that_ranks_can_be_chosen(tmp_path: Path) -> None:
    new_problem(tmp_path / "a", TABLE, target="energy", truth=TRUTH, property="rediscovery", tags={"plant": "north"})
    problem = load(tmp_path / "a")
    assert problem.truth.property == "rediscovery"
    assert problem.tags == {"property": "rediscovery", "origin": "table", "variables": 3, "plant": "north"}


def test_names_that_formulas_cannot_hold_are_changed_and_told(tmp_path: Path) -> None:
    renamed = TABLE.rename(columns={"mass": "body mass (kg)"})
    new = new_problem(tmp_path / "a", renamed, target="energy", truth="body_mass_kg*speed**2/2")
    assert new.notes == ("In formulas, 'body mass (kg)' is called body_mass_kg.",)


def test_few_rows_are_warned_about(tmp_path: Path) -> None:
    new = new_problem(tmp_path / "a", TABLE[:12], target="energy")
    assert [warning.partition(" are few")[0] for warning in new.warnings] == ["9 training rows", "3 test rows"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a column that is not there": (
        {"target": "enrgy"},
        "target='enrgy': there is no column 'enrgy'. Did you mean 'energy'",
    ),
    "the target ignored": ({"ignore": ["energy"]}, "'energy' is named as label and ignored as well"),
    "an ignored column that is not there": ({"ignore": ["id"]}, "ignore='id': there is no column 'id'"),
    "nothing but the target": ({"ignore": ["mass", "speed", "hue"]}, "no column is left besides the target"),
    "one row": ({"table": TABLE[:1]}, "1 row cannot be split"),
    "no row": ({"table": TABLE[:0]}, "row"),
    "a missing number": (
        {"table": TABLE.assign(mass=TABLE.mass.where(TABLE.index != 3))},
        "'mass' .* in 1 row, the first in row 4",
    ),
    "text": ({"table": TABLE.assign(mass=["heavy", "light"] * 40)}, "'mass' holds texts, not numbers.*ignore='mass'"),
    "a constant target": ({"table": TABLE.assign(energy=2.0)}, "the target 'energy' is 2 in every training row"),
    "a formula of other variables": (
        {"truth": "mass*sped"},
        "truth 'mass\\*sped': No variable named 'sped'. Did you mean 'speed'",
    ),
    "no formula": ({"truth": "mass*"}, "truth 'mass\\*'"),
    "a formula that does not fit": (
        {"truth": "mass + speed"},
        "R² of -?[0-9.]+; the largest residual is [0-9.]+, where the table",
    ),
    "a formula without values": ({"truth": "log(mass - 3)"}, "no finite real value in [0-9]+ of 80 rows"),
    "a box around everything": ({"box": {"speed": (0, 9)}}, "0 rows lie outside of the box"),
    "a box around nothing": ({"box": {"speed": (7, 9)}}, "box speed=7:9: 0 rows lie inside of the box"),
    "a box of another column": ({"box": {"sped": (0, 9)}}, "box: No input column named 'sped'. Did you mean 'speed'"),
    "a box upside down": ({"box": {"speed": (4, 1)}}, "speed"),
    "a box and a table": ({"box": {"speed": (1, 4)}, "extrapolation": TABLE}, "a box or a table"),
    "noise above all": ({"noise": [1.5]}, "noise must be a share from 0 to below 1, got 1.5"),
    "noise twice": ({"noise": [0.1, 0.1]}, "each level must differ"),
    "holdout of all": ({"holdout": 1.0}, "holdout must lie strictly between 0 and 1, got 1.0"),
    "a property without the truth": ({"property": "rediscovery"}, "needs the true formula"),
    "a property without its material": (
        {"truth": TRUTH, "property": "noise"},
        "No property .* 'noise'. .*features, rediscovery",
    ),
    "a test table without the columns": ({"test": TABLE.drop(columns="hue")}, "No column named 'hue'"),
    "one test row": ({"test": TABLE[:1]}, "1 rows? (is|are) too few"),
    "a file that is not there": ({"table": "nowhere.csv"}, "nowhere.csv"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_problem_is_refused_in_one_line_and_nothing_is_left(case: str, tmp_path: Path) -> None:
    changes, message = REFUSED[case]
    arguments: dict[str, Any] = {"table": TABLE, "target": "energy", **changes}
    with pytest.raises(InvalidInput, match=message) as caught:
        new_problem(tmp_path / "deep" / "a", arguments.pop("table"), **arguments)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="already exists and is not empty"):
        new_problem(tmp_path, TABLE, target="energy")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.formula.problem.user_problem.check_problems", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new_problem(tmp_path / "deep" / "a", TABLE, target="energy")
    assert not list(tmp_path.iterdir())


def test_a_track_whose_truth_misses_its_score_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "assay.formula.problem.number_table.NumberTable.with_target", lambda own, rows, tree: rows + 1.0
    )
    with pytest.raises(InvalidInput, match=r"the truth itself scores .* instead of"):
        new_problem(tmp_path / "a", TABLE, target="energy", truth=TRUTH)
    assert not list(tmp_path.iterdir())
    assert TRACK.name == "formula"


def test_a_box_may_be_a_text_as_on_the_command_line(tmp_path: Path) -> None:
    new_problem(tmp_path / "text", TABLE, target="energy", box="mass=1:4")  # type: ignore[arg-type]
    new_problem(tmp_path / "mapping", TABLE, target="energy", box={"mass": (1, 4)}, id="text")
    assert digest_folder(tmp_path / "text") == digest_folder(tmp_path / "mapping")
