"""Agents of every make in one run from the command line; hostile ones fail their own cells."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.chat.scripted import Script, Served, said, serving

from assay.cli.main import cli
from assay.core import digest_folder
from assay.insight import generate, load

Assay = Callable[..., subprocess.CompletedProcess[str]]

FEW = ("--set", "N_RF_ESTIMATORS=10", "--workers", "1", "--seconds", "20", "--json")

# ten lines in a language that knows nothing of Assay
SHELL = r"""#!/bin/sh
set -eu
grep -q '"target_column"' "$1/problem/problem.json"
cat > "$2/solution_attributes.json" <<'JSON'
{"solved_by": "shell",
 "enriched_column_names": ["visits"],
 "feature_descriptions": ["how many visits the customer made"],
 "new_feature_functions": [{"name": "visits", "code":
  "def visits(df, aux):\n    return df['customer_id'].map(aux['visits.csv'].groupby('customer_id').size()).fillna(0)"}]}
JSON
"""

PYTHON = """
from assay.insight import FeatureFunction, InsightAnswer

def solve(task, budget):
    code = "def paid_each(df):\\n    return df['paid'] / df['basket_size'].clip(lower=1)\\n"
    function = FeatureFunction(name="paid_each", code=code)
    return InsightAnswer(solved_by="python", columns=("paid_each",), functions=(function,))
"""

HANGING = "#!/bin/sh\nsleep 600\n"

# it knows where the problems lie
SNEAKY = """#!/bin/sh
cat PROBLEMS/*/ground_truth/data/enriched_test.csv > "$2/stolen" 2>/dev/null
ls PROBLEMS/* >> "$2/stolen" 2>/dev/null
test -s "$2/stolen" && exit 8
grep -rlE "ground_truth|feature_functions|difficulty" "$1" && exit 9
head -n 1 "$1/problem/data/test.csv" | grep returned && exit 10
exit 7
"""

REPLY = '''Here is my idea:

```python
def paid_per_piece(df, aux_dataframes):
    """Amount paid for each piece in the basket."""
    return df["paid"] / df["basket_size"].clip(lower=1)
```
'''


@pytest.fixture
def script() -> Iterator[Script]:
    with serving() as script:
        yield script


@pytest.fixture
def here(tmp_path: Path) -> Path:
    generate(tmp_path / "problems", seed=5, rows=90, difficulty="easy")
    for name, source in {"shell.sh": SHELL, "hanging.sh": HANGING, "sneaky.sh": SNEAKY, "mine.py": PYTHON}.items():
        (tmp_path / name).write_text(source.replace("PROBLEMS", str(tmp_path / "problems")))
        (tmp_path / name).chmod(0o755)
    return tmp_path


def records(here: Path, assay: Assay) -> dict[str, dict[str, Any]]:
    (id,) = [path.name for path in (here / "problems").iterdir()]
    entries = {}
    for name in ("shell", "mine", "llm", "hanging", "sneaky"):
        result = assay("show", "results", f"{id}/{name}", "--json")
        entries[name] = json.loads(result.stdout)
    return entries


@pytest.mark.soak
def test_a_script_a_function_and_a_language_model_finish_a_run_and_hostile_agents_fail_alone(
    here: Path, assay: Assay, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CHAT_KEY", "sk-never-written")
    script.replies = [Served(status=429, headers={"Retry-After": "0.1"}), said(REPLY, prompt=700, completion=60)]
    subjects = ("shell.sh", "mine=mine.py", f"llm=llm(base_url='{script.base_url}', model='m', rounds=1)")
    options = [word for name in (*subjects, "hanging.sh", "sneaky.sh") for word in ("--subject", name)]
    network = ("--allow-network", "--pass-env", "ASSAY_CHAT_KEY")
    assay("run", "insight", "--problems", "problems", *options, *network, *FEW, "--out", "results")
    result = records(here, assay)
    for name in ("shell", "mine", "llm"):
        assert result[name]["status"] == "ok", (name, result[name]["error"])
        assert result[name]["scores"]["inclusive_performance"] > 0
        assert result[name]["details"]["target_leak"] is False
        assert result[name]["isolation"].startswith("confined, network allowed")
    assert result["hanging"]["error_kind"] == "timeout"
    assert result["sneaky"]["error_kind"] == "crashed"
    assert "exit status 7" in result["sneaky"]["error"]  # it found neither the truth nor the test target
    assert result["llm"]["cost"]["reported_prompt_tokens"] == 700
    assert result["llm"]["cost"]["reported_requests"] == 2
    assert any("paid_per_piece" in message["content"] for message in result["llm"]["conversation"])
    assert "[assistant]\n  Here is my idea:" in assay("show", "results", "--subject", "llm").stdout
    stored = b"".join(path.read_bytes() for path in (here / "results").rglob("*") if path.is_file())
    assert b"sk-never-written" not in stored


def test_a_confined_agent_without_network_fails_with_the_way_out(here: Path, assay: Assay, script: Script) -> None:
    script.replies = [said(REPLY)]
    subject = f"llm=llm(base_url='{script.base_url}', model='m', rounds=1, retries=0)"
    assay("run", "insight", "--problems", "problems", "--subject", subject, *FEW, "--out", "results")
    (id,) = [path.name for path in (here / "problems").iterdir()]
    record = json.loads(assay("show", "results", f"{id}/llm", "--json").stdout)
    assert (record["status"], record["error_kind"]) == ("failed", "endpoint")
    assert "--allow-network" in record["error"]
    assert not script.requests


@pytest.mark.soak
def test_failures_of_a_language_model_with_network_say_what_helps_and_keep_the_conversation(
    here: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setenv("ASSAY_CHAT_KEY", "sk-never-written")
    script.replies = [said("I would rather talk about sk-never-written.", prompt=800, completion=9)]
    subjects = (
        f"prose=llm(base_url='{script.base_url}', model='m', rounds=1, repairs=0)",
        "nobody=llm(base_url='http://127.0.0.1:9/v1', model='m', retries=0)",
        f"poor=llm(base_url='{script.base_url}', model='m')",
    )
    options = [word for name in subjects for word in ("--subject", name)]
    network = ("--allow-network", "--pass-env", "ASSAY_CHAT_KEY", "--limit", "poor:tokens=300")
    run = CliRunner().invoke(cli, ["run", "insight", "--problems", "problems", *options, *network, *FEW, "--out", "r"])
    assert run.exit_code == 0, run.output
    assert len(script.requests) == 1
    entries = {}
    for name in ("prose", "nobody", "poor"):
        entries[name] = json.loads(CliRunner().invoke(cli, ["show", "r", "--subject", name, "--json"]).output)
    assert {name: record["error_kind"] for name, record in entries.items()} == {
        "prose": "no function",
        "nobody": "endpoint",
        "poor": "budget",
    }
    assert "[assistant] I would rather talk about [key]." in entries["prose"]["log"]
    assert entries["prose"]["cost"]["reported_prompt_tokens"] == 800
    assert "start the server" in entries["nobody"]["error"]
    assert "--allow-network" not in entries["nobody"]["error"]
    assert "--limit SUBJECT:tokens=N" in entries["poor"]["error"]


@pytest.mark.soak
def test_fresh_problems_are_written_by_the_command_and_are_the_same_again(assay: Assay, tmp_path: Path) -> None:
    plan = ("--problems", "2", "--seed", "9", "--rows", "150", "--difficulty", "easy", "--task", "binary")
    for out in ("one", "two"):
        assert "wrote 2 problems" in assay("insight", "generate", "--out", out, *plan, "--domain", "energy").stdout
    assert digest_folder(tmp_path / "one") == digest_folder(tmp_path / "two")
    for folder in sorted((tmp_path / "one").iterdir()):
        problem = load(folder)
        assert (problem.task.problem_type, problem.tags["family"], problem.tags["difficulty"]) == (
            "binary",
            "energy",
            "easy",
        )
    assert assay("validate", "one", "--track", "insight").returncode == 0


def test_without_a_number_the_built_in_problems_are_written(assay: Assay, tmp_path: Path) -> None:
    assert "wrote 6 problems" in assay("insight", "generate", "--out", "built-in").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seed", "3"), "--problems N"),
        (("--problems", "1", "--domain", "moon"), "No domain named 'moon'"),
        (("--problems", "0"), "problems must be a whole number"),
        (("--problems", "1", "--task", "ranking"), "No problem type named 'ranking'"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_leaves_nothing(
    assay: Assay, tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    assert words in assay("insight", "generate", "--out", "new", *options, code=2).stderr
    assert not (tmp_path / "new").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    assert "not empty" in assay("insight", "generate", "--out", "full", "--problems", "1", code=2).stderr
    assert (tmp_path / "full" / "file").exists()
