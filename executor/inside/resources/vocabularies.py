"""A tokenizer of a kind, with that kind's special tokens and a made-up vocabulary."""

from __future__ import annotations

import json
import os
import string
from typing import Any

from executor.inside.resources.hub_forms import Architecture

_WORDS = (  # noqa: SIM905  (a hundred quotation marks would say no more)
    "the of and to in a is that for it as was with be by on not he i this are or his from at which "
    "but have an had they you were their one all we can her has there been if more when will would "
    "who so no my good bad great movie film hello world love hate like time day man people new old "
    "what how why where learning machine model data natural language processing paris"
).split()
_CLASSES = {"bert": "BertTokenizer", "distilbert": "DistilBertTokenizer", "roberta":
            "RobertaTokenizer", "electra": "ElectraTokenizer", "gpt2": "GPT2Tokenizer",
            "bart": "BartTokenizer", "t5": "T5Tokenizer", "mt5": "T5Tokenizer",
            "albert": "AlbertTokenizer", "xlm-roberta": "XLMRobertaTokenizer",
            "clip": "CLIPTokenizer", "deberta-v2": "DebertaV2Tokenizer",
            "llama": "LlamaTokenizer"}  # fmt: skip


def write(folder: str, form: Architecture, vocabulary: int) -> None:
    """Write the files of a tokenizer.

    Args:
        folder: where.
        form: the model's architecture.
        vocabulary: how many tokens the model knows; the tokenizer has as many.
    """
    make = {"wordpiece": _wordpiece, "bytes": _bytes, "pieces": _pieces}[form.tokens]
    made, special = make(form, vocabulary)
    made.save(os.path.join(folder, "tokenizer.json"))
    settings = {"model_max_length": 1024 if form.kind in ("gpt2", "bart") else 512,
                "do_lower_case": not form.cased, **special}  # fmt: skip
    if form.kind in _CLASSES:
        settings["tokenizer_class"] = _CLASSES[form.kind]
    with open(os.path.join(folder, "tokenizer_config.json"), "w") as f:
        json.dump(settings, f)


def _filled(vocabulary: dict[str, int], size: int, name: str) -> dict[str, int]:
    """The vocabulary with as many tokens as the model has: those that are made up are unused."""
    taken = set(vocabulary.values())
    free = (n for n in range(size) if n not in taken)
    return vocabulary | {f"{name}{n}{'' if name != '[unused' else ']'}": n for n in free}


def _wordpiece(form: Architecture, size: int) -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    special = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103}
    letters = string.ascii_letters if form.cased else string.ascii_lowercase
    singles = [*string.punctuation, *string.digits, *letters]
    pieces = [*singles, *(f"##{c}" for c in (*string.digits, *letters)), *_WORDS]
    if form.cased:
        pieces += [word.capitalize() for word in _WORDS]
    ordered = dict.fromkeys(pieces)
    words = special | {piece: 999 + n for n, piece in enumerate(ordered)}
    made = Tokenizer(models.WordPiece(_filled(words, size, "[unused"), unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=not form.cased)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    made.add_special_tokens(list(special))
    return made, {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]",
                  "sep_token": "[SEP]", "mask_token": "[MASK]"}  # fmt: skip


def _bytes(form: Architecture, size: int) -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    end = "<|endoftext|>"
    if form.kind in ("gpt2", "clip"):
        special = {end: size - 1, **({"<|startoftext|>": size - 2} if form.kind == "clip" else {})}
        first = 0
    else:
        special = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": size - 1}
        first = 4
    vocabulary = special | {letter: first + n for n, letter in enumerate(alphabet)}
    made = Tokenizer(models.BPE(_filled(vocabulary, size, "unused"), []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(list(special))
    if form.kind == "clip":
        start = "<|startoftext|>"
        made.post_processor = processors.RobertaProcessing((end, size - 1), (start, size - 2))
        return made, {"bos_token": start, "eos_token": end, "unk_token": end, "pad_token": end}
    if form.kind == "gpt2":
        return made, {"bos_token": end, "eos_token": end, "unk_token": end}
    made.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), add_prefix_space=False
    )
    return made, {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>",
                  "pad_token": "<pad>", "cls_token": "<s>", "sep_token": "</s>",
                  "mask_token": "<mask>"}  # fmt: skip


def _pieces(form: Architecture, size: int) -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    special = ["<pad>", "</s>", "<unk>"]
    if form.kind not in ("t5", "mt5"):
        special = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = [*string.ascii_letters, *string.digits, *string.punctuation, "▁"]
    pieces = [*special, *(f"▁{word}" for word in _WORDS), *letters]
    scores = [(piece, 0.0 if piece in special else -1.0 - len(pieces) / 1000) for piece in pieces]
    scores += [(f"unused{n}", -100.0) for n in range(size - len(scores))]
    made = Tokenizer(models.Unigram(scores, unk_id=special.index("<unk>")))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    made.add_special_tokens(special)
    end = ("</s>", special.index("</s>"))
    template = {"single": "$A </s>", "pair": "$A </s> $B </s>", "special_tokens": [end]}
    named = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    if form.kind not in ("t5", "mt5"):
        template = {"single": "<s> $A </s>", "pair": "<s> $A </s> $B </s>",
                    "special_tokens": [("<s>", 0), end]}  # fmt: skip
        named |= {"bos_token": "<s>", "cls_token": "<s>", "sep_token": "</s>"}
    made.post_processor = processors.TemplateProcessing(**template)
    return made, named
