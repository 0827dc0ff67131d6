"""The layout of a bundle: the names of its members, its manifest and its texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from assay.core import InvalidInput, digest_json
from assay.report.export.archive import MANIFEST

__all__ = [
    "ABOUT",
    "ANSWERS",
    "BUNDLE_VERSION",
    "MANIFEST",
    "METRICS",
    "NAMESPACE",
    "PROBLEMS",
    "README",
    "SIGNATURE",
    "demand_name",
    "manifest_digest",
    "metric_folder",
    "problem_folder",
]

BUNDLE_VERSION: Final = 1
NAMESPACE: Final = "assay-bundle"  # of signatures: one made for another purpose does not count
README: Final = "README.md"
SIGNATURE: Final = f"{MANIFEST}.sig"
ANSWERS: Final = "answers"  # the bytes of each answer under their SHA-256
PROBLEMS: Final = "problems"
METRICS: Final = "metrics"  # code of the author, which is not run by default
_LONGEST_PART: Final = 255  # bytes of a name between two slashes
_LONGEST_NAME: Final = 1000
_FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f\\]")

ABOUT: Final = """# Results of Assay that can be verified

    assay verify FILE.zip

examines every answer again with the metrics of the installation at hand. `assay report FILE.zip` shows the tables.

- `manifest.json`: tracks, settings, subjects, problems, versions; the SHA-256 of every other file, and its own `digest`
- `manifest.json.sig`: an SSH signature of the manifest, where the author signed it
- `TRACK/records.jsonl`: one record per line; `TRACK/answers.jsonl`: status and times of the answers
- `TRACK/lost.jsonl`: planned cells that could not be finished, with the reasons
- `answers/`: what the subjects gave, byte by byte; `problems/`: the problems, truth and all
- `metrics/`: metrics of the author's own; they are not run unless you ask for it

Matching numbers prove that the scores follow from the answers. They do not prove that these subjects gave these
answers: that takes a signature (`--signer`), or running the subjects again (`--resolve`).
"""


def manifest_digest(body: Mapping[str, Any]) -> str:
    """The digest of a manifest: of its canonical JSON, without the digest itself."""
    return digest_json({name: value for name, value in body.items() if name != "digest"})


def problem_folder(digest: str, name: str) -> str:
    """Where the files of a problem lie; the folder's own name may be its id, and says tags."""
    return f"{PROBLEMS}/{digest[:16]}/{name}"


def metric_folder(digest: str) -> str:
    """Where the code of a metric lies."""
    return f"{METRICS}/{digest[:16]}"


def demand_name(name: str, *, what: str) -> None:
    """Refuse the name of a member that could lead out of the archive's folder, or that not every system can have.

    >>> demand_name("problems/../../.ssh/config", what="bundle.zip")
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: bundle.zip: the name 'problems/../../.ssh/config' leads out of its folder...
    """
    parts = name.split("/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in parts:
        fault = "leads out of its folder"
    elif "" in parts or "." in parts:
        fault = "has an empty part, as that of a folder has"
    elif _FORBIDDEN.search(name):
        fault = "has a control character or a backslash"
    elif len(name) > _LONGEST_NAME or any(len(part.encode(errors="replace")) > _LONGEST_PART for part in parts):
        fault = "is too long"
    else:
        return
    shown = name if len(name) <= 100 else f"{name[:97]}..."
    raise InvalidInput(f"{what}: the name {shown!r} {fault}. Use names that every system can have, and bundle again.")
