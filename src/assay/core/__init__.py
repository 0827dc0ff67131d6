"""The ten nouns as small frozen types, the registry, digests and error types. Imports nothing of ours."""

from assay.core.budget import Budget
from assay.core.calls import Call, parse_call
from assay.core.checks import demand_whole
from assay.core.contract.contract import Contract, TaskField
from assay.core.display import Listing, Panel
from assay.core.errors import (
    AssayError,
    InfrastructureFailed,
    InvalidInput,
    MissingExtra,
    SubjectFailed,
    UnknownName,
)
from assay.core.files.digest import Json, canonical_json, digest_bytes, digest_folder, digest_json, digest_source
from assay.core.files.folders import demand_closed, find_inside
from assay.core.files.handover import all_but_truth
from assay.core.files.text import read_json, write_json
from assay.core.interval import Interval
from assay.core.metric import Aggregate, Goal, Metric, MetricFamily, as_metrics
from assay.core.problem import AnyProblem, Manifest, Problem, Tags, find_problems, read_manifest
from assay.core.record import Record, Setting, Settings, Status, plain
from assay.core.registry import get_track, track_names
from assay.core.subject import BuiltInSubject, NamedSubject, Subject
from assay.core.track import AnyTrack, Track

__all__ = [
    "Aggregate",
    "AnyProblem",
    "AnyTrack",
    "AssayError",
    "Budget",
    "BuiltInSubject",
    "Call",
    "Contract",
    "Goal",
    "InfrastructureFailed",
    "Interval",
    "InvalidInput",
    "Json",
    "Listing",
    "Manifest",
    "Metric",
    "MetricFamily",
    "MissingExtra",
    "NamedSubject",
    "Panel",
    "Problem",
    "Record",
    "Setting",
    "Settings",
    "Status",
    "Subject",
    "SubjectFailed",
    "Tags",
    "TaskField",
    "Track",
    "UnknownName",
    "all_but_truth",
    "as_metrics",
    "canonical_json",
    "demand_closed",
    "demand_whole",
    "digest_bytes",
    "digest_folder",
    "digest_json",
    "digest_source",
    "find_inside",
    "find_problems",
    "get_track",
    "parse_call",
    "plain",
    "read_json",
    "read_manifest",
    "track_names",
    "write_json",
]
