"""Which of torch's layers and losses take an input of a name that few others have.

Held against `inspect.signature` of the installed torch by tests/executor/errors/test_told_apart.py.
"""

from __future__ import annotations

# The name of what `forward` needs → the classes in torch.nn whose forward does.
TAKEN_BY = {
    "anchor": ("TripletMarginLoss", "TripletMarginWithDistanceLoss"),
    "indices": ("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"),
    "input2": ("Bilinear", "CosineEmbeddingLoss", "MarginRankingLoss"),
    "input_lengths": ("CTCLoss",),
    "key": ("MultiheadAttention",),
    "memory": ("TransformerDecoder", "TransformerDecoderLayer"),
    "negative": ("TripletMarginLoss", "TripletMarginWithDistanceLoss"),
    "positive": ("TripletMarginLoss", "TripletMarginWithDistanceLoss"),
    "target_lengths": ("CTCLoss",),
    "tgt": ("Transformer", "TransformerDecoder", "TransformerDecoderLayer"),
    "value": ("MultiheadAttention",),
    "var": ("GaussianNLLLoss",),
    "x2": ("CosineSimilarity", "PairwiseDistance"),
}


def layers_that_take(names: list[str]) -> tuple[str, ...]:
    """The classes whose forward needs every one of these; none if a name is not known.

    layers_that_take(["indices"])  # ("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d")
    """
    if not names or not all(name in TAKEN_BY for name in names):
        return ()
    return tuple(c for c in TAKEN_BY[names[0]] if all(c in TAKEN_BY[n] for n in names[1:]))
