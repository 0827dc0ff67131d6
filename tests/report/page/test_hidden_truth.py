"""A page that hides the truth does not hold it, for the truth of every track."""

from __future__ import annotations

import html as html_module

import pytest

import assay
from assay.harness import Store
from assay.report.page.cell import cell_page, cell_view
from assay.report.page.html import html
from assay.report.page.task import TaskReader
from assay.report.tables.truths import truths


def pieces(words: str) -> list[str]:
    """What a truth is made of, line by line and without numbering; short ones would be found anywhere."""
    lines = [line.partition(". ")[2] or line for line in words.removeprefix("Golden documents: ").splitlines()]
    return [line for line in lines if len(line) > 6]


@pytest.mark.soak
@pytest.mark.parametrize("track", ["cases", "conformal", "drift", "formula", "insight"])
def test_the_truth_of_a_track_is_in_the_open_page_and_not_in_the_hidden_one(track: str) -> None:
    results = assay.run(track, ["oracle"], problems=assay.problems(track)[:1])
    (entry,) = results.tracks
    secrets = [piece for words in truths(entry).values() for piece in pieces(words)]
    record = entry.records[0]
    with Store(results.folder, read_only=True) as store:
        answer = store.answer(record.answer_key)
        task = TaskReader(store.problem_folder).read(entry.track, record)
    assert not isinstance(task, str)
    for truth in (True, False):
        report = html(results, truth=truth)
        cell = cell_page(cell_view(entry, record, answer, truth=truth, task=task))
        assert "What the subject was given" in cell
        for page in (report, cell):
            text = html_module.unescape(page.replace("\\n", "\n").replace('\\"', '"').replace("\\u003e", ">"))
            assert [secret in text for secret in secrets] == [truth] * len(secrets)
    assert secrets
