"""Tokenizers that are made up: the special tokens are where the real ones have them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers

from executor.inside.resources import vocabularies
from executor.inside.resources.hub_forms import architecture


@pytest.mark.parametrize(
    ("name", "size", "text", "first", "last", "others"),
    [
        ("bert-base-uncased", 30522, "Hello world", 101, 102, {"[PAD]": 0, "[MASK]": 103}),
        ("bert-base-cased", 28996, "Hello world", 101, 102, {"[UNK]": 100}),
        ("roberta-base", 50265, "Hello world", 0, 2, {"<pad>": 1, "<mask>": 50264}),
        ("t5-small", 32128, "the house", None, 1, {"<pad>": 0, "<unk>": 2}),
        ("albert-base-v2", 30000, "the house", 0, 2, {}),
        ("openai/clip-vit-base-patch32", 49408, "a cat", 49406, 49407, {}),
        ("gpt2", 50257, "Hello", None, None, {"<|endoftext|>": 50256}),
    ],
)
def test_special_tokens_are_where_the_models_have_them(
    tmp_path: Path,
    name: str,
    size: int,
    text: str,
    first: int | None,
    last: int | None,
    others: dict[str, int],
) -> None:
    """A text begins and ends as the model's own tokenizer has it, and every token has an id."""
    found = architecture(name)
    assert found is not None and found[1]
    vocabularies.write(str(tmp_path), found[0], size)
    made = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ids = made.encode(text).ids
    assert made.get_vocab_size() == size and max(ids) < size
    assert len(ids) > (first is not None) + (last is not None)
    if first is not None:
        assert ids[0] == first
    if last is not None:
        assert ids[-1] == last
    assert {token: made.token_to_id(token) for token in others} == others
    assert json.loads((tmp_path / "tokenizer_config.json").read_text())["model_max_length"] > 0


@pytest.mark.parametrize(
    ("name", "kind", "own"),
    [
        ("bert-base-uncased", "bert", True),
        ("google-bert/bert-base-uncased", "bert", True),
        ("distilbert-base-uncased", "distilbert", True),
        ("me/my-finetuned-distilbert", "distilbert", False),
        ("allenai/scibert_scivocab_uncased", "bert", False),
        ("vinai/phobert-base", "roberta", False),
        ("meta-llama/Llama-2-7b-hf", "llama", False),
    ],
)
def test_a_models_name_says_its_architecture(name: str, kind: str, own: bool) -> None:
    """With the owner or without; what only resembles a known model has no sure sizes."""
    found = architecture(name)
    assert found is not None
    assert (found[0].kind, found[1]) == (kind, own)


def test_a_name_that_says_nothing_has_no_architecture() -> None:
    """A folder of the person's own is no public model."""
    assert architecture("./results/checkpoint-500") is None
