"""Propose the layer that a name stands for: from the message's numbers, the frames, the name."""

from __future__ import annotations

import re

from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.values import Text

# A function or file of the library below the posted line → the layer that calls it.
_BELOW = (
    ("conv1d", "Conv1d(3, 8, 3)"),
    ("conv2d", "Conv2d(3, 8, 3)"),
    ("conv3d", "Conv3d(3, 8, 3)"),
    ("conv.py", "Conv2d(3, 8, 3)"),
    ("linear", "Linear(20, 4)"),
    ("linear.py", "Linear(20, 4)"),
    ("embedding", "Embedding(10, 8)"),
    ("sparse.py", "Embedding(10, 8)"),
    ("rnn.py", "LSTM(20, 8, batch_first=True)"),
    ("layer_norm", "LayerNorm(20)"),
    ("multi_head_attention_forward", "MultiheadAttention(16, 2)"),
)
_NAMES = (
    (r"^(fc|lin|linear|dense|proj|head|classifier|out|output|decoder|hidden2\w+|l|i2h|h2o|i2o)\d*"
     r"(_\w+)?$|_(fc|linear|proj|head|out)\d*$", "Linear(20, 4)"),
    (r"conv_?1d", "Conv1d(3, 8, 3)"),
    (r"conv_?3d", "Conv3d(3, 8, 3)"),
    (r"conv", "Conv2d(3, 8, 3)"),
    (r"emb", "Embedding(10, 8)"),
    (r"lstm", "LSTM(20, 8, batch_first=True)"),
    (r"gru", "GRU(20, 8, batch_first=True)"),
    (r"^rnn", "RNN(20, 8, batch_first=True)"),
    (r"pool", "MaxPool2d(2)"),
    (r"flatten", "Flatten()"),
    (r"relu|^act", "ReLU()"),
    (r"drop", "Dropout()"),
)  # fmt: skip


def layer(posted: Posted, last: str, *, at_line: bool) -> Text | None:
    """The layer that is called by a name; None if nothing tells which.

    Args:
        posted: the error.
        last: the last part of the name.
        at_line: whether the posted line calls it, so that the message may be about it.
    """
    by_name = next((m for pattern, m in _NAMES if re.search(f"(?i){pattern}", last)), "")
    made = _by_message(posted, last)
    kind = made.partition("(")[0]
    alike = bool(kind) and not posted.lines and by_name.startswith(f"{kind}(")
    if made and (at_line or alike):
        return _called(made, by_name, "the message's numbers")
    if at_line:
        for asked, made in _BELOW:
            if asked in posted.below:
                return _called(made, by_name, "the traceback")
    return Text(f"torch.nn.{by_name}", f"`nn.{by_name}`, by its name") if by_name else None


_ONE_INPUT = ("Conv", "Linear", "BatchNorm", "LayerNorm", "Embedding")


def _called(made: str, by_name: str, source: str) -> Text:
    """The layer; within a module where the name is not one of such a layer: it is a model's."""
    if by_name.partition("(")[0] == made.partition("(")[0] or not made.startswith(_ONE_INPUT):
        return Text(f"torch.nn.{made}", f"`nn.{made}`, by {source}")
    return Text(f"torch.nn.Sequential(torch.nn.{made})", f"a module of `nn.{made}`, by {source}")


def _by_message(posted: Posted, last: str) -> str:
    seen = posted.family
    if seen is None:
        return ""

    def number(name: str) -> int:
        return posted.number(name) or 0

    match seen.id:
        case "matmul_shapes" if number("inner_right") and number("columns"):
            return f"Linear({number('inner_right')}, {number('columns')})"
        case "conv_channels" | "conv_dimensions" if len(sizes := seen.sizes("weight")) > 2:
            out, channels, *kernel = sizes
            groups = number("groups") or 1
            more = f", groups={groups}" if groups > 1 else ""
            side = tuple(kernel) if len(set(kernel)) > 1 else kernel[0]
            return f"Conv{len(kernel)}d({channels * groups}, {out}, {side}{more})"
        case "rnn_input_size" if number("input_size"):
            return f"{_rnn(last)}({number('input_size')}, 8, batch_first=True)"
        case "rnn_hidden_size" if len(sizes := seen.sizes("expected")) == 3:
            layers = f", num_layers={sizes[0]}" if sizes[0] > 1 else ""
            # Where the batches differ, one of them was taken from the other layout's place.
            turned = seen.sizes("given")[1:2] != sizes[1:2]
            layout = "" if turned else ", batch_first=True"
            return f"{_rnn(last)}(20, {sizes[2]}{layers}{layout})"
        case "batchnorm_features" if number("num_features"):
            return f"BatchNorm2d({number('num_features')})"
        case "layernorm_shape" if sizes := seen.sizes("normalized_shape"):
            return f"LayerNorm({list(sizes)})"
        case "attention_embedding" if number("embed_dim"):
            heads = next(n for n in (8, 4, 2, 1) if number("embed_dim") % n == 0)
            return f"MultiheadAttention({number('embed_dim')}, {heads})"
    return ""


def _rnn(last: str) -> str:
    low = last.lower()
    return "GRU" if "gru" in low else "RNN" if low.startswith("rnn") else "LSTM"
