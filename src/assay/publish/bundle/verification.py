"""The result of verifying a bundle, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from assay.core import Json
from assay.core.display import counted
from assay.publish.bundle.difference import Difference
from assay.publish.bundle.signature import Signature
from assay.report.wording import shown

__all__ = ["Verification"]

_SHOWN: Final = 20  # differences that are named in words


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification:
    """What :func:`assay.verify` found.

    Parameters
    ----------
    path : Path
        The bundle.
    digest : str
        Of its manifest, which covers every byte of the bundle.
    records : int
        How many records it holds.
    examined : int
        Of these, how many were examined again.
    solved_again : int
        How many answers their subjects gave again.
    differences : tuple of Difference
        Everything that the bundle says and that was not found so.
    notes : tuple of str
        What a reader must know beside: other versions, numbers equal within the tolerance, what was not checked.
    lost : tuple of str
        Cells that could not be examined here, with the reasons.
    signature : Signature
        Whether it is signed, and by whom.
    asked : tuple of str
        What was asked for: ``"share"``, ``"resolve"``.

    Examples
    --------
    >>> import assay, tempfile
    >>> results = assay.run("conformal", "oracle", problems=assay.problems("conformal")[:1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = assay.verify(assay.bundle(results, out=f"{folder}/bundle.zip"), workers=1)
    >>> found
    Verification(MATCH, 1 of 1 record examined, not signed)
    >>> found.matches, found.differences
    (True, ())
    """

    path: Path
    digest: str
    records: int
    examined: int
    solved_again: int = 0
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    signature: Signature = field(default_factory=lambda: Signature(state="none"))
    asked: tuple[str, ...] = ()

    @property
    def matches(self) -> bool:
        """Whether everything that was looked at is as the bundle says."""
        return not self.differences and not self.lost

    @property
    def verdict(self) -> str:
        """One word: MATCH, DIFFERS or UNFINISHED."""
        if self.differences:
            return "DIFFERS"
        return "UNFINISHED" if self.lost else "MATCH"

    @property
    def not_proven(self) -> tuple[str, ...]:
        """What this verification does not show, in sentences."""
        if any(difference.kind == "bytes" for difference in self.differences):
            return ("Nothing was examined: its bytes are not those that its manifest was written for.",)
        lines = ["Examination shows that the scores follow from the answers, problems and settings in the bundle."]
        what = "these subjects gave these answers, with these seeds, under these names and in this time"
        if self.signature.state == "valid":
            lines.append(f"That {what} is attested by {self.signature.signer}, whose signature covers every byte.")
        elif self.signature.state == "invalid":
            lines.append(f"It does not show that {what}, and the signature proves nothing.")
        else:
            signed = self.signature.state == "unchecked"
            how = "it is signed: check by whom with --signer FILE" if signed else "ask for a signature (--signer FILE)"
            lines.append(f"It does not show that {what}: changed answers, seeds and names are not seen by it; {how}.")
        if "resolve" in self.asked:
            lines.append(
                f"{counted(self.solved_again, 'answer')} of {self.records} were given again by their subjects."
            )
        else:
            lines.append("No subject was run: --resolve runs those again that are here, confined.")
        if "share" in self.asked:
            lines.append(
                f"{self.examined} of {counted(self.records, 'record')} were examined. Who makes a bundle can foresee "
                "which, unless you add a word of your own: --salt WORD."
            )
        return tuple(lines)

    def summary(self) -> str:
        """The findings as text: verdict, differences, what to know beside, what is not proven.

        Returns
        -------
        str
            Several lines.
        """
        lines = [f"{self.verdict}: {self.path}", f"Manifest {self.digest}"]
        lines.append(f"Examined {self.examined} of {counted(self.records, 'record')}. {self._signed()}")
        lines += [f"- {difference}" for difference in self.differences[:_SHOWN]]
        if (more := len(self.differences) - _SHOWN) > 0:
            lines.append(f"- and {counted(more, 'more difference')}: --json names all (.differences in Python)")
        lines += [f"Not examined: {shown(line)}" for line in self.lost]
        lines += [f"Note: {shown(line)}." for line in self.notes]
        return "\n".join([*lines, *self.not_proven])

    def _signed(self) -> str:
        sentences = {"valid": f"Signed by {shown(self.signature.signer)}.", "invalid": "The signature is not valid."}
        sentences |= {"unchecked": "Signed; by whom was not checked.", "none": "Not signed."}
        return sentences[self.signature.state]

    def to_json(self) -> dict[str, Json]:
        """What ``assay verify --json`` prints.

        Returns
        -------
        dict
            Plain values.
        """
        return {
            "path": str(self.path),
            "verdict": self.verdict,
            "matches": self.matches,
            "digest": self.digest,
            "records": self.records,
            "examined": self.examined,
            "solved_again": self.solved_again,
            "signature": {
                "state": self.signature.state,
                "signer": self.signature.signer,
                "fault": self.signature.fault,
            },
            "differences": [difference.to_json() for difference in self.differences],
            "lost": list(self.lost),
            "notes": list(self.notes),
            "not_proven": list(self.not_proven),
        }

    def __repr__(self) -> str:
        signed = {"valid": f"signed by {self.signature.signer}", "invalid": "signature not valid"}
        signed |= {"unchecked": "signature not checked", "none": "not signed"}
        differences = [counted(len(self.differences), "difference")] if self.differences else []
        parts = [self.verdict, f"{self.examined} of {counted(self.records, 'record')} examined", *differences]
        return f"Verification({', '.join([*parts, signed[self.signature.state]])})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.summary())}</pre>"
