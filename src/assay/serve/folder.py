"""The pages of one results folder, rendered on request and cached until the folder changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from assay.core import AnyTrack, AssayError, Record
from assay.harness.store.store import STORE_NAME, Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.history.changes import RunChanges, run_changes
from assay.report.history.page import history_page
from assay.report.loading import load
from assay.report.page.cell import cell_page, cell_view
from assay.report.page.environment import environment, page_parts
from assay.report.page.html import html
from assay.report.page.pagedata import KEY
from assay.report.page.task import TaskReader
from assay.report.page.views import Served
from assay.report.results import Results
from assay.report.tables.cache import read_only_cache

__all__ = ["ServedFolder"]

REST = 75  # the next edition waits so many times the CPU time of a page: a run on one core loses 1.3 %
SHORTEST_REST = 1.0  # seconds
QUIET = 1.5  # seconds without a change after which a run may be over, and the next edition need not wait
LULL = 4  # a run counts as over after so many times its longest pause: slow cells pause it, too
RUNS_LISTED = 20


class _Page(NamedTuple):
    edition: int
    text: str


class ServedFolder:
    """A results folder, or an export of one. All methods may be called from any thread; nothing is ever written.

    An *edition* is a numbered state of the results, which open pages are notified of. While a run writes, editions
    follow each other slowly, so that rendering them costs the run little.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        *,
        truth: bool = True,
        links: tuple[tuple[str, str], ...] = (),
        tracks: Mapping[str, AnyTrack] | None = None,
        clock: Callable[[], float] = time.monotonic,
        work: Callable[[], float] = time.process_time,
    ) -> None:
        self.path = path.parent if path.name == STORE_NAME else path  # as in load
        self.name = name
        self._truth = truth
        self._links = links
        self._tracks = tracks
        self._clock, self._work = clock, work
        self._building, self._noticing = threading.Lock(), threading.Lock()
        self._state, self._seen, self._seen_at = self._look(), "", clock()
        self._edition, self._rest_until, self._longest_wait = 1, 0.0, 0.0
        self._is_making = False
        self._pages: dict[str, _Page] = {}
        self._loaded: tuple[int, Results] | None = None

    def edition(self) -> int:
        """The number of the newest edition; a change of the store makes a new one when it is time."""
        with self._noticing:
            now, state = self._clock(), self._look()
            if state != self._seen:
                if self._seen:  # decays, so that a pause between two runs is forgotten
                    self._longest_wait = max(0.9 * self._longest_wait, now - self._seen_at)
                self._seen, self._seen_at = state, now
            quiet = now - self._seen_at >= max(QUIET, LULL * self._longest_wait)
            # while a page is being made nothing is announced: it would have to be made again at once
            if state != self._state and not self._is_making and (now >= self._rest_until or quiet):
                self._state = state
                self._edition += 1
            return self._edition

    def report(self) -> str:
        """The report, as the offline file has it, with links to its cells; or that there is nothing yet."""
        return self._page("report", self._report)

    def history(self) -> str:
        """The runs of the folder, and what changed from one to the next."""
        return self._page("history", lambda edition: history_page(str(self.path), self._changes()))

    def cell(self, key: str) -> str | None:
        """The page of the one record whose key starts so; None where there is none, or more than one."""
        with read_only_cache():
            match = self._find(key) if len(key) >= KEY and key.isalnum() else None
            if match is None:
                return None
            record, stored, folder = match
            results = self._results().track(record.track)
            task = TaskReader(lambda _: folder).read(results.track, record)
            return cell_page(cell_view(results, record, stored, truth=self._truth, task=task))

    def _page(self, name: str, make: Callable[[int], str]) -> str:
        """A page of the newest edition; many readers at once wait for one and the same."""
        edition = self.edition()
        if (cached := self._pages.get(name)) is not None and cached.edition == edition:
            return cached.text
        with self._building, read_only_cache():
            edition = self.edition()
            cached = self._pages.get(name)
            if cached is None or cached.edition != edition:
                started, self._is_making = self._work(), True
                try:
                    self._pages[name] = cached = _Page(edition, make(edition))
                finally:
                    self._is_making = False
                self._rest_until = self._clock() + max(SHORTEST_REST, REST * (self._work() - started))
            return cached.text

    def _report(self, edition: int) -> str:
        served = Served(edition, self._links)
        try:
            return html(self._results(), truth=self._truth, served=served)
        except AssayError as error:
            template = environment().get_template("waiting.html.j2")
            parts = page_parts("theme.js", "live.js", live=True)
            return template.render(**parts, name=str(self.path), message=str(error), served=served)

    def _changes(self) -> tuple[RunChanges, ...]:
        return (
            run_changes(self.path, most=RUNS_LISTED, tracks=self._tracks)
            if self._is_folder() and self._store().is_file()
            else ()
        )

    def _results(self) -> Results:
        """The results of the newest edition, read once."""
        edition = self.edition()
        if self._loaded is None or self._loaded[0] != edition:
            self._loaded = (edition, load(self.path, tracks=self._tracks))
        return self._loaded[1]

    def _find(self, key: str) -> tuple[Record, StoredAnswer | None, Path | None] | None:
        if not self._is_folder():  # an export holds no answers
            records = [
                record for track in self._results().tracks for record in track.records if record.key.startswith(key)
            ]
            return (records[0], None, None) if len(records) == 1 else None
        with Store(self.path, read_only=True) as store:
            matches = store.find_records(key)
            if len(matches) != 1:
                return None
            return matches[0], store.answer(matches[0].answer_key), store.problem_folder(matches[0].key)

    def _is_folder(self) -> bool:
        return not self.path.is_file() and self.path.suffix != ".zip"

    def _store(self) -> Path:
        return self.path / STORE_NAME if self._is_folder() else self.path

    def _look(self) -> str:
        """The state of the store: size and time of its file and of its write-ahead log."""
        store = self._store()
        return repr([_time_and_size(store), _time_and_size(store.with_name(store.name + "-wal"))])


def _time_and_size(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns if status.st_size else 0, status.st_size)
