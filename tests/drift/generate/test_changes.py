import numpy as np
import pytest

from assay.core import UnknownName
from assay.drift.generate.changes import CONTROL_FLOW, PATTERNS, apply_pattern
from assay.drift.generate.domains import DOMAINS, get_domain
from assay.drift.generate.simulate import draw_process
from assay.drift.generate.trees import Sequence, Step, play, steps


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("seed", range(3))
def test_every_pattern_changes_a_fresh_process_and_says_what(pattern: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree, spare = draw_process(DOMAINS[seed], rng)
    changed = apply_pattern(pattern, tree, rng, spare=spare)
    assert changed is not None
    assert changed.tree != tree
    assert changed.tree.children[0] == tree.children[0]
    assert changed.tree.children[-1] == tree.children[-1]
    for change in (changed.change, changed.undone):
        assert change.pattern == pattern
        assert change.activities
        assert any(f"'{name}'" in change.sentence for name in change.activities)
        assert change.sentence.endswith(".")
    assert changed.change.sentence != changed.undone.sentence
    known = {step.activity for step in steps(tree)} | {step.activity for step in spare}
    assert {step.activity for step in steps(changed.tree)} <= known
    assert play(changed.tree, rng)[0] == tree.children[0]


@pytest.mark.parametrize("pattern", [name for name in PATTERNS if name not in ("re", "cp")])
def test_a_process_without_room_stays_as_it_is(pattern: str) -> None:
    tree = Sequence((Step("open", "clerk"), Step("close", "clerk")))
    assert apply_pattern(pattern, tree, np.random.default_rng(0), spare=(Step("new", "clerk"),)) is None


def test_nothing_can_be_added_without_spare_steps() -> None:
    tree, _ = draw_process(DOMAINS[0], np.random.default_rng(0))
    assert apply_pattern("re", tree, np.random.default_rng(0), spare=()) is None
    assert apply_pattern("rp", tree, np.random.default_rng(0), spare=()) is None


def test_unknown_patterns_and_domains_are_named() -> None:
    tree, spare = draw_process(DOMAINS[0], np.random.default_rng(0))
    with pytest.raises(UnknownName, match="No change pattern named 'xx'"):
        apply_pattern("xx", tree, np.random.default_rng(0), spare=spare)
    with pytest.raises(UnknownName, match="No domain named 'travl'. Did you mean 'travel'"):
        get_domain("travl")
    assert set(CONTROL_FLOW) < set(PATTERNS)


def test_domains_have_distinct_activities_and_process_names() -> None:
    for domain in DOMAINS:
        assert len(set(domain.activities)) == len(domain.activities) == 21
        assert len(set(domain.processes)) == 4
        assert get_domain(domain.name) is domain
    names = [process for domain in DOMAINS for process in domain.processes]
    assert len(set(names)) == len(names)
