"""Dtypes and devices that do not go together."""

from __future__ import annotations

import ast
import re

from executor.errors import SeenError, dtype_named, family_of
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import a_type, dims, dtype, listed


def _origin(scene: Scene, t: Thing) -> str:
    """Why a tensor has its dtype, where the line that made it shows that."""
    node = scene.value_node(t.node) if t.node is not None else None
    if not isinstance(node, ast.Call) or node.lineno != t.line:
        return ""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    kind = dtype(t.value)
    if name == "from_numpy" and kind == "float64":
        return ": it was made by from_numpy, which keeps NumPy's float64"
    if name in ("from_numpy", "randint", "arange", "argmax") and kind.startswith("int"):
        return f": `{name}` made it, and keeps or gives integers"
    if name == "tensor" and kind == "int64" and node.args:
        values = [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)]
        if values and all(type(v) is int for v in values):
            return ": it was made from numbers without a decimal point"
    return ""


@explains(
    "dtype",
    "matmul_dtypes",
    "matvec_dtypes",
    "dot_dtypes",
    "backward_dtype",
    "scalar_type",
    "rnn_dtypes",
    "layer_dtypes",
    "layer_devices",
    "compared_dtypes",
    "dtypes",
)
def mismatch(scene: Scene, m: SeenError) -> Told:
    """Each operand's dtype, or the layer's and its input's."""
    layer, x = scene.layer, scene.input
    if layer is not None:
        weight = next((p for p in layer.value.parameters() if p.is_floating_point()), None)
        if weight is not None and x is not None and weight.dtype != x.value.dtype:
            facts = {"weight": dtype(weight), "input": dtype(x.value)}
            return (
                f"{layer.told}, with {dtype(weight)} weights; {scene.input_told()}"
                f"{_origin(scene, x)}.",
                facts,
            )
        packed = scene.local("input")
        if weight is not None and x is None and is_tensor(packed) and packed.dtype != weight.dtype:
            return (
                f"{layer.told}, with {dtype(weight)} weights; what it gets, packed, is "
                f"{dtype(packed)} {dims(packed.shape)}."
            )
    things = list(scene.shapes)
    if len({t.value.dtype for t in things}) < 2:
        seen = {id(t.value) for t in things}
        things += [t for t in scene.below if t.is_tensor and id(t.value) not in seen]
    if len({t.value.dtype for t in things}) < 2:
        extra = [scene.local_thing(n) for n in ("input", "target", "query", "key", "weight")]
        things += [t for t in extra if t and all(t.value is not s.value for s in things)]
    if len({t.value.dtype for t in things}) < 2:
        if not things:
            return None
        got = {dtype_named(w) for w in re.findall(r"[\w:<>]+", scene.message)} - {""}
        rest = got - {dtype(things[0].value)}
        where = scene.called and f" of `{scene.called}`"
        other = f"; the other operand{where} is {rest.pop()}" if len(rest) == 1 else ""
        return f"{things[0].typed}{_origin(scene, things[0])}{other}." if other else None
    told = [f"{t.ticked}{t.place} is {dtype(t.value)} {dims(t.shape)}" for t in things[:3]]
    why = next((f" `{t.name}`{o}." for t in things[:3] if (o := _origin(scene, t))), "")
    return f"{listed(told)}.{why}", {t.name: dtype(t.value) for t in things[:3]}


@explains("dtype", "inplace_dtype")
def in_place_cast(scene: Scene, m: SeenError) -> Told:
    """An integer tensor that is to hold a floating result."""
    if scene.local("target") is not None:
        return None  # a loss, which changes nothing of the snippet's: told in losses
    result, into = (dtype_named(w) or w for w in (m["result"], m["target"]))
    target = next((t for t in scene.tensors if dtype(t.value) == into), None)
    other = next((t for t in scene.tensors if dtype(t.value) == result), None)
    if target is None:
        return None
    with_what = f" with {other.ticked} {result}{other.place}" if other else ""
    return (
        f"{target.ticked} is {into}{target.from_line}; changed in place{with_what} it would "
        f"have to hold {result}."
    )


@explains(
    "needs_float",
    "output_dtype",
    "not_implemented_for_dtype",
    "bool_subtraction",
    "value_overflow",
    "needs_floating_point",
)
def needs_float(scene: Scene, m: SeenError) -> Told:
    """The operand with the dtype that the operation lacks."""
    own = family_of(scene.kind, scene.message)
    if own is not None and own.id == "integers_as_data":
        return None
    things = [*scene.shapes, *(t for t in scene.below if t.is_tensor)]
    x = scene.receiver
    if x is None or not x.is_tensor:
        x = next((t for t in things if not t.value.is_floating_point()), None)
        x = x or next((t for t in things if dtype(t.value) in ("float16", "bfloat16")), None)
        x = x or next(iter(things), None)
    if x is None and scene.input is not None:
        x = scene.input
    if x is None:
        return None
    layer = f"{scene.layer.told}; " if scene.layer else ""
    name = scene.called or m["kernel"] or m["operation"]
    what = f"`{name}`" if name else "this operation"
    if m.id == "value_overflow":
        return (
            f"{layer}{x.ticked} is {dtype(x.value)} {dims(x.shape)}{x.from_line}, and the "
            f"number does not fit into that."
        )
    if x.value.is_floating_point():
        return (
            f"{layer}{x.ticked} is {dtype(x.value)} {dims(x.shape)}{x.from_line}; {what} does "
            f"not exist for that."
        )
    return (
        f"{layer}{x.ticked} is {dtype(x.value)} {dims(x.shape)}{x.from_line}"
        f"{_origin(scene, x)}; {what} does not take that dtype.",
        {"dtype": dtype(x.value)},
    )


@explains("device", "devices")
def device(scene: Scene, m: SeenError) -> Told:
    """Each operand's device."""
    layer, x = scene.layer, scene.input
    if layer is not None and x is not None:
        p = next(iter(layer.value.parameters()), None)
        if p is not None and p.device != x.value.device:
            return f"{layer.told}, on {p.device}; {scene.input_told()} on {x.value.device}."
    things = [*scene.tensors]
    if len({str(t.value.device) for t in things}) < 2:
        things += [
            t for t in scene.below if t.is_tensor and all(t.value is not s.value for s in things)
        ]
    if not things:
        return None
    return f"{listed(f'{t.ticked}{t.place} is on {t.value.device}' for t in things[:4])}."


@explains("embedding", "embedding_dtype")
def embedding_dtype(scene: Scene, m: SeenError) -> Told:
    """The dtype of the ids."""
    layer, x = scene.layer, scene.input or next(iter(scene.tensors), None)
    if x is None:
        return None
    who = f"{layer.told}; " if layer else ""
    return (
        f"{who}the ids it gets, {x.ticked}{x.place}, are {dtype(x.value)} {dims(x.shape)}: "
        "rows are chosen by integers."
    )


@explains("construction", "ragged_rows", "ragged_array")
def ragged(scene: Scene, m: SeenError) -> Told:
    """The lengths of the rows."""
    data = _data(scene)
    if data is None:
        return None
    if type(data.value) not in (list, tuple):
        return None
    lengths = [
        len(r) if type(r) in (list, tuple, str) else tuple(r.shape) if is_tensor(r) else None
        for r in data.value
    ]
    if len(set(map(str, lengths))) < 2:
        deeper = [
            len(q)
            for r in data.value
            if type(r) in (list, tuple)
            for q in r
            if type(q) in (list, tuple)
        ]
        if len(set(deeper)) > 1:
            return (
                f"`{data.name}`{data.place} has inner rows of lengths "
                f"{listed(map(str, dict.fromkeys(deeper)))}; one length is needed."
            )
        return None
    shown = listed([str(n) for n in lengths[:6]]) + (" …" if len(lengths) > 6 else "")
    if None in lengths:
        return f"`{data.name}`{data.place} mixes rows and single values, {len(lengths)} in all."
    return (
        f"The {len(lengths)} rows of `{data.name}`{data.place} have lengths {shown}; a tensor "
        "needs one length.",
        {"lengths": [str(n) for n in lengths[:20]]},
    )


def _data(scene: Scene) -> Thing | None:
    found = scene.argument(0, "data", "object")
    if found is not None:
        return found
    if scene.call is not None and scene.call.args and (value := scene.call.args[0]) is not None:
        return next(scene.known([value]), None)
    return None


@explains(
    "construction",
    "tensor_of_text",
    "tensor_of_objects",
    "shape_of_unknown",
    "number_needed",
    "sequence_needed",
)
def not_numbers(scene: Scene, m: SeenError) -> Told:
    """The first value that is no number."""
    data = _data(scene)
    if data is None:
        return None
    if type(data.value).__module__ == "numpy" and hasattr(data.value, "dtype"):
        kinds = {"O": "Python objects", "U": "text", "S": "bytes"}
        what = kinds.get(data.value.dtype.kind, str(data.value.dtype))
        return (
            f"`{data.name}`{data.place} is an array {dims(data.value.shape)} of {what}, not "
            f"of numbers."
        )
    spot = _first_odd(data.value, data.name)
    if spot is None:
        return f"`{data.name}`{data.place} is {a_type(data.value).strip('()= ')}, not numbers."
    name, value = spot
    if data.name.startswith("["):
        name = name.replace(data.name, "this list", 1)
        return (
            f"{a_type(value).strip('()= ')} stands in {name.partition('[')[0].strip()}; a "
            f"tensor holds only numbers."
        )
    return f"`{name}`{data.place} is {a_type(value).strip('()= ')}; numbers are needed."


def _first_odd(value: object, name: str, depth: int = 3) -> tuple[str, object] | None:
    if type(value) not in (list, tuple):
        return None
    for i, item in enumerate(value[:1000]):  # type: ignore[index]
        if type(item) in (list, tuple) and depth:
            found = _first_odd(item, f"{name}[{i}]", depth - 1)
            if found:
                return found
        elif type(item) not in (int, float, bool, complex) and not is_tensor(item):
            return f"{name}[{i}]", item
    return None


@explains("scalar", "index_of_one_element")
def index(scene: Scene, m: SeenError) -> Told:
    """What in the brackets is no whole number."""
    if not isinstance(scene.node, ast.Subscript):
        return scalar(scene, m)
    inside = list(ast.walk(scene.node.slice))
    for part in inside:
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div):
            return (
                f"`{ast.unparse(part)[:60]}` is no whole number: `/` gives floating point, of "
                "whole numbers too, and `//` whole ones."
            )
    named = scene.known([n for n in inside if isinstance(n, ast.Name)])
    x = next((t for t in named if t.is_tensor and t.value.numel() != 1), None)
    return _of_several(x) if x is not None else None


@explains("scalar", "several_elements", "one_element_tensors", "array_to_number")
def scalar(scene: Scene, m: SeenError) -> Told:
    """How many values the tensor has."""
    x = scene.receiver if scene.receiver is not None and scene.receiver.is_tensor else None
    x = x or next((t for t in scene.tensors if t.value.numel() != 1), None)
    if x is None:
        whole = scene.argument(0)
        if whole is not None and type(whole.value) in (list, tuple):
            many = [v for v in whole.value if is_tensor(v) and v.numel() != 1]
            if many:
                return (
                    f"`{whole.name}`{whole.place} holds tensors such as "
                    f"{dims(many[0].shape)}; each would have to be one number."
                )
        return None
    return _of_several(x)


def _of_several(x: Thing) -> str:
    return f"{x} has {x.value.numel()} values; this line asks for the one number of it."


@explains("truth", "tensor_truth", "array_truth")
def truth(scene: Scene, m: SeenError) -> Told:
    """What is asked for yes or no, and how many answers it has."""
    things = [t for t in scene.operands if t.shape]
    if not things:
        return None
    big = listed(map(str, things[:2]))
    if isinstance(scene.node, ast.Compare):
        text = ast.unparse(scene.node)[:60]
        return (
            f"`{text}` compares element by element: with {big} it has an answer for each, and "
            "one yes or no is asked for."
        )
    return (
        f"{big} is asked for one yes or no, and has "
        f"{' and '.join(str(_numel(t)) for t in things[:2])} values."
    )


def _numel(t: Thing) -> int:
    n = 1
    for s in t.shape:
        n *= s
    return n


@explains("numpy", "negative_strides", "torch_dtype_in_numpy", "numpy")
def numpy(scene: Scene, m: SeenError) -> Told:
    """The array where a tensor is needed, or torch's dtype where NumPy's is."""
    if scene.raised:
        return None
    arrays = [t for t in scene.operands if type(t.value).__name__ == "ndarray"]
    if m.id == "negative_strides" and arrays:
        t = arrays[0]
        return (
            f"`{t.name}`{t.place} has strides {list(t.value.strides)}: one of its axes runs "
            f"backwards in memory."
        )
    if m["dtype"]:
        known = [t for t in scene.operands if type(t.value).__name__ == "dtype"]
        if known:
            return (
                f"`{known[0].name}` is a dtype of PyTorch's; `{scene.called or 'this call'}` "
                f"is NumPy's and knows only its own."
            )
        return (
            f"`{scene.called}` is NumPy's; the dtype in this call is PyTorch's."
            if scene.called
            else None
        )
    if not arrays and scene.layer is None:
        for name in ("input", "x", "tensors"):
            value = scene.local(name)
            if type(value).__name__ == "ndarray":
                arrays = [Thing(name, value)]
    if not arrays:
        return None
    t = arrays[0]
    layer = f"{scene.layer.told}; " if scene.layer else ""
    return (
        f"{layer}`{t.name}`{t.place} is a NumPy array {t.value.dtype} {dims(t.value.shape)}, "
        f"not a tensor."
    )
