"""TorchScript, tracing, compiling and quantizing: what was handed to them."""

from __future__ import annotations

import re

from torch import nn

from executor.inside.explain.family import Told, family
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import layer_text


@family("script", r"Type '<class '[\w.]*?(\w+)'>' cannot be compiled since it inherits from "
        r"nn\.Module, pass an instance instead")  # fmt: skip
def class_given(scene: Scene, m: re.Match[str]) -> Told:
    """The class was given, not a module."""
    cls = scene.places.class_named(m[1])
    line = f" (line {cls.lineno})" if cls else ""
    return (
        f"`{m[1]}`{line} is the class; `{scene.called or 'script'}` compiles a module made from it."
    )


@family("script", r"Unsupported|TorchScript|[Tt]orch\.jit|scripted|Dynamo|torch\._dynamo|"
        r"Could not run '([\w:]+)' with arguments from the '(\w+)' "
        r"backend|qconfig|quantiz")  # fmt: skip
def other(scene: Scene, m: re.Match[str]) -> Told:
    """The module it came up in, and its quantized operands."""
    place = re.search(r'File "[^"]*snippet\.py", line (\d+)', scene.message)
    model = next((t for t in scene.operands if issubclass(type(t.value), nn.Module)), None)
    if place is not None:
        who = f" of `{model.name}`" if model else ""
        return (
            f"`{scene.called or 'the compiler'}` stops at line {place[1]}{who}, which it has "
            f"no translation for."
        )
    if m.re.groups and m[1]:
        x = scene.input
        if scene.layer is not None and x is not None:
            kind = "quantized" if x.value.is_quantized else "not quantized"
            return f"{scene.layer.told}; {scene.input_told()}, {kind}."
    if model is not None:
        of_torch = type(model.value).__module__.startswith("torch.nn")
        text = layer_text(model.value) if of_torch else type(model.value).__name__
        return f"`{model.name}`{model.place} is {text}."
    return None
