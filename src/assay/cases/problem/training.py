"""What a classifier needs: labels that are classes, and a model that predicts them."""

from __future__ import annotations

from typing import Any

from assay.core import InvalidInput
from assay.intake.models import is_regressor, reason_of

__all__ = ["demand_classifier", "train_model"]


def demand_classifier(model: Any, *, what: str) -> None:
    """Refuse a model that predicts numbers, or nothing."""
    if not callable(getattr(model, "predict", None)):
        raise InvalidInput(f"{what}: {type(model).__name__} has no predict(); give a classifier.")
    if is_regressor(model):
        name = getattr(model, "kind", type(model).__name__)  # of a model in a file its own, not our wrapper's
        raise InvalidInput(f"{what}: {name} is a regressor, which predicts numbers; give one that predicts classes.")


def train_model(model: Any, columns: Any, labels: Any, *, what: str) -> Any:
    """Fit a classifier; what its library objects to is one line."""
    try:
        return model.fit(columns, labels)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"{what} cannot be trained on these columns ({reason_of(error)}). Put what encodes them before it in "
            "a pipeline."
        ) from error
