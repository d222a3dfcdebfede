"""What a family of errors asks for beyond values: weights, and files that the snippet reads."""

from __future__ import annotations

from executor.errors import quoted_names, resized_keys, shapes_named
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Text

_MOST_WEIGHTS = 200
_Shapes = dict[str, tuple[int, ...]]


def prepared(candidate: Candidate, posted: Posted) -> Candidate:
    """The candidate with the model that a message about weights speaks of."""
    if posted.id != "state_dict" or posted.family is None:
        return candidate
    saved, current = _weights(posted)
    for name, key in posted.loaded:
        if candidate.get(name) is not None:
            text = Text(_kept(saved, [key] if key else []), "weights as the message lists them")
            candidate = candidate.with_value(name, text, "message")
    for name, given in candidate.values:
        made = f'_stubs.weights({current!r}, "{posted.family["model"]}")'
        if current and name == posted.family["model"]:
            said = "a class with the weights that the message names"
            text = Text(f"lambda *_, **__: {made}", said)
            candidate = candidate.with_value(name, text, "message")
        elif current and "_stubs.Model" in given.value.expression:
            lambdas = "lambda *_, **__: " if given.value.expression.startswith("lambda") else ""
            text = Text(f"{lambdas}{made}", "a model with the weights that the message names")
            candidate = candidate.with_value(name, text, "message")
    return candidate


def _weights(posted: Posted) -> tuple[_Shapes, _Shapes]:
    """The weights in the file and in the model, as far as the message gives their shapes."""
    saved: _Shapes = {}
    current: _Shapes = {}
    for key in resized_keys(posted.error.message):
        one, other = shapes_named(key.saved), shapes_named(key.current)
        if one and other:
            saved[key.name], current[key.name] = one[0], other[0]
    if posted.family is not None:  # names alone: of any shape
        only_here = [n for n in quoted_names(posted.family["missing"]) if n not in current]
        only_there = [n for n in quoted_names(posted.family["unexpected"]) if n not in saved]
        current |= dict.fromkeys(only_here[:_MOST_WEIGHTS], (2, 2))
        saved |= dict.fromkeys(only_there[:_MOST_WEIGHTS], (2, 2))
    return saved, current


def written(path: str, seen: Outcome, posted: Posted, before: int = 0) -> str:
    """The statement that writes a file which a trial did not find; empty if it is of no known kind.

    Args:
        path: as the snippet gives it.
        seen: the trial: which function read it.
        posted: the error, which may say what is in it.
        before: how many were written before: pictures of two sizes take turns.
    """
    plain = path.removeprefix("./")
    if len(path) > 100 or plain.startswith(("/", "~")) or ".." in plain or "\\" in plain:
        return ""
    folder = plain.rpartition("/")[0]
    written = _written(path, seen, posted, before)
    making = f"__import__('os').makedirs({folder!r}, exist_ok=True) or "
    return f"{making if folder else ''}{written}" if written else ""


_MODES = {1: "L", 3: "RGB", 4: "RGBA"}  # how many channels a picture has


def _picture(path: str, posted: Posted, before: int) -> str:
    """A picture with the channels and of the size that the message names, if it does."""
    shapes = [s for s in posted.shapes if len(s) == 3 and s[0] in _MODES]
    channels, height, width = shapes[before % len(shapes)] if shapes else (3, 32, 32)
    if not shapes and posted.id == "broadcast_sizes":
        channels = posted.number("a") or 3
    mode = _MODES.get(channels, "RGB")
    return f"__import__('PIL.Image').Image.new({mode!r}, ({width}, {height})).save({path!r})"


def _written(path: str, seen: Outcome, posted: Posted, before: int) -> str:
    torch = "__import__('torch')"
    if path.endswith((".png", ".jpg", ".jpeg", ".bmp")):
        return _picture(path, posted, before)
    if path.endswith(".csv"):
        numpy = "__import__('numpy')"
        return f"{numpy}.savetxt({path!r}, {numpy}.random.rand(40, 8), delimiter=',')"
    if "load" not in seen.functions and not path.endswith((".pt", ".pth", ".ckpt", ".pkl")):
        return ""
    if posted.id == "cuda_checkpoint" and posted.number("device") is not None:
        return f"_stubs.save_tagged({path!r}, {posted.number('device')})"
    saved, _ = _weights(posted)
    keys = [key for _, key in posted.loaded if key]
    return f"{torch}.save({_kept(saved, keys)}, {path!r})"


def _kept(saved: _Shapes, keys: list[str]) -> str:
    """Weights, under the keys that the code reads of a checkpoint."""
    tensors = ", ".join(
        f"{name!r}: __import__('torch').rand({shape})" for name, shape in saved.items()
    )
    made = f"{{{tensors}}}"
    return f"{{{', '.join(f'{key!r}: {made}' for key in keys)}}}" if keys else made
