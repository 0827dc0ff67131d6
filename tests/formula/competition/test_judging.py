"""Judging folders of models: three sets of rules, worked by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import sympy
from sklearn.metrics import r2_score

from assay.core import InvalidInput, UnknownName
from assay.formula import parse
from assay.formula.answer.answer import FormulaAnswer
from assay.formula.competition.data import read_data_sets
from assay.formula.competition.judging import PRESETS, judge_models
from assay.formula.competition.values import competition_2022, competition_2023, rounded_constants
from assay.formula.equivalence.symbolic import sympy_nodes
from assay.formula.problem.task import FormulaTask, FormulaTruth, Part, Property, Role, write_problem

X = np.arange(10.0)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def write_models(folder: Path, models: dict[str, dict[str, str]]) -> Path:
    for subject, formulas in models.items():
        for name, text in formulas.items():
            write(folder / subject / f"{name}.txt", text)
    return folder


def write_table(folder: Path, name: str, target: np.ndarray) -> None:
    write(
        folder / f"{name}.csv",
        "x,y\n" + "\n".join(f"{a!r},{b!r}" for a, b in zip(X.tolist(), target.tolist(), strict=True)),
    )


def make_problem(
    folder: Path,
    name: str,
    formula: str,
    target: np.ndarray,
    property: Property = "rediscovery",
    *,
    inputs: np.ndarray | None = None,
    roles: dict[str, Role] | None = None,
    levels: tuple[float, ...] = (0.0,),
    beyond: tuple[np.ndarray, np.ndarray] | None = None,
) -> None:
    inputs = X[:, None] if inputs is None else inputs
    names = ("x",) if inputs.shape[1] == 1 else tuple(f"x{place}" for place in range(inputs.shape[1]))
    task = FormulaTask(
        name=name,
        variables=names,
        target="y",
        parts=tuple(Part(noise=level, inputs=inputs, target=target) for level in levels),
    )
    truth = FormulaTruth(
        formula=formula,
        property=property,
        domain=dict.fromkeys(names, (0.0, 9.0)),
        test_inputs=inputs,
        test_target=target,
        roles=roles or {},
        extrapolation_inputs=None if beyond is None else beyond[0],
        extrapolation_target=None if beyond is None else beyond[1],
    )
    write_problem(folder / name, id=name, task=task, truth=truth, tags={"property": property})


# The worked example. On x = 0..9 with y = x**2, y has mean 28.5 and varies by 15333 - 10*28.5**2 = 7210.5 in squares.
#   ann   x**2        error 0,    R2 = 1                            3 nodes: Pow, x, 2
#   bob   x*x + 1     error 10,   R2 = 1 - 10/7210.5  = 0.998613    5 nodes: Add, Pow, x, 2, 1
#   cleo  9*x - 12    the best line, error n(n2-1)(n2-4)/180 = 528, R2 = 0.926773; 5 nodes: Add, Mul, 9, x, -12
# On y = 2*x ann and bob are both exact with the 3 nodes of 2*x (sympy adds x + x up); cleo has no model.
ENTRIES = {
    "ann": {"square": "x**2", "double": "2*x"},
    "bob": {"square": "y = x*x + 1", "double": "x + x"},
    "cleo": {"square": "9*x - 12"},
}


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    write_table(tmp_path / "data", "square", X**2)
    write_table(tmp_path / "data", "double", 2 * X)
    return write_models(tmp_path / "models", ENTRIES)


def test_competition_2023_by_hand(tmp_path: Path, entries: Path) -> None:
    judgement = judge_models(tmp_path / "data", entries, preset="competition-2023")
    table = {(entry.data_set, entry.subject): entry for entry in judgement.entries}
    # three subjects: first place is worth 3, and equals share a place
    assert {key: entry.points for key, entry in table.items()} == {
        ("double", "ann"): {"accuracy": 3, "simplicity": 3},
        ("double", "bob"): {"accuracy": 3, "simplicity": 3},
        ("double", "cleo"): {"accuracy": 2, "simplicity": 2},
        ("square", "ann"): {"accuracy": 3, "simplicity": 3},
        ("square", "bob"): {"accuracy": 2, "simplicity": 2},
        ("square", "cleo"): {"accuracy": 1, "simplicity": 2},
    }
    # 2n = 4 over the sum of all reciprocals
    assert judgement.scores == {
        "ann": pytest.approx(4 / (1 / 3 + 1 / 3 + 1 / 3 + 1 / 3), abs=1e-15),
        "bob": pytest.approx(4 / (1 / 2 + 1 / 2 + 1 / 3 + 1 / 3), abs=1e-15),
        "cleo": pytest.approx(4 / (1 / 1 + 1 / 2 + 1 / 2 + 1 / 2), abs=1e-15),
    }
    assert [round(score, 12) for score in judgement.scores.values()] == [3.0, 2.4, 1.6]
    assert table["square", "cleo"].values == {"accuracy": pytest.approx(1 - 528 / 7210.5), "simplicity": -5.0}
    assert "missing answer" in table["double", "cleo"].trouble
    assert math.isnan(table["double", "cleo"].values["accuracy"])


def test_competition_2023_rounds_no_accuracy(tmp_path: Path) -> None:
    write_table(tmp_path / "data", "square", X**2)
    models = {"close": {"square": "x**2 + 0.001"}, "closer": {"square": "x**2 + 0.0001"}}
    judgement = judge_models(tmp_path / "data", write_models(tmp_path / "models", models), preset="competition-2023")
    assert {entry.subject: entry.points["accuracy"] for entry in judgement.entries} == {"close": 1, "closer": 2}


def test_competition_2022_by_hand(tmp_path: Path) -> None:
    make_problem(tmp_path / "data", "square", "x**2", X**2)
    models = {subject: {"square": judgement["square"]} for subject, judgement in ENTRIES.items()}
    judgement = judge_models(tmp_path / "data", write_models(tmp_path / "models", models), preset="competition-2022")
    values = {entry.subject: tuple(entry.values.values()) for entry in judgement.entries}
    # R2 to three decimals; minus log5 of 3, 5 and 5 nodes to one; bob's model is the truth up to a constant
    assert values == {"ann": (1.0, -0.7, 1.0), "bob": (0.999, -1.0, 1.0), "cleo": (0.927, -1.0, 0.0)}
    # the last of three is worth 0, which makes its harmonic mean 0
    assert {entry.subject: tuple(entry.points.values()) for entry in judgement.entries} == {
        "ann": (2, 2, 2),
        "bob": (1, 1, 2),
        "cleo": (0, 1, 1),
    }
    assert judgement.scores == {"ann": 2.0, "bob": pytest.approx(3 / (1 + 1 + 1 / 2)), "cleo": 0.0}


def test_the_default_rules_by_hand(tmp_path: Path) -> None:
    make_problem(tmp_path / "data", "square", "x**2", X**2)
    models = {subject: {"square": judgement["square"]} for subject, judgement in ENTRIES.items()}
    judgement = judge_models(tmp_path / "data", write_models(tmp_path / "models", models))
    points = {entry.subject: tuple(entry.points.values()) for entry in judgement.entries}
    assert points == {"ann": (3, 3, 3), "bob": (2, 2, 3), "cleo": (1, 2, 2)}
    assert judgement.scores == {
        "ann": pytest.approx(3.0),
        "bob": pytest.approx(3 / (1 / 2 + 1 / 2 + 1 / 3)),
        "cleo": pytest.approx(3 / (1 + 1 / 2 + 1 / 2)),
    }


def test_each_property_of_2022_is_scored_by_its_own_rule(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    inputs = rng.uniform(0, 9, (40, 4))
    roles: dict[str, Role] = {"x0": "relevant", "x1": "irrelevant", "x2": "irrelevant", "x3": "irrelevant"}
    make_problem(tmp_path, "a", "x0", inputs[:, 0], "features", inputs=inputs, roles=roles)
    planted: dict[str, Role] = {"x0": "relevant", "x1": "surrogate", "x2": "surrogate", "x3": "relevant"}
    make_problem(tmp_path, "b", "x0", inputs[:, 0], "local-optima", inputs=inputs, roles=planted)
    far = np.linspace(10, 20, 30)
    make_problem(tmp_path, "c", "x**2", X**2, "extrapolation", beyond=(far[:, None], far**2))
    make_problem(tmp_path, "d", "x**2", X**2, "noise", levels=(0.0, 0.2))
    features, optima, beyond, clean, noisy = read_data_sets(tmp_path)
    assert (clean.name, noisy.name) == ("d, 0% noise", "d, 20% noise")
    used = FormulaAnswer.of("x0 + 0*x1 + 0.001*x2")
    assert competition_2022(features, used).property == pytest.approx(2 / 3)
    assert competition_2022(optima, used).property == 0.5
    line = competition_2022(beyond, FormulaAnswer.of("9*x - 12"))
    expected = round(r2_score(far**2, 9 * far - 12), 3)
    assert line.property == line.accuracy == expected
    answer = FormulaAnswer(fronts=[["x**2"], ["9*x - 12"]])  # type: ignore[arg-type]
    assert (competition_2022(clean, answer).property, competition_2022(noisy, answer).property) == (1.0, 0.927)


def test_noise_levels_are_data_sets_of_their_own_only_for_the_competitions(tmp_path: Path) -> None:
    make_problem(tmp_path / "data", "d", "x**2", X**2, "noise", levels=(0.0, 0.2))
    models = {"ann": {"d.0": "x**2", "d.1": "x**2"}, "bob": {"d.0": "x**2", "d.1": "9*x - 12"}}
    write_models(tmp_path / "models", models)
    for preset in ("competition-2022", "competition-2023"):
        judgement = judge_models(tmp_path / "data", tmp_path / "models", preset=preset)
        assert {entry.data_set for entry in judgement.entries} == {"d, 0% noise", "d, 20% noise"}
    judgement = judge_models(tmp_path / "data", tmp_path / "models")
    assert [(entry.data_set, entry.subject) for entry in judgement.entries] == [("d", "ann"), ("d", "bob")]
    # bob loses 1 - 0.926773 of R2 on a step of 0.2
    assert [round(entry.values["property"], 4) for entry in judgement.entries] == [1.0, 0.6339]


def test_values_agree_with_scikit_learn_and_sympy(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    target = np.exp(rng.normal(size=10))
    write_table(tmp_path, "odd", target)
    (data,) = read_data_sets(tmp_path)
    for text in ("x - 0.5", "sqrt(x)/(x + 1)", "exp(-x)*2 + sin(x)**2 + cos(x)**2", "x**0.5 - log(x + 1)/3"):
        values = competition_2023(data, FormulaAnswer.of(text))
        tree = sympy.sympify(text)
        predicted = sympy.lambdify(sympy.Symbol("x"), tree)(X)
        assert values.accuracy == pytest.approx(r2_score(target, predicted), abs=1e-12)
        assert -values.simplicity == sum(1 for _ in sympy.preorder_traversal(tree))


def test_2022_sizes_are_counted_after_simplification_and_rounding(tmp_path: Path) -> None:
    make_problem(tmp_path, "square", "x**2", X**2)
    (data,) = read_data_sets(tmp_path)
    text = "x**2 + 0.0004 + sin(x)**2 + cos(x)**2 - 1"
    simple = sympy.simplify(sympy.sympify(text, {"x": sympy.Symbol("x", real=True)}))
    rounded = {number: round(number, 3) if abs(number) >= 1e-3 else 0 for number in simple.atoms(sympy.Float)}
    nodes = sum(1 for _ in sympy.preorder_traversal(simple.xreplace(rounded)))
    assert nodes == 5  # sympy keeps a factor 1.0
    assert competition_2022(data, FormulaAnswer.of(text)).simplicity == -1.0
    assert sympy_nodes(rounded_constants(parse("x**2 + 0.0004*x"))) == 3


def test_repetitions_are_averaged_and_a_failed_one_is_charged(tmp_path: Path) -> None:
    make_problem(tmp_path / "data", "square", "x**2", X**2)
    for seed, (steady, lucky) in enumerate([("x**2", "x**2"), ("x**2 + 1", "no formula(")]):
        write(tmp_path / "models" / "steady" / str(seed) / "square.txt", steady)
        write(tmp_path / "models" / "lucky" / str(seed) / "square.txt", lucky)
    judgement = judge_models(tmp_path / "data", tmp_path / "models", preset="competition-2022")
    entries = {entry.subject: entry for entry in judgement.entries}
    assert entries["steady"].values["accuracy"] == pytest.approx((1.0 + 0.999) / 2)
    assert entries["steady"].values["simplicity"] == pytest.approx(-(0.7 + 1.0) / 2)
    assert entries["lucky"].trouble.startswith("1 of 2 repetitions: unparsable formula")
    assert entries["steady"].points["accuracy"] > entries["lucky"].points["accuracy"]


@pytest.mark.parametrize(
    ("formula", "trouble"),
    [
        ("x +", "unparsable formula"),
        ("z + 1", "No variable named 'z'"),
        ("+".join(["x"] * 60_000), "more than"),
    ],
)
def test_models_that_cannot_be_used_rank_last_and_say_why(tmp_path: Path, formula: str, trouble: str) -> None:
    write_table(tmp_path / "data", "square", X**2)
    models = write_models(tmp_path / "models", {"bad": {"square": formula}, "poor": {"square": "0"}})
    judgement = judge_models(tmp_path / "data", models, preset="competition-2023")
    bad = next(entry for entry in judgement.entries if entry.subject == "bad")
    assert trouble in bad.trouble
    assert list(judgement.scores) == ["poor", "bad"]


@pytest.mark.parametrize("formula", ["1/(x - x)", "log(-1 - x)", "sqrt(x - 5)"])
def test_a_model_without_values_ranks_behind_a_constant(tmp_path: Path, formula: str) -> None:
    write_table(tmp_path / "data", "square", X**2)
    models = write_models(tmp_path / "models", {"bad": {"square": formula}, "poor": {"square": "0"}})
    judgement = judge_models(tmp_path / "data", models, preset="competition-2023")
    assert {entry.subject: entry.points["accuracy"] for entry in judgement.entries} == {"bad": 1, "poor": 2}


def test_protected_operations_are_counted_by_assay_and_said_so(tmp_path: Path) -> None:
    write_table(tmp_path, "square", X**2)
    (data,) = read_data_sets(tmp_path)
    values = competition_2023(data, FormulaAnswer.of("div(mul(x, x), add(x, x))"))
    assert "Assay's own count" in values.trouble
    assert values.simplicity == -7


def test_wrong_input_is_named(tmp_path: Path, entries: Path) -> None:
    with pytest.raises(UnknownName, match="preset"):
        judge_models(tmp_path / "data", entries, preset="competition-2021")
    with pytest.raises(InvalidInput, match="needs problem folders"):
        judge_models(tmp_path / "data", entries, preset="property")
    with pytest.raises(InvalidInput, match="data folder not found"):
        judge_models(tmp_path / "none", entries)
    with pytest.raises(InvalidInput, match="neither problem folders nor CSV files"):
        judge_models(entries, entries)
    with pytest.raises(InvalidInput, match=r"No column \(target\) named 'z'"):
        judge_models(tmp_path / "data", entries, preset="competition-2023", target="z")
    write_models(tmp_path / "others", {"ann": {"third": "x"}})
    with pytest.raises(InvalidInput, match="no subject has a model for any of the 2 data sets"):
        judge_models(tmp_path / "data", tmp_path / "others", preset="competition-2023")


def test_the_target_is_named_usual_or_last(tmp_path: Path) -> None:
    write(tmp_path / "named.csv", "y,a,b\n1,2,3\n4,5,7")
    write(tmp_path / "plain.csv", "a,b,c\n1,2,3\n4,5,7")
    named, plain = read_data_sets(tmp_path)
    assert (named.variables, named.target.tolist()) == (("a", "b"), [1.0, 4.0])
    assert (plain.variables, plain.target.tolist()) == (("a", "b"), [3.0, 7.0])


def test_every_preset_is_documented_by_its_decisions() -> None:
    assert [(name, rules.last_place, rules.decimals, rules.pooled) for name, rules in PRESETS.items()] == [
        ("property", 1, 3, False),
        ("competition-2022", 0, 3, False),
        ("competition-2023", 1, None, True),
    ]


def test_a_model_without_a_formula_has_no_size_and_is_judged_apart(tmp_path: Path) -> None:
    inputs = X[:, None]
    write_problem(
        tmp_path / "data" / "own",
        id="own",
        task=FormulaTask(name="own", variables=("x",), target="y", parts=(Part(noise=0.0, inputs=inputs, target=X),)),
        truth=FormulaTruth(formula=None, property="own", domain={}, test_inputs=inputs, test_target=X),
        tags={},
    )
    models = write_models(tmp_path / "models", {"ann": {"own": "x"}, "bob": {"own": "2*x"}})
    write(models / "cy" / "own.json", json.dumps({"models": [{"test_predictions": X.tolist()}]}))
    judgement = judge_models(tmp_path / "data", models)
    assert [(entry.subject, entry.trouble) for entry in judgement.unusable] == [
        ("cy", "no formula: predictions have no size")
    ]
    assert set(judgement.without) == {"ann", "bob"}
