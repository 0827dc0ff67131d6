"""The default detector against the second opinion and all other scores on PMLB's tables, as decision 0027 registered.

``python -m benchmarks.cases_second_opinion held-out --keep DIR`` computes the scores of a half, split by split, keeps
them in a folder and prints the tables of all splits that are complete; run again, it goes on where it stopped.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from assay.cases import (
    CasesTask,
    credibility,
    fit_detector,
    nearest_distance_scores,
    trust_scores,
)
from assay.cases.subjects.builtin import SUBJECTS
from assay.cases.subjects.neighbourhood_detector import neighbourhood_detector_scores
from assay.cases.subjects.posterior import fit_posterior
from assay.cases.subjects.second_opinion import fit_second_opinion
from assay.charts import Drawing, Scale
from assay.core import Budget
from assay.stats import holm
from benchmarks.cases_tables import CLASSIFIERS, SPLITS, Half, halves, predictions

OURS, MAIN_RIVALS = "detector", ("second-opinion", "second-opinion-and-confidence")
LEAST_ERRORS, LEAST_PER_SPLIT, DRAWS, LEVEL = 10, 5, 10_000, 0.05


class Scored(NamedTuple):
    """One classifier on one split: which predictions are wrong, their rows in the table, and every score of them."""

    wrong: np.ndarray
    rows: np.ndarray
    scores: Mapping[str, np.ndarray]


class Cell(NamedTuple):
    """A table and a classifier: its splits with enough errors, and its errors in all of them."""

    table: str
    origin: str
    classifier: str
    splits: list[Scored]
    errors: int

    def auroc(self, score: str) -> float:
        return float(np.mean([_influence(part.scores[score], part.wrong)[0] for part in self.splits]))


def score_split(table: str, split: int) -> dict[str, Scored]:
    """Every score of every classifier; what depends on the training cases alone is fitted once."""
    scored: dict[str, Scored] = {}
    fitted = None
    for entry in predictions(table, only=split):
        task = entry.task
        if fitted is None:
            posterior = fit_posterior(task.train_X, task.train_y)
            detector = fit_detector(task.train_X, task.train_y, posterior=posterior)
            fitted = posterior, detector, fit_second_opinion(task.train_X, task.train_y)
        posterior, detector, opinion = fitted
        inputs = (task.train_X, task.train_y, task.query_X, task.predicted)
        scores = {
            OURS: detector.scores(task.query_X, task.predicted).probability,
            "second-opinion": opinion.scores(task.query_X, task.predicted),
            "second-opinion-and-confidence": opinion.scores(task.query_X, task.predicted, task.probabilities),
            "neighbourhood-detector": neighbourhood_detector_scores(
                *inputs, task.probabilities, posterior=posterior
            ).probability,
            "trust-score": trust_scores(*inputs),
            "max-probability": task.probabilities.max(axis=1),
            "conformal-knn": credibility(*inputs),
            "nearest-distance": nearest_distance_scores(*inputs),
            **{name: _of_subject(name, task) for name in ("correspondence", "vote")},
        }
        scored[entry.classifier] = Scored(entry.wrong, entry.rows, scores)
    return scored


def _of_subject(name: str, task: CasesTask) -> np.ndarray:
    return np.asarray(SUBJECTS[name]().solve(task, Budget()).scores)


def cells_of(half: Half, cache: Path, *, splits: int) -> list[Cell]:
    """Cells with enough errors, over the splits that are complete for every table."""
    cells = []
    for origin, tables in halves()[half].items():
        for table in tables:
            parts = [pickle.loads(_file(cache, table, split).read_bytes()) for split in range(splits)]
            for classifier in CLASSIFIERS:
                all_splits = [part[classifier] for part in parts if classifier in part]
                errors = sum(int(part.wrong.sum()) for part in all_splits)
                enough = [p for p in all_splits if min(p.wrong.sum(), (~p.wrong).sum()) >= LEAST_PER_SPLIT]
                if errors >= LEAST_ERRORS and enough:
                    cells.append(Cell(table, origin, classifier, enough, errors))
    return cells


def _influence(scores: np.ndarray, wrong: np.ndarray) -> tuple[float, np.ndarray]:
    """AUROC, and how much each prediction moves it (DeLong's components, around 0)."""
    ranks, right = rankdata(scores), ~wrong
    below = np.empty(len(scores))  # share of the other kind that a prediction is on the right side of
    below[right] = (ranks[right] - rankdata(scores[right])) / wrong.sum()
    below[wrong] = 1 - (ranks[wrong] - rankdata(scores[wrong])) / right.sum()
    area = float(below[right].mean())
    return area, np.where(wrong, (below - area) / wrong.sum(), (below - area) / right.sum())


def p_behind(cell: Cell, rival: str) -> float:
    """One-sided: how likely a difference this far below zero is by chance; splits that ask a row are added up."""
    rows = np.concatenate([part.rows for part in cell.splits])
    moves, difference = [], 0.0
    for part in cell.splits:
        ours, theirs = (_influence(part.scores[name], part.wrong) for name in (OURS, rival))
        moves.append((ours[1] - theirs[1]) / len(cell.splits))
        difference += (ours[0] - theirs[0]) / len(cell.splits)
    spread = float(np.sqrt((np.bincount(rows, weights=np.concatenate(moves)) ** 2).sum()))
    return float(student.cdf(difference / spread, cell.errors - 1)) if spread > 0 else 0.5


def interval(differences: np.ndarray, origins: np.ndarray) -> tuple[float, float]:
    """Of the mean over cells, origins drawn with all their cells."""
    names = np.unique(origins)
    sums = np.array([differences[origins == name].sum() for name in names])
    sizes = np.array([(origins == name).sum() for name in names])
    choices = np.random.default_rng(27).integers(0, len(names), (DRAWS, len(names)))
    low, high = np.percentile(sums[choices].sum(axis=1) / sizes[choices].sum(axis=1), [2.5, 97.5])
    return float(low), float(high)


def comparison(cells: list[Cell]) -> str:
    """A row per score: mean AUROC, by classifier, how far ours is ahead, and in how many cells it is behind."""
    names = list(cells[0].splits[0].scores)
    areas = {name: np.array([cell.auroc(name) for cell in cells]) for name in names}
    origins = np.array([cell.origin for cell in cells])
    kinds = np.array([cell.classifier for cell in cells])
    rivals = [name for name in names if name != OURS]
    chances = {name: np.array([p_behind(cell, name) for cell in cells]) for name in rivals}
    adjusted = np.array(holm(np.concatenate([chances[name] for name in rivals]).tolist())).reshape(len(rivals), -1)
    lines = [
        f"{len(cells)} cells of {len({c.table for c in cells})} tables, {len(set(origins))} origins",
        "",
        f"| score | all cells | without trees | {' | '.join(CLASSIFIERS)} "
        "| detector ahead by | behind, p < .025 | Holm |",
        f"|---|---|---|{'---|' * len(CLASSIFIERS)}---|---|---|",
    ]
    for name in sorted(names, key=lambda name: -areas[name].mean()):
        means = [areas[name].mean(), areas[name][kinds != "tree"].mean()]
        means += [areas[name][kinds == kind].mean() for kind in CLASSIFIERS]
        shown = " | ".join(f"{mean:.4f}"[1:] for mean in means)
        if name == OURS:
            lines.append(f"| **{name}** | {shown} | | | |")
            continue
        ahead = areas[OURS] - areas[name]
        low, high = interval(ahead, origins)
        some = kinds != "tree"
        low_some, high_some = interval(ahead[some], origins[some])
        behind = int((chances[name] < LEVEL / 2).sum())
        place = rivals.index(name)
        lines.append(
            f"| {name} | {shown} | {ahead.mean():+.4f} [{low:+.4f}, {high:+.4f}]; without trees "
            f"{ahead[some].mean():+.4f} [{low_some:+.4f}, {high_some:+.4f}] "
            f"| {behind} (chance {len(cells) * LEVEL / 2:.1f}) | {int((adjusted[place] < LEVEL).sum())} |"
        )
    return "\n".join(lines)


def by_table(cells: list[Cell]) -> str:
    """A row per table: errors by classifier, and the mean AUROC of the scores that matter most."""
    chosen = (OURS, *MAIN_RIVALS, "neighbourhood-detector", "max-probability", "trust-score")
    lines = [f"| table | errors: {', '.join(CLASSIFIERS)} | {' | '.join(chosen)} |", f"|---|---|{'---|' * len(chosen)}"]
    for table in dict.fromkeys(cell.table for cell in cells):
        own = {cell.classifier: cell for cell in cells if cell.table == table}
        errors = ", ".join(str(own[kind].errors) if kind in own else "-" for kind in CLASSIFIERS)
        means = " | ".join(f"{np.mean([cell.auroc(name) for cell in own.values()]):.3f}" for name in chosen)
        lines.append(f"| {table} | {errors} | {means} |")
    return "\n".join(lines)


def by_cell(cells: list[Cell]) -> str:
    """Every cell and score, as CSV."""
    names = list(cells[0].splits[0].scores)
    lines = ["table,origin,classifier,errors," + ",".join(names)]
    for cell in cells:
        areas = ",".join(f"{cell.auroc(name):.4f}" for name in names)
        lines.append(f"{cell.table},{cell.origin},{cell.classifier},{cell.errors},{areas}")
    return "\n".join(lines) + "\n"


def reliability(cells: list[Cell], names: tuple[str, ...]) -> tuple[str, str]:
    """How far mean scores lie from accuracy, as a table, and the curves as a picture."""
    lines = ["| score | mean score - accuracy | mean distance per cell | calibration error, ten bins | Brier |"]
    lines.append("|---|---|---|---|---|")
    side, apart = 200, 70
    drawing = Drawing("Reliability of the scores", width=len(names) * (side + apart) + 20)
    for place, name in enumerate(names):
        gaps = np.array([np.mean([(p.scores[name] - ~p.wrong).mean() for p in cell.splits]) for cell in cells])
        scores = np.concatenate([part.scores[name] for cell in cells for part in cell.splits])
        right = ~np.concatenate([part.wrong for cell in cells for part in cell.splits])
        bins = np.minimum((scores * 10).astype(int), 9)
        count = np.bincount(bins, minlength=10)
        claimed, was = (np.bincount(bins, weights=of, minlength=10) for of in (scores, right))
        error = float(np.abs(claimed - was).sum() / len(scores))
        brier = float(((scores - right) ** 2).mean())
        lines.append(f"| {name} | {gaps.mean():+.4f} | {np.abs(gaps).mean():.4f} | {error:.4f} | {brier:.4f} |")
        left, top = 45 + place * (side + apart), 30.0
        across, up = Scale(0, 1, left, side), Scale(0, 1, top + side, -side)
        drawing.rect("ground", left, top, side, side)
        drawing.line("guide-strong", ((across(0), up(0)), (across(1), up(1))))
        drawing.text(left, top - 10, name)
        drawing.x_axis(across, top + side, ticks=(0, 0.5, 1), title="score")
        drawing.y_axis(up, left, ticks=(0, 0.5, 1))
        full = count > 0
        points = [(across(x), up(y)) for x, y in zip(claimed[full] / count[full], was[full] / count[full], strict=True)]
        drawing.line("line-1", points)
        for (x, y), size in zip(points, count[full], strict=True):
            drawing.dot("series-1", x, y, title=f"{size} predictions")
    return "\n".join(lines), drawing.svg(30 + side + 45, standalone=True)


def _file(cache: Path, table: str, split: int) -> Path:
    return cache / f"{table}-{split}.pickle"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=("development", "held-out"))
    parser.add_argument("--keep", type=Path, required=True, help="Folder for the scores.")
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--out", type=Path, help="Folder for the tables and the picture.")
    arguments = parser.parse_args()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    tables = [table for names in halves()[arguments.half].values() for table in names]
    for split in range(arguments.splits):
        for table in tables:
            if not _file(arguments.keep, table, split).is_file():
                body = pickle.dumps(score_split(table, split))
                _file(arguments.keep, table, split).write_bytes(body)
                print(f"split {split}: {table}", flush=True)
    cells = cells_of(arguments.half, arguments.keep, splits=arguments.splits)
    measured, picture = reliability(cells, (MAIN_RIVALS[0], "neighbourhood-detector", OURS))
    print(comparison(cells), by_table(cells), measured, sep="\n\n")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "cases-reliability.svg").write_text(picture, encoding="utf-8")
        (arguments.out / f"cells-{arguments.half}.csv").write_text(by_cell(cells), encoding="utf-8")


if __name__ == "__main__":
    main()
