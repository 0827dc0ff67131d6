"""The functions of the front door, ``import assay``; the command line calls them too."""

from assay.api.catalogue import subjects, tracks
from assay.api.check_report import Check
from assay.api.checking import check
from assay.api.problem_set import problems
from assay.api.reading import compare, load
from assay.api.running import rescore, run
from assay.api.scoring import score

__all__ = ["Check", "check", "compare", "load", "problems", "rescore", "run", "score", "subjects", "tracks"]
