from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import joblib  # type: ignore[import-untyped, unused-ignore]
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from assay.core import InvalidInput
from assay.harness.models.model_file import ClassifierFile, ModelFile, load_model, open_model
from assay.harness.models.packing import pack, unpack
from assay.harness.process.process_tree import descendants

ROWS = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "z": [1.0, 0.0, 1.0, 0.0]})
LABELS = np.array(["low", "low", "high", "high"])


def fitted() -> LogisticRegression:
    return LogisticRegression().fit(ROWS, LABELS)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any, str], Path]:
    def dump(model: Any, name: str = "model.joblib") -> Path:
        if name.endswith(".joblib"):
            joblib.dump(model, tmp_path / name)
        else:
            here = sys.modules[__name__]  # its process does not know the tests
            cloudpickle.register_pickle_by_value(here)
            (tmp_path / name).write_bytes(cloudpickle.dumps(model))
            cloudpickle.unregister_pickle_by_value(here)
        return tmp_path / name

    return dump


def test_a_trusted_pickle_answers_as_the_model_in_it_and_takes_columns_by_name(write: Any) -> None:
    model = load_model(write(fitted()), trust=True)
    assert isinstance(model, ClassifierFile)
    assert model.classes_.tolist() == ["high", "low"]
    turned = ROWS[["z", "x"]].assign(more="text")
    assert model.predict(turned).tolist() == LABELS.tolist()
    assert model.predict_proba(ROWS) == pytest.approx(fitted().predict_proba(ROWS))
    with pytest.raises(InvalidInput, match=r"fitted on a column 'z', which is missing here. Known: x."):
        model.predict(ROWS[["x"]])
    with pytest.raises(InvalidInput, match="fitted on 2 columns, here are 3"):
        model.predict(np.zeros((1, 3)))


def test_a_regressor_and_a_classifier_without_probabilities_have_predict_only(write: Any) -> None:
    line = LinearRegression().fit(ROWS, [1.0, 2.0, 3.0, 4.0])
    model = load_model(write(line), trust=True)
    assert type(model) is ModelFile
    assert not hasattr(model, "classes_")
    assert model.predict(ROWS) == pytest.approx(line.predict(ROWS))


def test_predictions_are_the_callers_own_to_change(write: Any) -> None:
    for estimator in (fitted(), LinearRegression().fit(ROWS, [1.0, 2.0, 3.0, 4.0])):
        model: Any = load_model(write(estimator), trust=True)
        for method in ("predict", "predict_proba") if hasattr(model, "predict_proba") else ("predict",):
            before = getattr(model, method)(ROWS).tolist()
            getattr(model, method)(ROWS)[:] = getattr(model, method)(ROWS)[::-1]
            assert getattr(model, method)(ROWS).tolist() == before


def test_numbers_for_classes_can_be_named(write: Any) -> None:
    encoded = LogisticRegression().fit(ROWS, [1, 1, 0, 0])
    model = load_model(write(encoded), trust=True, classes=["high", "low"])
    assert model.predict(ROWS).tolist() == LABELS.tolist()
    assert model.classes_.tolist() == ["high", "low"]
    with pytest.raises(InvalidInput, match=r"predicts 2 classes \(0, 1\); 3 were named"):
        load_model(write(encoded), trust=True, classes=["a", "b", "c"])


@pytest.mark.parametrize(
    ("flags", "remedy"), [(True, "add --trust-model: it is opened in a confined"), (False, "add trust=True")]
)
def test_without_trust_a_pickle_is_refused_before_it_is_opened(write: Any, flags: bool, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=rf"is a pickle, and opening one runs the code in it.*{remedy}"):
        open_model(write(fitted()), flags=flags)


def test_without_trust_a_skops_file_tells_the_types_it_needs(tmp_path: Path) -> None:
    import skops.io  # type: ignore[import-untyped, unused-ignore]
    from sklearn.tree import DecisionTreeClassifier

    skops.io.dump(DecisionTreeClassifier().fit(ROWS, LABELS), tmp_path / "tree.skops")
    with pytest.raises(InvalidInput, match=r"does not know as safe: .*sklearn.tree._tree.Tree"):
        load_model(tmp_path / "tree.skops")
    model = load_model(tmp_path / "tree.skops", trust=True)
    assert model.predict(ROWS).tolist() == LABELS.tolist()


@pytest.fixture
def onnx(tmp_path: Path) -> Callable[..., Path]:
    def dump(model: Any, **options: Any) -> Path:
        from skl2onnx import to_onnx  # type: ignore[import-untyped, unused-ignore]

        converted = to_onnx(model, ROWS.to_numpy(np.float32)[:1], options=options)
        (tmp_path / "model.onnx").write_bytes(converted.SerializeToString())
        return tmp_path / "model.onnx"

    return dump


def test_an_onnx_file_needs_no_trust_and_tells_its_classes(onnx: Any) -> None:
    model = load_model(onnx(fitted()))
    assert isinstance(model, ClassifierFile)
    assert model.classes_.tolist() == ["high", "low"]
    assert model.predict(ROWS).tolist() == LABELS.tolist()
    assert model.predict_proba(ROWS) == pytest.approx(fitted().predict_proba(ROWS), abs=1e-5)


def test_classes_that_an_onnx_file_does_not_tell_are_named_and_checked(onnx: Any) -> None:
    path = onnx(fitted(), zipmap=False)
    with pytest.raises(InvalidInput, match=r"does not tell the order of its classes. Name them, classes="):
        load_model(path)
    model = load_model(path, classes=["high", "low"])
    assert model.predict(ROWS).tolist() == LABELS.tolist()
    model = load_model(path, classes=["low", "high"])
    with pytest.raises(InvalidInput, match="not its most probable"):
        model.predict(ROWS)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("model.txt", b"", r"a model file ends in \.joblib"),
        ("model.pkl", b"garbage", "it cannot be loaded"),
        ("model.onnx", b"garbage", "it cannot be loaded"),
        ("model.skops", b"garbage", "it is not a skops file"),
    ],
)
def test_a_file_that_is_no_model_is_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInput, match=message) as caught:
        load_model(tmp_path / name, trust=True)
    assert "\n" not in str(caught.value)


class Attack:
    """Runs an attempt while it is unpickled; what is left is a model that tells how it went."""

    def __init__(self, attempt: str, *targets: str) -> None:
        self.attempt, self.targets = attempt, targets

    def __reduce__(self) -> Any:
        return _attacked, (self.attempt, self.targets)


def _attacked(attempt: str, targets: tuple[str, ...]) -> Any:
    import os
    import socket
    from pathlib import Path

    import numpy as np

    try:
        if attempt == "write":
            Path(targets[0]).write_text("mine")
        elif attempt == "read":
            Path(targets[0]).read_text()
        elif attempt == "connect":
            socket.create_connection((targets[0], int(targets[1])), timeout=2).close()
        elif attempt == "fork" and os.fork() == 0:
            import time

            os.setsid()
            time.sleep(60)
            os._exit(0)
        outcome = "through"
    except OSError as error:
        outcome = type(error).__name__
    os.write(1, b"garbage" * 1000)

    class Labelled:
        classes_ = np.array([outcome])

        def predict(self, X: Any) -> Any:
            return np.array([outcome] * len(X))

    return Labelled()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        yield server


@pytest.mark.parametrize("attempt", ["write", "read", "connect"])
def test_code_in_a_trusted_file_reaches_no_file_and_no_network(
    write: Any, tmp_path: Path, listener: socket.socket, attempt: str
) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("secret")
    targets = {
        "write": (str(tmp_path / "made"),),
        "read": (str(truth),),
        "connect": ("127.0.0.1", str(listener.getsockname()[1])),
    }[attempt]
    model = load_model(write(Attack(attempt, *targets), "bad.pkl"), trust=True)
    assert model.predict(ROWS).tolist() != ["through"] * 4
    assert not (tmp_path / "made").exists()
    with pytest.raises(TimeoutError):
        listener.accept()


def test_what_a_file_leaves_running_is_ended_and_what_it_prints_is_not_ours(
    write: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    load_model(write(fitted()), trust=True)
    running = descendants(os.getpid())
    load_model(write(Attack("fork"), "bad.pkl"), trust=True).predict(ROWS)
    assert descendants(os.getpid()) == running
    assert "garbage" not in "".join(capfd.readouterr())


class Wrong:
    """A model whose answers are of no use, in some way."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.classes_ = ["a", "b"] if way != "twice" else ["a", "a"]

    def predict(self, X: Any) -> Any:
        if self.way == "raise":
            raise RuntimeError("no such luck\nsecond line \x1b[2J")
        if self.way == "exit":
            os._exit(3)
        if self.way == "objects":
            return [object()] * len(X)
        return {"short": ["a"], "other": ["c"] * len(X), "none": None}.get(self.way, ["a"] * len(X))

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 3 if self.way == "wide" else 2), np.nan if self.way == "nan" else 0.5)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("short", r"gave an array of shape \(1,\) for 4 rows, from predict"),
        ("none", r"gave an array of shape \(\) for 4 rows"),
        ("other", "predicted 'c', which is none of its classes a, b"),
        ("wide", r"gave an array of shape \(4, 3\) from predict_proba for 4 rows and 2 classes"),
        ("nan", r"gave \[nan, nan\] from predict_proba for row 0, no probabilities"),
        ("raise", r"predict failed \(RuntimeError: no such luck\)"),
        ("exit", r"ended without an answer \(exit status 3\)"),
        ("objects", "which is none of its classes"),
        ("twice", "tells the same class twice"),
    ],
)
def test_answers_of_no_use_are_one_clear_line(write: Any, way: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        load_model(write(Wrong(way), "bad.pkl"), trust=True).predict(ROWS)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff" * 8,
        b"\x02\0\0\0\0\0\0\0{}",
        pack({}, {"predict": np.zeros(3)})[:-1],
        pack({}, {"predict": np.array(["a"])}).replace(b'"a"', b"   "),
        pack({}, {"predict": np.zeros(2)}).replace(b"[2]", b"[-"),
        pack({}, {"predict": np.array(["a", "b"])})[:-8] + b"\xff" * 8,
        pack({}, {"predict": np.zeros(2)}).replace(b"<f8", b"|O8"),
    ],
)
def test_bytes_that_no_model_of_ours_wrote_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="gave an unreadable reply"):
        unpack(data)
