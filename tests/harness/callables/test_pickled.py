from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.callables.conftest import Script

from assay.core import InvalidInput, SubjectFailed
from assay.core.track import AnyTrack
from assay.harness import RunSpec, prepare, resolve_subject
from assay.harness.callables import pickle_subject
from assay.harness.subject_ref import build_subject


def test_a_pickle_is_a_subject_without_isolation_only(parity: AnyTrack, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__", "K": 2}
    exec("def solve(task, budget):\n    return tuple(n % K == 0 for n in task.numbers)", names)
    path = pickle_subject(names["solve"], tmp_path, name="solve")
    text = f"Mine(k=3)={path}"
    ref = resolve_subject(text, parity)
    assert (ref.kind, ref.name, ref.runs_code) == ("pickle", "Mine(k=3)", True)
    task = parity.load(_problem(tmp_path)).task
    assert build_subject(ref, parity).solve(task, None) == (False, True)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="a pickle shows no source and cannot be confined"):
        prepare(RunSpec(track="parity", subjects=(text,), problems=("p",), folder=tmp_path))
    prepare(RunSpec(track="parity", subjects=(text,), problems=("p",), folder=tmp_path, isolation="none"))
    path.write_bytes(path.read_bytes() + b" ")
    assert resolve_subject(text, parity).digest != ref.digest


def _problem(folder: Path) -> Path:
    (folder / "p" / "truth").mkdir(parents=True)
    (folder / "p" / "problem.json").write_text('{"track": "parity", "numbers": [1, 2]}')
    (folder / "p" / "truth" / "even.json").write_text("[false, true]")
    return folder / "p"


def test_functions_of_local_modules_are_inside_the_pickle(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pickle
    import sys

    (tmp_path / "pickled_helper.py").write_text("def f(t):\n    return t + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    main = script("import pickled_helper\ndef solve(t):\n    return pickled_helper.f(t)")
    path = pickle_subject(main.pickled_helper.f, tmp_path / "out", name="f")
    monkeypatch.delitem(sys.modules, "pickled_helper")
    (tmp_path / "pickled_helper.py").unlink()
    assert pickle.loads(path.read_bytes())(1) == 2


def test_what_cannot_be_pickled_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"it cannot be serialized \(TypeError.*Create what it uses inside"):
        pickle_subject((i for i in range(3)), tmp_path, name="it")


def test_a_damaged_pickle_is_the_subjects_failure(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "x.pickle").write_bytes(b"no")
    with pytest.raises(SubjectFailed, match="x.pickle: "):
        build_subject(resolve_subject("x.pickle", parity, folder=tmp_path), parity)
    with pytest.raises(InvalidInput, match="file not found"):
        resolve_subject("y.pickle", parity, folder=tmp_path)
