from typing import Any

import numpy as np

from assay.cases.explanation.context import ExplainerContext, Familiarity, QueryRows, Unlike
from assay.cases.explanation.lazy_columns import LazyColumns


class Recorder:
    """A context whose answers are the rows' own first values, and that counts its questions."""

    def __init__(self, *, model: bool = True) -> None:
        self.asked: list[tuple[str, int]] = []
        self.excluded: list[Any] = []
        self.model = model

    def unlike(self, rows: QueryRows) -> Unlike:
        self.asked.append(("unlike", len(rows.queries)))
        self.excluded.append(rows.exclude)
        return Unlike(rows.queries[:, 0].astype(np.int64), rows.queries[:, 0] + 0.5)

    def familiarity(self, rows: QueryRows) -> Familiarity:
        self.asked.append(("familiarity", len(rows.queries)))
        return Familiarity(rows.queries[:, 0] / 10, rows.queries[:, 0] > 2)

    def fidelity(self, rows: QueryRows) -> Any:
        self.asked.append(("fidelity", len(rows.queries)))
        return rows.queries[:, 0] / 5 if self.model else None

    def prior(self, rows: QueryRows) -> Any:
        self.asked.append(("prior", len(rows.queries)))
        return np.where(rows.predicted == 0, 0.5, 0.0)


def columns(context: ExplainerContext | None, rows: int = 4) -> LazyColumns:
    rows_of_queries = QueryRows(
        queries=np.arange(rows, dtype=np.float64)[:, None],
        predicted=np.array([0, 0, 1, 0])[:rows],
        indices=np.zeros((rows, 2), dtype=np.int64),
        distances=np.zeros((rows, 2)),
        exclude=np.arange(rows),
    )
    return LazyColumns(context, rows_of_queries, np.array([1.0, 0.5, 1.0, 0.0])[:rows])


def test_nothing_is_asked_before_it_is_looked_at_and_nothing_twice() -> None:
    context = Recorder()
    assert isinstance(context, ExplainerContext)
    lazy = columns(context)
    lazy.part(slice(0, 2))
    assert context.asked == []
    for _ in range(2):
        assert lazy.unlike.indices.tolist() == [0, 1, 2, 3]
        assert lazy.unlike.distances.tolist() == [0.5, 1.5, 2.5, 3.5]
        assert lazy.fidelity is not None
        assert lazy.familiarity is not None
        assert lazy.familiarity.unfamiliar.tolist() == [False, False, False, True]
    assert context.asked == [("unlike", 4), ("fidelity", 4), ("familiarity", 4)]


def test_an_answer_of_none_is_remembered_too() -> None:
    context = Recorder(model=False)
    lazy = columns(context)
    assert lazy.fidelity is None
    assert lazy.fidelity is None
    assert lazy.part(slice(1, 2)).fidelity is None
    assert context.asked == [("fidelity", 4)]


def test_the_lift_is_correspondence_over_the_base_rate_and_undefined_for_an_unseen_class() -> None:
    np.testing.assert_array_equal(columns(Recorder()).prior_lift, [2.0, 1.0, np.nan, 0.0])


def test_a_part_takes_along_what_is_known_and_asks_only_for_its_own_rows() -> None:
    context = Recorder()
    lazy = columns(context)
    assert lazy.unlike.indices.tolist() == [0, 1, 2, 3]
    assert lazy.fidelity is not None
    part = lazy.part(slice(1, 3))
    assert part.fidelity is not None
    assert part.fidelity.tolist() == [0.2, 0.4]
    assert part.unlike.indices.tolist() == [1, 2]
    assert part.knows("unlike")
    assert not part.knows("familiarity")
    assert part.familiarity is not None
    assert part.familiarity.percentile.tolist() == [0.1, 0.2]
    np.testing.assert_array_equal(part.prior_lift, [1.0, np.nan])
    assert context.asked == [("unlike", 4), ("fidelity", 4), ("familiarity", 2), ("prior", 2)]
    assert not lazy.knows("familiarity")
    assert lazy.part(slice(2, None)).rows.exclude is not None


def test_a_part_leaves_out_the_cases_that_its_own_queries_are() -> None:
    context = Recorder()
    assert columns(context).part(slice(2, 4)).unlike.indices.tolist() == [2, 3]
    assert context.excluded[0].tolist() == [2, 3]


def test_without_a_context_everything_is_undefined() -> None:
    lazy = columns(None)
    assert lazy.unlike.indices.tolist() == [-1] * 4
    assert np.isnan(lazy.unlike.distances).all()
    assert np.isnan(lazy.prior_lift).all()
    assert lazy.fidelity is None
    assert lazy.familiarity is None
