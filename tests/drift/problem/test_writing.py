import errno
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.drift.documents.document import Corpus
from assay.drift.examine.evaluation import Evaluation
from assay.drift.examine.master_report import write_evaluation
from assay.drift.explanation.explainer import DriftExplainer
from assay.drift.explanation.rendering.export import export
from assay.drift.generate.simulate import simulate
from assay.drift.problem.detector_files import write_detections
from assay.drift.problem.writing import writing


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    drift = simulate(seed=1, cases=200).drifts[0].drift
    with pytest.raises(InvalidInput, match=r"file: cannot be written \(File exists\)"):
        write_detections(tmp_path / "file", [drift])
    explanation = DriftExplainer(Corpus.from_texts({"rule.txt": "New."})).explain(drift)
    (tmp_path / "why.md").mkdir()
    with pytest.raises(InvalidInput, match=r"why\.md: cannot be written \(Is a directory\)"):
        export([explanation], tmp_path / "why.md")
    (tmp_path / "out" / "summary.md").mkdir(parents=True)
    evaluation = Evaluation(ks=(1,), rows={"explainer": ()})
    with pytest.raises(InvalidInput, match=r"summary\.md: cannot be written \(Is a directory\)"):
        write_evaluation(evaluation, tmp_path / "out")


def test_a_full_disk_is_not_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full"), writing(tmp_path):
        raise OSError(errno.ENOSPC, "full")
