"""Convolution, pooling and normalisation: channels, dimensions, sizes."""

from __future__ import annotations

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import count, dims


@explains("conv_channels", "conv_channels")
def channels(scene: Scene, m: SeenError) -> Told:
    """The layer, its input, and which dimension has the channels."""
    shape = list(m.sizes("input"))
    wanted, got = m.numbers("in_channels", "channels")
    x = scene.input or next((t for t in scene.tensors if list(t.shape) == shape), None)
    layer = scene.layer
    if layer is not None and x is not None:
        text = f"{layer.told}; {scene.input_told()}"
    elif x is not None:
        text = f"The weight takes {wanted} channels; {x} is the input"
    else:
        return None
    given = x.shape
    facts = {"in_channels": wanted, "got": got, "input": list(given)}
    if len(given) == len(shape) - 1:
        # An unbatched input: torch added the batch dimension, the channels are the first.
        at_end = given[-1] == wanted and list(given).count(wanted) == 1
        last = f", its last dimension {wanted}" if at_end else ""
        return (
            f"{text}. With {len(given)} dimensions it is taken as one sample, and its "
            f"dimension 0 ({got}) as the channels{last}; in_channels is {wanted}.",
            facts,
        )
    only = list(given).count(wanted) == 1  # else it is open which of them is meant
    if given[-1] == wanted and len(given) > 2 and only:
        return (
            f"{text}. Channels are dimension 1, which is {got}; the last dimension is "
            f"{wanted} = in_channels: this input is channels-last.",
            facts,
        )
    if wanted in given[2:] and only:
        at = 2 + list(given[2:]).index(wanted)
        return (
            f"{text}. Channels are dimension 1, which is {got}; dimension {at} is {wanted} = "
            "in_channels.",
            facts,
        )
    if given[0] == wanted and wanted != 1 and len(given) == len(shape) and only:
        return (
            f"{text}. Channels are dimension 1, which is {got}; dimension 0 is {wanted} = "
            "in_channels.",
            facts,
        )
    if layer is None:
        return (
            f"{text}, whose dimension 1 is {got}: either the weight's dimension 1 would have "
            f"to be {got}, or the input's {wanted}.",
            facts,
        )
    return (
        f"{text}. Its dimension 1 is {got}, and in_channels is {wanted}: either "
        f"in_channels would have to be {got}, or the input to have {wanted} "
        "channels.",
        facts,
    )


@explains("conv_dimensions", "conv_dimensions", "pool_dimensions")
def dimensions(scene: Scene, m: SeenError) -> Told:
    """How many dimensions the layer takes and its input has."""
    takes, batched = m.numbers("unbatched", "batched")
    x, layer = scene.input, scene.layer
    if x is None:
        x = next(iter(scene.tensors), None)
    if x is None:
        return None
    n = len(x.shape)
    who = f"{layer.told}; {scene.input_told()}" if layer and scene.input else f"{x} is the input"
    fit = ""
    if n == 2 and layer and "2d" in type(layer.value).__name__.lower():
        fit = ": two dimensions have no place for channels"
    elif n > 4 or n == 1 or n > batched:
        fit = f": {n} dimensions"
    if layer is not None and hasattr(layer.value, "in_channels") and not fit:
        fit = f"; in_channels is {layer.value.in_channels}"
    if layer is not None and "BatchNorm" in type(layer.value).__name__:
        return f"{who}{fit}. It takes {takes} dimensions or {batched}, the batch first."
    return f"{who}{fit}. It takes {takes} dimensions, or {batched} with a batch."


@explains("conv_size", "conv_kernel_size", "output_too_small", "padding_size")
def too_small(scene: Scene, m: SeenError) -> Told:
    """How small the image has become, and for which layer."""
    x, layer = scene.input, scene.layer
    if layer is None or x is None:
        if scene.tensors:
            return f"{scene.tensors[0]} is too small for what this line asks of it."
        return None
    text = f"{layer.told}; {scene.input_told()}"
    if m.id == "conv_kernel_size":
        sizes, kernel = m["input"].replace(" ", ""), m["kernel"].replace(" ", "")
        return (
            f"{text}. With its padding the input is {sizes.replace('x', '×')} by here, "
            f"smaller than the kernel of {kernel.replace('x', '×')}."
        )
    if m["output"]:
        return f"{text}. That leaves an output of {m['output'].replace(' ', '')}."
    return f"{text}."


@explains("pad", "padding_dimensions")
def padded(scene: Scene, m: SeenError) -> Told:
    """`F.pad` with more amounts than the input has dimensions for, two each."""
    if not m["amounts"]:
        return None
    given, n = m.numbers("amounts", "dimensions")
    x = scene.input or scene.argument(0, "input")
    if x is None or len(x.shape) != n:
        return None
    has = f"{n} dimension{'s' if n > 1 else ''}"
    return (
        f"{x} has {has}; padding takes two amounts for each, from the last one on, so up to "
        f"{2 * n}, and gets {given} here."
    )


@explains("batchnorm_one_value", "batchnorm_one_value", "instancenorm_one_element")
def one_value(scene: Scene, m: SeenError) -> Told:
    """One sample in training mode."""
    layer, x = scene.layer, scene.input or scene.local_thing("input")
    if layer is None or x is None:
        return None
    channels_ = x.shape[1] if len(x.shape) > 1 else 1
    if m.id == "instancenorm_one_element":
        return (
            f"{layer.told}; {scene.input_told()}. It normalises each of the {channels_} maps of a "
            "sample by itself, and each has one element, so there is no variance to divide by."
        )
    per = count(x.shape) // max(1, channels_)
    return (
        f"{layer.told}; {scene.input_told()}. It is in training mode and has {per} value for "
        f"each of the {channels_} channels, so there is no variance to divide by."
    )


@explains("norm", "batchnorm_features", "layernorm_shape", "norm_weight", "groupnorm_channels")
def norm(scene: Scene, m: SeenError) -> Told:
    """The normalised size and the input's."""
    layer, x = scene.layer, scene.input
    if layer is None or x is None:
        return None
    if hasattr(layer.value, "num_features"):
        at, want = 1, layer.value.num_features
        got = x.shape[1] if len(x.shape) > 1 else x.shape[0]
        return (
            f"{layer.told}; {scene.input_told()}. Its channels are dimension {at}, which is "
            f"{got}, not num_features {want}."
        )
    if hasattr(layer.value, "normalized_shape"):
        want_shape = tuple(layer.value.normalized_shape)
        tail = dims(x.shape[-len(want_shape) :])
        return (
            f"{layer.told}; {scene.input_told()}. The input ends in {tail}, the layer "
            f"normalises {dims(want_shape)}."
        )
    return f"{layer.told}; {scene.input_told()}."


@explains(
    "construction",
    "same_padding_strided",
    "conv_groups",
    "attention_heads",
    "groupnorm_made",
    "padding_mode",
)
def arguments(scene: Scene, m: SeenError) -> Told:
    """The constructor's live arguments, by torch's names for them."""
    for tb in reversed(scene.inner):
        f = tb.tb_frame
        if f.f_code.co_name != "__init__":
            continue
        names = [n for n in f.f_code.co_varnames[: f.f_code.co_argcount] if n != "self"]
        plain = {
            n: f.f_locals.get(n)
            for n in names
            if type(f.f_locals.get(n)) in (int, float, str, bool, tuple)
            and f.f_locals.get(n) not in (True, False)
        }
        kind = type(f.f_locals.get("self")).__name__
        said = ", ".join(f"{k}={v!r}" for k, v in list(plain.items())[:8])
        heads = f.f_locals.get("num_heads"), f.f_locals.get("embed_dim")
        odd = f": {heads[1]} is not a multiple of {heads[0]}" if all(heads) else ""
        odd = odd or _not_divisible(m.id, f.f_locals)
        return f"This line makes {kind}({said}){odd}." if plain else None
    return None


def _not_divisible(family: str, given: dict[str, object]) -> str:
    """What clashes: a stride with `same`, or channels with groups."""
    stride = given.get("stride")
    if family == "same_padding_strided" and type(stride) in (int, tuple):
        return f": with `same` the stride would have to be 1, and it is {stride}"
    groups = given.get("groups")
    for name in ("in_channels", "out_channels"):
        channels = given.get(name)
        if isinstance(channels, int) and isinstance(groups, int) and groups and channels % groups:
            return f": {name} {channels} is not a multiple of groups {groups}"
    return ""


@explains("grid", "grid_coordinates")
def grid(scene: Scene, m: SeenError) -> Told:
    """The grid, and the dimension that could hold its coordinates."""
    t = scene.argument(1, "grid") or scene.local_thing("grid")
    if t is None or not t.shape:
        return None
    wanted = m.number("coordinates")
    at = [i for i, n in enumerate(t.shape) if n == wanted]
    fit = f"; its dimension {at[0]} is {wanted}" if len(at) == 1 else ""
    return (
        f"The grid {t} ends in {t.shape[-1]}, and {wanted} coordinates a point are read there{fit}."
    )
