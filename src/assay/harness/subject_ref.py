"""Subjects as people name them, resolved without running untrusted code; built again beside the task."""

from __future__ import annotations

import importlib
import inspect
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from assay.core import AnyTrack, Budget, Call, InvalidInput, Subject, SubjectFailed, UnknownName, parse_call
from assay.core.calls import Parameter
from assay.core.files.digest import digest_files, digest_folder, digest_json
from assay.core.files.folders import is_file, user_path
from assay.core.files.near import is_there, near_path
from assay.harness.callables.calling import adapted, calling_of
from assay.harness.callables.pickled import load_pickled
from assay.harness.models.guest import ModelSubject
from assay.harness.process.secrets import refuse_secrets
from assay.harness.programs.inspect_program import INSPECT, digest_inspect, read_inspect
from assay.harness.programs.program import COMMAND, Program, ProgramSubject, demand_parameters, read_program
from assay.harness.source_loader import load_source
from assay.harness.sources import DEFAULT_OBJECTS, SourceFile, file_source, module_source

__all__ = ["ORACLE", "PICKLE", "Kind", "SubjectRef", "build_subject", "resolve_subject"]

ORACLE = "oracle"
PICKLE = ".pickle"

Kind: TypeAlias = Literal["registered", "privileged", "module", "file", "command", "ready", "pickle", "model"]

# a name of one's own, maybe with parameters: mine=agent.py, Mine(k=3)=agent.py
_LABEL = re.compile(r"^(?P<label>[\w.@+-]+(?:\([^()]*\))?)=(?P<reference>[^=].*)$", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRef:
    """A subject by name: small, picklable, and enough to build it in another process."""

    kind: Kind
    name: str
    digest: str
    target: str = ""
    attribute: str = ""
    root: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    parts: Mapping[str, str] = field(
        default_factory=dict, compare=False, repr=False
    )  # digest of each file, version of each library
    base: str = ""  # the digest of those parts, where files that it was seen to read have changed since

    @property
    def runs_code(self) -> bool:
        """Whether a subject process is needed."""
        return self.kind in ("registered", "module", "file", "command", "pickle")

    def reference(self) -> str:
        """A text that names this subject to :func:`resolve_subject` again, from the working folder."""
        here = Path.cwd()
        if self.kind == "command":
            words = self._texts("words")
            if "call" in self.parameters:
                return str(self.parameters["call"])
            if self.root == str(here) and [f"./{name}" for name in self._texts("files")] == list(words):
                return self._texts("files")[0]
            run: dict[str, Parameter] = {"run": shlex.join(words)}
            return str(Call(COMMAND, run if self.root == str(here) else {**run, "folder": self.root}))
        target = Path(self.target)
        inside = self.kind == "file" and target.is_relative_to(here)
        text = str(target.relative_to(here)) if inside else self.target
        if self.attribute and not (self.kind == "file" and self.attribute in DEFAULT_OBJECTS):
            text += f":{self.attribute}"
        return str(Call(text, self.parameters))

    def program(self) -> Program:
        """Of a command: what to run, and the files that belong to it."""
        return Program(self._texts("words"), Path(self.root), self._texts("files"))

    def _texts(self, name: str) -> tuple[str, ...]:
        values = self.parameters[name]
        return tuple(map(str, values)) if isinstance(values, tuple | list) else ()


def resolve_subject(text: str, track: AnyTrack, *, folder: Path | None = None) -> SubjectRef:
    """What a text means: a registered name with parameters, a program, ``module:object``, a file, a folder of answers.

    ``label=reference`` gives a name of one's own; relative paths start at ``folder``, by default the working folder.
    """
    refuse_secrets(text)
    here = folder or Path.cwd()
    label, reference = _labelled(text.strip())
    call = _call(reference, here)
    if call.name == ORACLE or call.name in track.privileged:
        return _privileged(call, track, label)
    if call.name in track.subjects:
        return _registered(call, track, label)
    if call.name == COMMAND:
        return _command(read_program(call, here), label or str(call))
    if call.name == INSPECT:
        program = read_inspect(call, track.name, here)
        return _command(program, label or str(call), digest=digest_inspect(call, program), call=str(call))
    target, _, attribute = call.name.partition(":")
    path = here / user_path(target)
    if target.endswith(".py"):
        source = file_source(path, attribute)
        own = Call(path.stem if not attribute else f"{path.stem}:{attribute}", call.parameters)
        return _sourced("file", source, own, label, target=str(source.path))
    if target.endswith(PICKLE):
        return _pickled(path, label)
    if not attribute and path.is_dir():
        if call.parameters:
            raise InvalidInput(f"subject {text!r}: a folder of precomputed answers takes no parameters.")
        resolved = path.resolve()
        return SubjectRef(
            kind="ready", name=label or resolved.name, digest=digest_folder(resolved), target=str(resolved)
        )
    if attribute:
        source = module_source(target, attribute, [str(here), *sys.path])
        return _sourced("module", source, call, label, target=target)
    if path.is_file() and not call.parameters:
        place, name = (path.parent, path.name) if Path(target).is_absolute() else (here, target)
        program = read_program(Call(COMMAND, {"run": shlex.quote(f"./{name}")}), place)
        return _command(program, label or path.stem)
    known = sorted({*track.subjects, *track.privileged, ORACLE, COMMAND, INSPECT})
    raise InvalidInput(
        f"{UnknownName('subject', call.name, known)} A subject may also be module:object, a Python file, "
        f"a program, or a folder of precomputed answers.{near_path(path)}"
    )


def _labelled(text: str) -> tuple[str, str]:
    """The label and the reference; a label with parameters is written as a call."""
    match = _LABEL.match(text)
    if match is None:
        return "", text
    try:
        label = str(parse_call(match["label"]))
    except InvalidInput:  # a bracket inside of a command
        return "", text
    return label, match["reference"].strip()


def _call(reference: str, here: Path) -> Call:
    """The call that a text stands for; a path that exists may hold brackets itself: ``agents (2)/mine.py(k=3)``."""
    brackets = [place for place, letter in enumerate(reference) if letter == "("]
    for end in (len(reference), *reversed(brackets)):
        name = reference[:end].rstrip()
        target, _, attribute = name.partition(":")
        if "(" in target and "(" not in attribute and is_there(here / user_path(target)):
            return replace(parse_call(f"subject{reference[end:]}"), name=name)
    return parse_call(reference)


def _pickled(path: Path, label: str) -> SubjectRef:
    if not is_file(path):
        raise InvalidInput(f"{path}: file not found.{near_path(path)}")
    resolved = path.resolve()
    return SubjectRef(
        kind="pickle",
        name=label or path.stem,
        digest=digest_files({resolved.name: resolved}),
        target=str(resolved),
        root=str(resolved.parent),
    )


def _sourced(kind: Kind, source: SourceFile, call: Call, label: str, *, target: str) -> SubjectRef:
    parts = source.parts()
    return SubjectRef(
        kind=kind,
        name=label or str(call),
        digest=digest_json(parts),
        target=target,
        attribute=source.attribute,
        root=str(source.root),
        parameters=call.parameters,
        parts=parts,
    )


def _command(program: Program, name: str, *, digest: str = "", **own: Parameter) -> SubjectRef:
    return SubjectRef(
        kind="command",
        name=name,
        digest=digest or program.digest,
        root=str(program.root),
        parameters={"words": program.words, "files": program.files, **own},
    )


def _privileged(call: Call, track: AnyTrack, label: str) -> SubjectRef:
    if call.parameters:
        raise InvalidInput(f"subject {str(call)!r}: {call.name!r} takes no parameters.")
    digest = digest_json({"track": track.name, "privileged": call.name, "version": track.version})
    return SubjectRef(kind="privileged", name=label or call.name, digest=digest, target=call.name)


def _registered(call: Call, track: AnyTrack, label: str) -> SubjectRef:
    subject = _construct(track.subjects[call.name], call)
    return SubjectRef(
        kind="registered",
        name=label or subject.name,
        digest=subject.digest,
        target=call.name,
        parameters=call.parameters,
        parts=getattr(subject, "parts", {}),
    )


def _construct(factory: Callable[..., Subject[Any, Any]], call: Call) -> Subject[Any, Any]:
    try:
        known = list(inspect.signature(factory).parameters)
    except (TypeError, ValueError):  # a factory without a readable signature reports its own mistakes
        known = list(call.parameters)
    demand_parameters(call, known)
    return factory(**call.parameters)


@dataclass(frozen=True, slots=True)
class _Function:
    """A plain function ``solve(task)`` or ``solve(task, budget)`` as a subject."""

    ref: SubjectRef
    function: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.ref.name

    @property
    def digest(self) -> str:
        return self.ref.digest

    def solve(self, task: object, budget: Budget, /) -> object:
        parameters = self.ref.parameters
        calling = calling_of(self.function, preset=parameters, name=self.ref.name)
        if calling == "task":
            return self.function(task, **parameters)
        if calling == "task, budget=":
            return self.function(task, budget=budget, **parameters)
        return self.function(task, budget, **parameters)

    @property
    def usage(self) -> object:
        """What the object reports whose method this is."""
        return getattr(getattr(self.function, "__self__", None), "usage", None)


def build_subject(ref: SubjectRef, track: AnyTrack) -> Subject[Any, Any]:
    """The subject itself. Runs its code, so this belongs into the subject's own process."""
    if ref.kind == "registered":
        return _construct(track.subjects[ref.target], Call(ref.target, ref.parameters))
    if ref.kind == "command":
        return ProgramSubject(ref.name, ref.digest, ref.program().words, track)
    if ref.kind == "model":
        return ModelSubject()
    if not ref.runs_code:
        raise InvalidInput(f"subject {ref.name!r}: of kind {ref.kind!r}, it is not run as code.")
    value = load_pickled(Path(ref.target)) if ref.kind == "pickle" else _imported(ref)
    if inspect.isclass(value):
        value = value(**ref.parameters)
    value = adapted(value, track)
    solve = getattr(value, "solve", None)
    if callable(solve):
        subject: Subject[Any, Any] = value
        # only where it matters: a subject of its own may say more of itself than its name
        return (
            subject
            if calling_of(solve, name=ref.name) == "task, budget"
            else _Function(replace(ref, parameters={}), solve)
        )
    if callable(value):
        return _Function(ref, value)
    raise SubjectFailed(
        "cannot be built",
        f"{ref.attribute!r} is neither an object with solve(task, budget) nor a function, but {type(value).__name__}",
    )


def _imported(ref: SubjectRef) -> Any:
    if ref.root not in sys.path:
        sys.path.insert(0, ref.root)
    path = Path(ref.target)
    module = load_source(path.stem, path) if ref.kind == "file" else importlib.import_module(ref.target)
    return getattr(module, ref.attribute, None)
