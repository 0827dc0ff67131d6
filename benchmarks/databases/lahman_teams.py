"""Lahman: which share of its games does a team win next year?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.databases.lahman import HITTING, PITCHING, at_season_end, backward, read
from benchmarks.databases.task import DatabaseTask

__all__ = ["team_wins"]

_TEAM = ["W", "L", "R", "RA", "HR", "BB", "SO", "SB", "HRA", "BBA", "SOA", "E", "Rank", "attendance"]


def team_wins(most: int) -> DatabaseTask:
    """At the end of a season: the share of games won in the next, in percent."""
    teams = read("Teams").query("1975 <= yearID <= 2024").copy()
    teams["won"] = 100.0 * teams["W"] / teams["G"]
    won = teams.set_index(["teamID", "yearID"])["won"]
    rows = teams.query("1985 <= yearID <= 2023")[["teamID", "lgID", "yearID"]]
    after = won.reindex(pd.MultiIndex.from_arrays([rows["teamID"], rows["yearID"] + 1])).to_numpy()
    rows = rows.assign(after=after).dropna()
    rows = rows.sample(min(most, len(rows)), random_state=0).sort_values(["yearID", "teamID"], ignore_index=True)
    target = rows["after"]
    rows = rows.drop(columns="after").assign(season_end=pd.to_datetime(rows["yearID"].astype(str) + "-12-31"))
    seasons = "1975 <= yearID <= 2023"
    batting, pitching, people = read("Batting").query(seasons), read("Pitching").query(seasons), read("People")
    born = people.set_index("playerID")["birthYear"]
    paid = read("Salaries").groupby(["teamID", "yearID"])["salary"].sum().reset_index()
    tables = {
        "teams": at_season_end(teams.query("yearID <= 2023")[["teamID", "yearID", *_TEAM]]),
        "batting": at_season_end(
            batting[["playerID", "yearID", "teamID", *HITTING]].assign(
                age=batting["yearID"] - born.reindex(batting["playerID"]).to_numpy()
            )
        ),
        "pitching": at_season_end(
            pitching[["playerID", "yearID", "teamID", *PITCHING]].assign(
                age=pitching["yearID"] - born.reindex(pitching["playerID"]).to_numpy()
            )
        ),
        "payrolls": at_season_end(paid),
        "managers": at_season_end(read("Managers").query(seasons)[["playerID", "teamID", "yearID", "W", "L"]]),
    }
    team, bat, pay = (backward(rows, tables[name], "teamID") for name in ("teams", "batting", "payrolls"))
    boss = backward(rows, tables["managers"], "teamID")

    # experts' columns: results, runs that say more than results, age, money, change
    wins, losses = [team("W", "sum", n) for n in (1, 2, 3)], [team("L", "sum", n) for n in (1, 2, 3)]
    shares = [w / (w + lost) for w, lost in zip(wins, losses, strict=True)]
    scored, allowed = team("R", "sum", 1), team("RA", "sum", 1)
    weighted = tables["batting"].assign(lived=tables["batting"]["age"] * tables["batting"]["AB"])
    lived = backward(rows, weighted, "teamID")
    games = wins[0] + losses[0]
    league = paid.groupby("yearID")["salary"].mean().reindex(rows["yearID"]).to_numpy()
    experts = pd.DataFrame(
        {
            "won": shares[0],
            "won_two_years": shares[1],
            "won_three_years": shares[2],
            "pythagorean": scored**1.83 / (scored**1.83 + allowed**1.83),
            "run_difference": (scored - allowed) / games,
            "run_difference_two_years": (team("R", "sum", 2) - team("RA", "sum", 2)) / (wins[1] + losses[1]),
            "luck": shares[0] - scored**1.83 / (scored**1.83 + allowed**1.83),
            "home_run_difference": (team("HR", "sum", 1) - team("HRA", "sum", 1)) / games,
            "age_of_batters": lived("lived", "sum", 1) / np.maximum(bat("AB", "sum", 1), 1),
            "payroll": pay("salary", "sum", 1) / league,
            "attendance": team("attendance", "last"),
            "managers": boss(None, "count", 1),
            "rank": team("Rank", "last"),
        }
    )
    return DatabaseTask(
        name="team wins", question="games won next year, in %", kind="regression", rows=rows, target=target,
        late=(rows["yearID"] > 2008).to_numpy(), tables=tables, time="season_end",
        table_times=dict.fromkeys(tables, "known"), keys=dict.fromkeys(tables, ("teamID",)),
        clusters=rows["teamID"].to_numpy(), experts=experts,
    )  # fmt: skip
