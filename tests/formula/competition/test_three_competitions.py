"""Three competitions written by hand in the styles of published entries, against scikit-learn and sympy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sklearn.metrics import r2_score

from assay.formula.competition.judging import Judgement, judge_models

ROWS = 40


def table(seed: int, names: str, low: float, high: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(low, high, ROWS) for name in names.split()}


A, B, C = table(1, "x1 x2 x3", 0.5, 3), table(2, "t mass", 1, 4), table(3, "x0 x1 x2 x3", -2, 2)
DATA = {
    "waves": (A, 2 * np.sin(A["x1"]) + A["x2"] * A["x3"]),
    "fall": (B, 4.905 * B["t"] ** 2 + 0.1 * B["mass"]),
    "steps": (C, np.where(C["x0"] > 0, C["x1"] ** 2, -C["x2"]) + C["x3"]),
}
Texts = tuple[str, str]  # what is handed in, and the same for sympy in one line
# three subjects to a competition, each with other styles
ENTRIES: dict[str, dict[str, dict[str, Texts]]] = {
    "plain": {
        "ann": {
            "waves": ("2*sin(x1) + x2*x3", "2*sin(x1) + x2*x3"),
            "fall": ("y = 4.9*t^2\n", "4.9*t**2"),
            "steps": ("# found late\nx3 + 1.5*(x1 + x0)*x1", "x3 + 1.5*(x1 + x0)*x1"),
        },
        "bob": {
            "waves": ("2*(x1 + x2)*x3", "2*(x1 + x2)*x3"),  # sympy multiplies it out from the left
            "fall": ("sqrt(t**2)*t*4.905 + mass/10", "sqrt(t**2)*t*4.905 + mass/10"),  # no |t|: its symbols are complex
            "steps": ("0.1 - x3*(-1.0)", "0.1 - x3*(-1.0)"),
        },
        "cleo": {
            "waves": ("x1/3 + x2*x3 - (x1 - 1)", "x1/3 + x2*x3 - (x1 - 1)"),
            "fall": ("exp(log(t)*2)*4.905", "exp(log(t)*2)*4.905"),
            "steps": ("abs(x0)**2 + x3", "abs(x0)**2 + x3"),
        },
    },
    "lines": {
        "ann": {
            "waves": ("a = sin(x1)\nb = x2*x3\n\ny = 2*a + b\n", "2*sin(x1) + x2*x3"),
            "fall": ("def square(z):\n    return z**2\n\n4.905*square(t) + 0.1*mass\n", "4.905*t**2 + 0.1*mass"),
            "steps": (
                "Piecewise((x1**2, x0 > 0),\n          (-x2, True)) + x3",
                "Piecewise((x1**2, x0 > 0), (-x2, True)) + x3",
            ),
        },
        "bob": {
            "waves": ("(2*x1\n  + x2*x3\n  - 0.3)", "2*x1 + x2*x3 - 0.3"),
            "fall": (
                "import numpy as np\nf = lambda a, b: a*np.abs(b)\ny = f(5, t) + f(mass, 0.2)",
                "5*Abs(t) + mass*Abs(0.2)",
            ),
            "steps": ("x3 + Max(x1, 0)*\\\n  Min(x0, 2)", "x3 + Max(x1, 0)*Min(x0, 2)"),
        },
        "cleo": {
            "waves": ("X1 + X2*X3", "x1 + x2*x3"),
            "fall": ("5 * x0 ** 2", "5*t**2"),  # counts the columns
            "steps": ("x[:,3] + x[:,1]**2/2", "x3 + x1**2/2"),
        },
    },
    "ties": {
        "ann": {
            "waves": ("x1 + x2", "x1 + x2"),
            "fall": ("t*t*4.905 + mass*0.1", "t*t*4.905 + mass*0.1"),
            "steps": ("x3", "x3"),
        },
        "bob": {"waves": ("x2 + x1", "x1 + x2"), "fall": ("t", "t"), "steps": ("x3", "x3")},
        "cleo": {
            "waves": ("Piecewise((x1, x1 < 1.0), (x2, x1 <= 2), (x3, True))",) * 2,
            "fall": ("17.5", "17.5"),
            "steps": ("(x3 + 1.0)**2 - (x3 + 1)", "(x3 + 1.0)**2 - (x3 + 1)"),
        },
    },
}


def independent(entries: Mapping[str, Mapping[str, Texts]], subjects: list[str]) -> dict[str, float]:
    """The rules in a few lines: R² by scikit-learn, nodes of sympify, dense ranks worth N - k + 1, a harmonic mean."""
    worth: dict[str, list[float]] = {subject: [] for subject in subjects}
    for name, (inputs, target) in DATA.items():
        symbols = {column: sympy.Symbol(column) for column in inputs}
        trees = {subject: sympy.sympify(entries[subject][name][1], locals=symbols) for subject in subjects}
        accuracy = {}
        for subject, tree in trees.items():
            values: Any = sympy.lambdify(list(symbols.values()), tree)(*inputs.values())
            accuracy[subject] = r2_score(target, np.broadcast_to(values, ROWS))
        sizes = {subject: -sum(1 for _ in sympy.preorder_traversal(tree)) for subject, tree in trees.items()}
        for values in (accuracy, sizes):
            order = sorted({round(value, 12) for value in values.values()}, reverse=True)
            for subject, value in values.items():
                worth[subject].append(len(subjects) - order.index(round(value, 12)))
    return {subject: len(points) / sum(1 / value for value in points) for subject, points in worth.items()}


def judged(folder: Path, entries: Mapping[str, Mapping[str, Texts]]) -> Judgement:
    (folder / "data").mkdir()
    for name, (inputs, target) in DATA.items():
        rows = np.column_stack([*inputs.values(), target]).tolist()
        lines = [",".join([*inputs, "target"]), *(",".join(map(repr, row)) for row in rows)]
        (folder / "data" / f"{name}.csv").write_text("\n".join(lines) + "\n")
    for subject, scores in entries.items():
        (folder / "models" / subject).mkdir(parents=True)
        for name, (text, _) in scores.items():
            (folder / "models" / subject / f"{name}.txt").write_text(text + "\n")
    return judge_models(folder / "data", folder / "models", preset="competition-2023")


@pytest.mark.parametrize("competition", ENTRIES)
def test_scores_are_those_of_an_independent_computation(tmp_path: Path, competition: str) -> None:
    scores = judged(tmp_path, ENTRIES[competition])
    assert [entry.trouble for entry in scores.entries if entry.trouble] == []
    for entry in scores.entries:
        inputs, _ = DATA[entry.data_set]
        tree = sympy.sympify(
            ENTRIES[competition][entry.subject][entry.data_set][1], locals={n: sympy.Symbol(n) for n in inputs}
        )
        assert -entry.values["simplicity"] == sum(1 for _ in sympy.preorder_traversal(tree)), entry
    assert scores.scores == pytest.approx(independent(ENTRIES[competition], list(ENTRIES[competition])), abs=1e-12)
    assert scores.without == {}


def test_an_unreadable_entry_is_named_and_the_others_are_ranked_without_it_as_well(tmp_path: Path) -> None:
    dora = {"waves": ("x1 +* x2", ""), "fall": ("t", "t"), "steps": ("x3", "x3")}
    entries = {**ENTRIES["plain"], "dora": dora}
    scores = judged(tmp_path, entries)
    assert scores.without == pytest.approx(independent(ENTRIES["plain"], ["ann", "bob", "cleo"]), abs=1e-12)
    assert scores.without != pytest.approx({name: scores.scores[name] for name in scores.without})
    (entry,) = scores.unusable
    assert (entry.subject, entry.data_set) == ("dora", "waves")
    summary = scores.summary()
    assert "Models that cannot be used rank last" in summary
    assert "dora on waves: unparsable formula" in summary
    assert f"{scores.scores['ann']:.4f}" in summary
    assert f"{scores.without['ann']:.4f}" in summary
    assert scores.to_json()["unusable"] == [f"dora on waves: {entry.trouble}"]
