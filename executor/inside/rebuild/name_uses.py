"""Read what a program does with a name that it lacks: calls it, indexes it, passes it on."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

import torch

from executor.inside.placeholders.program import ScopedName, SnippetTree, last_name, method

MODEL_NAME = re.compile(
    r"(?i)^(model|net|network|m|nn_model|\w*_?(model|net|network)|encoder|decoder|backbone|critic"
    r"|actor|discriminator|generator|net[a-z]|q|q_\w+)$"
)
_TARGET = re.compile(r"(?i)(?:y_?|gt_?)?(?:true|targets?|tgts?|labels?|truth)")
LOSS_NAME = re.compile(r"(?i)(criterion|loss_?f\w*|loss_?func\w*|^loss$|_loss$|bce|mse)")
_MODULES = ("torch", "torch.nn.functional", "torch.nn", "torch.optim")
# Functions of torch.nn.functional that tensors have as methods: `f.relu(x)`.
_ALSO_FUNCTIONS = frozenset({"relu", "softmax", "log_softmax", "sigmoid", "tanh"})
# Functions of torch and of torch.nn.functional that make a tensor of sizes, and take none.
_MAKERS = frozenset({"zeros", "ones", "rand", "randn", "randint", "empty", "full", "eye", "arange",
                     "linspace", "randperm", "tensor", "normal", "manual_seed"})  # fmt: skip

_GIVE_THEMSELVES = frozenset({"to", "cuda", "cpu", "eval", "train", "float", "double", "half"})
_MANY = 7  # names that one call's result is unpacked into
_CONTAINERS = frozenset({"Sequential", "ModuleList", "ModuleDict", "add_module"})


@dataclass
class Uses:
    """What is done with a name."""

    called: bool = False
    arguments: int = 0  # of its first call
    attributes: set[str] = field(default_factory=set)
    keys: list[str] = field(default_factory=list)
    indexed: bool = False
    least: tuple[int, ...] = ()  # the sizes that its subscripts of several dimensions need
    of_items: set[str] = field(default_factory=set)  # attributes of what it is indexed for
    looped: bool = False
    passed_to: list[str] = field(default_factory=list)
    computed: bool = False
    unpacked: list[str] = field(default_factory=list)  # the names that it is unpacked into
    is_base: bool = False
    tested: bool = False  # `if name`, `not name`
    formatted: bool = False  # put into a text
    plain: bool = False  # joined with a string, or formatted
    words: list[str] = field(default_factory=list)  # that it is compared with

    @property
    def only_formatted(self) -> bool:
        """Whether it is put into texts, and nothing else is done with it."""
        return self.formatted and replace(self, formatted=False) == Uses()

    @property
    def is_a_flag(self) -> bool:
        """Whether it is asked for its truth, and nothing else is done with it."""
        return self.tested and replace(self, tested=False, formatted=False) == Uses()


class NameUses:
    """The uses of a program's names."""

    def __init__(self, module: ast.Module, tree: SnippetTree) -> None:
        self.models = _models(module)
        self.attributes = _attributes(module)
        # The last parts of all attributes that are read, of whatever.
        self.asked = {n.attr for n in ast.walk(module) if isinstance(n, ast.Attribute)}
        self._tree = tree
        self._of_keys = _names_of_keys(module)
        self._functions = {n.name: n for n in module.body if isinstance(n, ast.FunctionDef)}

    def of(self, name: str) -> Uses:
        """What is done with a name, or with an attribute such as `args.lr`."""
        path, _, last = name.rpartition(".")
        nodes: list[ast.expr] = []
        if path:
            nodes += self.attributes.get(name, [])
            nodes += [] if path == "self" else self.attributes.get(f"self.{last}", [])
            for node in list(nodes):  # hidden = cfg["hidden"]: what is done with `hidden` counts
                given = self._tree.parents.get(node)
                if isinstance(given, ast.Assign) and isinstance(given.targets[0], ast.Name):
                    nodes += self._tree.uses(self._tree.variable(given.targets[0]))
        else:
            nodes += self._tree.with_aliases(ScopedName(None, name))
            for function, parameter in self._parameters_given(name):
                nodes += self._tree.uses(ScopedName(function, parameter))
                if getattr(function, "name", "") == "__init__":  # self.files = files
                    nodes += self.attributes.get(f"self.{parameter}", [])
        return facts(nodes, self._tree.parents)

    def _parameters_given(self, name: str) -> list[tuple[ast.AST, str]]:
        """The methods' parameters that get the name: `forward`'s x of `net(x)`."""
        found: list[tuple[ast.AST, str]] = []
        for use in self._tree.uses(ScopedName(None, name)):
            call = self._tree.parents.get(use)
            if isinstance(call, ast.Call) and use in call.args:
                found += self._given_at(call, use)
        return found

    def _given_at(self, call: ast.Call, use: ast.expr) -> list[tuple[ast.AST, str]]:
        """The parameters of the program's own functions that get one argument of a call."""
        found: list[tuple[ast.AST, str]] = []
        called = last_name(call.func)
        if hasattr(builtins, called) or "." in ast.unparse(call.func).rpartition(".")[0]:
            return found
        at = call.args.index(use)
        if isinstance(call.func, ast.Name) and called in self._functions:
            return _parameter_at(self._functions[called], at, 0)
        for cls in self._tree.classes.values():
            function = method(cls, "__init__" if called == cls.name else called)
            if function is None and cls in self.models and isinstance(call.func, ast.Name):
                function = method(cls, "forward")
            if function is not None:
                found += _parameter_at(function, at, 1)
        return found

    def results(self, name: str) -> list[ast.Name]:
        """The places that read what a call of a name, or of an attribute, gave."""
        found: list[ast.Name] = []
        uses: Iterable[ast.expr] = self._tree.uses(ScopedName(None, name))
        for use in self.attributes.get(name, ()) if "." in name else uses:
            call = self._tree.parents.get(use)
            assigned = self._tree.parents.get(call) if isinstance(call, ast.Call) else None
            while isinstance(assigned, ast.Attribute) and assigned.attr in _GIVE_THEMSELVES:
                moved = self._tree.parents.get(assigned)  # make(…).to(device)
                assigned = self._tree.parents.get(moved) if moved is not None else None
            if isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name):
                found += self._tree.uses(self._tree.variable(assigned.targets[0]))
        return found

    def names_of_results(self, name: str) -> tuple[list[str], list[str]]:
        """The names that what its calls give is unpacked into, and those of what they are given."""
        uses: Iterable[ast.expr] = self._tree.uses(ScopedName(None, name))
        for use in self.attributes.get(name, ()) if "." in name else uses:
            call = self._tree.parents.get(use)
            given = self._tree.parents.get(call) if isinstance(call, ast.Call) else None
            if not (isinstance(call, ast.Call) and isinstance(given, ast.Assign)):
                continue
            target = given.targets[0]
            if call.func is use and isinstance(target, ast.Tuple) and len(target.elts) < _MANY:
                arguments = [a for a in call.args if not isinstance(a, ast.Starred)]
                return [ast.unparse(e) for e in target.elts], [ast.unparse(a) for a in arguments]
        return [], []

    def keys_of_items(self, name: str) -> list[str]:
        """The keys that a loop over a name reads of each item: those of its dict."""
        found: list[str] = []
        for use in self._in_functions_too(name):
            target = self._each(use)
            if isinstance(target, ast.Name):
                item = self._tree.variable(target)
                found += facts(self._tree.uses(item), self._tree.parents).keys
        return list(dict.fromkeys(found))

    def names_of_items(self, name: str) -> list[str]:
        """The names that a loop unpacks each item into."""
        for use in self._in_functions_too(name):
            if names := self._unpacked_by_loop(use):
                return names
        return self._names_of_next(name)

    def name_of_key(self, key: str) -> str:
        """The variable that an entry of a batch is put into: `x = batch["image"]`; else itself."""
        return self._of_keys.get(key, key)

    def _in_functions_too(self, name: str) -> list[ast.Name]:
        """The uses of a name, and of the parameters that it is given as."""
        places = [ScopedName(None, name), *(ScopedName(*p) for p in self._parameters_given(name))]
        return [use for place in places for use in self._tree.uses(place)]

    def _each(self, use: ast.expr) -> ast.expr | None:
        """What the loop over this very expression, counted or not, binds each item to."""
        loop = self._tree.parents.get(use)
        counted = False
        if isinstance(loop, ast.Call) and last_name(loop.func) in {"enumerate", "tqdm"}:
            counted, loop = last_name(loop.func) == "enumerate", self._tree.parents.get(loop)
        target = loop.target if isinstance(loop, (ast.For, ast.comprehension)) else None
        if counted:
            target = target.elts[1] if isinstance(target, ast.Tuple) else None
        return target

    def _unpacked_by_loop(self, use: ast.expr) -> list[str]:
        """The names that the loop over this very expression unpacks each item into."""
        target = self._each(use)
        if isinstance(target, (ast.Tuple, ast.List)):
            return [last_name(e) or "item" for e in target.elts]
        if isinstance(target, ast.Name):  # a batch, which a line of the loop unpacks
            batch = self._tree.uses(self._tree.variable(target))
            return facts(batch, self._tree.parents).unpacked
        return []

    def names_of_loaded(self, name: str) -> list[str]:
        """The names that a loop unpacks the batches of `DataLoader(Name(…))` into."""
        for use in self._tree.uses(ScopedName(None, name)):
            made = self._tree.parents.get(use)
            for at in (made, *self._read_of(made)):
                loader = self._tree.parents.get(at) if at is not None else None
                if not isinstance(loader, ast.Call) or last_name(loader.func) != "DataLoader":
                    continue
                for read in self._read_of(loader):
                    names = self._unpacked_by_loop(read)
                    call = self._tree.parents.get(read)
                    if isinstance(call, ast.Call) and read in call.args:
                        for function, parameter in self._given_at(call, read):
                            for inner in self._tree.uses(ScopedName(function, parameter)):
                                names = names or self._unpacked_by_loop(inner)
                    if names:
                        return names
        return []

    def _read_of(self, made: ast.AST | None) -> list[ast.Name]:
        """The places that read the variable to which something is assigned."""
        above = self._tree.parents.get(made) if made is not None else None
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            return list(self._tree.uses(self._tree.variable(above.targets[0])))
        return []

    def _names_of_next(self, name: str) -> list[str]:
        """The names that `next(iter(loader))` is unpacked into."""
        for use in self._tree.uses(ScopedName(None, name)):
            made = self._tree.parents.get(use)
            if not (isinstance(made, ast.Call) and last_name(made.func) == "iter"):
                continue
            above = self._tree.parents.get(made)
            if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
                iterators: list[ast.expr] = list(
                    self._tree.uses(self._tree.variable(above.targets[0]))
                )
            else:
                iterators = [made]
            for iterator in iterators:
                drawn = self._tree.parents.get(iterator)  # next(it), it.next()
                drawn = self._tree.parents.get(drawn) if isinstance(drawn, ast.Attribute) else drawn
                given = self._tree.parents.get(drawn) if drawn is not None else None
                target = given.targets[0] if isinstance(given, ast.Assign) else None
                if isinstance(target, (ast.Tuple, ast.List)):
                    return [last_name(e) or "item" for e in target.elts]
        return []

    def names_of_samples(self, name: str) -> tuple[str, list[str]]:
        """The key under which samples are read, if any, and the names that one is unpacked into."""
        for use in self._tree.uses(ScopedName(None, name)):
            key, above = "", self._tree.parents.get(use)
            at = getattr(above.slice, "value", None) if isinstance(above, ast.Subscript) else None
            if isinstance(at, str) and above is not None:
                key, above = at, self._tree.parents.get(above)
            given = self._tree.parents.get(above) if isinstance(above, ast.Subscript) else None
            target = given.targets[0] if isinstance(given, ast.Assign) else None
            if isinstance(target, (ast.Tuple, ast.List)):
                return key, [last_name(e) or "item" for e in target.elts]
        return "", []

    def makes_an_attribute(self, name: str) -> bool:
        """Whether what each call of a name gives becomes an attribute of `self` in `__init__`."""
        calls = [self._tree.parents.get(use) for use in self._tree.uses(ScopedName(None, name))]
        assigned = [self._tree.parents.get(call) for call in calls if isinstance(call, ast.Call)]
        return bool(assigned) and all(
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Attribute)
            and getattr(node.targets[0].value, "id", "") == "self"
            for node in assigned
        )

    def keeps_a_state(self, name: str) -> bool:
        """Whether it is called as `out, state = name(x, state)`."""
        for use in self._tree.uses(ScopedName(None, name)):
            call = self._tree.parents.get(use)
            given = self._tree.parents.get(call) if isinstance(call, ast.Call) else None
            if not (isinstance(call, ast.Call) and isinstance(given, ast.Assign)):
                continue
            target = given.targets[0]
            if len(call.args) == 2 and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                return ast.unparse(call.args[1]) == ast.unparse(target.elts[1])
        return False

    def makes_a_layer(self, name: str) -> bool:
        """Whether what a class makes goes straight into a container of layers."""
        for use in self._tree.uses(ScopedName(None, name)):
            above = self._tree.parents.get(use)
            while isinstance(above, (ast.Call, ast.List, ast.Tuple, ast.ListComp, ast.keyword)):
                if isinstance(above, ast.Call) and last_name(above.func) in _CONTAINERS:
                    return True
                above = self._tree.parents.get(above)
        return False

    def alias(self, name: str) -> str:
        """The module of torch that a name is another name of: all that is asked of it is there."""
        asked = [
            chain
            for use in self._tree.uses(ScopedName(None, name))
            if (chain := _chain(use, self._tree.parents))
        ]
        if not asked or len(asked) != len(self._tree.uses(ScopedName(None, name))):
            return ""
        if any(c[0] in _ALSO_FUNCTIONS for c in asked) and not self._gives_values(name):
            return ""
        return next((m for m in _MODULES if all(_has(m, chain) for chain in asked)), "")

    def _gives_values(self, name: str) -> bool:
        """Whether each method of a name is called with a value: `f.relu(x)`, not `x.relu()`."""
        for use in self._tree.uses(ScopedName(None, name)):
            asked = self._tree.parents.get(use)
            call = self._tree.parents.get(asked) if asked is not None else None
            called = isinstance(call, ast.Call) and call.func is asked
            if not (isinstance(call, ast.Call) and called and call.args):
                return False
            if isinstance(call.args[0], (ast.Constant, ast.UnaryOp)):  # x.softmax(-1)
                return False
        return True

    def is_a_module(self, name: str) -> bool:
        """Whether all that is done with a name is to ask it for what no tensor has."""
        uses = self.of(name)
        other = (uses.called, uses.computed, uses.indexed, uses.looped, uses.passed_to)
        of_tensors = all(hasattr(torch.Tensor, asked) for asked in uses.attributes)
        return not any(other) and not of_tensors

    def is_loss(self, name: str) -> bool:
        """Whether a call of two things gives what `backward` is asked of."""
        calls = [self._tree.parents.get(use) for use in self._tree.uses(ScopedName(None, name))]
        pairs = all(isinstance(call, ast.Call) and len(call.args) == 2 for call in calls)
        return pairs and "backward" in facts(self.results(name), self._tree.parents).attributes

    def feeds_a_loss(self, name: str) -> bool:
        """Whether what a call of a name gives goes first into a call that is a loss."""
        for result in self.results(name):
            call = self._tree.parents.get(result)
            if isinstance(call, ast.Call) and call.args[:1] == [result] and len(call.args) == 2:
                called = last_name(call.func)
                if LOSS_NAME.search(called) or self.is_loss(called):
                    return True
        return False

    def is_model(self, name: str, last: str) -> bool:
        """Whether a name with a capital letter is called as a model is, and not to make one."""
        if len(last) == 1:  # D(fake), as in the formulas of a GAN
            return True
        if not MODEL_NAME.match(last):
            return False
        calls = [self._tree.parents.get(use) for use in self._tree.uses(ScopedName(None, name))]
        return any(
            isinstance(part, ast.Call)
            for call in calls
            if isinstance(call, ast.Call)
            for argument in call.args
            for part in ast.walk(argument)
        )


def _models(tree: ast.Module) -> list[ast.ClassDef]:
    """The classes of modules, the outermost one last."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and not _compares(node)
        and (
            method(node, "forward") is not None
            or (
                method(node, "__init__") is not None
                and any(last_name(base).endswith("Module") for base in node.bases)
            )
        )
    ]
    used = {
        part.id
        for node in found
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id != node.name
    }
    return sorted(found, key=lambda node: node.name not in used)


def _compares(cls: ast.ClassDef) -> bool:
    """Whether it is a loss: its `forward` is given a target as well."""
    forward = method(cls, "forward")
    names = [a.arg for a in forward.args.args[2:]] if forward is not None else []
    return any(_TARGET.fullmatch(name) for name in names)


def _attributes(tree: ast.Module) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.setdefault(f"{node.value.id}.{node.attr}", []).append(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            key = getattr(node.slice, "value", None)
            if isinstance(key, str) and key.isidentifier():  # cfg["lr"], like cfg.lr
                found.setdefault(f"{node.value.id}.{key}", []).append(node)
    return found


def facts(nodes: Iterable[ast.expr], parents: dict[ast.AST, ast.AST]) -> Uses:
    """What is done at these places."""
    uses = Uses()
    for node in nodes:
        above = parents.get(node)
        match above:
            case ast.Attribute():
                uses.attributes.add(above.attr)
            case ast.Call() if above.func is node:
                uses.arguments = uses.arguments or len(above.args)
                uses.called = True
            case ast.Call() if last_name(above.func) in {"enumerate", "tqdm"}:
                uses.looped = True
            case ast.Call() if getattr(above.func, "attr", "") == "format":
                uses.formatted = True
            case ast.Call():
                uses.passed_to.append(last_name(above.func))
            case ast.keyword():
                call = parents.get(above)
                if isinstance(call, ast.Call):
                    uses.passed_to.append(last_name(call.func))
            case ast.Subscript() if above.value is node:
                uses.indexed = True
                key = above.slice
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    uses.keys.append(key.value)
                uses.least = _largest(uses.least, _least_sizes(key))
                if isinstance(item := parents.get(above), ast.Attribute):
                    uses.of_items.add(item.attr)
            case ast.For() | ast.comprehension() if above.iter is node:
                uses.looped = True
            case ast.Assign() if isinstance(target := above.targets[0], (ast.Tuple, ast.List)):
                uses.unpacked = uses.unpacked or [last_name(e) or "item" for e in target.elts]
            case ast.BinOp():
                uses.plain |= any(map(_is_text, _terms(above, parents)))
                uses.computed = True
            case ast.ClassDef():
                uses.is_base |= node in above.bases
            case ast.If() | ast.IfExp() | ast.While() if above.test is node:
                uses.tested = True
            case ast.UnaryOp() if isinstance(above.op, ast.Not):
                uses.tested = True
            case ast.BoolOp():
                uses.tested = True
            case ast.FormattedValue():
                uses.formatted = True
            case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
                uses.words.append(word)
            case ast.AugAssign() | ast.Compare() | ast.UnaryOp():
                uses.computed = True
            case _:
                pass
    return uses


def _terms(sum_: ast.BinOp, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.expr]:
    """All that is joined by the signs around one place: `a + " " + b`, read from either end."""
    while isinstance(above := parents.get(sum_), ast.BinOp) and isinstance(above.op, ast.Add):
        sum_ = above
    sides = [sum_.left, sum_.right]
    while sides:
        side = sides.pop()
        if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Add):
            sides += [side.left, side.right]
        else:
            yield side


def _is_text(term: ast.expr) -> bool:
    return isinstance(term, ast.JoinedStr) or (
        isinstance(term, ast.Constant) and isinstance(term.value, str)
    )


def _least_sizes(key: ast.expr) -> tuple[int, ...]:
    """The sizes that `x[:, (0, 3)]` needs: one for each dimension, 0 where any will do."""
    if not isinstance(key, ast.Tuple) or not any(isinstance(e, ast.Slice) for e in key.elts):
        return ()
    if any(isinstance(e, ast.Constant) and e.value in (None, ...) for e in key.elts):
        return ()
    return tuple(max((n + 1 for n in _numbers(e)), default=0) for e in key.elts)


def _numbers(item: ast.expr) -> Iterator[int]:
    """The places that one part of a subscript names."""
    below = item.upper if isinstance(item, ast.Slice) else item
    for part in ast.walk(below) if below is not None else ():
        if isinstance(part, ast.Constant) and type(part.value) is int:
            yield part.value - isinstance(item, ast.Slice)


def _largest(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(pair) for pair in zip_longest(one, other, fillvalue=0))


def _names_of_keys(module: ast.Module) -> dict[str, str]:
    """The first variable that the entry of each key is assigned to, alone or among others."""
    found: dict[str, str] = {}
    for node in ast.walk(module):
        if not isinstance(node, ast.Assign):
            continue
        pairs = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(node.targets[0].elts, node.value.elts, strict=False))
        for target, value in pairs:
            key = value.slice if isinstance(value, ast.Subscript) else None
            if isinstance(target, ast.Name) and isinstance(key, ast.Constant):
                found.setdefault(str(key.value), target.id)
    return found


def _parameter_at(function: ast.FunctionDef, place: int, skip: int) -> list[tuple[ast.AST, str]]:
    names = [a.arg for a in function.args.args[skip:]]
    return [(function, names[place])] if place < len(names) else []


def _chain(use: ast.Name, parents: dict[ast.AST, ast.AST]) -> list[str]:
    """["utils", "data"] of `t.utils.data`."""
    chain: list[str] = []
    node: ast.AST | None = use
    while isinstance(above := parents.get(node) if node is not None else None, ast.Attribute):
        chain.append(above.attr)
        node = above
    return chain


def _has(module: str, chain: list[str]) -> bool:
    """Whether a module has an attribute that no tensor or module of layers has as well."""
    found: object = importlib.import_module(module)
    if hasattr(torch.Tensor, chain[0]) or hasattr(torch.nn.Module, chain[0]):
        return chain[0] in _ALSO_FUNCTIONS and hasattr(found, chain[0])
    for part in chain:
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
        if isinstance(found, type) or not isinstance(found, type(torch)):
            return True
    return True


def takes_a_tensor(function: str) -> bool:
    """Whether torch has such a function, and a tensor is what it takes."""
    places = (torch, torch.nn.functional)
    known = any(callable(getattr(place, function, None)) for place in places)
    other = function in _MAKERS or function[:1].isupper() or hasattr(builtins, function)
    return known and not other
