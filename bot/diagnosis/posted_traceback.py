"""Read a pasted traceback without its code: where it failed, and what its message's numbers say.

Nothing here was run. So only what the traceback itself says is said, in other words: its line, its
file, the sizes in its message. What the code should be is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, TracebackFrame

_Reading = Callable[[re.Match[str], PastedTraceback], str]


def place(pasted: PastedTraceback) -> str:
    """`RuntimeError at line 31 of model.py, in forward: x = self.fc1(x)`, as far as it says so."""
    frames = user_frames(pasted) or pasted.frames
    kind = pasted.type or "an error"
    if not frames:
        return kind
    frame: TracebackFrame = frames[-1]
    file = re.split(r"[/\\]", frame.file)[-1]
    code = f", `{_short(frame.code)}`" if frame.code else ""
    return f"{kind} at line {frame.line} of {file}{code}"


def reading(pasted: PastedTraceback) -> str:
    """What the message says, in words that help; empty if its kind is not known."""
    message = f"{pasted.type}: {pasted.message}"
    for pattern, read in _READINGS:
        if m := pattern.search(message):
            return read(m, pasted)
    return ""


def _short(code: str) -> str:
    first = code.strip().splitlines()[0] if code.strip() else ""
    return first if len(first) <= 80 else first[:79] + "…"


def _matmul(m: re.Match[str], pasted: PastedTraceback) -> str:
    rows, inner, wants, out = m.groups()
    if any(f.file.endswith("linear.py") for f in pasted.frames):
        return (
            f"a Linear layer with in_features={wants} and out_features={out} is given {inner} "
            f"features ({rows} rows of {inner}); make in_features {inner}, or give it {wants}"
        )
    return (
        f"a matrix product of [{rows}, {inner}] and [{wants}, {out}]: the inner sizes, {inner} and "
        f"{wants}, must be equal"
    )


def _broadcast(m: re.Match[str], _: PastedTraceback) -> str:
    a, b, dim = m.groups()
    return (
        f"two tensors are combined element by element, and in dimension {dim} one has {a} and the "
        f"other {b}; they must be equal, or one of them 1"
    )


def _view(m: re.Match[str], _: PastedTraceback) -> str:
    sizes = [int(n) for n in re.findall(r"-?\d+", m[1])]
    total, known = int(m[2]), 1
    for size in sizes:
        known *= size if size > 0 else 1
    if -1 in sizes and known:
        return (
            f"the tensor has {total} values, and {total} is not a multiple of {known}, so no "
            "number fits in the place of -1"
        )
    return f"the tensor has {total} values, and the shape [{m[1]}] would need {known}"


def _channels(m: re.Match[str], _: PastedTraceback) -> str:
    weight, shape, wants, has = m.groups()
    return (
        f"a convolution with weight [{weight}] takes {wants} channels, and its input [{shape}] has "
        f"{has} in the channel dimension"
    )


def _target(m: re.Match[str], _: PastedTraceback) -> str:
    n = int(m[1])
    if n < 0:
        return f"a class label is {n}; labels count from 0"
    return (
        f"a class label is {n}, and labels count from 0: the model's output needs at least {n + 1} "
        "columns for it, or the labels have to start at 0"
    )


def _devices(m: re.Match[str], _: PastedTraceback) -> str:
    return (
        f"one tensor of this operation lies on {m[1]} and another one on {m[2]}; model and data "
        "have to be moved to the same device"
    )


def _state_dict(m: re.Match[str], _: PastedTraceback) -> str:
    parts = []
    missing = re.search(r"Missing key\(s\) in state_dict: (.*?)(?:\. |\.?\s*$|\n)", m[0])
    extra = re.search(r"Unexpected key\(s\) in state_dict: (.*?)(?:\. |\.?\s*$|\n)", m[0])
    sizes = re.findall(r"size mismatch for ([\w.]+): .*? shape (.*?) from checkpoint, "
                       r"the shape in current model is (.*?)\.?\s*(?:\n|$)", m[0])  # fmt: skip
    wanted = re.findall(r'"([\w.]+)"', missing[1]) if missing else []
    given = re.findall(r'"([\w.]+)"', extra[1]) if extra else []
    if wanted and given and given[0] == f"module.{wanted[0]}":
        return (
            "the file's keys begin with `module.` and the model's do not: it was saved from inside "
            f"a wrapper such as DataParallel (`{given[0]}` for `{wanted[0]}`)"
        )
    if wanted and given and wanted[0] == f"module.{given[0]}":
        return (
            "the model's keys begin with `module.` and the file's do not: the model is inside a "
            f"wrapper such as DataParallel (`{wanted[0]}` for `{given[0]}`)"
        )
    if wanted:
        parts.append(f"the model has `{wanted[0]}` and the file has not ({len(wanted)} such keys)")
    if given:
        parts.append(f"the file has `{given[0]}` and the model has not ({len(given)} such keys)")
    parts += [f"`{k}` is {a} in the file and {b} in the model" for k, a, b in sizes[:2]]
    return "; ".join(parts)


def _memory(m: re.Match[str], _: PastedTraceback) -> str:
    return (
        f"it asked for {m[1]} at once when the GPU had no room for it; a smaller batch asks for "
        "less, and tensors that keep their graph (a list of losses, say) hold memory"
    )


def _plain(text: str) -> _Reading:
    return lambda m, _: m.expand(text)


_READINGS: tuple[tuple[re.Pattern[str], _Reading], ...] = tuple(
    (re.compile(pattern, re.S), read)
    for pattern, read in (
        (r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", _matmul),
        (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
         r"dimension (\d+)", _broadcast),
        (r"shape '\[(.*?)\]' is invalid for input of size (\d+)", _view),
        (r"weight of size \[(.*?)\], expected input\s?\[(.*?)\] to have (\d+) channels, but got "
         r"(\d+)", _channels),
        (r"Target (-?\d+) is out of bounds", _target),
        (r"found at least two devices, ([\w:]+) and ([\w:]+)", _devices),
        (r"Error\(s\) in loading state_dict.*", _state_dict),
        (r"out of memory\. Tried to allocate ([\d.]+ [KMG]iB)", _memory),
        (r"does not require grad and does not have a grad_fn", _plain(
            "backward() was called on a value without a graph: nothing it was computed from "
            "requires grad, or the graph was cut on the way (no_grad, detach, .item(), numpy, a "
            "new tensor made from values)")),
        (r"grad can be implicitly created only for scalar outputs", _plain(
            "backward() was called on a tensor with more than one value; it needs one number, such "
            "as the mean or the sum")),
        (r"backward through the graph a second time", _plain(
            "backward() went through a graph that an earlier backward() has already freed: "
            "something computed before (a hidden state, a loss) is used again")),
        (r"a leaf Variable that requires grad .*in-place", _plain(
            "a parameter, or a tensor made with requires_grad=True, is changed in place where "
            "autograd is on")),
        (r"[Ee]xpected scalar type (\w+) but found (\w+)", _plain(
            r"an operation wants dtype \1 and one of its tensors is \2")),
        (r"expected m1 and m2 to have the same dtype, but got: (\w+) != (\w+)|"
         r"mat1 and mat2 must have the same dtype, but got (\w+) and (\w+)", lambda m, _: (
             "a matrix product of two dtypes, {} and {}; one has to be converted".format(
                 *[g for g in m.groups() if g]))),
        (r"Sizes of tensors must match except in dimension (\d+)\. Expected size (\d+) but got "
         r"size (\d+) for tensor number (\d+)", _plain(
             r"tensors are joined along dimension \1, so all others must agree: the first tensor "
             r"has \2 where number \4 (counted from 0) has \3")),
        (r"stack expects each tensor to be equal size, but got (\[.*?\]) at entry 0 and (\[.*?\]) "
         r"at entry (\d+)", _plain(
             r"tensors are stacked (a DataLoader does that with its samples), and number \3 is \2 "
             r"where the first is \1")),
        (r"index out of range in self", _plain(
            "an index is not below the size of the table it looks up, most often a token id that "
            "is not below an Embedding's num_embeddings")),
        (r"index (-?\d+) is out of bounds for dimension (\d+) with size (\d+)", _plain(
            r"index \1 into dimension \2, which has \3 entries, counted from 0")),
        (r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)", _plain(
            r"a recurrent layer with input_size=\1 is given vectors of \2")),
        (r"Expected input batch_size \((\d+)\) to match target batch_size \((\d+)\)", _plain(
            r"the model's output has \1 rows and there are \2 labels")),
        (r"Expected more than 1 value per channel when training, got input size (?:torch\.Size\()?"
         r"(\[.*?\])", _plain(
             r"BatchNorm in training gets \1, a single value per channel, and has nothing to "
             r"average: a last batch of one sample does that")),
        (r"Can't call numpy\(\) on Tensor that requires grad", _plain(
            "a tensor that is part of the graph is turned into numpy; detach() it first")),
        (r"can't convert (cuda\S*) device type tensor to numpy", _plain(
            r"a tensor on \1 is turned into numpy; .cpu() brings it back first")),
        (r"Torch not compiled with CUDA enabled", _plain(
            "this installation of PyTorch was built for CPU only and is asked for a GPU")),
        (r"optimizer got an empty parameter list", _plain(
            "the optimizer was given no parameters: the model it got them from registered none")),
        (r"'NoneType' object has no attribute '(\w+)'", _plain(
            r"`.\1` is asked of something that is None there")),
        (r"got an unexpected keyword argument '(\w+)'", _plain(
            r"the function that is called has no argument `\1`, at least in the version in use")),
        (r"module '([\w.]+)' has no attribute '(\w+)'", _plain(
            r"`\1` has no `\2`: renamed, removed, from another version, or never imported")),
        (r"No module named '([\w.]+)'", _plain(r"the module `\1` is not installed there")),
    )
)  # fmt: skip
