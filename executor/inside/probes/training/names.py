"""Names for tensors and modules: the snippet's variables, and the lines that assign them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn

from executor.inside.probes.source import SnippetSource, attribute_lines
from executor.inside.probes.training.intent import Intent
from executor.inside.walking import walk


@dataclass(frozen=True)
class Named:
    """A tensor with its name and the line that made it, where one is known."""

    name: str
    tensor: torch.Tensor
    line: int | None
    owner: str = ""  # the variable whose module holds it
    root: nn.Module | None = None  # that module, or the outermost one that was called


class SnippetNames:
    """Names for tensors, modules and optimizers, from the frames that run now."""

    def __init__(self, source: SnippetSource, tree: ast.Module) -> None:
        self.source = source
        self.tree = tree
        self.attributes = attribute_lines(tree)
        self._assigned = _assignments(tree)
        self._appended = _appends(tree)
        self._softmax = _softmax_lines(tree)
        self._lazy = {
            target.attr
            for n in walk(tree)
            if isinstance(n, ast.Assign)
            and isinstance(n.value, ast.Call)
            and _word(n.value.func).startswith("Lazy")
            for target in n.targets
            if isinstance(target, ast.Attribute)
        }
        self._weights = _weights(tree)
        self.is_of_rewards = any(
            _REWARDS.search(w)
            for n in walk(tree)
            if (w := n.id if isinstance(n, ast.Name) else n.arg if isinstance(n, ast.arg) else "")
        )
        self.retains = any(
            isinstance(n, ast.keyword) and n.arg in ("retain_graph", "create_graph")
            for n in walk(tree)
        )
        self.calls_kl_div = any(
            getattr(n, field, None) in ("kl_div", "KLDivLoss")
            for n in walk(tree)
            for field in ("id", "attr", "name")
        )
        said = {w for n in walk(tree) if (w := _word(n))}
        self.attends = any(map(_ATTENTION.search, said)) and not any(map(_SHARES.search, said))
        self.pads = any("pad" in w.lower() for w in said)
        self.leaves_out = any(_NO_CLASS.search(w) for w in said)
        self.has_copies = any(map(_COPIES.search, said))
        self.draws = any(
            isinstance(n, ast.Attribute) and n.attr in ("randn", "randn_like", "normal")
            for n in walk(tree)
        )
        computing = {
            n
            for f in walk(tree)
            if isinstance(f, ast.FunctionDef) and f.name == "forward"
            for n in walk(f)
        }
        self.takes_columns = any(_takes_column(n) for n in walk(tree) if n not in computing)
        self.calls_autograd = any(
            isinstance(n, ast.Call) and _is_autograd_backward(n.func) for n in walk(tree)
        )

    @cached_property
    def intent(self) -> Intent:
        """What the text says of the author's intent; read only where a finding asks for it."""
        return Intent(self.tree)

    def variables(self) -> Iterator[tuple[str, object]]:
        """The variables of the snippet's running frames, innermost frame first."""
        frame = self.source.frame()
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                yield from list(frame.f_locals.items())
            frame = frame.f_back

    def of(self, thing: object) -> str:
        """The variable that holds this object; empty if none in a running frame does."""
        names = [n for n, v in self.variables() if v is thing]
        if len(names) > 1:  # of several, the one that the line uses
            said = set(re.findall(r"\w+", self.source.line(self.source.line_now() or 0)))
            names.sort(key=lambda n: n not in said)
        return names[0] if names else ""

    def of_attribute(self, thing: object) -> str:
        """The same, or the attribute of a running frame's object that holds it: `self.model`."""
        if name := self.of(thing):
            return name
        for name, value in self.variables():
            if type(value).__module__ == "__main__":
                for attribute, held in list(getattr(value, "__dict__", {}).items()):
                    if held is thing:
                        return f"{name}.{attribute}"
        return ""

    def tensors(self, roots: Collection[nn.Module], leave_out: set[int]) -> dict[int, Named]:
        """id → name, for all parameters of these modules and tensors in running frames."""
        names: dict[int, Named] = {}
        variables = list(self.variables())
        modules = [(n, v) for n, v in variables if issubclass(type(v), nn.Module)]
        owners = {id(value): name for name, value in reversed(modules)}
        called = [r for r in roots if id(r) in owners]
        called += [v for _, v in modules if isinstance(v, nn.Module)]
        for root in [*called, *(r for r in roots if id(r) not in owners)]:
            owner = f"{owners[id(root)]}." if id(root) in owners else ""
            for path, p in root.named_parameters():
                line = self.attributes.get((type(root).__name__, path.split(".")[0]))
                line = line or self.line_of(owner.rstrip("."))
                names.setdefault(id(p), Named(owner + path, p, line, owner[:-1], root))
        for name, value in variables:
            if issubclass(type(value), torch.Tensor) and id(value) not in leave_out:
                assert isinstance(value, torch.Tensor)
                names.setdefault(id(value), Named(name, value, self.line_of(name)))
        return names

    def line_of(self, name: str, before: int | None = None) -> int | None:
        """The last line up to `before` that assigns the variable, preferably a call; or None."""
        lines = [(n, c) for n, c in self._assigned.get(name, []) if before is None or n <= before]
        by_call = [n for n, called in lines if called]
        if before is None:
            return lines[0][0] if lines else None
        return max(by_call or [n for n, _ in lines], default=None)

    def is_lazy(self, name: str) -> bool:
        """Whether `model.enc.weight` is of a layer that the text makes as a lazy one."""
        return bool(self._lazy & set(name.split(".")[:-1]))

    @property
    def appends(self) -> bool:
        """Whether the text appends to any list."""
        return bool(self._appended)

    def line_of_append(self, name: str) -> int | None:
        """The line that appends to the list."""
        return self._appended.get(name)

    def is_made_by_forward(self, line: int | None) -> bool:
        """Whether a statement of a forward makes it there, under no condition: at each call."""
        return any(
            statement.lineno <= (line or 0) <= (statement.end_lineno or 0)
            for f in walk(self.tree)
            if isinstance(f, ast.FunctionDef) and f.name == "forward"
            for statement in f.body
            if isinstance(statement, ast.Assign)
        )

    def goes_back_from(self, name: str) -> bool:
        """Whether `backward()` is called on what is computed from a variable, in one expression."""
        return any(
            isinstance(n, ast.Attribute)
            and n.attr == "backward"
            and name in {ast.unparse(v) for v in walk(n.value) if isinstance(v, ast.expr)}
            for n in walk(self.tree)
        )

    def is_weight(self, name: str) -> bool:
        """Whether the code makes and uses a plain tensor as a weight."""
        return name in self._weights

    def only_line_of(self, function: str) -> int | None:
        """Where "softmax" or "clamp" is written, if that is one place only."""
        lines = self._softmax.get(function, set())
        return next(iter(lines)) if len(lines) == 1 else None


_REWARDS = re.compile(r"(?i)reward|gamma|discount")
# Labels that stand for nothing which is to be told apart.
_NO_CLASS = re.compile(
    r"(?i)void|unlabel|no_?data|back_?ground|^bg$|unknown|border|boundary|invalid"
)
_ATTENTION = re.compile(r"(?i)attn|attention|quer(y|ies)")
_COPIES = re.compile(
    r"(?i)(^|_)ema(_|$)|(target|momentum)_?(enc|net|model|proj)|teacher|byol|moco|shadow"
)
_SHARES = re.compile(r"(?i)slot|caps|rout|cluster|assign|codebook")  # out among the queries


def _is_autograd_backward(called: ast.expr) -> bool:
    """Whether it is written `torch.autograd.backward`, whatever stands for `torch`, or imported."""
    match called:
        case ast.Name(id="backward"):
            return True
        case ast.Attribute(
            attr="backward", value=ast.Name(id="autograd") | ast.Attribute(attr="autograd")
        ):
            return True
    return False


def _word(node: ast.AST) -> str:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
            return word
        case ast.ClassDef(name=word) | ast.FunctionDef(name=word):
            return word
    return ""


def _takes_column(node: ast.AST) -> bool:
    """`y = x[:, -1]`, or a part of it."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Tuple()], value=value):
            return any(
                isinstance(n, ast.Subscript)
                and isinstance(n.slice, ast.Tuple)
                and isinstance(n.slice.elts[0], ast.Slice)
                and n.slice.elts[0].lower is n.slice.elts[0].upper is None
                and any(map(_picks, n.slice.elts[1:]))
                for n in walk(value)
            )
    return False


def _picks(index: ast.expr) -> bool:
    """`-1`, `k`, or `-1:`, the last few."""
    if isinstance(index, ast.Slice):
        return isinstance(index.lower, ast.UnaryOp)
    return not (isinstance(index, ast.Constant) and index.value is None)


def _assignments(tree: ast.Module) -> dict[str, list[tuple[int, bool]]]:
    found: dict[str, list[tuple[int, bool]]] = {}
    for node in walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            called = any(isinstance(n, ast.Call) for n in walk(node.value))
            for target in targets:
                for n in walk(target):
                    if isinstance(n, ast.Name):
                        found.setdefault(n.id, []).append((node.lineno, called))
    for lines in found.values():
        lines.sort()
    return found


def _appends(tree: ast.Module) -> dict[str, int]:
    return {
        ast.unparse(n.func.value): n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "append"
    }


_FILLED = {
    "randn",
    "rand",
    "zeros",
    "ones",
    "full",
    "empty",
    "eye",
    "normal",
    "uniform_",
    "normal_",
}
_PRODUCTS = {"matmul", "mm", "bmm", "mv", "linear", "einsum", "conv1d", "conv2d"}
_DATA = re.compile(r"(x|inp|input|data|image|img|noise|batch|src|sample|target|y)s?(_|\d|$)", re.I)


def _weights(tree: ast.Module) -> set[str]:
    """Variables made by an initializer, or from one number, and not multiplied like data.

    What every step of a training makes anew is none: the points of a physics-informed network.
    """
    made: set[str] = set()
    data: set[str] = set()
    for loop in (n for n in walk(tree) if isinstance(n, (ast.For, ast.While))):
        inside = list(walk(loop))
        if any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in inside):
            stored = (n for n in inside if isinstance(n, ast.Name))
            data |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
    for node in walk(tree):
        if isinstance(node, ast.Assign):
            calls = [n for n in walk(node.value) if isinstance(n, ast.Call)]
            targets = (n for t in node.targets for n in walk(t))
            names = {n.id for n in targets if isinstance(n, ast.Name)}
            if any(_function(c.func) in _FILLED or _one_number(c) for c in calls):
                made |= names
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            data |= {node.left.id} if isinstance(node.left, ast.Name) else set()
        elif isinstance(node, ast.Call) and _function(node.func) in _PRODUCTS:
            data |= {a.id for a in node.args[:1] if isinstance(a, ast.Name)}
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                data.add(node.func.value.id)
    return {name for name in made - data if not _DATA.match(name)}


def _one_number(made: ast.Call) -> bool:
    """`torch.tensor(1.0)` and `torch.tensor([1.0])`."""
    if _function(made.func) != "tensor" or not made.args:
        return False
    value = made.args[0]
    if isinstance(value, ast.List) and len(value.elts) == 1:
        value = value.elts[0]
    return isinstance(value, (ast.Constant, ast.UnaryOp))


def _softmax_lines(tree: ast.Module) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = {n: set() for n in ("softmax", "sigmoid", "tanh", "relu", "clamp")}
    for node in walk(tree):
        if isinstance(node, ast.Call):
            f = node.func
            name = (
                f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
            )
            name = {"clamp_min": "clamp", "clamp_max": "clamp", "clip": "clamp"}.get(name, name)
            if name.lower() in lines:
                lines[name.lower()].add(node.lineno)
    return lines


def _function(f: ast.expr) -> str:
    """The called function's name; empty for a layer (`self.sigmoid(x)`), made elsewhere."""
    if isinstance(f, ast.Attribute):
        of_self = isinstance(f.value, ast.Name) and f.value.id == "self"
        return "" if of_self else f.attr
    return f.id if isinstance(f, ast.Name) else ""
