"""Read from the code what its author means to stay as it is: chosen parameters, constants, cuts.

A run shows that a parameter gets no gradient, or that no optimizer holds it. Whether somebody
wants it so can often be read: the optimizer's parameters are filtered, a tensor is filled with a
table, an output is detached only under a condition. Where this module finds such a sign, or cannot
find the mistake in the text, the finding is a note and no mistake.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import torch

from executor.inside.probes.training.quiet import quietly
from executor.inside.walking import walk

_RANDOM = {"randn", "rand", "normal", "empty", "randn_like", "rand_like"}
_ZEROS = {"zeros", "zeros_like"}
_EVEN = {"ones", "full", "ones_like", "full_like"}
_SAME = {
    "to",
    "float",
    "double",
    "half",
    "cuda",
    "cpu",
    "clone",
    "reshape",
    "view",
    "unsqueeze",
    "t",
}
_WRAPPERS = {"Variable", "tensor"}
_PRODUCTS = {
    "matmul", "mm", "bmm", "mv", "linear", "einsum", "bilinear", "conv1d", "conv2d", "conv3d",
    "addmm", "mul", "add", "baddbmm", "tensordot",
}  # fmt: skip
_WAVES = {"sin", "cos"}
_LOADS = {"load_state_dict", "from_pretrained", "load_state_dict_from_url", "load_model"}
_MAKES_ANEW = {"tensor", "as_tensor", "Tensor", "FloatTensor", "from_numpy"}
_WITHOUT = {"no_grad", "inference_mode"}


class Intent:
    """Signs in a snippet's text of what is on purpose."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._up: dict[ast.AST, ast.AST] = {}
        self.selects = False  # the optimizer's parameters are filtered by something
        self.loads = False  # weights come from elsewhere
        self.multiplies_by_zero = False
        self.moves = False  # a module is moved or saved: there its plain tensors are missed
        self._stored: set[str] = set()  # attributes that are assigned …
        self._read: set[str] = set()  # … and that are read
        self.by_hand: set[str] = set()  # variables whose gradient the code itself uses
        self._flows: dict[str, set[str]] = {}  # a variable → the names that it is made from
        self._losses: set[str] = set()
        self._cuts: list[set[str]] | None = None
        for node in walk(tree):
            for child in ast.iter_child_nodes(node):
                self._up[child] = node
            self._look(node)

    def _look(self, node: ast.AST) -> None:
        if isinstance(node, ast.Attribute):
            (self._stored if isinstance(node.ctx, ast.Store) else self._read).add(node.attr)
            self.moves |= node.attr in _MOVES
        match node:
            case ast.ListComp(generators=parts) | ast.GeneratorExp(generators=parts):
                for part in parts:
                    of_a_module = any(_tail(c) in _LISTS for c in _calls(part.iter))
                    asked = {n for condition in part.ifs for n in _words(condition)}
                    self.selects |= of_a_module and bool(
                        asked - {"requires_grad", _name(part.target)}
                    )
                    self._flow([part.target], part.iter)
            case ast.Call(func=ast.Attribute(attr="backward", value=loss)):
                self._losses |= _words(loss)
            case ast.Call() if _tail(node) in _LOADS:
                self.loads = True
            case ast.Call() if _tail(node) == "grad" and len(node.args) > 1:
                self.by_hand |= _words(node.args[1])
            case ast.Call(keywords=keywords):
                self.loads |= any(_is_pretrained(k) for k in keywords)
            case ast.Attribute(attr="grad", value=ast.Name(id=name), ctx=ast.Load()):
                self.by_hand.add(name)
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                self.multiplies_by_zero |= _is_zero(left) or _is_zero(right)
            case ast.Assign(targets=targets, value=value):
                self._flow(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._flow([target], value)
            case ast.AugAssign(target=target, value=value):
                self._flow([target], value)
            case ast.For(target=target, iter=value) | ast.NamedExpr(target=target, value=value):
                self._flow([target], value)

    def _flow(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        words = _words(value)
        for target in targets:
            for name in _words(target):
                self._flows.setdefault(name, set()).update(words)

    def _behind(self, names: Iterable[str]) -> set[str]:
        """The names, and all that they are made from."""
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self._flows.get(name, ())
        return found

    @property
    def evaluates_and_stays(self) -> bool:
        """Whether `eval()` is only called where a function evaluates, and nothing calls `train()`.

        Who means to train in eval mode, with batch norm as it is, says so beside the training.
        """
        calls = [n for n in walk(self._tree) if isinstance(n, ast.Call)]
        if any(_tail(c) == "train" and isinstance(c.func, ast.Attribute) for c in calls):
            return False
        evals = [c for c in calls if _tail(c) == "eval" and not c.args]
        functions = [f for f in walk(self._tree) if isinstance(f, ast.FunctionDef)]
        without = [f for f in functions if any(_tail(n) in _WITHOUT for n in _calls(f))]
        inside = [
            c
            for f in without
            if not any(_tail(n) == "backward" for n in _calls(f))
            for c in _calls(f)
        ]
        return bool(evals) and all(any(c is n for n in inside) for c in evals)

    def never_reads(self, attribute: str) -> bool:
        """Whether an attribute is assigned and its name stands nowhere else."""
        return attribute in self._stored and attribute not in self._read

    # -- outputs that are cut off from the graph ------------------------------------------------

    def cuts(self, names: set[str]) -> bool:
        """Whether something made from one of these names is cut off from the graph, always.

        Always means: under no condition, so that a switch like `if self.frozen` is none.
        """
        if self._cuts is None:
            wanted = self._behind(self._losses)
            self._cuts = [c for node in walk(self._tree) for c in self._cut(node, wanted)]
        return any(self._behind(words) & names for words in self._cuts)

    def _cut(self, node: ast.AST, wanted: set[str]) -> Iterator[set[str]]:
        match node:
            case ast.Call(func=ast.Attribute(attr="detach" | "detach_", value=cut)):
                yield from self._if_used(node, cut, wanted)
            case ast.Call(func=ast.Attribute(attr="argmax" | "argmin", value=cut)):
                yield from self._if_used(node, cut, wanted)
            case ast.Attribute(attr="data", value=cut, ctx=ast.Load()):
                yield from self._if_used(node, cut, wanted)
            case ast.Call(args=[cut, *_]) if _tail(node) in _MAKES_ANEW:
                yield from self._if_used(node, cut, wanted)
            case ast.With(items=items, body=body) if any(
                _is_without(i.context_expr) for i in items
            ):
                for statement in body:
                    if (
                        isinstance(statement, (ast.Assign, ast.Return))
                        and statement.value is not None
                    ):
                        yield from self._if_used(statement.value, statement.value, wanted)
            case ast.FunctionDef(decorator_list=marks, body=body) if any(map(_is_without, marks)):
                for statement in body:
                    for part in walk(statement):
                        if isinstance(part, ast.Return) and part.value is not None:
                            yield _words(part.value)

    def _if_used(self, node: ast.AST, cut: ast.expr, wanted: set[str]) -> Iterator[set[str]]:
        """What is cut, if its statement returns it or a loss is computed from it."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.stmt):
            if isinstance(at, ast.IfExp):
                return
            at = self._up.get(at)
        used = isinstance(at, ast.Return)
        if isinstance(at, (ast.Assign, ast.AnnAssign)):
            targets = at.targets if isinstance(at, ast.Assign) else [at.target]
            made = {n for t in targets for n in _words(t)}
            used = bool(made & wanted) or self._is_returned(made, at)
        while at is not None and not isinstance(at, (ast.FunctionDef, ast.Module)):
            above = self._up.get(at)
            if isinstance(above, ast.If):
                return
            at = above
        if used:
            yield _words(cut)

    def _is_returned(self, names: set[str], inside: ast.AST) -> bool:
        function: ast.AST | None = inside
        while function is not None and not isinstance(function, ast.FunctionDef):
            function = self._up.get(function)
        if function is None:
            return False
        returned = {
            n
            for r in walk(function)
            if isinstance(r, ast.Return) and r.value is not None
            for n in _words(r.value)
        }
        return bool(self._behind(returned) & names)

    # -- plain tensors of a module ----------------------------------------------------------------

    def is_weight(self, classes: Iterable[str], attribute: str, tensor: torch.Tensor) -> bool:
        """Whether a module's plain tensor is made by an initializer and used as a weight.

        Zeros that hold other values by now were filled: a table, a mask. Ones are a weight if they
        are a vector or a number; a matrix of ones is a mask.

        Args:
            classes: the names of the module's class and its bases.
            attribute: the tensor's.
            tensor: as it is after the run.
        """
        with quietly():
            flat, zero = tensor.dim() <= 1, not tensor.any()
        initial = _RANDOM | (_ZEROS if zero else set()) | (_EVEN if flat else set())
        made = used = False
        for cls in self._classes(set(classes)):
            for function in (f for f in cls.body if isinstance(f, ast.FunctionDef)):
                if function.name == "__init__":
                    made |= any(_is_initial(v, initial) for v in _given(function, attribute))
                else:
                    used |= self._multiplies(function, attribute)
        return made and used

    def _classes(self, names: set[str]) -> Iterator[ast.ClassDef]:
        for node in walk(self._tree):
            if isinstance(node, ast.ClassDef) and node.name in names:
                yield node

    def _multiplies(self, function: ast.FunctionDef, attribute: str) -> bool:
        """Whether it multiplies or is added there, or is looked up like an embedding's table."""
        called = {_tail(n) for n in walk(function) if isinstance(n, ast.Call)}
        if called & _WAVES:
            return False  # random frequencies of Fourier features
        aliases = {
            name
            for node in walk(function)
            if isinstance(node, (ast.Assign, ast.For, ast.comprehension))
            for name in _aliases(node, attribute)
        }
        for node in walk(function):
            if not isinstance(node, (ast.Attribute, ast.Name)):
                continue
            is_it = _is_own(node, attribute) or (isinstance(node, ast.Name) and node.id in aliases)
            if is_it and isinstance(node.ctx, ast.Load) and self._is_factor(node):
                return True
        return False

    def _is_factor(self, node: ast.AST) -> bool:
        above = self._up.get(node)
        while isinstance(above, (ast.Subscript, ast.Attribute, ast.UnaryOp)) or (
            isinstance(above, ast.Call) and _tail(above) in _SAME and above.func is node
        ):
            if isinstance(above, ast.Subscript) and above.slice is node:
                return False
            node, above = above, self._up.get(above)
        if isinstance(above, ast.BinOp):
            return isinstance(above.op, (ast.MatMult, ast.Mult, ast.Add))
        return isinstance(above, ast.Call) and node in above.args and _tail(above) in _PRODUCTS


_MOVES = {"to", "cuda", "state_dict", "save", "half", "DataParallel"}
_LISTS = {"parameters", "named_parameters"}


def _is_initial(value: ast.expr, initial: set[str]) -> bool:
    """`torch.randn(4, 4) * 0.1`, a list of such, and the same on a device; sizes only."""
    match value:
        case ast.BinOp(op=ast.Mult() | ast.Div(), left=left, right=right):
            sides = [s for s in (left, right) if not _is_scalar(s)]
            return len(sides) == 1 and _is_initial(sides[0], initial)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return bool(elements) and all(_is_initial(e, initial) for e in elements)
        case ast.ListComp(elt=element):
            return _is_initial(element, initial)
        case ast.Call(func=ast.Attribute(attr=name, value=inner)) if name in _SAME:
            return _is_initial(inner, initial)
        case ast.Call(args=[inner, *_]) if _tail(value) in _WRAPPERS and isinstance(
            inner, ast.Call
        ):
            return _is_initial(inner, initial)
        case ast.Call():
            return _tail(value) in initial
    return False


def _is_scalar(node: ast.expr) -> bool:
    """A number, or a computation from numbers and names that makes no tensor, like a bound."""
    return (
        isinstance(node, (ast.Constant, ast.UnaryOp, ast.Name, ast.Attribute))
        or (isinstance(node, ast.Call) and _tail(node) in ("sqrt", "pow", "float"))
        or (isinstance(node, ast.BinOp) and _is_scalar(node.left) and _is_scalar(node.right))
    )


def _given(function: ast.FunctionDef, attribute: str) -> Iterator[ast.expr]:
    """The values that `self.attribute = …` gets there."""
    for node in walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                pairs = [(target, node.value)]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs = list(zip(target.elts, node.value.elts, strict=False))
                for left, value in pairs:
                    if (
                        isinstance(left, ast.Attribute)
                        and left.attr == attribute
                        and _of_self(left)
                    ):
                        yield value


def _aliases(node: ast.Assign | ast.For | ast.comprehension, attribute: str) -> set[str]:
    """Names that the attribute, or an element of it, is given."""
    value = node.value if isinstance(node, ast.Assign) else node.iter
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    while isinstance(value, ast.Subscript) or (
        isinstance(value, ast.Call) and _tail(value) in ("zip", "enumerate") and value.args
    ):
        inner = [value.value] if isinstance(value, ast.Subscript) else value.args
        value = next((v for v in inner if _is_own(v, attribute)), inner[0])
    if not _is_own(value, attribute):
        return set()
    return {n for t in targets for n in _words(t)}


def _is_own(node: ast.expr, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute and _of_self(node)


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_without(node: ast.expr) -> bool:
    """`torch.no_grad()`, as a context or as a decorator."""
    return (_tail(node) if isinstance(node, ast.Call) else _name(node)) in _WITHOUT


def _is_pretrained(keyword: ast.keyword) -> bool:
    if keyword.arg not in ("pretrained", "weights"):
        return False
    return not (isinstance(keyword.value, ast.Constant) and keyword.value.value in (None, False))


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 0


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in walk(node) if isinstance(n, ast.Call))


def _words(node: ast.AST) -> set[str]:
    """The names and attributes in an expression."""
    return {w for n in walk(node) if (w := _name(n))} - {"self"}


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _tail(call: ast.Call) -> str:
    """`randn` of `torch.randn(…)`."""
    return _name(call.func)
