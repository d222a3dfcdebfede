"""TorchScript, tracing, compiling and quantizing: what was handed to them."""

from __future__ import annotations

import re

from torch import nn

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import layer_text


@explains("script", "script_of_class")
def class_given(scene: Scene, m: SeenError) -> Told:
    """The class was given, not a module."""
    cls = scene.places.class_named(m["class"])
    line = f" (line {cls.lineno})" if cls else ""
    called = scene.called or "script"
    return f"`{m['class']}`{line} is the class; `{called}` compiles a module made from it."


@explains("script", "backend_missing", "compiler")
def other(scene: Scene, m: SeenError) -> Told:
    """The module it came up in, and its quantized operands."""
    place = re.search(r'File "[^"]*snippet\.py", line (\d+)', scene.message)
    model = next((t for t in scene.operands if issubclass(type(t.value), nn.Module)), None)
    if place is not None:
        who = f" of `{model.name}`" if model else ""
        compiler = f"`{scene.called}`" if scene.called else "The compiler"
        return f"{compiler} stops at line {place[1]}{who}."
    if m["operator"]:
        x = scene.input
        if scene.layer is not None and x is not None:
            kind = "quantized" if x.value.is_quantized else "not quantized"
            return f"{scene.layer.told}; {scene.input_told()}, {kind}."
    if model is not None:
        of_torch = type(model.value).__module__.startswith("torch.nn")
        text = layer_text(model.value) if of_torch else type(model.value).__name__
        return f"`{model.name}`{model.place} is {text}."
    return None
