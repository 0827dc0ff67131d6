"""Statistics over records and nothing else: score tables, intervals, ranks, paired comparisons. Pure and seeded."""

from assay.stats.clusters import cluster_interval
from assay.stats.compare import Comparison, adjust, compare, compare_all, compare_pairs, tiers
from assay.stats.groups import undistinguished_groups
from assay.stats.holm import holm
from assay.stats.intervals import IntervalMethod, bootstrap_interval, bootstrap_intervals
from assay.stats.problems.items import Item, VarianceSplit, item_analysis, variance_split
from assay.stats.problems.memorisation import MemorisationGap, memorisation_gaps
from assay.stats.problems.planning import PlannedSize, plan_size
from assay.stats.ranks import RankRange, mean_ranks, rank_ranges
from assay.stats.record_table import RecordTable
from assay.stats.scores import ScoreTable, score_table
from assay.stats.sequential.bets import confidence_sequence, e_process
from assay.stats.sequential.decisions import Decisions, PairDecision
from assay.stats.shares import mean_interval, share_interval
from assay.stats.signflip import sign_flip_p_value, sign_flip_p_values
from assay.stats.summary import SubjectSummary, summarise, summarise_all

__all__ = [
    "Comparison",
    "Decisions",
    "IntervalMethod",
    "Item",
    "MemorisationGap",
    "PairDecision",
    "PlannedSize",
    "RankRange",
    "RecordTable",
    "ScoreTable",
    "SubjectSummary",
    "VarianceSplit",
    "adjust",
    "bootstrap_interval",
    "bootstrap_intervals",
    "cluster_interval",
    "compare",
    "compare_all",
    "compare_pairs",
    "confidence_sequence",
    "e_process",
    "holm",
    "item_analysis",
    "mean_interval",
    "mean_ranks",
    "memorisation_gaps",
    "plan_size",
    "rank_ranges",
    "score_table",
    "share_interval",
    "sign_flip_p_value",
    "sign_flip_p_values",
    "summarise",
    "summarise_all",
    "tiers",
    "undistinguished_groups",
    "variance_split",
]
