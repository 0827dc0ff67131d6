"""The front-door snippet of the README, as a script and in a notebook; whole in the long tests only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tests.docs.test_snippets import ROOT, blocks_of

SHORTER = {'"gplearn"': '"linear"', '"builtin"': 'assay.problems("formula")[:2]', "seeds=3": "seeds=1"}
BEFORE = """
import assay
problem = assay.problems("formula")["exact-1"]
answer = "2.42*x2 - 1.13*x1*x3 + 1.17*x3"
assay.run("formula", "oracle", problems=problem, out="results")
"""


def snippet(*, short: bool) -> str:
    """The block of the README that shows the front door, as it is written there."""
    blocks = blocks_of((ROOT / "README.md").read_text(encoding="utf-8"))
    (text,) = [block.text for block in blocks if block.language == "python" and "assay.run(" in block.text]
    for whole, part in SHORTER.items() if short else ():
        assert whole in text
        text = text.replace(whole, part)
    return text


LENGTHS = [True, pytest.param(False, marks=pytest.mark.soak)]


@pytest.mark.soak
@pytest.mark.parametrize("short", [True, False])
def test_the_snippet_runs_as_a_script(tmp_path: Path, short: bool) -> None:
    (tmp_path / "script.py").write_text(BEFORE + snippet(short=short) + "print(repr(results))\n")
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1. oracle 1.000" in done.stdout
    assert done.stderr == ""
    assert "<html" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("short", LENGTHS)
@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
def test_the_snippet_runs_in_a_notebook_and_everything_shows_itself(tmp_path: Path, short: bool) -> None:
    head, call, rest = snippet(short=short).partition("results = ")
    steps = [line for line in (call + rest).splitlines() if line.strip()]
    v4: Any = nbformat.v4
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in (BEFORE, head, *steps)])
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=3600, kernel_name="python3", resources=resources).execute()
    shown = {
        cell.source.partition("#")[0].strip(): output["data"] for cell in notebook.cells for output in cell.outputs
    }
    progress = next(data for source, data in shown.items() if source.startswith("results = assay.run"))
    assert "<progress value=" in progress["text/html"]
    for source in ("results.scores", "results.leaderboard()", 'assay.load("results")', "assay.score(problem, answer)"):
        assert "<table" in shown[source]["text/html"]
        assert "<IPython" not in shown[source]["text/plain"]
    assert "property_score ↑" in shown["assay.score(problem, answer)"]["text/plain"]
