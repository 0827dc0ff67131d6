from __future__ import annotations

import platform
from dataclasses import replace

import numpy as np
import sklearn

import assay
from assay.report import TrackResults
from assay.report.page.methods import contents, definitions, formula, software


def test_definitions_come_from_the_docstrings(toy: TrackResults) -> None:
    delay, share, spread = definitions(toy)
    assert share.summary == "Share of right claims <b>."
    assert share.formula == r"\mathrm{share} = \frac{1}{n} \sum_i [c_i < e_i]"
    assert (share.goal, share.floor, share.version) == ("max", "0.000", 3)
    assert (delay.goal, delay.floor) == ("min", "depends on the problem")
    assert (spread.summary, spread.formula) == ("Range of the scores of a subject.", r"\max s - \min s")


def test_the_version_is_the_one_that_scored_the_records(toy: TrackResults) -> None:
    metrics = tuple(replace(metric, version=9) for metric in toy.track.metrics)
    older = replace(toy, track=replace(toy.track, metrics=metrics))
    assert [definition.version for definition in definitions(older)[:2]] == [1, 3]


def test_a_docstring_may_hold_several_formulas_or_none() -> None:
    def two() -> None:
        """Two, and $$x$$ within a line.

        $$a$$

        $$b =
        c$$
        """

    assert formula(two) == "a\nb = c"
    assert formula(lambda: None) == ""


def test_contents_are_named_once_with_their_digests(toy: TrackResults) -> None:
    problems, subjects = contents(toy)
    assert [content.name for content in problems] == sorted(content.name for content in problems)
    assert len(problems) == 5
    assert ("vote", "digest-vote") in subjects


def test_software_names_the_versions_in_use() -> None:
    assert software() == {
        "Assay": assay.__version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
