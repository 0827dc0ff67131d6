"""Local variables say what they hold."""

from __future__ import annotations

from tools.local_names import ROOT, banned_locals, sources


def test_no_local_is_named_after_what_happened_to_it() -> None:
    paths = list(sources())
    assert len(paths) > 1000
    assert [
        f"{path.relative_to(ROOT)}:{local.line}: {local.name}"
        for path in paths
        for local in banned_locals(path.read_text(encoding="utf-8"))
    ] == []


def test_targets_of_every_kind_are_seen() -> None:
    texts = [
        "told = 1",
        "(_told) = 1",
        "for told, row in []: pass",
        "with open('x') as told: pass",
        "[told for told in []]",
    ]
    texts += ["(told := 1)", "def f():\n    told: int = 1", "told, rest = 1, 2", "told += 1"]
    assert [next(banned_locals(text)).name.strip("_") for text in texts] == ["told"] * len(texts)
