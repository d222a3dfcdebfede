"""Find models that are to follow another one, an average or a target network, and never do.

Where the text has a loop over the weights of both that writes into neither, `Module.parameters` is
listened to, so that the run tells which models they are, and whether the loop left them alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import fixed
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.follower_edits import brought_up_to_date, never_called
from executor.inside.probes.training.heard import Heard
from executor.inside.probes.training.quiet import equal, parameters, quietly
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.watched import Watched
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import assigned, functions, without_gradients
from executor.inside.walking import walk

_ROUNDS = 2  # of the loop, at least
_TENSORS = 8
_ELEMENTS = 1 << 18
_UNSEEN = nn.Identity()  # stands for an attribute, which no variable of the program is
_STEPS = 50  # after which a target network would have been brought up to date once
# How a model is called that is to follow another one.
_FOLLOWS = re.compile(r"(?i)(?:^|_)(?:target|targ|tgt|ema|momentum|avg|averaged?)(?:_|$)|\w_t$")
_FACTOR = re.compile(r"gamma|discount", re.I)
_REWARD = re.compile(r"(^|_)r(s|ew\w*)?(_|$)|reward", re.I)
# What may be done to a target network that leaves its weights alone.
_KEEPS = {"eval", "train", "to", "cuda", "cpu", "requires_grad_", "parameters", "float", "double"}


@dataclass
class _Pair:
    """What one loop has gone over."""

    follower: nn.Module
    leader: nn.Module
    at_first: list[torch.Tensor] = field(default_factory=list)
    rounds: int = 1


class Followers:
    """The models that loops without an effect were to bring closer to others."""

    def __init__(
        self,
        source: SnippetSource,
        tree: ast.Module,
        is_loaded: Callable[[torch.Tensor], bool] = lambda _: False,
    ) -> None:
        """Args: source, tree: the snippet; is_loaded: whether a weight was loaded."""
        self.source = source
        self._tree = tree
        self._is_loaded = is_loaded
        self._loops = dict(_without_effect(tree))
        self._open: dict[ast.For, list[nn.Module]] = {}
        self._pairs: dict[ast.For, _Pair] = {}
        self._held: dict[str, nn.Module] = {}  # what is called a target or an average

    def start(self) -> None:
        """Listen, if there is such a loop."""
        if self._loops:
            self._original = nn.Module.parameters
            nn.Module.parameters = Heard(self._original, self._hear)  # type: ignore

    def stop(self) -> None:
        """Stop listening."""
        if self._loops:
            nn.Module.parameters = self._original  # type: ignore[method-assign]

    def _hear(self, module: nn.Module) -> None:
        line = self.source.line_now() or 0
        for loop in self._loops:
            if loop.iter.lineno <= line <= (loop.iter.end_lineno or 0):
                heard = self._open.setdefault(loop, [])
                heard.append(module)
                if len(heard) == 2:
                    self._note(loop, *self._open.pop(loop))

    def _note(self, loop: ast.For, follower: nn.Module, leader: nn.Module) -> None:
        pair = self._pairs.get(loop)
        if pair is None:
            self._pairs[loop] = _Pair(follower, leader, _copies(follower, self._original))
        elif pair.follower is follower and pair.leader is leader:
            pair.rounds += 1

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Note the models that are called so, those of the snippet's objects too, at a step."""
        for name, value in variables:
            held = _attributes(value) if type(value).__module__ == "__main__" else {}
            is_module = issubclass(type(value), nn.Module)
            inner = private.modules_of(value) if is_module else {}
            for path, one in ((name, value), *((f"self.{k}", v) for k, v in held.items()),
                              *((f"self.{k}", v) for k, v in inner.items())):  # fmt: skip
                if issubclass(type(one), nn.Module) and _FOLLOWS.search(path.rpartition(".")[2]):
                    self._held.setdefault(path, one)

    def report(
        self, collector: FindingCollector, steps: Steps, namespace: Mapping[str, Any]
    ) -> None:
        """Add those that have stayed as they were, after the run; `namespace`: its variables."""
        for loop, pair in self._pairs.items():
            if pair.rounds < _ROUNDS or not pair.at_first or pair.follower is pair.leader:
                continue
            original = nn.Module.parameters
            now, wanted = _copies(pair.follower, original), _copies(pair.leader, original)
            if _same(pair.at_first, now) and not _same(now, wanted):
                of, to = (ast.unparse(c.func.value) for c in _called(loop))  # type: ignore
                collector.add(
                    "follows_nothing",
                    loop.body[0].lineno,
                    of,
                    f"{self._loops[loop]}: after {pair.rounds} rounds of this loop `{of}` has the "
                    f"weights that it began with, and `{to}` has others; write into the weights, "
                    "under `torch.no_grad()`: `a.mul_(decay).add_(b, alpha=1 - decay)`, or "
                    "`a.copy_(b)`",
                    ways=[*_written(self._tree, loop, of)],
                )
        self._report_targets(collector, steps, namespace)

    def _report_targets(
        self, collector: FindingCollector, steps: Steps, namespace: Mapping[str, Any]
    ) -> None:
        """A target network that the code makes, asks for values, and never touches again."""
        self._report_copies(collector, steps)
        most = max((r.steps for r in steps.records.values()), default=0)
        if most < _STEPS:
            return
        for name, line in _targets(self._tree):
            if not isinstance(namespace.get(name, _UNSEEN), nn.Module):
                continue  # a class of records that is called, a function
            collector.add(
                "target_never_follows",
                line,
                name,
                f"`{name}` gives the values that `gamma` is multiplied by, and nothing brings it "
                f"up to date: after {most} steps it still has its first weights, so that what is "
                "learned is one step away from random; every so many steps call "
                f"`{name}.load_state_dict(….state_dict())` with the trained network",
                ways=brought_up_to_date(self._tree, name),
            )

    def _report_copies(self, collector: FindingCollector, steps: Steps) -> None:
        """What is called a target or an average, and is the trained one as it was at first."""
        for path, held in self._held.items():
            own = [p for _, p in parameters(held)]
            if any(id(p) in steps.optimized or id(p) in steps.held for p in own):
                continue
            leader = _leader(own, steps)
            calls = any(isinstance(n, ast.Call) and _is(n.func, path) for n in walk(self._tree))
            if leader is None or not calls or not _stays(self._tree, path):
                continue
            if self._is_loaded(leader.tensor) or fixed.is_from_a_library(leader.root or held):
                continue  # an anchor: what it knows comes from elsewhere
            made = [n.lineno for n, name, _ in assigned(self._tree) if name == path]
            of = f"`{leader.owner}`" if leader.owner else "the trained one"
            collector.add(
                "target_never_follows",
                min(made, default=None),
                path,
                f"`{path}` is a copy, and nothing brings it up to date: after {leader.steps} steps "
                f"it has the weights that {of} began with, so that what it is asked for comes from "
                f"a network that has learnt nothing; every so many steps call "
                f"`{path}.load_state_dict(….state_dict())` with the trained network, or bring it "
                "closer at each step: `t.lerp_(p, 0.005)` of each pair of weights",
                ways=brought_up_to_date(self._tree, path),
            )


def _attributes(value: object) -> dict[str, Any]:
    """An object's own, without asking a method of the snippet's."""
    try:
        return dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        return {}


def _leader(own: list[torch.Tensor], steps: Steps) -> Watched | None:
    """The first weight of a trained model of which these are the weights at the first step."""
    begun = [w for w in steps.optimized.values() if w.before is not None]
    first: Watched | None = None
    weights = [p for p in own if p.dim() > 1]
    for p in weights:
        same = (w for w in begun if w.before is not None and equal(w.before, p))
        w = next((w for w in same if w.moved and w.steps >= _STEPS), None)
        if w is None:
            return None
        first = first or w
    return first


def _copies(module: nn.Module, parameters: Any) -> list[torch.Tensor]:
    """Copies of the first weights of a module."""
    with quietly():
        found: list[torch.Tensor] = []
        for p in parameters(module):
            if len(found) < _TENSORS and p.numel() <= _ELEMENTS:
                found.append(p.detach().clone())
    return found


def _same(some: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    return len(some) == len(others) and all(map(equal, some, others))


# -- loops over the weights of two models ---------------------------------------------------------


def _called(loop: ast.For) -> list[ast.Call]:
    """The two calls of `zip(a.parameters(), b.parameters())`; empty for another loop."""
    match loop.iter:
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[
                ast.Call(func=ast.Attribute(attr="parameters"), args=[]) as one,
                ast.Call(func=ast.Attribute(attr="parameters"), args=[]) as other,
            ],
        ):
            return [one, other]
    return []


def _without_effect(tree: ast.Module) -> Iterator[tuple[ast.For, str]]:
    """The loops over the weights of two models that compute something and keep none of it."""
    for loop in walk(tree):
        match loop:
            case ast.For(target=ast.Tuple(elts=[ast.Name(id=a), ast.Name(id=b)])) if _called(loop):
                why = [_idle(statement, a, b) for statement in loop.body]
                if all(why):
                    yield loop, why[0]


def _idle(statement: ast.stmt, a: str, b: str) -> str:
    """How a statement fails to write into the weight `a`; empty if it does anything at all."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == a:
            if _reads(value, b) and not _acts(value):
                return f"`{a} = …` gives the name `{a}` to a new tensor and leaves the weight alone"
        case ast.Expr(value=ast.BinOp() as value) if _reads(value, b) and not _acts(value):
            return "what this computes is kept nowhere"
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr)) as value) if not _acts(value):
            if _reads(value, a) and _reads(value, b) and attr in _NEW:
                return f"`.{attr}(…)` returns a new tensor and leaves the weight alone"
    return ""


def _written(tree: ast.Module, loop: ast.For, of: str) -> Iterator[dict[str, Any]]:
    """The edit by which what the only statement computes is written into the weight."""
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=a), _]),
            body=[ast.Assign(value=value) | ast.Expr(value=value) as statement],
        ):
            scopes = (tree, *functions(tree).values())
            off = any(loop in without_gradients(scope) for scope in scopes)
            weight = a if off else f"{a}.detach()"
            yield way(f"`{of}` follows", put(statement, f"{weight}.copy_(", value, ")"))


_NEW = {"mul", "add", "lerp", "clone", "sub"}


def _acts(value: ast.expr) -> bool:
    """Whether it calls something that may write, as `add_` does, or a function of any kind."""
    for node in walk(value):
        if isinstance(node, ast.Call):
            known = isinstance(node.func, ast.Attribute) and node.func.attr in _PURE
            if not known:
                return True
    return any(isinstance(n, ast.NamedExpr | ast.Yield | ast.Await) for n in walk(value))


_PURE = _NEW | {"detach", "data", "clone", "to", "float"}


def _reads(value: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(value))


# -- target networks ------------------------------------------------------------------------------


def _targets(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Models whose values are multiplied by gamma and added to rewards, and that stay as made."""
    from_model: dict[str, set[str]] = {}  # a variable → the models that its value comes from
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for n in walk(target):
                    if isinstance(n, ast.Name):
                        from_model.setdefault(n.id, set()).update(_models_called(node.value))
    for node in walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
            continue
        products = [
            n for n in walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)
        ]
        if not any(_REWARD.search(w) for w in _names(node)):
            continue
        for product in products:
            if not any(_FACTOR.search(w) for w in _names(product)):
                continue
            models = _models_called(product)
            for n in walk(product):
                if isinstance(n, ast.Name):
                    models |= from_model.get(n.id, set())
            for model in sorted(models):
                if _stays(tree, model) and (line := _made_at(tree, model)):
                    yield model, line
                    return


def _names(node: ast.AST) -> Iterator[str]:
    for n in walk(node):
        if isinstance(n, ast.Name | ast.Attribute):
            yield n.id if isinstance(n, ast.Name) else n.attr


def _models_called(value: ast.expr) -> set[str]:
    """What is called like a model there: `target(x)`, `self.target(x)`."""
    found = set()
    for n in walk(value):
        match n:
            case ast.Call(func=ast.Name() | ast.Attribute(value=ast.Name(id="self"))) if n.args:
                found.add(ast.unparse(n.func))
    return found


def _made_at(tree: ast.Module, model: str) -> int | None:
    """The only line that makes it, in no loop and as no part of another model."""
    makers = [n for n in walk(tree) if _makes(n, model)]
    if len(makers) != 1 or not isinstance(makers[0], ast.Assign):
        return None
    for around in walk(tree):
        is_loop = isinstance(around, ast.For | ast.While)
        is_part = isinstance(around, ast.ClassDef) and "Module" in " ".join(
            ast.unparse(b) for b in around.bases
        )
        if (is_loop or is_part) and makers[0] in set(walk(around)):
            return None
    return makers[0].lineno if isinstance(makers[0].value, ast.Call) else None


def _makes(node: ast.AST | None, model: str) -> bool:
    return isinstance(node, ast.Assign) and any(_is(t, model) for t in node.targets)


def _is(node: ast.AST, model: str) -> bool:
    """Whether it is that variable, or that attribute of any object."""
    if isinstance(node, ast.Attribute):
        return "." in model and node.attr == model.rpartition(".")[2]
    return isinstance(node, ast.Name) and node.id == model


def _stays(tree: ast.Module, model: str) -> bool:
    """Whether nothing in the code can change its weights after it was made.

    Loading weights next to where it is made, in no loop, is how it begins. What is written to bring
    it up to date, and never called, changes nothing.
    """
    parents = {child: n for n in walk(tree) for child in ast.iter_child_nodes(n)}
    beginnings: set[ast.AST] = set()
    for node in walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and any(_makes(n, model) for n in body):
            for statement in (n for n in body if isinstance(n, ast.Expr)):
                beginnings |= set(walk(statement))
    idle = {n for function in never_called(tree) for n in walk(function)}
    for node in walk(tree):
        if not _is(node, model) or node in idle:
            continue
        parent = parents.get(node)
        if (
            _makes(parent, model)
            or _is_unpacked(node, parent)
            or (isinstance(parent, ast.Call) and parent.func is node)
        ):
            continue
        if not isinstance(parent, ast.Attribute):
            return False  # handed over, or given another name
        if parent.attr == "load_state_dict" and node in beginnings:
            continue
        if parent.attr == "parameters" and not _only_freezes(parent, parents):
            return False
        if parent.attr not in _KEEPS:
            return False
    return True


def _is_unpacked(node: ast.AST, parent: ast.AST | None) -> bool:
    """Whether it is one of several names that a statement makes: `a, b = …`."""
    return isinstance(parent, ast.Tuple) and isinstance(getattr(node, "ctx", None), ast.Store)


def _only_freezes(attribute: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether `model.parameters()` is gone through to set `requires_grad`, and for nothing else."""
    call = parents.get(attribute)
    loop = parents.get(call) if call is not None else None
    return isinstance(loop, ast.For) and all("requires_grad" in ast.unparse(s) for s in loop.body)
