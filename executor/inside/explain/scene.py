"""An error's surroundings for the explainers: its operands, layer, frames and lines."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import TracebackType
from typing import Any

from torch import nn

from executor.inside import torch_private as private
from executor.inside.explain.look import (
    FrameNames,
    UnknownError,
    is_a,
    is_tensor,
    own_dict,
    value_of,
)
from executor.inside.explain.meta import shape_of
from executor.inside.explain.operands import expression, operand_nodes
from executor.inside.explain.places import Places
from executor.inside.explain.thing import LayerThing, PassedAt, Thing
from executor.inside.explain.words import dims, dtype, short
from executor.inside.probes.source import CodePosition, SnippetSource

_MESSAGE = 4000  # characters of an error's message that are read, and half as many from its end


class Scene:
    """One error: the snippet's innermost frame, its failing expression, torch's frames below."""

    def __init__(self, error: BaseException, source: SnippetSource, places: Places) -> None:
        """Read the traceback.

        Raises:
            LookupError: none of the snippet's frames is in the traceback.
        """
        self.error = error
        self.kind = type(error).__name__
        self.source = source
        self.places = places
        entries = list(_entries(error))
        own = [
            i for i, tb in enumerate(entries) if tb.tb_frame.f_code.co_filename == source.filename
        ]
        if not own:
            raise LookupError("no frame of the snippet")
        self._stand_at(entries, own)

    def _stand_at(self, entries: list[TracebackType], own: list[int]) -> None:
        """Take the last of the snippet's frames given as the failing one."""
        self._entries, self._own = entries, own
        source, places = self.source, self.places
        self.tb = entries[own[-1]]
        self.outer = [entries[i] for i in own[:-1]]
        self.inner = entries[own[-1] + 1 :]
        self.frame = self.tb.tb_frame
        place = CodePosition(self.frame.f_code, self.tb.tb_lasti, self.tb.tb_lineno)
        span = source.span(place)
        self.line = span.line
        self.node = places.find(span.line, span.end_line, span.col, span.end_col)
        self.statement = places.statement_of(self.node) if self.node is not None else None
        # A finally or a handler that raised again ran since, and may have bound names anew.
        since = places.bound_since(self.node) if self.node is not None else frozenset()
        self.names = FrameNames(self.frame.f_locals, self.frame.f_globals, since)
        self.scope = places.scope(self.line, self.frame.f_code.co_name)
        self.raised = self.places_raise()

    def argument_given(self, name: str) -> tuple[Scene, ast.expr] | None:
        """The caller's expression for an argument of this function, with the caller's scene.

        None if the name is no argument, was assigned since, or its expression is uncertain.
        """
        scope = self.scope
        if not isinstance(scope, ast.FunctionDef) or len(self._own) < 2:
            return None
        if not isinstance(self._passed(name), PassedAt):
            return None
        caller = Scene.__new__(Scene)
        caller.error, caller.kind = self.error, self.kind
        caller.source, caller.places = self.source, self.places
        caller._stand_at(self._entries, self._own[:-1])
        call = caller.call
        if call is None or _starred(call.args):
            return None
        names = [a.arg for a in [*scope.args.posonlyargs, *scope.args.args]]
        names = names[1:] if names[:1] == ["self"] else names
        given = dict(zip(names, call.args, strict=False))
        given |= {k.arg: k.value for k in call.keywords if k.arg}
        return (caller, given[name]) if name in given else None

    def places_raise(self) -> bool:
        """Whether the error is the snippet's own `raise` or `assert`."""
        return not self.inner and isinstance(self.statement, (ast.Raise, ast.Assert))

    # -- the snippet's own line ---------------------------------------------------------------

    def thing(self, node: ast.AST) -> Thing:
        """The value of an expression of the snippet, with its name and line.

        Raises:
            UnknownError: it cannot be read without running code.
        """
        return Thing(short(ast.unparse(node)), value_of(node, self.names), self.made(node), node)

    def known(self, nodes: Iterable[ast.AST]) -> Iterator[Thing]:
        """The values of those expressions that can be read."""
        for node in nodes:
            try:
                yield self.thing(node)
            except UnknownError:
                continue

    def shaped(self, nodes: Iterable[ast.AST]) -> Iterator[Thing]:
        """The same, with tensors of which only shape and dtype can be inferred."""
        for node in nodes:
            try:
                yield self.thing(node)
            except UnknownError:
                try:
                    value = shape_of(node, self.names)
                except UnknownError:
                    continue
                yield Thing(short(ast.unparse(node)), value, None, node, computed=True)

    def made(self, node: ast.AST) -> int | None:
        """The line that gave an expression its value; None if that is uncertain."""
        found = None
        if isinstance(node, ast.Name):
            if self.places.is_of_a_comprehension(node):
                return None
            binding = self.places.made(node.id, self.scope, self.line)
            found = binding.line if binding else self._passed(node.id)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                owner = self.names.local.get("self")
                value = self.places.assigned(type(owner).__name__, node.attr)
                found = value.lineno if value is not None else None
            elif node.attr in ("T", "mT", "data", "shape"):
                return self.made(node.value)
        elif isinstance(node, ast.Subscript):
            changed = self.places.has_items_set(node.value)
            return None if changed else self.made(node.value)
        return found if found != self.line else None

    def _passed(self, name: str) -> int | None:
        """The line that called the failing function, if the name is its argument, unassigned."""
        if not isinstance(self.scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
        sites = self.places.bindings(self.scope).get(name, [])
        if len(sites) != 1 or sites[0].statement is not self.scope or name == "self":
            return None
        if not self.outer:  # the snippet caught it in this very frame, which still runs
            caller = self.frame.f_back
            while caller is not None and caller.f_code.co_name in private.CALLS:
                caller = caller.f_back
            own = caller is not None and caller.f_code.co_filename == self.source.filename
            return PassedAt(caller.f_lineno) if own and caller is not None else None
        between: TracebackType | None = self.outer[-1].tb_next
        while between is not None and between is not self.tb:
            if between.tb_frame.f_code.co_name not in private.CALLS:
                return None
            between = between.tb_next
        return PassedAt(self.outer[-1].tb_lineno)

    def value_node(self, node: ast.AST) -> ast.expr | None:
        """The expression last assigned to a name or attribute of self; None if uncertain."""
        if isinstance(node, ast.Name):
            binding = self.places.made(node.id, self.scope, self.line)
            return binding.node if binding else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = self.names.local.get("self")
            return self.places.assigned(type(owner).__name__, node.attr)
        return None

    @cached_property
    def call(self) -> ast.Call | None:
        """The failing call, if the failing expression is one."""
        return self.node if isinstance(self.node, ast.Call) else None

    @cached_property
    def called(self) -> str:
        """The last name of what is called: `view` of `x.view(3)`; empty if nothing is."""
        func = self.call.func if self.call else None
        if isinstance(func, ast.Attribute):
            return func.attr
        return func.id if isinstance(func, ast.Name) else ""

    def argument(self, position: int, *names: str) -> Thing | None:
        """The failing call's argument at a position, or by one of its names; None if unknown."""
        if self.call is None:
            return None
        nodes: list[ast.AST] = [k.value for k in self.call.keywords if k.arg in names]
        if len(self.call.args) > position and not _starred(self.call.args[: position + 1]):
            nodes.append(self.call.args[position])
        return next(self.shaped(nodes[:1]), None)

    @property
    def receiver(self) -> Thing | None:
        """`x` of `x.view(3)`; None if that is a Python module, or not known."""
        func = self.call.func if self.call else self.node
        if not isinstance(func, ast.Attribute):
            return None
        found = next(self.shaped([func.value]), None)
        return None if found and is_a(found.value, types.ModuleType) else found

    @cached_property
    def operands(self) -> tuple[Thing, ...]:
        """The known operands of the failing expression, in the order written."""
        if self.node is None:
            return ()
        things: list[Thing] = []
        for thing in self.known(operand_nodes(self.node, self.statement)):
            if is_a(thing.value, types.ModuleType, type, types.FunctionType):
                continue
            if isinstance(thing.node, ast.Constant) or thing.name == "self":
                continue
            if all(thing.name != other.name for other in things):
                things.append(thing)
        return tuple(things[:16])

    @cached_property
    def tensors(self) -> tuple[Thing, ...]:
        """The operands that are live tensors."""
        return tuple(t for t in self.operands if t.is_tensor)

    @cached_property
    def shapes(self) -> tuple[Thing, ...]:
        """The operands that are tensors, even if only shape and dtype are known."""
        if self.node is None:
            return ()
        things = {
            t.name: t for t in self.shaped(operand_nodes(self.node, self.statement)) if t.is_tensor
        }
        return tuple(things.values())[:16]

    # -- below it: torch's own frames ---------------------------------------------------------

    def local(self, *names: str) -> Any:
        """The innermost local variable of torch's frames with one of these names, or None."""
        for tb in reversed(self.inner):
            for name in names:
                value = tb.tb_frame.f_locals.get(name)
                if value is not None:
                    return value
        return None

    def local_thing(self, *names: str) -> Thing | None:
        """The same, under the name of the snippet's line for it, else torch's own."""
        value = self.local(*names)
        if not is_tensor(value):
            return None
        return self.as_written(value) or Thing(names[0], value)

    def as_written(self, value: Any) -> Thing | None:
        """The operand or variable of the snippet's frame that is this object."""
        for thing in self.operands:
            if thing.value is value:
                return thing
        for node, held in self._passed_on():
            if held is value:
                return Thing(short(ast.unparse(node)), value, self.made(node), node)
        for name, held in list(self.names.local.items()):
            if held is value and not name.startswith("__"):
                return Thing(name, value, self.made(ast.Name(name, ast.Load())))
        return None

    def _passed_on(self) -> Iterator[tuple[ast.AST, Any]]:
        """(argument as written, its value) of the module that the failing line itself calls."""
        if self.call is None or not self.inner or _starred(self.call.args):
            return
        first = self.inner[0].tb_frame
        if first.f_code.co_name == private.OUTER_CALL:
            yield from zip(self.call.args, first.f_locals.get("args", ()), strict=False)
            named = first.f_locals.get("kwargs", {})
            for k in self.call.keywords:
                if k.arg in named:
                    yield k.value, named[k.arg]
            return
        words = first.f_code.co_varnames[: first.f_code.co_argcount]
        for node, word in zip(self.call.args, words, strict=False):
            value = first.f_locals.get(word)
            try:  # the function may have given its argument's name to something else
                shape = tuple(value.shape) if value is not None and is_tensor(value) else None
                same = tuple(shape_of(node, self.names).shape) == shape
            except UnknownError:
                continue
            if same:
                yield node, value

    @cached_property
    def below(self) -> tuple[Thing, ...]:
        """The operands of the innermost failing Python line in torch."""
        if not self.inner:
            return ()
        tb = self.inner[-1]
        node = expression(tb)
        if node is None:
            return ()
        names = FrameNames(tb.tb_frame.f_locals, tb.tb_frame.f_globals)
        things = []
        for part in operand_nodes(node, None):
            try:
                value = value_of(part, names)
            except UnknownError:
                continue
            if is_tensor(value):
                things.append(self.as_written(value) or Thing(short(ast.unparse(part)), value))
        return tuple(things[:8])

    @cached_property
    def layer(self) -> LayerThing | None:
        """The innermost layer of torch.nn below the snippet's last line, if fully constructed."""
        making = [
            tb.tb_frame.f_locals.get("self")
            for tb in self.inner
            if tb.tb_frame.f_code.co_name == "__init__"
        ]
        for tb in reversed(self.inner):
            layer: Any = tb.tb_frame.f_locals.get("self")
            if layer is None or any(layer is m for m in making):
                continue
            if issubclass(type(layer), nn.Module) and _of_torch(type(layer)) and is_built(layer):
                return LayerThing(*self._layer_place(layer))
        return None

    def layer_is(self, *kinds: str) -> LayerThing | None:
        """The failing layer, if it is of one of these types."""
        found = self.layer
        return found if found and type(found.value).__name__ in kinds else None

    def _layer_place(self, layer: nn.Module) -> tuple[str, Any, int | None]:
        for variable, value in list(self.names.local.items()):
            if not issubclass(type(value), nn.Module):
                continue
            for path, module in nn.Module.named_modules(value):
                if module is layer:
                    name = f"{variable}.{path}" if path else variable
                    return name, layer, self.constructor(variable, value, path)
        return "", layer, None

    def constructor(self, variable: str, root: nn.Module, path: str) -> int | None:
        """The line that made the module at a path below a variable; None if uncertain."""
        steps = path.split(".") if path else []
        owner, rest = root, list(steps)
        for i, step in enumerate(steps):  # the innermost class of the snippet's own on the way
            if type(owner).__module__ == "__main__":
                rest = steps[i:]
            owner = private.modules_of(owner).get(step) or owner
        holder: Any = root
        for step in steps[: len(steps) - len(rest)]:
            holder = private.modules_of(holder)[step]
        if type(holder).__module__ == "__main__" and rest:
            node = self.places.assigned(type(holder).__name__, rest[0])
            return self.places.part(node, rest[1:]).lineno if node is not None else None
        binding = self.places.made(variable, self.scope, self.line)
        if binding is None:
            return None
        return self.places.part(binding.node, rest).lineno if binding.node else binding.line

    @cached_property
    def layer_arguments(self) -> dict[str, Any]:
        """The failing layer's arguments, by the parameter names of its forward."""
        for tb in reversed(self.inner):
            frame = tb.tb_frame
            if self.layer is None or frame.f_locals.get("self") is not self.layer.value:
                continue
            # Not from forward's own frame: there, a name may hold something else by now.
            if frame.f_code.co_name == private.OUTER_CALL:
                kind: Any = type(self.layer.value)
                code = kind.forward.__code__
                given = frame.f_locals.get("args", ())
                names = [*code.co_varnames[1 : code.co_argcount], *map(str, range(len(given)))]
                named = zip(names, given, strict=False)
                return {**dict(named), **frame.f_locals.get("kwargs", {})}
        return {}

    @cached_property
    def input(self) -> Thing | None:
        """The failing layer's input, with the line that made it if known."""
        value = next((v for v in self.layer_arguments.values() if is_tensor(v)), None)
        if value is None:
            return None
        written = self.as_written(value)
        if written:
            return written
        return Thing(self._output_of() or "input", value)

    def _output_of(self) -> str:
        """Inside an nn.Sequential, the layer whose output the input is; empty elsewhere."""
        for tb in reversed(self.inner):
            chain = tb.tb_frame.f_locals.get("self")
            if type(chain) is nn.Sequential and tb.tb_frame.f_code.co_name == "forward":
                modules = list(private.modules_of(chain).values())
                at = tb.tb_frame.f_locals.get("module")
                index = next((i for i, m in enumerate(modules) if m is at), 0)
                if index:
                    name, _, _ = self._layer_place(modules[index - 1])
                    kind = type(modules[index - 1]).__name__
                    return f"the output of {name} ({kind})" if name else ""
                return ""
        return ""

    def input_told(self) -> str:
        """`its input here is float32 [5, 8], from line 15`; empty if there is none."""
        x = self.input
        if x is None:
            return ""
        text = f"its input here is {dtype(x.value)} {dims(x.shape)}"
        if x.line:
            return text + x.from_line
        return f"{text}, {x.name}" if x.name.startswith("the output of") else text

    # -- words --------------------------------------------------------------------------------

    @cached_property
    def message(self) -> str:
        """The error's message, cut; empty if str() of it would run the snippet's code."""
        if any(
            c.__module__ == "__main__" and "__str__" in vars(c) for c in type(self.error).__mro__
        ):
            return ""
        try:
            text = str(self.error)
        except Exception:
            return ""
        return text if len(text) <= _MESSAGE else text[:_MESSAGE] + text[-_MESSAGE // 2 :]

    def variables(self) -> Iterator[Thing]:
        """Every variable of the snippet's frame, with its line."""
        for name, value in list(self.names.local.items()):
            if not name.startswith("__") and name not in self.names.unknown:
                yield Thing(name, value, self.made(ast.Name(name, ast.Load())))


def is_built(layer: nn.Module) -> bool:
    """Whether the module's __init__ got far enough for it to be looked at."""
    return private.MODULES in own_dict(layer)


def _of_torch(kind: type) -> bool:
    return kind.__module__.startswith("torch.nn.")


def _entries(error: BaseException) -> Iterator[TracebackType]:
    tb = error.__traceback__
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _starred(nodes: Iterable[ast.AST]) -> bool:
    return any(isinstance(n, ast.Starred) for n in nodes)
