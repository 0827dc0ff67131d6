"""A model in the ONNX format as one with ``predict`` and ``predict_proba``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["OnnxModel"]


class OnnxModel:
    """One input matrix, or one input per column, by name; the first output is what it predicts.

    Probabilities are the second output: a matrix, or a mapping from class to probability per row, as converters of
    scikit-learn's models write it.
    """

    def __init__(self, file: bytes) -> None:
        import onnxruntime  # type: ignore[import-untyped, unused-ignore]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        inputs = self._session.get_inputs()
        self._outputs = [output.name for output in self._session.get_outputs()]
        self._types = {entry.name: entry.type for entry in inputs}
        if len(inputs) > 1:
            self.feature_names_in_ = [entry.name for entry in inputs]
            self.n_features_in_ = len(inputs)
        elif len(inputs[0].shape) == 2 and isinstance(inputs[0].shape[1], int):
            self.n_features_in_ = inputs[0].shape[1]
        first = self._session.get_outputs()[0].type
        # a float alone is a quantity; labels are whole numbers or texts
        self._estimator_type = "regressor" if len(self._outputs) == 1 and "float" in first else "classifier"
        if len(self._outputs) > 1:
            self.predict_proba = self._predict_proba
            self._find_classes()

    def _find_classes(self) -> None:
        """By asking for one row: named in a mapping, or counted where labels are whole numbers."""
        width = getattr(self, "n_features_in_", 1) if len(self._types) == 1 else 1
        row = {name: self._values(np.zeros((1, width)), kind) for name, kind in self._types.items()}
        label, shares = self._session.run(None, row)[:2]
        self.tells_classes = isinstance(shares, list)
        if isinstance(shares, list):
            self.classes_ = np.array(list(shares[0]))
        elif np.asarray(label).dtype.kind in "iu":
            self.classes_ = np.arange(np.asarray(shares).shape[-1])

    def predict(self, table: Any) -> npt.NDArray[Any]:
        """The first output."""
        return np.asarray(self._run(table)[0]).reshape(len(table), -1)[:, 0]

    def _predict_proba(self, table: Any) -> npt.NDArray[Any]:
        shares = self._run(table)[1]
        if isinstance(shares, list):
            return np.array([[row[label] for label in self.classes_.tolist()] for row in shares], dtype=np.float64)
        return np.asarray(shares, dtype=np.float64)

    def _run(self, table: Any) -> list[Any]:
        if len(self._types) == 1:
            ((name, kind),) = self._types.items()
            return list(self._session.run(None, {name: self._values(table.to_numpy(), kind)}))
        columns = {name: table[[name]].to_numpy() for name in self._types}
        return list(self._session.run(None, {n: self._values(v, self._types[n]) for n, v in columns.items()}))

    @staticmethod
    def _values(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
        if "string" in kind:
            return values.astype(np.str_).astype(object)
        names = {"float": np.float32, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}
        return values.astype(names[kind.removeprefix("tensor(").removesuffix(")")])
