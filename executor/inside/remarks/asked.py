"""Find what is right in most programs, and is told only to those who ask about what it does.

The words around the code decide: see bot/diagnosis/answer.py.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    constant,
    dotted,
    inside,
    methods_named,
    tail,
    values,
    walk,
    words,
)

_DRAWN = ("Random", "ColorJitter", "AutoAugment", "TrivialAugment", "AugMix")
_KEEPS = {"permute", "transpose", "movedim", "swapaxes", "unsqueeze", "squeeze"}


def drawn_anew(tree: ast.Module) -> Found:
    """Transforms with a random one among them, where nothing is trained."""
    said = words(tree)
    if said & {"backward", "fit", "step", "optimizer"} or any(
        isinstance(n, ast.keyword) and n.arg == "train" and ast.unparse(n.value) == "True"
        for n in ast.walk(tree)
    ):
        return
    for _, name, value in assigned(tree):
        if not (isinstance(value, ast.Call) and callee(value) in ("Compose", "Sequential")):
            continue
        drawn = next(
            (n for n in walk(value) if isinstance(n, ast.Call) and tail(n).startswith(_DRAWN)), None
        )
        if drawn is not None:
            yield (
                "drawn_anew",
                drawn,
                f"`{callee(drawn)}` in `{name}` draws anew at each call, so that the same picture "
                "goes in differently each time, whatever mode the model is in. Leave it out of the "
                "transforms for inference, and keep it in those for training",
            )
            return


def expanded_copy(tree: ast.Module) -> Found:
    """`x.expand(…).permute(…).contiguous()`: expand costs nothing, the copy all of it."""
    for node in walk(tree):
        if not (isinstance(node, ast.Call) and tail(node) == "contiguous"):
            continue
        of: ast.AST = node
        while isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
            if of.func.attr in ("expand", "expand_as"):
                yield (
                    "expanded_copy",
                    node,
                    "`expand` takes no memory, and `.contiguous()` behind it writes all the "
                    "copies out: as many times the tensor as it was expanded, and an elementwise "
                    "product with it makes a second one of that size, which is kept for the "
                    "backward. Where the result is summed over some of the dimensions, a matrix "
                    "product (`torch.einsum`, `@`; for patches `weight.flatten(1) @ F.unfold(…)`) "
                    "gives the sum without them",
                )
                return
            if of is not node and of.func.attr not in _KEEPS:
                break
            of = of.func.value


_GENERATORS = ("RandomState", "default_rng", "Random", "Generator")
_SAMPLES = ("__getitem__", "__call__")


def generator_copied(tree: ast.Module) -> Found:
    """A data set or transform that draws from a generator of its own, made when it was made."""
    if "get_worker_info" in words(tree):
        return
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        made = {
            name: value
            for method in methods_named(cls, "__init__")
            for n in inside(method)
            if isinstance(n, ast.Assign)
            for _, name, value in assigned(n)
            if name.startswith("self.") and _is_generator(value)
        }
        for method in (m for name in _SAMPLES for m in methods_named(cls, name)):
            for node in inside(method):
                name = dotted(node)
                if name in made:
                    yield Told(
                        "generator_copied",
                        made[name],
                        f"`{name}` is made once, before the workers of a DataLoader are, and each "
                        "worker gets a copy of it in the same state: all of them draw the same "
                        "numbers, and in each epoch the same again, as workers are made anew from "
                        "it; no seed of NumPy's or torch's own reaches it. Make it in the worker "
                        f"(where it is None yet), or in `worker_init_fn`, from "
                        "`torch.utils.data.get_worker_info().seed`, or draw with torch's own "
                        "functions, which are seeded for each worker",
                        _made_in_worker(tree, cls, method, name, made[name]),
                    )
                    return


def _made_in_worker(
    tree: ast.Module, cls: ast.ClassDef, draws: ast.FunctionDef, name: str, made: ast.expr
) -> tuple[dict[str, Any], ...]:
    """The generator made where it is drawn from first, of its own seed and the worker's."""
    uses = [n for n in walk(cls) if dotted(n) == name and isinstance(n, ast.Attribute)]
    elsewhere = [n for n in uses if n not in set(walk(draws)) and isinstance(n.ctx, ast.Load)]
    match made:
        case ast.Call(
            func=ast.Attribute(attr="RandomState" | "default_rng") as function,
            args=[ast.Constant(value=int()) as seed],
            keywords=[],
        ) if not elsewhere and any(
            isinstance(n, ast.alias) and n.name == "torch" and not n.asname for n in walk(tree)
        ):
            new = f"{ast.unparse(function)}([{ast.unparse(seed)}, torch.initial_seed() % 2**32])"
            return (
                way(
                    "each worker makes its own, of its own seed",
                    put(made, "None"),
                    add=added(f"{name} = {name} or {new}", draws.body[0]),
                ),
            )
    return ()


def _is_generator(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and tail(value) in _GENERATORS


_STREAMED = re.compile(r"(?:\w+\.)*IterableDataset")
# Words of who divides a stream otherwise, or draws from it by chance.
_DIVIDED = re.compile(r"(?i)worker_i|rank|world_size|shard|by_node|islice|queue|rand|choice|shuffl")


def stream_repeated(tree: ast.Module) -> Found:
    """An IterableDataset that goes through what it stores, whole in each of several workers."""
    if any(_DIVIDED.search(word) for word in words(tree)):
        return
    streams = {
        cls.name: loop
        for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef))
        if any(_STREAMED.fullmatch(ast.unparse(base)) for base in cls.bases)
        for method in methods_named(cls, "__iter__")
        for loop in inside(method)
        if isinstance(loop, ast.For) and "self." in ast.unparse(loop.iter)
    }
    made = values(tree)
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "DataLoader"):
        of, workers = argument(call, 0, "dataset"), argument(call, 5, "num_workers")
        of = made.get(of.id) if isinstance(of, ast.Name) else of
        told = constant(workers, tree) if workers is not None else None
        many = told.value if isinstance(told, ast.Constant) else None
        if not (isinstance(of, ast.Call) and tail(of) in streams):
            continue
        if not isinstance(many, int) or many < 2:
            continue
        loop = streams[tail(of)]
        yield (
            "stream_repeated",
            loop,
            f"each of the {many} workers gets a copy of the IterableDataset and goes through all "
            f"of it, so that every sample comes {many} times in an epoch. Give each its share in "
            "`__iter__`: `w = torch.utils.data.get_worker_info()`, and go through "
            f"`{ast.unparse(loop.iter)}[w.id::w.num_workers]` where w is not None (a stream that "
            "has no slices: `itertools.islice(stream, w.id, None, w.num_workers)`)",
        )
        return


RULES = (drawn_anew, expanded_copy, generator_copied, stream_repeated)
