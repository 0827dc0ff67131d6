"""``assay insight new`` and ``assay drift new`` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.drift.conftest import TEXTS, small_log
from tests.insight.problem.user_problem.test_problem import EXPERTS, ORDERS, PEOPLE

from assay.cli.main import main
from assay.drift import write_log

RULE = "2020-03-02_New_Rule.txt"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tables(here: Path) -> None:
    """As an office in Europe writes them."""
    for name, frame in (("people", PEOPLE), ("orders", ORDERS), ("experts", EXPERTS)):
        frame.to_csv(f"{name}.csv", index=False, sep=";", decimal=",", date_format="%d.%m.%Y")


@pytest.fixture
def trips(here: Path) -> None:
    write_log(small_log(), "trips.csv")
    Path("documents").mkdir()
    for name, text in TEXTS.items():
        Path("documents", name).write_text(text)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    text = capsys.readouterr()
    return int(str(ended.value.code)), text.out, text.err


INSIGHT = ("insight", "new", "--table", "people.csv", "--table", "bought=orders.csv", "--time", "joined")
DRIFT = ("drift", "new", "--log", "trips.csv", "--documents", "documents", "--drift", "2020-03-10")


@pytest.mark.usefixtures("tables")
def test_tables_become_a_problem_and_the_next_commands_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    words = (*INSIGHT, "--target", "left", "--experts", "experts.csv", "--meaning", "spent=spent so far")
    code, out, err = call(capsys, *words, "--out", "problems/left")
    assert (code, err) == (0, "")
    for line in (
        "joined     time",
        "  prediction time  column 'joined'",
        "  table bought     people.person_id = bought.person_id; rows are known from\n"
        "                   'ordered' on\n",
        "  assay run insight --problems problems/left --subject relational \\\n"
        "    --subject base-columns --subject oracle\n",
    ):
        assert line in out
    assert max(map(len, out.splitlines())) <= 80
    assert "guessed" not in out  # the target is given
    assert call(capsys, "validate", "problems/left")[0] == 0
    code, out, err = call(capsys, *words, "--out", "problems/left")
    assert (code, err) == (2, "Error: problems/left: already exists and is not empty. Choose a new folder.\n")


@pytest.mark.usefixtures("trips")
def test_a_log_and_a_cause_become_a_problem_told_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, *DRIFT, "--cause", f"2020-03-12={RULE}", "--out", "problems/trips", "--json")
    content = json.loads(out)
    assert (code, err, content["oracle"]) == (0, "", {"trips": 1.0})
    assert content["next"][-1].startswith("assay run drift --problems problems/trips --subject explainer")


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (INSIGHT, "Which column is to be predicted? Give it as --target "),
        ((*INSIGHT, "--target", "left"), "none is given: --experts experts.csv (a table of columns), --experts"),
        ((*INSIGHT, "--target", "lft", "--experts", "experts.csv"), "--target lft: no table has such a column. Did"),
        ((*INSIGHT, "--target", "left", "--table", "people.csv"), "a table 'people' is given already"),
        ((*INSIGHT, "--target", "left", "--table", "x=nowhere.csv"), "nowhere.csv: file not found"),
        ((*INSIGHT, "--target", "left", "--table-time", "orders"), "write it as --table-time orders=ordered_on"),
        ((*INSIGHT, "--target", "left", "--column", "case=x"), "columns are named by --target, --time and --key"),
        ((*INSIGHT, "--target", "left", "--expert-column", "agee"), "--expert-column agee: not a column of 'people'"),
    ],
)  # fmt: skip
def test_a_mistake_about_tables_is_one_line_with_the_flag(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, *words, "--out", "problems/left")
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert not Path("problems").exists()


@pytest.mark.usefixtures("trips")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (DRIFT, "known causes are the truth of a drift problem: --cause 2021-03-01=new_law.pdf."),
        ((*DRIFT, "--cause", RULE), "write when and which document, as in --cause 2021-03-01=new_law.pdf"),
        ((*DRIFT, "--cause", "2020-03-12=New_Rul.txt"), f"no document 'New_Rul.txt' among 4. Did you mean '{RULE}'?"),
        ((*DRIFT, "--cause", f"2020-04-05={RULE}", "--within", "9"), "allow more (--within 26), or say where"),
        ((*DRIFT, "--column", "case=Vorgang", "--cause", f"2020-03-12={RULE}"), "Vorgang"),
    ],
)  # fmt: skip
def test_a_mistake_about_a_log_is_one_line_with_the_flag(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, *words, "--out", "problems/trips")
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("problems").exists()
