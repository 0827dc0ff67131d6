from pathlib import Path

import pytest

from assay.core import Budget, InvalidInput, UnknownName, digest_folder, find_problems
from assay.drift.detection.drift import DRIFT_TYPES
from assay.drift.generate.problems import builtin, draw_problem, generate
from assay.drift.problem.task import load
from assay.drift.subjects import DateOnly


@pytest.fixture(scope="module")
def builtin_problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("builtin")
    builtin(folder)
    return folder


def test_the_built_in_problems_have_all_types_and_grades_and_both_kinds_of_truth(builtin_problems: Path) -> None:
    problems = [load(path) for path in find_problems(builtin_problems)]
    assert len(problems) == 8
    assert {str(problem.tags["difficulty"]) for problem in problems} == {"easy", "medium", "hard"}
    for problem in problems:
        assert sorted(drift.type for drift in problem.task.drifts) == sorted(DRIFT_TYPES)
        assert set(problem.task.logs) == {drift.process for drift in problem.task.drifts}
    counts = [len(golden) for problem in problems for golden in problem.truth.goldens]
    assert 0 in counts
    assert 2 in counts
    assert counts.count(1) > len(counts) / 2


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_corpus(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        generate(tmp_path / name, problems=1, seed=seed, cases=200, types=("sudden",))
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b") != digest_folder(tmp_path / "c")


def test_problems_run_through_all_levels(tmp_path: Path) -> None:
    generate(
        tmp_path, problems=3, seed=1, cases=120, types=("sudden", "gradual"), difficulty=("easy", "hard"), noise=(0.2,)
    )
    tags = [load(path).tags for path in find_problems(tmp_path)]
    assert [(tag["difficulty"], tag["noise"]) for tag in tags] == [("easy", 0.2), ("hard", 0.2), ("easy", 0.2)]


def test_a_drawn_problem_is_the_written_one(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=9, cases=150, types=("sudden",), noise=(0.0,))
    read = load(tmp_path / "generated-9-000")
    drawn = draw_problem("generated-9-000", seed=[9, 0], cases=150, types=("sudden",))
    assert read.task.drifts == drawn.task.drifts
    assert read.truth == drawn.truth
    answers = [DateOnly().solve(task, Budget()) for task in (read.task, drawn.task)]
    assert answers[0] == answers[1]


def test_noise_disturbs_the_log_and_leaves_documents_and_truth_alone() -> None:
    calm, noisy = (draw_problem("p", seed=[2], cases=150, types=("sudden",), noise=share) for share in (0.0, 0.5))
    (before,), (after,) = calm.task.logs.values(), noisy.task.logs.values()
    assert sum(before.trace(case) != after.trace(case) for case in range(150)) > 30
    assert calm.truth == noisy.truth


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": 0}, "problems must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"cases": 10}, "cases must be a whole number of at least 100"),
        ({"types": ()}, "need at least one value each"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(tmp_path: Path, options: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        generate(tmp_path, **{"problems": 1, "seed": 0, **options})  # type: ignore[arg-type]


def test_unknown_levels_and_types_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="No difficulty named 'heavy'"):
        generate(tmp_path, problems=1, seed=0, difficulty=("heavy",))
    with pytest.raises(UnknownName, match="No drift type named 'slow'"):
        generate(tmp_path, problems=1, seed=0, types=("slow",))
