"""Explain an exception while its frames are alive, and list the operands of the failing line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from types import FrameType

import torch

from executor.inside import torch_private as private
from executor.inside.explain.family import explainers_for
from executor.inside.explain.parts import part_shapes
from executor.inside.explain.places import Places
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.tensors import variable
from executor.protocol import Explanation, Operand, Variable

_CHAIN = 10
_OPTIMIZED = 0x1  # CO_OPTIMIZED: the frame of a function, whose f_locals are a copy
_NO_CAUSE = (
    "ModuleNotFoundError",
    "ImportError",
    "KeyError",
    "StopIteration",
    "GeneratorExit",
    "AttributeError",
)


@dataclass(frozen=True)
class Explained:
    """What live values show about an error."""

    explanation: Explanation | None = None  # None where they add nothing to the message
    operands: tuple[Operand, ...] = ()  # what the failing expression worked on
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of the statement's parts


def explain(error: BaseException, source: SnippetSource, tree: ast.Module) -> Explained:
    """Find out which values clash and where they were made.

    Args:
        error: the exception with its traceback.
        source: the snippet.
        tree: its syntax tree.

    Raises:
        Exception: an explainer failed; the caller makes that a note.
    """
    with ExitStack() as quiet:
        # A tensor subclass or a mode of the snippet's own must not hear that we look.
        quiet.enter_context(private.DisableTorchFunction())
        quiet.enter_context(torch.no_grad())
        if private.dispatch_modes():
            quiet.enter_context(private.disable_current_modes())
        places = _places(tree)
        first = _first(error, source)
        scene = _scene(first, source, places)
        if scene is None:
            return Explained()
        explanation = _explanation(scene)
        if first is not error:
            later = _scene(error, source, places)
            if explanation is None and later is not None:
                scene, explanation = later, _explanation(later)
            elif explanation is not None:
                line = f" at line {later.line}" if later else ""
                came = f"While that was handled, {type(error).__name__} came up{line}."
                if later is not None and later.raised:
                    came = f"Your handler then raises {type(error).__name__}{line}."
                text = f"First, at line {scene.line}: {explanation.text} {came}"
                explanation = explanation.model_copy(update={"text": text})
        shapes = part_shapes(scene) if first is error else {}
        return Explained(explanation, tuple(_operands(scene)), shapes)


@cache
def _places(tree: ast.Module) -> Places:
    return Places(tree)  # one snippet a process: a loop that catches errors pays for it once


def forget(error: BaseException, source: SnippetSource) -> None:
    """Empty the copies of its variables that a frame keeps once `f_locals` was read.

    For an error that the snippet caught and goes on from: a tensor that it deletes must be freed.
    """
    tb = error.__traceback__
    while tb is not None:
        _forget(tb.tb_frame)
        tb = tb.tb_next


def _forget(frame: FrameType) -> None:
    copied = frame.f_locals
    if frame.f_code.co_flags & _OPTIMIZED and type(copied) is dict:
        copied.clear()


def _explanation(scene: Scene) -> Explanation | None:
    for explainer, seen in explainers_for(scene.kind, scene.message):
        told = explainer.explain(scene, seen)
        if told is None:
            continue
        said, facts = (told, {}) if isinstance(told, str) else told
        return Explanation(family=explainer.name, text=said[:1].upper() + said[1:], facts=facts)
    return None


def _first(error: BaseException, source: SnippetSource) -> BaseException:
    """The first error raised in the snippet's own frames, along the chain that led to this one."""
    first = e = error
    for _ in range(_CHAIN):
        before = e.__cause__ or (None if e.__suppress_context__ else e.__context__)
        if before is None:
            break
        e = before
        if type(e).__name__ not in _NO_CAUSE and _is_own(e, source):
            first = e
    return first


def _is_own(error: BaseException, source: SnippetSource) -> bool:
    tb = error.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == source.filename:
            return True
        tb = tb.tb_next
    return False


def _scene(error: BaseException, source: SnippetSource, places: Places) -> Scene | None:
    try:
        return Scene(error, source, places)
    except LookupError:
        return None


def _operands(scene: Scene) -> Iterator[Operand]:
    named: list[Thing] = list(scene.operands)
    named += [t for t in scene.below if all(t.value is not n.value for n in named)]
    for thing in named[:12]:
        try:
            value = variable(thing.value)
        except Exception:  # a broken subclass must not hide the others
            value = Variable(type=type(thing.value).__name__)
        yield Operand(name=thing.name, made=int(thing.line) if thing.line else None, value=value)
