"""Tables and figures for a paper: the numbers are those of the leaderboard, and LaTeX can read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import assay
from assay.core import InvalidInput, UnknownName
from assay.publish.paper.figures import cliques
from assay.publish.paper.latex import escape, table
from assay.publish.paper.writing import write_paper
from assay.report import Results
from assay.report.tables.pairs import Pairs
from assay.stats import compare_all, score_table

NAMES = ("*star_1", "[b] & co", "c 100%", "d")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Four subjects with names that LaTeX would misread, on twelve problems of another benchmark."""
    folder = tmp_path_factory.mktemp("paper")
    rows = ["subject,problem,seed,metric,value,direction"]
    for place, name in enumerate(NAMES):
        rows += [
            f"{name},p_{n:02d}#,0,acc_%,{0.9 - 0.2 * (place // 2) + 0.013 * ((n * 7 + place) % 5)},max"
            for n in range(12)
        ]
    (folder / "scores.csv").write_text("\n".join(rows))
    return assay.import_scores(folder / "scores.csv", out=folder / "results", name="bench_2")


@pytest.fixture(scope="module")
def paper_folder(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "tables"
    write_paper(results, folder)
    return folder


def test_tracks_whose_names_differ_in_signs_alone_have_files_of_their_own(tmp_path: Path) -> None:
    head = "subject,problem,seed,metric,value,direction"
    for name, best in (("my bench", 0.9), ("my-bench", 0.1)):
        rows = [f"{subject},p{n},0,acc,{best - 0.01 * n},max" for subject in ("a", "b") for n in range(3)]
        (tmp_path / "scores.csv").write_text("\n".join([head, *rows]))
        assay.import_scores(tmp_path / "scores.csv", out=tmp_path / "results", name=name)
    write_paper(assay.load(tmp_path / "results"), tmp_path / "paper", pdf=False)
    first, second = (tmp_path / "paper" / f"my-bench-imported{more}-leaderboard.tex" for more in ("", "-2"))
    assert "$0.890$" in first.read_text()
    assert "$0.090$" in second.read_text()
    main = (tmp_path / "paper" / "paper.tex").read_text()
    assert all(main.count(rf"\input{{{path.stem}}}") == 1 for path in (first, second))


def test_the_files_hold_tables_figures_and_set_up(paper_folder: Path) -> None:
    names = {path.name for path in paper_folder.iterdir()}
    slug = "bench-2-imported"
    assert names == {
        "paper.tex", *(f"{slug}-{part}.tex" for part in ("setup", "leaderboard", "comparisons", "problems")),
        *(f"{slug}-{part}.{kind}" for part in ("ranks", "means") for kind in ("svg", "pdf")),
    }  # fmt: skip
    setup = (paper_folder / f"{slug}-setup.tex").read_text()
    assert "4 subjects" in setup
    assert "12 problems" in setup
    assert "imported from scores.csv" in setup
    assert (paper_folder / f"{slug}-ranks.pdf").read_bytes().startswith(b"%PDF")


def test_the_leaderboard_has_the_means_intervals_and_tiers_of_the_results(results: Results, paper_folder: Path) -> None:
    text = (paper_folder / "bench-2-imported-leaderboard.tex").read_text()
    rows = [line for line in text.splitlines() if line.startswith(("1 ", "2 ", "3 ", "4 "))]
    board = results.leaderboard()
    assert len(rows) == len(board.rows) == 4
    for line, row in zip(rows, board.rows, strict=True):
        cells = [cell.strip() for cell in line.removesuffix(r"\\").split(" & ") if cell]
        mean = row.mean("acc_%")
        assert f"${mean.value:.3f}$" in cells
        assert f"$[{mean.low:.3f}, {mean.high:.3f}]$" in cells
        assert cells[-1] == str(row.tier)
        assert (r"\textbf{" in line) == (row.tier == 1)
    assert {row.tier for row in board.rows} == {1, 2}


def test_every_problem_and_subject_is_in_the_appendix(results: Results, paper_folder: Path) -> None:
    text = (paper_folder / "bench-2-imported-problems.tex").read_text()
    for problem in results.problems:
        (line,) = [line for line in text.splitlines() if line.startswith(escape(problem))]
        values = sorted(float(value) for value in re.findall(r"\$([\d.]+)\$", line))
        own = sorted(record.scores["acc_%"] for record in results.records if record.problem == problem)
        assert values == pytest.approx(own, abs=5e-4)


def test_equal_results_give_equal_bytes(results: Results, paper_folder: Path, tmp_path: Path) -> None:
    write_paper(results, tmp_path / "again")
    for path in paper_folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles_it(paper_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(paper_folder, tmp_path / "tex")
    result = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path / "tex", capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-1500:]
    assert "Overfull" not in result.stdout


def test_no_row_changes_the_one_before_it() -> None:
    text = table("l", ["a"], [["x"], [escape("*y")], [escape("[2cm]")]], caption="", label="t")
    assert re.search(r"\\\\\s*[*\[]", text) is None


def test_bars_join_exactly_those_of_whom_no_two_are_told_apart(results: Results) -> None:
    scores = score_table(results.records, "acc_%")
    chosen = {(pair.a, pair.b): pair for pair in compare_all(scores)}
    pairs = Pairs(metric="acc_%", goal="max", subjects=NAMES, comparisons=chosen, references=frozenset(), left_out=0)
    assert cliques(NAMES, pairs) == [(0, 1), (2, 3)]
    assert cliques(NAMES[1:3], pairs) == []


def test_no_bar_joins_subjects_that_were_too_many_to_be_compared(results: Results) -> None:
    scores = score_table(results.records, "acc_%")
    chosen = {(pair.a, pair.b): pair for pair in compare_all(scores) if "d" not in (pair.a, pair.b)}
    pairs = Pairs(
        metric="acc_%", goal="max", subjects=NAMES[:3], comparisons=chosen, references=frozenset(), left_out=1
    )
    assert cliques(NAMES, pairs) == [(0, 1)]


def test_bad_input_is_named(results: Results, paper_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="already exists and is not empty"):
        write_paper(results, paper_folder)
    with pytest.raises(UnknownName, match="'auroc'"):
        write_paper(results, tmp_path / "other", metrics=["auroc"])
    assert not (tmp_path / "other").exists()


def test_svg_alone_needs_no_matplotlib(results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    write_paper(results, tmp_path / "svg", pdf=False)
    assert not list((tmp_path / "svg").glob("*.pdf"))
    assert r"\includegraphics" not in (tmp_path / "svg" / "paper.tex").read_text()
    with pytest.raises(InvalidInput, match="matplotlib"):
        write_paper(results, tmp_path / "pdf")
