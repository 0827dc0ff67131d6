"""Formulas as MathML, which browsers typeset themselves: the part of TeX that definitions of metrics use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Final

__all__ = ["to_mathml"]

_TOKEN: Final = re.compile(r"\\(?:[A-Za-z]+|.)|[A-Za-z]|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_SYMBOLS: Final[Mapping[str, str]] = {
    **{"in": "∈", "notin": "∉", "cap": "∩", "cup": "∪", "to": "→", "emptyset": "∅", "exists": "∃", "forall": "∀"},
    **{"ne": "≠", "neq": "≠", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈", "pm": "±", "cdot": "·"},
    **{"times": "×", "dots": "…", "ldots": "…", "cdots": "⋯", "infty": "∞", "mid": "∣", "colon": ":", "subseteq": "⊆"},
    **{"{": "{", "}": "}", "|": "‖", "%": "%", "_": "_", "#": "#", "setminus": "∖", "land": "∧", "lor": "∨"},
}
_LETTERS: Final[Mapping[str, str]] = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η"},
    **{
        "theta": "θ",
        "kappa": "κ",
        "lambda": "λ",
        "mu": "μ",
        "nu": "ν",
        "pi": "π",
        "rho": "ρ",
        "sigma": "σ",
        "tau": "τ",
    },
    **{
        "phi": "φ",
        "varphi": "φ",
        "chi": "χ",
        "psi": "ψ",
        "omega": "ω",
        "Phi": "Φ",
        "Delta": "Δ",
        "Omega": "Ω",
        "ell": "ℓ",
    },
}
_LARGE: Final[Mapping[str, str]] = {"sum": "∑", "prod": "∏"}
_NAMED: Final = frozenset({"max", "min", "log", "exp", "ln", "sin", "cos", "arg", "sup", "inf"})
_ABOVE: Final[Mapping[str, str]] = {"hat": "^", "tilde": "~", "bar": "¯", "overline": "¯"}
_SPACES: Final[Mapping[str, str]] = {",": "0.17em", ";": "0.28em", " ": "0.25em", "quad": "1em", "qquad": "2em"}
_BAR: Final = '<mo stretchy="false" lspace="0" rspace="0">|</mo>'
_WORDS: Final = frozenset({"text", "mathrm", "operatorname", "mathit", "textit"})
_SIZES: Final = frozenset({"bigl", "bigr", "Bigl", "Bigr", "big", "Big", "left", "right", "textstyle", "displaystyle"})


class _UnknownTexError(ValueError):
    """Something that this part of TeX does not have."""


def to_mathml(formula: str) -> str | None:
    r"""A formula as a ``<math>`` element; None where it holds what is not known here, so that its TeX can be shown.

    >>> to_mathml(r"\frac 1 n x_i")
    '<math displaystyle="true"><mfrac><mn>1</mn><mi>n</mi></mfrac><msub><mi>x</mi><mi>i</mi></msub></math>'
    >>> to_mathml(r"\unheard{of}") is None
    True
    """
    reader = _Reader(formula)
    try:
        body = reader.row()
        if reader.peek() is not None:
            raise _UnknownTexError(str(reader.peek()))
    except (_UnknownTexError, IndexError):
        return None
    return f'<math displaystyle="true">{body}</math>'


class _Reader:
    """Reads tokens from left to right; every method answers with MathML."""

    def __init__(self, formula: str) -> None:
        self._tokens = _TOKEN.findall(formula)
        self._at = 0

    def peek(self) -> str | None:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def take(self) -> str:
        token = self.peek()
        if token is None:
            raise _UnknownTexError("the formula ends too early")
        self._at += 1
        return token

    def row(self, *ends: str) -> str:
        """Everything up to one of the ends, which stays."""
        parts = []
        while (token := self.peek()) is not None and token not in ends:
            parts.append(self.scripted())
        return "".join(parts)

    def scripted(self) -> str:
        """An atom with what stands below and above it."""
        first = self.peek()
        base = self.atom()
        below = above = ""
        while (token := self.peek()) in ("_", "^", "'"):
            self.take()
            if token == "_":
                below = self.argument()
            else:
                above += "<mo>′</mo>" if token == "'" else self.argument()
        if not below and not above:
            return base
        limits = (first or "").removeprefix("\\") in {*_LARGE, "max", "min", "sup", "inf"}
        if below and above:
            kind = "munderover" if limits else "msubsup"
            return f"<{kind}>{base}{below}<mrow>{above}</mrow></{kind}>"
        kind = ("munder" if limits else "msub") if below else ("mover" if limits else "msup")
        return f"<{kind}>{base}{below or f'<mrow>{above}</mrow>'}</{kind}>"

    def argument(self) -> str:
        """One group, one command, or one sign: of a number its first digit only, as in TeX."""
        token = self.peek()
        if token is not None and token[0].isdigit() and len(token) > 1:
            self._tokens[self._at : self._at + 1] = list(token)
        return self.atom()

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            inside = self.row("}")
            self.take()
            return f"<mrow>{inside}</mrow>"
        if token in "}&_^":
            raise _UnknownTexError(token)
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{escape(token)}</mi>"
        return _BAR if token == "|" else f'<mo stretchy="false">{escape(token)}</mo>'

    def command(self, name: str) -> str:
        if name in _WORDS:
            words = escape(self.words()).replace(" ", "\u00a0")
            return f"<mtext>{words}</mtext>"
        if name in ("frac", "tfrac", "dfrac"):
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name in _ABOVE:
            return f'<mover accent="true">{self.argument()}<mo>{_ABOVE[name]}</mo></mover>'
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"></mspace>'
        if name in ("left", "right"):
            return self.fence()
        if name in _SIZES:
            return ""
        if name == "begin":
            return self.cases()
        if name in _LARGE:
            return f"<mo>{_LARGE[name]}</mo>"
        if name in _NAMED:
            return f"<mi>{name}</mi>"
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _SYMBOLS:
            return f'<mo stretchy="false">{escape(_SYMBOLS[name])}</mo>'
        raise _UnknownTexError(name)

    def fence(self) -> str:
        """A bracket that grows with what it holds; a dot is an invisible one."""
        token = self.take().removeprefix("\\")
        if token == ".":
            return ""
        return f'<mo fence="true" stretchy="true">{escape(token)}</mo>'

    def words(self) -> str:
        """A group as it is written, spaces included; or one sign."""
        if self.peek() != "{":
            return self.take()
        self.take()
        start = self._at
        while self._at < len(self._tokens) and self._tokens[self._at] != "}":
            if self._tokens[self._at] == "{":
                raise _UnknownTexError("a group in words")
            self._at += 1
        found = "".join(self._tokens[start : self._at])
        self.take()
        return found.replace("\\_", "_")

    def cases(self) -> str:
        """A brace before lines of two columns."""
        if self.words() != "cases":
            raise _UnknownTexError("begin")
        rows, cells = [], []
        while True:
            cells.append(f"<mtd>{self.row('&', chr(92) * 2, chr(92) + 'end')}</mtd>")
            token = self.take()
            if token == "&":
                continue
            rows.append(f"<mtr>{''.join(cells)}</mtr>")
            cells = []
            if token == "\\end":
                self.words()
                break
        return f'<mrow><mo stretchy="true">{{</mo><mtable>{"".join(rows)}</mtable></mrow>'
