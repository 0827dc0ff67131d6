from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.targets import Target, targets


@pytest.fixture(scope="session")
def readers(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    """Every reader, with its files in a folder of its own."""
    return list(targets(Path(tmp_path_factory.mktemp("fuzz"))))
