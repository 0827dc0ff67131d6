"""The server, asked by the SDK's own client: in this process, and once over standard input and output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.connections.mcp.conftest import RATIO, SUM
from tests.threads import run_async

import assay
from assay.connections.mcp import Desk, make_server

RIGHT = {"models": ["0.5 * mass * speed**2"]}
FEW = {"N_RF_ESTIMATORS": 2}


async def reply_of(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    text = "".join(block.text for block in result.content)  # type: ignore[union-attr]
    assert not result.is_error, text
    return json.loads(text)


def test_the_tools_are_described_and_mistakes_are_told_as_such(energy: tuple[str, str], tmp_path: Path) -> None:
    server = make_server(Desk([energy], tmp_path / "out"))

    async def talk() -> None:
        async with Client(server) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"list_problems", "get_task", "try_functions", "try_formulas", "submit", "my_scores"}
            assert all(tool.description for tool in tools.values())
            assert "the last one of a problem counts" in (client.instructions or "")
            wrong = await client.call_tool("get_task", {"problem": "formula-1"})
            assert wrong.is_error
            assert "No problem named 'formula-1'" in wrong.content[0].text  # type: ignore[union-attr]
            (problem,) = await reply_of(client, "list_problems")
            (tried,) = await reply_of(client, "try_formulas", problem=problem["problem"], formulas=["mass"])
            assert tried["status"] == "ok"

    run_async(talk())


@pytest.mark.parametrize(
    "tracks", [("formula",), pytest.param(("insight", "formula"), marks=pytest.mark.soak)], ids=["one", "several"]
)
def test_a_client_over_stdio_ends_in_the_records_of_a_folder_of_answers(
    tracks: tuple[str, ...], problems: Path, tmp_path: Path
) -> None:
    places = {"insight": problems / "insight", "formula": problems / "formula" / "secret-energy-1"}
    answers = {"insight": (RATIO, SUM), "formula": (RIGHT,)}
    settings = FEW if "insight" in tracks else {}
    sources = [f"{track}={places[track]}" for track in tracks]
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    options += ["--out", str(tmp_path / "out"), "--name", "me", "--submissions", "1"]
    command = StdioServerParameters(command=sys.executable, args=["-m", "assay", "mcp", *sources, *options])

    async def solve() -> None:
        async with Client(command) as client:
            offered = [entry["problem"] for entry in await reply_of(client, "list_problems")]
            task = await reply_of(client, "get_task", problem=offered[-1])
            assert Path(task["folder"], "train.csv").is_file()
            for name, answer in zip(offered, [each for track in tracks for each in answers[track]], strict=True):
                if answer is RATIO:
                    functions = answer["new_feature_functions"]
                    (tried,) = await reply_of(client, "try_functions", problem=name, functions=functions)
                    assert tried["status"] == "ok"
                assert len((await reply_of(client, "submit", problem=name, answer=answer))["scores"]) == 1
            once_more = await client.call_tool("submit", {"problem": offered[-1], "answer": RIGHT})
            assert once_more.is_error
            assert [entry["status"] for entry in await reply_of(client, "my_scores")] == ["ok"] * len(offered)

    run_async(solve())
    served = assay.load(tmp_path / "out")
    for track in tracks:
        ready = tmp_path / "ready" / track
        for folder, answer in zip(assay.problems(track, places[track]).ids, answers[track], strict=True):
            place = ready / (f"{folder}.json" if track == "formula" else f"{folder}/solution_attributes.json")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(_text(answer))
        handed_in = assay.run(
            track,
            {"me": ready},
            problems=places[track],
            settings=settings if track == "insight" else {},
            out=tmp_path / track,
            progress=False,
        )
        contents = [record.content() for record in served.records if record.track == track]
        assert contents == [record.content() for record in handed_in.records]
        assert all(record.status == "ok" for record in handed_in.records)


def _text(answer: object) -> str:
    return json.dumps(answer, indent=1, sort_keys=True)


def test_a_missing_sdk_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch, energy: Any, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(assay.MissingExtra, match="pip install 'mcp"):
        make_server(Desk([energy], tmp_path / "out"))
