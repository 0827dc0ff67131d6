"""The instruction of a task for a model, and the answer in its reply."""

from __future__ import annotations

import json
from pathlib import Path

from assay.connections.offers import example_of, task_files
from assay.core import AnyTrack

__all__ = ["ANSWER_FILE", "find_answer", "instruct"]

ANSWER_FILE = "answer.json"  # in the sandbox


def instruct(track: AnyTrack, folder: Path, *, sandbox: bool = False) -> str:
    """The question, the files of the task, and what an answer looks like."""
    lines = [f"# {track.question}", ""]
    contract = track.contract
    words = {} if contract is None else contract.files
    for file in task_files(folder):
        name = file["name"]
        lines += [f"## {name}", "", *([words[name], ""] if name in words else [])]
        if sandbox:
            lines += [f"{file['bytes']:,} bytes, in `task/{name}` of your working folder.", ""]
        if "text" in file:
            lines += ["```text", file["text"].rstrip("\n"), "```", ""]
        elif "begins" in file:
            lines += [f"{file['bytes']:,} bytes, beginning:", "", "```text", file["begins"], "```", ""]
        elif not sandbox:
            lines += [f"{file['bytes']:,} bytes that are no text.", ""]
    if contract is not None:
        lines += ["## Your answer", "", f"Answer with {contract.answer}, as one JSON object:", ""]
        lines += ["```json", example_of(contract), "```", ""]
        if functions := contract.part("functions"):
            lines += ["```text", functions, "```", ""]
    place = f"Write it to `{ANSWER_FILE}` in your working folder, or reply" if sandbox else "Reply"
    lines += [f"{place} with this object alone. It is judged against a truth that is not here."]
    return "\n".join(lines) + "\n"


def find_answer(text: str) -> str | None:
    """The last JSON object in a text, as it stands there.

    >>> find_answer('First {"models": ["x"]}, no: ```json {"models": ["x + 1"]} ``` {that is it}')
    '{"models": ["x + 1"]}'
    >>> find_answer("I do not know.") is None
    True
    """
    decoder = json.JSONDecoder()
    answer, place = None, text.find("{")
    while place >= 0:
        try:
            _, end = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            place = text.find("{", place + 1)
            continue
        answer = text[place:end]
        place = text.find("{", end)
    return answer
