"""Problems from tables of one's own: what is written, what is checked, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.core.files.digest import digest_folder
from assay.insight import FeatureFunction, load, new_problem
from assay.intake.new_problem import NewProblem
from assay.intake.table.options import TableOptions

ROWS = 80
DAY = pd.Timestamp("2023-03-01")
RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame(
    {
        "person_id": [f"P-{number:03d}" for number in RNG.permutation(ROWS)],
        "age": RNG.integers(18, 80, ROWS),
        "joined": [DAY + pd.Timedelta(days=10 * int(row % 8)) for row in RNG.permutation(ROWS)],
    }
)
_WHO = RNG.integers(0, ROWS, 400)
ORDERS = pd.DataFrame(
    {
        "order_id": np.arange(400),
        "person_id": PEOPLE["person_id"].to_numpy()[_WHO],
        "ordered": PEOPLE["joined"].to_numpy()[_WHO] + pd.to_timedelta(RNG.integers(-50, 20, 400), unit="D"),
        "amount": RNG.integers(1, 100, 400),
    }
)
_BEFORE = ORDERS.merge(PEOPLE, on="person_id").query("ordered <= joined")
SPENT = _BEFORE.groupby("person_id")["amount"].sum().reindex(PEOPLE["person_id"]).fillna(0).to_numpy()
PEOPLE["left"] = np.where(np.median(SPENT) > SPENT, "yes", "no")
EXPERTS = pd.DataFrame({"person_id": PEOPLE["person_id"], "spent": SPENT}).sample(frac=1, random_state=1)
SUM = """
def _own(row, tables):
    orders = tables["orders.csv"]
    return orders[orders["person_id"] == row["person_id"]]


def spent(row, aux_dataframes):
    \"\"\"What was spent so far.\"\"\"
    return float(_own(row, aux_dataframes)["amount"].sum())
"""


def make(folder: Path, **given: Any) -> NewProblem:
    """The problem of people and orders, but for what is given."""
    usual: dict[str, Any] = {"target": "left", "time": "joined", "experts": EXPERTS}
    tables = given.pop("tables", {"people": PEOPLE, "orders": ORDERS})
    return new_problem(folder / "left", tables, **{**usual, **given})


def refusal(folder: Path, **given: Any) -> str:
    """What is said; nothing may be left behind."""
    with pytest.raises(InvalidInput) as caught:
        make(folder, **given)
    assert list(folder.iterdir()) == []
    return str(caught.value)


def test_tables_become_a_problem_whose_truth_scores_and_whose_times_are_declared(tmp_path: Path) -> None:
    made = make(tmp_path, meanings={"spent": "spent so far"}, description="Who leaves?", tags={"year": 2023})
    problem = load(tmp_path / "left")
    task, truth = problem.task, problem.truth
    assert (made.problems, made.track) == (("left",), "insight")
    assert made.oracle["left"] > 0.9
    assert (task.problem_type, task.time_column, task.description) == ("binary", "joined", "Who leaves?")
    assert task.table_times["orders.csv"].time_column == "ordered"
    assert problem.tags["year"] == 2023
    assert set(task.train["left"]) == {"yes", "no"}  # as the user writes them
    assert (truth.columns, truth.descriptions) == (("spent",), ("spent so far",))
    # by time: every test row is predicted after every training row, and experts' rows are found by key
    assert task.train["joined"].max() < task.test["joined"].min()
    assert len(task.test) == ROWS // 4
    known = dict(zip(PEOPLE["person_id"], SPENT, strict=True))
    assert truth.test["spent"].tolist() == [known[person] for person in task.test["person_id"]]
    assert [table["left"].role for table in made.tables[:1]] == ["label"]
    assert "people.person_id = orders.person_id; rows are known from 'ordered' on" in str(made.facts["table orders"])
    assert not made.warnings


def test_functions_of_experts_see_what_was_known_and_are_kept_with_their_words(tmp_path: Path) -> None:
    (tmp_path / "experts.py").write_text(SUM)
    new_problem(
        tmp_path / "left",
        {"people": PEOPLE, "orders": ORDERS},
        target="left",
        time="joined",
        experts=tmp_path / "experts.py",
    )
    truth = load(tmp_path / "left").truth
    known = dict(zip(PEOPLE["person_id"], SPENT, strict=True))
    assert truth.test["spent"].tolist() == [known[person] for person in load(tmp_path / "left").task.test["person_id"]]
    assert truth.descriptions == ("What was spent so far",)
    assert truth.functions[0].name == "spent"


def test_one_date_for_all_rows_is_declared_and_the_split_is_drawn_by_the_seed(tmp_path: Path) -> None:
    given: dict[str, Any] = {"time": "2023-05-01", "ignore": ["joined"], "holdout": 0.4, "id": "x"}
    digests = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        (tmp_path / name).mkdir()
        made = make(tmp_path / name, seed=seed, **given)
        digests.append(digest_folder(tmp_path / name / "left"))
    assert digests[0] == digests[1] != digests[2]
    task = load(tmp_path / "a" / "left").task
    assert task.time_column == "prediction_time"
    assert "joined" not in task.base_columns
    assert len(task.test) == 32
    assert made.facts["prediction time"] == "2023-05-01 for all rows"
    assert sorted(task.train["left"].value_counts()) == [24, 24]  # classes alike in both parts


def test_columns_of_the_main_table_can_be_the_experts_and_say_who_tests(tmp_path: Path) -> None:
    table = PEOPLE.assign(spent=SPENT, part=["test" if row % 4 == 0 else "train" for row in range(ROWS)])
    make(tmp_path, tables=table, time=None, experts=None, expert_columns=["spent"], split="part")
    task = load(tmp_path / "left").task
    assert task.base_columns == ("person_id", "age", "joined")
    assert task.time_column is None
    assert task.test["person_id"].tolist() == PEOPLE["person_id"][::4].tolist()


def test_later_columns_tell_tales_and_are_named(tmp_path: Path) -> None:
    gone = PEOPLE["joined"] + pd.Timedelta(days=9)
    made = make(tmp_path, **people(left_on=gone, state=PEOPLE["left"].map({"yes": 1, "no": 0})))
    late, told = made.warnings[:2]
    assert late.startswith("'left_on' lies after the prediction time in 80 of 80 rows")
    assert "ignore='left_on'" in late
    assert told.startswith("column 'state' tells the target exactly")
    assert "ignore='state'" in told


def test_experts_that_add_nothing_are_said_so(tmp_path: Path) -> None:
    made = make(tmp_path, experts=pd.DataFrame({"person_id": PEOPLE["person_id"], "luck": RNG.integers(0, 9, ROWS)}))
    assert any("the experts' columns add nothing to the others" in warning for warning in made.warnings)


def test_the_time_of_the_target_is_checked_and_taken_away(tmp_path: Path) -> None:
    make(tmp_path, **people(known=PEOPLE["joined"] + pd.Timedelta(days=30)), target_time="known")
    assert "known" not in load(tmp_path / "left").task.base_columns
    (tmp_path / "other").mkdir()
    said = refusal(tmp_path / "other", **people(known=PEOPLE["joined"] - pd.Timedelta(days=3)), target_time="known")
    assert "80 of 80 rows are predicted when their target is known already; the first is row 1: predicted at" in said


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    (tmp_path / "left" / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="already exists and is not empty"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["left"]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.insight.problem.user_problem.problem.check_problems", stop)
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path)
    assert list(tmp_path.iterdir()) == []


def people(**columns: Any) -> dict[str, Any]:
    return {"tables": {"people": PEOPLE.assign(**columns), "orders": ORDERS}}


def orders(**columns: Any) -> dict[str, Any]:
    return {"tables": {"people": PEOPLE, "orders": ORDERS.assign(**columns)}}


SPENDING = FeatureFunction(name="spent", code="def spent(row): return row['age']")
TEXTS = [f"class {number % 60}" for number in range(ROWS)]
AMBIGUOUS = [f"{row % 12 + 1:02d}/{row % 11 + 1:02d}/2023" for row in range(400)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "lift"}, "target='lift': no table has such a column. Did you mean 'left'?"),
        ({"target": "person_id"}, "is a column of people and orders: say which of them has one row per prediction"),
        ({"main": "peopl"}, "main='peopl': no table of that name. Did you mean 'people'?"),
        ({"main": "orders"}, "target='left': not a column of 'orders'"),
        ({"time": "joind"}, "neither a column of 'people' nor a date such as 2023-06-30. Did you mean 'joined'?"),
        ({"time": "03/04/2023"}, "may be read with either order of day and month. Write it as 2023-01-31"),
        ({"time": "left"}, "this is the target; name another column"),
        ({"time": "person_id"}, "holds no times (the first value is 'P-"),
        ({"time": "2001-01-01"}, "every row of 'orders' is later"),
        ({"table_times": {"orders": "ordred"}}, "no such column. Did you mean 'ordered'?"),
        ({"table_times": {"order": "x"}}, "no table of that name. Did you mean 'orders'?"),
        ({"time": None, "table_times": {"orders": "ordered"}}, "but not when rows are predicted: time='COLUMN'"),
        (orders(paid=ORDERS["ordered"]), "has 2 columns of times (ordered, paid). Say since when a row is known: "),
        (orders(ordered=AMBIGUOUS), "time_format='%d/%m/%Y' or time_format='%m/%d/%Y'"),
        ({"experts": None}, "none is given: experts='experts.csv' (a table of columns)"),
        ({"experts": EXPERTS.head(70)}, "no row for 10 of 80 values of 'person_id', the first is 'P-"),
        ({"experts": pd.concat([EXPERTS, EXPERTS.head(1)])}, "occurs in several rows. Keep one."),
        ({"experts": EXPERTS[["spent"]].head(70)}, "has 70 rows, 'people' has 80. Add the key 'person_id', or give"),
        ({"experts": EXPERTS[["person_id"]]}, "every column is one of 'people' already"),
        ({"experts": pd.DataFrame({"same": [1] * ROWS})}, "expert column 'same' holds one value in all rows"),
        ({"experts": pd.DataFrame({"gone": PEOPLE["left"]})}, "expert column 'gone' is the target itself"),
        ({"experts": [FeatureFunction(name="f", code="def f(row): return row['left']")]}, "The target is not there"),
        ({"experts": [FeatureFunction(name="f", code="def f(row): return row['agee']")]}, "function 'f' fails"),
        ({"meanings": {"spend": "x"}}, "no expert column of that name. Did you mean 'spent'?"),
        (people(left="no"), "target 'left' holds no in all rows: there is nothing to tell apart"),
        (people(left=[None, *PEOPLE["left"][1:]]), "is missing in 1 of 80 rows, the first is row 1"),
        (people(left=[np.inf, *SPENT[1:]]), "target 'left' is infinite in 1 of 80 rows, the first is row 1"),
        ({"time": "age", "target_time": "2023-06-30", "tables": PEOPLE}, "(2023-06-30) and the prediction time must"),
        ({"target_time": "age"}, "the time at which the target is known (age) and the prediction time must both"),
        (people(spent=SPENT) | {"expert_columns": ["spent"], "experts": [SPENDING]}, "'spent' is given 2 times"),
        ({"experts": [SPENDING, SPENDING]}, "expert column 'spent' is given 2 times. Rename or remove"),
        (people(left=TEXTS), "has 60 classes in 80 rows, too many to learn (at most 20 here)"),
        (people(left=TEXTS, text="x") | {"kind": "regression"}, "a regression needs numbers"),
        (people(left=RNG.integers(0, 3, ROWS)) | {"kind": "binary"}, "has 3 values: kind='multiclass'"),
        ({"split": "month"}, "neither 'time' nor 'random' nor a column of 'people'"),
        ({"split": "age"}, "the column must hold 'train' and 'test', found"),
        ({"time": None, "split": "time"}, "needs rows with different prediction times: time='COLUMN'"),
        ({"holdout": 1.5}, "must lie between 0 and 1, got 1.5"),
        ({"holdout": 0.99, "split": "random"}, "are too few: each part needs at least 5"),
        (people(left=["yes"] * 79 + ["no"]) | {"split": "random"}, "test rows have the target yes"),
        (orders(person_id=[str(number) for number in range(400)]), "no value of the key 'person_id' is one of"),
        ({"key": "person"}, "no such column in 'people'. Did you mean 'person_id'?"),
        ({"key": "age"}, "the key 'age' holds"),
        ({"tables": {"people": pd.concat([PEOPLE, PEOPLE.head(1)]), "orders": ORDERS}}, "rows 1 and 81 are the same"),
        ({"tables": {"people": PEOPLE, "train": ORDERS}}, "a table cannot be called 'train'"),
        ({"tables": [PEOPLE]}, "a frame has no name: give tables by name"),
        ({"ignore": ["order.amount"]}, "ignore='order.amount': no such column"),
        ({"ignore": ["left"]}, "this is the target, which cannot be left out"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_remedy(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    assert words in refusal(tmp_path, **given)


def test_times_with_and_without_a_zone_are_compared_only_when_the_bare_ones_are_explained(tmp_path: Path) -> None:
    zoned = orders(ordered=ORDERS["ordered"].dt.tz_localize("Europe/Berlin"))
    words = "column 'ordered' of frame has one, column 'joined' of frame none. Say what the bare ones mean"
    assert words in refusal(tmp_path, **zoned)
    texts = ORDERS["ordered"].dt.strftime("%Y-%m-%dT%H:%M") + np.where(np.arange(400) % 2, "+02:00", "")
    assert "a part of column 'ordered' of frame has one, the rest none" in refusal(tmp_path, **orders(ordered=texts))
    made = make(tmp_path, **zoned, options=TableOptions(timezone="Europe/Berlin"))
    plain = make(tmp_path / "plain")
    assert made.facts["split"] != plain.facts["split"]  # the same days, but they begin earlier in UTC
    assert made.facts["they reach"] == plain.facts["they reach"]


def test_a_repeated_key_is_named_though_one_date_holds_for_all_rows(tmp_path: Path) -> None:
    repeated = people(person_id=["P-000", *PEOPLE["person_id"].iloc[1:-1], "P-000"])
    assert "the key 'person_id' holds" in refusal(tmp_path, **repeated, time="2023-09-01", key="person_id")


def test_a_column_of_another_table_that_tells_the_target_is_named(tmp_path: Path) -> None:
    copy = PEOPLE["left"].map({"yes": "gone", "no": "here"})
    facts = pd.DataFrame({"person_id": PEOPLE["person_id"], "state": copy, "age": PEOPLE["age"] % 3})
    tables = {"people": PEOPLE, "orders": ORDERS, "facts": facts.sample(frac=1, random_state=1)}
    warnings = make(tmp_path, tables=tables).warnings
    assert [text for text in warnings if "exactly" in text] == [
        "column 'state' of table 'facts' tells the target exactly: was it known at the time of prediction? To leave "
        "it out: ignore='facts.state'"
    ]


def test_rows_of_experts_are_found_by_keys_of_which_one_is_written_as_a_float(tmp_path: Path) -> None:
    numbers = np.arange(ROWS)
    people = PEOPLE.assign(person_id=[f"{number}.0" for number in numbers])
    experts = pd.DataFrame({"person_id": numbers, "spent": SPENT}).sample(frac=1, random_state=2)
    truth = load(make(tmp_path, tables={"people": people}, experts=experts, time=None).folder).truth
    assert sorted([*truth.train["spent"], *truth.test["spent"]]) == sorted(SPENT)


def test_remedies_are_written_as_the_user_writes(tmp_path: Path) -> None:
    said = refusal(tmp_path, **orders(paid=ORDERS["ordered"]), options=TableOptions(syntax="flags"))
    assert "--table-time orders=ordered, or --table-time orders=none if it always was" in said


@pytest.mark.parametrize("split", ["time", "random"])
def test_a_column_that_is_called_as_a_way_to_split_stays_in_the_table(split: str, tmp_path: Path) -> None:
    people = PEOPLE.rename(columns={"joined": split})
    made = make(tmp_path, tables={"people": people, "orders": ORDERS}, time=split, split=split)
    assert split in load(made.folder).task.base_columns


def test_keys_that_a_missing_one_turned_into_floats_agree_with_whole_ones(tmp_path: Path) -> None:
    orders = ORDERS.assign(person_id=_WHO.astype(float))
    orders.loc[5, "person_id"] = np.nan
    orders.to_csv(tmp_path / "orders.csv", index=False)  # 17 is written as 17.0
    people = PEOPLE.assign(person_id=np.arange(ROWS))
    experts = pd.DataFrame({"person_id": np.arange(ROWS), "spent": SPENT})
    made = make(tmp_path, tables={"people": people, "orders": tmp_path / "orders.csv"}, experts=experts)
    assert str(made.facts["table orders"]).startswith("people.person_id = orders.person_id")


def test_rows_of_experts_are_found_by_a_key_and_not_by_the_target(tmp_path: Path) -> None:
    codes = [f"c{number}" for number in range(ROWS)]
    people = PEOPLE.drop(columns="left").assign(code=codes, worth=SPENT + np.arange(ROWS) / 1000)
    experts = people[["worth", "code"]].assign(spent=SPENT).sample(frac=1, random_state=2)
    tables = {"people": people, "orders": ORDERS}
    made = make(tmp_path, tables=tables, target="worth", key="person_id", experts=experts)
    task, truth = load(made.folder).task, load(made.folder).truth
    known = dict(zip(codes, SPENT, strict=True))
    assert truth.train["spent"].tolist() == [known[code] for code in task.train["code"]]


def test_all_rows_may_be_predicted_at_a_time_beyond_all_nanoseconds(tmp_path: Path) -> None:
    task = load(make(tmp_path, time="9999-12-31").folder).task
    assert set(task.train["prediction_time"]) == {"9999-12-31T00:00:00+00:00"}


def test_an_experts_column_named_twice_is_one(tmp_path: Path) -> None:
    tables = {"people": PEOPLE.assign(spent=SPENT), "orders": ORDERS}
    problem = load(make(tmp_path, tables=tables, experts=None, expert_columns=["spent", "spent"]).folder)
    assert problem.truth.columns == ("spent",)
