"""Find layers that the class which has just made them freezes, with the random values they have.

Nothing can have been loaded between: `__init__` makes the layers and freezes them by their number,
or freezes a weight in order to initialise it, and never thaws it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any, Protocol

from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import parameters
from executor.inside.probes.training.twins import parts
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import assigned, dotted, inside, is_layer, tail, words
from executor.inside.walking import walk

_FLAG = {"requires_grad", "requires_grad_"}
_ALL = {"self.parameters", "self.named_parameters"}
_INITIALISES = re.compile(r"(xavier|kaiming|trunc|uniform|normal)\w*_")
_MEANT = re.compile(
    r"(?i)fix|frozen|freez|random|fourier|rff|proj|hash|sketch|reservoir|prior|base|const|target"
    r"|teacher|ema|lora|adapter|pre_?train|fine_?tun|transfer|back_?bone|checkpoint|elm|extreme"
    r"|echo|distill|prob(e|ing)|not (?:train|learn)|non_?(?:train|learn)|un(?:train|learn)"
)


class Frozen(Protocol):
    """What of the modules is frozen, and what trains."""

    def wholly(self, module: nn.Module) -> bool:
        """Whether all of it is frozen, with values of its own."""

    def moves(self, module: nn.Module) -> bool:
        """Whether a step has moved a part of it."""


def report(
    collector: FindingCollector,
    tree: ast.Module,
    roots: list[nn.Module],
    frozen: Frozen,
    text: Sequence[str],
) -> None:
    """Add the first class of a model that freezes what it has made."""
    classes = {c.name: c for c in walk(tree) if isinstance(c, ast.ClassDef)}
    if "load_state_dict" in words(tree):
        return
    for part in (p for root in roots if frozen.moves(root) for p in parts(root)):
        own = classes.get(type(part).__name__)
        if own is None or _MEANT.search("\n".join(text[own.lineno - 1 : own.end_lineno])):
            continue
        for made in (f for f in own.body if isinstance(f, ast.FunctionDef)):
            if made.name == "__init__" and (
                _by_number(collector, made, part, frozen)
                or _to_initialise(collector, made, own, part, frozen)
            ):
                return


def _layers(made: ast.FunctionDef, part: nn.Module) -> dict[str, nn.Module]:
    """The layers of PyTorch's that a class makes itself, by their names."""
    new = {n.removeprefix("self.") for _, n, v in assigned(made) if is_layer(v)}
    held = private.modules_of(part).items()
    return {
        n: m for n, m in held if n in new and m is not None and any(True for _ in parameters(m))
    }


def _by_number(
    collector: FindingCollector, made: ast.FunctionDef, part: nn.Module, frozen: Frozen
) -> bool:
    """`for i, p in enumerate(self.parameters()): p.requires_grad = i >= 4`."""
    layers = _layers(made, part)
    still = [n for n, m in layers.items() if frozen.wholly(m)]
    if not still or not any(frozen.moves(m) for m in layers.values()):
        return False
    for loop in (n for n in inside(made) if isinstance(n, ast.For)):
        over = {dotted(c.func) for c in walk(loop.iter) if isinstance(c, ast.Call)}
        if not words(loop) & _FLAG or not over & _ALL:
            continue
        if any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in walk(loop)):
            continue  # somebody names them
        names = ", ".join(f"`{n}`" for n in still)
        collector.add(
            "frozen_with_the_rest",
            loop.lineno,
            still[0],
            f"this freezes {names}, which have the random values that this very `__init__` has "
            "just made them with: nothing is loaded into them, and what is trained has to make do "
            "with what random layers give; leave the freezing out, or load trained weights first",
        )
        return True
    return False


def _to_initialise(
    collector: FindingCollector,
    made: ast.FunctionDef,
    own: ast.ClassDef,
    part: nn.Module,
    frozen: Frozen,
) -> bool:
    """`self.a.weight.requires_grad = False`, `nn.init.normal_(self.a.weight)`, and no thaw."""
    layers = _layers(made, part)
    for at, statement in enumerate(made.body):
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(attr="requires_grad", value=of)],
                value=ast.Constant(value=False) as off,
            ):
                pass
            case _:
                continue
        path = dotted(of)
        name, _, weight = path.removeprefix("self.").partition(".")
        p: Any = getattr(layers.get(name), weight, None) if weight.isidentifier() else None
        if p is None or p.requires_grad or not frozen.moves(part):
            continue
        filled = [s for s in made.body[at + 1 :] if _fills(s, path)]
        said = [n for n in walk(own) if isinstance(n, ast.Attribute) and dotted(n.value) == path]
        if filled and sum(n.attr in _FLAG for n in said) == 1:
            collector.add(
                "frozen_with_the_rest",
                statement.lineno,
                path,
                f"`{path}` is frozen before it is initialised, and nothing thaws it: it keeps the "
                f"random values of line {filled[0].lineno}, while the layers around it are "
                "trained; the functions of `nn.init` record no gradient by themselves, leave this "
                "line out",
                ways=[way(f"`{path}` is trained", put(off, "True"))],
            )
            return True
    return False


def _fills(statement: ast.stmt, path: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(args=[given, *_]) as call):
            return dotted(given) == path and _INITIALISES.fullmatch(tail(call)) is not None
    return False
