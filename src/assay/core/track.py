"""A track: a record of functions that tells the harness how one field is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeAlias, TypeVar

from assay.core.contract.contract import Contract
from assay.core.display import counted, object_html
from assay.core.errors import InvalidInput, UnknownName, near_key
from assay.core.files.digest import Json
from assay.core.files.handover import all_but_truth
from assay.core.metric import Aggregate, Metric, MetricFamily
from assay.core.problem import Manifest, Problem, Tags, read_manifest
from assay.core.record import Setting, Settings
from assay.core.subject import Subject

__all__ = ["PRESET", "AnyTrack", "Track"]

TaskT = TypeVar("TaskT")
TruthT = TypeVar("TruthT")
AnswerT = TypeVar("AnswerT")
EvidenceT = TypeVar("EvidenceT")

PRESET = "preset"  # the setting that names a preset


def _no_details(_: object) -> Mapping[str, Json]:
    return {}


def _whole_truth(name: str, folder: Path) -> str:
    return ""


def _no_tags(folder: str, content: Mapping[str, object]) -> Tags:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Track(Generic[TaskT, TruthT, AnswerT, EvidenceT]):
    """Everything the harness, the statistics and the report need to know of one field: a record of functions.

    Parameters
    ----------
    name, question : str
        How it is called, and what it asks of a subject, in one line.
    load, builtin : callable
        Read a problem folder; write the built-in problems, a folder each.
    encode, decode : callable
        Answers to bytes, beside the subject, and back, in the examiner; InvalidInput is a malformed answer.
    examine : callable
        Problem, answer and settings to evidence.
    metrics : tuple of Metric
        In the order of tables.
    headline : str
        The metric that orders the leaderboard.
    oracle : callable
        The truth of a problem as an answer.
    subjects : mapping
        Registered subjects by name.
    privileged : mapping
        Answers that need the truth, by name; made in the examiner.
    lacks : callable
        The name of such an answer, or ``oracle``, and a problem folder to what the problem lacks for it, as in
        ``"has no known formula"``; "" where it can be made.
    aggregates : tuple of Aggregate
        Scores that exist only across problems.
    headlines : tuple of str
        The metrics that stand in for the headline: the first of all that is defined on every problem of a run orders
        its leaderboard, or else the first that is defined on any.
    clusters : tuple of str
        Tags of which equal values say that problems resemble each other, such as ``("dataset", "family")``: intervals
        and tests take problems together that have the same value of the first tag that they have.
    families : tuple of MetricFamily
        Metrics with a number in their names, such as ``recall@10``; scored when asked for.
    details : callable
        Evidence to what reports draw.
    counts : mapping
        What leaderboards count beside the score, such as functions that crashed: by its title, details to a number.
    settings, presets, privileged_settings : mapping
        What examine can be told, with the defaults; what the setting ``preset`` changes at once; what is added for
        answers that the package itself made.
    derive_tags : callable
        Folder name and problem file to tags.
    ready_answer, answer_suffix : callable and str
        How precomputed answers are read, and how their files end.
    hand_over : callable
        Problem folder and new folder: the task as files.
    marker : str
        The file that makes a folder a problem folder.
    needed : tuple of str
        Keys that this file must have.
    preload : tuple of str
        Modules that subject processes should find already imported.
    version : int
        Of examine: raise it when evidence changes.
    template : str
        Source of a minimal subject file, for ``assay init``.
    contract : Contract, optional
        What a subject gets and gives; shown by help, ``assay check`` and errors.
    commands, panels : str, optional
        The track's own command group and its charts for the report, as ``module:object``.
    story : str, optional
        What says in lines for a terminal what the subjects of some records answered, as ``module:function``.
    adapt : str, optional
        What makes a subject of an object without ``solve``, such as an estimator, as ``module:function``.
    adopt : str, optional
        What makes problem folders of a folder in a layout of others, as ``module:function``.

    Examples
    --------
    >>> from assay.core import get_track
    >>> get_track("conformal")
    Track('conformal', ... metrics, headline 'relative_size', ... subjects)
    """

    name: str
    question: str  # one line: what the track asks of a subject
    load: Callable[[Path], Problem[TaskT, TruthT]]
    builtin: Callable[[Path], None]  # writes the built-in problems, a folder each
    encode: Callable[[AnswerT], bytes]  # runs beside the subject; never pickle
    decode: Callable[[bytes], AnswerT]  # runs in the examiner; InvalidInput = malformed answer
    examine: Callable[[Problem[TaskT, TruthT], AnswerT, Settings], EvidenceT]
    metrics: tuple[Metric[EvidenceT], ...]
    headline: str
    oracle: Callable[[Problem[TaskT, TruthT]], AnswerT]  # the truth as an answer
    subjects: Mapping[str, Callable[..., Subject[TaskT, AnswerT]]]
    privileged: Mapping[str, Callable[[Problem[TaskT, TruthT]], AnswerT]] = field(default_factory=dict)
    lacks: Callable[[str, Path], str] = _whole_truth  # privileged answer, problem folder -> why it cannot be made
    aggregates: tuple[Aggregate, ...] = ()
    headlines: tuple[str, ...] = ()  # that stand in for the headline where it is undefined
    clusters: tuple[str, ...] = ()  # tags of problems that resemble each other: the first that a problem has
    families: tuple[MetricFamily[EvidenceT], ...] = ()  # metrics with a number in their names, scored when asked for
    details: Callable[[EvidenceT], Mapping[str, Json]] = _no_details
    counts: Mapping[str, Callable[[Mapping[str, Json]], int]] = field(default_factory=dict)  # of details, by title
    settings: Settings = field(default_factory=dict)  # what examine can be told, with the defaults
    presets: Mapping[str, Settings] = field(default_factory=dict)  # what the setting "preset" changes at once
    privileged_settings: Settings = field(default_factory=dict)  # on top, for answers that the package itself made
    derive_tags: Callable[[str, Mapping[str, object]], Tags] = _no_tags  # folder name, problem file -> tags
    ready_answer: Callable[[Path, str], bytes] | None = (
        None  # folder of precomputed answers, problem id -> encoded answer
    )
    answer_suffix: str = ".json"  # of a precomputed answer's file; empty when it is a folder
    hand_over: Callable[[Path, Path], None] = all_but_truth  # problem folder, new folder -> the task as files
    marker: str = "problem.json"  # what makes a folder a problem folder
    needed: tuple[str, ...] = ()  # keys that this file must have, beside those that every track has
    preload: tuple[str, ...] = ()  # modules that subject processes should find already imported
    version: int = 1  # of examine: bump when evidence changes
    template: str = ""  # source of a minimal subject file, for `assay init`
    contract: Contract | None = None  # what a subject gets and gives
    commands: str | None = None  # "module:app", the track's own command group
    panels: str | None = None  # "module:function", records -> Panels (charts) for the report
    story: str | None = None  # "module:function", records -> lines that say what subjects answered
    adapt: str | None = None  # "module:function", an object without solve, such as an estimator -> Subject
    adopt: str | None = None  # "module:function", a folder in a layout of others, new folder -> problem folders in it

    def __post_init__(self) -> None:
        names = [metric.name for metric in self.metrics]
        columns = [*names, *(aggregate.name for aggregate in self.aggregates)]
        if twice := sorted({name for name in columns if columns.count(name) > 1}):
            raise InvalidInput(f"track {self.name!r}: two metrics share a name: {', '.join(twice)}.")
        for name in (self.headline, *self.headlines):
            if name not in names:
                raise UnknownName("metric (headline)", name, names)
        clusters: object = self.clusters
        if isinstance(clusters, str):
            raise InvalidInput(f"track {self.name!r}: clusters must be a tuple of tags, as in ({self.clusters!r},).")
        if self.presets and PRESET not in self.settings:
            raise InvalidInput(f"track {self.name!r}: presets need a default: the setting {PRESET!r}.")
        for settings in (*self.presets.values(), self.privileged_settings):
            for name in settings:
                if name not in self.settings:
                    raise UnknownName(f"setting of track {self.name!r}", name, self.settings)

    def __repr__(self) -> str:
        metrics, subjects = counted(len(self.metrics), "metric"), counted(len(self.subjects), "subject")
        return f"Track({self.name!r}, {metrics}, headline {self.headline!r}, {subjects})"

    def _repr_html_(self) -> str:
        facts = {"question": self.question, "headline": self.headline, "subjects": ", ".join(self.subjects)}
        rows = ((metric.name, metric.goal, metric.summary) for metric in self.metrics)
        columns = ("metric", "goal", "what it is")
        return object_html(f"Track {self.name}", facts, columns=columns, rows=rows, total=len(self.metrics))

    def metric(self, name: str) -> Metric[EvidenceT]:
        """The metric of that name, registered or of a family."""
        for metric in self.metrics:
            if metric.name == name:
                return metric
        for family in self.families:
            if (member := family.of(name)) is not None:
                return member
        raise UnknownName("metric", name, self.metric_names())

    def headline_among(self, defined: Container[str]) -> str:
        """What ranks where only these metrics are defined: the headline, or the first that stands in for it."""
        return next((name for name in (self.headline, *self.headlines) if name in defined), self.headline)

    def metric_names(self) -> list[str]:
        """The metrics in order, then the families as ``recall@k``."""
        return [*(metric.name for metric in self.metrics), *(family.label for family in self.families)]

    def with_metrics(self, extra: Sequence[Metric[EvidenceT] | Aggregate]) -> Self:
        """The track with further metrics and aggregates, which may not take a name that is there."""
        if not extra:
            return self
        names = {*(metric.name for metric in self.metrics), *(aggregate.name for aggregate in self.aggregates)}
        for entry in extra:
            if entry.name in names:
                raise InvalidInput(f"track {self.name!r} has a metric {entry.name!r} already. Give yours another name.")
            names.add(entry.name)
        return replace(
            self,
            metrics=(*self.metrics, *(entry for entry in extra if isinstance(entry, Metric))),
            aggregates=(*self.aggregates, *(entry for entry in extra if isinstance(entry, Aggregate))),
        )

    def versions(self) -> dict[str, int]:
        """The versions that a record's identity depends on."""
        return {"examine": self.version, **{metric.name: metric.version for metric in self.metrics}}

    def sources(self) -> dict[str, str]:
        """The source digests of metrics from outside, which a record's identity depends on as well."""
        return {metric.name: metric.source for metric in self.metrics if metric.source}

    def manifest(self, folder: Path) -> Manifest:
        """What a plan must know of a problem folder; tags that its file declares win over those derived from it."""
        manifest = read_manifest(folder, track=self.name, marker=self.marker)
        for key in self.needed:
            if key not in manifest.content:
                raise InvalidInput(f"{folder / self.marker}: {key!r} is missing.{near_key(key, manifest.content)}")
        return replace(manifest, tags={**self.derive_tags(folder.resolve().name, manifest.content), **manifest.tags})

    def defaults(self, given: Mapping[str, object]) -> dict[str, Setting]:
        """The default settings, with those of the given settings' preset on top."""
        preset = given.get(PRESET, self.settings.get(PRESET))
        if not self.presets or preset == self.settings.get(PRESET):
            return dict(self.settings)
        if preset not in self.presets:
            raise UnknownName(f"preset of track {self.name!r}", str(preset), self._preset_names())
        return {**self.settings, **self.presets[str(preset)], PRESET: str(preset)}

    def _preset_names(self) -> list[str]:
        return [str(self.settings[PRESET]), *self.presets]

    def configure(self, given: Mapping[str, object]) -> dict[str, Setting]:
        """The defaults, those of the preset and the given settings on top of each other, types checked."""
        settings = self.defaults(given)
        for name, value in given.items():
            if name not in self.settings:
                raise UnknownName(f"setting of track {self.name!r}", name, self.settings)
            default = settings[name]
            if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            if type(value) is not type(default):
                expected = type(default).__name__
                raise InvalidInput(f"setting {name!r} of track {self.name!r} must be a {expected}, got {value!r}.")
            settings[name] = value
        return settings


AnyTrack: TypeAlias = Track[Any, Any, Any, Any]
