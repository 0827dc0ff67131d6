"""The functions of the front door, ``import assay``; the command line calls them too."""

from assay.api.catalogue import subjects, tracks
from assay.api.problem_set import problems
from assay.api.reading import compare, load
from assay.api.running import rescore, run
from assay.api.scoring import score
from assay.api.tables import read_table

__all__ = ["compare", "load", "problems", "read_table", "rescore", "run", "score", "subjects", "tracks"]
