"""Statistics over records and nothing else: score tables, intervals, ranks, paired comparisons. Pure and seeded."""

from assay.stats.compare import Comparison, adjust, compare, compare_all
from assay.stats.holm import holm
from assay.stats.intervals import IntervalMethod, bootstrap_interval
from assay.stats.ranks import RankRange, mean_ranks, rank_ranges
from assay.stats.scores import ScoreTable, score_table
from assay.stats.signflip import sign_flip_p_value
from assay.stats.summary import SubjectSummary, summarise

__all__ = [
    "Comparison",
    "IntervalMethod",
    "RankRange",
    "ScoreTable",
    "SubjectSummary",
    "adjust",
    "bootstrap_interval",
    "compare",
    "compare_all",
    "holm",
    "mean_ranks",
    "rank_ranges",
    "score_table",
    "sign_flip_p_value",
    "summarise",
]
