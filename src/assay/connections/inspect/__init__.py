"""Problems as tasks of Inspect AI, its logs as answers and scores, and its solvers as subjects."""

from assay.connections.inspect.logs import LogAnswers, read_answers
from assay.connections.inspect.tasks import make_task
from assay.intake.inspect_logs import read_log_scores

__all__ = ["LogAnswers", "make_task", "read_answers", "read_log_scores"]
