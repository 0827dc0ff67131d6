"""Reference subjects for tasks of numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.conformal import TRACK, generate, load
from assay.conformal.regions import Quantiles, Values
from assay.core import Budget, InvalidInput, SubjectFailed, find_problems


def test_methods_use_what_the_model_gives(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=2, families=("heteroscedastic",), calibration=300, test=50)
    task = load(find_problems(tmp_path)[0]).task
    price, delay = task.numbers
    rank = int(np.ceil(301 * 0.9)) - 1
    residual = np.sort(np.abs(price.truth - price.calibration.predicted))[rank]
    scaled = np.sort(np.abs(price.truth - price.calibration.predicted) / price.calibration.scale)[rank]
    outside = np.maximum(delay.calibration.low - delay.truth, delay.truth - delay.calibration.high)
    moved = np.sort(outside)[rank]

    def high(method: str, name: str) -> np.ndarray:
        return np.asarray(TRACK.subjects[method]().solve(task, Budget()).intervals[name]["high"])

    np.testing.assert_allclose(high("split", "price"), price.test.predicted + residual, atol=1e-9)
    np.testing.assert_allclose(high("normalised", "price"), price.test.predicted + scaled * price.test.scale, atol=1e-9)
    np.testing.assert_allclose(high("cqr", "delay"), delay.test.high + moved, atol=1e-9)
    np.testing.assert_allclose(high("cqr", "price"), high("normalised", "price"))
    np.testing.assert_allclose(high("auto", "delay"), high("cqr", "delay"))
    assert isinstance(delay.test.best(), Quantiles)
    assert isinstance(price.test.best(), Values)


def test_joint_methods_cover_all_tasks_and_taskwise_ones_would_not(tmp_path: Path) -> None:
    generate(
        tmp_path,
        problems=1,
        seed=4,
        families=("mixed",),
        guarantees=("joint",),
        calibration=2000,
        test=4000,
    )
    problem = load(find_problems(tmp_path)[0])
    for name in ("auto", "split(joint='bonferroni')", "cqr(joint='max-rank')"):
        method, _, joint = name.partition("(joint='")
        subject = TRACK.subjects[method](**({"joint": joint.removesuffix("')")} if joint else {}))
        assert subject.name == name
        evidence = TRACK.examine(problem, subject.solve(problem.task, Budget()), TRACK.settings)
        assert TRACK.metric("joint_coverage").function(evidence) > 0.88, name
        assert TRACK.metric("relative_width").function(evidence) < 0.8
    with pytest.raises(InvalidInput, match="joint method"):
        TRACK.subjects["split"](joint="maxrank")


def test_only_calibrating_groups_apart_survives_a_shift_of_numbers(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=8, families=("shifted-numbers",), calibration=1000, test=2000)
    problem = load(find_problems(tmp_path)[0])
    width = TRACK.metric("relative_width").function
    blind = problem.task.__class__(numbers=problem.task.numbers, alpha=problem.task.alpha)
    answers = {"apart": problem.task, "together": blind}
    coverages = {
        name: width(TRACK.examine(problem, TRACK.subjects["auto"]().solve(task, Budget()), TRACK.settings))
        for name, task in answers.items()
    }
    assert coverages["together"] == 1.0
    assert coverages["apart"] < 0.8


def test_methods_of_classes_say_what_to_use_for_numbers(tmp_path: Path) -> None:
    generate(tmp_path, problems=1, seed=4, families=("mixed",), calibration=60, test=20)
    task = load(find_problems(tmp_path)[0]).task
    for name in ("taskwise", "joint", "joint-model"):
        with pytest.raises(SubjectFailed, match="is for classes, and this problem has numbers: use auto"):
            TRACK.subjects[name]().solve(task, Budget())
