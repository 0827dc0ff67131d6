import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.insight.leakage.memorised import compare_agreement, literal_volume


@pytest.mark.parametrize(
    ("code", "volume"),
    [
        ("x = 1", 1),
        ("x = 'abc'", 3),
        ("x = 'age'", 0),
        ("'''documentation'''\ndef f():\n    'more'\n    return None", 0),
        ("x = 2 ** 3", 2),
        ("x = 1.25", 4),
        ("x = [True, False, ...]", 2),
        ("def f(a={'k': 12}): return a", 3),
        ("broken(", 7),
    ],
)
def test_the_volume_of_literals_counts_what_could_hold_labels(code: str, volume: int) -> None:
    assert literal_volume(code, known=["age"]) == volume


@pytest.mark.parametrize(
    ("code", "volume"),
    [
        ("def f(row):\n    'Rows M01 and M02.'\n    return M03", 9),
        ("def f(row): return dict(M01=row, M09=row)", 3),
        ("def f(row):\n    'bits 0110'\n    return f.__doc__", 9 + len("frowf__doc__")),
    ],
)
def test_documentation_and_names_count_where_they_hold_ids_or_can_be_read(code: str, volume: int) -> None:
    assert literal_volume(code, ids=["M01", "M02", "M03"]) == volume


def test_a_number_too_long_to_be_written_is_counted() -> None:
    assert literal_volume(f"x = {hex(16**20000)}") == 20001


def draw(seed: int, rows: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels, unseen = (rng.random(rows) < 0.25).astype(int), (rng.random(rows // 2) < 0.25).astype(int)
    return labels.astype(object), unseen.astype(object), rng.normal(size=rows), rng.normal(size=rows // 2)


def test_a_copy_of_the_training_labels_is_memorised() -> None:
    labels, unseen, _, _ = draw(1)
    agreement = compare_agreement(labels, labels, np.zeros(200, dtype=object), unseen, "binary")
    assert agreement.memorised
    assert agreement.train == 1.0
    right, wrong = int((unseen == 0).sum()), int((unseen == 1).sum())
    expected = stats.hypergeom.sf(399, 600, 400 + right, 400)  # Fisher's test by its definition
    assert agreement.p_value <= expected
    assert expected < 1e-6
    assert agreement.test == pytest.approx(right / (right + wrong))


def test_a_few_memorised_positives_are_found_though_most_rows_know_nothing() -> None:
    labels, unseen, _, _ = draw(2)
    known = np.zeros(400, dtype=object)
    known[np.flatnonzero(labels == 1)[:30]] = 1
    assert compare_agreement(known, labels, np.zeros(200, dtype=object), unseen, "binary").memorised


@pytest.mark.parametrize(("beyond", "memorised"), [(14, False), (40, True)])
def test_rows_beyond_all_test_rows_must_be_more_than_chance_puts_there(beyond: int, memorised: bool) -> None:
    """Rows of one busy week share a label and a value, and by chance no test row falls into that week."""
    labels, unseen, values, others = draw(5)
    others = np.clip(others, None, 3.0)
    values = np.clip(values, None, 2.9)
    values[:beyond], labels[:beyond] = np.linspace(3.1, 3.2, beyond), 1
    agreement = compare_agreement(values, labels, others, unseen, "binary")
    assert agreement.memorised == memorised


def test_a_noisy_copy_is_memorised_in_any_scale_and_type() -> None:
    labels, unseen, noise, other = draw(3)
    wrong = np.random.default_rng(4).random(400) < 0.08
    noisy = np.where(wrong, 1 - labels, labels)
    for values, blank in ((3.5 - 2 * noisy, 3.5), (np.where(noisy == 1, "yes", "no"), "no")):
        given = values.astype(object)
        assert compare_agreement(given, labels, np.full(200, blank, dtype=object), unseen, "binary").memorised
    mixed = (noisy * 10 + noise).astype(object)
    assert compare_agreement(mixed, labels, other.astype(object), unseen, "binary").memorised


def test_numbers_that_were_memorised_count_as_high_or_low() -> None:
    rng = np.random.default_rng(5)
    labels, unseen = rng.normal(size=300), rng.normal(size=100)
    memory = compare_agreement(labels.astype(object), labels, np.zeros(100, dtype=object), unseen, "regression")
    assert memory.memorised
    honest = labels + rng.normal(size=300), unseen + rng.normal(size=100)
    assert not compare_agreement(*_pair(honest, labels, unseen), "regression").memorised


def _pair(
    values: tuple[np.ndarray, np.ndarray], labels: np.ndarray, unseen: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return values[0].astype(object), labels, values[1].astype(object), unseen


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), strength=st.sampled_from([0.0, 1.0, 5.0]), levels=st.sampled_from([0, 3, 15]))
def test_honest_columns_of_any_strength_are_not_memorised(seed: int, strength: float, levels: int) -> None:
    labels, unseen, noise, other = draw(seed)
    values = strength * labels.astype(float) + noise, strength * unseen.astype(float) + other
    if levels:
        values = np.round(values[0] * levels / 6), np.round(values[1] * levels / 6)
    assert not compare_agreement(*_pair(values, labels, unseen), "binary").memorised
