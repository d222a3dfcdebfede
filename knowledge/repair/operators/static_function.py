"""Write a `Function` of the old kind, made and then called, as torch takes it today.

`forward` and `backward` become static and take a `ctx`; what `__init__` kept is handed to
`forward` behind its inputs, and gets None for a gradient. `Scale(2)(x)` is `Scale.apply(x, 2)`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.keeps import leaves
from knowledge.repair.toolkit.sites import argument
from knowledge.repair.toolkit.statements import is_docstring

ERRORS = ("legacy_function",)
KEEPS = (leaves,)
_KNOWN = frozenset({"__init__", "forward", "backward"})


class _Old(NamedTuple):
    cls: cst.ClassDef
    methods: dict[str, cst.FunctionDef]
    options: list[cst.Param]  # of `__init__`
    kept: list[str]  # `ctx.scale = scale`: what it did


def edits(failure: Failure) -> Rewrites:
    """Every class of the old kind, with its calls."""
    changes: Edits = {}
    found: list[cst.ClassDef] = []
    for cls in failure.all(cst.ClassDef):
        if any(re.search(r"(^|\.)Function$", failure.text(b.value)) for b in cls.bases):
            old = _read(failure, cls)
            made = [c for c in failure.all(cst.Call) if failure.text(c.func) == cls.name.value]
            new = [pair for c in made for pair in _called(failure, c, old)] if old else []
            if old is None or len(new) != len(made):
                return
            changes |= {**_static(failure, old), **dict(new)}
            found.append(cls)
    if found:
        names = " and ".join(f"`{cls.name.value}`" for cls in found)
        told = f"`forward` and `backward` of {names} are static, and `apply` calls them"
        yield failure.edit(changes, told, at=found[0], cost=COST.SAID, as_one=True)


def _read(program: Program, cls: cst.ClassDef) -> _Old | None:
    """The parts of a class; None where it does more than to keep what it is made with."""
    methods = {m.name.value: m for m in cls.body.body if isinstance(m, cst.FunctionDef)}
    if not {"forward", "backward"} <= set(methods) <= _KNOWN:
        return None
    if any(m.decorators or not m.params.params or m.params.star_kwarg for m in methods.values()):
        return None
    options: list[cst.Param] = []
    kept: list[str] = []
    if (init := methods.get("__init__")) is not None:
        options = list(init.params.params[1:])
        if init.params.kwonly_params or isinstance(init.params.star_arg, cst.Param):
            return None
        for line in init.body.body:
            text = program.text(line)
            if re.match(r"self\.\w+(?:, ?self\.\w+){0,9} ?=", text):
                kept.append(re.sub(r"\bself\.", "ctx.", text))
            elif not re.match(r"super\(|[\w.]*Function\.__init__|['\"]|pass$", text):
                return None
    taken = methods["forward"].params
    clash = {p.name.value for p in taken.params} & {p.name.value for p in options}
    if options and (isinstance(taken.star_arg, cst.Param) or clash):
        return None
    return _Old(cls, methods, options, kept)


def _static(program: Program, old: _Old) -> Edits:
    """The methods with a `ctx`; `__init__` goes."""
    changes: Edits = {}
    for name, method in old.methods.items():
        if name == "__init__":
            changes[method] = cst.RemoveFromParent()
            continue
        first = method.params.params[0].name.value
        lines = list(method.body.body)
        params = [method.params.params[0].with_changes(name=cst.Name("ctx"))]
        params += method.params.params[1:]
        if name == "forward":
            bare = [cst.Param(cst.Name(p.name.value)) for p in old.options]
            params = [p.with_changes(comma=cst.MaybeSentinel.DEFAULT) for p in (*params, *bare)]
            docs = 1 if lines and is_docstring(lines[0]) else 0
            lines[docs:docs] = [cst.parse_statement(text) for text in old.kept]
        new = method.with_changes(
            params=method.params.with_changes(params=params),
            body=method.body.with_changes(body=lines),
            decorators=[cst.Decorator(cst.Name("staticmethod"))],
        )
        count = len(old.options) if name == "backward" else 0
        changes[method] = cst.ensure_type(new.visit(_WithCtx(first, count)), cst.FunctionDef)
    return changes


class _WithCtx(cst.CSTTransformer):
    """`ctx` for `self`, and `return grad, None` for `return grad`: an option has no gradient."""

    def __init__(self, old: str, options: int) -> None:
        super().__init__()
        self._old, self._options = old, options

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:  # noqa: N802
        return cst.Name("ctx") if original_node.value == self._old else updated_node

    def leave_Return(  # noqa: N802
        self, original_node: cst.Return, updated_node: cst.Return
    ) -> cst.Return:
        if not self._options:
            return updated_node
        value = updated_node.value or cst.Name("None")
        given = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
        parts = [cst.Element(v) for v in (*given, *[cst.Name("None")] * self._options)]
        return updated_node.with_changes(
            value=cst.Tuple(parts, lpar=(), rpar=()),
            whitespace_after_return=cst.SimpleWhitespace(" "),
        )


def _called(
    program: Program, made: cst.Call, old: _Old
) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    """`Scale.apply(x, 2)` for `Scale(2)(x)`; where it is kept first, a function that does so."""
    given = []
    for at, option in enumerate(old.options):
        found = argument(made, at, option.name.value)
        value = found.value if found is not None else option.default
        if value is None or (found is not None and found.star):
            return
        given.append(cst.Arg(value))
    apply = cst.Attribute(made.func, cst.Name("apply"))
    call = program.parent(made)
    if isinstance(call, cst.Call) and call.func is made:
        inputs = [a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in call.args]
        yield call, cst.Call(apply, [*inputs, *given])
    elif not given:
        yield made, apply
    else:
        text = program.module.code_for_node(cst.Call(apply, [cst.Arg(cst.Name("x")), *given]))
        yield made, cst.parse_expression(f"lambda *x: {text.replace('(x', '(*x', 1)}")


def checks(before: object, after: object, proposal: Proposal) -> list[Check]:
    """Each class is applied, and its gradients are computed."""
    classes = re.findall(r"\bclass (\w+)\([\w.]*Function\):", proposal.code)
    kept = all(f"{name}.apply" in proposal.code for name in classes) and classes
    return [Check.of("applied", kept, "the function is applied", "the function is not applied")]
