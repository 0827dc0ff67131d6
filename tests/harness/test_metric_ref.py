from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from assay.core import Aggregate, InvalidInput, Metric, get_track
from assay.core.track import AnyTrack
from assay.harness.metric_loading import load_metrics, resolve_metrics
from assay.harness.metric_ref import metric_files, resolve_metric

MINE = """
from assay.core import Aggregate, Metric
from helpers import constant

def half(evidence):
    "Half of it."
    return constant / 2

def across(records):
    return {record.subject: 1.0 for record in records}

TWO = Metric("two", lambda evidence: 2.0, goal="min")
ACROSS = Aggregate("across", across)
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "helpers.py").write_text("constant = 1.0\n")
    (tmp_path / "beside.py").write_text("raise RuntimeError('nobody imports this')\n")
    return tmp_path


def names(text: str, track: AnyTrack, folder: Path) -> list[str]:
    ref = resolve_metric(text, track, folder=folder)
    return [] if ref is None else [metric.name for metric in load_metrics(ref, track)]


def test_a_metric_of_the_track_is_nothing_new_and_one_of_a_family_needs_no_code(tmp_path: Path) -> None:
    track = get_track("drift")
    assert resolve_metric("recall@2", track, folder=tmp_path) is None
    assert resolve_metric("mrr_over_drifts", track, folder=tmp_path) is None
    ref = resolve_metric("recall@10", track, folder=tmp_path)
    assert ref is not None
    assert (ref.kind, ref.digest, names("recall@10", track, tmp_path)) == ("family", "", ["recall@10"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mine.py", ["two", "across"]),
        ("mine.py:half", ["half"]),
        ("mine.py:TWO", ["two"]),
        ("mine:ACROSS", ["across"]),
        ("package.inner:third", ["third"]),
    ],
)
def test_files_and_modules_of_the_working_folder_are_found(
    text: str, expected: list[str], mine: Path, parity: AnyTrack
) -> None:
    (mine / "package").mkdir()
    (mine / "package" / "inner.py").write_text("from package.other import base\ndef third(e): return base\n")
    (mine / "package" / "other.py").write_text("base = 3.0\n")
    assert names(text, parity, mine) == expected


def test_a_list_named_metrics_says_what_a_file_offers(mine: Path, parity: AnyTrack) -> None:
    with (mine / "mine.py").open("a") as file:
        file.write("METRICS = [half]\n")
    assert names("mine.py", parity, mine) == ["half"]


def test_a_function_that_an_aggregate_is_made_of_means_the_aggregate(mine: Path, parity: AnyTrack) -> None:
    with (mine / "mine.py").open("a") as file:
        file.write("METRICS = [Metric('lower', half, goal='min'), half]\n")
    for text, kind in {"mine.py:across": Aggregate, "mine.py:half": Metric}.items():
        ref = resolve_metric(text, parity, folder=mine)
        assert ref is not None
        (entry,) = load_metrics(ref, parity)
        assert isinstance(entry, kind)
    assert (entry.name, entry.goal) == ("lower", "min")


def test_the_digest_is_that_of_the_file_and_of_what_it_imports_here(mine: Path, parity: AnyTrack) -> None:
    first = resolve_metric("mine.py:half", parity, folder=mine)
    assert first is not None
    assert sorted(metric_files(first)) == ["helpers.py", "mine.py"]
    (mine / "beside.py").write_text("")
    assert resolve_metric("mine.py:half", parity, folder=mine) == first
    (mine / "helpers.py").write_text("constant = 4.0\n")
    second = resolve_metric("mine.py:half", parity, folder=mine)
    assert second is not None
    assert second.digest != first.digest
    (before,) = load_metrics(second, parity)
    assert before.function(()) == 2.0  # not what an earlier load left in memory
    assert before.source == second.digest


def test_an_installed_package_offers_metrics_by_name_and_adds_none_by_itself(installed: None, tmp_path: Path) -> None:
    track = get_track("formula")
    assert "brevity" not in [metric.name for metric in track.metrics]
    refs, extended = resolve_metrics(["brevity", "problems_solved"], track, folder=tmp_path)
    assert [(ref.kind, ref.target, ref.attribute) for ref in refs] == [
        ("installed", "assay_brevity", "BREVITY"),
        ("installed", "assay_brevity.across", "problems_solved"),
    ]
    assert sorted(metric_files(refs[1])) == ["assay_brevity/__init__.py", "assay_brevity/across.py"]
    assert extended.metric("brevity").source == refs[0].digest
    assert [aggregate.name for aggregate in extended.aggregates][-1] == "problems_solved"
    assert names("assay_brevity:BREVITY", track, tmp_path) == ["brevity"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nothing.py", "metric 'nothing.py': .*nothing.py: file not found"),
        ("mine.py:halve", "No object in mine.py named 'halve'. Did you mean 'half'"),
        ("no_such_module:x", "there is no module 'no_such_module' here or installed"),
        ("accuracies", "No metric named 'accuracies'. Did you mean 'accuracy'.*mine.py:NAME"),
        ("empty.py", "metric 'empty.py': holds no Metric and no Aggregate. Name a function: empty.py:NAME"),
        ("broken.py", r"metric 'broken.py' cannot be imported: ZeroDivisionError: division by zero \(line 2\)"),
        ("syntax.py", "syntax.py, line 1: .* not valid Python"),
        ("number.py:x", "metric 'number.py:x': neither a Metric, an Aggregate nor a function of evidence, but int"),
        ("taken.py:accuracy", "track 'parity' has a metric 'accuracy' already"),
    ],
)
def test_what_cannot_be_a_metric_is_named(text: str, message: str, mine: Path, parity: AnyTrack) -> None:
    for name, source in {
        "empty.py": "def solve(evidence): return 1.0\n",
        "broken.py": "\n1 / 0\n",
        "syntax.py": "def\n",
        "number.py": "x = 3\n",
        "taken.py": "def accuracy(evidence): return 1.0\n",
    }.items():
        (mine / name).write_text(source)
    with pytest.raises(InvalidInput, match=message):
        resolve_metrics([text], parity, folder=mine)


@pytest.mark.parametrize("place", ["problem", "results"])
@pytest.mark.parametrize("text", ["inside/mine.py:half", "link.py:half", "mine:half", "uses.py:half"])
def test_code_in_a_problem_or_results_folder_is_never_taken(
    place: str, text: str, mine: Path, parity: AnyTrack
) -> None:
    inside = mine / "inside"
    inside.mkdir()
    for name in ("mine.py", "helpers.py"):
        (inside / name).write_text((mine / name).read_text())
    (inside / ("problem.json" if place == "problem" else "assay.sqlite")).write_text(json.dumps({"track": "parity"}))
    (mine / "link.py").symlink_to(inside / "mine.py")
    (inside / "deeper.py").write_text("def half(evidence): return 0.5\n")
    (mine / "uses.py").write_text("from inside.deeper import half\n")
    folder = inside if text == "mine:half" else mine
    with pytest.raises(InvalidInput, match=f"lies in the {place} folder .*inside. .* taken from you alone"):
        resolve_metric(text, parity, folder=folder)
    assert not [
        module for module in sys.modules.values() if str(getattr(module, "__file__", "")).startswith(str(inside))
    ]


def test_a_file_that_changed_since_it_was_planned_is_not_loaded(mine: Path, parity: AnyTrack) -> None:
    ref = resolve_metric("mine.py:half", parity, folder=mine)
    assert ref is not None
    (mine / "helpers.py").write_text("raise RuntimeError('must not run')\n")
    with pytest.raises(InvalidInput, match="its files have changed since the run was planned. Run again"):
        load_metrics(ref, parity)
