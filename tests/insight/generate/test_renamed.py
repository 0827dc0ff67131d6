from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from assay.core import Budget, Problem, digest_folder, find_problems, get_track
from assay.insight import evaluate
from assay.insight.generate.domains import FAMILIES, Domain
from assay.insight.generate.renamed import rename, renamed_problems
from assay.insight.subjects.builtin import BaseColumns, ground_truth


def words(domain: Domain) -> list[str]:
    values = [
        getattr(domain, field.name) for field in fields(domain) if field.name not in ("label", "title", "question")
    ]
    return [word for value in values for word in ((value,) if isinstance(value, str) else value) if word]


def test_every_word_is_new_and_none_is_used_twice() -> None:
    for family in FAMILIES.values():
        new = words(rename(family, np.random.default_rng(5)))
        assert len(set(new)) == len(new) == len(words(family))
        assert not set(new) & set(words(family))
        assert all(word.isidentifier() for word in new)


def test_worlds_are_reproducible_and_speak_of_themselves_in_new_words_only(tmp_path: Path) -> None:
    for name in ("a", "b"):
        renamed_problems(tmp_path / name, problems=3, seed=2**200, rows=60)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    track = get_track("insight")
    old = {word for family in FAMILIES.values() for word in words(family)}
    for folder in find_problems(tmp_path / "a", marker=track.marker):
        problem = track.load(folder)
        columns = {column for table in problem.task.tables.values() for column in table.columns}
        assert not {*columns, *problem.task.train.columns} & old
        assert problem.tags["base"] in ("shop-binary-static", "clinic-binary-static", "factory-binary-static")


@pytest.mark.soak
def test_the_truth_of_a_renamed_world_beats_its_base_columns(tmp_path: Path) -> None:
    renamed_problems(tmp_path, problems=1, seed=2**200, rows=300)
    track = get_track("insight")
    (folder,) = find_problems(tmp_path, marker=track.marker)
    problem: Problem = track.load(folder)  # type: ignore[type-arg]
    truth = evaluate(problem, ground_truth(problem), trust_columns=True, check_leakage="never").scores
    base = BaseColumns().solve(problem.task, Budget())
    assert truth["combined_score"] > evaluate(problem, base, trust_columns=True).scores["combined_score"]
