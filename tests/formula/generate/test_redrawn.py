from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.core import InvalidInput, digest_folder
from assay.formula.expression.parser import parse
from assay.formula.expression.program import table_values
from assay.formula.generate.candidate_formulas import Draft, draw_inputs, is_sound
from assay.formula.generate.laws import LAWS, SOLVED_LAWS, SolvedLaw
from assay.formula.generate.redrawn import laws_with_constants, solved_laws

BY_NAME = {law.name: law for law in LAWS}


@pytest.mark.parametrize("form", SOLVED_LAWS, ids=lambda form: f"{form.law}-{form.variable}")
def test_a_solved_law_put_into_the_law_gives_what_the_law_gives(form: SolvedLaw) -> None:
    law, names = BY_NAME[form.law], list(form.domain)
    tree = parse(form.formula, names=names, dialect="plain")
    inputs = draw_inputs(np.random.default_rng(1), form.domain, 200)
    columns = dict(zip(names, inputs.T, strict=True))
    columns[form.variable] = table_values(tree, names, inputs)
    assert np.isfinite(columns[form.variable]).all()
    assert form.output in names
    assert form.variable not in names
    own = list(law.domain)
    values = table_values(
        parse(law.formula, names=own, dialect="plain"), own, np.column_stack([columns[name] for name in own])
    )
    np.testing.assert_allclose(values, columns[form.output], rtol=1e-9)
    assert is_sound(Draft(tree, form.formula, form.domain, "physics", "medium"), np.random.default_rng(2))


def test_every_law_has_another_variable_to_be_solved_for() -> None:
    assert min(sum(form.law == law for form in SOLVED_LAWS) for law in {form.law for form in SOLVED_LAWS}) >= 2


def formulas(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("*/truth/formula.txt"))]


def test_drawn_against_another_seed_no_law_is_solved_for_the_same_variable(tmp_path: Path) -> None:
    solved_laws(tmp_path / "public", problems=29, seed=1)
    for seed in range(2, 5):
        solved_laws(tmp_path / f"{seed}", problems=29, seed=seed, other_than=1, drawn="fresh")
        assert not set(formulas(tmp_path / "public")) & set(formulas(tmp_path / f"{seed}"))


@pytest.mark.parametrize("draw", [solved_laws, laws_with_constants])
def test_a_seed_of_256_bits_gives_the_same_bytes_and_names_that_do_not_tell_it(draw: object, tmp_path: Path) -> None:
    assert callable(draw)
    for name in ("a", "b"):
        draw(tmp_path / name, problems=45, seed=2**255 + 19, difficulty="medium")
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    assert len(set(formulas(tmp_path / "a"))) > 25
    assert all(len(path.name) < 25 for path in (tmp_path / "a").iterdir())


def test_an_unknown_difficulty_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="difficulty must be one of easy, medium, hard, got 'mild'"):
        solved_laws(tmp_path, problems=1, seed=1, difficulty="mild")  # type: ignore[arg-type]
