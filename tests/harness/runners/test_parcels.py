"""What goes to Ray's nodes does not pile up there: a few problems per worker are kept, the rest is sent again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="ray is not installed")

from assay.core import Budget
from assay.harness.execute import Job
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.runners import ray as on_ray
from assay.harness.subject_ref import SubjectRef


class FakeRay:
    """An object store that counts."""

    def __init__(self) -> None:
        self.puts = 0

    def put(self, data: bytes) -> list[bytes]:
        self.puts += 1
        return [data]

    def get(self, reference: list[bytes]) -> bytes:
        return reference[0]

    def remote(self, kind: Any) -> Any:
        class Options:
            def options(self, **_: object) -> None: ...

        return Options()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setattr(on_ray, "import_ray", lambda: fake)
    monkeypatch.setattr(on_ray, "limit_worker", lambda: None)
    return fake


def cells(folder: Path, count: int) -> list[Cell]:
    values = []
    for number in range(count):
        problem = folder / f"p{number}"
        problem.mkdir(parents=True)
        (problem / "problem.json").write_text(f"{number}")
        values.append(
            Cell(
                track="t",
                problem=problem.name,
                problem_digest=f"digest-{number}",
                folder=str(problem),
                tags={},
                subject=SubjectRef(kind="privileged", name="s", digest="d"),
                budget=Budget(seed=0),
                settings={},
                isolation=Isolation(),
                answer_key="a",
                record_key="r",
            )
        )
    return values


def test_a_worker_keeps_few_problems_and_fetches_an_old_one_again(tmp_path: Path, fake: FakeRay) -> None:
    pool = on_ray._Pool(2, ship=True, scratch=None)
    (tmp_path / "worker").mkdir()
    actor = on_ray._Actor(str(tmp_path / "worker"))
    for cell in (*(planned := cells(tmp_path / "problems", 30)), planned[0], planned[0]):
        settled = actor._settle(cell, pool.parcels(cell))
        assert settled.folder != cell.folder
        assert (Path(settled.folder) / "problem.json").read_text() == cell.problem.removeprefix("p")
        folders = [path.name for path in actor._own.iterdir() if path.name.startswith("problem-")]
        assert len(folders) <= on_ray._FOLDERS_KEPT
    assert fake.puts == 31
    assert len(pool._problems) == 2 * on_ray._PARCELS_KEPT
    actor.close()


def test_subjects_and_a_problem_at_work_are_sent_once(tmp_path: Path, fake: FakeRay) -> None:
    pool = on_ray._Pool(1, ship=True, scratch=None)
    (cell,) = cells(tmp_path / "problems", 1)
    ready = replace(cell, subject=SubjectRef(kind="ready", name="s", digest="d", target=str(tmp_path / "problems")))
    for _ in range(5):
        assert set(pool.parcels(ready)) == {"problem", "subject"}
    assert fake.puts == 2


def test_a_worker_gets_all_that_a_job_says(tmp_path: Path, fake: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[Job] = []
    monkeypatch.setattr(on_ray, "finish_safely", lambda _, job: finished.append(job))
    (cell,) = cells(tmp_path / "problems", 1)
    (tmp_path / "worker").mkdir()
    actor = on_ray._Actor(str(tmp_path / "worker"))
    job = Job(cell=cell, retried=True, load_only=True)  # a second time-out is believed, a subject is only loaded
    actor.finish(job, {})
    actor.close()
    assert finished == [job]
