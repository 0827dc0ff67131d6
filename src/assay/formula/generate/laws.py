"""Laws of physics, chemistry and biology, as the literature has them and solved for another variable; read from a file.

Who knows a law by heart has not seen it solved for another variable.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple

from assay.formula.equivalence.sampling import parse_domain

__all__ = ["LAWS", "SOLVED_LAWS", "Law", "SolvedLaw"]


class Law(NamedTuple):
    """A formula from the literature: what it is called, its text, and the range of every variable."""

    name: str
    formula: str
    ranges: str

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """The ranges as a box."""
        return parse_domain(self.ranges)


class SolvedLaw(NamedTuple):
    """One variable of a law as a formula of the others and of what the law gives, with a range for each.

    ``output`` is the name of what the law gives; every formula is finite and real on its whole box.
    """

    law: str  # of LAWS
    output: str
    variable: str
    formula: str
    ranges: str

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        """The ranges as a box."""
        return parse_domain(self.ranges)


_CONTENT = tomllib.loads(files(__package__).joinpath("laws.toml").read_text(encoding="utf-8"))
LAWS: tuple[Law, ...] = tuple(Law(name, **law) for name, law in _CONTENT["laws"].items())
SOLVED_LAWS: tuple[SolvedLaw, ...] = tuple(
    SolvedLaw(law, entry["output"], variable, **form)
    for law, entry in _CONTENT["solved"].items()
    for variable, form in entry["forms"].items()
)
