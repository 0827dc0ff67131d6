"""Tags of the public benchmark's problems, read from the names of their folders."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["derive_tags"]

_GENERATORS = {"1": "logistic", "2": "linear"}
_BIASES = {"a": "balanced", "b": "weak", "c": "strong"}
_VARIATION = re.compile(r"-variation_(\d+)(?=-|$)")
_TYPE = re.compile(r"-type_([12])([abc])(?=-|$)")


def derive_tags(folder_name: str, content: Mapping[str, object]) -> dict[str, str]:
    """Domain, generator, bias, variation and base problem, as far as the folder's name and its manifest tell.

    >>> derive_tags("P35-Loan default-variation_1-type_2b", {"problem_domain": "Banking"})
    {'domain': 'Banking', 'generator': 'linear', 'bias': 'weak', 'variation': '1', 'base': 'P35-Loan default'}
    >>> derive_tags("churn", {})
    {}
    """
    tags = {}
    domain = content.get("problem_domain")
    if isinstance(domain, str) and domain.strip():
        tags["domain"] = domain.strip()
    kind = _TYPE.search(folder_name)
    if kind is not None:
        tags["generator"], tags["bias"] = _GENERATORS[kind[1]], _BIASES[kind[2]]
    variation = _VARIATION.search(folder_name)
    if variation is not None:
        tags["variation"] = variation[1]
    if kind is not None or variation is not None:
        tags["base"] = folder_name[: min(match.start() for match in (kind, variation) if match is not None)]
    return tags
