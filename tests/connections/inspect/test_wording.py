"""What does not need Inspect: answers found in texts, and what is said where Inspect is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import assay
from assay.connections.inspect import make_task, read_log_scores
from assay.connections.inspect.wording import find_answer
from assay.core import InvalidInput
from assay.core.errors import MissingExtra


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('first {"a": 1} then {"a": {"b": 2}} and {c}', '{"a": {"b": 2}}'),
        ('```json\n{"functions": [{"code": "def f(row):\\n    return {}"}]}\n```', None),
        ("{" * 5000, ""),
        ("", ""),
    ],
)
def test_the_last_object_is_the_answer(text: str, answer: str | None) -> None:
    result = find_answer(text)
    if answer is None:
        assert result is not None
        assert result.startswith('{"functions"')
    else:
        assert (result or "") == answer


def test_without_inspect_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in ("assay.intake.inspect_logs", "assay.harness.programs.inspect_program"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    (tmp_path / "log.eval").write_bytes(b"")
    (tmp_path / "agent.py").write_text("")
    for attempt in (
        lambda: make_task("formula", "exact-3"),
        lambda: read_log_scores(tmp_path / "log.eval"),
        lambda: assay.run("formula", ["inspect(task='agent.py')"], problems="exact-3", progress=False),
    ):
        with pytest.raises(
            MissingExtra, match=r"inspect-ai, which is not installed: pip install 'inspect-ai<0.4,>=0.3.285'"
        ):
            attempt()


def test_a_subject_of_inspect_names_a_python_file() -> None:
    assert importlib.util.find_spec("assay.connections.inspect.solving") is not None
    for text in ("inspect", "inspect(task='agent')", "inspect(model='x')"):
        with pytest.raises(InvalidInput, match=r"inspect\(task='agent\.py@name'"):
            assay.run("formula", [text], problems="exact-3", progress=False)
    with pytest.raises(InvalidInput, match="folder, model, task"):
        assay.run("formula", ["inspect(tsk='agent.py')"], problems="exact-3", progress=False)
