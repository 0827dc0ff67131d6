"""How many tokens a text takes, reckoned without the model's own tokenizer and rather too many than too few."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["estimate_prompt_tokens", "estimate_tokens"]

_PIECES = re.compile(r"(?P<word>[A-Za-z]+)|(?P<blank>[ ]{2,}|\n)|(?P<space>[ ])|(?P<other>.)", re.S)
_LETTERS = 4  # of a word that a token holds at least
_PER_MESSAGE = 8  # tokens around each message: its role and its ends


def estimate_tokens(text: str) -> int:
    """About the tokens of a text: words by their length, every digit and sign one, other letters by their bytes.

    Tokenizers in use take fewer: most words are one token, digits come in threes.

    >>> estimate_tokens("The base columns alone reach 0.643."), estimate_tokens("")
    (14, 0)
    """
    count = 0
    for piece in _PIECES.finditer(text):
        if piece["word"]:
            count += -(-len(piece["word"]) // _LETTERS)
        elif piece["other"]:
            count += len(piece["other"].encode(errors="replace"))
        elif piece["blank"]:
            count += 1
    return count


def estimate_prompt_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """About the tokens of a conversation as it is sent."""
    return _PER_MESSAGE + sum(_PER_MESSAGE + estimate_tokens(message["content"]) for message in messages)
