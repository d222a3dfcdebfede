"""Give a call an operand in the form that it takes: stacked, whole, an index, a probability.

What an operand is worth where the program failed says which forms there are, and the failing
expression is evaluated with each of them: one with which it fails still is no edit.
"""

import re
from collections.abc import Iterator, MappingView
from typing import Any, NamedTuple

import libcst as cst

from executor.errors import HasMessage, is_a, is_about_dtypes, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, Program, call, keyword, method, operand
from knowledge.repair.toolkit.lazily import np, torch
from knowledge.repair.toolkit.live import Operand, called_module, operands, works
from knowledge.repair.toolkit.losses import is_one_hot
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import assignment

_TYPES = "AttributeError IndexError NotImplementedError RuntimeError TypeError ValueError"
TYPES = frozenset(_TYPES.split())
_OF_WHOLE = re.compile(r"(?i)\blong|\bint(?:egers?|s|\d*)?\b|ind(?:ex|ices)|integral|torch\.Size")
# A tuple is what a function gave, or a list of sizes: neither is meant to be one tensor.
_OF_A_LIST = re.compile(r"(?i)\blist\b|must be tensor|expected (?:a )?tensor")
_OF_SPREAD = re.compile(r"(?i)parameter (?:scale|concentration|rate|df)\b.*greaterthan", re.DOTALL)
_EXP, _SOFTPLUS = ("torch", "exp"), ("torch.nn.functional", "softplus")
_OF_A_MASK = re.compile(r"(?i)\bbool(?:ean)?\b.*\bmask|\bmask.*\bbool")
_OF_PROBABILITY = re.compile(r"(?i)probabilit|parameter probs")
_TAKE_MASKS = frozenset({"masked_fill", "masked_fill_", "where", "masked_select"})
_BITS = (cst.BitAnd, cst.BitOr, cst.BitXor, cst.BitInvert)
_JOINS = frozenset({"cat", "concat", "concatenate", "tensor", "Tensor", "as_tensor", "array"})
_LOSS = re.compile(r"(?i)loss|criterion|entropy")
ONE_HOT = "is where its 1 stands"
_NUMBER = re.compile(r"(?i)[-+]?(?:inf|nan|\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:e[-+]?\d{1,3})?")
_FRAMES = 2
_DEPTH = 3  # assignments that are followed back to where a number became a fraction


class _Form(NamedTuple):
    new: cst.BaseExpression
    told: str  # what becomes of the operand
    cost: float = COST.SURE
    supposes: bool = False


def edits(failure: Failure) -> Rewrites:
    """Each operand in another form with which the failing expression can be evaluated."""
    yield from _length(failure)
    for place in failure.places[:_FRAMES]:
        yield from _at(failure, place)


def _at(failure: Failure, place: Place) -> Rewrites:
    given = operands(failure, place)
    for one in given:
        for form in _forms(failure, place, one, given):
            if works(failure, place, one.node, form.new):
                yield _rewrite(failure, one.node, form)
                yield from _alike(failure, place, one, form)
        yield from _unpacked_whole(failure, one)
        yield from _made_whole(failure, one)
        yield from _listed(failure, one)
        yield from _appended(failure, one)
        yield from _summed(failure, place, one)
    if (turned := _turned_mask(failure, place)) is not None:
        yield _rewrite(failure, place.node, turned)
    yield from _numbers(failure, place, given)
    yield from _bits(failure, place)
    yield from _squared_magnitudes(failure, place)
    if (joined := _joined_otherwise(failure, place)) is not None:
        yield _rewrite(failure, place.node, joined)


def _numbers(failure: Failure, place: Place, given: tuple[Operand, ...]) -> Rewrites:
    """`float(settings["lr"])`: every text of the call that is a number, where one is not enough."""
    texts = [o for o in given if isinstance(o.value, str) and _NUMBER.fullmatch(o.value)]
    texts = [o for o in texts if not isinstance(o.node, cst.SimpleString)]
    changes: Edits = {o.node: call(_kind(o.value), cst.Arg(o.node)) for o in texts}
    if len(changes) > 1:
        names = " and ".join(f"`{failure.text(n)}`" for n in changes)
        told = f"{names} are text, and are used as numbers"
        yield failure.edit(changes, told, as_one=True)


def _kind(number: str) -> str:
    return "int" if number.strip("+-").isdigit() else "float"


def _alike(failure: Failure, place: Place, one: Operand, form: _Form) -> Rewrites:
    """The same form for what the other calls of its kind in the statement are given."""
    node = place.node
    statement = failure.up(node, cst.SimpleStatementLine)
    if not isinstance(node, cst.Call) or statement is None or not isinstance(one.node, cst.Name):
        return
    kind, dtype = type(failure.value(node.func, place.frame)), getattr(one.value, "dtype", None)
    changes: Edits = {one.node: form.new}
    for other in failure.inside(statement, cst.Call):
        given = other.args[0].value if other.args else None
        if other is node or not isinstance(given, cst.Name) or dtype is None:
            continue
        is_kind = type(failure.value(other.func, place.frame)) is kind
        if is_kind and getattr(failure.value(given, place.frame), "dtype", None) == dtype:
            inner = form.new.with_deep_changes(_first(failure, form.new), value=given.value)
            changes[given] = inner
    if len(changes) > 1:
        names = " and ".join(f"`{failure.text(n)}`" for n in changes)
        told = form.told.replace(f"`{one.node.value}` is", f"{names} are")
        yield failure.edit(changes, told, at=node, cost=form.cost)


def _first(program: Program, new: cst.BaseExpression) -> cst.Name:
    """The operand of `x.long()`, in a tree that is not of the program."""
    while isinstance(new, (cst.Call, cst.Attribute)):
        new = new.func if isinstance(new, cst.Call) else new.value
    return cst.ensure_type(new, cst.Name)


def _rewrite(failure: Failure, node: cst.BaseExpression, form: _Form) -> Rewrite:
    return failure.edit({node: form.new}, form.told, cost=form.cost, supposes=form.supposes)


def _forms(
    failure: Failure, place: Place, one: Operand, given: tuple[Operand, ...]
) -> Iterator[_Form]:
    value, node = one.value, one.node
    name = failure.text(node)
    message = failure.error.message
    if isinstance(value, MappingView):
        yield _Form(call("list", cst.Arg(node)), f"the entries of `{name}` are listed")
    if isinstance(value, list) and value and _OF_A_LIST.search(message):
        yield from _of_list(failure, value, node)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.dtype.itemsize < 16:
        yield from _of_array(failure, place, one)
    if isinstance(value, torch.nn.utils.rnn.PackedSequence):
        pad = failure.name_of("torch.nn.utils.rnn", "pad_packed_sequence")
        new = cst.parse_expression(f"{pad}({name}, batch_first=True)[0]")
        yield _Form(new, f"`{name}` is unpacked to one row for each sequence")
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        for kind in dict.fromkeys(("float", _kind(value))):
            yield _Form(call(kind, cst.Arg(node)), f"{name} is used as a number")
    wanted = read(failure.error, "argument_type")
    if type(value) is int and wanted is not None and wanted["expected"].startswith("tuple"):
        comma = cst.Comma()
        new = cst.Tuple([cst.Element(node, comma=comma)])
        yield _Form(new, f"`{name}` is the one size")
    if isinstance(value, torch.Tensor) and _OF_A_MASK.search(message):
        yield from _of_mask(value, node, name)
    if isinstance(place.node, cst.BinaryOperation) and _has_length(value):
        yield _Form(call("len", cst.Arg(node)), f"the number of samples of `{name}` is meant")
    yield from _called_at_last(failure, place, one)
    is_array = isinstance(value, np.ndarray) and value.dtype != object
    if isinstance(value, torch.Tensor) or is_array:
        turns = isinstance(place.node, cst.UnaryOperation)  # `~` makes -2 of 1
        # Bytes in an index are a mask; above 1 they are meant for places.
        places = isinstance(place.node, cst.Subscript) and "uint8" in str(value.dtype)
        whole = _is_whole(value) or (places and value.size and value.max() > 1)
        if _OF_WHOLE.search(message) and whole and not turns:
            new = (
                method(node, "long") if isinstance(value, torch.Tensor) else _astype(node, "int64")
            )
            yield _Form(new, f"`{name}` is used as whole numbers (int64)")
        yield from _largest(failure, place, one, given)
        yield from _of_one_hot(failure, place, one, given)
        if _OF_WHOLE.search(message) and _is_count(value):
            yield _Form(call("int", cst.Arg(node)), f"`{name}` is used as a plain number")
    if isinstance(value, np.ndarray) and value.dtype == object and _is_of_numbers(value):
        dtype = cst.parse_expression(failure.name_of("numpy", "float32"))
        new = method(node, "astype", cst.Arg(dtype))
        yield _Form(new, f"the numbers of `{name}` are used as float32")
    if isinstance(value, torch.Tensor) and value.is_complex() and is_about_dtypes(message):
        yield _Form(method(node, "abs"), f"the magnitudes of `{name}` are used")
    if _OF_SPREAD.search(message) and isinstance(value, torch.Tensor) and _is_raw(value):
        text = failure.text(node)
        for function, told in ((_EXP, "is its logarithm"), (_SOFTPLUS, "is made positive")):
            words = failure.name_of(*function)
            yield _Form(cst.parse_expression(f"{words}({text})"), f"`{name}` {told}")
    if _OF_PROBABILITY.search(message):
        yield from _probabilities(failure, place, one)
    module = called_module(failure, place)
    if isinstance(module, torch.nn.Sequential) and len(module):
        module = module[0]  # it takes what comes in
    is_linear = isinstance(module, torch.nn.Linear)
    one_feature = getattr(module, "in_features" if is_linear else "input_size", None) == 1
    rank = 1 if is_linear else 2
    is_rows = isinstance(value, torch.Tensor) and value.dim() == rank and value.shape[-1] != 1
    if one_feature and is_rows:
        new = method(node, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
        kind = "a sample" if is_linear else "a step"
        yield _Form(new, f"each number of `{name}` is {kind} with one feature")
    if place.frame == -len(failure.live.spans) and _is_one_sample(failure, place, value):
        new = method(node, "unsqueeze", cst.Arg(cst.Integer("0")))
        yield _Form(new, f"`{name}` is one sample: a batch of one", COST.LIKELY)


def _of_array(failure: Failure, place: Place, one: Operand) -> Iterator[_Form]:
    """An array as a tensor, in the dtype of weights where its own is not theirs."""
    name = failure.text(one.node)
    text = f"{failure.name_of('torch', 'from_numpy')}({name})"
    told = f"the array `{name}` is made a tensor"
    yield _Form(cst.parse_expression(text), told)
    if one.value.dtype.name == "float64":
        yield _Form(cst.parse_expression(f"{text}.float()"), f"{told} of float32", COST.SURE + 0.1)


def _listed(failure: Failure, one: Operand) -> Rewrites:
    """`np.array(list(table.values()))` for `np.array(table.values())`, an array of one object."""
    if not isinstance(one.value, np.ndarray) or one.value.dtype != object or one.value.ndim:
        return
    made = assignment(failure, failure.text(one.node), one.node)
    call_ = made.value if made is not None else one.node
    if isinstance(one.value.item(), (MappingView, Iterator)) and isinstance(call_, cst.Call):
        given = call_.args[0].value
        told = f"the entries of `{failure.text(given)}` are listed"
        yield _rewrite(failure, given, _Form(call("list", cst.Arg(given)), told))


def _has_length(value: Any) -> bool:
    from torch.utils import data

    return isinstance(value, (data.Dataset, data.DataLoader)) and hasattr(value, "__len__")


def _called_at_last(failure: Failure, place: Place, one: Operand) -> Iterator[_Form]:
    """`self.up(u)` for `self.up`, where a layer stands in place of what it gives."""
    function = failure.up(one.node, cst.FunctionDef)
    is_layer = isinstance(one.value, torch.nn.Module) and isinstance(one.node, cst.Attribute)
    if function is None or not is_layer or not isinstance(place.node, cst.Call):
        return
    if one.node is place.node.func or isinstance(failure.parent(one.node), cst.Attribute):
        return
    reads = [n.value for n in failure.inside(function.body, cst.Name)]
    for name, value in failure.live.names[place.frame].items():
        if isinstance(value, torch.Tensor) and reads.count(name) == 1:  # made, and never read
            new = cst.Call(one.node, [cst.Arg(cst.Name(name))])
            yield _Form(new, f"`{failure.text(one.node)}` is called with `{name}`")


def _is_of_numbers(values: Any) -> bool:
    return all(type(v) in (int, float, bool) for v in values.ravel().tolist())


def _is_raw(values: Any) -> bool:
    """Whether it is the result of a layer that may be negative, and is."""
    return values.grad_fn is not None and bool((values < 0).any())


def _of_mask(value: Any, node: cst.BaseExpression, name: str) -> Iterator[_Form]:
    """Zeros and ones as a mask: which is masked is open, but of what each step may look back at."""
    if not bool(((value == 0) | (value == 1)).all()):
        return
    zeros = cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))
    yield _Form(cst.Comparison(operand(node), [zeros]), f"the zeros of `{name}` are masked")
    before = value.dim() > 1 and value.equal(value.tril()) and not value.equal(value.triu())
    if not (before and bool(value.diagonal(dim1=-2, dim2=-1).all())):
        yield _Form(method(node, "bool"), f"the ones of `{name}` are masked", COST.SURE + 0.1)


def _bits(failure: Failure, place: Place) -> Rewrites:
    """`a.bool() & b.bool()` of zeros and ones that are floats; `(x > 0) & (x < 1)`."""
    node = place.node
    if (chain := failure.up(node, cst.Comparison)) is not None:
        yield from _compared(failure, chain)
    changes: Edits = {}
    line = failure.up(node, cst.SimpleStatementLine) or node
    both = (*failure.inside(line, cst.BinaryOperation), *failure.inside(line, cst.UnaryOperation))
    bits = [one for one in both if isinstance(getattr(one, "operator", None), _BITS)]
    for part in [part for one in bits for part in one.children]:
        value = failure.value(part, place.frame)
        if not isinstance(part, cst.BaseExpression) or value is failure.missing:
            continue
        is_mask = isinstance(value, torch.Tensor) and bool(((value == 0) | (value == 1)).all())
        if not is_mask or value.requires_grad:
            return
        if value.is_floating_point():
            changes[part] = method(part, "bool")
    if any(failure.parent(part) is node for part in changes):
        names = " and ".join(dict.fromkeys(f"`{failure.text(n)}`" for n in changes))
        yield failure.edit(changes, f"the ones of {names} count as True", as_one=True)


def _compared(failure: Failure, chain: cst.Comparison) -> Rewrites:
    """`(x > 0) & (x < 1)` for `x > 0 & x < 1`, where `&` binds before the comparisons."""
    left, new = chain.left, ""
    text = failure.module.code_for_node
    for target in chain.comparisons:
        both = target.comparator
        if target is chain.comparisons[-1]:
            new += f"({text(left)}{text(target.operator)}{text(both)})"
        elif isinstance(both, cst.BinaryOperation) and isinstance(both.operator, _BITS):
            new += f"({text(left)}{text(target.operator)}{text(both.left)}){text(both.operator)}"
            left = both.right
        else:
            return
    if left is not chain.left:
        whole = cst.parse_expression(new).with_changes(lpar=chain.lpar, rpar=chain.rpar)
        yield failure.edit({chain: whole}, "each comparison is made before they are joined")


def _is_count(value: Any) -> bool:
    """Whether a tensor holds a single whole number."""
    whole = (torch.int64, torch.int32)
    return isinstance(value, torch.Tensor) and value.numel() == 1 and value.dtype in whole


def _is_one_sample(failure: Failure, place: Place, value: Any) -> bool:
    """Whether a model is called with a vector or a picture, by itself or beside batches of one."""
    if not isinstance(place.node, cst.Call) or not isinstance(value, torch.Tensor):
        return False
    others = [o.value for o in operands(failure, place)[1:] if o.value is not value]
    rank = value.dim() + 1
    if len(place.node.args) != 1 and not all(
        isinstance(v, torch.Tensor) and v.dim() == rank and len(v) == 1 for v in others
    ):
        return False
    called = failure.value(place.node.func, place.frame)
    return isinstance(called, torch.nn.Module) and value.dim() in (1, 3)


def _of_list(failure: Failure, value: Any, node: cst.BaseExpression) -> Iterator[_Form]:
    name = failure.text(node)
    if all(isinstance(v, torch.Tensor) for v in value):
        if len({v.shape for v in value}) == 1:
            stack = failure.name_of("torch", "stack")
            yield _Form(call(stack, cst.Arg(node)), f"the tensors of `{name}` are stacked to one")
        return
    if isinstance(value, list) and all(type(v) in (int, float, bool) for v in value):
        new = call(failure.name_of("torch", "tensor"), cst.Arg(node))
        yield _Form(new, f"the numbers of `{name}` are made a tensor", COST.LIKELY)


def _appended(failure: Failure, one: Operand) -> Rewrites:
    """`losses.append(loss.item())`, where the list of losses is used as one of numbers."""
    values = one.value
    if not isinstance(values, list) or not values or not isinstance(one.node, cst.Name):
        return
    if not all(isinstance(v, torch.Tensor) and v.numel() == 1 and v.requires_grad for v in values):
        return
    added = f"{one.node.value}.append"
    found = [c for c in failure.all(cst.Call) if failure.text(c.func) == added and len(c.args) == 1]
    changes: Edits = {c.args[0].value: method(c.args[0].value, "item") for c in found}
    if changes:
        what = f"`{one.node.value}` keeps the numbers, without their graphs"
        yield failure.edit(changes, what, at=found[0])


def _summed(failure: Failure, place: Place, one: Operand) -> Rewrites:
    """`loss = a + b` for `loss = [a, b]`, where the list is used as one loss."""
    made = assignment(failure, failure.text(one.node), one.node)
    if made is None or not isinstance(made.value, (cst.List, cst.Tuple)):
        return
    parts, values = [e.value for e in made.value.elements], one.value
    if not isinstance(values, (list, tuple)) or len(parts) != len(values) or len(parts) < 2:
        return
    if not all(isinstance(v, torch.Tensor) and v.numel() == 1 for v in values):
        return
    asked = place.node.func if isinstance(place.node, cst.Call) else place.node
    if not failure.text(asked).endswith(".backward"):
        return
    whole = parts[0]
    for part in parts[1:]:
        whole = cst.BinaryOperation(operand(whole) if whole is parts[0] else whole, cst.Add(), part)
    what = f"the terms of `{failure.text(one.node)}` are added up"
    yield failure.edit({made.value: whole}, what, at=made)


def _joined_otherwise(failure: Failure, place: Place) -> _Form | None:
    """`torch.stack(parts)` for `torch.tensor(parts)`, or for `torch.cat` of single numbers."""
    node = place.node
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return None
    word = failure.text(node.func).rpartition(".")[2]
    value = failure.value(node.args[0].value, place.frame)
    if word not in _JOINS or not isinstance(value, (list, tuple)) or not value:
        return None
    if not all(isinstance(v, torch.Tensor) for v in value) or len({v.shape for v in value}) > 1:
        return None
    if word.startswith("c") and value[0].dim():
        return None
    stack = cst.parse_expression(failure.name_of("torch", "stack"))
    name = failure.text(node.args[0].value)
    return _Form(node.with_changes(func=stack), f"the tensors of `{name}` are stacked to one")


def _turned_mask(failure: Failure, place: Place) -> _Form | None:
    """`1 - mask.float()` for `1 - mask` of booleans, and `~mask` where a mask is wanted."""
    node = place.node
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Subtract):
        return None
    mask = failure.value(node.right, place.frame)
    is_mask = isinstance(mask, torch.Tensor) and mask.dtype == torch.bool
    if not is_mask or not re.fullmatch(r"1(?:\.0?)?|True", failure.text(node.left)):
        return None
    name = failure.text(node.right)
    parent, call = failure.parent(node), failure.up(node, cst.Call)
    wanted = isinstance(parent, cst.Index) or (
        call is not None and failure.text(call.func).rpartition(".")[2] in _TAKE_MASKS
    )
    if wanted:
        new: cst.BaseExpression = cst.UnaryOperation(cst.BitInvert(), operand(node.right))
        return _Form(new, f"`~{name}` is True where `{name}` is False")
    return _Form(node.with_changes(right=method(node.right, "float")), f"`{name}` counts as 0 or 1")


def _squared_magnitudes(failure: Failure, place: Place) -> Rewrites:
    """`(x.abs() ** 2).mean()` for `(x ** 2).mean()` of complex numbers."""
    made = None
    if not is_a(failure.error, "grad_of_complex"):
        return
    if isinstance(place.node, cst.Call) and isinstance(place.node.func, cst.Attribute):
        of = place.node.func.value
        made = (
            assignment(failure, failure.text(of), place.node) if isinstance(of, cst.Name) else None
        )
    found = [_squared(failure, s) for s in failure.expressions(made)] if made else []
    changes: Edits = {
        of: method(of, "abs")
        for of in found
        if of is not None and getattr(failure.value(of, place.frame), "is_complex", bool)()
    }
    if changes:
        names = " and ".join(f"`{failure.text(of)}`" for of in changes)
        told = f"the magnitudes of {names} are squared"
        yield failure.edit(changes, told, at=next(iter(changes)), supposes=True)


def _squared(program: Program, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """`x` of `x ** 2`, `x.pow(2)` and `x.square()`."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Power):
        return node.left if program.text(node.right) == "2" else None
    is_square = program.text(node).endswith((".pow(2)", ".square()"))
    function = node.func if isinstance(node, cst.Call) and is_square else None
    return function.value if isinstance(function, cst.Attribute) else None


def _is_whole(value: Any) -> bool:
    values = value if isinstance(value, torch.Tensor) else torch.as_tensor(value)
    if not values.is_floating_point() or not values.numel():
        return values.dtype in (torch.int32, torch.int16, torch.int8)
    return bool((values.detach() == values.detach().round()).all())


def _astype(node: cst.BaseExpression, dtype: str) -> cst.Call:
    return method(node, "astype", cst.Arg(cst.SimpleString(f'"{dtype}"')))


def _largest(
    failure: Failure, place: Place, one: Operand, given: tuple[Operand, ...]
) -> Iterator[_Form]:
    """Scores [samples, classes] that are compared with labels [samples]: the largest of each row.

    A loss wants the scores themselves.
    """
    words = failure.text(getattr(place.node, "func", place.node))
    scores = torch.as_tensor(one.value)
    if _LOSS.search(words) or not scores.is_floating_point() or scores.dim() != 2:
        return
    if called_module(failure, place) is not None or isinstance(place.node, cst.BinaryOperation):
        return
    for other in given:
        try:
            labels = torch.as_tensor(other.value)
        except Exception:
            continue
        if labels.is_floating_point() or labels.shape != scores.shape[:1] or scores.shape[1] < 2:
            continue
        if not len(labels) or not 0 <= int(labels.min()) <= int(labels.max()) < scores.shape[1]:
            continue
        word = "dim" if isinstance(one.value, torch.Tensor) else "axis"
        along = keyword(word, cst.Integer("1"))
        name = failure.text(one.node)
        yield _Form(method(one.node, "argmax", along), f"the class with the largest of `{name}`")


def _of_one_hot(
    failure: Failure, place: Place, one: Operand, given: tuple[Operand, ...]
) -> Iterator[_Form]:
    """Rows with a 1 at their class, or the first of them, that are compared with class numbers."""
    function = place.node.func if isinstance(place.node, cst.Call) else None
    asks = isinstance(function, cst.Attribute) and function.attr.value in ("eq", "ne")
    if not isinstance(place.node, cst.Comparison) and not asks:
        return
    whole = one.node
    if isinstance(whole, cst.Subscript) and isinstance(one.value, torch.Tensor):
        whole = whole.value if one.value.dim() == 1 else whole
    rows, others = failure.value(whole, place.frame), [o.value for o in given if o is not one]
    if not isinstance(rows, torch.Tensor) or not is_one_hot(rows) or len(others) != 1:
        return
    numbers = others[0]
    is_of_classes = isinstance(numbers, torch.Tensor) and not numbers.is_floating_point()
    if is_of_classes and numbers.shape == rows.shape[:1]:
        new = method(whole, "argmax", keyword("dim", cst.Integer("1")))
        yield _Form(new, f"the class of each row of `{failure.text(whole)}` {ONE_HOT}")


def _probabilities(failure: Failure, place: Place, one: Operand) -> Iterator[_Form]:
    """Weights are divided by their sum; what may be negative are scores, and takes a softmax."""
    node = one.node
    name = failure.text(node)
    try:
        values = torch.as_tensor(one.value).detach()
    except Exception:
        return
    if not values.is_floating_point() or not 1 <= values.dim() <= 2:
        return
    if bool((values >= 0).all()):
        told = f"`{name}` is divided by its sum, so that it sums to 1"
        if isinstance(one.value, (torch.Tensor, np.ndarray)) and values.dim() == 1:
            total = method(node, "sum")
            yield _Form(cst.BinaryOperation(operand(node), cst.Divide(), total), told)
            wide = _astype(node, "float64")
            if isinstance(one.value, np.ndarray):
                yield _Form(cst.BinaryOperation(wide, cst.Divide(), method(wide, "sum")), told, 1.2)
        elif isinstance(one.value, list):
            array = call(failure.name_of("numpy", "array"), cst.Arg(node))
            total = call("sum", cst.Arg(node))
            yield _Form(cst.BinaryOperation(array, cst.Divide(), total), told)
        return
    scores = _tensor_of(failure, one)
    if scores is not None:
        text = failure.text(scores)
        soft = cst.parse_expression(f"{failure.name_of('torch', 'softmax')}({text}, dim=-1)")
        new = soft if scores is node else node.deep_replace(scores, soft)
        if isinstance(new, cst.BaseExpression):
            yield _Form(new, f"`{text}` are scores: their softmax gives the probabilities")


def _tensor_of(failure: Failure, one: Operand) -> cst.BaseExpression | None:
    """The tensor that an operand is, or that its array was made of: `x` of `x.detach().numpy()`."""
    node: cst.BaseExpression = one.node
    while not isinstance(failure.value(node, one.frame), torch.Tensor):
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return None
        node = node.func.value
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in ("detach", "cpu"):
            break
        node = node.func.value
    return node


# -- whole numbers ---------------------------------------------------------------------------


def _unpacked_whole(failure: Failure, one: Operand) -> Rewrites:
    """`rows, columns = pairs.long()` for `rows, columns = pairs`: its other parts are whole too."""
    if not isinstance(one.value, torch.Tensor) or not isinstance(one.node, cst.Name):
        return
    made = assignment(failure, one.node.value, one.node)
    if made is None or not isinstance(made.targets[0].target, cst.Tuple):
        return
    whole = failure.value(made.value, one.frame)
    if not isinstance(whole, torch.Tensor) or not _OF_WHOLE.search(failure.error.message):
        return
    if whole.is_floating_point() and _is_whole(whole):
        told = f"`{failure.text(made.value)}` is used as whole numbers (int64)"
        yield _rewrite(failure, made.value, _Form(method(made.value, "long"), told))


def _made_whole(failure: Failure, one: Operand) -> Rewrites:
    """A size that became a fraction: `a // b` where it was divided without rest, else `int(…)`."""
    value = one.value
    if type(value) is not float or not _OF_WHOLE.search(failure.error.message):
        return
    if value != value or abs(value) > 1e9:
        return
    node = one.node
    for _ in range(_DEPTH):
        fraction = _fraction(failure, node, one.frame)
        made = assignment(failure, fraction.value, node) if fraction is not None else None
        if made is None:
            break
        node = made.value
    name = failure.text(one.node)
    whole = value.is_integer()
    new = _rounded(node, divides=whole)
    told = f"`{name}` is made a whole number"
    if isinstance(new, cst.BinaryOperation):
        told = f"`{failure.text(node)}` is divided to a whole number"
    yield _rewrite(failure, node, _Form(new, told, COST.SURE, supposes=not whole))


def _length(failure: Failure) -> Rewrites:
    """`return n // 2` for `return n / 2` in the `__len__` of what is counted."""
    if "'float' object cannot be interpreted as an integer" not in failure.error.message:
        return
    held = [value for names in failure.live.names for value in names.values()]
    for place in failure.places[:1]:
        held += [failure.value(node, place.frame) for node in failure.expressions(place.node)]
    loaders = [value for value in held if isinstance(value, torch.utils.data.DataLoader)]
    sizes = {type(v).__name__: _length_of(v) for v in (*held, *(one.dataset for one in loaders))}
    for function in failure.all(cst.FunctionDef):
        own, returned = failure.up(function, cst.ClassDef), failure.inside(function, cst.Return)
        if own is None or function.name.value != "__len__" or len(returned) != 1:
            continue
        node = returned[0].value
        if node is not None and type(sizes.get(own.name.value)) is float:
            told = f"the length `{failure.text(node)}` is made a whole number"
            yield _rewrite(failure, node, _Form(_rounded(node), told))


def _length_of(value: Any) -> Any:
    try:
        return type(value).__len__(value)
    except Exception:  # a stranger's code, or it has none
        return None


def _rounded(node: cst.BaseExpression, *, divides: bool = True) -> cst.BaseExpression:
    """`a // b` for `a / b`, else `int(…)`."""
    if divides and isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Divide):
        return node.with_changes(operator=cst.FloorDivide())
    return call("int", cst.Arg(node.with_changes(lpar=(), rpar=())))


def _fraction(failure: Failure, node: cst.BaseExpression, frame: int) -> cst.Name | None:
    """The variable that brings the fraction into an expression; None if it arises right there."""
    for name in failure.inside(node, cst.Name):
        if type(failure.value(name, frame)) is float:
            return name
    return None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still computed of the same operands; tensors that it joined are stacked."""
    error = before.error
    if error is not None and error.code.startswith("for "):
        kept = error.code.partition("\n")[0] in proposal.code
        return [Check.of("loop", kept, "the same is gone through", "another loop is gone through")]
    joined = re.search(rf"\b(?:{'|'.join(_JOINS)})\(([\w.]+)\)", error.code if error else "")
    if joined is not None and re.search(rf"\bstack\({re.escape(joined[1])}\)", proposal.code):
        return []
    may_go = ("[",) if ONE_HOT in proposal.title else ()
    return [still_computed(error, proposal.code, may_go=may_go), _of_the_same(error, proposal.code)]


def _of_the_same(error: HasMessage | None, code: str) -> Check:
    """A mask that was to be turned is turned; of complex numbers no part is left out."""
    written = getattr(error, "code", "")
    turned = re.fullmatch(r"(?:1(?:\.0?)?|True) - (.{1,200})", written)
    forms = (f"~{turned[1]}", f"- {turned[1]}.float()") if turned is not None else ("",)
    if error is not None and is_a(error, "grad_of_complex"):
        forms = (".abs()",)
    kept = any(form in code for form in forms)
    detail = "it is computed of the same values" if kept else "it is computed of something else"
    return Check(name="same values", passed=kept, detail=detail)
