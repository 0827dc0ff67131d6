import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay import __version__
from assay.cases import CaseExplainer, ExplanationBatch
from assay.cases.explanation import persistence as persistence_module
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")
QUERIES = RNG.normal(size=(12, 3))


def mixed(count: int) -> pd.DataFrame:
    rng = np.random.default_rng(count)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, count),
            "plan": np.array(["basic", "plus", None], dtype=object)[rng.integers(0, 3, count)],
            "paid": rng.random(count) < 0.5,
            "grade": pd.Categorical(rng.integers(1, 4, count)),
        }
    )
    frame.loc[::7, "age"] = np.nan
    return frame


def assert_equal(first: ExplanationBatch, second: ExplanationBatch) -> None:
    for name in ("indices", "distances", "labels", "correspondence", "unlike_indices", "distance_percentile"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.fidelity, second.fidelity)
    assert [explanation.to_dict() for explanation in first] == [explanation.to_dict() for explanation in second]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scale": "robust", "metric": "manhattan", "algorithm": "ball_tree"},
        {"scale": "minmax", "feature_weights": [1.0, 0.3, 0.0], "class_weights": "balanced", "weighting": "uniform"},
        {"metric": "minkowski", "metric_params": {"p": 3}},
        {"metric": "minkowski", "metric_params": {"p": float("inf")}},
        {"metric": "mahalanobis", "metric_params": {"VI": np.diag([1.0, 0.1, 3.0])}, "scale": False},
        {"metric": "cosine", "thresholds": (0.6, 0.2), "ood_level": 0.8, "allow_unseen": True, "seed": 4},
        {"metadata": {"site": ["A", "B"] * 30}, "private": ["site", "x1"], "class_names": {"yes": "Ja"}},
        {"train_predictions": np.array(["no", "yes"] * 30), "feature_names": ["ä", "b\udc80", "c\n\0"]},
    ],
)
def test_what_is_loaded_explains_bit_for_bit_as_before(options: dict[str, Any], tmp_path: Path) -> None:
    explainer = CaseExplainer(X, Y, k=4, **options)
    explainer.save(tmp_path / "a.cases")
    again = CaseExplainer.load(tmp_path / "a.cases")
    description, retold = explainer.describe(), again.describe()
    assert description == retold
    predicted = ["yes", "no"] * 6
    assert_equal(
        again.explain_batch(QUERIES, predictions=predicted), explainer.explain_batch(QUERIES, predictions=predicted)
    )
    again.save(tmp_path / "b.cases")
    assert (tmp_path / "a.cases").read_bytes() == (tmp_path / "b.cases").read_bytes()


def test_mixed_cases_with_labels_of_every_kind_come_back(tmp_path: Path) -> None:
    frame = mixed(50)
    for labels in (np.arange(50) % 3, np.arange(50) % 2 == 0, np.array(["ö", "z"] * 25)):
        explainer = CaseExplainer(frame, labels, k=3, categorical=["grade"])
        explainer.save(tmp_path / "mixed.cases")
        again = CaseExplainer.load(str(tmp_path / "mixed.cases"))
        assert again.cases.categorical == ("plan", "paid", "grade")
        assert again.cases.X.tolist() == explainer.cases.X.tolist()
        assert again.cases.y.dtype == explainer.cases.y.dtype
        assert_equal(
            again.explain_batch(mixed(9), predictions=labels[:9]),
            explainer.explain_batch(mixed(9), predictions=labels[:9]),
        )


def test_missing_numbers_and_faiss_come_back(tmp_path: Path) -> None:
    holes = X.copy()
    holes[::5, 1] = np.nan
    CaseExplainer(holes, Y, metric="nan_euclidean").save(tmp_path / "a")
    np.testing.assert_array_equal(CaseExplainer.load(tmp_path / "a").cases.X, holes)
    pytest.importorskip("faiss")
    explainer = CaseExplainer(X, Y, algorithm="faiss")
    explainer.save(tmp_path / "b")
    again = CaseExplainer.load(tmp_path / "b")
    assert again.index.recall == explainer.index.recall
    predicted = ["yes"] * 12
    assert_equal(
        again.explain_batch(QUERIES, predictions=predicted), explainer.explain_batch(QUERIES, predictions=predicted)
    )


def small(path: Path) -> bytes:
    CaseExplainer([[1.0], [2.0]], ["a", "b"], k=1).save(path)
    return path.read_bytes()


def test_every_flipped_byte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.cases"
    whole = small(path)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x21]) + whole[place + 1 :])
        with pytest.raises(InvalidInput, match="changed after it was saved|damaged|not a saved explainer"):
            CaseExplainer.load(path)
    path.write_bytes(whole)
    assert len(CaseExplainer.load(path).cases.y) == 2


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.cases"
    whole = small(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(InvalidInput, match="truncated or damaged|not a saved explainer"):
            CaseExplainer.load(path)
    path.write_bytes(whole + b"\0")
    with pytest.raises(InvalidInput, match=str(path)):
        CaseExplainer.load(path)


def test_foreign_files_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    np.savez(tmp_path / "other.npz", X=np.eye(2))
    with pytest.raises(InvalidInput, match="text: is not a saved explainer. Give a file"):
        CaseExplainer.load(tmp_path / "text")
    with pytest.raises(InvalidInput, match="is a zip file but not a saved explainer"):
        CaseExplainer.load(tmp_path / "other.npz")
    with pytest.raises(InvalidInput, match="cannot be read"):
        CaseExplainer.load(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match="cannot be read"):
        CaseExplainer.load(tmp_path)


def signed(path: Path, header: dict[str, Any]) -> None:
    persistence_module._write(path, header, {"X": np.eye(2), "y": np.arange(2)})


def test_a_newer_format_and_another_kind_are_refused_although_their_checksum_fits(tmp_path: Path) -> None:
    path = tmp_path / "a"
    signed(path, {"kind": "assay case explainer", "format": 2, "version": "9.1", "arrays": []})
    with pytest.raises(InvalidInput, match=f"has format 2 and was written by Assay 9.1; this is Assay {__version__}"):
        CaseExplainer.load(path)
    signed(path, {"kind": "something else"})
    with pytest.raises(InvalidInput, match="not a saved explainer but 'something else'"):
        CaseExplainer.load(path)
    signed(path, {"kind": "assay case explainer", "format": 1, "arrays": ["X", "z"]})
    with pytest.raises(InvalidInput, match="not a saved explainer .*z.npy"):
        CaseExplainer.load(path)
    signed(path, {"kind": "assay case explainer", "format": 1, "arrays": ["X", "y"]})
    with pytest.raises(InvalidInput, match="lacks 'options'"):
        CaseExplainer.load(path)


def test_the_file_is_a_plain_zip_without_pickles(tmp_path: Path) -> None:
    small(tmp_path / "a")
    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert archive.testzip() is None
        assert sorted(archive.namelist()) == ["X.npy", "header.json", "y.npy"]
        header = json.loads(archive.read("header.json"))
        assert (header["format"], header["version"]) == (1, __version__)


def test_functions_cannot_be_saved_and_are_named(tmp_path: Path) -> None:
    def tanimoto(a: Any, b: Any) -> float:
        return float(np.abs(a - b).sum())

    with pytest.raises(InvalidInput, match="metric is the function 'tanimoto', and functions cannot be saved"):
        CaseExplainer(X, Y, metric=tanimoto).save(tmp_path / "a")
    with pytest.raises(InvalidInput, match="weighting is the function 'ones_like'"):
        CaseExplainer(X, Y, weighting=np.ones_like).save(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = small(tmp_path / "a")

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        CaseExplainer(X, Y).save(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    with pytest.raises(InvalidInput, match="cannot be written"):
        CaseExplainer(X, Y).save(tmp_path / "no" / "folder")


def test_a_model_is_not_saved_but_what_it_said_is(tmp_path: Path) -> None:
    class Model:
        def predict(self, rows: Any) -> Any:
            return np.where(np.asarray(rows)[:, 0] > 0.5, "yes", "no")

    explainer = CaseExplainer(X, Y, model=Model())
    explainer.save(tmp_path / "a")
    again = CaseExplainer.load(tmp_path / "a")
    assert again.model is None
    assert again.train_predictions is not None
    assert again.train_predictions.tolist() == Model().predict(X).tolist()


def test_what_is_loaded_grows_as_the_explainer_that_was_saved(tmp_path: Path) -> None:
    saved = CaseExplainer([[0.0], [1.0], [9.0]], ["low", "low", "high"], k="all", class_weights="balanced")
    saved.save(tmp_path / "explainer")
    loaded = CaseExplainer.load(tmp_path / "explainer")
    assert loaded.describe() == saved.describe()
    for explainer in (saved, loaded):
        explainer.add([[5.0]], ["middle"])
    assert loaded.k == saved.k == 4
    assert loaded.class_weights == saved.class_weights
