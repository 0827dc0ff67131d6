"""In a fresh notebook a cell that ends with a picture or an explanation shows it, without any setup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "from assay.cases import CaseExplainer\n"
    "explainer = CaseExplainer([[0.0, 1.0], [1.0, 1.0], [9.0, 3.0]], ['low', 'low', 'high'], k=2)\n"
    "explanation = explainer.explain_instance([0.5, 1.0], predicted_class='low')",
    "explanation.plot()",
    "explanation",
    "explainer",
    # as many do who draw themselves: the picture is still shown once
    "import matplotlib.pyplot as plt\nexplanation.plot()",
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    folder: Path = tmp_path_factory.mktemp("notebook")
    form: Any = nbformat.v4  # without types
    notebook = form.new_notebook(cells=[form.new_code_cell(cell) for cell in CELLS])
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    return [cell.outputs for cell in client.execute().cells]


@pytest.mark.parametrize("cell", [1, 4])
def test_a_figure_at_the_end_of_a_cell_is_one_picture(outputs: list[list[Any]], cell: int) -> None:
    pictures = [output for output in outputs[cell] if "image/png" in output.get("data", {})]
    assert len(pictures) == 1
    assert len(pictures[0]["data"]["image/png"]) > 10_000


@pytest.mark.parametrize("cell", [2, 3])
def test_an_object_at_the_end_of_a_cell_shows_its_table(outputs: list[list[Any]], cell: int) -> None:
    (output,) = outputs[cell]
    assert "<table>" in output["data"]["text/html"]
    assert "<script" not in output["data"]["text/html"]
    assert output["data"]["text/plain"].startswith(("Explanation(", "CaseExplainer("))
