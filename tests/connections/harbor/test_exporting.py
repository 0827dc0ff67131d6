"""Task folders of Harbor: their schema, and what their scripts do when they are run here, without containers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay import conformal, formula, insight
from assay.connections.harbor import Exported, export_tasks
from assay.connections.harbor.verifying import main
from assay.core import InvalidInput

FIFTY = ["insight", "formula", "conformal", "drift", "cases"]


class Place:
    """The folders of one trial: the agent's, the solution's, the verifier's, and the logs."""

    def __init__(self, task: Path, folder: Path) -> None:
        self.task, self.app, self.logs = task, folder / "app", folder / "logs"
        shutil.copytree(task / "environment" / "task", self.app / "task")
        config = tomllib.loads((task / "task.toml").read_text())
        (source,) = config["artifacts"]
        self.answer = self.app / Path(source).name

    def script(self, path: str, **more: str) -> None:
        environment = {
            "PATH": os.environ["PATH"],
            "ASSAY_PYTHON": sys.executable,
            "ASSAY_TESTS": str(self.task / "tests"),
            "ASSAY_ANSWER": str(self.answer),
            "ASSAY_LOGS": str(self.logs),
            **more,
        }
        call = [self.task / path]
        ended = subprocess.run(call, cwd=self.app, env=environment, check=True, timeout=600, stderr=subprocess.PIPE)
        assert not ended.stderr

    def solve(self) -> None:
        self.script("solution/solve.sh")

    def reward(self, *, process: bool = False) -> float:
        """Of test.sh itself, or of the same in this process."""
        if process:
            self.script("tests/test.sh")
        else:
            main([str(self.task / "tests"), str(self.answer), str(self.logs)])
        content = json.loads((self.logs / "reward.json").read_text())
        assert list(content) == ["reward"]
        return float(content["reward"])


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Exported]:
    result = tmp_path_factory.mktemp("made")
    formula.generate(result / "formula", problems=1, seed=3, rows=50, test_rows=50)
    conformal.generate(result / "conformal", problems=1, seed=3, calibration=100, test=50)
    sources = [("formula", str(result / "formula")), ("conformal", str(result / "conformal"))]
    return export_tasks(sources, tmp_path_factory.mktemp("tasks"))


@pytest.fixture
def place(tasks: list[Exported], tmp_path: Path) -> Callable[[int], Place]:
    return lambda number: Place(tasks[number].folder, tmp_path)


def check_schema(task: Path) -> None:
    """What Harbor demands of a task folder, as its published package validates it (schema 1.4)."""
    config = tomllib.loads((task / "task.toml").read_text())
    assert set(config) <= {"schema_version", "artifacts", "task", "metadata", "agent", "verifier", "environment"}
    assert config["schema_version"] == "1.4"
    organisation, _, name = config["task"]["name"].partition("/")
    assert (organisation, name) == ("assay", task.name)
    assert config["verifier"]["environment_mode"] == "separate"
    assert config["artifacts"][0].startswith("/app/answer")
    for path in ("instruction.md", "environment/Dockerfile", "tests/Dockerfile", "tests/bounds.json"):
        assert (task / path).stat().st_size
    for path in ("tests/test.sh", "solution/solve.sh"):
        assert os.access(task / path, os.X_OK)


def test_a_task_folder_follows_the_schema_and_hides_the_truth_from_the_agent(tasks: list[Exported]) -> None:
    for task in tasks:
        check_schema(task.folder)
        shown = [path for path in (task.folder / "environment").rglob("*") if path.is_file()]
        assert shown
        assert not [path for path in shown if "truth" in path.parts]
        words = (task.folder / "instruction.md").read_text()
        assert task.problem not in words + (task.folder / "task.toml").read_text()
        assert "/app/answer.json" in words


def test_the_published_package_accepts_the_task_files(tasks: list[Exported]) -> None:
    config = pytest.importorskip("harbor.models.task.config", reason="harbor needs Python 3.12")
    for task in tasks:
        read = config.TaskConfig.model_validate_toml((task.folder / "task.toml").read_text())
        assert read.task.short_name == task.folder.name


@pytest.mark.parametrize("number", [0, 1])
def test_the_solution_is_rewarded_with_one_and_nothing_with_none(number: int, place: Callable[[int], Place]) -> None:
    trial = place(number)
    assert trial.reward() == 0
    assert json.loads((trial.logs / "scores.json").read_text())["error"].startswith("missing answer")
    trial.solve()
    assert trial.reward(process=number == 0) == 1


def test_the_reward_is_the_share_of_the_way_from_the_floor_to_the_truth(
    tasks: list[Exported], place: Callable[[int], Place]
) -> None:
    trial, task = place(1), tasks[1]
    trial.solve()
    answer = json.loads(trial.answer.read_text())
    answer["sets"] = [[sorted({*entry, 0, 1}) for entry in sample] for sample in answer["sets"]]
    trial.answer.write_text(json.dumps(answer))
    reward = trial.reward()
    score = json.loads((trial.logs / "scores.json").read_text())["scores"][task.metric]
    assert reward == pytest.approx((score - task.floor) / (task.oracle - task.floor), abs=1e-6)
    assert 0 < reward < 1


def test_a_malformed_answer_is_rewarded_with_none(place: Callable[[int], Place]) -> None:
    trial = place(0)
    trial.answer.write_text('{"models": [NaN')
    assert trial.reward() == 0


def plant_reward(trial: Place) -> None:
    """Rewards written beforehand, one of them a link to a file of the agent's."""
    trial.logs.mkdir()
    (trial.logs / "reward.txt").write_text("1")
    (trial.app / "mine.json").write_text('{"reward": 1}')
    (trial.logs / "reward.json").symlink_to(trial.app / "mine.json")
    (trial.logs / ".reward.json.new").symlink_to(trial.app / "mine.json")


def shadow_modules(trial: Place) -> None:
    """Modules of the agent's own, in the working folder and on the path, that write a reward."""
    reward = str(trial.logs / "reward.json")
    code = f"import pathlib\npathlib.Path({reward!r}).write_text('{{\"reward\": 1}}')\nraise SystemExit\n"
    for name in ("assay", "json", "sitecustomize", "usercustomize"):
        (trial.app / f"{name}.py").write_text(code)


def link_truth(trial: Place) -> None:
    """The verifier's own files in the place of the answer, and an edited task."""
    trial.answer.symlink_to(trial.task / "solution" / trial.answer.name)
    for path in (trial.app / "task").rglob("*.csv"):
        path.write_text("mass\n1\n")


ATTEMPTS = (plant_reward, shadow_modules, link_truth)


@pytest.mark.parametrize(
    "attempts",
    [
        pytest.param(ATTEMPTS, id="all"),
        *(pytest.param((one,), marks=pytest.mark.soak, id=one.__name__) for one in ATTEMPTS),
    ],
)
def test_what_the_agent_can_reach_does_not_change_the_reward(
    attempts: tuple[Callable[[Place], None], ...], place: Callable[[int], Place]
) -> None:
    trial = place(0)
    for tamper in attempts:
        tamper(trial)
    trial.script("tests/test.sh", PYTHONPATH=str(trial.app), HOME=str(trial.app))
    assert json.loads((trial.logs / "reward.json").read_text()) == {"reward": 0.0}
    assert not (trial.logs / "reward.json").is_symlink()
    assert not (trial.logs / "reward.txt").exists()


LAST = """def days_away(row, aux_dataframes):
    visits = aux_dataframes["visits.csv"]
    last = visits[visits["member"] == row["member"]]["day"].max()
    return 99 if pd.isna(last) else (pd.Timestamp(row["reviewed"]) - pd.Timestamp(last)).days
"""
TABLE = """def visits(df, aux_dataframes):
    counts = aux_dataframes["visits.csv"].groupby("member").size()
    return df["member"].map(counts).fillna(0)
"""


@pytest.fixture
def gym(tmp_path: Path) -> Callable[[str], str]:
    """A problem as the tutorial makes it, of the experts' functions."""
    rng = np.random.default_rng(1)
    members = pd.DataFrame({"member": range(101, 181), "reviewed": rng.choice(["2023-06-30", "2023-07-31"], 80)})
    days = pd.Timestamp("2023-04-01") + pd.to_timedelta(rng.integers(0, 200, 300), unit="D")
    visits = pd.DataFrame({"member": rng.choice(members.member, 300), "day": days.strftime("%Y-%m-%d")})
    seen = visits.merge(members).query("day <= reviewed").groupby("member").day.max()
    away = (pd.to_datetime(members.reviewed) - pd.to_datetime(members.member.map(seen))).dt.days.fillna(99)
    members["left"] = np.where(away > 30, "yes", "no")

    def write(code: str) -> str:
        (tmp_path / "experts.py").write_text(code)
        folder = tmp_path / "gym"
        tables = {"members": members, "visits": visits}
        insight.new_problem(folder, tables, target="left", time="reviewed", experts=tmp_path / "experts.py")
        return str(folder)

    return write


def test_experts_that_need_not_compare_times_are_exported_with_what_was_known(
    gym: Callable[[str], str], tmp_path: Path
) -> None:
    (task,) = export_tasks([("insight", gym(LAST))], tmp_path / "tasks")
    assert task.oracle > 0.9
    trial = Place(task.folder, tmp_path)
    trial.solve()
    assert trial.reward() == 1


def test_experts_that_leak_as_an_answer_are_refused_with_what_to_do(gym: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'visits': .*without comparing their time.* make the problem again"):
        export_tasks([("insight", gym(TABLE))], tmp_path / "tasks")


def test_a_task_that_is_there_is_left_alone(tasks: list[Exported]) -> None:
    problem = tasks[0].folder / "tests" / "problem"
    with pytest.raises(InvalidInput, match="exists already"):
        export_tasks([("formula", str(problem))], tasks[0].folder.parent)


@pytest.mark.soak
def test_fifty_problems_of_five_tracks_reward_the_truth_with_one_and_nothing_with_none(tmp_path: Path) -> None:
    tasks = export_tasks([(track, "builtin") for track in FIFTY], tmp_path / "tasks", settings={})
    assert len(tasks) >= 50
    rewards = []
    for task in tasks:
        check_schema(task.folder)
        trial = Place(task.folder, tmp_path / "trials" / task.folder.name)
        nothing = trial.reward()
        trial.solve()
        rewards.append((task.problem, nothing, trial.reward(process=True)))
    assert [entry for entry in rewards if entry[1:] != (0.0, 1.0)] == []
