"""Classifiers of other libraries and fitted models from files, through ``assay cases``."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped, unused-ignore]
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.cli.cases import app
from assay.cli.shared.output import chatter_aside
from assay.core import InvalidInput


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """An id, an ISO date, numbers with gaps, categories, texts as labels, and a quantity."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x, colour = rng.normal(size=120), rng.choice(["red", "green"], 120)
    frame = pd.DataFrame(
        {
            "id": [f"u{row}" for row in range(120)],
            "day": pd.date_range("2024-01-01", periods=120).astype(str),
            "x": np.where(rng.uniform(size=120) < 0.1, np.nan, x),
            "y": rng.normal(size=120),
            "colour": colour,
            "price": rng.normal(size=120),
            "kind": np.where((x > 0) | (colour == "red"), "good", "bad"),
        }
    )
    frame[:80].to_csv("train.csv", index=False)
    frame[80:].to_csv("query.csv", index=False)
    return frame


def explain(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["explain", "--train", "train.csv", "--query", "query.csv", *arguments])
    if result.exception is not None:
        raise result.exception
    return result


KIND = ("--label", "kind", "--ignore", "price", "--ignore", "id", "--ignore", "day")


@pytest.mark.parametrize(
    "classifier", ["xgboost:XGBClassifier(n_estimators=8)", "lightgbm:LGBMClassifier(min_child_samples=3, verbose=1)"]
)
def test_boosted_trees_explain_a_mixed_table_in_its_own_labels(
    table: pd.DataFrame, capfd: pytest.CaptureFixture[str], classifier: str
) -> None:
    result = explain(*KIND, "--classifier", classifier, "--json", "-")
    records = json.loads(result.stdout)
    assert len(records) == 40
    assert {record["predicted"] for record in records} == {"good", "bad"}
    assert capfd.readouterr().out == ""  # LightGBM's chatter comes from C


def test_what_c_code_prints_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with chatter_aside():
        ctypes.CDLL(None).puts(b"from C")
        print("from Python")  # noqa: T201
    print("ours")  # noqa: T201
    captured = capfd.readouterr()
    assert captured.out == "ours\n"
    assert {"from C", "from Python"} <= set(captured.err.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--label", "price"), r"train.csv: 'price' has 80 different numbers in 80 rows"),
        ((*KIND, "--classifier", "xgboost:XGBRegressor"), "is a regressor"),
        ((*KIND, "--classifier", "lightgbm:LGBMClassifier(n_estimators='many')"), "cannot be trained on these columns"),
        ((*KIND, "--trust-model"), "--trust-model is about a model file: name it, --model FILE"),
        ((*KIND, "--model", "m.joblib", "--classifier", "tree"), "--model and --classifier both say whose predictions"),
        ((*KIND, "--model", "m.joblib"), "m.joblib: file not found"),
    ],
)
def test_mistakes_are_one_line(table: pd.DataFrame, arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        explain(*arguments)
    assert "\n" not in str(caught.value)


def test_a_fitted_model_from_a_file_is_explained_and_evaluated(table: pd.DataFrame) -> None:
    numbers = table[["x", "y"]].fillna(0.0)
    model = LogisticRegression().fit(numbers, (table["kind"] == "good").astype(int))
    joblib.dump(model, "model.joblib")
    table.fillna({"x": 0.0})[:80].to_csv("train.csv", index=False)
    table.fillna({"x": 0.0})[80:].to_csv("query.csv", index=False)
    options = (*KIND, "--model", "model.joblib")
    with pytest.raises(InvalidInput, match="add --trust-model"):
        explain(*options)
    named = ("--trust-model", "--model-classes", "bad,good")
    records = json.loads(explain(*options, *named, "--json", "-").stdout)
    assert [record["predicted"] == "good" for record in records] == model.predict(numbers[80:]).astype(bool).tolist()
    with pytest.raises(InvalidInput, match="0 is compared with 'bad', text with number. .*--model-classes A,B"):
        explain(*options, "--trust-model")
    with pytest.raises(InvalidInput, match=r"judged on rows that it has not seen: give them, --query FILE"):
        CliRunner().invoke(app, ["evaluate", "--train", "train.csv", *options, *named], catch_exceptions=False)
    joblib.dump(LinearRegression().fit(numbers, table["price"]), "line.joblib")
    with pytest.raises(InvalidInput, match="LinearRegression is a regressor"):
        explain(*KIND, "--model", "line.joblib", "--trust-model")
