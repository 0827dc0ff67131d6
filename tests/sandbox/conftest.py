"""One warm sandbox for the folder, and a short way to run source in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest

from assay.sandbox import FunctionResult, FunctionSource, Limits, Sandbox, Tables

Run = Callable[..., FunctionResult]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox.start() as started:
        yield started


@pytest.fixture
def run(sandbox: Sandbox) -> Run:
    """Run the source of one function named ``f`` over a small table."""

    def call(
        code: str, rows: pd.DataFrame | None = None, limits: Limits | None = None, **options: Any
    ) -> FunctionResult:
        tables = {key: options.pop(key) for key in ("train", "auxiliary") if key in options}
        shown = pd.DataFrame({"x": [1, 2, 3]}) if rows is None else rows
        arguments = Tables(rows=shown, **tables)
        (result,) = sandbox.run([FunctionSource("f", code)], arguments, limits=limits, **options)
        return result

    return call
