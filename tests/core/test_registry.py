from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from assay.core import InvalidInput, UnknownName, get_track, registry, track_names
from assay.core.track import AnyTrack


def test_an_unknown_track_gets_a_suggestion() -> None:
    with pytest.raises(UnknownName, match="No track named 'case'. Did you mean 'cases'"):
        get_track("case")
    with pytest.raises(UnknownName, match="No track named 'None'. Known: "):
        get_track(None)


def test_an_external_package_adds_a_track_through_its_entry_point(parity: AnyTrack) -> None:
    assert {"cases", "parity"} <= set(track_names())
    assert get_track("parity") is parity


def test_our_own_tracks_are_found_without_a_look_into_every_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def look() -> dict[str, EntryPoint]:
        raise AssertionError("looked into every package")

    monkeypatch.setattr(registry, "_entries", look)
    assert registry.is_track("insight")
    assert get_track.__wrapped__("insight").name == "insight"
    with pytest.raises(AssertionError, match="looked"):
        registry.is_track("parity")


def test_listing_names_imports_no_track() -> None:
    code = "import sys; from assay.core.registry import track_names; assert 'cases' in track_names(); "
    code += "assert not any(m.startswith('assay.cases') or m == 'numpy' for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [("no_such_package:TRACK", "cannot be imported"), ("json:dumps", "is not a Track of that name")],
)
def test_a_broken_entry_point_is_named(value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entries", lambda: {"odd": EntryPoint("odd", value, registry.GROUP)})
    with pytest.raises(InvalidInput, match=message):
        get_track.__wrapped__("odd")
