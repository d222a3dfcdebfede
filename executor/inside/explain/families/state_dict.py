"""Loading weights: which keys and shapes differ, and how."""

from __future__ import annotations

from torch import nn

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import dims, listed

_SHOWN = 3


@explains("state_dict", "state_dict")
def mismatch(scene: Scene, m: SeenError) -> Told:
    """Counts, a common prefix, and the shapes that differ."""
    model, given = scene.local("self"), scene.local("state_dict")
    if not issubclass(type(model), nn.Module) or not issubclass(type(given), dict):
        return None
    own = dict([*nn.Module.named_parameters(model), *nn.Module.named_buffers(model)])
    own = {k: v for k, v in own.items() if not _transient(model, k)}
    theirs = {str(k): v for k, v in dict.items(given)}
    missing = [k for k in own if k not in theirs]
    # What it says of its own accord is missing: not the counters that old files lack.
    counters = [k for k in missing if f'"{k}"' not in scene.message]
    if all(k.endswith("num_batches_tracked") for k in counters) and len(counters) < len(missing):
        missing = [k for k in missing if k not in counters]
    extra = [k for k in theirs if k not in own]
    other = [
        k for k in own if k in theirs and is_tensor(theirs[k]) and theirs[k].shape != own[k].shape
    ]
    target = scene.receiver
    made = target.place if target else ""
    name = f"`{target.name}`{made}" if target else type(model).__name__
    arg = scene.argument(0, "state_dict")
    source = f"`{arg.name}`{arg.place}" if arg else "what is loaded"
    parts = []
    facts = {"missing": missing[:20], "unexpected": extra[:20], "other_shape": other[:20]}
    if missing and extra and (prefix := _prefix(missing, extra)):
        longer, which = prefix
        side = source if which == "theirs" else name
        parts.append(
            f"all {len(missing)} missing keys of {name} are in {source} but for the "
            f"prefix "
            f"{longer!r}, which only {side} has"
        )
    else:
        if missing:
            parts.append(f"{name} has {_some(missing)}, not in {source}")
        if extra:
            parts.append(f"{source} has {_some(extra)}, for which {name} has no place")
    if other:
        shapes = [
            f"`{k}` is {dims(own[k].shape)} in {name} and {dims(theirs[k].shape)} in {source}"
            for k in other[:2]
        ]
        rest = f" ({len(other) - 2} more)" if len(other) > 2 else ""
        parts.append(f"{listed(shapes)}{rest}")
    return ("; ".join(parts) + ".", facts) if parts else None


def _transient(model: nn.Module, key: str) -> bool:
    owner = model
    *path, last = key.split(".")
    for step in path:
        owner = private.modules_of(owner).get(step) or owner
    return private.is_not_saved(owner, last)


def _some(keys: list[str]) -> str:
    shown = ", ".join(f"`{k}`" for k in keys[:_SHOWN])
    return shown + (f" and {len(keys) - _SHOWN} more keys" if len(keys) > _SHOWN else "")


def _prefix(missing: list[str], extra: list[str]) -> tuple[str, str] | None:
    """The prefix that makes all missing keys out of extra ones, and whose keys have it."""
    for longer, shorter, whose in ((extra, missing, "theirs"), (missing, extra, "own")):
        for end in (i + 1 for i, c in enumerate(longer[0]) if c == "."):
            cut = longer[0][:end]
            with_it = {cut + k for k in shorter}
            if with_it == set(longer) or (whose == "theirs" and with_it <= set(longer)):
                return cut, whose
    return None


@explains("weights_only", "weights_only")
def weights_only(scene: Scene, m: SeenError) -> Told:
    """What the file holds beside tensors."""
    wanted = m["object"]
    path = scene.argument(0, "f")
    name = f"`{path.name}`" if path and type(path.value) is str else "The file"
    if not wanted:
        return None  # it may be no such file at all
    own = "a class of this program" if wanted.startswith("__main__.") else "an object of Python's"
    return (
        f"{name} holds `{wanted}`, {own}, beside tensors; torch.load reads only tensors and "
        f"plain containers unless told to."
    )


@explains("state_dict", "state_dict_type", "state_dict_as_module")
def not_a_dict(scene: Scene, m: SeenError) -> Told:
    """A module where its weights are expected, or the other way round."""
    if m.id == "state_dict_type":
        arg = scene.argument(0, "state_dict")
        kind = m["given"].split(".")[-1]
        return (
            f"`{arg.name}`{arg.place} is {kind}, a whole object, not a dict of weights."
            if arg
            else None
        )
    held = scene.receiver
    if held is None or not issubclass(type(held.value), dict):
        return None
    tensors = [k for k, v in dict.items(held.value) if is_tensor(v)]
    if not tensors:
        return None
    return (
        f"`{held.name}`{held.place} is a dict of {len(tensors)} tensors ({_some(tensors)}): "
        f"weights, without the module that uses them."
    )
