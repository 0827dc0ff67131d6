"""Reports from records and nothing else: leaderboards, terminal tables, CSV, Parquet, JSON, Markdown, HTML."""

from typing import TYPE_CHECKING

from assay.core.deprecation import moved_names as _moved_names

if TYPE_CHECKING:
    from assay.report.analysis.items import ItemAnalysis
    from assay.report.analysis.planning import SizePlan
    from assay.report.answers import Answers
    from assay.report.comparing import SubjectComparison, compare_subjects
    from assay.report.export.archive import write_archive
    from assay.report.export.frames import Frames
    from assay.report.export.tables import json_report, write_csv, write_json, write_markdown, write_parquet
    from assay.report.failure_groups import FailureGroup
    from assay.report.failures import Failure, Failures
    from assay.report.gates.gate import Contest, check_gates, contests_of
    from assay.report.gates.judging import GateResult, GateResults, judge_gates
    from assay.report.gates.junit import write_junit
    from assay.report.gates.reading import read_gates
    from assay.report.loading import load, results_of, with_metrics
    from assay.report.page.html import write_html
    from assay.report.results import Outcome, Results, TrackResults
    from assay.report.tables.groups import Group, grouped
    from assay.report.tables.leaderboard import leaderboard
    from assay.report.tables.means import SubjectMeans, TrackMeans, track_means
    from assay.report.tables.pairs import Pairs, subject_pairs
    from assay.report.tables.standings import Leaderboard, MetricColumn, Standing
    from assay.report.tables.terminal import print_whole
    from assay.report.text import (
        comparison_table,
        groups_table,
        leaderboard_table,
        means_table,
        metrics_table,
        problems_table,
        record_view,
        run_summary,
    )
    from assay.report.track_records import TrackRecords

__all__ = [
    "Answers",
    "Contest",
    "Failure",
    "FailureGroup",
    "Failures",
    "Frames",
    "GateResult",
    "GateResults",
    "Group",
    "ItemAnalysis",
    "Leaderboard",
    "MetricColumn",
    "Outcome",
    "Pairs",
    "Results",
    "SizePlan",
    "Standing",
    "SubjectComparison",
    "SubjectMeans",
    "TrackMeans",
    "TrackRecords",
    "TrackResults",
    "check_gates",
    "compare_subjects",
    "comparison_table",
    "contests_of",
    "grouped",
    "groups_table",
    "json_report",
    "judge_gates",
    "leaderboard",
    "leaderboard_table",
    "load",
    "means_table",
    "metrics_table",
    "print_whole",
    "problems_table",
    "read_gates",
    "record_view",
    "results_of",
    "run_summary",
    "subject_pairs",
    "track_means",
    "with_metrics",
    "write_archive",
    "write_csv",
    "write_html",
    "write_json",
    "write_junit",
    "write_markdown",
    "write_parquet",
]

_HOMES = {
    "analysis.items": ("ItemAnalysis",),
    "analysis.planning": ("SizePlan",),
    "answers": ("Answers",),
    "comparing": ("SubjectComparison", "compare_subjects"),
    "export.archive": ("write_archive",),
    "export.frames": ("Frames",),
    "export.tables": ("json_report", "write_csv", "write_json", "write_markdown", "write_parquet"),
    "failure_groups": ("FailureGroup",),
    "failures": ("Failure", "Failures"),
    "gates.gate": ("Contest", "check_gates", "contests_of"),
    "gates.judging": ("GateResult", "GateResults", "judge_gates"),
    "gates.junit": ("write_junit",),
    "gates.reading": ("read_gates",),
    "loading": ("load", "results_of", "with_metrics"),
    "page.html": ("write_html",),
    "results": ("Outcome", "Results", "TrackResults"),
    "tables.groups": ("Group", "grouped"),
    "tables.leaderboard": ("leaderboard",),
    "tables.means": ("SubjectMeans", "TrackMeans", "track_means"),
    "tables.pairs": ("Pairs", "subject_pairs"),
    "tables.standings": ("Leaderboard", "MetricColumn", "Standing"),
    "tables.terminal": ("print_whole",),
    "text": (
        "comparison_table",
        "groups_table",
        "leaderboard_table",
        "means_table",
        "metrics_table",
        "problems_table",
        "record_view",
        "run_summary",
    ),
    "track_records": ("TrackRecords",),
}

if not TYPE_CHECKING:  # a command that prints one table need not load the rest
    __getattr__ = _moved_names(
        __name__, {}, later={name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}
    )
