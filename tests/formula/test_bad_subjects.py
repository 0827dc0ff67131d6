"""Subjects that go wrong in a run: each failure is recorded with its reason, and the run goes on."""

from __future__ import annotations

import pytest

from assay.core import Record, track_names
from assay.formula import generate
from assay.harness import RunSpec, run
from assay.report import load

pytestmark = pytest.mark.skipif(
    "formula" not in track_names(), reason="the track is not registered, so workers cannot find it"
)

HEAD = """
import time
import numpy as np
from assay.formula import FormulaAnswer, Model
from assay.formula.subjects.estimators import estimator_subject

def answer(task, formula, predictions=None):
    return FormulaAnswer(fronts=[[Model(formula=formula, predictions=predictions)] for _ in task.parts])

class Regressor:
    length = 0
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.zeros(len(X) + self.length)
"""

SUBJECTS = {
    "unparsable": "def solve(task): return answer(task, 'x1 + * 2')",
    "unknown": "def solve(task): return answer(task, 'x1 + spede')",
    "divided": "def solve(task): return answer(task, f'1/({task.variables[0]} - {task.variables[0]})')",
    "nothing": "def solve(task): return answer(task, f'log(-1 - {task.variables[0]}**2)')",
    "million": "def solve(task): return answer(task, '+'.join([task.variables[0]] * 1_000_000))",
    "nested": "def solve(task): return answer(task, '(' * 100_000 + task.variables[0] + ')' * 100_000)",
    "crashing": "class Bad(Regressor):\n    def fit(self, X, y): raise RuntimeError('no such luck')\n"
    "subject = estimator_subject(Bad(), lambda est: 'x1')",
    "hanging": "class Bad(Regressor):\n    def fit(self, X, y):\n        time.sleep(1000)\n"
    "subject = estimator_subject(Bad(), lambda est: est.found_)",
    "short": "class Bad(Regressor):\n    length = -1\nsubject = estimator_subject(Bad(), lambda est: 'x1')",
    "lying": "subject = estimator_subject(Regressor(), lambda est, X: f'5 + 3*{X.columns[0]}')",
    "dying": "import os\ndef solve(task): os._exit(3)",
    "empty": "def solve(task): return FormulaAnswer(fronts=[[] for _ in task.parts])",
    "wrong_type": "def solve(task): return {'formula': 'x1'}",
    "function": "def solve(task): return lambda x: x",
    "forgotten": "def solve(task): 'x1'",
    "not_a_number": "def solve(task): return float('nan')",
    "misspelled": "class Bad(Regressor):\n    model_ = 'spede + 1'\nsubject = Bad()",
    "unlike": "class Bad(Regressor):\n    def fit(self, X, y): self.model = f'5 + 3*{X.columns[0]}'\nsubject = Bad()",
}
GOOD = {
    "text": "def solve(task): return f'2*{task.variables[0]} + 1'",
    "expression": "import sympy\ndef solve(task): return 2*sympy.Symbol(task.variables[0]) + 1",
    "function_of_one_line": "solve = lambda task: f'{task.variables[0]}'",
    "spelled": "class Good:\n"
    "    def fit(self, X, y):\n        self.weight = float((X[:, 0] * y).sum() / (X[:, 0] ** 2).sum())\n"
    "    def predict(self, X): return self.weight * X[:, 0]\n"
    "    @property\n    def model(self): return f'y = {self.weight!r}*x0'\n"
    "subject = Good()",
}
EXPECTED = {
    "unparsable": ("unparsable formula", "where a value is expected"),
    "unknown": ("unparsable formula", "No variable named 'spede'"),
    "divided": ("undefined formula", "no finite real value"),
    "nothing": ("undefined formula", "no finite real value"),
    "million": ("unparsable formula", "characters, more than"),
    "nested": ("unparsable formula", "more than"),
    "crashing": ("exception", "RuntimeError: no such luck"),
    "hanging": ("timeout", "left no model"),
    "short": ("malformed answer", "predict() gave 29 values for 30 rows"),
    "lying": ("formula disagrees with predict()", "standard deviations of the target"),
    "dying": ("crashed", "exit status 3"),
    "empty": ("exception", "part 0 has no model"),
    "wrong_type": ("malformed answer", "An answer of the formula track is a formula over task.variables"),
    "function": ("malformed answer", "An answer of the formula track is a formula over task.variables"),
    "forgotten": ("malformed answer", "An answer of the formula track is a formula over task.variables"),
    "not_a_number": ("malformed answer", "An answer of the formula track is a formula over task.variables"),
    "misspelled": ("no formula", "its model_ is 'spede + 1', no formula over"),
    "unlike": ("formula disagrees with predict()", "standard deviations of the target"),
}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Record]:
    folder = tmp_path_factory.mktemp("bad")
    options = {"properties": ["rediscovery"], "difficulties": ["easy"], "physics": 0.0, "rows": 30, "test_rows": 30}
    generate(folder / "problems", problems=1, seed=1, **options)  # type: ignore[arg-type]
    for name, source in SUBJECTS.items():
        (folder / f"{name}.py").write_text(f"{HEAD}\n{source}\n")
    for name, source in GOOD.items():
        (folder / f"{name}.py").write_text(f"{HEAD}\n{source}\n")
    texts = (*(f"{name}.py" for name in (*SUBJECTS, *GOOD)), "linear", "oracle")
    spec = RunSpec(track="formula", problems=("problems",), subjects=texts, seconds=15, folder=folder)
    result = run([spec], out=folder / "out", workers=2)  # one waits for what hangs
    assert result.cells == len(texts)
    assert not result.lost
    return {record.subject: record for entry in load(folder / "out").tracks for record in entry.records}


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_failure_is_recorded_with_its_reason(records: dict[str, Record], name: str) -> None:
    record = records[name]
    kind, reason = EXPECTED[name]
    assert (record.status, record.error_kind) == ("failed", kind), record.error
    assert reason in str(record.error)
    assert record.scores["property_score"] == 0


@pytest.mark.parametrize("name", GOOD)
def test_texts_expressions_and_regressors_that_spell_their_model_are_answers(
    records: dict[str, Record], name: str
) -> None:
    assert records[name].status == "ok", records[name].error


def test_the_others_are_scored(records: dict[str, Record]) -> None:
    assert records["oracle"].scores["property_score"] == 1
    assert records["linear"].status == "ok"
