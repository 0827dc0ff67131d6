"""Every number of the page, recomputed with pandas from the exported scores: means, intervals, pairs, charts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.report import Results, write_csv
from assay.report.page.html import html
from assay.report.wording import format_interval, format_number, format_p_value
from assay.stats import bootstrap_interval, sign_flip_p_value

SUBJECTS = ("good", "fair", "weak", "shaky")


@pytest.fixture(scope="module")
def study(make_results: Callable[..., Results], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pd.DataFrame]:
    """Twelve problems, four subjects, two seeds, some failures: the page, and the exported scores."""
    generator = np.random.default_rng(3)
    rows = []
    for p in range(12):
        for s, subject in enumerate(SUBJECTS):
            for seed in (0, 1):
                share = float(np.clip(0.9 - 0.12 * s + generator.normal(0, 0.08), 0, 1))
                other: dict[str, Any] = {"seconds": float(generator.uniform(0.1, 2))}
                if subject == "shaky" and p in (2, 5):
                    share = 0.0
                    other |= {"status": "failed", "error": "no", "error_kind": "crash"}
                rows.append((f"problem-{'x' * (p % 3)}{p}", subject, seed, share, float(p), other))
    results = make_results(rows)
    path = tmp_path_factory.mktemp("export") / "scores.csv"
    write_csv(results, path)
    return html(results), pd.read_csv(path)


def per_problem(scores: pd.DataFrame, metric: str = "share") -> pd.DataFrame:
    """Mean over seeds, a row per subject and a column per problem."""
    own = scores[scores.metric == metric]
    return own.pivot_table(index="subject", columns="problem", values="value", aggfunc="mean")


def body(page: str, table: str, chosen: str = "") -> list[list[str]]:
    """The texts of the cells of a table's body."""
    start = page.index(f'<table class="{table}"')
    inside = page[start : page.index("</table>", start)]
    bodies = re.findall(r"<tbody([^>]*)>(.*?)</tbody>", inside, re.DOTALL)
    rows = next(rows for head, rows in bodies if f'data-filter="{chosen}"' in head or "data-filter" not in head)
    return [
        [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)
        ]
        for row in re.findall(r"<tr.*?</tr>", rows, re.DOTALL)
    ]


def test_the_leaderboard_is_that_of_the_export_whole_and_on_every_tag(study: tuple[str, pd.DataFrame]) -> None:
    page, scores = study
    parts = [("", scores)]
    for tag in ("family", "noise"):
        parts += [(f"{tag}={value}", part) for value, part in scores.groupby(f"tag.{tag}")]
    assert len(parts) == 1 + 2 + 3
    for chosen, part in parts:
        table = per_problem(part)
        order = table.mean(axis=1).sort_values(ascending=False).index
        rows = body(page, "leaderboard", chosen)
        assert [row[1] for row in rows] == list(order)
        ranks = table.rank(ascending=False).mean(axis=1)
        own = part[part.metric == "share"]
        for place, (name, cells) in enumerate(zip(order, rows, strict=True), start=1):
            assert cells[0] == str(place)
            assert cells[3].startswith(format_interval(bootstrap_interval(table.loc[name].to_numpy())))
            assert f"{ranks[name]:.2f}" in cells
            failed = int((own[own.subject == name].status == "failed").sum())
            assert (f"{failed} of {len(own[own.subject == name])}" if failed else "0") in cells
            assert cells[-2].split()[0] == _seconds(own[own.subject == name].seconds.median())


def test_every_pair_is_that_of_the_export(study: tuple[str, pd.DataFrame]) -> None:
    page, scores = study
    table = per_problem(scores)
    order = table.mean(axis=1).sort_values(ascending=False).index
    found = []
    for a, b in combinations(order, 2):
        difference = (table.loc[a] - table.loc[b]).to_numpy()
        sign = 1 if a < b else -1  # the draws are those of the names' own order
        interval = bootstrap_interval(sign * difference)
        low, high = (interval.low, interval.high) if sign > 0 else (-interval.high, -interval.low)
        p_value = sign_flip_p_value(sign * difference)
        counts = [int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())]
        words = f"{format_number(sign * interval.value)} [{format_number(low)}, {format_number(high)}]"
        found.append([a, b, words, str(len(difference)), *map(str, counts), p_value])
    pairs = pd.DataFrame(found)
    ordered = pairs[7].sort_values()
    holm = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)  # Holm's correction
    rows = body(page, "pairs")
    for place, entry in enumerate(found):
        assert rows[place] == [*entry[:7], format_p_value(entry[7]), format_p_value(holm[place])]


def test_other_metrics_profiles_grid_and_charts_are_those_of_the_export(study: tuple[str, pd.DataFrame]) -> None:
    page, scores = study
    share, delay = per_problem(scores), per_problem(scores, "delay")
    for name, cells in [(row[0], row[1]) for row in body(page, "metrics")]:
        assert cells.startswith(format_interval(bootstrap_interval(delay.loc[name].to_numpy())))
    grid = body(page, "grid")
    start = page.index('<table class="grid"')
    names = re.findall(r"<button type=\"button\">([^<]+)</button>", page[start : page.index("</thead>", start)])
    for row in grid:
        for name, cell in zip(names[1:], row[1:], strict=True):
            assert cell.split()[0] == format_number(share.loc[name, row[0]])
    data = json.loads(re.search(r'class="data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    for place, metric in enumerate(data["metrics"]):
        table = per_problem(scores, metric["name"])
        for subject, values in zip(data["subjects"], data["scores"][place], strict=True):
            np.testing.assert_allclose(values, table.loc[subject, data["problems"]], rtol=1e-8)
    figures = {key: pd.DataFrame(entry["rows"], columns=entry["columns"]) for key, entry in data["figures"].items()}
    spread = figures["spread"].pivot_table(index="subject", columns="problem", values="share")
    pd.testing.assert_frame_equal(spread, share, check_names=False, rtol=1e-8)
    ranks = share.rank(ascending=False).mean(axis=1)
    np.testing.assert_allclose(figures["ranks"].mean_rank, ranks[figures["ranks"].subject], rtol=1e-8)
    seeds = scores[scores.metric == "share"].groupby(["seed", "subject"]).value.mean()
    own = figures["seeds"].set_index(["seed", "subject"]).mean_share
    np.testing.assert_allclose(own, seeds[own.index], rtol=1e-8)
    for _, entry in figures["tags"].iterrows():
        tag = scores[f"tag.{entry.tag}"].astype(str)
        interval = bootstrap_interval(per_problem(scores[tag == entry.value]).loc[entry.subject].to_numpy())
        np.testing.assert_allclose([entry.mean_share, entry.low, entry.high], list(interval), rtol=1e-8)
    for _, entry in figures["cost-seconds"].iterrows():
        median = scores[(scores.metric == "share") & (scores.subject == entry.subject)].seconds.median()
        assert entry.seconds_median_of_a_cell == pytest.approx(median, rel=1e-8)


def _seconds(value: float) -> str:
    return f"{1000 * value:.0f}" if value < 1 else f"{value:.1f}"
