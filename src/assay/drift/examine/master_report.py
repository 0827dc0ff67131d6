"""What a master evaluation writes: ``master_eval_report.csv``, a summary with intervals and baselines, run files."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.core import Interval, InvalidInput
from assay.core.display import counted
from assay.drift.answer.answer import DriftAnswer, DriftReply
from assay.drift.answer.trec import write_qrels, write_run
from assay.drift.detection.drift import DRIFT_TYPES
from assay.drift.examine.evaluation import Evaluation, Row
from assay.drift.metrics import abstention_precision, abstention_recall, decision_accuracy, faithfulness
from assay.drift.metrics.ranking import mean_defined
from assay.drift.problem.writing import writing
from assay.intake.csv_lines import csv_text
from assay.stats import mean_interval, sign_flip_p_value

__all__ = [
    "ALL",
    "MASTER_REPORT",
    "Line",
    "master_report",
    "mean_cells",
    "ranking_cells",
    "ranking_columns",
    "summary_lines",
    "summary_text",
    "write_evaluation",
]

MASTER_REPORT = "master_eval_report.csv"
ALL = "ALL"
MISSING = "N/A"


class Line(NamedTuple):
    """One number of the summary: a subject's metric over a group of drifts, with its interval."""

    subject: str
    group: str
    metric: str
    drifts: int
    value: Interval


def master_report(evaluation: Evaluation) -> str:
    """The report of the evaluated subject as CSV: a row per drift, then one per test set, then one over all.

    Closing rows have ``ALL`` for the drift; their metrics are means over the drifts with a golden document. A drift
    without one has empty metrics.
    """
    ks, rows = evaluation.ks, evaluation.rows[evaluation.subject]
    lines = [["test_set", "drift_id", "drift_type", "gold_document", *ranking_columns(ks)]]
    for row in rows:
        verdict = row.verdict
        cells = ranking_cells(verdict.golden, _ordered(row), row.scores, ks)
        lines.append([row.test_set, verdict.drift, verdict.type, *cells])
    groups = {
        name: [row for row in rows if row.test_set == name] for name in dict.fromkeys(row.test_set for row in rows)
    }
    for name, members in [*groups.items(), (ALL, rows)]:
        lines.append([name, ALL, ALL, *mean_cells([row.scores for row in members], ks)])
    return csv_text(lines)


def _metrics(ks: Sequence[int]) -> list[str]:
    return [*(f"recall@{k}" for k in ks), "mrr"]


def ranking_columns(ks: Sequence[int]) -> list[str]:
    """The columns of the predicted documents and of the metrics."""
    return [*(f"predicted_doc_{place}" for place in range(1, max(ks) + 1)), *_metrics(ks)]


def ranking_cells(
    golden: Collection[str], ranking: Sequence[str], scores: Mapping[str, float], ks: Sequence[int]
) -> list[str]:
    """The golden documents of a drift, the first predicted ones, and the metrics."""
    shown = ranking[: max(ks)]
    missing = [MISSING] * (max(ks) - len(shown))
    return ["; ".join(sorted(golden)), *shown, *missing, *(number_cell(scores[name]) for name in _metrics(ks))]


def mean_cells(scores: Sequence[Mapping[str, float]], ks: Sequence[int]) -> list[str]:
    """The closing row over some drifts: their number, and the means of those with a golden document."""
    means = [number_cell(mean_defined([row[name] for row in scores])) for name in _metrics(ks)]
    return [counted(len(scores), "drift"), *[""] * max(ks), *means]


def _ordered(row: Row) -> list[str]:
    """The ranking by score where scores are given; ties stay in the order of the ranking."""
    verdict = row.verdict
    names = list(dict.fromkeys(verdict.ranking))
    if verdict.scores is None:
        return names
    score = dict(reversed(list(zip(verdict.ranking, verdict.scores, strict=True))))
    return sorted(names, key=lambda name: -score[name])


def summary_lines(evaluation: Evaluation) -> list[Line]:
    """Every metric of every subject: over all drifts, by type of drift, by test set."""
    lines = []
    for subject, rows in evaluation.rows.items():
        groups: dict[str, Sequence[Row]] = {"all": rows}
        for kind in DRIFT_TYPES:
            groups[f"type={kind}"] = [row for row in rows if row.verdict.type == kind]
        for name in dict.fromkeys(row.test_set for row in rows):
            groups[f"test_set={name}"] = [row for row in rows if row.test_set == name]
        for group, members in groups.items():
            judged = [row for row in members if row.verdict.golden]
            if not members:
                continue
            for metric in evaluation.metrics:
                value = mean_interval([row.scores[metric] for row in judged])
                lines.append(Line(subject, group, metric, len(judged), value))
        lines += _decisions(subject, rows)
    return lines


def _decisions(subject: str, rows: Sequence[Row]) -> list[Line]:
    verdicts = [row.verdict for row in rows]
    abstained, causeless = [v.abstained for v in verdicts], [v.causeless for v in verdicts]
    quotes = [holds for verdict in verdicts for holds in verdict.verbatim]
    decisions = {
        "abstention_precision": (abstention_precision(abstained, causeless), sum(abstained)),
        "abstention_recall": (abstention_recall(abstained, causeless), sum(causeless)),
        "decision_accuracy": (decision_accuracy([v.first_golden for v in verdicts], abstained, causeless), len(rows)),
        "faithfulness": (faithfulness(quotes), len(quotes)),
    }
    nan = math.nan
    return [Line(subject, "all", name, count, Interval(value, nan, nan)) for name, (value, count) in decisions.items()]


def summary_text(evaluation: Evaluation) -> str:
    """The summary as Markdown: final figures beside the baselines, by type, and what went wrong."""
    rows = evaluation.rows[evaluation.subject]
    judged = sum(bool(row.verdict.golden) for row in rows)
    sets = len({row.test_set for row in rows})
    parts = [
        f"# Evaluation of `{evaluation.subject}`\n",
        f"{counted(len(rows), 'drift')} in {counted(sets, 'test set')}, {judged} of them with a golden document. "
        "Values are means over drifts with a 95 % interval (Wilson for hits and misses, else bootstrap).\n",
        _overall(evaluation),
        "\n## By type of drift\n",
        _by_type(evaluation),
    ]
    decided = {line.metric: line for line in _decisions(evaluation.subject, rows)}
    decisions = [
        f"- {name}: {line.value.value:.1%} of {counted(line.drifts, _counted(name))}"
        for name, line in decided.items()
        if not math.isnan(line.value.value)
    ]
    if decisions:
        parts += ["\n## Quotes and abstention\n", "\n".join(decisions)]
    for title, entries in (
        ("Test sets that could not be read (not scored)", [f"{f.test_set}: {f.message}" for f in evaluation.broken]),
        (
            "Drifts without an answer (counted as zero)",
            [f"{f.drift} ({f.subject}): {f.message}" for f in evaluation.failed],
        ),
        ("Notes", list(dict.fromkeys(evaluation.notes))),
    ):
        if entries:
            parts += [f"\n## {title}\n", "\n".join(f"- {entry}" for entry in entries)]
    return "\n".join(parts) + "\n"


def _counted(metric: str) -> str:
    named = {"faithfulness": "quote", "abstention_precision": "abstention", "abstention_recall": "causeless drift"}
    return named.get(metric, "drift")


def _overall(evaluation: Evaluation) -> str:
    metrics = _metrics(evaluation.ks)
    lines = [
        f"| subject | {' | '.join(metrics)} | mrr behind, p |",
        f"|---|{'---|' * len(metrics)}---|",
    ]
    for subject in evaluation.rows:
        values = [_shown(evaluation.mean(metric, subject=subject), metric) for metric in metrics]
        lines.append(f"| {subject} | {' | '.join(values)} | {_behind(evaluation, subject)} |")
    return "\n".join(lines)


def _behind(evaluation: Evaluation, subject: str) -> str:
    """How far a baseline's reciprocal rank lies behind, and how likely that is by chance."""
    if subject == evaluation.subject:
        return ""
    pairs = zip(evaluation.rows[evaluation.subject], evaluation.rows[subject], strict=True)
    gaps = [ours.scores["mrr"] - theirs.scores["mrr"] for ours, theirs in pairs if ours.verdict.golden]
    if not gaps:
        return ""
    p = sign_flip_p_value(gaps)
    return f"{sum(gaps) / len(gaps):+.3f}" + ("" if math.isnan(p) else f", p {p:.3g}")


def _by_type(evaluation: Evaluation) -> str:
    metrics = _metrics(evaluation.ks)
    lines = [f"| type | drifts | {' | '.join(metrics)} |", f"|---|---|{'---|' * len(metrics)}"]
    for kind in DRIFT_TYPES:
        members = [row for row in evaluation.rows[evaluation.subject] if row.verdict.type == kind]
        if members:
            values = [_shown(evaluation.mean(metric, type=kind), metric) for metric in metrics]
            lines.append(f"| {kind} | {len(members)} | {' | '.join(values)} |")
    return "\n".join(lines)


def write_evaluation(evaluation: Evaluation, out: Path) -> list[Path]:
    """Write the report, the summary as CSV and Markdown, a run file per subject and the golden documents."""
    out = Path(out)
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{out}: cannot be made a folder ({error.strerror}). Give another --out.") from None
    texts = {
        out / MASTER_REPORT: master_report(evaluation),
        out / "summary.csv": _summary_csv(evaluation),
        out / "summary.md": summary_text(evaluation),
    }
    paths = list(texts)
    with writing(out):
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        for subject, rows in evaluation.rows.items():
            replies = {r.verdict.drift: DriftReply(ranking=r.verdict.ranking, scores=r.verdict.scores) for r in rows}
            paths.append(out / "runs" / f"{_file_name(subject)}.run")
            write_run(paths[-1], DriftAnswer(replies=replies), tag=subject)
        paths.append(out / "golden.qrels")
        write_qrels(paths[-1], {row.verdict.drift: row.verdict.golden for row in evaluation.rows[evaluation.subject]})
    return paths


def _summary_csv(evaluation: Evaluation) -> str:
    header = ("subject", "group", "metric", "drifts", "value", "low", "high")
    return csv_text([header, *((*line[:-1], *map(number_cell, line.value)) for line in summary_lines(evaluation))])


def _file_name(subject: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in subject)


def number_cell(value: float) -> str:
    """A number in a report; empty where it is undefined."""
    return "" if math.isnan(value) else f"{value:.6g}"


def _shown(value: Interval, metric: str) -> str:
    """Recall as a percentage, MRR as a number, each with its interval."""
    if math.isnan(value.value):
        return "undefined"
    form = "{:.1%}" if metric.startswith("recall") else "{:.3f}"
    bounds = "" if math.isnan(value.low) else f" [{form.format(value.low)}, {form.format(value.high)}]"
    return form.format(value.value) + bounds
