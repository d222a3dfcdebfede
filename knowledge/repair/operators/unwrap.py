"""Take the tensor out of the pair that a call returned: `x, _ = lstm(x)`, `x.max(1).indices`.

What holds a tuple where a tensor is wanted is known by its live value, and so is which of its
entries the failing expression can be evaluated with. A layer that returns its outputs first leaves
one meaning; of other pairs each entry that fits is another one.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Beside, Program
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module, works
from knowledge.repair.toolkit.shapes import same_layers, still_computed
from knowledge.repair.toolkit.sites import assignment

TYPES = frozenset({"TypeError", "AttributeError", "RuntimeError", "ValueError", "IndexError"})
_FRAMES = 3
_OF_EACH = frozenset({"detach", "to", "cuda", "cpu", "clone", "float", "double", "half", "long"})
_MOST = 3  # entries of a tuple
_RECURRENT = re.compile(r"(?:^|\.)(?:LSTM|GRU|RNN)$")
_ASKED = "is asked of each part"
_STATES = ("the last hidden state", "the last cell state")


class _Entry(NamedTuple):
    at: int
    field: str  # of a named tuple
    told: str


class _Held(NamedTuple):
    """An expression that is worth a tuple, and the call that returned that."""

    node: cst.BaseExpression
    value: Any  # a tuple or a list
    made: cst.Assign | None  # `pair = call(…)`


def edits(failure: Failure) -> Rewrites:
    """Each entry with which the failing expression can be evaluated, where the pair is made."""
    looped = [r for place in failure.places[:_FRAMES] for r in _of_a_loop(failure, place)]
    yield from looped
    yield from _in_a_row(failure)
    for place in () if looped else failure.places[:_FRAMES]:
        yield from _of_a_dict(failure, place)
        yield from _only_one(failure, place)
        if place.frame != -1 and called_module(failure, place) is None:
            return  # a function of the program's own takes the tuple as it is
        for held in _held(failure, place):
            if (every := _of_each(failure, place, held)) is not None:
                yield every
            if _is_gone_through(failure, held):
                continue
            entries = [
                e
                for e in _entries(failure, place, held)
                if works(failure, place, held.node, _of(held.node, e))
            ]
            yield from (_taken(failure, held, e, len(entries) == 1) for e in entries)
            if entries:
                return


def _in_a_row(failure: Failure) -> Rewrites:
    """A layer behind the `nn.LSTM` of a Sequential, which hands its steps on and not the pair."""
    rows = [
        (call, at)
        for call in failure.all(cst.Call)
        if failure.text(call.func).endswith("Sequential")
        for at, given in enumerate(call.args[:-1])
        if isinstance(given.value, cst.Call) and _RECURRENT.search(failure.text(given.value.func))
    ]
    if len(rows) != 1 or not any(
        isinstance(called_module(failure, place), torch.nn.Sequential) for place in failure.places
    ):
        return
    call, at = rows[0]
    base, text = failure.name_of("torch.nn", "Module"), failure.text(call.args[at].value)
    first = re.search(r"batch_first\s*=\s*True", text)
    top = next(s for s in failure.module.body if call in failure.inside(s, cst.Call))
    for wanted, what, taken in (
        ("Steps", "its steps on, without the state", ""),
        ("LastStep", "its last step on", "[:, -1]" if first else "[-1]"),
    ):
        name = free_name(failure, wanted)
        layer = cst.Arg(cst.parse_expression(f"{name}()"), comma=call.args[at].comma)
        row = call.with_changes(args=[*call.args[: at + 1], layer, *call.args[at + 1 :]])
        forward = f"    def forward(self, pair):\n        return pair[0]{taken}\n"
        code = f"class {name}({base}):\n{forward}"
        new = cst.ensure_type(cst.parse_statement(code), cst.ClassDef)
        apart = [cst.EmptyLine(indent=False)] * 2
        body = cst.ensure_type(new.body, cst.IndentedBlock).with_changes(footer=apart)
        told = f"`{text}` hands {what}"
        changed = failure.replace({call: row}, beside={top: Beside(new.with_changes(body=body))})
        meaning = f"the next layer is to get {'the last' if taken else 'each'} step's output"
        yield failure.edit(changed, told, meaning, at=call.args[at])


def _of_a_loop(failure: Failure, place: Place) -> Rewrites:
    """`for x, y in loader` for `for x in loader`, where the loop goes on with a `y`."""
    for name in failure.inside(place.node, cst.Name):
        batch = failure.value(name, place.frame)
        loop = next((f for f in failure.all(cst.For) if failure.text(f.target) == name.value), None)
        if not isinstance(batch, (list, tuple)) or loop is None:
            continue
        if not all(isinstance(part, torch.Tensor) for part in batch):
            continue
        others = [
            n.value
            for n in failure.inside(loop.body, cst.Name)
            if n.value in failure.result.undefined
        ]
        others = list(dict.fromkeys(others))
        if len(others) == len(batch) - 1 > 0:
            names = ", ".join((name.value, *others))
            new = cst.ensure_type(cst.parse_expression(f"({names})"), cst.Tuple)
            bare = new.with_changes(lpar=(), rpar=())
            told, meant = f"each batch holds {names}", f"a batch is {names}, in this order"
            yield failure.edit({loop.target: bare}, told, meant, at=loop)


def _of_a_dict(failure: Failure, place: Place) -> Rewrites:
    """`x, y = batch["x"], batch["y"]` for `x, y = batch`, which gives the keys of a dictionary."""
    for name in failure.inside(place.node, cst.Name):
        if not isinstance(failure.value(name, place.frame), str):
            continue
        made = assignment(failure, name.value, place.node)
        target = made.targets[0].target if made is not None else None
        if made is None or not isinstance(target, cst.Tuple):
            continue
        held = failure.value(made.value, place.frame)
        if not isinstance(held, dict) or len(held) != len(target.elements):
            continue
        names = [failure.text(e.value) for e in target.elements]
        keys = [key for n in names for key in held if _is_named(n, key)]
        if len(keys) != len(names) or len(set(keys)) != len(keys):
            continue
        text = failure.text(made.value)
        entries = ", ".join(f'{text}["{key}"]' for key in keys)
        new = cst.parse_expression(f"({entries})").with_changes(lpar=(), rpar=())
        told = "unpacking a dict gives its keys; the entries are taken by them"
        meaning = f"`{text}` has an entry for each of {', '.join(names)}"
        yield failure.edit({made.value: new}, told, meaning, at=made)
        return


def _only_one(failure: Failure, place: Place) -> Rewrites:
    """`out = net(images)[0]`, where the call gave a list of one dictionary, which is asked."""
    node = place.node
    asked = node.value if isinstance(node, (cst.Subscript, cst.Attribute)) else None
    if not isinstance(asked, cst.Name):
        return
    held = failure.value(asked, place.frame)
    if not isinstance(held, (list, tuple)) or len(held) != 1 or not isinstance(held[0], Mapping):
        return
    made = assignment(failure, asked.value, node)
    uses = [n for n in failure.all(cst.Name) if n.value == asked.value]
    entries = [failure.parent(n) for n in uses[1:]]
    fits = all(isinstance(e, (cst.Subscript, cst.Attribute)) for e in entries)
    if made is not None and isinstance(made.value, cst.Call) and fits:
        told = f"`{failure.text(made.value.func)}` gives a list of one, and its entry is meant"
        yield failure.edit({made.value: _of(made.value, _Entry(0, "", ""))}, told)


def _is_named(name: str, key: object) -> bool:
    """Whether a variable is named after a key: `images` after "image"."""
    if not isinstance(key, str):
        return False
    a, b = name.lower(), key.lower()
    return a.startswith(b) or b.startswith(a)


def _of_each(failure: Failure, place: Place, held: _Held) -> Rewrite | None:
    """`tuple(part.detach() for part in state)` for `state.detach()`."""
    node = failure.parent(place.node) if isinstance(place.node, cst.Attribute) else place.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    is_name = isinstance(held.node, cst.Name)
    if node.func.value is not held.node or node.func.attr.value not in _OF_EACH or not is_name:
        return None
    if not all(isinstance(v, torch.Tensor) for v in held.value):
        return None
    inner = failure.module.code_for_node(
        node.with_changes(func=node.func.with_changes(value=cst.Name("part")))
    )
    kind, text = type(held.value).__name__, failure.text(held.node)
    new = cst.parse_expression(f"{kind}({inner} for part in {text})")
    if kind == "list":
        new = cst.parse_expression(f"[{inner} for part in {text}]")
    told = f"`{text}` is a {kind}: `{node.func.attr.value}` {_ASKED}"
    return failure.edit({node: new}, told)


def _is_gone_through(failure: Failure, held: _Held) -> bool:
    """Whether the code goes through it, or takes entries of it, elsewhere: then it is meant."""
    text = failure.text(held.node)
    if held.made is None:
        return False
    loops = [f.iter for f in failure.all(cst.For)] + [f.iter for f in failure.all(cst.CompFor)]
    taken = [s for s in failure.all(cst.Subscript) if not _is_indexed_like_a_tensor(s)]
    entries = [s.value for s in taken]
    return any(
        n.value == text for node in (*loops, *entries) for n in failure.inside(node, cst.Name)
    )


def _held(failure: Failure, place: Place) -> Iterator[_Held]:
    """Names, entries and calls in a failing expression that are worth a tuple of tensors."""
    statement = failure.small_statement(place.node)
    kinds = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
    for node in failure.expressions(place.node):
        if not isinstance(node, kinds) or node is place.node:
            continue
        parent = failure.parent(node)
        fails = parent is place.node and _is_indexed_like_a_tensor(parent)
        is_none = isinstance(parent, (cst.Subscript, cst.AssignTarget)) and not fails
        if is_none or failure.is_label(node):
            continue
        if isinstance(parent, cst.Attribute) and isinstance(node, cst.Call) and node.args == ():
            continue
        value = failure.value(node, place.frame)
        if isinstance(value, list) and isinstance(node, cst.Name) and _is_listed(failure, node):
            continue
        if _is_pair(value):
            made = assignment(failure, failure.text(node), node)
            is_own = made is not None and made is not statement and isinstance(made.value, cst.Call)
            if made is not None and not isinstance(made.targets[0].target, cst.Name):
                is_own = False  # it is a part of what the call gave
            yield _Held(node, value, made if is_own else None)


def _is_indexed_like_a_tensor(node: cst.CSTNode) -> bool:
    """`out[:, -1]`: several indices at once, which no tuple takes."""
    return isinstance(node, cst.Subscript) and len(node.slice) > 1


def _is_listed(program: Program, node: cst.Name) -> bool:
    """Whether the code itself writes the list, part by part."""
    made = assignment(program, node.value, node)
    return made is not None and isinstance(made.value, (cst.List, cst.ListComp))


def _is_pair(value: Any) -> bool:
    return (
        type(value) is not torch.Size
        and isinstance(value, (tuple, list))
        and 2 <= len(value) <= _MOST
        and not isinstance(value, torch.nn.utils.rnn.PackedSequence)
        and any(_is_entry(v) for v in value)
    )


def _is_entry(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, torch.nn.utils.rnn.PackedSequence))


def _entries(failure: Failure, place: Place, held: _Held) -> Iterator[_Entry]:
    """The entries that may be meant, with their names."""
    text = failure.text(held.node)
    fields = [f for f in dir(type(held.value)) if f in ("values", "indices", "Q", "R", "mode")]
    maker = _maker(failure, place, held)
    layers = (torch.nn.RNNBase, torch.nn.MultiheadAttention)
    for index, value in enumerate(held.value):
        if not _is_entry(value):
            continue
        field = next((f for f in fields if getattr(held.value, f) is value), "")
        if isinstance(maker, layers):
            if index == 0:
                yield _Entry(0, "", f"the output of `{text}` (its first result)")
        elif field:
            what = {"values": "the largest or smallest themselves", "indices": "where they stand"}
            yield _Entry(index, field, what.get(field, f"`{field}`"))
        elif text.endswith("[1]") and len(held.value) == len(_STATES):
            yield _Entry(index, "", _STATES[index])
        else:
            yield _Entry(index, "", f"the {('first', 'second', 'third')[index]} of `{text}`")


def _maker(failure: Failure, place: Place, held: _Held) -> Any:
    """The module whose call gave it, as far as the code says."""
    node = held.made.value if held.made is not None else held.node
    if isinstance(node, cst.Call):
        return failure.value(node.func, place.frame)
    return _hooked(failure, place) if isinstance(node, cst.Name) else None


def _hooked(failure: Failure, place: Place) -> Any:
    """The module of `hook(module, inputs, output)` that the expression stands in."""
    function = failure.up(place.node, cst.FunctionDef)
    names = [p.name for p in function.params.params] if function is not None else []
    return failure.value(names[0], place.frame) if len(names) == 3 else None


def _of(node: cst.BaseExpression, entry: _Entry) -> cst.BaseExpression:
    if entry.field:
        return cst.Attribute(node, cst.Name(entry.field))
    return cst.Subscript(node, [cst.SubscriptElement(cst.Index(cst.Integer(str(entry.at))))])


def _taken(failure: Failure, held: _Held, entry: _Entry, is_only: bool) -> Rewrite:
    changes: Mapping[cst.CSTNode, cst.CSTNode]
    if held.made is None:
        new = _of(held.node, entry)
        if _is_hooked_often(failure, held.node):
            text = failure.text(held.node)
            new = cst.parse_expression(f"({text}[0] if isinstance({text}, tuple) else {text})")
        changes, node = {held.node: new}, held.node
    else:
        node = held.made.value
        target = held.made.targets[0].target
        if entry.field or len(held.value) > 2 or not isinstance(target, cst.Name):
            changes = {node: _of(node, entry)}
        else:
            other = cst.Name("_")
            both = (target, other) if entry.at == 0 else (other, target)
            changes = {target: _pair(*both)}
    function = failure.text(node.func) if isinstance(node, cst.Call) else failure.text(node)
    title = f"line {failure.line(node)}: `{function}` gives {_count(held)}; {entry.told} is taken"
    likely = not is_only and entry.field == "values"
    cost = COST.SURE + (0.1 if likely or entry.at else 0.0)
    return Rewrite(failure.replace(changes), title, f"{entry.told} is meant", cost=cost)


def _is_hooked_often(program: Program, node: cst.BaseExpression) -> bool:
    """Whether it is what a hook is given that is registered for module after module."""
    function = program.up(node, cst.FunctionDef)
    hooks = [c for c in program.all(cst.Call) if "register_forward_hook" in program.text(c.func)]
    often = any(program.up(c, cst.For) or program.up(c, cst.ListComp) for c in hooks)
    return often and function is not None and len(function.params.params) == 3


def _count(held: _Held) -> str:
    return "a pair" if len(held.value) == 2 else f"a tuple of {len(held.value)}"


def _pair(first: cst.Name, second: cst.Name) -> cst.Tuple:
    elements = [cst.Element(cst.Name(first.value)), cst.Element(second)]
    return cst.Tuple(elements, lpar=(), rpar=())


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same computation on an entry, with every layer there."""
    layers = same_layers(before, after)
    if proposal.title.endswith(_ASKED) and " for part in " in proposal.code:
        return [layers]
    return [still_computed(before.error, proposal.code, allowed=("[", "_")), layers]
