from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core import InvalidInput, digest_folder
from assay.formula import FormulaTask, FormulaTruth, generate, load
from assay.formula.problem.task import Part, Surrogate, write_problem

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A problem with everything: surrogates, an irrelevant variable, two tables, an extrapolation partition."""
    rng = np.random.default_rng(0)
    inputs, test, beyond = (rng.uniform(low, low + 1, size=(12, 3)) for low in (0, 0, 1))
    write_problem(
        tmp_path / "p",
        id="p",
        task=FormulaTask(
            name="p",
            variables=("a", "b", "z"),
            target="y",
            parts=tuple(Part(noise=noise, inputs=inputs, target=2 * inputs[:, 0]) for noise in (0.0, 0.05)),
        ),
        truth=FormulaTruth(
            formula="2*a",
            property="noise",
            domain={"a": (0, 1), "b": (0, 1), "z": (0, 1)},
            test_inputs=test,
            test_target=2 * test[:, 0],
            extrapolation_inputs=beyond,
            extrapolation_target=2 * beyond[:, 0],
            extrapolation_box={"a": (0, 2)},
            roles={"a": "relevant", "b": "irrelevant", "z": "surrogate"},
            planted={"z": Surrogate("a", 0.5, 0.1)},
            noise_sds=(0.0, 0.1),
        ),
        tags={"family": "line"},
    )
    return tmp_path / "p"


def edit(path: Path, change: Edit) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_what_is_written_is_read_and_written_again_with_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    problem = load(folder)
    write_problem(tmp_path / "again", id="p", task=problem.task, truth=problem.truth, tags=problem.tags)
    assert digest_folder(tmp_path / "again") == digest_folder(folder) == problem.digest
    assert problem.truth.relevant == ("a",)
    assert problem.truth.irrelevant == ("b",)
    assert problem.truth.surrogates == ("z",)
    assert problem.truth.planted["z"] == Surrogate("a", 0.5, 0.1)
    assert [part.noise for part in problem.task.parts] == [0.0, 0.05]
    assert sorted(path.name for path in folder.iterdir()) == ["problem.json", "train_00.csv", "train_05.csv", "truth"]


def test_what_lies_outside_of_the_truth_does_not_tell_the_property(folder: Path) -> None:
    content = json.loads((folder / "problem.json").read_text())
    assert "property" not in content
    assert load(folder).truth.property == "noise"


def test_a_hand_written_problem_needs_four_files(tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "problem.json").write_text('{"variables": ["x"], "target": "y"}')
    (tmp_path / "train.csv").write_text("x,y\n0,0\n1,2\n")
    (tmp_path / "truth" / "test.csv").write_text("y,x\n1,0.5\n3,1.5\n")
    own = load(tmp_path)
    assert (own.truth.property, own.truth.formula, own.truth.domain) == ("own", None, {"x": (0.0, 1.0)})
    assert own.truth.test_inputs.tolist() == [[0.5], [1.5]]
    (tmp_path / "truth" / "formula.txt").write_text("2*x\n")
    assert load(tmp_path).truth.property == "rediscovery"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(target=3), "'target' must name the column"),
        (lambda c: c.update(variables=[]), "'variables' must list"),
        (lambda c: c.update(variables=["a", "a"]), "must differ"),
        (lambda c: c.update(variables=["a", "y"]), "must differ"),
        (lambda c: c.update(variables=["a", "q"]), "No column named 'q'"),
        (lambda c: c.update(parts=[]), "'parts' must be a list"),
        (lambda c: c.update(parts=["train.csv"]), "must be an object with 'file'"),
        (lambda c: c["parts"][0].update(file="truth/test.csv"), r"outside of truth/"),
        (lambda c: c["parts"][0].update(file="../other.csv"), "must lie in the problem folder"),
        (lambda c: c["parts"][0].update(file="none.csv"), "file not found"),
        (lambda c: c["parts"][0].update(noise=1.0), "from 0 to below 1"),
        (lambda c: c["parts"][0].update(noise=0.05), "must differ in their noise"),
        (lambda c: c.update(parts=c["parts"][:1]), "needs at least two entries in 'parts'"),
        (lambda c: c.update(domain={"q": [0, 1]}), "No variable named 'q'"),
        (lambda c: c.update(domain={"a": [1, 0]}), "the lower one first"),
        (lambda c: c.update(domain={"a": 1}), "needs two numbers"),
        (lambda c: c.update(domain=[]), "must be an object"),
        (lambda c: c.update(track="cases"), "of track 'cases'"),
    ],
)
def test_a_broken_problem_file_is_named_with_its_fault(change: Edit, message: str, folder: Path) -> None:
    edit(folder / "problem.json", change)
    with pytest.raises(InvalidInput, match=message):
        load(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(property="speed"), "No property named 'speed'"),
        (lambda c: c.update(property=3), "must be a text"),
        (lambda c: c.update(rolls={}), "Did you mean 'roles'"),
        (lambda c: c.update(roles=[]), "'roles' must map"),
        (lambda c: c["roles"].update(q="relevant"), "No variable named 'q'"),
        (lambda c: c["roles"].update(a="useful"), "No role named 'useful'"),
        (lambda c: c.update(noise_sds=[-1]), "'noise_sds' must be"),
        (lambda c: c.update(surrogates=[]), "'surrogates' must be an object"),
        (lambda c: c["surrogates"].update(a=c["surrogates"]["z"]), "whose role is not 'surrogate'"),
        (lambda c: c["surrogates"].update(z={}), "needs 'formula', 'mean' and 'sd'"),
        (lambda c: c.update(property="local-optima", roles={}, surrogates={}), "needs a variable with the role 'surro"),
        (lambda c: c.update(property="features", roles={}, surrogates={}), "needs a variable with the role 'irrel"),
    ],
)
def test_a_broken_truth_file_is_named_with_its_fault(change: Edit, message: str, folder: Path) -> None:
    edit(folder / "truth" / "truth.json", change)
    with pytest.raises(InvalidInput, match=message):
        load(folder)


def test_a_truth_must_be_readable_and_of_known_variables(folder: Path) -> None:
    formula = folder / "truth" / "formula.txt"
    for text, message in (
        ("2*q", "No variable"),
        ("2*(a", "never closed"),
        ("log(-a)", "no finite real value in 12"),
    ):
        formula.write_text(text)
        with pytest.raises(InvalidInput, match=f"formula.txt.*{message}"):
            load(folder)


def test_missing_partitions_are_named(folder: Path) -> None:
    edit(folder / "truth" / "truth.json", lambda content: content.update(property="extrapolation"))
    (folder / "truth" / "extrapolation.csv").unlink()
    with pytest.raises(InvalidInput, match=r"needs truth/extrapolation\.csv"):
        load(folder)
    (folder / "truth" / "test.csv").write_text("a,b,z,y\n1,2,3,4\n")
    edit(folder / "truth" / "truth.json", lambda content: content.update(property="noise"))
    with pytest.raises(InvalidInput, match="at least two rows"):
        load(folder)


def test_rediscovery_needs_a_formula(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=1, rows=30, test_rows=30)
    (path,) = tmp_path.iterdir()
    (path / "truth" / "formula.txt").unlink()
    with pytest.raises(InvalidInput, match=r"needs truth/formula\.txt"):
        load(path)


@pytest.mark.parametrize("file", [".", "truth/test.csv", "/train.csv", "../train.csv"])
def test_a_training_file_lies_in_the_folder_and_outside_of_the_truth(folder: Path, file: str) -> None:
    manifest = json.loads((folder / "problem.json").read_text())
    manifest["parts"][0]["file"] = file
    (folder / "problem.json").write_text(json.dumps(manifest))
    with pytest.raises(InvalidInput, match="must lie in the problem folder, outside of truth/"):
        load(folder)
