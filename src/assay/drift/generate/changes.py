"""Change patterns of processes: what can happen to a process tree, and how one would say it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Listing
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from assay.core import UnknownName
from assay.drift.generate.trees import Choice, Loop, Node, Optional, Parallel, Sequence, Step, change_step, steps

__all__ = ["CONTROL_FLOW", "PATTERNS", "Change", "Changed", "apply_pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What changed: the pattern's code, a word for it, the activities and roles concerned, and a sentence."""

    pattern: str
    kind: str
    activities: tuple[str, ...]
    sentence: str
    roles: tuple[str, ...] = ()


class Changed(NamedTuple):
    """A changed process, the change, and the change in reverse."""

    tree: Sequence
    change: Change
    undone: Change


class Saying(NamedTuple):
    kind: str
    sentence: str


class _NoRoom(Exception):
    """The tree has no place for the change."""


_Draft = tuple[Sequence, tuple[str, ...], Saying, Saying]
_Pattern = Callable[[Sequence, np.random.Generator, tuple[Step, ...]], _Draft]
_T = TypeVar("_T")
_Block = TypeVar("_Block", bound=Choice | Parallel)


def apply_pattern(pattern: str, tree: Sequence, rng: np.random.Generator, *, spare: tuple[Step, ...]) -> Changed | None:
    """The tree after a change drawn from one pattern; None when the tree has no place for it.

    ``spare`` are steps that the process may take in. The first and the last step always stay.
    """
    if pattern not in PATTERNS:
        raise UnknownName("change pattern", pattern, PATTERNS)
    try:
        after, activities, forward, backward = _FUNCTIONS[pattern](tree, rng, spare)
    except _NoRoom:
        return None
    roles = tuple(dict.fromkeys(step.role for step in steps(after) if step.activity in activities and step.role))
    return Changed(
        after,
        Change(pattern=pattern, kind=forward.kind, activities=activities, sentence=forward.sentence, roles=roles),
        Change(pattern=pattern, kind=backward.kind, activities=activities, sentence=backward.sentence, roles=roles),
    )


def _plain(tree: Sequence) -> list[int]:
    """Places of single steps on the main path, without the first and the last."""
    return [place for place, child in enumerate(tree.children[1:-1], 1) if isinstance(child, Step)]


def _neighbours(tree: Sequence) -> list[int]:
    """Places of single steps that are followed by another single step."""
    plain = set(_plain(tree))
    return [place for place in sorted(plain) if place + 1 in plain]


def _pick(entries: Listing[_T], rng: np.random.Generator) -> _T:
    if not entries:
        raise _NoRoom
    return entries[int(rng.integers(len(entries)))]


def _step(tree: Sequence, place: int) -> Step:
    child = tree.children[place]
    assert isinstance(child, Step)
    return child


def _blocks(tree: Sequence, kind: type[_Block]) -> dict[int, _Block]:
    """The blocks of one kind on the main path, by their places."""
    return {place: child for place, child in enumerate(tree.children) if isinstance(child, kind)}


def _block_and_step(tree: Sequence, rng: np.random.Generator, kind: type[_Block]) -> tuple[int, _Block, int]:
    """The place of a block, the block, and the place of a single step that may move into it."""
    blocks, plain = _blocks(tree, kind), _plain(tree)
    if not blocks and plain:
        _pick(plain, rng)  # a tree without blocks takes as many random numbers as ever
    block, place = _pick([*blocks], rng), _pick(plain, rng)
    return block, blocks[block], place


def _put(tree: Sequence, place: int, *nodes: Node, instead_of: int = 1) -> Sequence:
    children = (*tree.children[:place], *nodes, *tree.children[place + instead_of :])
    return replace(tree, children=children)


def _insert(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    new = _pick(spare, rng)
    place = int(rng.integers(1, len(tree.children)))
    before = list(steps(tree.children[place - 1]))[-1].activity
    return (
        _put(tree, place, new, instead_of=0),
        (new.activity,),
        Saying("added", f"'{new.activity}' was added after '{before}'."),
        Saying("removed", f"'{new.activity}' after '{before}' was removed."),
    )


def _fill(saying: Saying, names: tuple[str, ...]) -> Saying:
    return saying._replace(sentence=saying.sentence.format(*names))


def _wrap(count: int, wrap: Callable[..., Node], forward: Saying, backward: Saying) -> _Pattern:
    """A pattern that puts something around so many steps in a row; the sentences take their names."""

    def pattern(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
        place = _pick(_plain(tree) if count == 1 else _neighbours(tree), rng)
        wrapped = [_step(tree, at) for at in range(place, place + count)]
        names = tuple(step.activity for step in wrapped)
        after = _put(tree, place, wrap(*wrapped), instead_of=count)
        return after, names, _fill(forward, names), _fill(backward, names)

    return pattern


def _into_branch(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    block, choice, place = _block_and_step(tree, rng, Choice)
    step = _step(tree, place)
    branch = int(rng.integers(len(choice.children)))
    other = next(steps(choice.children[branch])).activity
    grown = Sequence((choice.children[branch], step))
    children = (*choice.children[:branch], grown, *choice.children[branch + 1 :])
    moved = _put(tree, block, replace(choice, children=children))
    return (
        _put(moved, place),
        (step.activity,),
        Saying("moved", f"'{step.activity}' is carried out only in cases with '{other}'."),
        Saying("moved", f"'{step.activity}' is carried out in every case, no longer only in those with '{other}'."),
    )


def _synchronise(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    blocks = {
        place: block.children
        for place, block in _blocks(tree, Parallel).items()
        if len(block.children) == 2
        and all(isinstance(branch, Sequence) and len(branch.children) == 2 for branch in block.children)
    }
    place = _pick([*blocks], rng)
    one, two = blocks[place]
    assert isinstance(one, Sequence)
    assert isinstance(two, Sequence)
    (a, b), (c, d) = one.children, two.children
    names = tuple(next(steps(node)).activity for node in (a, b, c, d))
    return (
        _put(tree, place, Sequence((Parallel((a, c)), Parallel((b, d))))),
        names,
        Saying("synchronised", f"'{names[1]}' and '{names[3]}' wait until '{names[0]}' and '{names[2]}' are done."),
        Saying("independent", f"'{names[1]}' no longer waits for '{names[2]}', nor '{names[3]}' for '{names[0]}'."),
    )


def _duplicate(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    place = _pick(_plain(tree), rng)
    target = _pick(range(place + 2, len(tree.children)), rng)
    step, before = _step(tree, place), list(steps(tree.children[target - 1]))[-1].activity
    return (
        _put(tree, target, step, instead_of=0),
        (step.activity,),
        Saying("duplicated", f"'{step.activity}' is carried out a second time after '{before}'."),
        Saying("single", f"'{step.activity}' is no longer carried out a second time after '{before}'."),
    )


def _into_parallel(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    block, parallel, place = _block_and_step(tree, rng, Parallel)
    step = _step(tree, place)
    other = next(steps(parallel)).activity
    moved = _put(tree, block, replace(parallel, children=(*parallel.children, step)))
    return (
        _put(moved, place),
        (step.activity,),
        Saying("parallel", f"'{step.activity}' is carried out in parallel with '{other}'."),
        Saying("sequential", f"'{step.activity}' is no longer carried out in parallel with '{other}'."),
    )


def _replace(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    place = _pick(_plain(tree), rng)
    old, new = _step(tree, place), _pick(spare, rng)
    return (
        _put(tree, place, new),
        (new.activity, old.activity),
        Saying("replaced", f"'{old.activity}' was replaced by '{new.activity}'."),
        Saying("replaced", f"'{new.activity}' was replaced by '{old.activity}'."),
    )


def _swap(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    plain = _plain(tree)
    if len(plain) < 2:
        raise _NoRoom
    first, second = sorted(plain[at] for at in rng.choice(len(plain), size=2, replace=False))
    one, two = _step(tree, first), _step(tree, second)
    forward = Saying("reordered", f"'{two.activity}' is carried out before '{one.activity}'.")
    backward = Saying("reordered", f"'{one.activity}' is carried out before '{two.activity}'.")
    return _put(_put(tree, first, two), second, one), (one.activity, two.activity), forward, backward


def _frequency(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    blocks = _blocks(tree, Choice)
    place = _pick([*blocks], rng)
    choice = blocks[place]
    shares = np.array(choice.weights) / sum(choice.weights)
    common = int(shares.argmax())
    rare = int(shares.argmin()) if shares.min() < shares.max() else (common + 1) % len(shares)
    after = shares.copy()
    after[common], after[rare] = (
        max(0.1, shares[common] - 0.4),
        shares[rare] + shares[common] - max(0.1, shares[common] - 0.4),
    )
    names = tuple(next(steps(choice.children[branch])).activity for branch in (rare, common))
    return (
        _put(tree, place, replace(choice, weights=tuple(after.tolist()))),
        names,
        Saying("frequency", f"The share of cases with '{names[0]}' rose from {shares[rare]:.0%} to {after[rare]:.0%}."),
        Saying("frequency", f"The share of cases with '{names[0]}' fell from {after[rare]:.0%} to {shares[rare]:.0%}."),
    )


def _duration(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    name = _step(tree, _pick(_plain(tree), rng)).activity
    after = change_step(tree, name, lambda step: replace(step, hours=step.hours * 4.0))
    assert isinstance(after, Sequence)
    return (
        after,
        (name,),
        Saying("slower", f"'{name}' takes four times as long."),
        Saying("faster", f"'{name}' takes a quarter of the time."),
    )


def _resource(tree: Sequence, rng: np.random.Generator, spare: tuple[Step, ...]) -> _Draft:
    step = _step(tree, _pick(_plain(tree), rng))
    name, old = step.activity, step.role
    new = _pick(sorted({step.role for step in (*steps(tree), *spare)} - {old}), rng)
    after = change_step(tree, name, lambda step: replace(step, role=new))
    assert isinstance(after, Sequence)
    return (
        after,
        (name,),
        Saying("reassigned", f"'{name}' is carried out by {new}, no longer by {old}."),
        Saying("reassigned", f"'{name}' is carried out by {old}, no longer by {new}."),
    )


_FUNCTIONS: dict[str, _Pattern] = {
    "re": _insert,
    "cf": _wrap(
        2,
        lambda one, two: Choice((one, two), (0.5, 0.5)),
        Saying("conditional", "Either '{0}' or '{1}' is carried out, no longer both."),
        Saying("sequential", "'{0}' and then '{1}' are carried out, no longer only one of them."),
    ),
    "lp": _wrap(
        1,
        lambda step: Loop(step, 0.4),
        Saying("repeated", "'{0}' may be repeated."),
        Saying("single", "'{0}' is carried out once and no longer repeated."),
    ),
    "pl": _wrap(
        2,
        lambda one, two: Parallel((one, two)),
        Saying("parallel", "'{0}' and '{1}' are carried out in parallel, no longer one after the other."),
        Saying("sequential", "'{1}' is carried out after '{0}', no longer in parallel."),
    ),
    "cb": _wrap(
        1,
        lambda step: Optional(step, 0.5),
        Saying("skippable", "'{0}' may be skipped."),
        Saying("mandatory", "'{0}' is carried out in every case and may no longer be skipped."),
    ),
    "cm": _into_branch,
    "cd": _synchronise,
    "cp": _duplicate,
    "pm": _into_parallel,
    "rp": _replace,
    "sw": _swap,
    "fr": _frequency,
    "du": _duration,
    "rs": _resource,
}

PATTERNS: tuple[str, ...] = tuple(_FUNCTIONS)
CONTROL_FLOW: tuple[str, ...] = tuple(name for name in PATTERNS if name not in ("du", "rs"))
