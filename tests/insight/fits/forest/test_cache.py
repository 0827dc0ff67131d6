from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.cache import ColumnCache
from assay.insight.fits.forest.settings import ForestSettings


class Prepared(NamedTuple):
    nbytes: int
    first: float


class Preparer:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(
        self, train: npt.NDArray[np.float32], test: npt.NDArray[np.float32], settings: ForestSettings
    ) -> Prepared:
        self.calls += 1
        return Prepared(train.nbytes, float(train[0]))


SETTINGS = ForestSettings(trees=2)
TEST = np.zeros(3)


def test_equal_content_is_prepared_once_whatever_array_holds_it() -> None:
    preparer = Preparer()
    cache = ColumnCache(preparer, limit=10**6)
    column = np.arange(10.0)
    table = np.column_stack([column, column])
    first = cache.get(column, TEST, SETTINGS)
    assert cache.get(table[:, 1], TEST.astype(np.float32), ForestSettings(trees=2)) is first
    assert preparer.calls == 1


def test_other_rows_test_values_or_settings_are_another_column() -> None:
    preparer = Preparer()
    cache = ColumnCache(preparer, limit=10**6)
    column = np.arange(10.0)
    cache.get(column, TEST, SETTINGS)
    cache.get(column[::-1], TEST, SETTINGS)
    cache.get(column, TEST + 1, SETTINGS)
    cache.get(column, TEST, ForestSettings(trees=3))
    cache.get(column[:9], np.concatenate([column[9:], TEST]), SETTINGS)  # the same numbers, parted elsewhere
    assert preparer.calls == 5


def test_the_least_recently_used_column_makes_room() -> None:
    preparer = Preparer()
    cache = ColumnCache(preparer, limit=100)  # two columns of ten single-precision numbers
    a, b, c = (np.full(10, value) for value in (1.0, 2.0, 3.0))
    for column in (a, b, a, c):
        cache.get(column, TEST, SETTINGS)
    assert (len(cache), cache.nbytes, preparer.calls) == (2, 80, 3)
    cache.get(a, TEST, SETTINGS)
    assert preparer.calls == 3
    cache.get(b, TEST, SETTINGS)
    assert preparer.calls == 4
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)


def test_a_column_too_large_to_keep_is_answered_and_drives_nobody_out() -> None:
    preparer = Preparer()
    cache = ColumnCache(preparer, limit=50)
    cache.get(np.ones(10), TEST, SETTINGS)
    assert cache.get(np.full(100, 7.0), TEST, SETTINGS).first == 7.0
    assert (len(cache), cache.nbytes) == (1, 40)


def test_threads_share_it() -> None:
    cache = ColumnCache(Preparer(), limit=400)
    columns = [np.full(10, float(value)) for value in range(20)]
    with ThreadPoolExecutor(4) as pool:
        firsts = list(pool.map(lambda column: cache.get(column, TEST, SETTINGS).first, columns * 20))
    assert firsts == [float(value) for value in range(20)] * 20
    assert cache.nbytes == 40 * len(cache) <= 400
