from __future__ import annotations

from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.core.track import AnyTrack
from assay.harness import SubjectRef, resolve_subject
from assay.harness.subject_ref import build_subject

GOOD = "def solve(task, budget):\n    return ()\n"


def resolve(text: str, track: AnyTrack, folder: Path) -> SubjectRef:
    return resolve_subject(text, track, folder=folder)


def test_a_registered_subject_keeps_its_parameters(parity: AnyTrack, tmp_path: Path) -> None:
    ref = resolve("divide(divisor=3)", parity, tmp_path)
    assert (ref.kind, ref.name) == ("registered", "divide(divisor=3)")
    assert build_subject(ref, parity).name == "divide(divisor=3)"


def test_a_label_names_a_subject(parity: AnyTrack, tmp_path: Path) -> None:
    assert resolve("mine=divide(divisor=3)", parity, tmp_path).name == "mine"


def test_a_file_is_named_after_its_stem_object_and_parameters(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(GOOD + "class Other:\n    def solve(self, task, budget): ...\n")
    assert resolve("agent.py", parity, tmp_path).name == "agent"
    assert resolve("agent.py:Other(k=2)", parity, tmp_path).name == "agent:Other(k=2)"


def test_a_path_may_hold_brackets(parity: AnyTrack, tmp_path: Path) -> None:
    folder = tmp_path / "agents (2)"
    folder.mkdir()
    (folder / "mine (best).py").write_text(GOOD)
    for text, name in {
        "agents (2)": "agents (2)",
        "agents (2)/mine (best).py": "mine (best)",
        "agents (2)/mine (best).py(k=3)": "mine (best)(k=3)",
        "agents (2)/mine (best).py:solve(k=3)": "mine (best):solve(k=3)",
    }.items():
        ref = resolve(text, parity, tmp_path)
        assert ref.name == name
        assert resolve(ref.reference(), parity, tmp_path).digest == ref.digest
    with pytest.raises(InvalidInput, match="not of the form"):
        resolve("agents (3)/mine (best).py", parity, tmp_path)


def test_a_module_is_found_in_the_working_folder_without_being_imported(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "pkg" / "agent.py").write_text(GOOD)
    ref = resolve("pkg.agent:solve", parity, tmp_path)
    assert (ref.kind, ref.name, ref.root) == ("module", "pkg.agent:solve", str(tmp_path))


def test_an_edit_in_a_locally_imported_module_changes_the_digest(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import helper\nfrom tools import deep\n" + GOOD)
    (tmp_path / "helper.py").write_text("x = 1\n")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("")
    (tmp_path / "tools" / "deep.py").write_text("from . import deeper\n")
    (tmp_path / "tools" / "deeper.py").write_text("y = 1\n")
    (tmp_path / "unrelated.py").write_text("z = 1\n")
    digests = [resolve("agent.py", parity, tmp_path).digest]
    (tmp_path / "unrelated.py").write_text("z = 2\n")
    assert resolve("agent.py", parity, tmp_path).digest == digests[0]
    for path in ("helper.py", "tools/__init__.py", "tools/deep.py", "tools/deeper.py", "agent.py"):
        with (tmp_path / path).open("a") as file:
            file.write("# edited\n")
        digests.append(resolve("agent.py", parity, tmp_path).digest)
    assert len(set(digests)) == 6


def test_a_folder_of_ready_answers_is_known_by_its_content(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    before = resolve("answers", parity, tmp_path)
    (tmp_path / "answers" / "p.json").write_text("[]")
    after = resolve("answers", parity, tmp_path)
    assert before.kind == after.kind == "ready"
    assert not after.runs_code
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("syntax.py", "syntax.py, line 2: .*The file is not valid Python"),
        ("nothing.py", "defines neither 'subject' nor 'solve'"),
        ("agent.py:slove", "No object in .*agent.py named 'slove'. Did you mean 'solve'"),
        ("answers(k=1)", "takes no parameters"),
        ("agent:solve.deep.er", "No object"),
        ("absent.deep:solve", "there is no module 'absent'"),
        ("pkg.absent:solve", "there is no module 'pkg.absent'"),
        (
            "dividee",
            "A subject may also be module:object, a Python file, a program, or a folder of precomputed answers",
        ),
    ],
)
def test_a_wrong_reference_is_explained(parity: AnyTrack, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "syntax.py").write_text("x = 1\ndef solve(:\n")
    (tmp_path / "nothing.py").write_text("x = 1\n")
    (tmp_path / "agent.py").write_text(GOOD)
    (tmp_path / "answers").mkdir()
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    with pytest.raises(InvalidInput, match=message):
        resolve(text, parity, tmp_path)


def test_nothing_outside_a_track_can_be_privileged(parity: AnyTrack, tmp_path: Path) -> None:
    (tmp_path / "oracle.py").write_text(GOOD)
    assert resolve("oracle", parity, tmp_path).kind == "privileged"
    assert resolve("oracle.py", parity, tmp_path).kind == "file"
    assert resolve("oracle=oracle.py", parity, tmp_path).kind == "file"


def test_a_program_may_be_named_by_an_absolute_path(tmp_path: Path, parity: AnyTrack) -> None:
    (tmp_path / "agent.sh").write_text("#!/bin/sh\n")
    ref = resolve_subject(str(tmp_path / "agent.sh"), parity)
    assert (ref.kind, ref.name, ref.program().words) == ("command", "agent", ("./agent.sh",))
    assert ref == resolve_subject("agent.sh", parity, folder=tmp_path)
