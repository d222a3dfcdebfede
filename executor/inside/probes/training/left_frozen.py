"""Find parts that begin with random values and are frozen by accident, among others that train.

A run decides what is frozen and what moves beside it. The text decides what is new, and whether
somebody meant to freeze it: who names a part when he freezes it means it, and what stands in for a
trained backbone is frozen as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training import by_its_class
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.loading import Loads
from executor.inside.probes.training.quiet import parameters, quietly
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.twins import parts
from executor.inside.remarks.edits import added, put, way
from executor.inside.remarks.syntax import (
    assigned,
    blocks,
    dotted,
    functions,
    is_layer,
    tail,
    words,
)
from executor.inside.walking import walk

_FLAG = {"requires_grad", "requires_grad_"}
_NORMS = (private.BatchNorm, nn.LayerNorm, nn.GroupNorm, nn.Embedding, nn.EmbeddingBag)
_TRAINED_BESIDE = 3  # layers of which all train but the one in their midst
# What a network learns by every convention, and what is given to it.
_LEARNT = re.compile(
    r"(?i)(?:\w+_)?(?:b|bias(?:es)?|gamma|beta|quer(?:y|ies)|cls|(?:cls|class)_token|pos_emb\w*)"
)
_DRAWN = re.compile(r"(?i)(?:\w+_)?(?:bias(?:es)?|quer(?:y|ies)|cls|(?:cls|class)_token)")
_MEANT = re.compile(
    r"(?i)fix|frozen|freez|random|fourier|rff|proj|hash|sketch|reservoir|prior|base|const|target"
    r"|teacher|ema|lora|adapter|not (?:train|learn)|non_?(?:train|learn)|un(?:train|learn)"
)


def report_left_frozen(
    collector: FindingCollector,
    tree: ast.Module,
    namespace: dict[str, Any],
    roots: list[nn.Module],
    steps: Steps,
    loads: Loads,
) -> None:
    """Add the parts that nobody meant to freeze, after the run."""
    frozen = _Frozen(steps, loads)
    if not any(frozen.of(root) for root in roots):
        return
    text = steps.names.source.lines
    known = [*roots, *(v for v in namespace.values() if issubclass(type(v), nn.Module))]
    _report_new(collector, tree, known, frozen, text)
    _report_between(collector, tree, known, roots, frozen)
    _report_made_so(collector, tree, roots, frozen, text)
    by_its_class.report(collector, tree, roots, frozen, text)


class _Frozen:
    """What of the modules is frozen and was loaded from nowhere, and what trains."""

    def __init__(self, steps: Steps, loads: Loads) -> None:
        self._optimized = steps.optimized
        self._loads = loads

    def of(self, module: nn.Module) -> bool:
        """Whether a part of it is frozen."""
        return any(not p.requires_grad for _, p in parameters(module))

    def wholly(self, module: nn.Module) -> bool:
        """Whether all of it is frozen, with values of its own."""
        own = [p for _, p in parameters(module)]
        return bool(own) and all(not p.requires_grad and self._is_own(p) for p in own)

    def moves(self, module: nn.Module) -> bool:
        """Whether a step has moved a part of it."""
        return any(
            p.requires_grad and (w := self._optimized.get(id(p))) is not None and w.moved
            for _, p in parameters(module)
        )

    def _is_own(self, p: torch.Tensor) -> bool:
        w = self._optimized.get(id(p))
        return not self._loads.is_loaded(p) and (w is None or not w.moved)


# -- a new part of a model ------------------------------------------------------------------------


@dataclass
class _New:
    """A statement that gives a model a new part."""

    statement: ast.stmt
    path: str  # `model.fc`, `model.classifier[1]`
    name: str  # `fc`, `1`
    kind: str  # the class of the part


def _new_parts(tree: ast.Module) -> Iterator[_New]:
    """`model.fc = nn.Linear(…)`, `net[2] = …`, `model.add_module("neck", …)`; no class's own."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr=name) as target], value=ast.Call() as made):
                path = ast.unparse(target)
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value=at)) as target],
                value=ast.Call() as made,
            ):
                path, name = ast.unparse(target), str(at)
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(attr="add_module" | "register_module", value=of),
                    args=[ast.Constant(value=str() as name), ast.Call() as made],
                )
            ):
                path = f"{ast.unparse(of)}.{name}"
            case _:
                continue
        if _is_of_layers(made) and path != f"self.{name}":
            yield _New(node, path, name, tail(made))


def _is_of_layers(made: ast.Call) -> bool:
    """Whether it makes layers of PyTorch's here: what a program's own class makes may be loaded."""
    held = [c for c in walk(made) if isinstance(c, ast.Call) and is_layer(c)]
    return bool(held) and (is_layer(made) or tail(made) in ("Sequential", "ModuleList"))


def _report_new(
    collector: FindingCollector,
    tree: ast.Module,
    known: list[nn.Module],
    frozen: _Frozen,
    text: list[str],
) -> None:
    for new in _new_parts(tree):
        if _is_named(tree, new.path) or _is_filled(tree, new.path):
            continue
        if _MEANT.search(new.path) or _says_so(new.statement, text):
            continue
        for owner in {id(p): p for root in known for p in parts(root)}.values():
            part = private.modules_of(owner).get(new.name)
            if part is None or type(part).__name__ != new.kind:
                continue
            if frozen.wholly(part) and frozen.moves(_model_of(new, known, owner)):
                thaw = f"{new.path}.requires_grad_(True)"
                place = _freezes_after(tree, new.statement)
                collector.add(
                    "frozen_with_the_rest",
                    new.statement.lineno,
                    new.path,
                    f"`{new.path}` is made here with random values, and frozen with the rest: it "
                    "never learns, while other parts of the model do; thaw it behind the freezing: "
                    f"`{thaw}`",
                    ways=[way(f"`{new.path}` is trained", add=added(thaw, place, after=True))]
                    if place is not None
                    else [],
                )
                return


def _model_of(new: _New, known: Iterable[nn.Module], owner: nn.Module) -> nn.Module:
    """The model whose part it is: of `self.body.fc` it is `body`, of a variable's the outermost."""
    holds = [m for m in known if any(p is owner for p in parts(m))]
    first = new.path.removeprefix("self.").partition(".")[0]
    if new.path.startswith("self."):
        inner = [private.modules_of(p).get(first) for m in holds for p in parts(m)]
        holds = [m for m in inner if m is not None and any(p is owner for p in parts(m))] or holds
    return holds[0] if holds else owner


def _says_so(node: ast.stmt | ast.Call, text: list[str]) -> bool:
    """Whether its lines, or a comment above them, say that it is meant."""
    above = text[node.lineno - 2] if node.lineno > 1 else ""
    lines = text[node.lineno - 1 : node.end_lineno or node.lineno]
    said = [above] if above.lstrip().startswith("#") else []
    return any(map(_MEANT.search, [*said, *lines]))


def _is_named(tree: ast.Module, path: str) -> bool:
    """Whether the text freezes this part by its name, or gives it to what freezes."""
    freezing = [n for f in functions(tree).values() if words(f) & _FLAG for n in [f.name]]
    for node in walk(tree):
        match node:
            case ast.For(iter=over, body=body):
                said = any(words(s) & _FLAG and not _only_thaws(s) for s in body)
                if said and _mentions(over, path):
                    return True
            case ast.Call(func=ast.Attribute(attr="requires_grad_", value=of), args=[given]):
                if _is_false(given) and _mentions(of, path):
                    return True
            case ast.Call(args=given) if tail(node) in freezing:
                if any(_mentions(a, path) for a in given):
                    return True
    return False


def _only_thaws(statement: ast.stmt) -> bool:
    """`p.requires_grad = True`, `p.requires_grad_()`."""
    match statement:
        case ast.Assign(value=ast.Constant(value=True)):
            return True
        case ast.Expr(value=ast.Call(args=args)):
            return not any(_is_false(a) for a in args)
    return False


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _mentions(node: ast.AST, path: str) -> bool:
    return any(
        isinstance(n, ast.Attribute | ast.Subscript) and ast.unparse(n) == path for n in walk(node)
    )


def _is_filled(tree: ast.Module, path: str) -> bool:
    """Whether its values come from elsewhere: `model.fc.weight.copy_(…)`, `… .data = …`."""
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="copy_" | "load_state_dict", value=of)):
                filled: ast.AST = of
            case ast.Assign(targets=[ast.Attribute(attr="data" | "weight" | "bias") as target]):
                filled = target
            case _:
                continue
        if _mentions(filled, path):
            return True
    return False


def _freezes_after(tree: ast.Module, statement: ast.stmt) -> ast.stmt | None:
    """The last statement of its block that freezes, or thaws."""
    freezing = {f.name for f in functions(tree).values() if words(f) & _FLAG}
    for block in blocks(tree):
        if statement in block:
            later = block[block.index(statement) + 1 :]
            places = [s for s in later if _switches(s, freezing)]
            return places[-1] if places else None
    return None


def _switches(statement: ast.stmt, freezing: set[str]) -> bool:
    match statement:
        case ast.For():
            return bool(words(statement) & _FLAG)
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")]):
            return True
        case ast.Expr(value=ast.Call() as call):
            return tail(call) in {*_FLAG, *freezing}
    return False


# -- one layer between trained ones ---------------------------------------------------------------


def _report_between(
    collector: FindingCollector,
    tree: ast.Module,
    known: list[nn.Module],
    roots: list[nn.Module],
    frozen: _Frozen,
) -> None:
    """All layers of a row are trained, by their names, but one in their midst."""
    said = list(_selections(tree))
    if not said:
        return
    called = {id(m) for root in roots for m in parts(root)}
    for owner in {id(p): p for root in known for p in parts(root)}.values():
        row = [
            (name, m)
            for name, m in private.modules_of(owner).items()
            if m is not None and any(True for _ in parameters(m)) and not isinstance(m, _NORMS)
        ]
        still = [i for i, (_, m) in enumerate(row) if frozen.wholly(m)]
        if len(still) != 1 or len(row) <= _TRAINED_BESIDE or not 0 < still[0] < len(row) - 1:
            continue
        name, layer = row[still[0]]
        others = [(n, m) for n, m in row if m is not layer]
        if id(layer) not in called or not all(frozen.moves(m) for _, m in others):
            continue
        if not any(type(m) is type(layer) for _, m in others):
            continue
        for statement, asked in said:
            around = {row[still[0] - 1][0], row[still[0] + 1][0]}
            if not any(name == a or a in name for a in asked) and all(
                any(a in n for a in asked) for n in around
            ):
                collector.add(
                    "frozen_with_the_rest",
                    statement.lineno,
                    name,
                    f"`{name}` is frozen with the random values that it began with, and all other "
                    f"layers are trained, those before it and those behind it: what is named here "
                    "leaves it out; a layer that never learns passes on less than there is",
                )
                return


def _selections(tree: ast.Module) -> Iterator[tuple[ast.stmt, set[str]]]:
    """Each loop that says by names which parameters are trained, with these names."""
    for node in walk(tree):
        if not isinstance(node, ast.For) or not words(node) & _FLAG:
            continue
        asked = {
            str(n.value)
            for n in walk(node)
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) > 1
        }
        asked |= {n.attr for n in walk(node.iter) if isinstance(n, ast.Attribute)}
        listed = {w for n in walk(node) if (w := dotted(n))}
        for _, name, value in assigned(tree):
            if name and name in listed:
                asked |= {
                    n.value
                    for n in walk(value)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value
                }
        yield node, {a.strip(".") for a in asked} - {""}


# -- a parameter that is made so ------------------------------------------------------------------


def _report_made_so(
    collector: FindingCollector,
    tree: ast.Module,
    roots: list[nn.Module],
    frozen: _Frozen,
    text: list[str],
) -> None:
    """`self.bias = nn.Parameter(torch.zeros(n), requires_grad=False)` beside what is trained."""
    classes = {c.name: c for c in walk(tree) if isinstance(c, ast.ClassDef)}
    for root in (r for r in roots if frozen.moves(r)):
        for part in parts(root):
            own = classes.get(type(part).__name__)
            if own is None or _MEANT.search(own.name):
                continue
            for name, p in private.parameters_of(part).items():
                if p is None or p.requires_grad or not _LEARNT.fullmatch(name):
                    continue
                call = _made_so(own, name)
                if call is None or not _begins(call, p, name) or _is_fixed(own, name, call, text):
                    continue
                keyword = next(k for k in call.keywords if k.arg == "requires_grad")
                zeros = tail(call.args[0]) if isinstance(call.args[0], ast.Call) else ""
                still = {"zeros": ": it stays 0", "ones": ": it stays 1"}.get(zeros, "")
                collector.add(
                    "frozen_as_made",
                    call.lineno,
                    name,
                    f"`{name}` of `{own.name}` is made with `requires_grad=False`, so that it "
                    f"keeps the values that it began with{still}, while what stands beside it is "
                    "trained; leave the argument out, or register it as a buffer if it is a "
                    "constant",
                    ways=[way(f"`{name}` is trained", put(keyword.value, "True"))],
                )
                return


def _made_so(own: ast.ClassDef, name: str) -> ast.Call | None:
    """The call of nn.Parameter that says so, if it is the only statement that sets it."""
    made = [v for _, n, v in assigned(own) if n == f"self.{name}"]
    match made:
        case [ast.Call(args=[ast.expr(), *_], keywords=[*keywords]) as call] if (
            tail(call) == "Parameter"
        ):
            off = any(k.arg == "requires_grad" and _is_false(k.value) for k in keywords)
            return call if off else None
    return None


def _begins(call: ast.Call, p: torch.Tensor, name: str) -> bool:
    """Whether it holds what an initializer gave it: nothing yet, or a draw that is to be learnt."""
    if p.numel() < 2:
        return False
    given = words(call.args[0])
    with quietly():
        even = bool((p == p.flatten()[0]).all())
    if given & {"zeros", "ones", "zeros_like", "ones_like", "full"}:
        return even
    return bool(given & {"randn", "rand", "empty", "normal"}) and bool(_DRAWN.fullmatch(name))


def _is_fixed(own: ast.ClassDef, name: str, call: ast.Call, text: list[str]) -> bool:
    """Whether the class shows that it is meant so: it says it, fills it, or makes waves of it."""
    if _says_so(call, text) or words(own) & {"sin", "cos"}:
        return True
    for node in walk(own):
        match node:
            case ast.Call(func=ast.Attribute(attr=method, value=of)) if (
                method.endswith("_") and method[:1] != "_"
            ):
                if f"self.{name}" in ast.unparse(of):
                    return True
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                if f"self.{name}" in ast.unparse(target) and node.value is not call:
                    return True
    return False
