"""Process trees: what a process allows, how often it takes which way, and one way through it at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Choice", "Loop", "Node", "Optional", "Parallel", "Sequence", "Step", "change_step", "play", "steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """An activity, by whom, and the mean hours until it is done."""

    activity: str
    role: str = ""
    hours: float = 8.0


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of them, with these weights."""

    children: tuple[Node, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Parallel:
    """All of them, in any interleaving."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Optional:
    """With this probability, else nothing."""

    child: Node
    probability: float


@dataclass(frozen=True, slots=True)
class Loop:
    """Once, and again with this probability each time; at most five times."""

    child: Node
    again: float


Node = Step | Sequence | Choice | Parallel | Optional | Loop

_MOST_ROUNDS = 5


def play(node: Node, rng: np.random.Generator) -> list[Step]:
    """One way through the tree."""
    match node:
        case Step():
            return [node]
        case Sequence(children):
            return [step for child in children for step in play(child, rng)]
        case Choice(children, weights):
            border = np.cumsum(weights) / sum(weights)
            return play(children[int(np.searchsorted(border, rng.random(), side="right"))], rng)
        case Parallel(children):
            return _interleave([play(child, rng) for child in children], rng)
        case Optional(child, probability):
            return play(child, rng) if rng.random() < probability else []
        case Loop(child, again):
            rounds = play(child, rng)
            for _ in range(_MOST_ROUNDS - 1):
                if rng.random() >= again:
                    break
                rounds += play(child, rng)
            return rounds


def _interleave(parts: list[list[Step]], rng: np.random.Generator) -> list[Step]:
    """Any order that keeps that of each part; all are equally likely."""
    turns = rng.permutation([part for part, queued in enumerate(parts) for _ in queued])
    queues = [iter(part) for part in parts]
    return [next(queues[turn]) for turn in turns]


def steps(node: Node) -> Iterator[Step]:
    """All steps of a tree, from left to right."""
    match node:
        case Step():
            yield node
        case Optional(child, _) | Loop(child, _):
            yield from steps(child)
        case Sequence(children) | Parallel(children) | Choice(children, _):
            for child in children:
                yield from steps(child)


def change_step(node: Node, activity: str, change: Callable[[Step], Node]) -> Node:
    """The same tree, with something else in place of the steps of one activity."""
    match node:
        case Step():
            return change(node) if node.activity == activity else node
        case Optional(child, _) | Loop(child, _):
            return replace(node, child=change_step(child, activity, change))
        case Sequence(children) | Parallel(children) | Choice(children, _):
            return replace(node, children=tuple(change_step(child, activity, change) for child in children))
