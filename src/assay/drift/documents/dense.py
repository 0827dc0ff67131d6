"""An offline embedding model as an extra: static word vectors, no network, no GPU."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from assay.core import MissingExtra
from assay.core.arrays import FloatArray

__all__ = ["Embedder", "WordVectors", "best_embedder", "word_vectors"]


class Embedder(Protocol):
    """Anything that turns texts into vectors whose dot product is their similarity."""

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        """One row per text, each of length one (or zero for a text without known words)."""


class WordVectors:
    """The vectors that come with the package wordllama, averaged over a text."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __repr__(self) -> str:
        return "WordVectors(wordllama)"

    def embed(self, texts: Sequence[str], /) -> FloatArray:
        """One row per text, of length one."""
        rows = np.asarray(self._model.embed(list(texts)), dtype=np.float64)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0.0, lengths, 1.0)


@contextmanager
def _logging_untouched() -> Iterator[None]:
    """Undo what an import does to the root logger: the program's messages are its user's to choose."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@lru_cache(maxsize=1)
def word_vectors() -> WordVectors:
    """The model, loaded once per process from the files of its package."""
    try:
        with _logging_untouched():
            import wordllama
    except ImportError:
        raise MissingExtra("The dense model", "wordllama", "dense") from None
    package = Path(wordllama.__file__).parent
    with tempfile.TemporaryDirectory(prefix="assay-dense-") as folder:
        # the loader looks for the tokenizer where the package does not put it, and would then go to the network
        for kind in ("tokenizers", "weights"):
            target = Path(folder) / kind
            target.mkdir()
            for source in (package / kind).iterdir():
                if source.suffix in (".json", ".safetensors"):
                    shutil.copy(source, target / source.name)
        model = wordllama.WordLlama.load(cache_dir=Path(folder), disable_download=True)
    return WordVectors(model)


def best_embedder() -> Embedder:
    """The sentence model where its package is installed, else the word vectors."""
    from assay.drift.documents.sentence_model import has_sentence_model, sentence_model

    return sentence_model() if has_sentence_model() else word_vectors()
