"""Feature functions in the reply of a language model: in fences, in JSON, or as bare code in prose."""

from __future__ import annotations

import ast
import json
import re
import textwrap
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from assay.insight.answer.answer import words_of
from assay.insight.answer.functions import LONGEST_CODE, source_lines

__all__ = ["Candidate", "Extraction", "extract_functions"]

_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?P=mark)[ \t]*$|\Z)", re.M | re.S)
_OPENING = re.compile(r"^(?:import |from [\w.]+ import |def \w+\s*\(|@\w)")
_MOST = 40
_LONGEST = 500  # characters of a description


class Candidate(NamedTuple):
    """A function with all of the source it needs, and what it means in the model's words."""

    name: str
    code: str
    description: str


class Extraction(NamedTuple):
    """The functions, the last of each name, and what could not be read."""

    candidates: tuple[Candidate, ...]
    problems: tuple[str, ...]


def extract_functions(text: str) -> Extraction:
    r"""All functions in a reply; helpers and imports come along with those that use them.

    >>> reply = extract_functions("Sure!\n```python\ndef age(df):\n    'How old.'\n    return df['age']\n```\nDone.")
    >>> reply.candidates[0].name, reply.candidates[0].description
    ('age', 'How old.')
    >>> extract_functions("I would rather not.")
    Extraction(candidates=(), problems=())
    """
    text = text[:LONGEST_CODE].replace("\r\n", "\n").replace("\t", "    ")
    fenced = [match["code"] for match in _FENCE.finditer(text)]
    candidates: dict[str, Candidate] = {}
    problems: list[str] = []
    for block in fenced or [text]:
        for source in _sources(block):
            tree, trouble = _parse(source)
            if tree is None:
                pieces = [piece for piece in _pieces(source) if _parse(piece)[0] is not None]
                if fenced:  # bare code stands among prose, which does not parse either
                    problems.append(trouble)
                source = "\n".join(pieces)
                tree = _parse(source)[0]
            for candidate in _candidates(tree, source) if tree is not None else ():
                candidates.pop(candidate.name, None)
                candidates[candidate.name] = candidate
    return Extraction(tuple(candidates.values())[:_MOST], tuple(problems))


def _sources(block: str) -> Iterator[str]:
    """A block itself, or the code inside it where it is JSON."""
    stripped = block.strip()
    if stripped[:1] in "[{":
        try:
            content = json.loads(stripped)
        except (ValueError, RecursionError):
            content = None
        if content is not None:
            yield from _codes(content, depth=0)
            return
    yield textwrap.dedent(block).strip("\n")


def _codes(content: object, *, depth: int) -> Iterator[str]:
    if isinstance(content, dict) and depth < 6:
        code = content.get("code")
        if isinstance(code, str):
            yield code
        for key, value in content.items():
            if key != "code":
                yield from _codes(value, depth=depth + 1)
    elif isinstance(content, list) and depth < 6:
        for value in content:
            yield from _codes(value, depth=depth + 1)


def _parse(source: str) -> tuple[ast.Module | None, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes, which are not ours
            return ast.parse(source), ""
    except SyntaxError as error:
        return None, f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return None, type(error).__name__


def _pieces(text: str) -> Iterator[str]:
    """Imports and functions that stand among other lines: from their first line to where the indentation ends."""
    lines = source_lines(text)
    place = 0
    while place < len(lines):
        if not _OPENING.match(lines[place]):
            place += 1
            continue
        end = place + 1
        decorated = lines[place].startswith("@")
        while end < len(lines) and (not lines[end].strip() or lines[end][0] in " )]}" or decorated):
            decorated = decorated and not lines[end].startswith("def ")
            end += 1
        yield "\n".join(lines[place:end]).rstrip()
        place = end


def _candidates(tree: ast.Module, source: str) -> Iterator[Candidate]:
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    others = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)]
    used = {name for node in functions.values() for name in _names(node) if name != node.name}
    for name, node in functions.items():
        helper = name.startswith("_") or (name in used and not _takes_rows(node))
        if helper or not (node.args.args or node.args.posonlyargs):
            continue
        needed = _needed(name, functions)
        parts = [*others, *(functions[each] for each in functions if each in needed and each != name), node]
        code = "\n\n".join(_segment(part, source) for part in sorted(parts, key=lambda part: part.lineno)) + "\n"
        yield Candidate(name, code, _description(node))


def _takes_rows(node: ast.FunctionDef) -> bool:
    first = (node.args.posonlyargs + node.args.args)[:1]
    return bool(first) and first[0].arg in ("row", "df", "data", "frame")


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _needed(name: str, functions: dict[str, ast.FunctionDef]) -> set[str]:
    """The functions that one uses, and those that they use."""
    needed, pending = set(), [name]
    while pending:
        current = pending.pop()
        if current not in needed:
            needed.add(current)
            pending += [each for each in _names(functions[current]) if each in functions]
    return needed


def _segment(node: ast.stmt, source: str) -> str:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    start = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(source_lines(source)[start - 1 : node.end_lineno])


def _description(node: ast.FunctionDef) -> str:
    """The first paragraph of the docstring, else the name as words."""
    paragraph = (ast.get_docstring(node) or "").strip().split("\n\n")[0]
    words = " ".join(paragraph.split())[:_LONGEST]
    return words.encode(errors="replace").decode() or words_of(node.name)
