"""Names and links from elsewhere lead nowhere: neither a subject nor an examiner reads or writes outside."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput, SubjectFailed, all_but_truth, parse_call
from assay.core.track import AnyTrack
from assay.drift import read_corpus
from assay.drift.answer.trec import ready_answer as ready_run
from assay.drift.problem.task import find_log
from assay.formula.answer.precomputed import precomputed_answer as ready_formula
from assay.harness import RunSpec, run
from assay.harness.programs.program import read_answer, read_program
from assay.insight.answer.answer import ready_answer as ready_solution
from assay.insight.problem.handover import hand_over
from assay.report import load, write_archive

Spec = Callable[..., RunSpec]

NAMES = ["../outside", "a/../../outside", "/etc/passwd", "..", "."]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A file beside the folder that is read, with every suffix that is looked for."""
    for suffix in ("", ".json", ".txt", ".run", ".xes", ".csv"):
        (tmp_path / f"outside{suffix}").write_text("[true]\n")
    (tmp_path / "inside").mkdir()
    return tmp_path / "inside"


@pytest.mark.parametrize("name", NAMES)
def test_the_id_of_a_problem_names_no_answer_elsewhere(parity: AnyTrack, outside: Path, name: str) -> None:
    for read in (ready_formula, ready_run, ready_solution, lambda folder, id: read_answer(parity, folder, id)):
        with pytest.raises((SubjectFailed, InvalidInput), match="no answer|file not found|no file name"):
            read(outside, name)


def test_a_link_among_ready_answers_is_not_followed_out(parity: AnyTrack, outside: Path) -> None:
    for suffix in (".json", ".txt", ".run"):
        (outside / f"p{suffix}").symlink_to(outside.parent / f"outside{suffix}")
    (outside / "p").symlink_to(outside.parent)
    for read in (ready_formula, ready_run, ready_solution, lambda folder, id: read_answer(parity, folder, id)):
        with pytest.raises(SubjectFailed):
            read(outside, "p")


def test_a_pipe_among_ready_answers_does_not_hang(parity: AnyTrack, outside: Path) -> None:
    for suffix in ("", ".json", ".txt", ".run"):
        os.mkfifo(outside / f"p{suffix}")
    for read in (ready_formula, ready_run, ready_solution, lambda folder, id: read_answer(parity, folder, id)):
        with pytest.raises(SubjectFailed):
            read(outside, "p")


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "../../x"])
def test_a_process_names_no_event_log_elsewhere(outside: Path, name: str) -> None:
    assert find_log(outside, name) is None
    (outside / "own.xes").write_text("<log/>")
    assert find_log(outside, "own") == outside / "own.xes"


def test_documents_are_not_read_through_links_that_lead_out(outside: Path) -> None:
    (outside / "own.txt").write_text("our own words")
    (outside / "link.txt").symlink_to(outside.parent / "outside.txt")
    (outside / "tree").symlink_to(outside.parent)
    os.mkfifo(outside / "pipe.txt")
    corpus = read_corpus(outside)
    assert [document.name for document in corpus.documents] == ["own.txt"]
    assert [trouble.name for trouble in corpus.troubles] == ["link.txt"]
    assert "outside the folder" in corpus.troubles[0].message


def test_a_task_is_handed_over_without_links_pipes_and_devices(tmp_path: Path) -> None:
    problem = tmp_path / "problem"
    (problem / "truth").mkdir(parents=True)
    (problem / "truth" / "labels.csv").write_text("secret")
    (problem / "problem.json").write_text(json.dumps({"track": "t"}))
    (problem / "out.csv").symlink_to("/etc/passwd")
    (problem / "tree").symlink_to(problem / "truth")
    os.mkfifo(problem / "pipe.csv")
    all_but_truth(problem, tmp_path / "task")
    assert sorted(path.name for path in (tmp_path / "task").rglob("*")) == ["problem.json"]


def test_an_insight_task_with_a_link_among_its_tables_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "problem" / "data"
    data.mkdir(parents=True)
    (tmp_path / "problem" / "problem.json").write_text(json.dumps({"target_column": "y"}))
    for part in ("train", "test"):
        (data / f"{part}.csv").write_text("x,y\n1,2\n")
    (data / "extra.csv").symlink_to("/etc/passwd")
    with pytest.raises(InvalidInput, match="a link"):
        hand_over(tmp_path, tmp_path / "task")


def test_a_program_cannot_answer_with_a_file_of_somebody_else(spec: Spec, tmp_path: Path) -> None:
    """Neither through a link nor through a pipe, also when nothing confines it."""
    (tmp_path / "theirs").write_text("[true, false, true, false, true]")
    programs = {
        "link": f"#!/bin/sh\nln -s {tmp_path / 'theirs'} $2\n",
        "pipe": "#!/bin/sh\nmkfifo $2\n",
        "device": "#!/bin/sh\nln -s /dev/zero $2\n",
        "folder": "#!/bin/sh\nmkdir $2\n",
    }
    for name, source in programs.items():
        (tmp_path / name).write_text(source)
        (tmp_path / name).chmod(0o755)
    result = run([spec(*programs, problems=("problems/p0",), seconds=10)], out=tmp_path / "out")
    assert not result.lost
    assert {(record.subject, record.error_kind) for record in result.records} == {
        (name, "missing answer") for name in programs
    }


@pytest.mark.parametrize("word", ["../outside", "./../outside"])
def test_a_program_outside_its_folder_is_refused(outside: Path, word: str) -> None:
    with pytest.raises(InvalidInput, match="lies outside"):
        read_program(parse_call(f"command(run='{word}')"), outside)


@pytest.mark.parametrize("folder", ["../1-parity", "/1-parity", "1-parity/../.."])
def test_an_export_that_names_files_elsewhere_reads_and_writes_nothing(spec: Spec, tmp_path: Path, folder: str) -> None:
    run([spec("oracle")], out=tmp_path / "out")
    path = tmp_path / "run.zip"
    write_archive(load(tmp_path / "out"), path, with_html=False)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files["manifest.json"])
    manifest["tracks"][0]["folder"] = folder
    with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
        for name, content in {**files, "manifest.json": json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)
        archive.writestr("../escaped", b"x")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InvalidInput, match="this export is damaged"):
        load(tmp_path / "changed.zip")
    assert sorted(tmp_path.rglob("*")) == before
    assert not (tmp_path.parent / "escaped").exists()
