"""The last resort: an error of no known family, told by what its line worked on."""

from __future__ import annotations

import ast
import re

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dtype, listed

_SHOWN = 4
_READ = 1000  # characters of a message
_JOINS = ("cat", "stack", "concat", "concatenate", "hstack", "vstack", "dstack")


@explains(
    "live",
    types=(
        "RuntimeError",
        "TypeError",
        "ValueError",
        "IndexError",
        "NotImplementedError",
    ),
    last=True,
)
def operands(scene: Scene, m: SeenError) -> Told:
    """The failing layer with its input, or the tensors of the line."""
    if scene.raised:
        return None
    if scene.layer is not None and scene.input is not None:
        return f"{scene.layer.told}; {scene.input_told()}."
    if scene.called in _JOINS:
        return None  # which entry is the odd one is not known; the others are innocent
    tensors = list(scene.shapes)[:_SHOWN]
    if tensors:
        return f"This line works on {listed(_told(t) for t in tensors)}."
    read = _read(scene)
    if read:
        return f"This line reads {listed(_told(t) for t in read)}."
    named = [t for t in scene.operands if isinstance(t.node, (ast.Name, ast.Attribute))]
    plain = _said(scene, [t for t in named if type(t.value) in (int, float, str, bool)])[:_SHOWN]
    if plain:
        return f"Here, {listed(f'`{t.name}`{t.place} is {t.value!r}'[:80] for t in plain)}."
    return None


_NAMES_VALUES = re.compile(r"\d|`|\b\w+_\w+\b")


def _said(scene: Scene, plain: list[Thing]) -> list[Thing]:
    """Of a message that names things or numbers, those of the plain values that it names."""
    message = scene.message[:_READ]
    if not _NAMES_VALUES.search(message):
        return plain
    words = set(re.findall(r"\w+", message))
    named = (t for t in plain if t.name.rpartition(".")[2] in words or repr(t.value) in words)
    return list(named)


def _read(scene: Scene) -> list[Thing]:
    """The tensors that the line, of a loop its header, reads somewhere, in nested calls too."""
    at = scene.node.iter if isinstance(scene.node, (ast.For, ast.AsyncFor)) else scene.node
    names = [n for n in ast.walk(at) if isinstance(n, ast.Name)] if at else []
    found = {t.name: t for t in scene.known(names) if t.is_tensor}
    return list(found.values())[:_SHOWN]


def _told(t: Thing) -> str:
    grad = ", requires grad" if t.value.requires_grad else ""
    return f"{t.ticked} {dtype(t.value)} {list(t.shape)}{grad}{t.place}"
