from __future__ import annotations

import os

import pytest

from assay.core import InvalidInput
from assay.sandbox import Sandbox
from assay.sandbox.lockdown.lockdown import LAYERS
from assay.sandbox.selftest import require_passed, self_test


def test_every_layer_of_a_strong_sandbox_holds(sandbox: Sandbox) -> None:
    assert [(report.layer, report.breach) for report in self_test(sandbox)] == [(layer, "") for layer in LAYERS]


@pytest.mark.parametrize("layer", LAYERS)
def test_the_self_test_turns_red_for_exactly_the_layer_that_is_off(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, layer: str
) -> None:
    if layer == "capabilities" and os.getuid() != 0:
        pytest.skip("an ordinary user has no capabilities to keep")
    monkeypatch.setattr(sandbox, "_layers", tuple(name for name in LAYERS if name != layer))
    assert [report.layer for report in self_test(sandbox) if not report.held] == [layer]


def test_a_sandbox_with_a_broken_layer_is_refused_with_the_breach_and_the_way_out() -> None:
    message = r"self-test of level 'strong' failed: landlock \(listed the root folder\).*choose level='weak' explicitly"
    with pytest.raises(InvalidInput, match=message):
        Sandbox.start(_off=("landlock",))


def test_a_weak_sandbox_promises_less_and_keeps_it() -> None:
    with Sandbox.start(level="weak") as sandbox:
        reports = self_test(sandbox)
        require_passed(sandbox)
    assert {report.layer for report in reports} == {"environment", "descriptors", "limits", "tracing", "clock"}
