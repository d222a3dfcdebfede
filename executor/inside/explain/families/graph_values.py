"""A tensor with a graph that is to be copied or made a NumPy array."""

from __future__ import annotations

from torch import nn

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import dims


@explains("custom_function", "deepcopy_of_result")
def deepcopied(scene: Scene, m: SeenError) -> Told:
    """The result of an operation that hangs on what is copied."""
    for t in scene.operands:
        if t.is_tensor and not t.value.is_leaf:
            return f"{t} is the result of {t.value.grad_fn.name()}, not a leaf."
        if issubclass(type(t.value), nn.Module):
            for owner in nn.Module.modules(t.value):
                for key, held in own_dict(owner).items():
                    if is_tensor(held) and not held.is_leaf:
                        return (
                            f"`{t.name}` keeps `{key}` {dims(held.shape)}, which is the result "
                            f"of {held.grad_fn.name()}, not a leaf."
                        )
    return None


@explains("numpy", "numpy_of_graph")
def numpy_of(scene: Scene, m: SeenError) -> Told:
    """Which tensor still has its graph."""
    t = scene.receiver if scene.called in ("numpy", "__array__") else None
    t = t or next((x for x in scene.tensors if x.value.requires_grad), None)
    if t is None or not t.is_tensor:
        return None
    of = f"the result of {t.value.grad_fn.name()}" if t.value.grad_fn else "a leaf"
    return f"{t} requires grad ({of}); an array could not carry its graph."
