"""The attempts, found in the modules beside this one, written as subjects."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import ModuleType

from tests.harness.attacks import means

_HERE = Path(__file__).parent
CLASSES = tuple(sorted(path.stem for path in (_HERE / "attempts").glob("*.py")))
_PRIVATE = "from tests.harness.attacks import means"
_FOOTER = """

_TARGET = means.Target(**{target!r})


def solve(task, budget):
    return means.attack({name}, means.replace(_TARGET, task=task, budget=budget))
"""


@dataclass(frozen=True, kw_only=True)
class Hostile:
    """A subject of the run: how it is named there, its own limits, and what its record must show."""

    name: str
    reference: str  # as in the list of subjects
    limits: Mapping[str, float] = field(default_factory=dict)


def attempts(module: ModuleType) -> Iterator[tuple[str, means.Attempt]]:
    """The public functions that a module defines, in their order."""
    for name, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
            yield name, value


def alone() -> list[str]:
    """The attempts that need a run of their own."""
    names = []
    for kind in CLASSES:
        module = importlib.import_module(f"tests.harness.attacks.attempts.{kind}")
        names += [f"{kind}_{name}" for name, attempt in attempts(module) if "alone" in getattr(attempt, "limits", {})]
    return names


def write_subjects(folder: Path, target: means.Target, only: str = "") -> list[Hostile]:
    """A folder per attempt: the module with its class of attacks, and the means."""
    subjects = []
    for kind in CLASSES:
        module = importlib.import_module(f"tests.harness.attacks.attempts.{kind}")
        text = Path(str(module.__file__)).read_text().replace(_PRIVATE, "import means")
        for name, attempt in attempts(module):
            subject = f"{kind}_{name}"
            limits = getattr(attempt, "limits", {})
            if only not in subject or ("alone" in limits and only != subject):
                continue
            place = folder / subject
            place.mkdir(parents=True)
            (place / "means.py").write_text((_HERE / "means.py").read_text())
            footer = _FOOTER.format(target=asdict(target), name=name)
            (place / f"{subject}.py").write_text(text + footer)
            subjects.append(Hostile(name=subject, reference=f"{folder.name}/{subject}/{subject}.py", limits=limits))
    return subjects
