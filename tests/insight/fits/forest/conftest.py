"""Under a scikit-learn that is not verified nothing here can hold but what decides so."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.insight.fits.forest.versions import version_doubt

DECIDING = ("test_settings.py", "test_sklearn_engine.py", "test_versions.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not (doubt := version_doubt()):
        return
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and item.path.name not in DECIDING:
            item.add_marker(pytest.mark.skip(reason=f"scikit-learn answers for itself: {doubt}"))
