"""The JSON files of a problem folder: what may stand in them, and what is wrong where it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from assay.core import InvalidInput, UnknownName, read_json
from assay.core.checks import is_number
from assay.formula.equivalence.sampling import check_domain
from assay.intake.fields import demand_known_keys

__all__ = ["PartEntry", "TruthFile", "read_box", "read_names", "read_parts", "read_truth_file"]

_ROLES = ("relevant", "irrelevant", "surrogate")
_KEYS = ("property", "roles", "surrogates", "extrapolation_box", "noise_sds")
_MOST_PARTS = 20


class PartEntry(NamedTuple):
    """A training file and its noise as a share of the target's variance."""

    file: str
    noise: float


class TruthFile(NamedTuple):
    """The content of ``truth/truth.json``."""

    property: str | None
    roles: dict[str, str]
    planted: dict[str, tuple[str, float, float]]
    box: dict[str, tuple[float, float]]
    noise_sds: tuple[float, ...]


def read_names(names: Any, target: str, *, where: str) -> tuple[str, ...]:
    """The variables in their order."""
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(f"{where}: 'variables' must list the names of the input columns, got {names!r}.")
    if len(set(names)) != len(names) or target in names:
        raise InvalidInput(f"{where}: 'variables' must differ from each other and from the target {target!r}.")
    return tuple(names)


def read_parts(content: Any, *, where: str) -> list[PartEntry]:
    """The training files; one without noise by default."""
    if content is None:
        return [PartEntry("train.csv", 0.0)]
    if not isinstance(content, list) or not 1 <= len(content) <= _MOST_PARTS:
        raise InvalidInput(f"{where}: 'parts' must be a list of 1 to {_MOST_PARTS} entries, got {content!r}.")
    entries = []
    for place, entry in enumerate(content):
        fields: dict[str, Any] = entry if isinstance(entry, dict) else {}
        file, noise = fields.get("file"), fields.get("noise", 0.0)
        if not isinstance(file, str) or not file:
            raise InvalidInput(f"{where}: 'parts'[{place}] must be an object with 'file' and 'noise', got {entry!r}.")
        path = PurePosixPath(file)
        if path.is_absolute() or ".." in path.parts or path.parts[:1] in ((), ("truth",)):
            raise InvalidInput(
                f"{where}: 'parts'[{place}]: {file!r} must lie in the problem folder, outside of truth/."
            )
        if not is_number(noise) or not 0 <= noise < 1:
            raise InvalidInput(f"{where}: 'parts'[{place}]: 'noise' must be a share from 0 to below 1, got {noise!r}.")
        entries.append(PartEntry(file, float(noise)))
    return entries


def read_box(content: Any, variables: Sequence[str], *, where: str) -> dict[str, tuple[float, float]]:
    """Bounds by the name of the variable, as in ``{"x": [0, 5]}``."""
    if not isinstance(content, dict):
        raise InvalidInput(f'{where}: must be an object such as {{"x": [0, 5]}}, got {content!r}.')
    box: dict[str, tuple[float, float]] = {}
    for name, bounds in content.items():
        if name not in variables:
            raise InvalidInput(f"{where}: {UnknownName('variable', str(name), list(variables))}")
        if not isinstance(bounds, list) or len(bounds) != 2 or not all(map(is_number, bounds)):
            raise InvalidInput(f"{where}: {name!r} needs two numbers, the lower one first, got {bounds!r}.")
        box[name] = (float(bounds[0]), float(bounds[1]))
    try:
        return check_domain(box)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def read_truth_file(path: Path, variables: Sequence[str]) -> TruthFile:
    """What was planted; nothing if the file is missing."""
    content: Mapping[str, Any] = read_json(path) if path.is_file() else {}
    demand_known_keys(content, _KEYS, what=path)
    roles = content.get("roles", {})
    if not isinstance(roles, dict):
        raise InvalidInput(f"{path}: 'roles' must map variables to {', '.join(_ROLES)}, got {roles!r}.")
    for name, role in roles.items():
        if name not in variables:
            raise InvalidInput(f"{path}: 'roles': {UnknownName('variable', name, list(variables))}")
        if role not in _ROLES:
            raise InvalidInput(f"{path}: 'roles': {UnknownName('role', str(role), _ROLES)}")
    sds = content.get("noise_sds", [])
    if not isinstance(sds, list) or not all(is_number(sd) and sd >= 0 for sd in sds):
        raise InvalidInput(f"{path}: 'noise_sds' must be a list of numbers of at least 0, got {sds!r}.")
    property = content.get("property")
    if property is not None and not isinstance(property, str):
        raise InvalidInput(f"{path}: 'property' must be a text, got {property!r}.")
    return TruthFile(
        property=property,
        roles=dict(roles),
        planted=_read_planted(content.get("surrogates", {}), roles, path),
        box=read_box(content.get("extrapolation_box", {}), variables, where=f"{path}: 'extrapolation_box'"),
        noise_sds=tuple(float(sd) for sd in sds),
    )


def _read_planted(content: Any, roles: Mapping[str, str], path: Path) -> dict[str, tuple[str, float, float]]:
    if not isinstance(content, dict):
        raise InvalidInput(f"{path}: 'surrogates' must be an object, got {content!r}.")
    planted: dict[str, tuple[str, float, float]] = {}
    for name, entry in content.items():
        if roles.get(name) != "surrogate":
            raise InvalidInput(f"{path}: 'surrogates' describes {name!r}, whose role is not 'surrogate'.")
        fields: dict[str, Any] = entry if isinstance(entry, dict) else {}
        formula, mean, sd = fields.get("formula"), fields.get("mean"), fields.get("sd")
        if not isinstance(formula, str) or not is_number(mean) or not is_number(sd):
            raise InvalidInput(f"{path}: 'surrogates', {name!r}: needs 'formula', 'mean' and 'sd', got {entry!r}.")
        planted[name] = (formula, float(mean), float(sd))
    return planted
