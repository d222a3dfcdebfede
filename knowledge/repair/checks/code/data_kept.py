"""Data must not be cut, padded, copied or rounded in silence to please a shape."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from executor.protocol import JobResult, Variable
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import called, expressions, root, text
from knowledge.repair.toolkit.dataflow import INTEGERS, values_of
from knowledge.repair.toolkit.sites import variables

_INTEGER_CASTS = frozenset({"long", "int", "short", "byte", "char", "LongTensor", "IntTensor"})
_INTEGER_DTYPE = re.compile(r"^(torch\.|np\.|numpy\.)?(long|int|short|u?int(8|16|32|64))$")
_ROUNDS = frozenset({"round", "floor", "ceil", "trunc", "fix", "round_", "floor_", "trunc_"})
_PADS = frozenset({"pad", "pad_sequence", "constant_pad_nd", "ZeroPad2d", "ConstantPad1d"})
_CUTS = frozenset({"narrow", "narrow_copy", "select", "index_select", "unfold", "hsplit", "vsplit"})
_COPIES = frozenset({"expand", "expand_as", "repeat", "tile", "broadcast_to", "repeat_interleave"})
_REDUCES = frozenset(
    {"mean", "sum", "prod", "amax", "amin", "median", "mode", "logsumexp", "nanmean", "nansum"}
)
_BENDS = frozenset({"clamp", "clip", "clamp_", "fmod", "remainder", "nan_to_num"})
_MADE_UP = frozenset({"zeros", "ones", "zeros_like", "ones_like", "new_zeros", "new_ones"})
_MADE_LIKE = frozenset(
    f"{kind}_like" for kind in ("zeros", "ones", "rand", "randn", "randint", "empty", "full")
)
_FACTORIES = frozenset({"empty", "zeros", "ones", "rand", "randn", "full", "tensor", "Tensor"})
# Whole numbers come out of these, and fractions out of those.
_WHOLE = re.compile(
    r"\b(randint|arange|zeros|ones|argmax|argmin|eye|round|floor|one_hot|bool)\w*\("
)
_FRACTIONS = re.compile(
    r"\b(rand|randn|normal|uniform|linspace|softmax|sigmoid|tanh)\w*\(|\d\.\d*[1-9]"
)


@refusing("data", "no data is lost or made up")
def check(change: Change) -> Iterator[str]:
    """What the code computes with is the data that it had."""
    live = variables(change.result)
    pairs = [*change.compared.changed, *((None, s) for s in change.compared.come)]
    for old, new in pairs:
        before = Counter(k for k, _ in _losses(old, change, live)) if old is not None else Counter()
        for kind, detail in _losses(new, change, live):
            before[kind] -= 1
            if before[kind] < 0 and not re.search(_SAID[kind], change.said, re.IGNORECASE):
                yield f"line {new.lineno}: {detail}"


# What a title has to say of each, for a person to know what they give up.
_SAID = {
    "cut": r"\b(cut|lost|drop|left out|without|only|first|last|shorte|crop|fewer|taken?"
    r"|one by one)",
    "padded": r"\b(pad|fill|zeros|longest)",
    "copied": r"\b(repeat|cop(y|ies)|each|every|expand|same for)",
    "reduced": r"\b(mean|sum|average|added|product|largest|smallest|together|pooled)",
    "rounded": r"\b(round|whole|integer|int64|int32|index|indices|long)",
    "bent": r"\b(clamp|clip|limit|bound|at least|at most|replaced|wrap)",
    "empty": r"\bempty\b",
}


def _losses(
    statement: ast.stmt, change: Change, live: dict[str, Variable]
) -> Iterator[tuple[str, str]]:
    for node in expressions(statement):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if _cuts(node, change.result, live):
                yield "cut", f"`{text(node)}` leaves a part of the data out"
        elif isinstance(node, ast.Call):
            yield from _of_call(node, change, live)
        elif isinstance(node, ast.BinOp) and _wraps_around(node, live):
            yield "bent", f"`{text(node)[:60]}` gives numbers other values"


def _of_call(
    node: ast.Call, change: Change, live: dict[str, Variable]
) -> Iterator[tuple[str, str]]:
    name = called(node)
    inner = node.func.value if isinstance(node.func, ast.Attribute) else None
    drops = any(
        k.arg == "ignore_index" or (k.arg == "drop_last" and text(k.value) == "True")
        for k in node.keywords
    )
    if name in _CUTS or drops:
        yield "cut", f"`{text(node)[:60]}` leaves a part of the data out"
    if name in _PADS:
        yield "padded", f"`{text(node)[:60]}` makes data up"
    if name in ("cat", "concat", "concatenate", "stack") and any(
        called(n) in _MADE_UP for n in ast.walk(node)
    ):
        yield "padded", f"`{text(node)[:60]}` makes data up"
    if name in _MADE_LIKE and not _asks_for_gradients(node, change):
        yield "padded", f"`{text(node)[:60]}` makes data up"
    if name in _COPIES:
        yield "copied", f"`{text(node)[:60]}` uses the same numbers several times"
    if name in _REDUCES and isinstance(node.func, ast.Attribute) and not _is_mask(inner, live):
        yield "reduced", f"`{name}` makes one number of several"
    if name in _BENDS:
        yield "bent", f"`{text(node)[:60]}` gives numbers other values"
    if _is_empty(node):
        yield "empty", f"`{text(node)[:60]}` holds nothing"
    operand = inner
    if inner is None or text(inner) in ("torch", "np", "numpy"):
        operand = node.args[0] if node.args else None
    rounds = name in _ROUNDS or _casts_to_integers(node)
    if rounds and operand is not None and _loses_fractions(operand, change, live):
        yield "rounded", f"`{text(node)[:60]}` drops what comes after the point"


def _is_mask(value: ast.expr | None, live: dict[str, Variable]) -> bool:
    """Whether it is a tensor of truth values: how many are true is a count, and no data."""
    return isinstance(value, ast.Name) and value.id in live and live[value.id].dtype == "bool"


def _cuts(node: ast.Subscript, result: JobResult, live: dict[str, Variable]) -> bool:
    """Whether an index leaves something out, as far as the run showed the shape."""
    start = root(node)
    facts = live.get(start.id) if isinstance(start, ast.Name) else None
    if any(
        isinstance(n, ast.Attribute) and n.attr in ("shape", "size") for n in ast.walk(node.value)
    ):
        return False
    shape = result.shapes.get(text(node.value))
    if shape is None and isinstance(node.value, ast.Name) and facts is not None:
        shape = facts.shape
    if shape is None and facts is not None and facts.type not in ("Tensor", "Parameter", "ndarray"):
        return False  # one of a tuple's parts
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(p, ast.Constant) and p.value is Ellipsis for p in parts):
        last = parts[-1]
        size = shape[-1] if shape else None
        return _leaves_out(last, size) if last is not parts[0] else False
    sizes: list[int | None] = list(shape) if shape is not None else []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is None:
            continue
        if _leaves_out(part, sizes.pop(0) if sizes else None):
            return True
    return False


def _wraps_around(node: ast.BinOp, live: dict[str, Variable]) -> bool:
    """`labels % 10`, of a tensor."""
    start = root(node.left)
    facts = live.get(start.id) if isinstance(start, ast.Name) else None
    is_data = facts is not None and facts.type in ("Tensor", "Parameter", "ndarray")
    return isinstance(node.op, ast.Mod) and is_data


def _asks_for_gradients(call: ast.Call, change: Change) -> bool:
    """`y.backward(torch.ones_like(y))`: where the gradients start, no data."""
    return any(
        called(outer) in ("backward", "grad") and any(n is call for n in ast.walk(outer))
        for outer in ast.walk(change.compared.new)
    )


def _leaves_out(part: ast.expr, size: int | None) -> bool:
    """Whether one part of an index takes less than all of a dimension of this size."""
    if isinstance(part, ast.Slice):
        lower, upper = _number(part.lower), _number(part.upper)
        if part.lower is None and part.upper is None:
            return part.step is not None and _number(part.step) not in (1, -1)
        if size is None:
            return True
        starts = part.lower is None or lower in (0, -size)
        return not (starts and (part.upper is None or (upper is not None and upper >= size)))
    if _number(part) is not None:
        return size is not None and size > 1
    return any(isinstance(n, ast.Compare) for n in ast.walk(part))  # `x[x < 3]`


def _number(node: ast.expr | None) -> int | None:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _casts_to_integers(call: ast.Call) -> bool:
    if called(call) in _INTEGER_CASTS:
        return True
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "dtype")]
    by_dtype = called(call) in ("to", "type", "astype", "tensor", "as_tensor")
    return by_dtype and any(_INTEGER_DTYPE.match(text(a)) for a in given)


def _loses_fractions(operand: ast.expr, change: Change, live: dict[str, Variable]) -> bool:
    """Whether a value may have something after the point, by its live values or its making."""
    facts = live.get(operand.id) if isinstance(operand, ast.Name) else None
    if facts is not None and facts.dtype in INTEGERS:
        return False
    values = values_of(facts)
    if values is not None:
        return any(v != int(v) for v in values)
    made = text(operand)
    if isinstance(operand, ast.Name):
        assigned = [
            text(s.value)
            for s in ast.walk(change.compared.old)
            if isinstance(s, ast.Assign) and any(text(t) == operand.id for t in s.targets)
        ]
        made = assigned[-1] if assigned else ""
    return bool(_FRACTIONS.search(made)) and not _WHOLE.search(made)


def _is_empty(call: ast.Call) -> bool:
    """`torch.empty(0)`, `torch.tensor([])`, `torch.zeros(0, 3)`."""
    if called(call) not in _FACTORIES or not call.args:
        return False
    if any(isinstance(a, ast.List) and not a.elts for a in call.args):
        return True
    return called(call) not in ("tensor", "full") and any(_number(a) == 0 for a in call.args)
