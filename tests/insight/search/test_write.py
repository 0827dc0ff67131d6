from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.insight.generate.synthetic import generate
from assay.insight.problem.task import InsightTask, load
from assay.insight.search.candidates.gather import gather_candidates
from assay.insight.search.pool import Pool
from assay.insight.search.recipes import Aggregate, Combined, Part, RowTerm
from assay.insight.search.run import run_function
from assay.insight.search.search_context import SearchContext, make_context
from assay.insight.search.typed_tables import SELF, Ref
from assay.insight.search.write import name_for, write_function

TRIED = 120


def searched(task: InsightTask, *, transductive: bool) -> tuple[SearchContext, Pool]:
    context = make_context(task, transductive=transductive, seed=0)
    return context, gather_candidates(context, most=6000, screened=False)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[InsightTask, Pool]:
    task = load(generate(tmp_path_factory.mktemp("problem"), seed=5, rows=120)).task
    return task, searched(task, transductive=True)[1]


@pytest.mark.parametrize(("timed", "transductive"), [(False, True), (False, False), (True, False)])
def test_written_functions_give_the_columns_that_the_search_saw(
    tmp_path: Path, timed: bool, transductive: bool
) -> None:
    task = load(generate(tmp_path, seed=5, rows=120, timed=timed)).task
    context, pool = searched(task, transductive=transductive)
    assert not context.faults
    assert not pool.faults
    matrix = pool.matrix()
    for place in np.random.default_rng(1).permutation(len(pool))[:TRIED]:
        recipe = pool.recipes[int(place)]
        function = write_function(recipe, "column", task.test if transductive else None)
        assert function is not None
        found = run_function(function, task)
        assert found is not None, function.code
        values = np.array(found.train)
        standard = (values - values.mean()) / values.std()
        np.testing.assert_allclose(standard, matrix[place], atol=2e-3, err_msg=recipe.slug)


def test_a_function_asks_for_no_more_than_it_needs(found: tuple[InsightTask, Pool]) -> None:
    task, pool = found
    heads = set()
    for place in range(0, len(pool), 25):
        function = write_function(pool.recipes[place], "column", task.test)
        assert function is not None
        heads.add(function.code[function.code.index("def column(") :].split("\n")[0])
    assert heads == {
        "def column(row):",
        "def column(row, aux_dataframes):",
        "def column(row, df_train):",
        "def column(row, df_train, aux_dataframes):",
    }


def test_no_function_names_the_target(found: tuple[InsightTask, Pool]) -> None:
    task, pool = found
    for place in range(0, len(pool), 50):
        function = write_function(pool.recipes[place], "column", task.test)
        assert function is not None
        assert task.target_column not in function.code


def test_names_are_python_names_and_differ() -> None:
    term = RowTerm("1.0", "words", "Größe (cm)_of_items_table.csv")
    assert name_for(term, ()).isidentifier()
    assert name_for(RowTerm("1.0", "", "class"), ()) == "feature_class"
    assert name_for(RowTerm("1.0", "", "2 days"), ()) == "feature_2_days"
    assert name_for(RowTerm("1.0", "", ""), ()) == "feature"
    first = name_for(RowTerm("1.0", "", "a"), ())
    assert name_for(RowTerm("1.0", "", "a"), {first}) == "a_2"
    assert len(name_for(RowTerm("1.0", "", "x" * 400), ())) <= 70


def test_words_with_quotes_and_backslashes_stay_words() -> None:
    term = RowTerm("number_of(row['x'])", 'a "quoted" \\ word', "x")
    function = write_function(Combined("/", term, term), "f", None)
    assert function is not None
    task = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary",
        train=pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}), test=pd.DataFrame({"x": [0.0]}),
    )  # fmt: skip
    assert run_function(function, task) == ([1.0, 1.0], [0.0])


def test_a_function_that_fails_or_gives_no_number_is_left_out() -> None:
    task = InsightTask(
        name="t", description="", domain="", target_column="y", problem_type="binary",
        train=pd.DataFrame({"x": [1.0, 2.0], "y": [0, 1]}), test=pd.DataFrame({"x": [0.0]}),
    )  # fmt: skip
    broken = write_function(RowTerm("row['nowhere']", "", "x"), "f", None)
    assert broken is not None
    assert run_function(broken, task) is None


def test_other_rows_keep_their_words_beside_an_infinite_number() -> None:
    words = ["info", float("inf"), float("-inf"), None]
    recipe = Aggregate(SELF, Ref("word"), Ref("word"), "count", Part("np.ones(len(t))"), pooled=("word",))
    function = write_function(recipe, "column", pd.DataFrame({"word": words}, dtype=object))
    assert function is not None
    names: dict[str, Any] = {}
    exec(function.code, names)
    assert names["OTHERS"] == {"word": words}
