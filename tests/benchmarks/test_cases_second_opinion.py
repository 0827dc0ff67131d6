"""The comparison of detectors: tables of one origin stay together, and its statistics are what they are called."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from benchmarks.cases_second_opinion import OURS, Cell, Scored, _influence, interval, p_behind

from assay.cases.metrics import auroc
from benchmarks import cases_tables

RNG = np.random.default_rng(5)


def test_area_is_auroc_and_influences_cancel() -> None:
    scores, wrong = RNG.integers(0, 8, 200) / 8, RNG.random(200) < 0.2
    area, moves = _influence(scores, wrong)
    assert area == pytest.approx(auroc(scores, wrong), abs=1e-12)
    assert moves[wrong].sum() == pytest.approx(0, abs=1e-12)
    assert moves[~wrong].sum() == pytest.approx(0, abs=1e-12)


def test_the_chance_of_being_behind_is_small_only_for_the_worse_score() -> None:
    wrong, rows = RNG.random(400) < 0.2, np.arange(400)
    good, bad = RNG.normal(size=400) - 2.0 * wrong, RNG.normal(size=400)
    ours_good = Cell("t", "t", "tree", [Scored(wrong, rows, {OURS: good, "rival": bad})], int(wrong.sum()))
    ours_bad = Cell("t", "t", "tree", [Scored(wrong, rows, {OURS: bad, "rival": good})], int(wrong.sum()))
    assert p_behind(ours_bad, "rival") < 0.001
    assert p_behind(ours_good, "rival") > 0.999
    same = Cell("t", "t", "tree", [Scored(wrong, rows, {OURS: good, "rival": good})], int(wrong.sum()))
    assert p_behind(same, "rival") == 0.5
    twice = ours_bad._replace(splits=ours_bad.splits * 2)  # the same rows again are no new evidence
    assert p_behind(twice, "rival") == pytest.approx(p_behind(ours_bad, "rival"))


def test_the_interval_draws_whole_origins() -> None:
    origins = np.repeat(["a", "b", "c", "d"], 50)
    low, high = interval(np.repeat([0.0, 0.1, 0.2, 0.3], 50), origins)
    assert low < 0.08  # as wide as four origins, not two hundred cells
    assert high > 0.22


def test_origins_stay_together_and_relatives_of_the_built_in_data_are_development(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*(name for group in cases_tables.ORIGINS.values() for name in group), *(f"own{i}" for i in range(20))]
    lines = ["name,task,rows,features,distinct_targets", *(f"{name},classification,200,4,3" for name in names)]
    (tmp_path / "pmlb").mkdir()
    (tmp_path / "pmlb" / "index.csv").write_text("\n".join([*lines, "tiny,classification,50,4,3"]), encoding="utf-8")
    monkeypatch.setenv("ASSAY_BENCHMARKS", str(tmp_path))
    halves = cases_tables.halves()
    placed = [name for half in halves.values() for tables in half.values() for name in tables]
    assert sorted(placed) == sorted(names)
    assert not set(halves["held-out"]) & {*halves["development"], *cases_tables.BUILT_IN_RELATIVES}
    for origin, tables in cases_tables.ORIGINS.items():
        assert (halves["held-out"].get(origin) or halves["development"][origin]) == tuple(sorted(tables))


def test_rows_with_gaps_and_rare_classes_are_left_out_and_texts_are_numbered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pmlb" / "classification"
    folder.mkdir(parents=True)
    rows = [f"{i}\t{'blue' if i % 2 else 'amber'}\t{i % 2}" for i in range(30)]
    body = "\n".join(["size\tcolour\ttarget", *rows, "NA\tblue\t0", "3\tblue\t7"])
    (folder / "few.tsv.gz").write_bytes(gzip.compress(body.encode()))
    monkeypatch.setenv("ASSAY_BENCHMARKS", str(tmp_path))
    X, y = cases_tables.read_table("few")
    assert (len(X), set(y.tolist())) == (30, {0, 1})
    np.testing.assert_array_equal(X[:, 1], y)
