"""The offline embedding model."""

from __future__ import annotations

import socket
import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import pytest

from assay.core import MissingExtra
from assay.drift.detection.drift import Drift
from assay.drift.documents.dense import word_vectors
from assay.drift.documents.document import Corpus
from assay.drift.documents.text_index import TextIndex
from assay.drift.explanation.query import make_query
from assay.drift.explanation.signals import compute_signals


def test_the_model_loads_without_a_network_and_knows_related_words(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wordllama", reason="the extra 'dense' is not installed")

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    word_vectors.cache_clear()
    rows = word_vectors().embed(["pay the invoice", "settle the bill", "the choir sings"])
    assert rows.shape[0] == 3
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_the_dense_signal_prefers_the_related_document() -> None:
    pytest.importorskip("wordllama", reason="the extra 'dense' is not installed")
    day = datetime(2020, 3, 10, tzinfo=UTC)
    drift = Drift(id="d", process="TravelPermits", type="sudden", start_case="1", end_case="1", start=day, end=day)
    index = TextIndex(Corpus.from_texts({"a.txt": "Journeys need a licence.", "b.txt": "The choir sings."}))
    first, second = compute_signals(index, make_query(drift), embedder=word_vectors())["dense"]
    assert 0.0 <= second < first <= 1.0


def test_loading_leaves_the_programs_logging_alone() -> None:
    pytest.importorskip("wordllama", reason="the extra 'dense' is not installed")
    code = (
        "import logging; from assay.drift.documents.dense import word_vectors; word_vectors().embed(['x']); "
        "root = logging.getLogger(); assert root.handlers == [] and root.level == logging.WARNING, root.handlers"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    word_vectors.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingExtra, match=r"pip install 'wordllama"):
        word_vectors()
