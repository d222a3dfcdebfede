"""Record the snippet's current instruction for a save or a write, and name it later."""

from __future__ import annotations

import ast
import dis
import sys
from dataclasses import dataclass, replace
from types import FrameType

import torch
from torch import nn

from executor.inside.probes.inplace.values import storage
from executor.inside.probes.source import CodePosition, SnippetSource, Span

WHOLE_LINE = -1  # a Place's instruction where only the line is known


@dataclass(frozen=True)
class Spot:
    """An instruction of the snippet, with the call and the layer that led to it."""

    place: CodePosition | None = None
    name: str | None = None  # the variable that holds the tensor
    call_line: int | None = None  # of the outermost frame, where that is another one
    layer: nn.Module | None = None  # the layer of torch.nn that the snippet had called


NOWHERE = Spot()


def spot(source: SnippetSource, t: torch.Tensor) -> Spot:
    """The current spot, with the tensor's variable in the snippet's frame."""
    layer: nn.Module | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != source.filename:
        if layer is None and frame.f_code.co_name == "forward":
            owner = frame.f_locals.get("self")
            if issubclass(type(owner), nn.Module) and type(owner).__module__ != "__main__":
                layer = owner
        frame = frame.f_back
    if frame is None:
        return Spot(layer=layer)
    place = CodePosition(frame.f_code, frame.f_lasti, frame.f_lineno)
    outer, call_line = frame.f_back, None
    while outer is not None:
        if outer.f_code.co_filename == source.filename:
            call_line = outer.f_lineno
        outer = outer.f_back
    return Spot(place, name_in(frame, t), call_line, layer)


def name_in(frame: FrameType | None, t: torch.Tensor) -> str | None:
    """The variable of the frame that holds this tensor, else one that shares its storage."""
    wanted = storage(t)
    if frame is None or wanted is None:
        return None
    sharing = None
    for name, value in list(frame.f_locals.items()):
        if issubclass(type(value), torch.Tensor) and storage(value) == wanted:
            if value.shape == t.shape and value.storage_offset() == t.storage_offset():
                return str(name)
            sharing = sharing or str(name)
    return sharing


def span_of(source: SnippetSource, spot: Spot) -> Span | None:
    """The expression at a spot; of an assignment the target's span with the statement's text.

    Where only the line is known, its text without columns; None where not even that is.
    """
    place = spot.place
    if place is None:
        return None
    if place.instruction == WHOLE_LINE:
        return Span(place.line, None, None, None, source.line(place.line))
    span = source.span(place)
    if dis.opname[place.code.co_code[place.instruction]] in ("STORE_SUBSCR", "STORE_ATTR"):
        return replace(span, text=_statement(source, span) or span.text)
    return span


def _statement(source: SnippetSource, span: Span) -> str | None:
    text = "\n".join(source.lines)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if (target.lineno, target.col_offset) == (span.line, span.col):
                    return ast.get_source_segment(text, node)
    return None


def layer_name(source: SnippetSource, layer: nn.Module | None) -> str | None:
    """The layer as a variable of the snippet reaches it, e.g. "model.1 (ReLU)", or None."""
    path = _path_to(source, layer) if layer is not None else None
    return f"{path} ({type(layer).__name__})" if path else None


def parameter_name(source: SnippetSource, layer: nn.Module | None, t: torch.Tensor) -> str | None:
    """The layer's parameter that the tensor is, or is a view of, e.g. "model.1.weight"."""
    path = _path_to(source, layer) if layer is not None else None
    if layer is None or path is None:
        return None
    named = layer.named_parameters(recurse=False)
    return next((f"{path}.{n}" for n, p in named if storage(p) == storage(t)), None)


def _path_to(source: SnippetSource, layer: nn.Module) -> str | None:
    frame = source.frame()
    while frame is not None:
        if frame.f_code.co_filename == source.filename:
            for variable, value in list(frame.f_locals.items()):
                if issubclass(type(value), nn.Module):
                    for path, module in value.named_modules():
                        if module is layer:
                            return f"{variable}.{path}" if path else str(variable)
        frame = frame.f_back
    return None
