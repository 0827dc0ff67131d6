"""Formulas as people write them: over several lines, with helper functions and named parts, unfolded into one text.

Nothing is executed: names are replaced by what they stand for, as texts in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assay.core import InvalidInput

__all__ = ["formulas_in"]

_LONGEST = 400_000  # characters of an unfolded formula, as the parser takes
_MOST_LINES = 2000
_DEEPEST = 50  # helpers that call helpers
_WORD = r"[^\W\d]\w*"
_PARAMETERS = rf"\(\s*(?P<parameters>{_WORD}(?:\s*,\s*{_WORD})*)?\s*\)"
_DEFINITION = re.compile(rf"def\s+(?P<name>{_WORD})\s*{_PARAMETERS}\s*(?:->[^:]*)?:\s*(?P<body>.*)", re.DOTALL)
_LAMBDA = re.compile(rf"(?P<name>{_WORD})\s*=\s*lambda\s+(?P<parameters>[\w\s,]*):\s*(?P<body>.+)", re.DOTALL)
_FUNCTION = re.compile(rf"(?P<name>{_WORD})\s*{_PARAMETERS}\s*:?=(?!=)\s*(?P<body>.+)", re.DOTALL)
_ASSIGNED = re.compile(rf"(?P<name>{_WORD})\s*(?::\s*\w+\s*)?:?=(?!=)\s*(?P<body>.+)", re.DOTALL)
_NAME = re.compile(rf"(?<![\w.]){_WORD}")
# lines that only prepare what sympy or numpy need
_SILENT = re.compile(r"(import|from)\s|```|.*=\s*(\w+\.)?([Ss]ymbols?|var)\s*\(|(\"\"\"|''').*")
_OPEN_END = re.compile(r"(\\|[-+*/^,(\[=&|<>])$")  # at the end of a line
_CONTINUES = re.compile(r"\s*([*/^)\],&|<>=]|[-+]\s)")  # at the beginning of the next


class _Statement(NamedTuple):
    """``name(parameters) = body``; no name for a formula that stands alone, no parameters for a value."""

    name: str
    parameters: tuple[str, ...] | None
    body: str
    lines: tuple[str, ...] = ()  # of a function that is written over several


def formulas_in(text: str) -> list[str]:
    r"""The formulas of a text.

    One per line, the first being the one that counts; a formula may continue in the next line after an operator or
    within brackets. A left side as in ``y = x0 + 1``, blank lines and what follows a # are ignored. Where parts are
    named, or functions defined, and used further down, the text is one formula: its last line, with all of them
    replaced.

    >>> formulas_in("# found in 3 s\ny = x0 + 1\n\nx0\n")
    ['x0 + 1', 'x0']
    >>> formulas_in("def bell(z): return exp(-z**2)\na = x0 - 1\ny = 2*bell(a)\n    + x1")
    ['2*(exp(-((x0 - 1))**2)) + x1']
    """
    statements = list(_statements(_lines(text)))
    formulas = [statement for statement in statements if statement.parameters is None]
    if not _has_helpers(statements):
        return [statement.body for statement in formulas or statements]
    return [_unfolded(statements)]


def _lines(text: str) -> list[str]:
    """Whole lines without comments; what continues in the next line is joined."""
    lines: list[str] = []
    depth = 0
    raw_lines = text.splitlines()
    if len(raw_lines) > _MOST_LINES:
        raise InvalidInput(f"the formulas have {len(raw_lines)} lines; {_MOST_LINES} are allowed.")
    for raw in raw_lines:
        line = raw.partition("#")[0].rstrip()
        if not line.strip() or _SILENT.fullmatch(line.strip()) or _SILENT.match(line.strip() + " "):
            continue
        if (
            lines
            and not lines[-1].endswith(":")
            and (depth > 0 or _OPEN_END.search(lines[-1]) or _CONTINUES.match(line))
        ):
            lines[-1] = f"{lines[-1].removesuffix(chr(92)).rstrip()} {line.strip()}"
        else:
            lines.append(line)
            depth = 0
        depth += sum(line.count(bracket) for bracket in "([") - sum(line.count(bracket) for bracket in ")]")
    return lines


def _statements(lines: Sequence[str]) -> Iterator[_Statement]:
    place = 0
    while place < len(lines):
        line = lines[place].strip().removesuffix(";")
        place += 1
        if match := _DEFINITION.fullmatch(line):
            inner = []
            while not match["body"] and place < len(lines) and lines[place][:1].isspace():
                inner.append(lines[place])
                place += 1
            yield _Statement(match["name"], _split(match["parameters"]), _bare(match["body"]), tuple(inner))
        elif match := _LAMBDA.fullmatch(line) or _called(_FUNCTION.fullmatch(line), lines[place:]):
            yield _Statement(match["name"], _split(match["parameters"]), match["body"])
        elif match := _FUNCTION.fullmatch(line) or _ASSIGNED.fullmatch(line):
            yield _Statement(match["name"], None, match["body"])
        else:
            yield _Statement("", None, _bare(line))


def _split(parameters: str | None) -> tuple[str, ...]:
    return tuple(word.strip() for word in (parameters or "").split(",") if word.strip())


def _bare(line: str) -> str:
    """Without ``return`` or ``print``."""
    line = re.sub(r"^return\b\s*", "", line.strip())
    return line[6:-1].strip() if line.startswith("print(") and line.endswith(")") else line


def _called(match: re.Match[str] | None, later: Sequence[str]) -> re.Match[str] | None:
    """A function that is called further down; others are a left side, as in ``f(x) = x + 1``."""
    if match is None:
        return None
    call = re.compile(rf"(?<![\w.]){re.escape(match['name'])}\s*\(")
    return match if any(call.search(line) for line in later) else None


def _has_helpers(statements: Sequence[_Statement]) -> bool:
    """Whether a name is used further down, or all there is is a function."""
    later: set[str] = set()
    for place, statement in enumerate(reversed(statements)):
        if statement.name in later or (statement.parameters is not None and (statement.lines or not place)):
            return True
        later.update(word for text in (statement.body, *statement.lines) for word in _NAME.findall(text))
    return False


def _unfolded(statements: Sequence[_Statement], helpers: Mapping[str, _Statement] | None = None) -> str:
    """The last statement with all earlier ones replaced, in their order."""
    names = dict(helpers or {})
    value = ""
    for statement in statements:
        if statement.parameters is None:
            value = _replaced(statement.body, names)
            names[statement.name] = statement._replace(body=f"({value})")
            continue
        inner = {name: entry for name, entry in names.items() if name not in statement.parameters}
        if statement.lines:
            value = _unfolded(list(_statements([line.strip() for line in statement.lines])), inner)
        else:
            value = _replaced(statement.body, inner)
        names[statement.name] = statement._replace(body=value, lines=())
    return value


def _replaced(text: str, names: Mapping[str, _Statement], depth: int = 0) -> str:
    if depth > _DEEPEST:
        raise InvalidInput(f"the formula has helpers that call each other more than {_DEEPEST} times.")
    pieces, place = [], 0
    for match in _NAME.finditer(text):
        statement = names.get(match[0])
        if statement is None or match.start() < place:
            continue
        end, body = match.end(), statement.body
        if statement.parameters is not None:
            arguments, end = _arguments(text, end)
            if len(arguments) != len(statement.parameters):
                raise InvalidInput(
                    f"the helper {match[0]!r} takes {len(statement.parameters)} arguments, got {len(arguments)}."
                )
            values = [_Statement("", None, f"({_replaced(argument, names, depth + 1)})") for argument in arguments]
            body = f"({_replaced(body, dict(zip(statement.parameters, values, strict=True)), depth + 1)})"
        pieces += [text[place : match.start()], body]
        place = end
        if sum(map(len, pieces)) > _LONGEST:
            raise InvalidInput(f"the formula with its helpers replaced has more than {_LONGEST} characters.")
    return "".join([*pieces, text[place:]])


def _arguments(text: str, place: int) -> tuple[list[str], int]:
    """What stands in the brackets at a place, and where they end."""
    opened = re.compile(r"\s*\(").match(text, place)
    if opened is None:
        return [], place
    depth, start = 1, opened.end()
    arguments = []
    for position in range(start, len(text)):
        letter = text[position]
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 or (letter == "," and depth == 1):
            arguments.append(text[start:position].strip())
            start = position + 1
        if depth == 0:
            return [argument for argument in arguments if argument], position + 1
    raise InvalidInput("the formula opens a bracket that is never closed.")
