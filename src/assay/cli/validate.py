"""``assay validate``: is this folder or file what Assay can use?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from assay.cli.shared.options import PATH, json_option, print_json
from assay.core import AnyTrack, InvalidInput, UnknownName
from assay.core.files.near import near_path

__all__ = ["validate"]


@click.command(epilog="Example: assay validate my-problems --track cases")
@click.argument("path", type=PATH)
@click.option("--track", "track_name", metavar="NAME", help="Set the track, if the problem files do not name it.")
@json_option
def validate(path: Path, track_name: str | None, as_json: bool) -> int:
    """Check PATH: a problem folder, a folder of problem folders, or a TOML run file. Exit code 2 if one is wrong."""
    checked = [_tried(path, _check_run_file)] if path.suffix == ".toml" else _check_problems(path, track_name)
    if as_json:
        print_json([{"path": str(place), "ok": not trouble, "message": trouble} for place, trouble in checked])
    else:
        for place, trouble in checked:
            click.echo(f"wrong  {trouble}" if trouble else f"ok     {place}")
    return 2 if any(trouble for _, trouble in checked) else 0


def _check_run_file(path: Path) -> None:
    from assay.harness import prepare, read_run_file

    for spec in read_run_file(path).runs:
        prepare(spec)


def _check_problems(path: Path, track_name: str | None) -> list[tuple[Path, str]]:
    from assay.core import find_problems, get_track

    if track_name is not None:
        track = get_track(track_name)
        folders, candidates = find_problems(path, marker=track.marker), {track.name: track}
    else:
        folders, candidates = _recognised(path)
    earlier: dict[tuple[str, str], Path] = {}
    return [_tried(folder, lambda place: _check_problem(place, candidates, track_name, earlier)) for folder in folders]


def _check_problem(
    folder: Path, candidates: Mapping[str, AnyTrack], track_name: str | None, earlier: dict[tuple[str, str], Path]
) -> None:
    """Load a problem as the track that it names, or the only one; ``earlier`` has the folders of other ids."""
    from assay.core import read_json
    from assay.harness.setup.problems import demand_distinct

    marker = next(iter(candidates.values())).marker
    name = track_name or read_json(folder / marker).get("track")
    if name is None and len(candidates) == 1:
        name = next(iter(candidates))
    if name not in candidates:
        hint = UnknownName("track", str(name), candidates) if name else "it names no track; use --track NAME."
        raise InvalidInput(f"{folder / marker}: {hint}")
    track = candidates[str(name)]
    track.load(folder)
    problem = track.manifest(folder).id
    first = earlier.setdefault((track.name, problem), folder)
    if first != folder:
        demand_distinct([(problem, first), (problem, folder)])


def _recognised(path: Path) -> tuple[tuple[Path, ...], dict[str, AnyTrack]]:
    """Problem folders with the tracks that use such a file."""
    from assay.core import find_problems, get_track, track_names

    if not path.is_dir():
        reason = "this is neither a folder of problems nor a run file (.toml)." if path.is_file() else ""
        raise InvalidInput(f"{path}: {reason or f'folder or run file not found.{near_path(path)}'}")
    tracks = [get_track(name) for name in track_names()]
    markers = dict.fromkeys(track.marker for track in tracks)
    for marker in sorted(markers, key=lambda marker: not (path / marker).is_file()):  # the folder itself comes first
        with contextlib.suppress(InvalidInput):
            folders = find_problems(path, marker=marker)
            return folders, {track.name: track for track in tracks if track.marker == marker}
    raise InvalidInput(f"{path}: no problem folder here. Scaffold one: assay init TRACK DIR.")


def _tried(path: Path, check: Callable[[Path], object]) -> tuple[Path, str]:
    """The path, and what is wrong there; empty where nothing is."""
    try:
        check(path)
    except InvalidInput as error:
        return path, str(error)
    return path, ""
