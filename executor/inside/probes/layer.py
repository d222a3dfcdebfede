"""Find the layer that an error came from: its name in the model, its line, its input.

A traceback ends in torch's own code and says none of it. The snippet's line is `self.fc(x)`; what
helps is that `fc` is Linear(512, 10), made at line 8, and gets [4, 400] here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FrameType, TracebackType
from typing import Any

import torch
from torch import nn

from executor.inside.probes.source import SnippetSource
from executor.protocol import Layer

_REPR = 160


def failing_layer(
    error: BaseException, source: SnippetSource, made: Mapping[tuple[str, str], int]
) -> Layer | None:
    """The innermost layer of torch.nn below the snippet's last line; None if there is none.

    Args:
        error: the exception, with its traceback.
        source: the snippet.
        made: (class, attribute) → the line that assigns it.
    """
    own: FrameType | None = None
    found: tuple[nn.Module, FrameType] | None = None
    making: Any = None
    tb: TracebackType | None = error.__traceback__
    while tb is not None:
        frame = tb.tb_frame
        if frame.f_code.co_filename == source.filename:
            own, found = frame, None
        else:
            layer: Any = frame.f_locals.get("self")
            making = layer if frame.f_code.co_name == "__init__" else making
            if (
                issubclass(type(layer), nn.Module)  # isinstance() would ask the object itself
                and type(layer).__module__.startswith("torch.nn.")
                and layer is not making  # a layer under construction has no repr yet
            ):
                # In the frames below forward, the first tensor may be another one than the input.
                inside = found is not None and layer is found[0]
                if not (inside and found is not None and found[1].f_code.co_name == "forward"):
                    found = layer, frame
        tb = tb.tb_next
    if own is None or found is None:
        return None
    layer, frame = found
    name, line = _place(layer, own, made)
    inputs = [
        v for k, v in frame.f_locals.items() if k != "self" and issubclass(type(v), torch.Tensor)
    ]
    text = repr(layer) if not list(layer.children()) else f"{type(layer).__name__}(…)"
    return Layer(
        name=name,
        type=type(layer).__name__,
        repr=text if len(text) <= _REPR else f"{type(layer).__name__}(…)",
        line=line,
        input=tuple(inputs[0].shape) if inputs else None,
        dtype=str(inputs[0].dtype).removeprefix("torch.") if inputs else None,
    )


def _place(
    layer: nn.Module, own: FrameType, made: Mapping[tuple[str, str], int]
) -> tuple[str, int | None]:
    """The layer's name from the snippet's frame (`self.fc`), and the line that made it."""
    for variable, value in own.f_locals.items():
        if not issubclass(type(value), nn.Module):
            continue
        for path, module in value.named_modules():
            if module is layer:
                name = f"{variable}.{path}" if path else variable
                return name, made.get((type(value).__name__, path.split(".")[0]))
    return "", None
