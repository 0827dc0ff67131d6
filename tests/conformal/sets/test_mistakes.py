"""What users bring by mistake: it works, or the error's remedy works when it is followed. Python and command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.cli.conformal import app
from assay.conformal import MultiTaskConformalClassifier, PredictionSets, calibrate, coverage
from assay.conformal.regions import Classes, CrossRegressor, Labels, Values, calibrate_regions
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
KIND = RNG.dirichlet(np.ones(3), 60)
LABELS = KIND.argmax(axis=1)
YES = RNG.random(60)  # of a sigmoid
SPAM = (RNG.random(60) < YES).astype(int)
X = RNG.normal(size=(60, 2))
PRICE = X.sum(axis=1) + RNG.normal(size=60)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.chdir(tmp_path)

    def write(**arrays: Any) -> None:
        for name, value in arrays.items():
            np.savez(f"{name}.npz", **(value if isinstance(value, dict) else {"kind": value}))

    write(p=KIND, y=LABELS, sets=KIND > 0.1)
    return write


def assay(text: str) -> str:
    process = CliRunner().invoke(app, text.split(), catch_exceptions=False)
    assert process.exit_code == 0, process.output
    return process.output


def test_sigmoid_outputs_of_one_number_per_sample_are_the_probability_of_class_one() -> None:
    expected = calibrate([np.stack([1 - YES, YES], axis=1)], [SPAM], alpha=0.1).thresholds[0]
    for probabilities in (YES[:, None], YES, {"spam": YES}, {"spam": YES.tolist()}, {"spam": YES[:, None]}):
        calibration = calibrate(probabilities, {"spam": SPAM} if isinstance(probabilities, dict) else SPAM, alpha=0.1)
        np.testing.assert_array_equal(calibration.thresholds[0], expected)
        assert calibration.predict_sets(probabilities).classes == (2,)
    logits = np.log(YES / (1 - YES))
    with pytest.raises(InvalidInput, match=r"look like logits: pass logits=True; predicted numbers.*Values"):
        calibrate(logits, SPAM, alpha=0.1)
    np.testing.assert_allclose(calibrate(logits, SPAM, alpha=0.1, logits=True).thresholds[0], expected)


def test_a_list_of_sigmoid_outputs_is_told_to_become_columns() -> None:
    with pytest.raises(InvalidInput, match=r"sigmoid output of a task, give it as a column: values\[:, None\]"):
        calibrate([YES, YES], [SPAM, SPAM], alpha=0.1)
    assert len(calibrate([YES[:, None], YES[:, None]], [SPAM, SPAM], alpha=0.1).thresholds) == 2
    rows = [[0.25, 0.75], [1.0, 0.0]]  # plain rows of one task stay what they were
    assert calibrate(rows, [1, 0], alpha=0.5).samples == 2


def test_sigmoid_outputs_of_several_labels_are_a_task_each_or_labels() -> None:
    several = np.stack([YES, 1 - YES / 2], axis=1)
    with pytest.raises(InvalidInput, match=r"give every column as a task.*regions\.Labels"):
        calibrate([several], [SPAM], alpha=0.1)
    assert calibrate([several[:, :1], several[:, 1:]], [SPAM, SPAM], alpha=0.1).samples == 60
    assert calibrate_regions(Labels(several), np.stack([SPAM, SPAM], axis=1), alpha=0.1).predict(Labels(several))


def test_sigmoid_outputs_in_files(files: Callable[..., None]) -> None:
    files(
        column={"spam": YES[:, None]}, row={"spam": YES}, spam={"spam": SPAM}, logits={"spam": np.log(YES / (1 - YES))}
    )
    messages = {assay(f"calibrate --probabilities {name}.npz --labels spam.npz")[-80:] for name in ("column", "row")}
    assert len(messages) == 1
    with pytest.raises(InvalidInput, match=r"look like logits: give --logits; predicted numbers"):
        assay("calibrate --probabilities logits.npz --labels spam.npz")
    followed = assay("calibrate --probabilities logits.npz --labels spam.npz --logits")
    assert followed.splitlines()[1] == messages.pop().splitlines()[-1]


def test_regressors_are_not_taken_for_classifiers_nor_the_reverse() -> None:
    with pytest.raises(
        InvalidInput, match=r"LinearRegression is a regressor.*give a classifier.*assay\.conformal\.reg"
    ):
        MultiTaskConformalClassifier(LinearRegression()).fit(X, LABELS[:, None])
    model = LinearRegression().fit(X[:30], PRICE[:30])
    calibration = calibrate_regions(Values(model.predict(X[30:])), PRICE[30:], alpha=0.2)
    assert calibration.predict(Values(model.predict(X[30:]))).covered(PRICE[30:]).mean() >= 0.8
    with pytest.raises(InvalidInput, match="MultiTaskConformalClassifier the classifier"):
        CrossRegressor(LogisticRegression()).fit(X, PRICE)
    fitted = MultiTaskConformalClassifier(LogisticRegression()).fit(X[:30], LABELS[:30, None])
    assert len(fitted.calibrate(X[30:], LABELS[30:, None]).predict_sets(X)) == 60


def test_numbers_in_the_place_of_classes_and_the_reverse() -> None:
    with pytest.raises(InvalidInput, match=r"got \S+ at sample 0.*make intervals: assay\.conformal\.regions\.Values"):
        calibrate([KIND], [PRICE], alpha=0.1)
    with pytest.raises(InvalidInput, match="predicted numbers get intervals"):
        calibrate([PRICE[:, None]], [LABELS], alpha=0.1)
    with pytest.raises(InvalidInput, match=r"probabilities of classes are Classes\(probabilities\)"):
        Values(KIND)
    with pytest.raises(InvalidInput, match=r"give Classes\(probabilities\), and class numbers from 0 on"):
        calibrate_regions(Values(PRICE), np.array(["oak"] * 60), alpha=0.1)
    assert calibrate_regions(Classes(KIND), LABELS, alpha=0.1).predict(Classes(KIND))


def test_numbers_in_the_place_of_classes_in_files(files: Callable[..., None]) -> None:
    files(numbers=PRICE[:, None], truth=PRICE)
    with pytest.raises(InvalidInput, match="predicted numbers get intervals"):
        assay("calibrate --probabilities numbers.npz --labels y.npz")
    for command in ("calibrate --probabilities p.npz", "evaluate --sets sets.npz"):
        with pytest.raises(InvalidInput, match=r"assay conformal evaluate --intervals FILE"):
            assay(f"{command} --labels truth.npz")
    pd.DataFrame({"price:low": PRICE - 1, "price:high": PRICE + 1, "price": PRICE}).to_csv("intervals.csv")
    assert "price" in assay("evaluate --intervals intervals.csv")


def test_names_that_do_not_match_are_renamed_as_the_error_says() -> None:
    for probabilities in ({"kind": KIND}, {"kind": KIND, "size": KIND}):
        labels = {"sort": LABELS, **({"size": LABELS} if "size" in probabilities else {})}
        with pytest.raises(InvalidInput, match=r"rename them, as in \{'kind': values\['sort'\], \.\.\.\}"):
            calibrate(probabilities, labels, alpha=0.1)
        followed = {"kind": labels.pop("sort"), **labels}
        assert calibrate(probabilities, followed, alpha=0.1).samples == 60
    with pytest.raises(InvalidInput, match=r"rename them, as in \{'kind': values\['sort'\], \.\.\.\}"):
        calibrate_regions({"kind": Classes(KIND)}, {"sort": LABELS}, alpha=0.1)
    with pytest.raises(InvalidInput, match="leave out the others"):
        calibrate_regions({"kind": Classes(KIND)}, {"kind": LABELS, "sort": LABELS}, alpha=0.1)
    assert calibrate({"kind": KIND}, pd.DataFrame({"y_true": LABELS}), alpha=0.1).samples == 60  # says label, no task


def test_names_that_do_not_match_in_files(files: Callable[..., None]) -> None:
    files(sort={"sort": LABELS}, more={"kind": LABELS, "sort": LABELS})
    with pytest.raises(InvalidInput, match="as in --task sort=kind"):
        assay("calibrate --probabilities p.npz --labels sort.npz")
    assert "60 samples" in assay("calibrate --probabilities p.npz --labels sort.npz --task sort=kind")
    with pytest.raises(InvalidInput, match="as in --ignore sort"):
        assay("evaluate --sets sets.npz --labels more.npz")
    assert "60 samples" in assay("evaluate --sets sets.npz --labels more.npz --ignore sort")


def test_several_levels_are_calibrated_together_or_one_by_one() -> None:
    with pytest.raises(InvalidInput, match=r"Call once per level, or use assay\.conformal\.regions\.calibrate_regions"):
        calibrate([KIND], [LABELS], alpha=cast("float", [0.1, 0.2]))
    calibration = calibrate_regions(Classes(KIND), LABELS, alpha=[0.1, 0.2])
    with pytest.raises(InvalidInput, match=r"as in predict\(\.\.\., alpha=0\.1\)"):
        calibration.predict(Classes(KIND))
    alone = calibrate([KIND], [LABELS], alpha=0.2).predict_sets([KIND])
    assert isinstance(alone, PredictionSets)
    np.testing.assert_array_equal(np.asarray(calibration.predict(Classes(KIND), alpha=0.2)["task"]), alone.matrix(0))


def test_several_levels_in_files_and_flags(files: Callable[..., None]) -> None:
    command = "calibrate --probabilities p.npz --labels y.npz"
    for levels in ("--alpha 0.2,0.1", "--alpha 0.2 --alpha 0.1"):
        with pytest.raises(InvalidInput, match=r"one level at a time; run once with --alpha 0\.2, then with 0\.1"):
            assay(f"{command} {levels}")
    assert "coverage of 0.8" in assay(f"{command} --alpha 0.2")
    assert "coverage of 0.9" in assay(command)
    with pytest.raises(InvalidInput, match=r"--alpha a: must be a number"):
        assay(f"{command} --alpha a")
    levels_of_mapie = np.stack([KIND > 0.1, KIND > 0.2], axis=2)
    files(levels=levels_of_mapie)
    with pytest.raises(
        InvalidInput, match=r"holds 2 levels; write one of them, as in np\.savez\(file, kind=sets\[:, :, 0\]"
    ):
        assay("evaluate --sets levels.npz --labels y.npz")
    files(one=levels_of_mapie[:, :, 0])
    assert assay("evaluate --sets one.npz --labels y.npz") == assay("evaluate --sets sets.npz --labels y.npz")


def test_half_precision_in_files(files: Callable[..., None]) -> None:
    half = KIND.astype(np.float16)
    assert (np.abs(half.sum(axis=1, dtype=np.float64) - 1) > 1e-4).any()
    files(half=half)
    assay("calibrate --probabilities half.npz --labels y.npz --test half.npz --sets made.npz")
    assert "60 samples" in assay("evaluate --sets made.npz --labels y.npz --probabilities half.npz")


@pytest.mark.parametrize(
    "gap",
    [
        lambda y: [None, *y[1:]],
        lambda y: [float("nan"), *y[1:]],
        lambda y: [-1, *y[1:]],
        lambda y: np.array([None, *y[1:]], dtype=object),
        lambda y: np.where(np.arange(60) == 0, np.nan, y),
        lambda y: pd.array([None, *y[1:]], dtype="Int64"),
        lambda y: pd.array([None, *y[1:]], dtype="Int64").astype(object),
        lambda y: np.ma.array(y, mask=np.arange(60) == 0),
    ],
    ids=["None", "nan", "-1", "objects", "floats", "Int64", "NA", "masked"],
)
def test_a_missing_label_of_one_task_leaves_only_that_task(gap: Callable[[Any], Any]) -> None:
    labels = [gap(LABELS.tolist()), LABELS.tolist()]
    expected = calibrate([KIND, KIND], [np.where(np.arange(60) == 0, -1, LABELS), LABELS], alpha=0.1)
    calibration = calibrate([KIND, KIND], labels, alpha=0.1)
    assert all((a == b).all() for a, b in zip(calibration.thresholds, expected.thresholds, strict=True))
    counts = calibration.count([KIND, KIND], labels)
    assert [task.labelled for task in counts.tasks] == [59, 60]
    assert coverage([KIND > 1], [labels[0]]) == 0.0
    regions = calibrate_regions(Classes(KIND), labels[0], alpha=0.1).predict(Classes(KIND))
    assert np.isnan(regions.hits(labels[0])["task"]).tolist() == [True] + [False] * 59


def test_a_missing_number_is_nan_or_none() -> None:
    for gap in (None, np.nan):
        calibration = calibrate_regions(Values(PRICE), [gap, *PRICE[1:] + 1], alpha=0.1)
        assert calibration.predict(Values([0.0]))["task"].high[0] == pytest.approx(1)  # type: ignore[union-attr]


def test_missing_labels_in_files(files: Callable[..., None]) -> None:
    files(nan=np.where(np.arange(60) == 0, np.nan, LABELS), minus=np.where(np.arange(60) == 0, -1, LABELS))
    messages = {assay(f"calibrate --probabilities p.npz --labels {name}.npz") for name in ("nan", "minus")}
    pd.DataFrame({"kind": [None, *LABELS[1:]], "sample": range(60)}).to_csv("gap.csv", index=False)
    messages.add(assay("calibrate --probabilities p.npz --labels gap.csv --ignore sample"))
    assert len(messages) == 1
    assert "59 of 60 samples calibrate, 1 without a label" in messages.pop()
    Path("lines.csv").write_text("kind\n\n" + "\n".join(map(str, LABELS[1:])))
    with pytest.raises(InvalidInput, match="An empty line does not count as a row: write -1 where a label is missing"):
        assay("calibrate --probabilities p.npz --labels lines.csv")
    Path("lines.csv").write_text("kind\n-1\n" + "\n".join(map(str, LABELS[1:])))
    assert "59 of 60 samples" in assay("calibrate --probabilities p.npz --labels lines.csv")
    assert PredictionSets.from_matrices([KIND > 0.1]).classes == (3,)
