"""What a verdict rests on, and the verdict itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from markupsafe import Markup

from assay.core import plain
from assay.core.display import object_html
from assay.formula.expression.expression import Expression, typeset

__all__ = [
    "POSITIVE",
    "VERDICTS",
    "Certificate",
    "Counterexample",
    "Equivalence",
    "MovedConstant",
    "Verdict",
    "in_json",
]

Verdict: TypeAlias = Literal[
    "identical", "offset", "factor", "affine", "form", "different", "undefined", "unparsable", "undecided"
]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
POSITIVE: frozenset[Verdict] = frozenset({"identical", "offset", "factor", "affine", "form"})


def in_json(number: float | Decimal) -> float | str:
    """A number as JSON holds it: one that no double can hold as a text of its digits."""
    return str(number) if isinstance(number, Decimal) else number


class MovedConstant(NamedTuple):
    """A constant of the model, what it must become, and how far that is.

    ``moved`` is a share of the constant itself. Where the move changes little on the domain, it is that change in
    standard deviations of the truth, in the measure in which 0.003 of them count as 5 %, if this is less.
    """

    written: float
    fitted: float
    moved: float


class Counterexample(NamedTuple):
    """A point at which model and truth part, with the value of each."""

    point: Mapping[str, float]
    truth: float | Decimal
    model: float | Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The evidence: where the formulas were compared, how, and what was left.

    ``truth = offset + factor * model`` holds up to ``residual`` standard deviations of the truth. ``digits`` is the
    precision at which the relation was confirmed. ``wider`` says whether it also holds on a wider box.
    """

    box: str = ""
    points: int = 0
    defined: float = float("nan")
    residual: float = float("nan")
    offset: float | Decimal = 0.0  # digits where no double can hold it
    factor: float | Decimal = 1.0
    digits: int = 16
    wider: bool | None = None
    constants: tuple[MovedConstant, ...] = ()
    counterexample: Counterexample | None = None
    proof: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """How a model relates to the truth, with the certificate.

    Attributes
    ----------
    verdict : str
        ``identical``, ``offset``, ``factor``, ``affine`` or ``form`` for a re-discovery; else ``different``,
        ``undefined``, ``unparsable`` or ``undecided``.
    notes : tuple of str
        What is worth knowing beside, such as the place at which a text cannot be read.
    closeness : float
        1 for a re-discovery, else below 1: how close the trees of the two formulas are.
    distance : float
        The behavioural distance: root mean square of the difference in standard deviations of the truth, at most 1.
    certificate : Certificate
        Where the formulas were compared, with which precision, what was left, and a counterexample where they part.
    seconds : float
        The processor time that the comparison took.
    truth : Expression or None
        The truth, as it was read.
    model : Expression or None
        The model; None when it cannot be read.

    Examples
    --------
    >>> from assay.formula import equivalent
    >>> found = equivalent("k*x", "0.5*k*x + 3")
    >>> found.rediscovered, found.verdict
    (True, 'affine')
    >>> found
    Equivalence(affine: the model is the truth up to a constant factor and an additive constant; closeness 1)
    """

    verdict: Verdict
    notes: tuple[str, ...] = ()
    closeness: float = 0.0
    distance: float = 1.0
    certificate: Certificate = field(default_factory=Certificate)
    seconds: float = field(default=0.0, compare=False)
    truth: Expression | None = field(default=None, compare=False)
    model: Expression | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Equivalence({self.verdict}: {_SAYS[self.verdict]}; closeness {self.closeness:.3g})"

    def _repr_html_(self) -> str:
        formulas = {"truth": self.truth, "model": self.model}
        facts = {name: Markup(typeset(tree)) for name, tree in formulas.items() if tree is not None}
        verdict, *behind = self.summary().splitlines()
        return object_html(verdict, facts, columns=("on what grounds",), rows=[(line,) for line in behind])

    @property
    def rediscovered(self) -> bool | None:
        """Whether the formula was found; ``None`` when it could not be decided."""
        return None if self.verdict == "undecided" else self.verdict in POSITIVE

    def to_json(self) -> dict[str, Any]:
        """Everything, for a file."""
        certificate = {name: getattr(self.certificate, name) for name in Certificate.__slots__}
        for name in ("offset", "factor"):
            certificate[name] = in_json(certificate[name])
        certificate["constants"] = [moved._asdict() for moved in self.certificate.constants]
        if self.certificate.counterexample is not None:
            example = self.certificate.counterexample
            values = {"truth": in_json(example.truth), "model": in_json(example.model)}
            certificate["counterexample"] = {"point": dict(example.point), **values}
        body = plain(
            {
                "verdict": self.verdict,
                "rediscovered": self.rediscovered,
                "closeness": self.closeness,
                "distance": self.distance,
                "notes": list(self.notes),
                "certificate": certificate,
                "seconds": self.seconds,
            }
        )
        assert isinstance(body, dict)
        return body

    def summary(self) -> str:
        """The verdict and its certificate in a few lines."""
        lines = [f"{self.verdict}: {_SAYS[self.verdict]}"]
        behind = self.certificate
        if behind.points:
            precision = f", {behind.digits} digits" if behind.digits > 16 else ""
            lines.append(
                f"  compared at {behind.points} points, {behind.box}{precision}; residual {behind.residual:.1e} sd"
            )
        if self.verdict in {"offset", "factor", "affine"}:
            lines.append(f"  truth = {behind.offset:.10g} + {behind.factor:.10g} * model")
        lines.extend(f"  constant {c.written:.10g} -> {c.fitted:.10g} ({c.moved:.3%})" for c in behind.constants)
        if behind.counterexample is not None:
            where = ", ".join(f"{name}={value:.6g}" for name, value in behind.counterexample.point.items())
            lines.append(
                f"  at {where}: truth {behind.counterexample.truth:.8g}, model {behind.counterexample.model:.8g}"
            )
        if behind.wider is not None:
            lines.append("  holds on a wider box too" if behind.wider else "  does not hold on a wider box")
        if behind.proof:
            lines.append(f"  proof: {behind.proof}")
        lines.extend(f"  note: {note}" for note in self.notes)
        lines.append(f"  closeness {self.closeness:.3f}, behavioural distance {self.distance:.3g}")
        return "\n".join(lines)


_SAYS: Mapping[Verdict, str] = {
    "identical": "the model is the truth",
    "offset": "the model is the truth up to an additive constant",
    "factor": "the model is the truth up to a constant factor",
    "affine": "the model is the truth up to a constant factor and an additive constant",
    "form": "the model has the truth's form; its constants are slightly off",
    "different": "the model is another function",
    "undefined": "the model has no real value where the truth has one",
    "unparsable": "the model cannot be read",
    "undecided": "whether the model is the truth cannot be decided",
}
