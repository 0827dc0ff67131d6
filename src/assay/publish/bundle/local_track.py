"""A track of a bundle as it is here: with the metrics that may run, and what the bundle says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.core import AnyTrack, InvalidInput, UnknownName, get_track, plain
from assay.harness.metric_facts import MetricFacts, facts_of, is_member
from assay.harness.metric_loading import load_metrics
from assay.harness.metric_ref import MetricRef, resolve_metric
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.reading import Bundle, BundledTrack

__all__ = ["LocalTrack", "resolve_track"]


@dataclass(slots=True)
class LocalTrack:
    """A track of the bundle with the metrics that may run here, and what is already found to differ."""

    bundled: BundledTrack
    track: AnyTrack
    metrics: tuple[MetricRef, ...] = ()
    unchecked: frozenset[str] = frozenset()  # metrics whose code is not run
    stricter: bool = False  # its functions run in a stronger sandbox than the author's did
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def resolve_track(
    bundle: Bundle, bundled: BundledTrack, place: Path, *, metrics: Sequence[str], trust_metrics: bool
) -> LocalTrack:
    """The track of a bundle as it is here; code of the bundle is loaded only when it is trusted."""
    try:
        track = get_track(bundled.name)
    except InvalidInput as error:
        raise InvalidInput(f"{bundle.path}: {error} Install what brings this track.") from None
    own = [facts for facts in bundled.metrics if facts.source and not facts.aggregate]
    members = [facts.name for facts in bundled.metrics if not facts.aggregate and is_member(track, facts)]
    refs = [MetricRef(kind="family", text=name, target=name) for name in members]
    refs += _own_copies(track, own, metrics)
    if trust_metrics:
        bundle.unpack([code["folder"] for code in bundled.code], place)
        refs += [_trusted(code, place) for code in bundled.code if code["digest"] not in {ref.digest for ref in refs}]
    track = track.with_metrics([metric for ref in refs for metric in load_metrics(ref, track)])
    local = LocalTrack(bundled, track, tuple(refs))
    checked = {ref.digest for ref in refs}
    local.unchecked = frozenset(facts.name for facts in own if facts.source not in checked)
    for name in sorted(local.unchecked):
        how = "read its code in metrics/, then --trust-metrics" if bundled.code else "its code is not in the bundle"
        local.notes.append(f"{bundled.name}: {name} was not checked, a metric of the author's own: {how}")
    local.differences += _other_versions(local)
    local.differences += _other_facts(local, facts_of(local.metrics, get_track(bundled.name)))
    return local


def _own_copies(track: AnyTrack, own: Sequence[MetricFacts], texts: Sequence[str]) -> list[MetricRef]:
    """The reviewer's own copies of the author's metrics of this track."""
    sources = {facts.source for facts in own}
    refs = []
    for text in texts:
        try:
            ref = resolve_metric(text, track)
        except UnknownName:  # a name of another track
            continue
        if ref is not None and ref.digest in sources:
            refs.append(ref)
    return refs


def _trusted(code: Mapping[str, str], place: Path) -> MetricRef:
    root = (place / code["folder"]).resolve()
    target = str(root / code["target"]) if code["kind"] == "file" else code["target"]
    return MetricRef(
        kind="file" if code["kind"] == "file" else "module",
        text=code["text"],
        target=target,
        attribute=code["attribute"],
        root=str(root),
        digest=code["digest"],
    )


def _other_versions(local: LocalTrack) -> Iterator[Difference]:
    here = local.track.versions()
    for name, there in sorted(local.bundled.versions.items()):
        if name not in local.unchecked and here.get(name) != there:
            reason = "Scored by another version of Assay, or the version was changed: numbers cannot be compared"
            yield Difference("version", local.bundled.name, name, there, here.get(name), reason)


def _other_facts(local: LocalTrack, facts: Sequence[MetricFacts]) -> Iterator[Difference]:
    """What a bundle says of metrics beside the track's own, such as which way is better."""
    here = {entry.name: entry for entry in facts}
    for entry in local.bundled.metrics:
        metric = here.get(entry.name)
        if entry.name in local.unchecked or entry.aggregate:
            continue
        if metric is None:
            reason = "This installation has no such metric: it was changed, or is one of another version"
            yield Difference("metric", local.bundled.name, entry.name, plain(entry.to_json()), None, reason)
            continue
        for name in ("goal", "floor", "flag", "source"):
            there, now = plain(getattr(entry, name)), plain(getattr(metric, name))
            if there != now:
                reason = "The metric itself says otherwise: it was changed"
                yield Difference("metric", local.bundled.name, f"{entry.name}, {name}", there, now, reason)
