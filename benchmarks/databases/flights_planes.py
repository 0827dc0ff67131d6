"""nycflights13: how often does a plane leave New York in the coming week?"""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks.databases.flights import every_flight, read
from benchmarks.databases.task import DatabaseTask, look_back

__all__ = ["plane_week"]

_MONDAYS = pd.date_range("2013-03-04", "2013-09-23", freq="7D")
_LATE = pd.Timestamp("2013-07-15")


def plane_week(most: int) -> DatabaseTask:
    """On Monday: the departures of the next seven days of a plane that was seen in the last four weeks."""
    flights = every_flight()
    flights = flights[(flights["cancelled"] == 0) & flights["tailnum"].notna() & (flights["time_hour"] < "2013-10-01")]
    some = pd.Series(sorted(flights["tailnum"].unique())).sample(frac=0.25, random_state=0)
    flights = flights[flights["tailnum"].isin(some)]
    questions = []
    for monday in _MONDAYS:
        active = flights[(flights["left"] <= monday) & (flights["left"] > monday - pd.Timedelta("28D"))]
        questions.append(pd.DataFrame({"tailnum": sorted(active["tailnum"].unique()), "monday": monday}))
    every = pd.concat(questions)
    rows = every.sample(min(most, len(every)), random_state=0).sort_values(["monday", "tailnum"], ignore_index=True)
    when = {name: group["left"].to_numpy() for name, group in flights.groupby("tailnum")}
    week = pd.Timedelta("7D")
    target = [
        int(((when[name] > monday) & (when[name] <= monday + week)).sum())
        for name, monday in zip(rows["tailnum"], rows["monday"], strict=True)
    ]
    keep = ["tailnum", "carrier", "origin", "dest", "distance", "dep_delay", "left"]
    planes = read("planes")[["tailnum", "year", "manufacturer", "engines", "seats", "engine"]]
    tables = {"departures": flights[keep].reset_index(drop=True), "planes": planes}

    # experts' columns: the last weeks one by one, since when the plane is gone, its routes and its type
    def back(value: str | None, how: str, days: float | None) -> Any:
        return look_back(rows, tables["departures"], "tailnum", value, how=how, times=("monday", "left"), days=days)

    counts = {days: back(None, "count", days) for days in (3, 7, 14, 28)}
    stamped = tables["departures"].assign(day=(flights["left"] - _MONDAYS[0]).dt.total_seconds().to_numpy() / 86400)
    last = look_back(rows, stamped, "tailnum", "day", how="last", times=("monday", "left"))
    described = rows.merge(planes, on="tailnum", how="left")
    experts = pd.DataFrame(
        {
            "last_three_days": counts[3],
            "last_week": counts[7],
            "week_before": counts[14] - counts[7],
            "four_weeks": counts[28],
            "per_week_always": back(None, "count", None) / ((rows["monday"] - pd.Timestamp("2013-01-01")).dt.days / 7),
            "days_since_last": (rows["monday"] - _MONDAYS[0]).dt.days - last,
            "distance_four_weeks": back("distance", "mean", 28),
            "delay_four_weeks": back("dep_delay", "mean", 28),
            "distance_last": back("distance", "last", None),
            "seats": described["seats"],
            "year": described["year"],
            "month": rows["monday"].dt.month,
        }
    )
    return DatabaseTask(
        name="plane week", question="departures in the coming week", kind="regression", rows=rows,
        target=pd.Series(target), late=(rows["monday"] >= _LATE).to_numpy(), tables=tables, time="monday",
        table_times={"departures": "left", "planes": None}, keys=dict.fromkeys(tables, ("tailnum",)),
        clusters=rows["tailnum"].to_numpy(), experts=experts,
    )  # fmt: skip
