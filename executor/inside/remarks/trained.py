"""Find what goes wrong with a model that is trained: outputs kept, exports, quantization."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    blocks,
    dotted,
    inside,
    is_without,
    methods_named,
    owner,
    tail,
    walk,
    words,
)


def kept_with_graph(tree: ast.Module) -> Found:
    """`net.eval()`, outputs put into a list, `net.train()`: eval() records as before."""
    for block in blocks(tree):
        begins = [i for i, s in enumerate(block) if _switched(s, "eval")]
        ends = [i for i, s in enumerate(block) if _switched(s, "train")]
        if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
            continue
        models = _switched(block[begins[0]], "eval") & _switched(block[ends[0]], "train")
        below = [n for s in block[begins[0] + 1 : ends[0]] for n in (s, *inside(s))]
        if not models or any(_is_free(n) for n in below):
            continue
        made = {
            target.id
            for n in below
            if isinstance(n, ast.Assign)
            and isinstance(n.value, ast.Call)
            and dotted(n.value.func) in models
            for target in walk(n.targets[0])
            if isinstance(target, ast.Name)
        }
        for call in (n for n in below if isinstance(n, ast.Call) and tail(n) == "append"):
            kept = made & {n.id for a in call.args for n in walk(a) if isinstance(n, ast.Name)}
            if kept:
                yield (
                    "kept_with_graph",
                    call,
                    f"eval() changes what layers do, and records as before: `{min(kept)}` keeps "
                    "the graph behind it, with all that a backward would need, for as long as this "
                    "list holds it; run this part under `with torch.no_grad():`",
                )
                return


_CUTS = {"detach", "detach_", "item", "backward", "requires_grad_", "numpy", "data", "tolist"}


def _is_free(node: ast.AST) -> bool:
    """Whether gradients are off there, or cut, or needed."""
    return (isinstance(node, ast.expr) and is_without(node)) or tail(node) in _CUTS


def _switched(statement: ast.stmt, mode: str) -> set[str]:
    """The models that a statement brings into a mode; `a.eval(), b.eval()` too."""
    if not isinstance(statement, ast.Expr):
        return set()
    of = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    return {owner(c) for c in of if isinstance(c, ast.Call) and tail(c) == mode} - {""}


def size_baked(tree: ast.Module) -> Found:
    """`int(x.shape[0])` in a `forward` that is traced or exported: a number of the example."""
    exported = (n for n in walk(tree) if isinstance(n, ast.Call))
    if not any(dotted(n.func).endswith(("onnx.export", "jit.trace")) for n in exported):
        return
    for forward in methods_named(tree, "forward"):
        given = {a.arg for a in forward.args.args} - {"self"}
        for node in inside(forward):
            match node:
                case ast.Call(func=ast.Name(id="int"), args=[of]) if words(of) & {"shape", "size"}:
                    size: str | ast.expr = of
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                    size = f"{name}.shape[0]"
                case _:
                    continue
            if given & words(node):
                written = size if isinstance(size, str) else ast.unparse(size)
                yield Told(
                    "size_baked",
                    node,
                    f"`{ast.unparse(node)}` is a number for Python, and a trace writes down that "
                    "of its example: what is made with it has this size for every input, whatever "
                    f"`dynamic_axes` calls it; write `{written}`, which stays a size in the graph",
                    (way("the size is that of the input", put(node, size)),),
                )
                return


def left_unquantized(tree: ast.Module) -> Found:
    """`quantize_dynamic(model, {nn.Linear, nn.Conv2d})`: a convolution has no dynamic form."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = argument(call, 1, "qconfig_spec") if tail(call) == "quantize_dynamic" else None
        for kind in given.elts if isinstance(given, ast.Set | ast.List | ast.Tuple) else ():
            if re.fullmatch(r"(Conv|ConvTranspose|BatchNorm)[123]d", tail(kind)):
                yield (
                    "left_unquantized",
                    kind,
                    f"`quantize_dynamic` has no form of `{tail(kind)}` and leaves it as it is, "
                    "without a word: it quantizes Linear and the recurrent layers; convolutions "
                    "need static quantization, which calibrates on samples, or a training that "
                    "knows of it",
                )
                return


RULES = (kept_with_graph, size_baked, left_unquantized)
