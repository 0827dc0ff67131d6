from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from assay.insight.problem.task import ProblemType
from assay.insight.search.choose import Choice, choose, responses_of

ROWS, CANDIDATES = 500, 300


def planted(kind: ProblemType) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.object_ | np.float64 | np.int64]]:
    """Noise in which columns 7, 77 and 177 make the target, each beside a blurred copy of itself."""
    rng = np.random.default_rng(8)
    raw = rng.normal(size=(CANDIDATES, ROWS))
    raw[8], raw[78], raw[178] = (raw[place] + 0.4 * rng.normal(size=ROWS) for place in (7, 77, 177))
    latent = raw[7] + raw[77] - 0.7 * raw[177] + 0.3 * rng.normal(size=ROWS)
    if kind == "regression":
        return raw.astype(np.float32), latent
    if kind == "binary":
        return raw.astype(np.float32), (latent > np.quantile(latent, 0.8)).astype(np.int64)
    return raw.astype(np.float32), np.array(["low", "mid", "high"], dtype=object)[np.digitize(latent, [-0.7, 0.7])]


def chosen(kind: ProblemType, costs: npt.NDArray[np.float64] | None = None, **options: int) -> list[Choice]:
    raw, target = planted(kind)
    responses, logistic = responses_of(target, kind)
    return choose(raw, np.zeros(len(raw)) if costs is None else costs, responses, logistic=logistic, **options)


@pytest.mark.parametrize("kind", ["binary", "regression", "multiclass"])
def test_the_columns_that_make_the_target_are_chosen_together_and_first(kind: ProblemType) -> None:
    found = chosen(kind)
    together = {choice.place for choice in found if choice.why == "together"}
    assert {7, 77, 177} <= together
    assert {choice.place for choice in found[:3]} <= together


def test_there_are_as_many_as_asked_for_and_none_twice() -> None:
    places = [choice.place for choice in chosen("binary", most=12)]
    assert len(places) == len(set(places)) == 12


def test_near_copies_are_hedges_and_clones_are_left_out() -> None:
    raw, target = planted("binary")
    raw[8] = raw[7] * 3
    responses, logistic = responses_of(target, "binary")
    places = [choice.place for choice in choose(raw, np.zeros(len(raw)), responses, logistic=logistic)]
    assert 7 in places or 8 in places
    assert not {7, 8} <= set(places)
    assert {78, 178} <= set(places)


def test_of_two_that_explain_the_same_the_plainer_is_chosen() -> None:
    raw, target = planted("binary")
    raw[8] = raw[7] + np.float32(0.01) * raw[9]
    responses, logistic = responses_of(target, "binary")
    for plain, elaborate in ((7, 8), (8, 7)):
        costs = np.ones(len(raw))
        costs[elaborate] = 4.0
        together = [c.place for c in choose(raw, costs, responses, logistic=logistic) if c.why == "together"]
        assert plain in together
        assert elaborate not in together


def test_a_rank_counts_where_the_value_is_skewed() -> None:
    raw, target = planted("binary")
    raw[7] = np.exp(3 * raw[7])
    responses, logistic = responses_of(target, "binary")
    found = choose(raw, np.zeros(len(raw)), responses, logistic=logistic)
    assert 7 in [choice.place for choice in found if choice.why == "together"]


def test_choosing_is_repeatable() -> None:
    assert chosen("multiclass") == chosen("multiclass")


def test_one_class_and_no_candidates_are_no_trouble() -> None:
    raw, _ = planted("binary")
    responses, logistic = responses_of(np.zeros(ROWS), "binary")
    assert len(choose(raw, np.zeros(len(raw)), responses, logistic=logistic)) <= 20
    assert choose(raw[:0], np.zeros(0), responses, logistic=logistic) == []


def test_responses_say_which_class_a_row_has() -> None:
    responses, logistic = responses_of(np.array(["a", "b", "a"]), "binary")
    assert logistic
    assert responses.tolist() == [[0.0, 1.0, 0.0]]
    responses, logistic = responses_of(np.array([1.0, 2.0, 3.0]), "regression")
    assert not logistic
    assert responses.mean() == pytest.approx(0.0)


def test_what_is_made_of_two_is_split_into_both() -> None:
    raw, target = planted("regression")
    raw[9] = raw[7] + raw[77]
    costs = np.ones(len(raw))
    costs[9] = 4.0
    responses, logistic = responses_of(target, "regression")
    found = choose(raw, costs, responses, logistic=logistic)
    together = {choice.place for choice in found if choice.why == "together"}
    assert {7, 77, 177} <= together
    assert 9 not in together


def test_plain_columns_that_say_something_else_are_taken_beyond_the_certain_ones() -> None:
    raw, _ = planted("binary")
    noise = np.random.default_rng(6).normal(size=ROWS)
    target = (raw[7] + raw[77] + 0.25 * raw[250] + noise > 0).astype(np.int64)  # 250 says too little to be certain
    responses, logistic = responses_of(target, "binary")
    found = choose(raw, np.ones(len(raw)), responses, logistic=logistic)
    assert 250 in [choice.place for choice in found if choice.why in ("further", "together")]
    elaborate = np.ones(len(raw))
    elaborate[250] = 5.0  # no longer plain
    found = choose(raw, elaborate, responses, logistic=logistic)
    assert 250 not in [choice.place for choice in found if choice.why in ("further", "together")]


def test_each_chosen_column_has_its_stand_ins() -> None:
    raw, target = planted("binary")
    rng = np.random.default_rng(3)
    for place in range(200, 230):  # the strongest has thirty near copies
        raw[place] = raw[7] + np.float32(0.5) * rng.normal(size=ROWS).astype(np.float32)
    responses, logistic = responses_of(target, "binary")
    places = {choice.place for choice in choose(raw, np.zeros(len(raw)), responses, logistic=logistic, most=12)}
    assert {78, 178} <= places
