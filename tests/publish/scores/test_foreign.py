"""Files of other benchmarks: every figure again with pandas, and clear lines for files that are not theirs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.publish.scores.foreign import import_lm_eval, import_srbench, lm_eval_scores, srbench_scores
from assay.report import Results, load

PUBLISHED = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "formula"
needs_srbench = pytest.mark.skipif(not (PUBLISHED / "srbench_groundtruth.csv.gz").is_file(), reason="ASSAY_BENCHMARKS")


@pytest.fixture(scope="module")
def blackbox(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, Results]:
    """SRBench's published black-box results, and what was imported of them."""
    path = PUBLISHED / "srbench_blackbox_results.csv.gz"
    out = tmp_path_factory.mktemp("srbench")
    imported = import_srbench(path, out, allow_gaps=True)
    assert imported.track == "SRBench (imported)"
    return pd.read_csv(path), load(out)


@needs_srbench
def test_means_ranks_and_items_of_published_tables_are_those_of_pandas(
    blackbox: tuple[pd.DataFrame, Results],
) -> None:
    frame, results = blackbox
    wide = frame.pivot(index="dataset", columns="algorithm", values="r2_test")
    board = results.leaderboard(metrics=())
    assert {row.subject: row.mean("r2_test").value for row in board.rows} == pytest.approx(wide.mean().to_dict())
    ranks = wide.rank(axis=1, ascending=False, na_option="bottom").mean()  # who has no score is last there
    assert {row.subject: row.mean_rank for row in board.rows} == pytest.approx(ranks.to_dict())
    assert [row.subject for row in board.rows] == list(wide.mean().sort_values(ascending=False).index)
    tiers = [row.tier for row in board.rows]
    assert tiers == sorted(tiers)  # type: ignore[type-var]
    assert tiers[0] == 1
    assert len(set(tiers)) > 3
    items = {item.problem: item for item in results.items().items}
    assert {name: item.mean for name, item in items.items()} == pytest.approx(wide.mean(axis=1).to_dict())
    for problem in list(wide.index)[::17]:
        here = wide.loc[problem]
        others = wide.drop(index=problem).mean()
        assert items[problem].discrimination == pytest.approx(here.corr(others), abs=1e-9)
        assert items[problem].agreement == pytest.approx(here.corr(others, method="kendall"), abs=1e-9)
    hardest = min(items.values(), key=lambda item: item.difficulty)
    assert hardest.problem == wide.mean(axis=1).idxmin()


@pytest.mark.soak
@needs_srbench
def test_a_report_of_published_tables_says_that_they_were_imported(
    blackbox: tuple[pd.DataFrame, Results], tmp_path: Path
) -> None:
    _, results = blackbox
    results.to_html(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "SRBench (imported)" in text
    assert "not examined here" in text


@needs_srbench
def test_noise_levels_of_published_tables_are_problems_of_their_own() -> None:
    path = PUBLISHED / "srbench_groundtruth.csv.gz"
    frame, raw = srbench_scores(path), pd.read_csv(path)
    solved = frame[frame["metric"] == "symbolic_solution_rate_(%)"]
    assert len(solved) == raw["symbolic_solution_rate_(%)"].notna().sum()
    assert solved.groupby("subject")["value"].mean().to_dict() == pytest.approx(
        raw.groupby("algorithm")["symbolic_solution_rate_(%)"].mean().to_dict()
    )
    assert frame["problem"].str.contains(" noise 0.01").any()


def test_a_folder_of_result_files_is_read_with_seeds(tmp_path: Path) -> None:
    for seed in (11, 860):
        for name, r2 in (("a", 0.5), ("b", 0.25)):
            body = {
                "algorithm": name,
                "dataset": "d",
                "random_state": seed,
                "r2_test": r2 + seed / 1e4,
                "model_size": 3,
            }
            (tmp_path / f"d_{name}_{seed}.json").write_text(json.dumps(body))
    (tmp_path / "other.json").write_text("{}")
    frame = srbench_scores(tmp_path)
    assert len(frame) == 8
    assert sorted(frame["seed"].unique()) == [11, 860]
    assert dict(zip(frame["metric"], frame["direction"], strict=True)) == {"r2_test": "max", "model_size": "min"}


def sample(document: int, **scores: object) -> str:
    return json.dumps({"doc_id": document, "doc": {"q": "?"}, "doc_hash": "1", "metrics": list(scores), **scores})


@pytest.fixture
def harness(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for model in ("org__small", "org__large"):
        folder = tmp_path / "output" / model
        folder.mkdir(parents=True)
        lines = [sample(n, acc=bool(rng.random() < 0.5), perplexity=float(rng.random())) for n in range(5)]
        (folder / "samples_arc_easy_2026-11-17T10-00-00.123.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "results_2026.json").write_text("{}")
    return tmp_path / "output"


def test_samples_become_problems_of_their_task(harness: Path, tmp_path: Path) -> None:
    imported = import_lm_eval(harness, tmp_path / "out")
    assert (imported.records, imported.gaps) == (10, 0)
    results = load(tmp_path / "out")
    assert results.subjects == ("org__large", "org__small")
    assert results.problems == tuple(f"arc_easy/{n}" for n in range(5))
    frame = lm_eval_scores(harness)
    own = frame[(frame["metric"] == "acc") & (frame["subject"] == "org__small")]["value"].mean()
    assert {row.subject: row.mean("acc").value for row in results.leaderboard().rows}["org__small"] == pytest.approx(
        own
    )
    assert set(frame[frame["metric"] == "perplexity"]["direction"]) == {"min"}
    assert {record.tags["task"] for record in results.records} == {"arc_easy"}


@pytest.mark.parametrize(
    ("metric", "direction"),
    [
        *((name, "max") for name in ("answer_f1", "criteria_met", "certainty", "acc_norm", "bleu")),
        *((name, "min") for name in ("wer", "ter", "char_cer", "word_perplexity", "bits_per_byte", "brier_score")),
        *((name, "min") for name in ("pct_stereotype", "logloss", "rmse", "mae")),
    ],
)
def test_errors_are_told_by_their_words_and_not_by_letters_inside_others(
    harness: Path, metric: str, direction: str
) -> None:
    file = next(harness.glob("org__small/*.jsonl"))
    file.write_text(sample(1, **{metric: 0.5}))
    assert set(lm_eval_scores(file)["direction"]) == {direction}


def test_filters_are_metrics_of_their_own_and_repeated_samples_an_error(harness: Path) -> None:
    file = next(harness.glob("org__small/*.jsonl"))
    file.write_text("\n".join(json.dumps({"doc_id": 1, "filter": f, "metrics": ["em"], "em": 1.0}) for f in "ab"))
    assert set(lm_eval_scores(file)["metric"]) == {"em,a", "em,b"}
    file.write_text(sample(1, acc=1.0) + "\n" + sample(1, acc=0.0))
    with pytest.raises(InvalidInput, match=r"2 scores stand more than once, such as org__small / arc_easy/1 / seed 0"):
        lm_eval_scores(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "line 1: not a sample of lm-evaluation-harness"),
        ('{"doc_id": 1, "metrics": ["em"]}', "line 1: not a sample .*KeyError: 'em'"),
        ('{"doc_id": 1, "metrics": []}', "has no sample with a metric"),
        ('{"doc_id": 1, "metrics": ["em"], "em": NaN}', "no score in it is a finite number"),
    ],
)
def test_wrong_samples_are_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "samples_x.jsonl").write_text(text)
    with pytest.raises(InvalidInput, match=message):
        lm_eval_scores(tmp_path / "samples_x.jsonl")


def test_wrong_files_are_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no samples_TASK.jsonl. Run lm_eval with --log_samples"):
        lm_eval_scores(tmp_path)
    with pytest.raises(InvalidInput, match="holds no result file of SRBench"):
        srbench_scores(tmp_path)
    with pytest.raises(InvalidInput, match="file not found"):
        import_srbench(tmp_path / "none.csv", tmp_path / "out")
    (tmp_path / "t.csv").write_text("algorithm,data\na,b\n")
    with pytest.raises(InvalidInput, match="the column 'dataset' is missing"):
        srbench_scores(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("algorithm,dataset\na,b\n")
    with pytest.raises(InvalidInput, match="has none of the metrics r2_test"):
        srbench_scores(tmp_path / "t.csv")
