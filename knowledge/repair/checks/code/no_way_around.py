"""A rewrite must not write past autograd, switch a check off, leave a step out or skip one."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from executor.errors import is_a
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import (
    Comparison,
    Replaced,
    called,
    expressions,
    names,
    parts_of,
    receivers,
    same_code,
    statements,
    text,
)
from knowledge.repair.toolkit.spelling import misspelt

# Arguments that switch a check off: the value that does so.
_CHECKS_OFF = {
    ("allow_unused", "True"), ("strict", "False"), ("is_grads_batched", "True"),
    ("check_trace", "False"),
    ("validate_args", "False"), ("materialize_grads", "True"), ("fullgraph", "False"),
    ("ignore_mismatched_sizes", "True"), ("raise_exception", "False"),
}  # fmt: skip
_HIDES = frozenset(
    {"simplefilter", "filterwarnings", "suppress", "catch_warnings", "redirect_stderr",
     "redirect_stdout", "set_grad_enabled", "disable"}
)  # fmt: skip
_CONVERTS = frozenset(
    {"float", "double", "half", "long", "int", "bool", "to", "type_as", "cpu", "detach", "item",
     "tolist", "numpy", "all"}
)  # fmt: skip
_TURNS = frozenset({"unsqueeze", "squeeze", "transpose", "permute", "flatten", "t"})
_NO_GRAPH = "`no_grad()`"
_WITHOUT_GRAPH = re.compile(r"(^|\.)(no_grad|inference_mode)(\(\))?$")
_INITIALIZES = re.compile(r"([\w.]+\.)?init\.\w+_\(")
_BY_BOTH_SIZES = re.compile(r"init\.(?:xavier|kaiming|orthogonal|sparse)\w*_\(")
_ACTIVATION = re.compile(r"(Softmax|Sigmoid|ReLU|Tanh|Flatten|Identity|Loss)\w*$")
_BUILTINS = frozenset(dir(builtins))
_ONCE_A_STEP, _NOWHERE = re.compile(r"\.unscale_\(|\bclip_grad_\w+_\("), re.compile(r"(?!)")
_ENDS = frozenset({"exit", "quit", "_exit", "abort"})


@refusing("no way around", "every step of the code is still there")
def check(change: Change) -> Iterator[str]:
    """Every step of the code is still there, and is taken."""
    found = change.compared
    yield from _switched_off(found, change.said)
    yield from _ended_early(found)
    once_a_step = change.result.error is not None and is_a(change.result.error, "unscaled_twice")
    yield from _skipped(found, _ONCE_A_STEP if once_a_step else _NOWHERE)
    yield from _left_out(change)
    yield from _called_no_more(change)
    yield from _layers_uncalled(found)
    yield from _patched(found)
    yield from _assertions(found)


def _switched_off(found: Comparison, said: str) -> Iterator[str]:
    """Statement by statement: what one line had before is no excuse for another.

    Zeros for a tensor that takes no part may be meant, where the fix says so.
    """
    for old, new in (*found.changed, *((None, s) for s in found.come)):
        before = Counter(_tricks(old)) if old is not None else Counter[str]()
        fresh = Counter(_tricks(new)) - before
        if "gets a gradient of zeros" in said:
            fresh = Counter({t: n for t, n in fresh.items() if "materialize_grads" not in t})
        if fresh:
            yield next(iter(fresh))


def _tricks(statement: ast.stmt) -> Iterator[str]:
    for node in expressions(statement):
        if isinstance(node, ast.Attribute) and node.attr == "data" and not _is_module(node):
            yield "it writes past autograd, through `.data`"
        if isinstance(node, ast.keyword) and (node.arg, text(node.value)) in _CHECKS_OFF:
            yield f"it switches a check off, with `{node.arg}={text(node.value)}`"
        if called(node) in _HIDES:
            yield f"it hides what is said or computed, with `{called(node)}()`"
        if isinstance(node, ast.Call) and _is_in_place(node) and _is_detached(node.func):
            yield "it writes past autograd, through detach()"
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    for target in targets:
        if isinstance(target, ast.Subscript) and _is_detached(target):
            yield "it writes past autograd, through detach()"


def _is_module(node: ast.Attribute) -> bool:
    """`torch.utils.data` is a module."""
    return isinstance(node.value, ast.Attribute) and node.value.attr == "utils"


def _is_in_place(call: ast.Call) -> bool:
    name = called(call)
    return name.endswith("_") and not name.endswith("__") and name != "requires_grad_"


def _is_detached(node: ast.AST) -> bool:
    """Whether something is a view of `x.detach()`; a clone of it is no way around."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        name = called(node)
        if name == "clone":
            return False
        if name == "detach":
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _ended_early(found: Comparison) -> Iterator[str]:
    """A new way out of the program, a loop or a function."""
    for statement in found.come:
        if isinstance(statement, (ast.Break, ast.Continue, ast.Raise)):
            yield f"line {statement.lineno} skips what comes after it"
        if isinstance(statement, ast.Return) and statement.value is None:
            yield f"line {statement.lineno} skips what comes after it"
    for statement in (*found.come, *(new for _, new in found.changed)):
        for node in expressions(statement):
            if called(node) in _ENDS:
                yield f"line {statement.lineno} ends the program"


def _skipped(found: Comparison, may: re.Pattern[str]) -> Iterator[str]:
    """A statement that is now under a condition, in a handler or in a function of its own."""
    over_old, over_new = _around(found.old), _around(found.new)
    for old, new in (*found.kept, *found.changed):
        before, after = over_old[old], over_new[new]
        fresh = [kind for kind in after if kind is not None]
        for kind in (kind for kind in before if kind in fresh):
            fresh.remove(kind)
        if not fresh or isinstance(old, (ast.Import, ast.ImportFrom)) or may.search(text(old)):
            continue
        if fresh[-1] != _NO_GRAPH:
            yield f"line {new.lineno} may be skipped now: it is in {fresh[-1]}"
        elif not _writes(new):
            yield f"line {new.lineno} leaves no graph now: it is under {_NO_GRAPH}"


def _writes(statement: ast.stmt) -> bool:
    """Whether a statement changes a tensor in place: there no graph is wanted."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(t, (ast.Subscript, ast.Attribute)) for t in statement.targets)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _is_in_place(statement.value)
    return isinstance(statement, (ast.AugAssign, ast.For, ast.If))


def _around(tree: ast.Module) -> dict[ast.stmt, tuple[str | None, ...]]:
    """For each statement the blocks around it that may skip it, or swallow its error."""
    found: dict[ast.stmt, tuple[str | None, ...]] = {}

    def visit(node: ast.AST, around: tuple[str | None, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                found[child] = around
                visit(child, (*around, _skips(child)))
            elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                visit(child, (*around, "a handler"))

    visit(tree, ())
    return found


def _sets_a_part(statement: ast.If) -> bool:
    """`if layer.bias is not None:`, or `if p.dim() > 1:`, and first values that take that.

    `if value.is_floating_point():`, and a change of that value in place. `if p.grad is not None:`,
    and what is done with that gradient.
    """
    match statement.test:
        case ast.Call(func=ast.Attribute(value=part, attr="is_floating_point"), args=[]):
            return all(text(s).startswith(text(part)) and _changes(s) for s in statement.body)
        case ast.Compare(
            left=ast.Call(func=ast.Attribute(value=part, attr="dim")),
            ops=[ast.Gt()],
            comparators=[ast.Constant(value=1)],
        ):
            return all(_fills(s) and _BY_BOTH_SIZES.search(text(s)) for s in statement.body)
        case ast.Compare(
            left=ast.Attribute(attr="bias" | "weight") as part,
            ops=[ast.IsNot()],
            comparators=[ast.Constant(value=None)],
        ):
            return all(_fills(s) and text(part) in text(s) for s in statement.body)
        case ast.Compare(
            left=ast.Attribute(attr="grad") as part,
            ops=[ast.IsNot()],
            comparators=[ast.Constant(value=None)],
        ):  # a parameter that took no part in the loss
            return text(part) in text(statement.body[0])
    return False


def _changes(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AugAssign) or _fills(statement)


def _fills(statement: ast.stmt) -> bool:
    """`layer.bias.data.zero_()`, `nn.init.zeros_(layer.bias)`."""
    match statement:
        case ast.Expr(value=ast.Call() as call):
            return _is_in_place(call) or _INITIALIZES.match(text(call)) is not None
    return False


def _skips(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.If):
        is_left = "__main__" in text(statement.test) or _sets_a_part(statement)
        return None if is_left else "an `if`"
    if isinstance(statement, (ast.Try, ast.TryStar)):
        return "a `try`"
    if isinstance(statement, (ast.While, ast.Match)):
        return "a condition"
    if isinstance(statement, ast.With):
        entered = (item.context_expr for item in statement.items)  # `torch.no_grad` uncalled too
        contexts = {called(e) or text(e).rpartition(".")[2] for e in entered}
        return _NO_GRAPH if contexts & {"no_grad", "inference_mode"} else None
    return None


def _left_out(change: Change) -> Iterator[str]:
    """Statements that are gone, and that nothing of what came does instead."""
    found = change.compared
    error = change.result.error
    failed = [s for s in found.gone if error is not None and s.lineno == error.line]
    instead = _calls(failed[0]) if failed and found.come else set()
    in_ctx = {s for init in found.gone if _is_kept_in_ctx(init, found) for s in ast.walk(init)}
    taken = error is not None and is_a(error, "name_taken")
    for statement in found.gone:
        if taken and re.fullmatch(r"self\.\w+ = None", text(statement)):
            continue  # it only took the name
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.With, ast.AsyncWith, ast.Pass)):
            continue  # what stood under `with` is looked at itself
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if _is_chosen(statement, found) or _goes_through_itself(statement, found):
            continue
        if _summed(statement, found.new) or _all_summed(statement, found.new):
            continue
        if isinstance(statement, ast.Expr) and _returned(statement.value, found):
            continue
        if _written_at_once(statement, found.come):
            continue
        if instead and _calls(statement) == instead:
            continue  # it makes the same mistake as the line that failed
        if _turns_itself(statement) and "without" in change.said:
            continue  # the step that went wrong, and the fix says that it is left out
        if statement in in_ctx:
            continue
        if statement in failed and "nothing uses" in change.said and _is_unused(statement, found):
            continue
        yield f"it leaves line {statement.lineno} out: `{text(statement).splitlines()[0][:60]}`"
    for old, new in found.changed:
        kept = {text(d) for d in getattr(new, "decorator_list", [])}
        for decorator in getattr(old, "decorator_list", []):
            if _WITHOUT_GRAPH.search(text(decorator)):
                continue  # as for `with`: what it decorates is still called
            if text(decorator) not in kept and not _is_called(decorator, found.new):
                yield f"it leaves line {decorator.lineno} out: `@{text(decorator)[:60]}`"


def _is_kept_in_ctx(statement: ast.stmt, found: Comparison) -> bool:
    """Whether ctx has what an `__init__` kept, or what a `save_for_backward` of numbers saved."""
    match statement:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ctx, attr="save_for_backward"), args=saved)
        ):
            come = {text(s) for s in ast.walk(found.new) if isinstance(s, ast.Assign)}
            return all(f"{text(ctx)}.{text(a)} = {text(a)}" in come for a in saved)
    if not isinstance(statement, ast.FunctionDef) or statement.name != "__init__":
        return False
    kept = [text(s).replace("self.", "ctx.") for s in statement.body if isinstance(s, ast.Assign)]
    forwards = (n for n in ast.walk(found.new) if isinstance(n, ast.FunctionDef))
    return any(
        f.name == "forward" and all(k in map(text, f.body) for k in kept) and kept for f in forwards
    )


def _is_chosen(statement: ast.stmt, found: Comparison) -> bool:
    """Whether a branch, or the value that it gave, is now what `torch.where` chooses by or from."""
    if not isinstance(statement, (ast.If, ast.Assign, ast.Return)):
        return False
    wheres = [n for n in ast.walk(found.new) if isinstance(n, ast.Call) and called(n) == "where"]
    node = statement.test if isinstance(statement, ast.If) else statement.value
    return node is not None and text(node) in {text(a) for call in wheres for a in call.args}


def _goes_through_itself(statement: ast.stmt, found: Comparison) -> bool:
    """Whether a loop over numbers, `for i in range(n)`, now goes through what they index."""
    if not isinstance(statement, ast.For) or called(statement.iter) != "range":
        return False
    picked = {text(n.value) for n in ast.walk(statement) if isinstance(n, ast.Subscript)}
    for loop in (s for s in found.come if isinstance(s, ast.For)):
        match loop.iter:
            case ast.Call(func=ast.Name(id="enumerate"), args=[over]) | over:
                if text(over) in picked:
                    return True
    return False


def _is_unused(statement: ast.stmt, found: Comparison) -> bool:
    """Whether it only gives a name to what a class makes, and the rest never has that name."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    words = {n.id for n in ast.walk(found.new) if isinstance(n, ast.Name)}
    is_class = called(statement.value)[:1].isupper()
    return is_class and all(
        isinstance(t, ast.Name) and t.id not in words for t in statement.targets
    )


def _turns_itself(statement: ast.stmt) -> bool:
    """Whether it only brings a tensor into another shape under its own name."""
    if not isinstance(statement, ast.Assign) or called(statement.value) not in _TURNS:
        return False
    step = statement.value
    if not isinstance(step, ast.Call) or not isinstance(step.func, ast.Attribute):
        return False
    return [text(t) for t in statement.targets] == [text(step.func.value)]


def _returned(value: ast.expr, found: Comparison) -> bool:
    """Whether a value that was dropped is returned now."""
    come = (s for s in found.come if isinstance(s, ast.Return))
    return any(same_code(s.value, value) for s in come)


def _written_at_once(old: ast.stmt, come: Sequence[ast.stmt]) -> bool:
    """Whether `x[i].fill_(v)` is `x[i] = v` now."""
    match old:
        case ast.Expr(ast.Call(ast.Attribute(ast.Subscript() as place, name), given)):
            x, signs = text(place), ("=", "+=", "-=", "*=", "/=")
            values = [*map(text, given), f"{x}.{name[:-1]}()", "0"]
            return any(text(s) == f"{x} {by} {v}" for s in come for by in signs for v in values)
    return False


def _called_no_more(change: Change) -> Iterator[str]:
    """A function that was called for what it does, and whose line now does something else.

    The line that failed may well call something else: what it called may not exist.
    """
    failed = (change.result.error.line or 0) if change.result.error is not None else 0
    renamed = _renamed(change.compared, failed)
    for old, new in change.compared.changed:
        if not isinstance(old, ast.Expr) or not isinstance(old.value, ast.Call):
            continue
        said = (getattr(n, "attr", getattr(n, "id", "")) for n in expressions(new))
        words = {w.rstrip("_").replace("_full_", "_") for w in said}  # a hook of the whole layer
        is_left_out = called(old.value).rstrip("_") not in words
        if _INITIALIZES.match(text(old)) and _INITIALIZES.match(text(new)):
            continue  # the weights still get values to start from
        if (called(old.value), _called_by(new)) in renamed or _is_respelt(old, new):
            continue  # the call that failed, once more, and changed alike; or another slip
        is_left_out &= not _written_at_once(old, [new])
        is_left_out &= not _is_kept_in_ctx(old, change.compared)
        if is_left_out and not old.lineno <= failed <= (old.end_lineno or 0):
            yield f"it leaves line {old.lineno} out: `{text(old)[:60]}`"


def _renamed(found: Comparison, failed: int) -> set[tuple[str, str]]:
    """What the line that failed called, and what it calls in its place now."""
    pairs = set()
    for old, new in found.changed:
        if old.lineno <= failed <= (old.end_lineno or 0):
            before = {called(node) for node in expressions(old)} - {""}
            after = {called(node) for node in expressions(new)} - {""}
            if len(before - after) == len(after - before) == 1:
                pairs.add(((before - after).pop(), (after - before).pop()))
    return pairs


def _is_respelt(old: ast.Expr, new: ast.stmt) -> bool:
    """Whether the same call is made of the same with its name spelt right."""
    if not isinstance(new, ast.Expr) or not isinstance(new.value, ast.Call):
        return False
    was, now = old.value, new.value
    assert isinstance(was, ast.Call)
    given = [text(part) for part in (*was.args, *was.keywords)]
    owner, name = text(was.func).rpartition(".")[::2]
    same = given == [text(part) for part in (*now.args, *now.keywords)]
    of_same = text(now.func).rpartition(".")[0] == owner
    return same and of_same and misspelt(name, called(now))


def _called_by(statement: ast.stmt) -> str:
    return called(statement.value) if isinstance(statement, ast.Expr) else ""


def _layers_uncalled(found: Comparison) -> Iterator[str]:
    """A layer that the code makes and no longer calls as often."""
    made = _layers(found.old) & _layers(found.new)
    lost = _times(found.old, made) - _times(found.new, made)
    loops = (ast.For, ast.comprehension)
    over = [n.iter for n in ast.walk(found.new) if isinstance(n, loops)]
    over += [a for o in over if isinstance(o, ast.Call) for a in o.args]
    in_turn = set(map(text, over))
    if set(lost) - in_turn:  # a list of layers is called by calling each of them
        yield f"`{next(iter(lost))}` is called less often"


def _layers(tree: ast.Module) -> set[str]:
    """What is assigned a layer: `self.fc`, `model`. An activation may be one too many."""
    return {
        text(target)
        for s in ast.walk(tree)
        if isinstance(s, ast.Assign)
        and re.match(r"(torch\.)?nn\.[A-Z]", text(s.value))
        and not _ACTIVATION.search(called(s.value))
        for target in s.targets
    }


def _times(tree: ast.Module, layers: set[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        while isinstance(function, ast.Subscript):  # `model[0](x)` calls a part of `model`
            function = function.value
        if text(function) in layers:
            found[text(function)] += 1
    return found


def _patched(found: Comparison) -> Iterator[str]:
    """A library's or Python's own name that is given another value."""
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for s in statements(found.new)
        if isinstance(s, (ast.Import, ast.ImportFrom))
        for alias in s.names
    }
    for statement in (*found.come, *(new for _, new in found.changed)):
        for node in expressions(statement):
            is_set = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
            if not is_set or not isinstance(node, (ast.Name, ast.Attribute)):
                continue
            first = text(node).partition(".")[0]
            known = imported if isinstance(node, ast.Attribute) else imported | _BUILTINS
            if first in known and first not in _stored(found.old):
                yield f"line {statement.lineno} gives `{text(node)}` another value"


def _stored(tree: ast.Module) -> set[str]:
    nodes = (n for n in ast.walk(tree) if isinstance(n, ast.Name))
    return {n.id for n in nodes if isinstance(n.ctx, ast.Store)}


def _calls(statement: ast.stmt) -> set[str]:
    """The function that a statement is there to call."""
    return {called(statement.value)} - {""} if isinstance(statement, ast.Expr) else set()


def _summed(statement: ast.stmt, tree: ast.Module) -> bool:
    """Whether `a.backward()` went because `(a + b).backward()` came: the other check counts."""
    if not isinstance(statement, ast.Expr) or called(statement.value) != "backward":
        return False
    assert isinstance(statement.value, ast.Call)
    mine = names(statement.value.func)
    lost = {n.removesuffix(".backward") for n in mine}
    starts = receivers(tree, "backward")
    return any(isinstance(of, ast.BinOp) and lost <= names(of) for of in starts)


def _all_summed(statement: ast.stmt, tree: ast.Module) -> bool:
    """Whether a loop of backwards went because `sum(losses).backward()` came."""
    if not isinstance(statement, ast.For):
        return False
    only = all(isinstance(s, ast.Expr) and called(s.value) == "backward" for s in statement.body)
    return only and f"sum({text(statement.iter)})" in map(text, receivers(tree, "backward"))


def _is_called(decorator: ast.expr, tree: ast.Module) -> bool:
    """Whether what it decorated is given to it elsewhere now."""
    return any(isinstance(n, ast.Call) and same_code(n.func, decorator) for n in ast.walk(tree))


def _assertions(found: Comparison) -> Iterator[str]:
    """What the code itself expects stays; it may be compared as another dtype or elsewhere."""
    for old, new in found.changed:
        parts = parts_of(old, new) if isinstance(old, ast.Assert) else ()
        if not all(_is_converted(part) for part in parts):
            yield f"line {new.lineno} asserts something else: `{text(old)[:60]}` was expected"


def _is_converted(part: Replaced) -> bool:
    """Whether a value is the same one, as another dtype, on another device or out of the graph."""
    value = part.new
    if isinstance(part.old, ast.Compare) and called(value or part.old) in ("equal", "allclose"):
        given = [text(a) for a in getattr(value, "args", [])]
        return given == [text(part.old.left), *(text(c) for c in part.old.comparators)]
    while isinstance(value, ast.Call) and called(value) in _CONVERTS:
        if not isinstance(value.func, ast.Attribute):
            return False
        value = value.func.value
        if same_code(value, part.old):
            return True
    return False
