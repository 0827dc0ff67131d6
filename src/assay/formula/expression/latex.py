r"""Formulas in LaTeX of a simple kind to tokens: ``\frac``, ``\sqrt``, powers, indexes, functions, Greek, cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from assay.core import InvalidInput
from assay.formula.expression.tokens import MAX_TOKENS, Kind, Token

__all__ = ["is_latex", "tokenize_latex"]

_PIECE = re.compile(
    r"""(?P<bar>\\(?:left|right)\|)
      | (?P<space>(?:\s|~|\\[,;:!\ ]|\\q?quad\b|\\displaystyle\b
            |\\(?:(?:left|right)(?![A-Za-z|])|[bB]igg?[lr]?(?![A-Za-z]))\.?)+)
      | (?P<command>\\[A-Za-z]+|\\\\|\\[{}|])
      | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d_]+\d*'*)
      | (?P<sign>[-+*/<>=|(){}\[\]^_,&])""",
    re.VERBOSE,
)
_OPERATORS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=",
    "geq": ">=", "geqslant": ">=", "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "wedge": "and", "land": "and",
    "vee": "or", "lor": "or", "neg": "not", "lnot": "not", "mid": "|",
}  # fmt: skip
_FUNCTION_NAMES = (
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh exp ln log max min asin acos atan asinh acosh atanh "
    "sign erf abs"
)
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "cfrac"))
_WORDS = frozenset(("mathrm", "text", "mathit", "mathbf", "textit", "textrm", "operatorname", "mathsf"))
_IF, _ELSE = frozenset(("for", "if", "when")), frozenset(("otherwise", "else"))
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Upsilon Phi Psi Omega hbar ell"
)
_GREEK = frozenset(_GREEK_NAMES.split())
_CONSTANTS = {"pi": "pi", "infty": "oo"}
_WORD = re.compile(r"\s*\{([^{}\\]*)\}")
_INDEX = re.compile(r"\{([^{}\\]*)\}|\{\s*\\(?:text|mathrm)\s*\{([^{}\\]*)\}\s*\}")
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_DEEPEST = 60


def is_latex(text: str, start: int, end: int, dialect: str) -> bool:
    """Whether the text is written in LaTeX: it has a command, or braces behind ^ or _."""
    if dialect == "latex":
        return True
    part = text if (start, end) == (0, len(text)) else text[start:end]
    if "\\" not in part and "{" not in part:
        return False
    return bool(re.search(r"\\[A-Za-z]|[\^_]\{", part))


@dataclass(slots=True)
class _Latex:
    text: str
    place: int
    end: int
    names: Collection[str] | None
    tokens: list[Token] = field(default_factory=list)
    depth: int = 0

    def emit(self, kind: Kind, text: str, position: int) -> None:
        self.tokens.append(Token(kind, text, position))
        if len(self.tokens) > MAX_TOKENS:
            raise InvalidInput(f"the formula has more than {MAX_TOKENS} tokens; simplify it first.")

    def peek(self) -> tuple[str, str]:
        """The kind and text of the next piece; spaces are skipped."""
        while self.place < self.end:
            match = _PIECE.match(self.text, self.place, self.end)
            if match is None:
                sign = self.text[self.place]
                raise InvalidInput(f"the formula has {sign!r} at position {self.place}, which no formula has.")
            if match.lastgroup != "space":
                return str(match.lastgroup), match.group()
            self.place = match.end()
        return "end", ""

    def take(self) -> str:
        text = self.peek()[1]
        self.place += len(text)
        return text

    def until(self, closing: str) -> None:
        """Pieces up to a closing sign, which is taken."""
        opened = self.place
        while self.peek()[1] != closing or self.peek()[0] == "end":
            if self.peek()[0] == "end":
                if closing:
                    raise InvalidInput(f"the formula opens a bracket before position {opened} that is never closed.")
                break
            self.piece()
        self.take()

    def piece(self) -> None:
        """The next piece with all that belongs to it."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InvalidInput(f"the formula is nested more than {_DEEPEST} levels deep; simplify it first.")
        self.read_piece()
        self.depth -= 1

    def read_piece(self) -> None:
        kind, text = self.peek()
        position = self.place
        self.take()
        if kind == "command":
            self.command(text[1:], position)
        elif kind == "number":
            self.emit("number", text, position)
        elif kind == "name":
            self.emit("name", self.indexed(text, position), position)
        elif text in _CLOSING:
            self.group(_CLOSING[text], position)
        elif text == "\\left|":
            self.emit("name", "abs", position)
            self.group("\\right|", position)
        elif text == "^":
            self.emit("operator", "**", position)
            self.argument()
        elif text == ",":
            self.emit("comma", ",", position)
        elif text in "-+*/<>|":
            self.emit("operator", text, position)
        else:
            raise InvalidInput(f"the formula has {text!r} at position {position} where none is allowed.")

    def group(self, closing: str, position: int) -> None:
        """What stands before a closing sign, in brackets."""
        self.emit("open", "(", position)
        self.until(closing)
        self.emit("close", ")", position)

    def apart(self, read: Callable[[], None]) -> list[Token]:
        """The tokens of what is read, to be put where they belong."""
        start = len(self.tokens)
        read()
        tokens, self.tokens[start:] = self.tokens[start:], []
        return tokens

    def argument(self) -> None:
        """What stands in braces, or one sign, in brackets."""
        kind, text = self.peek()
        self.emit("open", "(", self.place)
        if text == "{":
            self.take()
            self.until("}")
        elif kind in ("number", "name"):
            # one digit or letter: x^23 is x^2 3
            self.emit("number" if kind == "number" else "name", text[0], self.place)
            self.place += 1
        elif kind == "command":
            self.piece()
        else:
            raise InvalidInput(f"the formula has {text!r} at position {self.place} where a value is expected.")
        self.emit("close", ")", self.place)

    def word(self) -> str:
        """A word in braces, as it is."""
        match = _WORD.match(self.text, self.place, self.end)
        if match is None:
            raise InvalidInput(f"the formula has no word in braces at position {self.place}.")
        self.place = match.end()
        return match[1].strip()

    def indexed(self, stem: str, position: int) -> str:
        """A name with its index, spelled as the data spell it."""
        is_name = stem in _GREEK or (self.names is not None and stem in self.names)
        if len(stem) > 1 and stem.isalpha() and not is_name:
            raise InvalidInput(
                rf"the formula has {stem!r} at position {position}: a product of letters has spaces, a word "
                rf"is \mathrm{{{stem}}}."
            )
        return self.with_index(stem)

    def with_index(self, stem: str) -> str:
        if self.peek()[1] != "_":
            return stem
        self.take()
        if self.peek()[1] == "{":
            inside = _INDEX.match(self.text, self.place, self.end)
            index = "" if inside is None else re.sub(r"\s*,\s*", "_", (inside[1] or inside[2] or "").strip())
            if inside is None or re.fullmatch(r"\w+", index) is None:
                raise InvalidInput(f"the formula has an index at position {self.place} that is not a name.")
            self.place = inside.end()
        else:
            index = self.peek()[1][:1]
            if not index.isalnum():
                raise InvalidInput(f"the formula has an index at position {self.place} that is not a name.")
            self.place += 1
        apart, together = f"{stem}_{index}", f"{stem}{index}"
        if self.names is not None and (apart in self.names) != (together in self.names):
            return apart if apart in self.names else together
        return together if index.isdigit() else apart

    def command(self, name: str, position: int) -> None:
        if name in _OPERATORS:
            word = _OPERATORS[name]
            self.emit("name" if word.isalpha() else "operator", word, position)
        elif name in _FRACTIONS:
            self.emit("open", "(", position)
            self.argument()
            self.emit("operator", "/", position)
            self.argument()
            self.emit("close", ")", position)
        elif name == "sqrt":
            self.root(position)
        elif name in _FUNCTIONS:
            self.call(name, position)
        elif name in _CONSTANTS:
            self.emit("name", _CONSTANTS[name], position)
        elif name in _GREEK:
            self.emit("name", self.with_index(name), position)
        elif name in _WORDS:
            word = self.word()
            if name == "operatorname":
                self.call(word, position)
            else:
                self.emit("name", self.with_index(word), position)
        elif name == "begin" and self.word() == "cases":
            self.cases(position)
        elif name == "lvert":
            self.emit("name", "abs", position)
            self.group("\\rvert", position)
        elif name in ("vert", "|"):
            self.emit("operator", "|", position)
        elif name in ("lfloor", "lceil"):
            self.emit("name", name[1:], position)
            self.group(f"\\r{name[1:]}", position)
        else:
            raise InvalidInput(rf"the formula has \{name} at position {position}, which is not read.")

    def root(self, position: int) -> None:
        if self.peek()[1] != "[":
            self.emit("name", "sqrt", position)
            self.argument()
            return
        self.take()
        order = self.apart(lambda: self.until("]"))
        self.emit("open", "(", position)
        self.argument()
        self.emit("operator", "**", position)
        for text in ("(", "1", "/", "("):
            self.emit("open" if text == "(" else "number" if text == "1" else "operator", text, position)
        self.tokens.extend(order)
        for _ in range(3):
            self.emit("close", ")", position)

    def call(self, name: str, position: int) -> None:
        r"""``\sin(x)``, ``\sin{x}``, ``\sin x``, ``\sin^{2}(x)``, ``\log_{10}(x)``."""
        power: list[Token] = []
        base: list[Token] = []
        while self.peek()[1] in ("^", "_"):
            sign = self.take()
            tokens = self.apart(self.argument)
            if sign == "_" and name == "log":
                base = tokens
            elif sign == "^" and [token.text for token in tokens[1:2]] != ["-"]:
                power = tokens
            else:
                raise InvalidInput(rf"the formula has an index or inverse of \{name} at position {position}.")
        self.emit("open", "(", position)
        self.emit("name", name, position)
        self.emit("open", "(", position)
        kind, text = self.peek()
        if text in _CLOSING:
            self.take()
            inside = len(self.tokens)
            self.until(_CLOSING[text])
            self.unwrap(inside)
        elif kind in ("number", "name") or (kind == "command" and text[1:] in {*_GREEK, *_CONSTANTS}):
            self.piece()
            if not self.ends_factor():
                raise InvalidInput(rf"the formula has \{name} without brackets at position {position}.")
        else:
            raise InvalidInput(rf"the formula has \{name} without an argument at position {position}.")
        if base:
            self.emit("comma", ",", position)
            self.tokens.extend(base)
        self.emit("close", ")", position)
        self.emit("close", ")", position)
        if power:
            self.emit("operator", "**", position)
            self.tokens.extend(power)

    def ends_factor(self) -> bool:
        """Whether an operator, a closing sign or the end comes next, so that no factor can follow."""
        kind, text = self.peek()
        if kind == "command":
            return text[1:] in {*_OPERATORS, "end", "\\", "rvert", "}"}
        return kind == "end" or text in {"+", "-", "*", "/", "<", ">", "|", ")", "}", "]", ",", "&", "\\right|"}

    def unwrap(self, start: int) -> None:
        """Brackets within braces are the call's own, so that commas in them part its arguments."""
        inner = self.tokens[start:]
        if len(inner) < 3 or inner[0].kind != "open" or inner[-1].kind != "close":
            return
        depth = 0
        for place, token in enumerate(inner):
            depth += (token.kind == "open") - (token.kind == "close")
            if depth == 0 and place < len(inner) - 1:
                return
        self.tokens[start:] = inner[1:-1]

    def cases(self, position: int) -> None:
        self.emit("name", "Piecewise", position)
        self.emit("open", "(", position)
        self.emit("open", "(", position)
        while True:
            text = self.peek()[1]
            start = self.place
            if text == "\\end":
                self.take()
                self.word()
                break
            if text == "&":
                self.take()
                self.emit("comma", ",", start)
                if self.peek()[1] == "\\text":
                    self.take()
                    word = self.word().rstrip(":, ")
                    if word in _ELSE:
                        self.emit("name", "True", start)
                    elif word not in _IF:
                        raise InvalidInput(f"the formula has the word {word!r} at position {start}.")
            elif text == "\\\\":
                self.take()
                if self.peek()[1] != "\\end":
                    for kind, sign in (("close", ")"), ("comma", ","), ("open", "(")):
                        self.emit(kind, sign, start)  # type: ignore[arg-type]
            elif not text:
                raise InvalidInput(r"the formula has \begin{cases} without \end{cases}.")
            else:
                self.piece()
        self.emit("close", ")", position)
        self.emit("close", ")", position)


def tokenize_latex(text: str, start: int, end: int, names: Collection[str] | None) -> list[Token]:
    r"""The tokens of a formula in LaTeX.

    >>> text = r"\frac{x_{1}^{2}}{2} + \sin\left(x\right)"
    >>> "".join(token.text for token in tokenize_latex(text, 0, len(text), None))
    '((x1**(2))/(2))+(sin(x))'
    """
    latex = _Latex(text, start, end, names)
    latex.until("")
    if not latex.tokens:
        raise InvalidInput("the formula is empty.")
    return latex.tokens
