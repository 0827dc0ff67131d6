"""The drift track's own commands, called as a user calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.drift.app import app
from assay.core import InvalidInput
from assay.drift.generate.problems import generate
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog, Order
from assay.drift.logs.read import read_log_file, write_log
from assay.drift.problem.detector_files import read_detections
from assay.drift.problem.task import load
from assay.intake.table.options import TableOptions


def call(*arguments: str) -> Result:
    """The command in this process; what it raises is raised here."""
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False, standalone_mode=False)


@pytest.fixture(scope="module")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("problems")
    generate(folder, problems=2, seed=4, cases=200, types=("sudden", "gradual"), difficulty=("easy",))
    return folder


def bare(problems: Path, folder: Path) -> Path:
    """A problem as a detector's folder with the golden column, its documents beside it."""
    from assay.drift.problem.detector_files import write_detections

    problem = load(problems / "generated-4-000")
    names = problem.truth.names(problem.task.corpus)
    write_detections(folder / "set", problem.task.drifts, golden=[sorted(entry) for entry in names])
    for process, log in problem.task.logs.items():
        write_log(log, folder / "set" / f"{process}.xes")
    (folder / "documents").mkdir()
    for document in problem.task.corpus:
        (folder / "documents" / document.name).write_text(document.text)
    return folder


@pytest.mark.soak
def test_evaluate_writes_the_master_report_and_prints_recall_as_percentages(problems: Path, tmp_path: Path) -> None:
    result = call("evaluate", "--logs", str(problems), "--out", str(tmp_path / "out"), "-k", "1", "-k", "2")
    assert result.return_value == 0
    with (tmp_path / "out" / "master_eval_report.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["drift_id"] for row in rows[:2]] == ["generated-4-000_drift_1_1", "generated-4-000_drift_1_2"]
    total = rows[-1]
    assert (total["test_set"], total["drift_id"]) == ("ALL", "ALL")
    assert f"Recall@1 {float(total['recall@1']):.1%}" in result.stdout
    assert f"MRR {float(total['mrr']):.3f}" in result.stdout
    for name in ("random", "date-only", "sudden", "gradual"):
        assert f"| {name} |" in result.stdout
    assert (tmp_path / "out" / "summary.csv").is_file()


@pytest.mark.soak
def test_evaluate_reads_test_sets_with_a_golden_column_and_ready_rankings(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    where = ("--logs", str(folder), "--documents", str(folder / "documents"), "--index", str(tmp_path / "index"))
    result = call("evaluate", *where, "--out", str(tmp_path / "a"), "--json")
    lines = json.loads(result.stdout)
    ours = {line["metric"]: line["value"]["value"] for line in lines if line["subject"] == "explainer"}
    assert 0.0 < ours["mrr"] <= 1.0
    again = call("evaluate", *where, "--out", str(tmp_path / "b"), "--run", str(tmp_path / "a/runs/explainer.run"))
    assert (tmp_path / "a/master_eval_report.csv").read_text() == (tmp_path / "b/master_eval_report.csv").read_text()
    assert "# Evaluation of `explainer`" in again.stdout


@pytest.mark.soak
def test_the_records_of_an_evaluation_are_kept_and_not_run_again(problems: Path, tmp_path: Path) -> None:
    from assay.harness import rescore
    from assay.report import load as load_results

    where = ("--logs", str(problems), "--subject", "date-only", "--results", str(tmp_path / "results"))
    for _ in range(2):
        result = call("evaluate", *where, "--out", str(tmp_path / "out"))
        assert result.return_value == 0
    (track,) = load_results(tmp_path / "results").tracks
    assert {record.subject for record in track.records} == {"date-only", "random-in-window", "random"}
    assert {record.status for record in track.records} == {"ok"}
    assert rescore(tmp_path / "results").reused == len(track.records) == 6


@pytest.mark.soak
def test_evaluate_goes_on_past_a_broken_test_set_and_says_so(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    (folder / "torn").mkdir()
    (folder / "torn" / "prediction_results.csv").write_text("nothing\n")
    result = call(
        *("evaluate", "--logs", str(folder), "--documents", str(folder / "documents"), "--out", str(tmp_path / "o")),
        *("--subject", "date-only"),
    )
    assert result.return_value == 2
    assert "Test sets that could not be read" in result.stdout
    assert "torn" in result.stdout


def test_the_default_folder_of_test_sets_is_named_when_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match="data/event_logs: folder of test sets not found"):
        call("evaluate", "--out", "o")


def test_explain_uses_the_default_folder_and_its_golden_column(
    problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bare(problems, tmp_path)
    (tmp_path / "data").mkdir()
    (folder / "set").rename(tmp_path / "data" / "drift_outputs")
    monkeypatch.chdir(tmp_path)
    result = call("explain", "--documents", "documents")
    judged = next(entry.drift.id for entry in read_detections("data/drift_outputs") if entry.golden)
    assert f"{judged}: Recall@1 " in result.stdout
    assert "%, Recall@2 " in result.stdout
    assert "What changed:" in result.stdout
    assert "confidence" in result.stdout


def test_explain_one_drift_against_a_given_cause(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    golden = next(entry.golden for entry in read_detections(folder / "set") if entry.golden)
    number = str(1 + [bool(entry.golden) for entry in read_detections(folder / "set")].index(True))
    where = ("--log", str(folder / "set"), "--documents", str(folder / "documents"), "--drift", number)
    gold = [part for name in golden for part in ("--gold", name)]
    result = call("explain", *where, *gold, "--json")
    (content,) = json.loads(result.stdout)["drifts"]
    assert content["golden"] == sorted(golden)
    assert set(content["scores"]) == {"recall@1", "recall@2", "mrr"}
    text = (folder / "documents" / content["causes"][0]["document"]).read_text()
    assert content["causes"][0]["quote"] in text
    with pytest.raises(InvalidInput, match="golden documents: not in the corpus"):
        call("explain", *where, "--gold", "lost.pdf")
    with pytest.raises(InvalidInput, match="--drift 9: .* has 2 drifts"):
        call("explain", *where[:-1], "9")
    with pytest.raises(InvalidInput, match="say which one is meant with --drift"):
        call("explain", *where[:-2], "--gold", golden[0])
    with pytest.raises(InvalidInput, match="--chat-url and --chat-model belong together"):
        call("explain", *where, "--chat-model", "small")


@pytest.mark.parametrize("suffix", ["md", "html", "docx"])
def test_explanations_are_exported(problems: Path, tmp_path: Path, suffix: str) -> None:
    if suffix == "docx":
        pytest.importorskip("docx", reason="the extra 'documents' is not installed")
    folder = bare(problems, tmp_path)
    out = tmp_path / f"why.{suffix}"
    call("explain", "--log", str(folder / "set"), "--documents", str(folder / "documents"), "--out", str(out))
    assert out.stat().st_size > 500


def test_explain_detects_the_drifts_of_a_bare_log(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    log = next((folder / "set").glob("*.xes"))
    result = call("explain", "--log", str(log), "--documents", str(folder / "documents"))
    assert "drift of" in result.stdout
    assert "Evaluation" not in result.stdout
    with pytest.raises(InvalidInput, match="there is nothing here"):
        call("explain", "--log", str(tmp_path / "none.xes"), "--documents", str(folder / "documents"))
    with pytest.raises(InvalidInput, match="there is no prediction_results.csv here"):
        call("explain", "--log", str(folder / "documents"), "--documents", str(folder / "documents"))


def test_explain_puts_cases_in_the_order_that_is_asked_for(
    problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bare(problems, tmp_path)
    seen: list[str] = []

    def reading(path: Path, *, options: TableOptions, order: Order) -> EventLog:
        seen.append(order)
        return read_log_file(path, options=options, order=order)

    for module in ("explanation.explain_log", "problem.testsets"):
        monkeypatch.setattr(f"assay.drift.{module}.read_log_file", reading)
    for path in (folder / "set", next((folder / "set").glob("*.xes"))):
        call("explain", "--log", str(path), "--documents", str(folder / "documents"), "--order", "end", "--drift", "1")
    assert seen == ["end", "end"]


def test_explain_goes_on_without_a_log_that_is_broken(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    for path in (folder / "set").glob("*.xes*"):
        path.unlink()
    process = read_detections(folder / "set")[0].drift.process
    (folder / "set" / f"{process}.xes").write_text("version 1\n")
    result = call("explain", "--log", str(folder / "set"), "--documents", str(folder / "documents"), "--drift", "1")
    assert "broken XES" in result.stderr
    assert "without a change profile" in result.stderr


def test_detect_finds_a_drift_draws_it_and_writes_what_explain_reads(tmp_path: Path) -> None:
    built = simulate(seed=3, cases=600, drifts=("sudden",))
    path = tmp_path / f"{built.log.name}.xes.gz"
    write_log(built.log, path)
    out = tmp_path / "found"
    result = call("detect", "--log", str(path), "--plot", "--svg", str(tmp_path / "p.svg"), "--out", str(out))
    assert f"{built.log.name}: 600 cases" in result.stdout
    assert "sudden" in result.stdout
    assert (tmp_path / "p.svg").read_text().lstrip().startswith("<svg")
    (matches,) = read_detections(out)
    planted = built.drifts[0].drift
    assert abs((matches.drift.start - planted.start).days) < 30
    content = json.loads(call("detect", "--log", str(path), "--json").stdout)
    assert content[0]["type"] == "sudden"
    assert content[0]["changes"]
    assert built.log.cases[content[0]["start_index"]] == content[0]["start_case"]
    assert abs(content[0]["start_index"] - built.log.place_of(planted.start_case)) < 20


@pytest.mark.soak
def test_evaluate_takes_a_file_of_ones_own_and_run_reads_the_same_layout(problems: Path, tmp_path: Path) -> None:
    from assay.cli.main import main

    folder = bare(problems, tmp_path)
    own = tmp_path / "mine.py"
    own.write_text(
        "def solve(task, budget):\n    return {drift.id: sorted(task.corpus.names) for drift in task.drifts}\n"
    )
    where = ("--logs", str(folder / "set"), "--documents", str(folder / "documents"), "--count-from", "0")
    result = call("evaluate", *where, "--subject", str(own), "--out", str(tmp_path / "out"), "-k", "1")
    assert result.return_value == 0
    with (tmp_path / "out" / "master_eval_report.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["drift_id"] for row in rows[:2]] == ["set_drift_0_0", "set_drift_0_1"]
    assert rows[0]["predicted_doc_1"] == min(path.name for path in (folder / "documents").iterdir())
    arguments = ["run", "drift", "--problems", str(folder / "set"), "--subject", str(own), "--out", str(tmp_path / "r")]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0


def test_explain_writes_the_report_of_a_single_run(problems: Path, tmp_path: Path) -> None:
    folder = bare(problems, tmp_path)
    where = ("--log", str(folder / "set"), "--documents", str(folder / "documents"))
    call("explain", *where, "--eval-out", str(tmp_path / "single"), "-k", "1", "-k", "2")
    with (tmp_path / "single" / "single_eval_report.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["drift_id"] for row in rows] == ["set_drift_1_1", "set_drift_1_2", "ALL"]
    assert [(row["row"], row["drift_index"]) for row in rows[:-1]] == [("1", "1"), ("1", "2")]
    judged = [row for row in rows[:-1] if row["gold_document"]]
    assert judged
    for row in judged:
        assert float(row["recall@1"]) == float(row["predicted_doc_1"] == row["gold_document"])
    assert float(rows[-1]["mrr"]) == pytest.approx(sum(float(row["mrr"]) for row in judged) / len(judged))


def test_detect_asks_for_time_and_leaves_open_cases_out(tmp_path: Path) -> None:
    built = simulate(seed=5, cases=300, drifts=(), patterns=None, days=30)
    cut = int(built.log.starts[-1])
    frame = built.log.to_frame()
    frame = frame[frame["time:timestamp"].astype("int64") <= cut]
    late = frame["case:concept:name"].str.removeprefix("case ").astype(int) > 150
    begin = frame.groupby("case:concept:name")["time:timestamp"].transform("min")
    stretched = begin + (frame["time:timestamp"] - begin) * (1 + 2 * late)
    frame["time:timestamp"] = stretched.where(stretched.astype("int64") <= cut)
    frame.dropna().to_csv(tmp_path / "log.csv", index=False)
    result = call("detect", "--log", str(tmp_path / "log.csv"), "--perspective", "time", "--order", "start")
    assert "seem to be open still" in result.stderr
    assert "1 drift\n" in result.stdout
    assert "whole case" in result.stdout
    assert "0 drifts" in call("detect", "--log", str(tmp_path / "log.csv")).stdout


def test_detect_reads_tables_with_their_own_columns(tmp_path: Path) -> None:
    built = simulate(seed=3, cases=300, drifts=())
    frame = built.log.to_frame().rename(columns={"case:concept:name": "id", "concept:name": "what"})
    frame.to_csv(tmp_path / "log.csv", index=False)
    columns = ("--column", "case=id", "--column", "activity=what")
    result = call("detect", "--log", str(tmp_path / "log.csv"), *columns, "--out", str(tmp_path / "o"))
    assert "300 cases" in result.stdout
    assert "0 drifts" in result.stdout
    assert not (tmp_path / "o").exists()
    with pytest.raises(InvalidInput, match="No column of a log named 'who'. Known: activity, case, resource, time"):
        call("detect", "--log", str(tmp_path / "log.csv"), "--column", "who=x")


def test_detect_and_explain_take_the_options_of_tables_and_say_what_columns_were_taken(tmp_path: Path) -> None:
    frame = simulate(seed=3, cases=120, drifts=()).log.to_frame()
    frame.columns = ["Vorgang", "Aktivität", "Zeitstempel", *frame.columns[3:]]
    frame["Zeitstempel"] = frame["Zeitstempel"].dt.strftime("%d.%m.%Y %H:%M")
    path = tmp_path / "log.csv"
    path.write_bytes(frame.to_csv(index=False, sep=";").encode("cp1252"))
    result = call("detect", "--log", str(path), "--ignore", str(frame.columns[-1]))
    assert "120 cases" in result.stdout
    chosen = "case = 'Vorgang', activity = 'Aktivität', time = 'Zeitstempel' (%d.%m.%Y %H:%M)"
    assert f"Note: Columns taken: {chosen}" in " ".join(result.stderr.split())
    assert max(map(len, result.stderr.splitlines())) <= 80
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("New rules for permits.")
    explain = ("explain", "--log", str(path), "--documents", str(tmp_path / "documents"))
    with pytest.raises(InvalidInput, match="no column 'Vorgnag'. Did you mean 'Vorgang'"):
        call(
            *explain,
            "--column",
            "case=Vorgnag",
            "--sep",
            ";",
            "--encoding",
            "cp1252",
            "--time-format",
            "%d.%m.%Y %H:%M",
        )


def test_generate_writes_fresh_problems_into_a_new_folder(tmp_path: Path) -> None:
    options = ("--problems", "2", "--seed", "3", "--type", "sudden", "--cases", "120", "--difficulty", "easy")
    result = call("generate", "--out", str(tmp_path / "new"), *options)
    assert "wrote 2 problems" in result.stdout
    assert load(tmp_path / "new" / "generated-3-001").tags["difficulty"] == "easy"
    with pytest.raises(InvalidInput, match="already exists and is not empty"):
        call("generate", "--out", str(tmp_path / "new"), *options)
    with pytest.raises(InvalidInput, match="the built-in ones take no options"):
        call("generate", "--out", str(tmp_path / "other"), "--type", "sudden")
