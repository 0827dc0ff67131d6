from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cases import load
from assay.cases.generate.problems import FEWEST_ERRORS, builtin, generate
from assay.cases.problem.task import CasesTask, CasesTruth
from assay.core import InvalidInput, Problem, digest_folder, find_problems


@pytest.fixture(scope="module")
def builtin_problems(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Problem[CasesTask, CasesTruth]]:
    folder = tmp_path_factory.mktemp("builtin")
    builtin(folder)
    return {path.name: load(path) for path in find_problems(folder)}


def test_builtin_problems_cover_every_data_set_and_classifier(
    builtin_problems: dict[str, Problem[CasesTask, CasesTruth]],
) -> None:
    tags = [problem.tags for problem in builtin_problems.values()]
    assert {tag["dataset"] for tag in tags} == {"iris", "wine", "breast-cancer", "digits", "clouds"}
    assert {tag["classifier"] for tag in tags} == {
        "logistic-regression",
        "decision-tree",
        "naive-bayes",
        "random-forest",
    }
    assert sum(tag["origin"] == "public" for tag in tags) >= 8
    assert sum(tag["origin"] == "generated" for tag in tags) == 8
    assert all(name == problem.id for name, problem in builtin_problems.items())


def test_every_builtin_problem_has_errors_enough_and_tags_that_tell_the_truth(
    builtin_problems: dict[str, Problem[CasesTask, CasesTruth]],
) -> None:
    for problem in builtin_problems.values():
        wrong = problem.task.predicted != problem.truth.labels
        assert wrong.sum() >= FEWEST_ERRORS
        twins = problem.task.twins
        copies = np.empty(0, dtype=int) if twins is None else twins[twins >= 0]
        assert problem.tags["accuracy"] == pytest.approx(1 - np.delete(wrong, copies).mean(), abs=1e-4)
        assert problem.tags["classes"] == len(problem.task.classes)
        best = np.array(problem.task.classes)[problem.task.probabilities.argmax(axis=1)]
        assert (best == problem.task.predicted).mean() > 0.99


def test_public_halves_are_stratified_and_of_equal_size(
    builtin_problems: dict[str, Problem[CasesTask, CasesTruth]],
) -> None:
    for problem in builtin_problems.values():
        if problem.tags["origin"] == "public":
            assert abs(len(problem.task.train_y) - len(problem.truth.labels)) <= 1
            for label in problem.task.classes:
                assert abs((problem.task.train_y == label).sum() - (problem.truth.labels == label).sum()) <= 2


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        generate(tmp_path / name, problems=2, seed=seed, cases=100, queries=80)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    first = load(tmp_path / "a" / "generated-1-000")
    other = load(tmp_path / "c" / "generated-2-000")
    assert not np.array_equal(first.task.train_X, other.task.train_X)


def test_the_first_problems_do_not_depend_on_how_many_follow(tmp_path: Path) -> None:
    generate(tmp_path / "few", problems=1, seed=3, cases=60, queries=60)
    generate(tmp_path / "more", problems=2, seed=3, cases=60, queries=60)
    assert digest_folder(tmp_path / "few" / "generated-3-000") == digest_folder(tmp_path / "more" / "generated-3-000")


def test_problems_run_through_all_pairs_of_noise_and_overlap(tmp_path: Path) -> None:
    generate(tmp_path, problems=4, seed=0, cases=60, queries=60, noise=(0.0, 0.3), overlap=(0.5, 0.8))
    pairs = [(load(path).tags["noise"], load(path).tags["overlap"]) for path in find_problems(tmp_path)]
    assert pairs == [(0.0, 0.5), (0.0, 0.8), (0.3, 0.5), (0.3, 0.8)]


def test_planted_noise_and_overlap_are_there(tmp_path: Path) -> None:
    def agreement(noise: float, overlap: float) -> float:
        """How often a clean far-reaching neighbourhood agrees with the training label."""
        folder = tmp_path / f"{noise}-{overlap}"
        generate(folder, problems=1, seed=5, cases=600, queries=300, noise=(noise,), overlap=(overlap,))
        task = load(folder / "generated-5-000").task
        from sklearn.neighbors import KNeighborsClassifier

        near = KNeighborsClassifier(15).fit(task.train_X, task.train_y)
        return float((near.predict(task.train_X) == task.train_y).mean())

    clean, noisy, mixed = agreement(0.0, 0.4), agreement(0.3, 0.4), agreement(0.0, 0.9)
    assert clean > 0.85
    assert noisy < clean - 0.15
    assert mixed < clean - 0.15


def planted(folder: Path, **options: Any) -> Problem[CasesTask, CasesTruth]:
    generate(folder, **{"problems": 1, "seed": 5, "noise": (0.0,), "overlap": (0.5,), **options})
    return load(folder / "generated-5-000")


def test_changed_labels_are_as_many_as_said_and_known_to_the_truth(tmp_path: Path) -> None:
    clean = planted(tmp_path / "clean", cases=500)
    noisy = planted(tmp_path / "noisy", cases=500, noise=(0.2,))
    assert clean.truth.mislabelled is None
    assert noisy.truth.mislabelled is not None
    assert noisy.truth.mislabelled.sum() == 100
    # the same draw but for the changed labels
    np.testing.assert_array_equal(clean.task.train_X, noisy.task.train_X)
    np.testing.assert_array_equal(clean.task.train_y != noisy.task.train_y, noisy.truth.mislabelled)


def test_queries_from_elsewhere_lie_farther_away(tmp_path: Path) -> None:
    problem = planted(tmp_path, outliers=(0.15,), queries=200)
    assert problem.truth.ood is not None
    assert problem.truth.ood.sum() == 30
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=1).fit(problem.task.train_X)
    distance = near.kneighbors(problem.task.query_X)[0][:, 0]
    assert distance[problem.truth.ood].min() > np.quantile(distance[~problem.truth.ood], 0.99)


def test_classes_are_as_unequal_as_said(tmp_path: Path) -> None:
    for ratio in (1.0, 4.0, 9.0):
        problem = planted(tmp_path / str(ratio), imbalance=(ratio,), cases=600, queries=300, classes=3)
        for labels in (problem.task.train_y, problem.truth.labels):
            counts = np.bincount(labels, minlength=3)
            assert counts.sum() == len(labels)
            assert counts[0] / counts[2] == pytest.approx(ratio, rel=0.1)
            assert counts[1] / counts[2] == pytest.approx(np.sqrt(ratio), rel=0.1)


def test_twins_are_near_copies_with_the_same_prediction(tmp_path: Path) -> None:
    problem = planted(tmp_path, twins=0.5, outliers=(0.1,), queries=100)
    twins = problem.task.twins
    assert twins is not None
    of = np.flatnonzero(twins >= 0)
    assert 30 <= len(of) <= 45  # of 90 ordinary queries half, less those whose prediction changed
    assert len(problem.task.predicted) == 100 + len(of)
    assert problem.tags["twins"] == len(of)
    assert problem.truth.ood is not None
    assert not problem.truth.ood[of].any()
    np.testing.assert_array_equal(problem.task.predicted[of], problem.task.predicted[twins[of]])
    np.testing.assert_array_equal(problem.truth.labels[of], problem.truth.labels[twins[of]])
    moved = (problem.task.query_X[twins[of]] - problem.task.query_X[of]) / problem.task.train_X.std(axis=0)
    assert moved.std() == pytest.approx(0.05, rel=0.15)


def test_training_predictions_are_the_classifiers_own(tmp_path: Path) -> None:
    problem = planted(tmp_path, train_predictions=True)
    assert problem.task.train_predicted is not None
    own = (problem.task.train_predicted == problem.task.train_y).mean()
    assert own > 0.6
    assert own >= (problem.task.predicted == problem.truth.labels).mean() - 0.05
    assert planted(tmp_path / "without").task.train_predicted is None


def test_everything_planted_is_reproducible_to_the_byte(tmp_path: Path) -> None:
    options: dict[str, Any] = {"noise": (0.1,), "outliers": (0.1,), "imbalance": (3.0,), "twins": 0.3}
    for name in ("a", "b"):
        generate(tmp_path / name, problems=2, seed=8, cases=90, queries=70, train_predictions=True, **options)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")


def test_a_problem_without_errors_is_not_written_but_explained(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="fewer than 5 predictions were wrong with overlap=0.0"):
        generate(tmp_path, problems=1, seed=0, cases=40, queries=6, classes=2, noise=(0.0,), overlap=(0.0,))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": 0}, "problems must be a whole number of at least 1, got 0"),
        ({"classes": 1}, "classes must be"),
        ({"features": True}, "features must be"),
        ({"cases": 3}, "cases must be a whole number of at least 20"),
        ({"seed": -1}, "seed must be"),
        ({"noise": (1.0,)}, "noise must be a list of shares"),
        ({"noise": 0.1}, "noise must be a list of shares from 0 to below 1, got 0.1"),
        ({"imbalance": 2.0}, "imbalance must be a list of ratios"),
        ({"overlap": ()}, "overlap must be a list of shares"),
        ({"outliers": (1.0,)}, "outliers must be a list of shares"),
        ({"imbalance": (0.5,)}, "imbalance must be a list of ratios from 1 to 25"),
        ({"imbalance": (26.0,)}, "imbalance must be a list of ratios from 1 to 25"),
        ({"imbalance": ()}, "imbalance must be a list of ratios"),
        ({"twins": 1.5}, "twins must be a share from 0 to 1"),
    ],
)
def test_bad_plans_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        generate(tmp_path, **{"problems": 1, "seed": 0, **options})
