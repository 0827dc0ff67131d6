"""Lahman: which share of the writers' votes for the Hall of Fame does a player get?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.databases.lahman import HITTING, PITCHING, at_season_end, backward, read
from benchmarks.databases.task import DatabaseTask

__all__ = ["hall_of_fame"]


def hall_of_fame(most: int) -> DatabaseTask:
    """On New Year's Day, with the names on the ballot known: the share of the votes, in percent."""
    ballots = read("HallOfFame").rename(columns={"yearid": "yearID"})
    ballots = ballots.query("votedBy == 'BBWAA' and category == 'Player' and 1967 <= yearID <= 2024").copy()
    ballots["share"] = 100.0 * ballots["votes"].fillna(0) / ballots["ballots"]
    ballots = ballots.dropna(subset=["share"])
    sample = ballots[["playerID", "yearID", "share"]].sample(min(most, len(ballots)), random_state=0)
    rows = sample.sort_values(["yearID", "playerID"], ignore_index=True)
    target, rows = rows["share"], rows.drop(columns="share")
    rows = rows.assign(new_year=pd.to_datetime(rows["yearID"].astype(str) + "-01-01"))
    who = {"playerID": rows["playerID"].unique()}
    listed = {name: read(name).merge(pd.DataFrame(who)) for name in ("Batting", "Pitching", "AllstarFull")}
    awards = read("AwardsPlayers").merge(pd.DataFrame(who))[["playerID", "yearID", "awardID"]]
    tables = {
        "ballots": ballots[["playerID", "share"]].assign(
            known=pd.to_datetime(ballots["yearID"].astype(str) + "-01-31")
        ),
        "batting": at_season_end(listed["Batting"][["playerID", "yearID", "teamID", *HITTING]]),
        "pitching": at_season_end(listed["Pitching"][["playerID", "yearID", "teamID", *PITCHING]]),
        "allstars": at_season_end(listed["AllstarFull"][["playerID", "yearID"]].drop_duplicates()),
        "awards": at_season_end(awards),
    }
    tables["ballots"] = tables["ballots"].reset_index(drop=True)
    vote, bat, pitch, star = (
        backward(rows, tables[name], time="new_year") for name in ("ballots", "batting", "pitching", "allstars")
    )

    # experts' columns: the votes so far, careers as they are told, honours
    great = awards[awards["awardID"].isin(["Most Valuable Player", "Cy Young Award"])]
    gloves = awards[awards["awardID"].isin(["Gold Glove"])]
    last = vote("share", "last")
    experts = pd.DataFrame(
        {
            "last_share": last,
            "change": last - vote("share", "before last"),
            "best_share": vote("share", "max"),
            "years_on_ballot": vote(None, "count"),
            "hits": bat("H", "sum"),
            "home_runs": bat("HR", "sum"),
            "runs_batted_in": bat("RBI", "sum"),
            "average": bat("H", "sum") / np.maximum(bat("AB", "sum"), 1),
            "stolen_bases": bat("SB", "sum"),
            "wins": pitch("W", "sum"),
            "strikeouts_pitched": pitch("SO", "sum"),
            "saves": pitch("SV", "sum"),
            "allstar_years": star(None, "count"),
            "best_player_awards": backward(rows, at_season_end(great), time="new_year")(None, "count"),
            "gold_gloves": backward(rows, at_season_end(gloves), time="new_year")(None, "count"),
        }
    )
    return DatabaseTask(
        name="hall of fame", question="share of votes, in %", kind="regression", rows=rows, target=target,
        late=(rows["yearID"] > 2003).to_numpy(), tables=tables, time="new_year",
        table_times=dict.fromkeys(tables, "known"), keys=dict.fromkeys(tables, ("playerID",)),
        clusters=rows["playerID"].to_numpy(), experts=experts,
    )  # fmt: skip
