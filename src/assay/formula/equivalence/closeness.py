"""How close a model's tree comes to the truth's: a tree edit distance that does not see constants."""

from __future__ import annotations

from typing import NamedTuple

from assay.formula.expression.canonical import canonical, is_number
from assay.formula.expression.expression import Apply, Expression, Symbol

__all__ = ["canonical_closeness", "edit_distance", "tree_closeness"]

_CONST = "const"
_ALMOST = 0.99  # a model that is no re-discovery stays below 1


class _Flat(NamedTuple):
    """A tree in postorder: labels, the leftmost leaf below each node, and the nodes where a subproblem starts."""

    labels: list[str]
    leftmost: list[int]
    starts: list[int]


def _flatten(expression: Expression) -> _Flat:
    labels: list[str] = []
    leftmost: list[int] = []

    def visit(node: Expression) -> int:
        if is_number(node):
            first = len(labels)
            labels.append(_CONST)
        elif isinstance(node, Symbol):
            first = len(labels)
            labels.append(f"${node.name}")
        else:
            assert isinstance(node, Apply)
            below = [visit(argument) for argument in node.args]
            first = below[0] if below else len(labels)
            labels.append(node.op)
        leftmost.append(first)
        return first

    visit(expression)
    last = {first: place for place, first in enumerate(leftmost)}
    return _Flat(labels, leftmost, sorted(last.values()))


def edit_distance(a: Expression, b: Expression) -> int:
    r"""The fewest nodes to insert, delete or rename that turn one tree into the other; all numbers are alike.

    Zhang and Shasha's dynamic programme over ordered trees.

    >>> from assay.formula.expression.parser import parse
    >>> edit_distance(parse("2.5*x + y"), parse("3*x + y")), edit_distance(parse("sin(x)"), parse("x"))
    (0, 1)
    """
    one, two = _flatten(a), _flatten(b)
    trees = [[0] * len(two.labels) for _ in one.labels]
    for i in one.starts:
        for j in two.starts:
            _fill(one, two, i, j, trees)
    return trees[-1][-1]


def _fill(one: _Flat, two: _Flat, i: int, j: int, trees: list[list[int]]) -> None:
    first, second = one.leftmost[i], two.leftmost[j]
    rows, columns = i - first + 2, j - second + 2
    forest = [list(range(columns))] + [[row] + [0] * (columns - 1) for row in range(1, rows)]
    for row in range(1, rows):
        x = first + row - 1
        whole_x = one.leftmost[x] == first
        above, here = forest[row - 1], forest[row]
        for column in range(1, columns):
            y = second + column - 1
            best = min(above[column], here[column - 1]) + 1
            if whole_x and two.leftmost[y] == second:
                best = min(best, above[column - 1] + (one.labels[x] != two.labels[y]))
                trees[x][y] = best
            else:
                best = min(best, forest[one.leftmost[x] - first][two.leftmost[y] - second] + trees[x][y])
            here[column] = best


def tree_closeness(truth: Expression, model: Expression) -> float:
    r"""One minus the edit distance as a share of the truth's size, in [0, 1].

    $$1 - \min(\mathrm{TED}(t, m), |t|) / |t|$$

    >>> from assay.formula.expression.parser import parse
    >>> tree_closeness(parse("x + y"), parse("x + y")), tree_closeness(parse("x + y"), parse("exp(z)"))
    (1.0, 0.0)
    """
    size = truth.nodes
    # a tree that is larger by the whole truth cannot be nearer than the truth's own size: no need to count
    if abs(model.nodes - size) >= size:
        return 0.0
    return 1.0 - min(edit_distance(truth, model), size) / size


def canonical_closeness(truth: Expression, model: Expression) -> float:
    """The closeness of canonical forms of two formulas that are not the same: at most 0.99."""
    return min(_ALMOST, tree_closeness(canonical(truth), canonical(model)))
