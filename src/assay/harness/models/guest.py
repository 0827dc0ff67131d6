"""The model's side: load a file and answer for one table, in a confined process of its own."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from typing import Any, Final

from assay.core import Budget, SubjectFailed
from assay.intake.models import is_regressor, reason_of

__all__ = ["ModelSubject"]

METHODS: Final = ("predict", "predict_proba")
_MOST_REMARKS: Final = 3


class ModelSubject:
    """Loads the model that a task brings and asks it about the task's table; the answer is bytes of ours."""

    name = "model"
    digest = ""

    def solve(self, task: Mapping[str, Any], budget: Budget, /) -> bytes:
        """Facts about the model and, where there is a table, what each of its methods says."""
        import numpy as np

        from assay.harness.models.packing import pack

        if task["kind"] == "skops" and not task["trust"]:
            return pack({"untrusted": _untrusted_types(task["file"])}, {})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            model = _loaded(task)
            facts = _facts(model)
            arrays: dict[str, Any] = {}
            for method in METHODS if task["table"] is not None else ():
                if not callable(getattr(model, method, None)):
                    continue
                try:
                    values = getattr(model, method)(_fitting(task["table"], facts))
                except Exception as error:
                    raise SubjectFailed("exception", f"{method} failed ({reason_of(error)})") from error
                several = isinstance(values, list) and method == "predict_proba"
                for place, part in enumerate(values if several else [values]):
                    arrays[f"{method}.{place}" if several else method] = np.asarray(part)
        facts["remarks"] = [reason_of(entry.message) for entry in caught[:_MOST_REMARKS]]  # type: ignore[arg-type]
        try:
            return pack(facts, arrays)
        except (TypeError, ValueError, RecursionError) as error:
            raise SubjectFailed("malformed answer", f"it gives no numbers or labels ({reason_of(error)})") from error


def _loaded(task: Mapping[str, Any]) -> Any:
    try:
        if task["kind"] == "onnx":
            from assay.harness.models.onnx_model import OnnxModel

            return OnnxModel(task["file"])
        if task["kind"] == "skops":
            import skops.io  # type: ignore[import-untyped, unused-ignore]

            return skops.io.loads(task["file"], trusted=_untrusted_types(task["file"]))
        import joblib  # type: ignore[import-untyped, unused-ignore]

        return joblib.load(io.BytesIO(task["file"]))
    except ModuleNotFoundError as error:
        raise SubjectFailed(
            "cannot be loaded",
            f"it needs the module {error.name!r}, which is not installed here: install it, or put its folder on "
            f"PYTHONPATH",
        ) from error
    except Exception as error:
        raise SubjectFailed("cannot be loaded", f"it cannot be loaded ({reason_of(error)})") from error


def _untrusted_types(file: bytes) -> list[str]:
    import skops.io  # type: ignore[import-untyped, unused-ignore]

    try:
        return [str(name) for name in skops.io.get_untrusted_types(data=file)]
    except Exception as error:
        raise SubjectFailed("cannot be loaded", f"it is not a skops file ({reason_of(error)})") from error


def _facts(model: Any) -> dict[str, Any]:
    """What the other side must know: names of columns, classes, and which questions it may ask."""
    import numpy as np

    if not any(callable(getattr(model, method, None)) for method in METHODS):
        raise SubjectFailed(
            "cannot be loaded", f"it holds a {type(model).__name__} without predict(), which is not a fitted model"
        )
    classes, names = getattr(model, "classes_", None), getattr(model, "feature_names_in_", None)
    if isinstance(classes, list) and classes and np.ndim(classes[0]):
        classes = [np.asarray(part).tolist() for part in classes]
    elif classes is not None:
        classes = np.asarray(classes).tolist()
    width = getattr(model, "n_features_in_", None)
    return {
        "type": type(model).__name__,
        "classes": classes,
        "features": None if names is None else [str(name) for name in names],
        "width": None if width is None else int(width),
        "regressor": is_regressor(model),
        "methods": [method for method in METHODS if callable(getattr(model, method, None))],
        "told": bool(getattr(model, "tells_classes", True)),
        "unfitted": _is_unfitted(model),
    }


def _is_unfitted(model: Any) -> bool:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        if isinstance(model, BaseEstimator):
            check_is_fitted(model)
    except NotFittedError:
        return True
    except Exception:  # noqa: BLE001 - it cannot tell
        return False
    return False


def _fitting(table: Any, facts: Mapping[str, Any]) -> Any:
    """The table, bare where the model learned no names: names would only make it warn."""
    return table if facts["features"] is not None or facts["type"] == "OnnxModel" else table.to_numpy()
