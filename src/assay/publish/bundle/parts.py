"""Parts of a bundle, from JSON that anybody may have written: each is of the types that Assay writes, or refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.core import InvalidInput, Record, canonical_json
from assay.core.files.text import parse_json
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import SubjectRef
from assay.publish.bundle.layout import demand_name
from assay.publish.bundle.shape import AGAIN

__all__ = ["BundledAnswer", "answer_of", "cells_of", "code_of", "parsed", "problem_of", "record_of", "subject_of"]

_HALF: Final = re.compile(rb"\\u[dD][89a-fA-F]")  # how JSON spells half a character
_TEXTS: Final = (
    *("key", "answer_key", "track", "problem", "problem_digest", "subject", "subject_digest", "isolation"),
    *("created", "host"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledAnswer:
    """An answer without its bytes, and their digest; None where the subject gave none."""

    stored: StoredAnswer
    payload: str | None


def parsed(data: bytes, *, what: str) -> Any:
    """A JSON value of finite numbers and whole characters: others have no digest."""
    value = parse_json(data, what=what, finite="Assay writes finite numbers")
    if _HALF.search(data):
        try:
            canonical_json(value).encode()
        except (UnicodeEncodeError, RecursionError):
            raise InvalidInput(f"{what}: holds half a character, which Assay does not write. {AGAIN}.") from None
    return value


def record_of(body: Any) -> Record:
    """A record whose fields are of the types that Assay writes."""
    record = Record.from_json(body)
    texts = {name: getattr(record, name) for name in _TEXTS}
    texts |= {name: getattr(record, name) or "" for name in ("error", "error_kind")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a text")
    if type(record.seed) is not int or record.status not in ("ok", "failed"):
        raise TypeError("seed must be a whole number, and status ok or failed")
    if not all(type(version) is int for version in record.versions.values()):
        raise TypeError("versions must be whole numbers")
    return record


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} must be a text")
    return value


def subject_of(body: Mapping[str, Any]) -> SubjectRef:
    """A subject as the manifest names it."""
    parameters = body.get("parameters", {})
    if not isinstance(parameters, dict):
        raise TypeError("parameters must be a mapping")
    return SubjectRef(
        kind=_text(body, "kind"),  # type: ignore[arg-type] # which one it is is looked at where it is used
        name=_text(body, "name"),
        digest=_text(body, "digest"),
        target=_text(body, "target") if "target" in body else "",
        parameters={name: _parameter(value) for name, value in parameters.items()},
    )


def _parameter(value: Any) -> Any:
    return tuple(map(_parameter, value)) if isinstance(value, list) else value


def problem_of(body: Mapping[str, Any]) -> tuple[str, str]:
    """The digest of a problem and its folder; no folder where the package writes it by itself."""
    if "generator" in body:
        return _text(body, "digest"), ""
    folder = _text(body, "folder")
    demand_name(folder, what="problem")
    return _text(body, "digest"), folder


def code_of(body: Mapping[str, Any]) -> Mapping[str, str]:
    """What a metric of the author's is, and where its files are."""
    code = {key: _text(body, key) for key in ("kind", "text", "target", "attribute", "digest", "folder")}
    demand_name(code["folder"], what="metric")
    demand_name(code["target"], what="metric")
    if code["kind"] not in ("file", "module"):
        raise ValueError("a metric is a file or a module")
    return code


def cells_of(body: Mapping[str, Any]) -> int:
    """How many cells a withdrawal concerns."""
    cells = body["cells"]
    if type(cells) is not int:
        raise TypeError("cells must be a whole number")
    return cells


def answer_of(body: Mapping[str, Any]) -> tuple[str, BundledAnswer]:
    """An answer by its key."""
    payload = body["payload"]
    if payload is not None:
        payload = _text(body, "payload")
        demand_name(payload, what="answer")
    if body["status"] not in ("ok", "failed"):
        raise ValueError("status must be ok or failed")
    cost, software = dict(body["cost"]), dict(body["software"])
    stored = StoredAnswer(
        status=body["status"],
        error=None if body["error"] is None else _text(body, "error"),
        error_kind=None if body["error_kind"] is None else _text(body, "error_kind"),
        isolation=_text(body, "isolation"),
        seconds=float(body["seconds"]),
        cost={str(name): float(amount) for name, amount in cost.items()},
        software={str(name): str(version) for name, version in software.items()},
    )
    return _text(body, "key"), BundledAnswer(stored=stored, payload=payload)
