from __future__ import annotations

import gc
import inspect
import math
import os
import pickle
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.api import compare, load, problems, rescore, run, running
from assay.core import AnyTrack, Budget, InvalidInput, Metric, UnknownName
from assay.harness import NoProgress
from assay.harness.runners import LocalRunner, Runner


def even(task: Any, budget: Budget) -> tuple[bool, ...]:
    return tuple(number % 2 == 0 for number in task.numbers)


def share_claimed(evidence: Any) -> float:
    """Share of numbers that are claimed to be even."""
    return float(sum(evidence.claimed) / len(evidence.claimed))


class Remainder:
    def __init__(self, divisor: int = 2) -> None:
        self.divisor = divisor

    def solve(self, task: Any, budget: Budget) -> tuple[bool, ...]:
        return tuple(number % self.divisor == 0 for number in task.numbers)

    def never(self, task: Any) -> tuple[bool, ...]:
        return tuple(False for _ in task.numbers)


class Idle:
    pass


def over_data(available: set[int]) -> Callable[[Any], tuple[bool, ...]]:
    def look_up(task: Any) -> tuple[bool, ...]:
        return tuple(number in available for number in task.numbers)

    return look_up


def refuse(task: Any) -> tuple[bool, ...]:
    raise ValueError("not today")


def test_what_a_user_would_write_is_a_subject_and_the_results_tell_everything(parity: AnyTrack) -> None:
    results = run(
        "parity",
        {
            "function": even,
            "lambda": lambda task: tuple(number % 2 == 0 for number in task.numbers),
            "class": Remainder,
            "instance": Remainder(3),
            "method": Remainder().never,
            "closure": over_data(set(range(0, 200, 2))),
            "partial": partial(even),
            "failing": refuse,
            "name": "divide(divisor=5)",
            "truth": "oracle",
        },
        problems=problems("parity")[:2],
        metrics=[share_claimed, Metric("always_one", lambda evidence: 1.0)],
        seconds=30,
    )
    board = results.leaderboard()
    means = {row.subject: row.mean("accuracy").value for row in board.rows}
    assert [means[name] for name in ("function", "lambda", "class", "closure", "partial", "truth")] == [1.0] * 6
    assert means["failing"] == 0.0
    assert means["method"] == 0.75
    assert {row.metrics["always_one"].mean.value for row in board.rows} == {0.0, 1.0}
    assert results.leaderboard() is board
    assert results.leaderboard(metrics="share_claimed").columns == board.columns[:1] + board.columns[1:2]

    frame = results.scores
    assert frame.columns.tolist()[:7] == ["track", "problem", "subject", "seed", "metric", "value", "status"]
    assert len(frame) == len(results.records) * 3 == 60
    assert frame[(frame.subject == "function") & (frame.metric == "accuracy")].value.tolist() == [1.0, 1.0]

    comparison = compare(results, "function", "method")
    assert (comparison.difference.value, comparison.wins, comparison.ties, comparison.losses) == (0.25, 1, 1, 0)
    assert repr(comparison).startswith("function - method: 0.250")
    assert "accuracy ↑, p 1.000; 1 won, 1 tied, 0 lost of 2 problems. Too few problems" in repr(comparison)

    assert results.failures.counts == {"failed": 2}
    assert "numbers-0 / failing / seed 0: failed (exception): ValueError: not today" in repr(results.failures)
    assert results.answers["numbers-0", "function", 0] == even(problems("parity")[0].task, Budget())
    assert ("numbers-0", "failing", 0) not in results.answers
    assert repr(results).splitlines()[:3] == [
        f"Results(1 track, 10 subjects, 2 problems, 20 records) in {results.folder}",
        "parity, accuracy: 1. class 1.000, 1. closure 1.000, 1. function 1.000, 7 more",
        "2 failed: see results.failures",
    ]
    (group,) = results.failure_groups
    assert repr(results).splitlines()[3:] == [f"- {group.headline}: {group.reason}"]
    assert group.headline == "failing: all 2 cells failed (exception)"
    assert group.reason.startswith("ValueError: not today (test_running.py, line ")


def test_there_is_a_worker_for_each_core_unless_a_number_is_given(
    parity: AnyTrack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "cores", inspect.unwrap(running.cores))  # of these tests it says one
    entries = []

    def make(name: str, workers: int | None, **options: Any) -> Runner:
        entries.append(workers)
        return LocalRunner(1, scratch=options["scratch"])

    monkeypatch.setattr(running, "make_runner", make)
    for arguments in (None, 2):
        run("parity", "oracle", problems=problems("parity")[:1], workers=arguments)
    assert entries == [len(os.sched_getaffinity(0)), 2]


def test_a_run_without_a_folder_cleans_up_and_one_with_a_folder_resumes(parity: AnyTrack, tmp_path: Path) -> None:
    one = problems("parity")[0]
    temporary = run("parity", "oracle", problems=one)
    folder = temporary.folder
    assert folder.is_dir()
    again = run("parity", "oracle", problems=[one], out=temporary)
    assert again.outcome is not None
    assert (again.folder, again.outcome.reused) == (folder, 1)
    del temporary
    gc.collect()
    assert folder.is_dir()  # the second results live there
    del again
    gc.collect()
    assert not folder.exists()

    out = tmp_path / "out"
    first = run("parity", ["divide", "oracle"], problems=one, out=str(out), seeds=2)
    second = run("parity", ["divide", "oracle"], problems=one, out=out, seeds=[0, 1])
    assert first.outcome is not None
    assert second.outcome is not None
    assert (first.outcome.solved, second.outcome.solved, second.outcome.reused) == (4, 0, 4)
    assert load(str(out)).leaderboard() == second.leaderboard()
    assert pickle.loads(pickle.dumps(second)).leaderboard() == second.leaderboard()
    assert compare(out, "oracle", "divide").ties == 1
    more = rescore(second, metrics=share_claimed)
    assert more.outcome is not None
    assert (more.outcome.solved, more.outcome.rescored) == (0, 4)
    assert not math.isnan(more.leaderboard().rows[0].mean("share_claimed").value)


def broken(evidence: Any) -> float:
    claimed = sum(evidence.claimed)
    return float(claimed / 0)


def no_evidence() -> float:
    return 1.0


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (broken, "metric 'broken', function broken: raised ZeroDivisionError: division by zero (at `return float(c"),
        (no_evidence, "(a metric is called with the evidence alone)."),
    ],
)
def test_a_broken_metric_is_not_the_machines_fault_and_its_answers_are_kept(
    metric: Callable[..., float], reason: str, parity: AnyTrack
) -> None:
    results = run("parity", "oracle", problems=problems("parity")[0], metrics=metric)
    headline, line = repr(results.failures).splitlines()
    assert headline.startswith("1 lost (a metric's fault: not scored, answers kept; fix the metric, then run")
    assert line.startswith(f"numbers-0 / oracle / seed 0: lost (metric): metric '{metric.__name__}', function")
    assert reason in line
    assert "assay-session" not in line
    assert "1 lost to a broken metric: see results.failures" in repr(results).splitlines()
    assert len(results.answers["numbers-0", "oracle", 0]) == 12
    assert len(load(results.folder).answers) == 1


def test_answers_keep_a_temporary_folder_and_say_why_one_is_not_there(parity: AnyTrack, tmp_path: Path) -> None:
    some = problems("parity")[:1]
    answers = run("parity", {"truth": "oracle", "failing": refuse}, problems=some).answers
    gc.collect()
    assert len(answers["numbers-0", "truth", 0]) == 12
    assert answers["numbers-0", "truth"] == answers["numbers-0", "truth", 0]
    with pytest.raises(KeyError, match="answers: there is none. numbers-0 / failing / seed 0: failed .*not today"):
        answers["numbers-0", "failing", 0]
    with pytest.raises(InvalidInput, match="no problem 'numbers-1' has answers. Did you mean 'numbers-0'"):
        answers["numbers-1", "truth", 0]
    with pytest.raises(InvalidInput, match=r"'truth' has the seeds 0. Name one: answers\['numbers-0', 'truth', 0\]"):
        answers["numbers-0", "truth", 7]
    with pytest.raises(InvalidInput, match="'numbers-0' is not a key. Name problem, subject and seed"):
        answers["numbers-0"]  # type: ignore[index]
    assert ("numbers-0", "truth", 7) not in answers
    gone = run("parity", "oracle", problems=some, out=tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    with pytest.raises(InvalidInput, match="results folder .*out no longer exists"):
        gone.answers["numbers-0", "oracle", 0]


class StopAfter(NoProgress):
    """As Ctrl-C or a kernel's interrupt would."""

    def __init__(self, cells: int) -> None:
        self._left = cells

    def advance(self, cell: object, status: str) -> None:
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt


def test_an_interrupted_run_returns_what_is_finished_and_goes_on_later(parity: AnyTrack) -> None:
    results = run("parity", "divide", workers=1, progress=StopAfter(3))
    assert results.interrupted
    assert len(results.records) == 3
    assert repr(results).splitlines()[-1].startswith("Interrupted: 5 of 8 cells are left; the same call with out=")
    loaded = load(results.folder)
    assert repr(loaded).splitlines()[-1] == "3 of 8 cells done; 5 still to do: run the same command again."
    assert repr(loaded.failures) == "No failures. 3 of 8 cells done; 5 still to do: run the same command again."
    whole = run("parity", "divide", out=results)
    assert whole.outcome is not None
    assert (whole.outcome.reused, whole.outcome.solved, whole.interrupted) == (3, 5, False)


def test_a_subject_that_changed_is_said_to_be_solved_again(
    parity: AnyTrack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, file = problems("parity")[0], tmp_path / "mine.py"
    for divisor in (2, 3):
        file.write_text(f"def solve(task): return tuple(number % {divisor} == 0 for number in task.numbers)\n")
        results = run("parity", file, problems=one, out=tmp_path / "out")
    assert results.outcome is not None
    (line,) = results.outcome.solved_again
    assert line.startswith("mine is solved again: mine.py changed")
    assert repr(results).splitlines()[-1] == f"{line}."
    assert f"assay: {line}\n" in capsys.readouterr().err
    assert run("parity", file, problems=one, out=tmp_path / "out").outcome.solved_again == ()  # type: ignore[union-attr]


def test_numbers_of_numpy_ids_of_problems_and_the_home_folder_are_understood(
    parity: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    first = run("parity", "oracle", problems="numbers-3", seeds=np.arange(2), out="~/out")
    assert (first.folder, first.problems) == (tmp_path / "out", ("numbers-3",))
    second = run("parity", "oracle", problems=["numbers-3"], seeds=np.int64(2), out="~/out")  # type: ignore[arg-type]
    assert second.outcome is not None
    assert second.outcome.reused == 2
    assert problems("parity", "numbers-3").ids == ("numbers-3",)
    parity.builtin(tmp_path / "mine")
    assert len(problems("parity", "~/mine")) == 8


def test_a_run_file_is_a_run(parity: AnyTrack, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text('track = "parity"\nsubjects = ["oracle"]\nout = "there"\n')
    assert run(file).folder == tmp_path / "there"
    with pytest.raises(InvalidInput, match=r"seeds: cannot be combined with the run file .*study.toml"):
        run(str(file), seeds=3)
    with pytest.raises(InvalidInput, match="seeds: cannot be combined"):
        run(str(file), seeds=np.arange(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"track": "formla", "subjects": "oracle"}, "No track named 'formla'. Did you mean 'formula'?"),
        ({"track": 3, "subjects": "oracle"}, "track: must be the name of a track, as in 'formula', or a run file"),
        ({"subjects": None}, r"subjects: none is given. Name at least one, as in subjects=\['oracle'\]"),
        ({"subjects": []}, r"subjects: none is given"),
        ({"subjects": "orcale"}, "Did you mean 'oracle'"),
        ({"subjects": [lambda t: 1, lambda t: 2]}, "two are named 'lambda'. Give names: subjects={'first': "),
        ({"subjects": {"my solver": even}}, "the name 'my solver' may have letters"),
        ({"subjects": Idle}, "class Idle has no method solve. Add `def solve"),
        ({"subjects": Idle()}, "Idle is not a subject. Give a name such as 'oracle', a function"),
        ({"subjects": 3}, "int is not a subject"),
        ({"seeds": 0}, r"seeds: 0 seeds leave nothing to run. seeds=3 means 0, 1, 2; seeds=\[0\] means seed 0"),
        ({"seeds": "3"}, "seeds: must be a number of seeds or a list of them, got '3'"),
        ({"problems": 7}, r"problems: got int. Give 'builtin', a folder, or some of assay.problems\('formula'\)"),
        ({"problems": "nowhere"}, "nowhere: problem folder not found"),
        ({"problems": "bultin"}, "bultin: problem folder not found, and .* Did you mean 'builtin'"),
        ({"out": 5}, "out: must be a path, as in out='results', got int"),
        ({"metrics": 5}, "metrics: neither a Metric, an Aggregate nor a function of evidence, but int"),
        ({"metrics": lambda evidence: 1.0}, r"metrics: this function has no name. Give it one: Metric\('name', "),
        ({"budget": 5}, r"budget: must be an assay.Budget, as in assay.Budget\(seconds=10\), got 5"),
        ({"budget": Budget(), "seconds": 5}, "budget: cannot be combined with seconds="),
        ({"budget": Budget(seed=4)}, r"the seeds of a run are given by seeds=\[4\]"),
        ({"workers": 0}, "workers: must be a whole number of at least 1, got 0"),
        ({"runner": "rya"}, "No runner named 'rya'. Did you mean 'ray'?"),
        ({"address": "auto"}, "address needs the Ray runner: runner='ray'"),
        ({"isolation": "nope"}, "No isolation named 'nope'. Did you mean 'none'?"),
        ({"settings": {"simplificatoin": "x"}}, "Did you mean 'simplification'?"),
        ({"environment": 5}, "environment: must be a text or a list of texts, got 5"),
    ],
)
def test_a_natural_mistake_gets_one_line_with_the_remedy(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=message) as caught:
        run(**{"track": "formula", "subjects": "oracle", "out": "out", "progress": False, **arguments})
    assert "\n" not in str(caught.value)
    assert "--" not in str(caught.value)
    assert not any(tmp_path.iterdir())


def test_problems_of_another_track_and_changed_ones_are_refused(parity: AnyTrack, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="these problems: of track 'parity', not of 'formula'"):
        run("formula", "oracle", problems=problems("parity"))
    parity.builtin(tmp_path / "mine")
    problem = problems("parity", tmp_path / "mine")["numbers-3"]
    manifest = tmp_path / "mine" / "numbers-3" / "problem.json"
    manifest.write_text(manifest.read_text().replace("3", "5", 1))
    with pytest.raises(InvalidInput, match="numbers-3 has changed since it was read. Read it again"):
        run("parity", "oracle", problems=[problem])
    with pytest.raises(UnknownName, match="Did you mean 'numbers-7'"):
        problems("parity")["numbers-77"]


@pytest.mark.parametrize("workers", [0, -1, True, 1.5])
def test_answers_are_rescored_by_a_whole_number_of_workers(parity: AnyTrack, workers: Any) -> None:
    results = run("parity", "oracle", problems=problems("parity")[:1])
    with pytest.raises(InvalidInput, match="workers: must be a whole number of at least 1, got"):
        rescore(results, workers=workers)
