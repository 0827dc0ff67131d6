"""Task folders as Harbor reads them: what the agent sees, what the verifier knows, and the truth as the solution."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.api.temporary import process_folder
from assay.connections.harbor.verifying import BOUNDS, PROBLEM, Verdict, verify
from assay.connections.offers import ATTRIBUTES, Offered, example_of, find_offers
from assay.core import AnyTrack, InvalidInput, Json, Setting
from assay.core.files.folders import user_path
from assay.core.files.text import write_json
from assay.version import DISTRIBUTION, __version__

__all__ = ["Exported", "export_tasks"]

SCHEMA_VERSION = "1.4"
_IMAGE = "python:3.12-slim"
_AGENT_SECONDS, _VERIFIER_SECONDS = 1800.0, 900.0
_TEST = """#!/bin/sh
# Examines the answer and writes reward.json; the paths are Harbor's unless they are given.
set -eu
tests=${ASSAY_TESTS:-/tests}
answer=${ASSAY_ANSWER:-/app/@ANSWER@}
logs=${ASSAY_LOGS:-/logs/verifier}
rm -rf "$logs/reward.json" "$logs/reward.txt"
cd "$tests"
verify='from assay.connections.harbor.verifying import main; main()'
exec "${ASSAY_PYTHON:-python3}" -I -c "$verify" "$tests" "$answer" "$logs"
"""
_SOLVE = """#!/bin/sh
# Submits the truth.
set -eu
cp -r "$(dirname "$0")/@ANSWER@" "${ASSAY_ANSWER:-/app/@ANSWER@}"
"""
_ENVIRONMENT = """FROM {image}
RUN pip install --no-cache-dir numpy pandas scikit-learn scipy
COPY task /app/task
WORKDIR /app
"""
_TESTS = """FROM {image}
RUN pip install --no-cache-dir '{package}'
COPY . /tests
"""


@dataclass(frozen=True, slots=True)
class Exported:
    """A task folder with the scores between which rewards lie.

    Parameters
    ----------
    folder : Path
        The task folder.
    problem : str
        The id of the problem.
    metric : str
        The headline that is rewarded.
    floor, oracle : float
        What a failure and what the truth scores.
    """

    folder: Path
    problem: str
    metric: str
    floor: float
    oracle: float


def export_tasks(
    sources: Sequence[tuple[str, str]],
    out: str | Path,
    *,
    organisation: str = "assay",
    settings: Mapping[str, Setting] | None = None,
    package: str = f"{DISTRIBUTION}=={__version__}",
) -> list[Exported]:
    """Write problems as Harbor's task folders.

    Parameters
    ----------
    sources : sequence of (str, str)
        Track and problems: ``"builtin"``, the id of a built-in problem, or a folder.
    out : str or Path
        The folder for the task folders; a task that is there already is an error.
    organisation : str
        The first half of the tasks' names.
    settings : mapping, optional
        Settings of examination, kept with the verifier; of one track, or known to all of them.
    package : str
        What the verifier's image installs: a version of this package, or an address that ``pip`` understands.

    Returns
    -------
    list of Exported
        The task folders.

    Raises
    ------
    InvalidInput
        A folder is there already, or the truth of a problem cannot be submitted or scores no more than the floor.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (task,) = export_tasks([("formula", "exact-3")], folder)
    ...     task.metric, task.floor, task.oracle, sorted(path.name for path in task.folder.iterdir())
    ('property_score', 0.0, 1.0, ['environment', 'instruction.md', 'solution', 'task.toml', 'tests'])
    """
    target = user_path(out)
    builtin = process_folder("harbor")
    offers = [offered for track, path in sources for offered in find_offers(track, path, builtin)]
    for offered in offers:
        if (target / offered.name).exists():
            raise InvalidInput(f"{target / offered.name}: exists already. Remove it, or choose another folder.")
    return [_export(offered, target / offered.name, organisation, dict(settings or {}), package) for offered in offers]


def _export(offered: Offered, folder: Path, organisation: str, settings: dict[str, Setting], package: str) -> Exported:
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    answer = f"answer{offered.track.answer_suffix}"
    for part in ("environment", "tests", "solution"):
        (draft / part).mkdir(parents=True)
    offered.track.hand_over(offered.folder, draft / "environment" / "task")
    shutil.copytree(offered.folder, draft / "tests" / PROBLEM)
    _write_truth(offered, draft / "solution" / answer)
    bounds = _bounds(offered, draft / "solution" / answer, settings)
    write_json(draft / "tests" / BOUNDS, bounds)
    _write(draft / "environment" / "Dockerfile", _ENVIRONMENT.format(image=_IMAGE))
    _write(draft / "tests" / "Dockerfile", _TESTS.format(image=_IMAGE, package=package))
    _write(draft / "tests" / "test.sh", _TEST.replace("@ANSWER@", answer), executable=True)
    _write(draft / "solution" / "solve.sh", _SOLVE.replace("@ANSWER@", answer), executable=True)
    _write(draft / "instruction.md", _instruction(offered.track, answer))
    _write(draft / "task.toml", _task_file(offered, organisation, answer))
    draft.rename(folder)
    return Exported(folder, offered.id, bounds["metric"], bounds["floor"], bounds["oracle"])


def _write_truth(offered: Offered, path: Path) -> None:
    """The truth as an agent would hand it in."""
    problem = offered.track.load(offered.folder)
    answer = offered.track.oracle(problem)
    if offered.track.answer_suffix:
        path.write_bytes(offered.track.encode(answer))
        return
    if offered.track.name != "insight":
        raise InvalidInput(f"track {offered.track.name!r}: its answers are folders, which are not exported.")
    from assay.insight import write_solution
    from assay.insight.columns.known_rows import with_known_rows

    if not problem.truth.functions:
        raise InvalidInput(
            f"problem {offered.id!r}: the experts' columns have no code, and values alone are not scored. Add "
            "'feature_functions' to ground_truth/solution.json."
        )
    functions = tuple(with_known_rows(function, problem.task) for function in problem.truth.functions)
    write_solution(path, replace(answer, functions=functions, train=None, test=None))


def _bounds(offered: Offered, answer: Path, settings: dict[str, Setting]) -> dict[str, Any]:
    track = offered.track
    verdict = verify(track, offered.folder, answer, settings)
    defined = {name: value for name, value in verdict.scores.items() if value == value}
    name = track.headline_among(defined)
    floor = track.metric(name).floor_for(track.load(offered.folder))
    sign = 1 if track.metric(name).goal == "max" else -1
    if not sign * (defined.get(name, floor) - floor) > 0:
        raise InvalidInput(
            f"problem {offered.id!r}: the truth submitted as an answer does not score above the floor of {name}"
            f"{f' ({verdict.error})' if verdict.error else ''}; there is nothing to reward.{_leaks(verdict)}"
        )
    chosen: dict[str, Json] = dict(settings)
    return {"track": track.name, "metric": name, "floor": floor, "oracle": defined[name], "settings": chosen}


def _leaks(verdict: Verdict) -> str:
    """Which of the experts' functions break the rules of an answer, and what to do about it."""
    entries: Any = verdict.details.get("functions", [])
    leaks = [
        f"{entry['name']!r}: {entry['evidence'].get('words', '')}" for entry in entries if entry["verdict"] == "leak"
    ]
    if not leaks:
        return ""
    return (
        f" The experts' functions leak when an agent submits them ({' '.join(leaks)}) Write them as an answer's, which "
        "look at nothing that is known later, and make the problem again."
    )


def _instruction(track: AnyTrack, answer: str) -> str:
    lines = [f"# {track.question}", "", "The task lies in `/app/task`:", ""]
    contract = track.contract
    if contract is not None:
        lines += [f"- `{name}`: {words}" for name, words in contract.files.items()]
        inside = "" if track.answer_suffix else f"/{ATTRIBUTES}"
        lines += ["", f"Answer with {contract.answer}.", "", f"Write it as JSON to `/app/{answer}{inside}`, as in", ""]
        lines += ["```json", example_of(contract), "```"]
        if functions := contract.part("functions"):
            lines += ["", "```text", functions, "```"]
    lines += ["", "The answer is judged against a truth that is not here; only this file is looked at."]
    return "\n".join(lines) + "\n"


def _task_file(offered: Offered, organisation: str, answer: str) -> str:
    """``task.toml``; JSON's texts are TOML's."""
    return f"""schema_version = "{SCHEMA_VERSION}"
artifacts = [{json.dumps(f"/app/{answer}")}]

[task]
name = {json.dumps(f"{organisation}/{offered.name}")}
description = {json.dumps(offered.track.question)}
keywords = ["assay", {json.dumps(offered.track.name)}]

[metadata]
track = {json.dumps(offered.track.name)}
assay = {json.dumps(__version__)}

[agent]
timeout_sec = {_AGENT_SECONDS}

[verifier]
timeout_sec = {_VERIFIER_SECONDS}
environment_mode = "separate"

[verifier.environment]
network_mode = "no-network"
memory_mb = 4096

[environment]
network_mode = "public"
memory_mb = 4096
"""


def _write(path: Path, text: str, *, executable: bool = False) -> None:
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)
