"""The numbers that a page shows, read from its text, and the same from an exported table of scores."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tests.report.page import by_hand

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
ARROWS = {"max": "↑", "min": "↓"}


def reads_as(text: str, *expected: float) -> bool:
    """Whether a text tells these numbers first, each to half a unit of the last digit that it shows."""
    wanted = [value for value in expected if not math.isnan(value)]
    found = _NUMBER.findall(text.replace("∞", "inf"))[: len(wanted)]
    if not wanted:
        return text.strip().startswith("–")
    return len(found) == len(wanted) and all(
        abs(float(word) - value) <= 0.5001 * _unit(word) for word, value in zip(found, wanted, strict=True)
    )


def _unit(word: str) -> float:
    digits, _, power = word.partition("e")
    return float(10 ** (int(power or 0) - len(digits.partition(".")[2])))


def exported(path: Path) -> pd.DataFrame:
    """An exported table of scores; tags are texts."""
    titles = pd.read_csv(path, nrows=0).columns
    return pd.read_csv(path, dtype={title: str for title in titles if title.startswith("tag.")})


@dataclass
class Track:
    """The part of a page that shows one track, and the scores that were exported of it."""

    page: str
    scores: pd.DataFrame
    name: str
    metrics: dict[str, Any]  # name to the metric, of which only the goal and the ends of its range are used
    references: frozenset[str]

    @cached_property
    def data(self) -> dict[str, Any]:
        blocks = re.findall(r'class="data" data-track="([^"]+)">(.*?)</script>', self.page, re.DOTALL)
        found: dict[str, Any] = json.loads(dict(blocks)[self.name])
        return found

    @cached_property
    def headline(self) -> str:
        return str(self.data["metrics"][0]["name"])

    @cached_property
    def clusters(self) -> pd.Series | None:
        return by_hand.clusters(self.scores, self.name)

    def rows(self, section: str, table: str, chosen: str = "") -> list[dict[str, str]]:
        """The rows of a table as texts under their headings."""
        start = self.page.index(f'id="{self.name}-{section}"')
        start = self.page.index(f'<table class="{table}"', start)
        inside = self.page[start : self.page.index("</table>", start)]
        titles = _texts(inside.partition("</thead>")[0])
        bodies = re.findall(r"<tbody([^>]*)>(.*?)</tbody>", inside, re.DOTALL)
        own = next(rows for head, rows in bodies if f'data-filter="{chosen}"' in head or "data-filter" not in head)
        return [dict(zip(titles, _texts(row), strict=True)) for row in re.findall(r"<tr.*?</tr>", own, re.DOTALL)]

    def tagged(self, tag: str, value: str) -> pd.DataFrame:
        held = self.scores[f"tag.{tag}"]
        return self.scores[held.isna() if value == "(untagged)" else held == value]

    def table(self, metric: str = "", scores: pd.DataFrame | None = None) -> pd.DataFrame:
        return by_hand.per_problem(self.scores if scores is None else scores, metric or self.headline)

    def interval(self, table: pd.DataFrame, subject: str, metric: str = "") -> by_hand.Bounds:
        """A mean with its interval; that of clusters ends where the metric does, if no score exceeds that."""
        groups = None if self.clusters is None else self.clusters[table.columns]
        mean, low, high = by_hand.interval(by_hand.of_subject(table, subject), groups)
        if groups is None or groups.nunique() == len(groups):
            return mean, low, high
        one = self.metrics[metric or self.headline]
        ends = [math.nan if end is None else end for end in one.ends]
        lowest, highest = ends if one.goal == "max" else ends[::-1]
        if not math.isnan(lowest) and not (table < lowest).any(axis=None):
            low = max(low, lowest)
        if not math.isnan(highest) and not (table > highest).any(axis=None):
            high = min(high, highest)
        return mean, low, high


def _texts(row: str) -> list[str]:
    cells = re.findall(r"<t[dh](?=[ >])[^>]*>(.*?)</t[dh]>", row, re.DOTALL)
    found = []
    for cell in cells:
        plain = re.sub(r'<svg class="strip-axis".*?</svg>|<span class="badge".*?</span>', "", cell, flags=re.DOTALL)
        found.append(" ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).split()))
    return found


def check_leaderboards(track: Track) -> int:
    """Places, means with intervals, ranks, ranges, tiers, failures and times: over all problems and on every tag."""
    goal = track.metrics[track.headline].goal
    title = f"{track.headline} {ARROWS[goal]}"
    parts = [("", track.scores)]
    start = track.page.index(f'id="{track.name}-leaderboard"')
    own_part = track.page[start : track.page.index("</section>", start)]
    tags = re.findall(r'<tbody data-filter="([^"]+)"', own_part)
    parts += [(chosen, track.tagged(*unescape(chosen).split("=", 1))) for chosen in tags]
    for chosen, part in parts:
        table = track.table(scores=part)
        means = table.mean(axis=1)
        places = means.round(12).rank(method="min", ascending=goal == "min")
        ranks = by_hand.mean_ranks(table, goal)
        own = part[part.metric == track.headline]
        rows = track.rows("leaderboard", "leaderboard", chosen)
        groups = None if track.clusters is None else track.clusters[table.columns]
        ranges = by_hand.place_ranges(table, goal, groups)
        tiers = by_hand.tiers(table, [row["subject"] for row in rows if row["subject"] not in track.references], groups)
        assert {row["subject"] for row in rows} == set(table.index)
        for row in rows:
            name = row["subject"]
            cells = own[own.subject == name]
            assert reads_as(row["#"], places[name]), (chosen, row)
            assert reads_as(row[title], *track.interval(table, name)), (chosen, row, track.interval(table, name))
            assert reads_as(row["mean rank"], ranks[name]), (chosen, row)
            best, worst = ranges[name]
            assert row["places"] == (f"{best} to {worst}" if best != worst else str(best)), (chosen, row)
            assert row["tier"] == str(tiers.get(name, "–")), (chosen, row)
            failed = int((cells.status == "failed").sum())
            assert row.get("failed", "0") == (f"{failed} of {len(cells)}" if failed else "0")
            assert _seconds(row["solve time"], cells.seconds.median()), (chosen, row)
    return len(parts)


def _seconds(text: str, value: float) -> bool:
    if text.startswith("<1 ms"):
        return value < 0.001
    number, unit = text.split()[:2]
    return reads_as(number, value * 1000 if unit == "ms" else value / 60 if unit == "min" else value)


def check_metrics(track: Track) -> int:
    """Every metric of every subject with its interval, in the table of all and on the subjects' own pages."""
    count = 0
    for row in track.rows("leaderboard", "metrics") if len(track.data["metrics"]) > 1 else []:
        for title, text in row.items():
            if title != "subject":
                metric = title.split()[0]
                expected = track.interval(track.table(metric), row["subject"], metric)
                assert reads_as(text, *expected), (row["subject"], title, text, expected)
                count += 1
    return count


def check_pairs(track: Track) -> int:
    """Every pair: difference with its interval, wins, ties and losses, p-value, and Holm's correction by family."""
    goal = track.metrics[track.headline].goal
    table = track.table()
    groups = track.clusters
    rows = track.rows("compare", "pairs")
    subjects = [row["subject"] for row in track.rows("leaderboard", "leaderboard")]
    assert [(row["a"], row["b"]) for row in rows] == list(combinations(subjects, 2))
    found = []
    for row in rows:
        one, other = (by_hand.of_subject(table, row[side]) for side in "ab")
        differences: Any = one - other
        size = np.maximum(one.abs(), other.abs())
        differences[differences.abs() <= 1e-12 * size] = 0.0
        sign = 1 if row["a"] < row["b"] else -1  # the draws are those of the names' own order
        mean, low, high = by_hand.interval(sign * differences, groups)
        low, high = (low, high) if sign > 0 else (-high, -low)
        assert reads_as(row["a - b"], sign * mean, low, high), (row, mean, low, high)
        gains = (differences if goal == "max" else -differences).dropna()
        counts = [len(gains), int((gains > 0).sum()), int((gains == 0).sum()), int((gains < 0).sum())]
        assert [row[title] for title in ("n", "won", "tied", "lost")] == [str(count) for count in counts]
        found.append(by_hand.p_value(differences, groups))
        assert _same_p(row["p"], found[-1]), (row, found[-1])
    family = [bool({row["a"], row["b"]} & track.references) for row in rows]
    for chosen in (False, True):
        own = [place for place, kind in enumerate(family) if kind is chosen]
        for place, corrected in zip(own, by_hand.holm([found[place] for place in own]), strict=True):
            told = rows[place]["corrected p"]
            assert told == "too few" or _same_p(told, corrected), (rows[place], corrected)
            assert told != "too few" or corrected > 0.05
    return len(rows)


def _same_p(text: str, value: float) -> bool:
    return value < 0.001 if text == "<0.001" else reads_as(text, value)


def check_data(track: Track) -> int:
    """What the page's script and the downloads of its charts hold, to nine digits."""
    data, count = track.data, 0
    for place, metric in enumerate(data["metrics"]):
        table = track.table(metric["name"])
        for subject, values in zip(data["subjects"], data["scores"][place], strict=True):
            own = np.array([math.nan if value is None else float(value) for value in values])
            np.testing.assert_allclose(own, table.loc[subject, data["problems"]], rtol=1e-8, atol=1e-12)
            count += len(values)
    table = track.table()
    frames = {key: pd.DataFrame(entry["rows"], columns=entry["columns"]) for key, entry in data["figures"].items()}
    spread = frames["spread"].pivot_table(index="subject", columns="problem", values=track.headline, dropna=False)
    pd.testing.assert_frame_equal(spread, table, check_names=False, rtol=1e-8, check_dtype=False)
    goal = track.metrics[track.headline].goal
    if "ranks" in frames:
        ranks = by_hand.mean_ranks(table, goal)
        np.testing.assert_allclose(frames["ranks"].mean_rank, ranks[frames["ranks"].subject], rtol=1e-8)
    if "seeds" in frames:
        seeds = track.scores[track.scores.metric == track.headline].groupby(["seed", "subject"]).value.mean()
        shown = frames["seeds"].set_index(["seed", "subject"])[f"mean_{track.headline}"]
        np.testing.assert_allclose(shown, seeds[shown.index], rtol=1e-8)
    for _, row in frames["tags"].iterrows() if "tags" in frames else ():
        expected = track.interval(track.table(scores=track.tagged(row.tag, row.value)), row.subject)
        np.testing.assert_allclose([row[f"mean_{track.headline}"], row.low, row.high], expected, rtol=1e-7, atol=1e-9)
    for key in ("cost-seconds", "cost-cpu_seconds"):
        for _, row in frames[key].iterrows() if key in frames else ():
            expected = track.interval(table, row.subject)
            np.testing.assert_allclose([row[f"mean_{track.headline}"], row.low, row.high], expected, rtol=1e-7)
    if "problem-map" in frames:
        items = frames["problem-map"].set_index("problem")
        for problem in table.columns:
            others = table.drop(columns=problem).mean(axis=1)
            assert items.loc[problem, f"mean_{track.headline}"] == _close(table[problem].mean())
            told: Any = items.loc[problem, "discrimination"]
            if told is not None and not math.isnan(told):
                assert told == _close(table[problem].corr(others))
                assert items.loc[problem, "agreement"] == _close(table[problem].corr(others, method="kendall"))
    return count + sum(frame.size for frame in frames.values())


def _close(value: float) -> Any:
    import pytest

    return pytest.approx(value, rel=1e-7, abs=1e-9)
