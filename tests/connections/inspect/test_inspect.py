"""Inspect AI itself, offline, with a scripted model: tasks, logs as answers and scores, its solvers as subjects."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.connections.inspect import make_task, read_answers, read_log_scores
from assay.connections.offers import find_offers
from assay.core import InvalidInput, UnknownName, get_track

inspect_ai = pytest.importorskip(
    "inspect_ai", reason="Inspect AI is not installed: `make connections` runs these tests"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # those of Inspect and of what it stands on

ROOT = Path(__file__).parents[3]
LAW = '{"models": ["h + t*(v - g*t/2)"]}'
AGENT = """
from inspect_ai import Task, task
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, solver


def reply(messages, tools, tool_choice, config):
    known = "h,v,t,g,y" in messages[-1].text
    output = ModelOutput.from_content("mockllm/model", '{"models": ["h + t*(v - g*t/2)"]}' if known else "none")
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output


@task
def scripted():
    return Task(solver=generate(), model=get_model("mockllm/model", custom_outputs=reply))
"""


def scripted(reply: Callable[[str], str]) -> Any:
    """A model that answers as a function of the question says; usage is given, else token counts are fetched."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def outputs(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        output = ModelOutput.from_content("mockllm/model", reply(messages[-1].text))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=outputs)


def evaluate(task: Any, reply: Callable[[str], str], folder: Path, **options: Any) -> Any:
    (log,) = inspect_ai.eval(task, model=scripted(reply), display="none", log_dir=str(folder), **options)
    assert log.status == "success", log.error
    return log


def truth_of(track: str, problem: str, folder: Path) -> str:
    """The truth as a model would write it."""
    (offered,) = find_offers(track, problem, folder)
    known = get_track(track)
    if track != "insight":
        return bytes(known.encode(known.oracle(known.load(offered.folder)))).decode()
    from assay.insight import write_solution

    loaded = known.load(offered.folder)
    truth = replace(known.oracle(loaded), functions=loaded.truth.functions, train=None, test=None)
    write_solution(folder / "solution", truth)
    return (folder / "solution" / "solution_attributes.json").read_text()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two epochs of one problem: the law at first, then nothing that could be an answer."""
    replies = iter([f"It is\n```json\n{LAW}\n```", "I give up."])
    return evaluate(
        make_task("formula", "exact-3"),
        lambda _: next(replies),
        tmp_path_factory.mktemp("logs"),
        epochs=2,
        max_samples=1,
    )


def test_scores_are_those_of_a_record(log: Any, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "exact-3.json").write_text(LAW)
    subjects = {"it": tmp_path / "answers"}
    (record,) = assay.run("formula", subjects, problems="exact-3", out=tmp_path / "out", progress=False).records
    first, second = (sample.scores["assay"] for sample in log.samples)
    assert {name: value for name, value in first.value.items() if value == value} == {
        name: value for name, value in record.scores.items() if value == value
    }
    assert first.answer == LAW
    assert second.value["property_score"] == 0.0
    assert second.explanation == "missing answer: no JSON object was given"
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert means["property_score"] == 0.5


@pytest.mark.parametrize("track", ["insight", "drift", "formula"])
def test_the_truth_said_by_a_model_is_scored_as_the_truth(track: str, tmp_path: Path) -> None:
    name = min(entry.id for entry in assay.problems(track))
    text = truth_of(track, name, tmp_path)
    log = evaluate(make_task(track, name), lambda _: f"Here it is: {text}", tmp_path / "logs")
    (sample,) = log.samples
    assert sample.scores["assay"].explanation is None
    headline = get_track(track).headline
    best = {"insight": 0.9, "drift": 1.0, "formula": 1.0}[track]
    assert sample.scores["assay"].value[headline] >= best


def test_the_question_shows_the_task_and_nothing_of_the_truth(tmp_path: Path) -> None:
    task = make_task("formula", "exact-3")
    (sample,) = task.dataset
    assert "h,v,t,g,y" in sample.input
    assert '"models"' in sample.input
    assert "exact" not in sample.input
    assert "exact" not in json.dumps(sample.metadata)
    assert sample.id.startswith("formula-")
    assert sample.files is None
    (boxed,) = make_task("formula", "exact-3", sandbox="local").dataset
    assert sorted(boxed.files) == ["task/problem.json", "task/train.csv"]


def test_a_solver_in_a_sandbox_reads_the_files_and_writes_its_answer(tmp_path: Path) -> None:
    from inspect_ai.solver import solver
    from inspect_ai.util import sandbox

    @solver  # type: ignore[untyped-decorator, unused-ignore]
    def careful() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            table = await sandbox().read_file("task/train.csv")
            await sandbox().write_file("answer.json", LAW if table.startswith("h,v,t,g,y") else "{}")
            return state

        return solve

    log = evaluate(make_task("formula", "exact-3", sandbox="local", solver=careful()), lambda _: "", tmp_path)
    assert log.samples[0].scores["assay"].value["property_score"] == 1.0


def test_a_log_becomes_folders_of_answers_that_run(log: Any, tmp_path: Path) -> None:
    first, second = read_answers(log.location, [("formula", "exact-3")], tmp_path)
    assert (first.folder, first.epoch, first.answers, first.missing) == (tmp_path / "formula", 1, 1, 0)
    assert (second.folder, second.epoch, second.answers, second.missing) == (tmp_path / "formula-epoch2", 2, 0, 1)
    results = assay.run("formula", [str(first.folder)], problems="exact-3", out=tmp_path / "out", progress=False)
    assert [record.scores["property_score"] for record in results.records] == [1.0]
    with pytest.raises(InvalidInput, match="no sample of these problems"):
        read_answers(log.location, [("formula", "exact-2")], tmp_path / "none")


def test_a_log_becomes_a_table_of_scores_that_is_imported(log: Any, tmp_path: Path) -> None:
    table = read_log_scores(log.location)
    assert set(table["subject"]) == {"mockllm/model"}
    assert sorted(set(table["seed"])) == [0, 1]
    assert set(table["direction"][table["metric"] == "nmse"]) == {"min"}
    imported = assay.import_scores(log.location, out=tmp_path / "imported", name="laws", allow_gaps=True)
    (track,) = imported.tracks
    assert "laws (imported)" in repr(track)
    folder = assay.import_scores(Path(log.location).parent, out=tmp_path / "all", allow_gaps=True)
    assert len(folder.records) == len(imported.records) == 2


def test_scores_of_other_evaluations_are_imported(tmp_path: Path) -> None:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import includes

    samples = [Sample(input=f"say {word}", target=word, id=word) for word in ("yes", "no")]
    log = evaluate(Task(dataset=samples, scorer=includes()), lambda _: "yes", tmp_path)
    table = read_log_scores(log.location)
    assert dict(zip(table["problem"], table["value"], strict=True)) == {"yes": 1.0, "no": 0.0}
    assert set(table["metric"]) == {"includes"}


def test_an_inspect_task_is_a_subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    subject = "inspect(task='agent.py@scripted')"
    results = assay.run("formula", [subject], problems="exact-3", progress=False, readable=[str(ROOT / "src")])
    (record,) = results.records
    assert (record.status, record.error) == ("ok", None)
    assert record.scores["property_score"] == 1.0
    assert record.isolation == "confined"
    assert record.cost["reported_input_tokens"] == 10.0


def test_what_is_no_log_or_no_task_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.eval").write_bytes(b"PK nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="cannot be read as a log of Inspect"):
        read_log_scores(tmp_path / "bad.eval")
    with pytest.raises(InvalidInput, match="file not found"):
        read_log_scores(tmp_path / "none.eval")
    with pytest.raises(InvalidInput, match=r"holds no \.eval log"):
        read_log_scores(tmp_path / "empty")
    from assay.connections.inspect import solving

    (tmp_path / "agent.py").write_text(AGENT)
    with pytest.raises(UnknownName, match="scripted"):
        solving._task(tmp_path / "agent.py", "scriptde")


def test_inspect_finds_the_tasks_by_the_entry_point() -> None:
    from assay.connections.inspect import registry

    assert len(registry.formula(problems="exact-3").dataset) == 1
    sys.modules.pop("assay.connections.inspect.registry")
