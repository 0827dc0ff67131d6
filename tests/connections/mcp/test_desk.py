"""The desk: tasks without truth, trials on training data, counted submissions, records as of precomputed answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.connections.mcp import Desk
from assay.connections.mcp import desk as desk_module
from assay.core import InvalidInput, UnknownName

RIGHT = {"models": ["0.5 * mass * speed**2"]}
WRONG = {"models": ["mass * speed"]}


def all_told(value: object) -> str:
    return json.dumps(value, default=str)


def test_a_task_has_files_and_words_but_no_id_and_no_truth(problems: Path, tmp_path: Path) -> None:
    desk = Desk([("insight", str(problems / "insight"))], tmp_path / "out")
    first, second = (entry["problem"] for entry in desk.problems())
    assert first != second
    task = desk.task(first)
    table = next(entry for entry in task["files"] if entry["name"] == "problem/data/test.csv")
    assert table["text"].splitlines()[0] == "paid,items"
    assert Path(task["folder"], "problem", "data", "train.csv").read_text().startswith("paid,items,much\n")
    assert '"enriched_column_names"' in task["answer"]
    assert "secret" not in all_told([task, desk.problems()])
    assert not list(Path(task["folder"]).rglob("*truth*"))


def test_a_long_file_is_told_by_its_beginning(energy: tuple[str, str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("assay.connections.offers._INLINE", 50)
    desk = Desk([energy], tmp_path / "out")
    task = desk.task(desk.problems()[0]["problem"])
    table = next(entry for entry in task["files"] if entry["name"] == "train.csv")
    assert "text" not in table
    assert table["begins"].startswith("mass,speed,energy\n")


def test_functions_are_tried_on_training_rows_without_the_target(problems: Path, tmp_path: Path) -> None:
    desk = Desk([("insight", str(problems / "insight"))], tmp_path / "out")
    name = desk.problems()[0]["problem"]
    functions = [
        ("ratio", "def ratio(row): return row['paid'] / row['items']"),
        ("cheat", "def cheat(row): return row['much']"),
        ("size", "def size(df): return df['paid'] * 0 + len(df) + (df.index == 0)"),
        ("peep", "def peep(row): return open('/etc/hostname').read()"),
    ]
    ratio, cheat, size, peep = desk.try_functions(name, functions)
    assert ratio["status"] == "ok"
    assert ratio["rank_correlation"]["value"] > 0.5
    assert cheat["status"] == "exception"
    assert "much" in cheat["message"]
    assert size["first_values"][1] == 60  # no test row among them
    assert peep["status"] == "exception"


def test_a_function_without_code_is_told_what_is_missing(problems: Path, tmp_path: Path) -> None:
    desk = Desk([("insight", str(problems / "insight"))], tmp_path / "out")
    nothing, code = desk.try_functions(desk.problems()[0]["problem"], [("", "\n"), ("f", "")])
    assert (code["status"], code["message"].split(".")[0]) == ("incomplete", "code is missing")
    assert nothing["message"].startswith("name and code are missing")


def test_formulas_are_tried_on_training_tables(energy: tuple[str, str], tmp_path: Path) -> None:
    desk = Desk([energy], tmp_path / "out")
    name = desk.problems()[0]["problem"]
    right, wrong, broken = desk.try_formulas(name, ["mass*speed**2/2", "mass", "mass +"])
    assert right["training"][0]["r_squared"] == pytest.approx(1.0)
    assert right["training"][0]["rows"] == 40
    assert wrong["training"][0]["r_squared"] < 0.9
    assert broken["status"] == "cannot be read"
    with pytest.raises(InvalidInput, match="of track 'formula', not of 'insight'"):
        desk.try_functions(name, [("a", "def a(row): return 1")])


def test_submissions_are_counted_across_restarts_and_scores_told_by_the_rule(
    energy: tuple[str, str], tmp_path: Path
) -> None:
    desk = Desk([energy], tmp_path / "out", "me", submissions=2)
    name = desk.problems()[0]["problem"]
    result = desk.submit(name, WRONG)
    assert result == {
        "problem": name,
        "status": "ok",
        "scores": {"property_score": 0.0},
        "goal": {"property_score": "max"},
        "submissions_left": 1,
    }
    again = Desk([energy], tmp_path / "out", "me", submissions=2)
    assert again.problems()[0]["submissions_left"] == 1
    assert again.submit(name, RIGHT)["scores"] == {"property_score": 1.0}
    with pytest.raises(InvalidInput, match="all 2 submissions are used"):
        Desk([energy], tmp_path / "out", "me", submissions=2).submit(name, RIGHT)
    assert [entry["scores"] for entry in again.scores()] == [{"property_score": 1.0}]
    (record,) = assay.load(tmp_path / "out").records
    assert record.scores["property_score"] == 1.0  # the last one counts
    (nothing,) = Desk([energy], tmp_path / "out", "me", shown="none").scores()
    assert nothing == {"problem": name, "status": "ok"}
    (everything,) = Desk([energy], tmp_path / "out", "me", shown="all").scores()
    assert everything["scores"]["solved"] == 1.0
    assert set(everything) == {"problem", "status", "scores", "goal"}
    assert all(isinstance(value, int | float) for value in everything["scores"].values())


def test_an_answer_that_cannot_be_read_is_not_counted(energy: tuple[str, str], tmp_path: Path) -> None:
    desk = Desk([energy], tmp_path / "out", submissions=1)
    name = desk.problems()[0]["problem"]
    with pytest.raises(InvalidInput, match=r"not counted: .*modelz.*It is, as JSON: \{\"models\"") as caught:
        desk.submit(name, {"modelz": []})
    assert "secret" not in str(caught.value)
    assert desk.problems()[0]["submissions_left"] == 1


@pytest.mark.parametrize("earlier", [False, True])
def test_an_answer_that_does_not_fit_the_task_is_not_counted(tmp_path: Path, earlier: bool) -> None:
    (problem,) = assay.problems("drift")[:1]
    desk = Desk([("drift", problem.id)], tmp_path / "out", "me", submissions=2)
    name = desk.problems()[0]["problem"]
    if earlier:
        desk.submit(name, {"drifts": {}})
    left = desk.problems()[0]["submissions_left"]
    with pytest.raises(InvalidInput, match=r"does not fit the task and was not counted: No drift named 'x'"):
        desk.submit(name, {"drifts": {"x": ["a"]}})
    assert desk.problems()[0]["submissions_left"] == left
    (record,) = assay.load(tmp_path / "out").records
    assert record.status == ("ok" if earlier else "failed")
    assert len(desk.scores()) == earlier
    desk.submit(name, {"drifts": {}})
    assert desk.problems()[0]["submissions_left"] == left - 1


def test_an_answer_that_cannot_be_recorded_is_not_counted(
    energy: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk([energy], tmp_path / "out", "me", submissions=1)
    name = desk.problems()[0]["problem"]

    def refuse(*_: object) -> None:
        raise InvalidInput("another run is writing here")

    with monkeypatch.context() as patch:
        patch.setattr(desk_module, "record_answers", refuse)
        with pytest.raises(InvalidInput, match="another run"):
            desk.submit(name, RIGHT)
    assert desk.problems()[0]["submissions_left"] == 1
    assert not list((tmp_path / "out" / "mcp" / "me" / "formula").iterdir())


def test_one_more_answer_leaves_the_others_examined_once(problems: Path, tmp_path: Path) -> None:
    place = problems / "formula"
    desk = Desk([("formula", str(place))], tmp_path / "out = today", "me")
    first, second = (entry["problem"] for entry in desk.problems())
    desk.submit(first, RIGHT)
    before = assay.load(tmp_path / "out = today").records
    assert [record.error_kind for record in before] == [None, "missing answer"]
    desk.submit(second, WRONG)
    after = assay.load(tmp_path / "out = today").records
    assert after[0].cost == before[0].cost  # the seconds of one and the same examination
    assert after[0].subject_digest != before[0].subject_digest
    folder = tmp_path / "me"
    folder.mkdir()
    for name, answer in (("secret-energy-1", RIGHT), ("secret-energy-2", WRONG)):
        (folder / f"{name}.json").write_text(json.dumps(answer, indent=1, sort_keys=True))
    handed_in = assay.run("formula", str(folder), problems=str(place), out=tmp_path / "other", progress=False)
    assert [record.content() for record in after] == [record.content() for record in handed_in.records]


def test_wrong_rules_are_refused(energy: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="name 'a/b': must be a plain name"):
        Desk([energy], tmp_path, "a/b")
    with pytest.raises(InvalidInput, match="submissions: must be a whole number of at least 1"):
        Desk([energy], tmp_path, submissions=0)
    with pytest.raises(InvalidInput, match="beside the truth"):
        Desk([energy], tmp_path, tasks=tmp_path / "tasks")
    with pytest.raises(UnknownName, match="No setting named 'TREES'"):
        Desk([energy], tmp_path, settings={"TREES": 3})
    with pytest.raises(UnknownName, match="exact-3"):
        Desk([("formula", "exact-33")], tmp_path)
    with pytest.raises(UnknownName, match="No problem named 'formula-1'"):
        Desk([energy], tmp_path).task("formula-1")
