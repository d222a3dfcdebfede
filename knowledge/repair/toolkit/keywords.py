"""Which parameter of a function a keyword means that the function does not take.

`input_dim` is `in_features` or `input_size`, whichever there is; `strides` is `stride`. What
counts as the same word is one table; which name is right is decided by what the function takes.
"""

import re
from collections.abc import Sequence

from knowledge.repair.toolkit.spelling import misspelt, plain

# Words that mean the same in the name of an argument.
_SAME_WORDS = (
    {"in", "input", "inputs"},
    {"out", "output", "outputs"},
    {"size", "dim", "dims", "dimension", "features", "feature", "channels", "channel", "units",
     "width"},
    {"num", "n", "number", "count", "nb", "max"},
    {"dim", "dims", "axis", "axes"},
    {"emb", "embed", "embedding", "embeddings"},
    {"hidden", "hid"},
    {"iter", "iters", "iterations", "iteration"},
    {"rate", "prob", "probability", "p", "ratio"},
    {"learning", "lr"},
    {"ff", "ffn", "feedforward"},
    {"eps", "epsilon"},
    {"head", "heads"},
    {"layer", "layers"},
    {"eval", "evaluation"},
    {"pad", "padding"},
    {"act", "activation"},
    {"norm", "normalization"},
    {"train", "training"},
    {"kernel", "filter"},
)  # fmt: skip
# Words that add nothing: a parameter may have one that the keyword lacks, or the other way round.
_FILLING = {"size", "dim", "num", "n", "max", "use", "is", "has", "with", "rate", "weight", "value"}
# Whole names of one meaning, of other libraries and of other functions of torch.
_SAME_NAMES = (
    {"vocab_size", "num_embeddings", "input_dim"},
    {"embed_dim", "embedding_dim", "d_model", "embedding_size", "output_dim"},
    {"filters", "out_channels"},
    {"num_heads", "nhead", "n_heads", "heads"},
    {"learning_rate", "lr"},
    {"rate", "p", "dropout", "dropout_rate", "drop_prob"},
    {"negative_slope", "alpha"},
    {"retain_variables", "retain_graph"},
)
# What says how a function works or tells of its work, and nothing about what it computes.
_TELLING = {"verbose", "progress", "show_progress", "progress_bar", "log", "logging", "debug",
            "n_jobs"}  # fmt: skip


def meant(keyword: str, among: Sequence[str]) -> list[str]:
    """The names that a keyword may stand for, the likeliest first; equally likely ones together.

    An empty list means that none is like it; more than one, that it is open.
    """
    ranked: dict[int, list[str]] = {}
    for name in among:
        rank = _rank(keyword, name)
        if rank is not None:
            ranked.setdefault(rank, []).append(name)
    found = ranked[min(ranked)] if ranked else []
    begun = [name for name in among if name.startswith(f"{keyword}_")]
    return found or (begun if len(begun) == 1 else [])


def only_tells(keyword: str) -> bool:
    """Whether a keyword says how a function tells of its work, and nothing about the work."""
    return keyword in _TELLING


def _rank(keyword: str, name: str) -> int | None:
    if plain(keyword) == plain(name):
        return 0
    if plain(keyword).rstrip("s") == plain(name).rstrip("s"):
        return 0
    if misspelt(keyword, name):
        return 1
    if any(keyword in names and name in names for names in _SAME_NAMES):
        return 2
    left, right = _words(keyword), _words(name)
    lone, other = _without_partners(left, right), _without_partners(right, left)
    if len(lone) == len(left) or (set(lone) | set(other)) - _FILLING:
        return None
    return 3 + len(lone) + len(other)


def _words(name: str) -> list[str]:
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
    return [part for part in parts if part]


def _without_partners(words: list[str], others: list[str]) -> list[str]:
    """The words that none of the others means too."""
    return [w for w in words if not any(_same(w, o) for o in others)]


def _same(a: str, b: str) -> bool:
    if a == b or any(a in words and b in words for words in _SAME_WORDS):
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 4 and long.startswith(short)
