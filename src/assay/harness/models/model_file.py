"""Fitted models from files, as objects with ``predict``: the file is opened in a confined process only.

That process gets the columns it is asked about and nothing else: no labels, no other file, no network. It is forked
again for every question, and what it says is read as untrusted bytes.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.core import Budget, InvalidInput, MissingExtra
from assay.core.arrays import FloatArray
from assay.core.display import visible
from assay.core.errors import suggest
from assay.core.files.folders import demand_file
from assay.core.files.removal import remove_tree
from assay.harness.models.packing import unpack
from assay.harness.process.subject_process import BusyMachine, SubjectServer
from assay.harness.subject_ref import SubjectRef

__all__ = ["ClassifierFile", "ModelFile", "load_model", "open_model"]

_KINDS: Final = {".joblib": "pickle", ".pkl": "pickle", ".pickle": "pickle", ".skops": "skops", ".onnx": "onnx"}
_LARGEST: Final = 2 << 30  # bytes
_KEPT: Final = 4  # answers to earlier questions
_TOLERANCE: Final = 1e-3  # of a sum of probabilities
_TRACK: Final = "cases"  # whose libraries the process finds imported
_MEMORY_MB: Final = 4096
_AGREEING: Final = 0.99  # of the rows: predictions that are the most probable class
_LONGEST: Final = 300  # characters of what a model says of itself
_ONE_AT_A_TIME: Final = threading.Lock()  # the server has one line
_Answers = dict[str, npt.NDArray[Any]]


class ModelFile:
    """A fitted model in a file, made by :func:`load_model`.

    It has ``classes_`` where it predicts classes, and ``feature_names_in_`` where it knows the names of its columns.

    Examples
    --------
    >>> import tempfile
    >>> import joblib
    >>> from sklearn.linear_model import LinearRegression
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = joblib.dump(LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0]), f"{folder}/line.joblib")
    ...     model = load_model(f"{folder}/line.joblib", trust=True)
    >>> model, model.predict([[2.0]]).round(6).tolist()
    (ModelFile('line.joblib', LinearRegression), [5.0])
    """

    def __init__(self, confined: _Confined, facts: Mapping[str, Any], classes: Sequence[object] | None) -> None:
        self._confined = confined
        self._cache: dict[str, _Answers] = {}
        self.kind = visible(str(facts.get("type")))[:_LONGEST]
        self.remarks = tuple(visible(str(remark))[:_LONGEST] for remark in _list(facts.get("remarks")))
        self._estimator_type = "regressor" if facts.get("regressor") else "classifier"  # as scikit-learn asks for it
        names, width = facts.get("features"), facts.get("width")
        if isinstance(names, list):
            self.feature_names_in_ = np.array([str(name) for name in names], dtype=object)
        if isinstance(width, int):
            self.n_features_in_ = width
        self._own = self._read_classes(facts.get("classes"))
        self._tells_classes = bool(facts.get("told")) and self._own is not None
        named = self._own if classes is None else self._named(list(classes))
        if named is not None:
            self.classes_: Any = named  # an array, or a list of them for several outputs

    @property
    def naming(self) -> str:
        """How the labels of its classes are named: a flag of the command line, or an argument."""
        return self._confined.naming

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._confined.path.name!r}, {self.kind})"

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """What the model predicts.

        Parameters
        ----------
        X : data frame or array
            The rows; columns are taken by name where the model knows names.

        Returns
        -------
        array
            One value or label per row.
        """
        return self._answers(X)["predict"].copy()

    def _answers(self, X: Any) -> _Answers:
        """What all its methods say about a table, which is asked once."""
        table = self._table(X)
        key = hashlib.sha256(pickle.dumps(table, protocol=5)).hexdigest()
        if key not in self._cache:
            _, answers = self._confined.ask(table)
            checked = self._checked(answers, len(table))
            while len(self._cache) >= _KEPT:
                self._cache.pop(next(iter(self._cache)))
            self._cache[key] = checked
        return self._cache[key]

    def _table(self, X: Any) -> Any:
        import pandas as pd

        framed = isinstance(X, pd.DataFrame)
        table = X.reset_index(drop=True) if framed else pd.DataFrame(np.asarray(X))
        names, width = getattr(self, "feature_names_in_", None), getattr(self, "n_features_in_", None)
        if framed and names is not None:
            table.columns = present = [str(name) for name in table.columns]
            for name in names.tolist():
                if name not in present:
                    raise self._wrong(
                        f"was fitted on a column {name!r}, which is missing here. {suggest(name, present)}"
                    )
            return table[names.tolist()]
        if width is not None and table.shape[1] != width:
            raise self._wrong(
                f"was fitted on {width} columns, here are {table.shape[1]}. Leave out those that it does not know."
            )
        return table if names is None else table.set_axis(names.tolist(), axis=1)

    def _checked(self, answers: _Answers, rows: int) -> _Answers:
        predicted = answers.get("predict")
        if predicted is None or predicted.ndim == 0 or len(predicted) != rows:
            raise self._wrong(f"gave {_shape(predicted)} for {rows} rows, from predict.")
        if predicted.ndim == 2 and predicted.shape[1] == 1:
            predicted = predicted[:, 0]
        if predicted.dtype.kind == "f" and not np.isfinite(predicted).all():
            raise self._wrong(
                f"gave {predicted[~np.isfinite(predicted)].flat[0]} from predict, which is not a finite value."
            )
        classes = getattr(self, "classes_", None)
        checked = {"predict": predicted}
        if isinstance(classes, list):
            for place, labels in enumerate(classes):
                name = f"predict_proba.{place}"
                checked[name] = self._probabilities(answers.get(name), (rows, len(labels)))
            return checked
        own = self._own
        if "predict_proba" in answers and classes is not None:
            shares = self._probabilities(answers["predict_proba"], (rows, len(classes)))
            checked["predict_proba"] = shares
            own = own if self._tells_classes else self._agreeing(predicted, shares)
        if classes is not None and isinstance(own, np.ndarray) and predicted.ndim == 1:
            places = {label: place for place, label in enumerate(own.tolist())}
            for label in predicted.tolist():
                if label not in places:
                    raise self._wrong(f"predicted {label!r:.80}, which is none of its classes {_listed(own)}.")
            checked["predict"] = classes[[places[label] for label in predicted.tolist()]]
        return checked

    def _agreeing(self, predicted: npt.NDArray[Any], shares: FloatArray) -> npt.NDArray[Any]:
        """What the columns stand for where the model does not tell: by it, the most probable class is the predicted."""
        for labels in (self.classes_, self._own):
            if isinstance(labels, np.ndarray):
                likeliest = labels[shares.argmax(axis=1)].tolist()
                same = [a == b for a, b in zip(likeliest, predicted.tolist(), strict=True)]
                if not same or np.mean(same) >= _AGREEING:
                    return labels
        raise self._wrong(
            f"does not tell its classes, and they are not {_listed(self.classes_)}: by those its predictions are not "
            f"its most probable classes. Name them in the order of its probabilities, {self._confined.naming}."
        )

    def _probabilities(self, shares: npt.NDArray[Any] | None, shape: tuple[int, int]) -> FloatArray:
        if shares is None or shares.shape != shape or shares.dtype.kind != "f":
            raise self._wrong(f"gave {_shape(shares)} from predict_proba for {shape[0]} rows and {shape[1]} classes.")
        sums = shares.sum(axis=1)
        odd = ~(np.abs(sums - 1) <= _TOLERANCE) | (shares < -_TOLERANCE).any(axis=1)
        if odd.any():
            row = int(np.argmax(odd))
            raise self._wrong(f"gave {shares[row].tolist()!s:.80} from predict_proba for row {row}, no probabilities.")
        clipped = np.clip(shares, 0.0, 1.0)
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True), dtype=np.float64)

    def _read_classes(self, classes: object) -> npt.NDArray[Any] | list[npt.NDArray[Any]] | None:
        """The classes that the model tells of itself: labels of one kind, all different."""
        if not isinstance(classes, list) or not classes:
            return None
        if isinstance(classes[0], list):
            return [labels for part in classes if isinstance(labels := self._read_classes(part), np.ndarray)]
        if len({type(label) for label in classes}) > 1 or type(classes[0]) not in (int, float, str, bool):
            raise self._wrong(f"tells no labels as its classes_: {classes!r:.80}.")
        if len(set(classes)) < len(classes):
            raise self._wrong(f"tells the same class twice: {classes!r:.80}.")
        return np.array(classes)

    def _named(self, classes: list[object]) -> npt.NDArray[Any]:
        if isinstance(self._own, list):
            raise self._wrong(f"predicts {len(self._own)} outputs; classes can be named for one only.")
        if self._own is not None and len(classes) != len(self._own):
            raise self._wrong(f"predicts {len(self._own)} classes ({_listed(self._own)}); {len(classes)} were named.")
        return np.array(classes)

    def _wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"{self._confined.path}: the model {what}")


class ClassifierFile(ModelFile):
    """A fitted model in a file that tells probabilities too."""

    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """The probabilities of ``classes_``.

        Parameters
        ----------
        X : data frame or array
            The rows.

        Returns
        -------
        array of shape (rows, classes), or a list of them
            A list, as ``classes_`` is one, where the model predicts several outputs.
        """
        answers = self._answers(X)
        if isinstance(self.classes_, list):
            return [answers[f"predict_proba.{place}"].copy() for place in range(len(self.classes_))]
        return answers["predict_proba"].copy()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Confined:
    """Where a model is asked: a process for every question, forked by a server that never sees a model itself."""

    path: Path
    task: Mapping[str, Any]
    budget: Budget
    naming: str

    def ask(self, table: Any = None) -> tuple[dict[str, Any], _Answers]:
        """Facts and answers; whatever goes wrong there is one line about the file."""
        content = pickle.dumps({**self.task, "table": table}, protocol=5)
        ref = SubjectRef(kind="model", name=self.path.name, digest="")
        solve = partial(_server(os.getpid()).solve, _TRACK, ref, content, self.budget, problem=self.path.parent)
        try:
            with _ONE_AT_A_TIME:
                try:
                    answer = solve()
                except BusyMachine:
                    answer = solve(retried=True)
            if answer.payload is not None:
                return unpack(answer.payload)
        except InvalidInput as error:
            raise InvalidInput(f"{self.path}: the model cannot be used: {error}.") from None
        raise InvalidInput(f"{self.path}: the model cannot be used: {visible(str(answer.error))[:_LONGEST]}.")


@cache
def _server(process: int) -> SubjectServer:
    """The server of this process, started at the first question and ended with it."""
    folder = tempfile.mkdtemp(prefix="assay-models-")
    server = SubjectServer(Path(folder))

    def end() -> None:
        if os.getpid() == process:  # not in a fork of it
            server.close()
            remove_tree(Path(folder))

    atexit.register(end)
    return server


def load_model(
    path: str | Path, *, trust: bool = False, classes: Sequence[object] | None = None, seconds: float = 120.0
) -> ModelFile:
    """A fitted model from a file, for example for ``CaseExplainer(..., model=...)``.

    The file is opened in a confined process, without network and without sight of other files, and only there. It gets
    the columns that it is asked about, never labels.

    Parameters
    ----------
    path : str or Path
        ``.joblib``, ``.pkl``, ``.pickle`` or ``.skops``, which need ``trust``, or ``.onnx`` (the extra ``onnx``).
    trust : bool, default False
        Let the file run the code that it brings. A pickle can do whatever its author liked, a skops file builds
        objects of the types it names.
    classes : sequence, optional
        The labels of the model's classes in its own order, where it was fitted on numbers 0, 1, ... in their place.
    seconds : float, default 120
        That one question may take.

    Returns
    -------
    ModelFile
        With ``predict``; a :class:`ClassifierFile` with ``predict_proba`` too where the model has it.

    Raises
    ------
    InvalidInput
        The file cannot be loaded, or needs trust; the message says what to do.

    Examples
    --------
    >>> load_model("model.joblib")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: model.joblib: file not found.
    """
    return open_model(Path(path), trust=trust, classes=classes, seconds=seconds, flags=False)


def open_model(
    path: Path, *, trust: bool = False, classes: Sequence[object] | None = None, seconds: float = 120.0, flags: bool
) -> ModelFile:
    """As :func:`load_model`; errors name remedies as ``flags`` of the command line, or as arguments."""
    demand_file(path)
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInput(f"{path}: a model file ends in {', '.join(_KINDS)}; got {path.suffix or 'no ending'!r}.")
    for package, extra in (("onnxruntime", "onnx"), ("skops", "skops")):
        if kind == extra and find_spec(package) is None:
            raise MissingExtra(f"The model {path.name}", package, extra)
    allowing, naming = ("--trust-model", "--model-classes A,B") if flags else ("trust=True", "classes=[...]")
    if kind == "pickle" and not trust:
        raise InvalidInput(
            f"{path}: is a pickle, and opening one runs the code in it. If you know who made it, add {allowing}: it is "
            "opened in a confined process, without network or your files. ONNX files need no trust."
        )
    if (size := path.stat().st_size) > _LARGEST:
        raise InvalidInput(f"{path}: {size:,} bytes; a model file may have {_LARGEST:,}.")
    resolved = path.resolve()
    confined = _Confined(
        path=resolved,
        task={"kind": kind, "trust": trust, "file": resolved.read_bytes()},
        budget=Budget(seconds=seconds, memory_mb=_MEMORY_MB),
        naming=naming,
    )
    facts, _ = confined.ask()
    if "untrusted" in facts:
        types = [str(name) for name in _list(facts["untrusted"])]
        named = f"some of which skops does not know as safe: {_listed(types)}" if types else "all of which skops knows"
        raise InvalidInput(
            f"{path}: loading it builds objects of the types that it names, {named}. If you know who made it, add "
            f"{allowing}: it is opened in a confined process, without network or your files."
        )
    if facts.get("unfitted"):
        raise InvalidInput(f"{path}: the model, a {visible(str(facts.get('type')))[:80]}, is not fitted.")
    tells = "predict_proba" in _list(facts.get("methods"))
    if tells and facts.get("classes") is None and classes is None:
        raise InvalidInput(f"{path}: the model does not tell the order of its classes. Name them, {naming}.")
    return (ClassifierFile if tells else ModelFile)(confined, facts, classes)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _shape(values: npt.NDArray[Any] | None) -> str:
    return "nothing" if values is None else f"an array of shape {values.shape}"


def _listed(labels: Sequence[object] | npt.NDArray[Any]) -> str:
    shown = [visible(str(label))[:60] for label in list(labels)[:8]]
    return ", ".join(shown) + (f" and {len(labels) - 8} more" if len(labels) > 8 else "")
