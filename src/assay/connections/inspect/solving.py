"""An Inspect task as a subject: a program that puts the task's question to its solver and writes what it answers.

``inspect(task="agent.py@name", model="...")`` among subjects runs it as a program, ``python -m`` and the name of this
module, confined like every program.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.connections.inspect.wording import find_answer, instruct
from assay.connections.offers import write_answer
from assay.core import InvalidInput, UnknownName, get_track
from assay.intake.inspect_logs import demand_inspect

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """``FILE TASK_FOLDER ANSWER --track TRACK [--name TASK] [--model MODEL]``."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("answer", type=Path)
    parser.add_argument("--track", required=True)
    parser.add_argument("--name", default="")
    parser.add_argument("--model", default="")
    options = parser.parse_args(arguments)
    demand_inspect("Subjects of Inspect")
    track = get_track(options.track)
    log = _solve(_task(options.file, options.name), instruct(track, options.folder), options.model)
    (sample,) = log.samples
    if sample.error is not None:
        sys.exit(f"the solver failed: {sample.error.message}")
    text = find_answer(sample.output.completion)
    if text is not None:
        write_answer(track, options.answer.parent, options.answer.name.removesuffix(track.answer_suffix), text)
    _write_usage(log)


def _task(file: Path, name: str) -> Any:
    """The task of this name, or the only one that the file defines; a solver or agent becomes a task of its own."""
    from inspect_ai import Task

    defined = _defined(file)
    if not name:
        tasks = {own: value for own, (kind, value) in defined.items() if kind == "task"} or {
            own: value for own, (_, value) in defined.items()
        }
        if len(tasks) != 1:
            raise InvalidInput(
                f"{file.name}: defines {len(tasks)} tasks of Inspect ({', '.join(tasks) or 'none'}). Name one, as in "
                f"inspect(task='{file.name}@NAME')."
            )
        (name,) = tasks
    if name not in defined:
        raise UnknownName(f"task, solver or agent of {file.name}", name, list(defined))
    kind, make = defined[name]
    return make() if kind == "task" else Task(solver=make())


def _defined(file: Path) -> dict[str, tuple[str, Any]]:
    """The tasks, solvers and agents that a file defines, by name."""
    import runpy

    from inspect_ai.util import registry_info

    sys.path.insert(0, str(file.resolve().parent))
    definitions = {}
    for name, value in runpy.run_path(str(file), run_name=file.stem).items():
        if not callable(value) or getattr(value, "__module__", None) != file.stem:
            continue
        try:
            kind = registry_info(value).type
        except (AttributeError, ValueError, TypeError):
            continue
        if kind in ("task", "solver", "agent"):
            definitions[name] = (kind, value)
    return definitions


def _solve(task: Any, question: str, model: str) -> Any:
    """The log of one sample, this question, with the task's own solver, tools and limits; its scorer is not asked."""
    from inspect_ai import eval as evaluate
    from inspect_ai import task_with
    from inspect_ai.dataset import Sample

    question_task = task_with(task, dataset=[Sample(input=question, id="task")], scorer=None)
    chosen = {"model": model} if model else {}
    (log,) = evaluate(question_task, display="none", log_dir=str(Path.cwd() / "logs"), score=False, **chosen)
    if log.status != "success" or not log.samples:
        sys.exit(f"the solver failed: {log.error.message if log.error else log.status}")
    return log


def _write_usage(log: Any) -> None:
    used = list(log.stats.model_usage.values())
    place = os.environ.get("ASSAY_USAGE")
    if place:
        numbers = {name: sum(getattr(entry, name) for entry in used) for name in ("input_tokens", "output_tokens")}
        Path(place).write_text(json.dumps(numbers), encoding="utf-8")


if __name__ == "__main__":
    main()
