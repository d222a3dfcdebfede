"""Give a hook, or a `__getitem__`, the parameters that it is called with.

The method that registers a hook says what torch calls it with. A parameter of the hook keeps its
name where that says which of these it is; those that it lacks are added, and one that nothing is
passed for, and that nothing reads, goes. A hook goes again by the handle that registering it gives.
"""

import re
from collections.abc import Iterator

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program, method, separated
from knowledge.repair.toolkit.flow import free_name, loops_around
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.sites import calls, scope_of

ERRORS = ("too_many_arguments", "missing_arguments", "object_attribute", "tensor_attribute")
_TOLD = "the hook is still registered", "nothing is registered any more"
KEEPS = (written("hook", *_TOLD, has=r"\.register_\w*hook\(|__getitem__"),)
_REMOVES = re.compile(r"(?:remove|unregister|deregister)_(?:\w{1,30}_)?hooks?")

_GIVEN = {
    "register_forward_hook": ("module", "inputs", "output"),
    "register_forward_pre_hook": ("module", "inputs"),
    "register_full_backward_hook": ("module", "grad_input", "grad_output"),
    "register_backward_hook": ("module", "grad_input", "grad_output"),
    "register_full_backward_pre_hook": ("module", "grad_output"),
    "register_hook": ("grad",),
    "register_post_accumulate_grad_hook": ("param",),
}
_NAMED = {
    "module": r"m|mod|module|layer|model|net|self_?|_",
    "inputs": r"i|x|xs|inp\w*|in_?|args?|ins|\w*_in|_",
    "output": r"o|y|out\w*|res\w*|ret|h|feat\w*|act\w*|\w*_out|_",
    "grad_input": r"gi|g_?in|g(?:rad)?_?inp?u?t?s?|_",
    "grad_output": r"g|go|g_?out|g(?:rad)?s?_?(?:out)?p?u?t?s?|_",
    "grad": r"g|grads?|gradient|_",
    "param": r"p|param\w*|w|weight|_",
}
_TUPLES = ("grad_input", "grad_output")  # a tensor for each input, or output
_NAME = re.compile(r"^(?:[\w.<>]*\.)?(?P<name>\w+|<lambda>)\(\)")
Hook = cst.FunctionDef | cst.Lambda


def edits(failure: Failure) -> Rewrites:
    """The hook that the error names, with the parameters of its kind, or the handle of it."""
    yield from _by_its_handle(failure)
    said = _NAME.search(failure.error.message)
    if said is None:
        return
    if said["name"] == "__getitem__":
        if not failure.result.undefined and not failure.result.stand_ins:
            yield from _with_index(failure)  # else a name that is missing may be the index
        return
    pattern = rf"\.({'|'.join(_GIVEN)})$"
    found = {
        (hook, method)
        for call in calls(failure, pattern)
        if call.args and not any(a.keyword is not None for a in call.args)
        for method in [call.func.attr.value if isinstance(call.func, cst.Attribute) else ""]
        for hook in _hooks(failure, call.args[0].value, said["name"])
    }
    if len(found) != 1:
        return  # one function for hooks of two kinds, or a function that is no hook
    hook, method = found.pop()
    given = _GIVEN[method]
    new = _parameters(failure, hook, given)
    if new is None:
        return
    name = "the lambda" if isinstance(hook, cst.Lambda) else f"`{hook.name.value}`"
    told = f"{name} takes what `{method}` calls it with: {', '.join(given)}"
    changes: Edits = {hook.params: new}
    for role, param in zip(reversed(given), reversed(new.params), strict=False):
        if role in _TUPLES:
            changes |= _first_of(failure, hook, param.name.value)
    yield failure.edit(changes, told, at=hook, cost=COST.SAID)


def _by_its_handle(failure: Failure) -> Rewrites:
    """`handle.remove()` for `net.remove_forward_hook(look)`, and `handle = ` where it came."""
    node = failure.node.func if isinstance(failure.node, cst.Call) else failure.node
    if not isinstance(node, cst.Attribute) or _REMOVES.fullmatch(node.attr.value) is None:
        return
    alone = [e.value for e in failure.all(cst.Expr) if isinstance(e.value, cst.Call)]
    asked = [(c, c.func) for c in alone if isinstance(c.func, cst.Attribute)]
    changes: Edits = {}
    for gone, function in asked:
        if function.attr.value != node.attr.value:
            continue
        owner, line = failure.text(function.value), failure.line(gone)
        came = [c for c, f in asked if f.attr.value in _GIVEN
                and failure.text(f.value) == owner and failure.line(c) < line]  # fmt: skip
        if len(came) != 1 or any(loops_around(failure, c) for c in (gone, *came)):
            return
        name = free_name(failure, f"handle_{len(changes) // 2 + 1}" if changes else "handle")
        kept = cst.Assign([cst.AssignTarget(cst.Name(name))], came[0])
        changes[cst.ensure_type(failure.parent(came[0]), cst.Expr)] = kept
        changes[gone] = method(cst.Name(name), "remove")
    if changes:
        told = "a hook is removed by the handle that registering it gave"
        yield failure.edit(changes, told, at=node, as_one=True)


def _with_index(program: Program) -> Rewrites:
    """`def __getitem__(self, index)` for `def __getitem__(self)`."""
    for function in program.all(cst.FunctionDef):
        if (
            function.name.value == "__getitem__"
            and len(function.params.params) == 1
            and _is_method(program, function)
        ):
            new = separated([function.params.params[0], cst.Param(cst.Name("index"))])
            told = "`__getitem__` takes the index that it is called with"
            edits: Edits = {function.params: function.params.with_changes(params=new)}
            yield program.edit(edits, told, told, at=function, cost=COST.SAID)


def _hooks(program: Program, given: cst.BaseExpression, name: str) -> Iterator[Hook]:
    """The function that is registered, or that a call returns which makes hooks, if so named."""
    if isinstance(given, cst.Lambda):
        if name == "<lambda>":
            yield given
        return
    function = given.func if isinstance(given, cst.Call) else given
    last = program.text(function).rpartition(".")[2]
    named = [f for f in program.all(cst.FunctionDef) if f.name.value == last]
    if len(named) != 1:
        return
    if not isinstance(given, cst.Call):
        yield from (f for f in named if last == name)
        return
    for inner in program.inside(named[0].body, cst.FunctionDef):
        if inner.name.value == name:
            yield inner


def _parameters(program: Program, hook: Hook, given: tuple[str, ...]) -> cst.Parameters | None:
    """The hook's parameters, those it lacks put in; None where it is open which is which."""
    params = hook.params
    if params.kwonly_params or params.posonly_params or params.star_kwarg is not None:
        return None
    if isinstance(params.star_arg, cst.Param) or any(p.default for p in params.params):
        return None
    own = list(params.params)
    is_method = isinstance(hook, cst.FunctionDef) and _is_method(program, hook)
    bound, own = (own[:1], own[1:]) if is_method else ([], own)
    if len(own) == len(given):
        return None
    read = {n.value for n in program.inside(hook.body, cst.Name)}
    if len(own) > len(given):
        own = [p for p in own if p.name.value in read]
        if len(own) > len(given):
            return None
    new: list[cst.Param] = []
    names = {p.name.value for p in own} | read
    for role in reversed(given):  # what comes last is what most hooks are for
        if own and re.fullmatch(_NAMED[role], own[-1].name.value):
            new.append(own.pop())
        else:
            new.append(cst.Param(cst.Name(role if role not in names else f"_{role}")))
    if own:
        return None
    return params.with_changes(params=separated([*bound, *reversed(new)]))


def _first_of(program: Program, hook: Hook, name: str) -> Edits:
    """`grad[0].norm()` for `grad.norm()`, where it is read as a tensor and in no other way."""
    reads = [n for n in program.inside(hook.body, cst.Name) if n.value == name]
    around = [program.parent(n) for n in reads]
    pairs = zip(around, reads, strict=True)
    if not all(isinstance(a, cst.Attribute) and a.value is n for a, n in pairs):
        return {}
    return {n: cst.parse_expression(f"{name}[0]") for n in reads}


def _is_method(program: Program, function: cst.FunctionDef) -> bool:
    static = any("staticmethod" in program.text(d) for d in function.decorators)
    return isinstance(scope_of(program, function), cst.ClassDef) and not static
