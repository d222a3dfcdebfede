"""Read a pasted traceback without its code: where it failed, and what its message's numbers say.

Nothing is run here, and the code is not known. So the answer only repeats the traceback in words
that help: its line, its file, the sizes in its message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import Formatter

from bot.messages.traceback_text import user_frames
from bot.models import PastedTraceback, TracebackFrame
from executor.errors import SeenError, quoted_names, read, resized_keys

_Reading = Callable[[SeenError, PastedTraceback], str]


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
    for family, read_family in _READINGS.items():
        if (seen := read(pasted, family)) and (told := read_family(seen, pasted)):
            return told
    return ""


def _short(code: str) -> str:
    first = code.strip().splitlines()[0] if code.strip() else ""
    return first if len(first) <= 80 else first[:79] + "…"


def _matmul(m: SeenError, pasted: PastedTraceback) -> str:
    rows, inner, wants, out = m["rows"], m["inner_left"], m["inner_right"], m["columns"]
    if any(f.file.endswith("linear.py") for f in pasted.frames):
        return (
            f"a Linear layer with in_features={wants} and out_features={out} is given {inner} "
            f"features ({rows} rows of {inner}); make in_features {inner}, or give it {wants}"
        )
    return (
        f"a matrix product of [{rows}, {inner}] and [{wants}, {out}]: the inner sizes, {inner} and "
        f"{wants}, must be equal"
    )


def _broadcast(m: SeenError, _: PastedTraceback) -> str:
    a, b, dim = m["a"], m["b"], m["dimension"]
    if not m["kind"]:
        return ""
    return (
        f"two tensors are combined element by element, and in dimension {dim} one has {a} and the "
        f"other {b}; they must be equal, or one of them 1"
    )


def _view(m: SeenError, _: PastedTraceback) -> str:
    sizes = m.sizes("shape")
    total, known = m.number("size"), 1
    for size in sizes:
        known *= size if size > 0 else 1
    if -1 in sizes and known:
        return (
            f"the tensor has {total} values, and {total} is not a multiple of {known}, so no "
            "number fits in the place of -1"
        )
    return f"the tensor has {total} values, and the shape [{m['shape']}] would need {known}"


def _channels(m: SeenError, _: PastedTraceback) -> str:
    weight, shape, wants, has = m["weight"], m["input"], m["in_channels"], m["channels"]
    if not weight:
        return ""
    return (
        f"a convolution with weight [{weight}] takes {wants} channels, and its input [{shape}] has "
        f"{has} in the channel dimension"
    )


def _target(m: SeenError, _: PastedTraceback) -> str:
    if not m["label"]:
        return ""
    n = m.number("label")
    if n < 0:
        return f"a class label is {n}; labels count from 0"
    return (
        f"a class label is {n}, and labels count from 0: the model's output needs at least {n + 1} "
        "columns for it, or the labels have to start at 0"
    )


def _devices(m: SeenError, _: PastedTraceback) -> str:
    if not (m["one"] or m["other"]):
        return ""
    one, other = m["one"] or "the CPU", m["other"] or "the CPU"  # old wordings name only the GPU
    return (
        f"one tensor of this operation lies on {one} and another one on {other}; model "
        "and data have to be moved to the same device"
    )


def _state_dict(m: SeenError, pasted: PastedTraceback) -> str:
    parts = []
    wanted, given = quoted_names(m["missing"]), quoted_names(m["unexpected"])
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
    sizes = [k for k in resized_keys(pasted.message) if k.saved][:2]
    parts += [f"`{k.name}` is {k.saved} in the file and {k.current} in the model" for k in sizes]
    return "; ".join(parts)


def _memory(m: SeenError, _: PastedTraceback) -> str:
    if not m["wanted"]:
        return ""
    return (
        f"it asked for {m['wanted']} at once when the GPU had no room for it; a smaller batch "
        "asks for less, and tensors that keep their graph (a list of losses, say) hold memory"
    )


def _product_dtypes(m: SeenError, _: PastedTraceback) -> str:
    if not m["product"]:
        return ""
    return f"a matrix product of two dtypes, {m['left']} and {m['right']}; one has to be converted"


def _plain(text: str, *needed: str) -> _Reading:
    """A sentence with the message's values in braces; none for a wording that lacks one of them."""
    names = (*needed, *(name for _, name, _, _ in Formatter().parse(text) if name))

    def tell(m: SeenError, _: PastedTraceback) -> str:
        return text.format_map(m.values) if all(m[name] for name in names) else ""

    return tell


# Error family → what is said of it. Asked from top to bottom.
_READINGS: dict[str, _Reading] = {
    "matmul_shapes": _matmul,
    "broadcast_sizes": _broadcast,
    "view_size": _view,
    "conv_channels": _channels,
    "class_out_of_bounds": _target,
    "devices_differ": _devices,
    "state_dict": _state_dict,
    "cuda_out_of_memory": _memory,
    "no_graph": _plain(
        "backward() was called on a value without a graph: nothing it was computed from requires "
        "grad, or the graph was cut on the way (no_grad, detach, .item(), numpy, a new tensor made "
        "from values)"
    ),
    "grad_of_many": _plain(
        "backward() was called on a tensor with more than one value; it needs one number, such as "
        "the mean or the sum"
    ),
    "freed_graph": _plain(
        "backward() went through a graph that an earlier backward() has already freed: something "
        "computed before (a hidden state, a loss) is used again"
    ),
    "leaf_in_place": _plain(
        "a parameter, or a tensor made with requires_grad=True, is changed in place where autograd "
        "is on"
    ),
    "scalar_type": _plain("an operation wants dtype {expected} and one of its tensors is {given}"),
    "matmul_dtypes": _product_dtypes,
    "cat_sizes": _plain(
        "tensors are joined along dimension {dimension}, so all others must agree: the first "
        "tensor has {first} where number {number} (counted from 0) has {other}"
    ),
    "stack_sizes": _plain(
        "tensors are stacked (a DataLoader does that with its samples), and number {number} is "
        "{other} where the first is {first}"
    ),
    "embedding_range": _plain(
        "an index is not below the size of the table it looks up, most often a token id that is "
        "not below an Embedding's num_embeddings"
    ),
    "index_out_of_bounds": _plain(
        "index {index} into dimension {dimension}, which has {size} entries, counted from 0"
    ),
    "rnn_input_size": _plain(
        "a recurrent layer with input_size={input_size} is given vectors of {given}"
    ),
    "loss_batch_sizes": _plain("the model's output has {rows} rows and there are {labels} labels"),
    "batchnorm_one_value": _plain(
        "BatchNorm in training gets {input}, a single value per channel, and has nothing to "
        "average: a last batch of one sample does that"
    ),
    "numpy_of_graph": _plain(
        "a tensor that is part of the graph is turned into numpy; detach() it first"
    ),
    "numpy_of_cuda": _plain(
        "a tensor on {device} is turned into numpy; .cpu() brings it back first"
    ),
    "cuda_not_compiled": _plain(
        "this installation of PyTorch was built for CPU only and is asked for a GPU", "what"
    ),
    "no_parameters": _plain(
        "the optimizer was given no parameters: the model it got them from registered none"
    ),
    "none_attribute": _plain("`.{name}` is asked of something that is None there"),
    "unexpected_keyword": _plain(
        "the function that is called has no argument `{keyword}`, at least in the version in use"
    ),
    "module_attribute": _plain(
        "`{module}` has no `{name}`: renamed, removed, from another version, or never imported"
    ),
    "module_not_installed": _plain("the module `{module}` is not installed there"),
}
