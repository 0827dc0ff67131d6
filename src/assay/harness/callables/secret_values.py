"""Captured texts that look like secrets: refused, since the file that holds them is kept and may be shared."""

from __future__ import annotations

import os
import re
from typing import Final

from assay.core import InvalidInput
from assay.harness.callables.unavailable import Use
from assay.harness.process.secrets import SECRET_NAME, Mask

__all__ = ["demand_no_secret", "demand_no_secrets"]

_KEY: Final = re.compile(
    r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|hf_\w{20,}|xox[abprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}"
    r"|AIza[\w-]{30,}|glpat-[\w-]{16,})|-----BEGIN [A-Z ]*PRIVATE KEY-----|\b[a-z][a-z0-9+.-]{0,30}://[^\s/@:'\"]+:[^\s/@'\"]+@"
)
_RANDOM: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w./+=-]{16,}")
_REMEDY: Final = (
    "Put it into an environment variable, read that inside the function, and name it: environment=[{name!r}]."
)


def demand_no_secret(use: Use, name: str, value: object) -> None:
    """Refuse a variable whose name says that it is secret, and whose value looks so."""
    if isinstance(value, str) and SECRET_NAME.search(name) and _RANDOM.fullmatch(value):
        raise InvalidInput(f"{use}, which looks like a secret. {_REMEDY.format(name=name.upper())}")


def demand_no_secrets(what: str, text: str) -> None:
    """Refuse source or data with a key in it; the message does not repeat it."""
    if variable := Mask(os.environ).variable_in(text.encode(errors="surrogateescape")):
        raise InvalidInput(
            f"{what}: the value of the environment variable {variable} would be written into its source. "
            f"{_REMEDY.format(name=variable)}"
        )
    if _KEY.search(text):
        raise InvalidInput(
            f"{what}: a text that looks like a key or password would be written into its source. "
            f"{_REMEDY.format(name='API_KEY')}"
        )
