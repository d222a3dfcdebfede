"""The architectures of public models by their names: model type, sizes, kind of tokenizer.

Source:
    The models' own pages, as `transformers` documents them. What a row leaves out is the default of
    the installed library's configuration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Architecture:
    """One model, or a family of models."""

    kind: str  # transformers' model_type
    tokens: str = ""  # "wordpiece", "bytes" or "pieces"; empty: it reads no text
    sizes: dict[str, Any] = field(default_factory=dict)
    cased: bool = False
    pictures: bool = False  # it reads images
    sound: bool = False


_BERT_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
               "intermediate_size": 4096}  # fmt: skip
_ROBERTA = {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
_LABELS = {"id2label": {0: "NEGATIVE", 1: "POSITIVE"}, "label2id": {"NEGATIVE": 0, "POSITIVE": 1}}


def _t5(d_model: int, d_ff: int, layers: int, heads: int, **more: Any) -> dict[str, Any]:
    return {"d_model": d_model, "d_ff": d_ff, "num_layers": layers, "num_heads": heads,
            "vocab_size": 32128, "decoder_start_token_id": 0, **more}  # fmt: skip


def _gpt2(n_embd: int, n_layer: int, n_head: int) -> dict[str, Any]:
    return {"n_embd": n_embd, "n_layer": n_layer, "n_head": n_head}


# The whole name, without the owner before the slash.
MODELS: dict[str, Architecture] = {
    "bert-base-uncased": Architecture("bert", "wordpiece"),
    "bert-base-cased": Architecture("bert", "wordpiece", {"vocab_size": 28996}, cased=True),
    "bert-large-uncased": Architecture("bert", "wordpiece", _BERT_LARGE),
    "bert-large-cased": Architecture(
        "bert", "wordpiece", {**_BERT_LARGE, "vocab_size": 28996}, cased=True
    ),
    "bert-base-multilingual-cased": Architecture(
        "bert", "wordpiece", {"vocab_size": 119547}, cased=True
    ),
    "bert-base-multilingual-uncased": Architecture("bert", "wordpiece", {"vocab_size": 105879}),
    "bert-base-chinese": Architecture("bert", "wordpiece", {"vocab_size": 21128}),
    "distilbert-base-uncased": Architecture("distilbert", "wordpiece"),
    "distilbert-base-cased": Architecture(
        "distilbert", "wordpiece", {"vocab_size": 28996}, cased=True
    ),
    "distilbert-base-uncased-finetuned-sst-2-english": Architecture(
        "distilbert", "wordpiece", _LABELS
    ),
    "roberta-base": Architecture("roberta", "bytes", _ROBERTA),
    "roberta-large": Architecture("roberta", "bytes", {**_ROBERTA, **_BERT_LARGE}),
    "distilroberta-base": Architecture("roberta", "bytes", {**_ROBERTA, "num_hidden_layers": 6}),
    "xlm-roberta-base": Architecture(
        "xlm-roberta", "pieces", {**_ROBERTA, "vocab_size": 250002}
    ),
    "albert-base-v2": Architecture(
        "albert", "pieces",
        {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072},
    ),
    "electra-small-discriminator": Architecture("electra", "wordpiece"),
    "gpt2": Architecture("gpt2", "bytes"),
    "gpt2-medium": Architecture("gpt2", "bytes", _gpt2(1024, 24, 16)),
    "gpt2-large": Architecture("gpt2", "bytes", _gpt2(1280, 36, 20)),
    "distilgpt2": Architecture("gpt2", "bytes", _gpt2(768, 6, 12)),
    "t5-small": Architecture("t5", "pieces", _t5(512, 2048, 6, 8)),
    "t5-base": Architecture("t5", "pieces", _t5(768, 3072, 12, 12)),
    "t5-large": Architecture("t5", "pieces", _t5(1024, 4096, 24, 16)),
    "flan-t5-small": Architecture(
        "t5", "pieces", _t5(512, 1024, 8, 6, feed_forward_proj="gated-gelu")
    ),
    "flan-t5-base": Architecture(
        "t5", "pieces", _t5(768, 2048, 12, 12, feed_forward_proj="gated-gelu")
    ),
    "mt5-small": Architecture("mt5", "pieces", {"decoder_start_token_id": 0}),
    "bart-base": Architecture(
        "bart", "bytes",
        {"d_model": 768, "encoder_layers": 6, "decoder_layers": 6, "encoder_ffn_dim": 3072,
         "decoder_ffn_dim": 3072, "encoder_attention_heads": 12, "decoder_attention_heads": 12},
    ),
    "bart-large": Architecture("bart", "bytes"),
    "bart-large-cnn": Architecture("bart", "bytes", {"vocab_size": 50264}),
    "vit-base-patch16-224": Architecture("vit", sizes={"num_labels": 1000}, pictures=True),
    "vit-base-patch16-224-in21k": Architecture("vit", pictures=True),
    "clip-vit-base-patch32": Architecture("clip", "bytes", pictures=True),
    "wav2vec2-base-960h": Architecture("wav2vec2", sound=True),
}  # fmt: skip

# Names that are no row: the likeliest architecture, whose sizes are not sure.
_FAMILIES = (
    (r"distilbert", Architecture("distilbert", "wordpiece")),
    (r"xlm-?r", Architecture("xlm-roberta", "pieces", {**_ROBERTA, "vocab_size": 250002})),
    (r"roberta|bertweet|phobert", Architecture("roberta", "bytes", _ROBERTA)),
    (r"deberta-v[23]", Architecture("deberta-v2", "pieces")),
    (r"electra", Architecture("electra", "wordpiece")),
    (r"albert", Architecture("albert", "pieces")),
    (r"bert", Architecture("bert", "wordpiece")),
    (r"gpt-?2", Architecture("gpt2", "bytes")),
    (r"t5", Architecture("t5", "pieces", _t5(512, 2048, 6, 8))),
    (r"bart", Architecture("bart", "bytes")),
    (r"vit", Architecture("vit", pictures=True)),
    (r"llama|mistral|qwen|gemma|phi|opt-|neo|bloom|falcon|pythia", Architecture(
        "llama", "pieces", {"hidden_size": 256, "intermediate_size": 512,
                            "num_attention_heads": 4, "num_key_value_heads": 4})),
)  # fmt: skip


def architecture(name: str) -> tuple[Architecture, bool] | None:
    """The architecture of a model's name, and whether it is that very model's; None: unknown."""
    own = name.rpartition("/")[2].lower()
    if own in MODELS:
        return MODELS[own], True
    for pattern, likely in _FAMILIES:
        if re.search(pattern, own):
            return likely, False
    return None
