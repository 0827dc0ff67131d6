from pathlib import Path

import pytest

from assay.core import InvalidInput, SubjectFailed
from assay.drift.answer.answer import DriftAnswer, DriftReply, decode, encode
from assay.drift.answer.trec import read_qrels, read_run, ready_answer, write_qrels, write_run


def test_a_run_file_is_ordered_by_score_and_ties_stay_ties(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("d1 Q0 x 1 0.5 tag\nd1 Q0 y 2 0.75 tag\n\nd1 Q0 z 3 0.5 tag\nd2 Q0 x 1 1 tag\n")
    run = read_run(path)
    assert run.replies["d1"] == DriftReply(ranking=("y", "x", "z"), scores=(0.75, 0.5, 0.5))
    assert run.replies["d2"].ranking == ("x",)


def test_blanks_and_letters_of_any_kind_survive_a_run_file(tmp_path: Path) -> None:
    answer = DriftAnswer(
        replies={"a b_drift_1_1": DriftReply(ranking=("2020 Straße 100%.pdf", "b"), scores=(0.1 + 0.2, -1e-300))}
    )
    write_run(tmp_path / "a.run", answer)
    assert read_run(tmp_path / "a.run") == answer


def test_a_ranking_without_scores_keeps_its_order(tmp_path: Path) -> None:
    write_run(tmp_path / "a.run", DriftAnswer(replies={"d": DriftReply(ranking=("c", "a", "b"))}))
    assert read_run(tmp_path / "a.run").replies["d"].ranking == ("c", "a", "b")


def test_golden_documents_survive_a_judgement_file(tmp_path: Path) -> None:
    write_qrels(tmp_path / "g.qrels", {"d 1": ["b c", "a"], "d2": ["x"]})
    assert read_qrels(tmp_path / "g.qrels") == {"d 1": ("a", "b c"), "d2": ("x",)}
    (tmp_path / "zero.qrels").write_text("d 0 a 0\nd 0 b 2\n")
    assert read_qrels(tmp_path / "zero.qrels") == {"d": ("b",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d Q0 x 1 0.5\n", "line 1: 5 fields where .* has 6. Write blanks in names as %20"),
        ("d Q0 x 1 0.5 t\nd Q0 y 2 nan t\n", "line 2: the score 'nan' is not a finite number"),
        ("d Q0 x 1 high t\n", "the score 'high'"),
        ("d Q0 x 1 0.5 t\nd Q0 x 2 0.4 t\n", "line 2: 'x' is ranked twice for drift 'd'"),
        ("\n", "the run is empty"),
    ],
)
def test_a_broken_run_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.run").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        read_run(tmp_path / "a.run")


def test_files_that_are_missing_or_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="file not found"):
        read_run(tmp_path / "none.run")
    (tmp_path / "b.run").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        read_run(tmp_path / "b.run")
    (tmp_path / "g.qrels").write_text("d 0 a yes\n")
    with pytest.raises(InvalidInput, match="'yes' is not a whole number"):
        read_qrels(tmp_path / "g.qrels")


def test_ready_answers_are_found_as_json_as_a_run_or_inside_one_run_for_all(tmp_path: Path) -> None:
    answer = DriftAnswer(replies={"p_drift_1_1": DriftReply(ranking=("a",), scores=(1.0,))})
    both = DriftAnswer(replies={**answer.replies, "q_drift_1_1": DriftReply(ranking=("b",), scores=(1.0,))})
    write_run(tmp_path / "all.run", both)
    assert decode(ready_answer(tmp_path, "p")) == answer
    write_run(tmp_path / "p.run", DriftAnswer(replies={"p_drift_1_1": DriftReply(ranking=("c",))}))
    assert decode(ready_answer(tmp_path, "p")).replies["p_drift_1_1"].ranking == ("c",)
    (tmp_path / "p.json").write_bytes(encode(DriftAnswer()))
    assert decode(ready_answer(tmp_path, "p")) == DriftAnswer()


def test_a_missing_ready_answer_is_the_subjects_failure(tmp_path: Path) -> None:
    with pytest.raises(SubjectFailed, match="expected 'p.json'"):
        ready_answer(tmp_path, "p")
    with pytest.raises(SubjectFailed, match="no file name of its own"):
        ready_answer(tmp_path, "../p")
