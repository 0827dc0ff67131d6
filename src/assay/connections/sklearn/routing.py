"""Metadata that ``fit`` hands on to the estimator inside, as scikit-learn's routing says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.utils.metadata_routing import process_routing

from assay.core import InvalidInput

__all__ = ["routed_to_estimator"]


def routed_to_estimator(owner: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of ``fit`` that the estimator inside requests; an error where routing is off."""
    if not params:
        return {}
    if not get_config()["enable_metadata_routing"]:
        raise InvalidInput(
            f"fit: {', '.join(sorted(params))} can go to the estimator only with metadata routing: call "
            "sklearn.set_config(enable_metadata_routing=True), and request it with set_fit_request."
        )
    routed = process_routing(owner, "fit", **params)
    return dict(routed.estimator.fit) if "estimator" in routed else {}
