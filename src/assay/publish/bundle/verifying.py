"""Verifying a bundle: hashes, signature, then every answer examined again, and subjects run again where asked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.core import InvalidInput
from assay.harness.driver.progress import NoProgress, Progress
from assay.harness.runners import LocalRunner, Runner
from assay.publish.bundle.checks import Checks
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.examining import demand_share
from assay.publish.bundle.local_track import LocalTrack, resolve_track
from assay.publish.bundle.reading import open_bundle
from assay.publish.bundle.signature import Signature, check_signature
from assay.publish.bundle.verification import Verification

__all__ = ["verify_bundle"]


def verify_bundle(
    path: Path,
    *,
    share: float = 1.0,
    salt: str = "",
    signers: Path | None = None,
    resolve: bool = False,
    subjects: Sequence[str] = (),
    metrics: Sequence[str] = (),
    trust_metrics: bool = False,
    workers: int = 1,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Whether a bundle is what it says; :func:`assay.verify` describes the arguments.

    Nothing of the bundle is run but feature functions, in the sandbox: subjects only with ``resolve``, metrics only
    with ``trust_metrics``. What is written lies in a temporary folder that is removed at the end, also after Ctrl-C.
    """
    demand_share(share)
    if subjects and not resolve:
        raise InvalidInput("subjects are run with --resolve only (resolve=True in Python).")
    watch = progress or NoProgress()
    say: Callable[[str], None] = getattr(watch, "status", lambda line: None)
    requested = (*(["share"] if share < 1 else []), *(["resolve"] if resolve else []))
    try:
        with open_bundle(path) as bundle:
            say(f"{path.name}: checking {len(bundle.archive.namelist()):,} hashes")
            signature = check_signature(bundle.text, bundle.signature, signers)
            differences = [*_of_signature(signature, required=signers is not None), *bundle.changed_bytes()]
            outcome = Verification(
                path=path,
                digest=bundle.digest,
                records=0,
                examined=0,
                differences=tuple(differences),
                signature=signature,
                asked=requested,
            )
            if any(difference.kind == "bytes" for difference in differences):
                return outcome
            with tempfile.TemporaryDirectory(prefix="assay-verify-") as draft:
                place = Path(draft).resolve()
                say(f"{path.name}: reading records and problems")
                tracks = [
                    resolve_track(bundle, bundled, place, metrics=metrics, trust_metrics=trust_metrics)
                    for bundled in bundle.tracks()
                ]
                _demand_used(metrics, tracks)
                checks = Checks(bundle, place, tracks, runner or LocalRunner(workers, scratch=place), watch)
                checks.examine(share, salt)
                if resolve:
                    checks.solve_again(subjects)
                differences += [difference for local in tracks for difference in local.differences]
                notes = [*_of_plans(tracks), *(note for local in tracks for note in local.notes), *checks.notes()]
                return replace(
                    outcome,
                    records=sum(len(local.bundled.records) for local in tracks),
                    examined=checks.examined,
                    solved_again=checks.solved_again,
                    differences=(*differences, *checks.differences),
                    notes=tuple(dict.fromkeys(notes)),
                    lost=tuple(checks.lost),
                )
    finally:
        watch.stop()


def _of_signature(signature: Signature, *, required: bool) -> Iterator[Difference]:
    if required and signature.state != "valid":
        reason = f"A signature was asked for, and {signature.fault}".rstrip(".")
        yield Difference("signature", "manifest.json", "", None, None, reason)


def _demand_used(metrics: Sequence[str], tracks: Sequence[LocalTrack]) -> None:
    used = {ref.text for local in tracks for ref in local.metrics}
    for text in metrics:
        if text not in used:
            raise InvalidInput(
                f"metric {text!r}: the bundle has no score of this code. Take the author's file as it is, or leave it "
                "out."
            )


def _of_plans(tracks: Sequence[LocalTrack]) -> Iterator[str]:
    """Cells that others have, and some subject lacks: results that were left out would look like this."""
    for local in tracks:
        bundled = local.bundled
        problems = {record.problem_digest for record in bundled.records}
        subjects = {record.subject for record in bundled.records}
        seeds = {record.seed for record in bundled.records}
        holes = len(problems) * len(subjects) * len(seeds) - len(bundled.records)
        missing = max(holes, bundled.planned - len(bundled.records))
        if missing > 0:
            yield (
                f"{bundled.name}: {missing} cells of subjects, problems and seeds have no record ({bundled.lost} are "
                f"said to have been lost, {bundled.withdrawn} withdrawn); ask the author why"
            )
