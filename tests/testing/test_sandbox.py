from __future__ import annotations

import pytest

from assay.sandbox import Sandbox
from assay.testing import CheckFailed, check_sandbox


def test_the_sandbox_keeps_its_contract() -> None:
    check_sandbox()


def test_the_check_goes_red_when_a_layer_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Sandbox.__init__

    def without_landlock(self: Sandbox, **options: object) -> None:
        start(self, **{**options, "_off": ("landlock",)})  # type: ignore[arg-type]

    monkeypatch.setattr(Sandbox, "__init__", without_landlock)
    with pytest.raises(CheckFailed, match="landlock"):
        check_sandbox()
