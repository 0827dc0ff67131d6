"""The functions of ``import assay``; the command line calls them too."""

from assay.api.bundling import Verification, bundle, verify
from assay.api.catalogue import subjects, tracks
from assay.api.check_report import Check
from assay.api.checking import check
from assay.api.importing import import_scores
from assay.api.problem_set import problems
from assay.api.reading import compare, load
from assay.api.running import rescore, run
from assay.api.scoring import score
from assay.api.tables import read_table
from assay.harness.models.model_file import load_model

__all__ = [
    "Check",
    "Verification",
    "bundle",
    "check",
    "compare",
    "import_scores",
    "load",
    "load_model",
    "problems",
    "read_table",
    "rescore",
    "run",
    "score",
    "subjects",
    "tracks",
    "verify",
]
