"""Find derivatives by hand that go the wrong way, or do not go on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TypeGuard

from executor.inside.remarks.edits import Told, moved, operand, put, way, with_argument
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    behind,
    blocks,
    calls_in,
    dotted,
    functions,
    has_minus,
    inside,
    is_read,
    is_true,
    loops,
    method_calls,
    tail,
    walk,
    words,
)


def gradient_ignored(tree: ast.Module) -> Found:
    """A backward of an own Function that reads nothing of the gradient it is given."""
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        if not any(dotted(b).rpartition(".")[2] == "Function" for b in cls.bases):
            continue
        for method in (n for n in cls.body if isinstance(n, ast.FunctionDef)):
            given = [a.arg for a in method.args.args[1:]]
            if method.name != "backward" or not given or method.args.vararg:
                continue
            returned = [
                n.value for n in inside(method) if isinstance(n, ast.Return) and n.value is not None
            ]
            if any(is_read(name, s) for name in given for s in method.body) or not returned:
                continue
            parts = [p for r in returned for p in (r.elts if isinstance(r, ast.Tuple) else [r])]
            parts = [p for p in parts if not (isinstance(p, ast.Constant) and p.value is None)]
            if not parts or {"zeros", "zeros_like"} & {w for p in parts for w in words(p)}:
                continue  # no gradient goes through, on purpose
            new = [put(p, f"{given[0]} * ", *operand(p)) for p in parts]
            yield Told(
                "gradient_ignored",
                returned[-1],
                f"this backward never reads `{given[0]}`, the gradient of the loss by what this "
                "function returned: its own derivative alone is right only where that is 1; "
                f"write `{given[0]} * (…)`",
                (way("the chain rule multiplies by the gradient that comes in", *new),)
                if len(given) == 1
                else (),
            )


def graph_left_out(tree: ast.Module) -> Found:
    """A derivative in a loss, taken without a graph of its own: to the optimizer it is a number."""
    own = functions(tree)
    for scope in (tree, *own.values()):
        below = list(inside(scope))
        back = {w for c in calls_in(below, "backward") for w in words(c.func)}
        # Names mean something else in each function, so only those are gone through that it calls.
        called = own.values() if scope is tree else [own[n] for n in _called(below) if n in own]
        yield from _left_out(tree, back, [scope, *called]) if back else ()


def _called(nodes: Iterable[ast.AST]) -> set[str]:
    return {tail(n) for n in nodes if isinstance(n, ast.Call)}


_CUTS = {"item", "detach", "tolist", "numpy", "float"}


def _left_out(tree: ast.Module, back: set[str], scopes: Iterable[ast.AST]) -> Found:
    made: list[tuple[str, ast.expr, set[str]]] = []
    for at, scope in enumerate(scopes):
        # `f` of a function that is called is not the `f` of who calls it.
        own = _locals(scope) if at else {}
        for node in inside(scope) if at else _each_time(scope):
            if isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = (n for target in targets for n in walk(target))
                made += [
                    (own.get(n.id, n.id), node.value, {own.get(w, w) for w in _goes_on(node.value)})
                    for n in names
                    if isinstance(n, ast.Name)
                ]
            elif isinstance(node, ast.Return) and node.value is not None:
                name, value = getattr(scope, "name", ""), node.value
                made.append((name, value, {own.get(w, w) for w in _goes_on(value)}))
    flows: dict[str, set[str]] = {}
    for name, _, goes_on in made:
        flows.setdefault(name, set()).update(goes_on)
    wanted, own_functions = behind(back, flows), functions(tree)
    for name, value, _ in made:
        calls = [c for c in walk(value) if isinstance(c, ast.Call) and _is_derivative(c)]
        calls = [c for c in calls if dotted(c.func) not in own_functions]  # `def grad(u, x)`
        if name not in wanted or len(calls) != 1:
            continue
        if {k.arg for k in calls[0].keywords} & {"create_graph", None}:
            continue
        through = {n for n in wanted - back if name in behind({n}, flows)}
        of = dotted(_by(calls[0]))
        if any(_is_a_step(tree, n.rpartition(".")[2], of, back) for n in through):
            continue
        if "backward" in {tail(n) for n in walk(value) if isinstance(n, ast.Call)}:
            continue
        new = with_argument(calls[0], "create_graph", "True", without="retain_graph")
        yield Told(
            "graph_left_out",
            calls[0],
            f"`{name.rpartition('.')[2]}` goes into the loss, and has no graph: without "
            "`create_graph=True` torch.autograd.grad gives plain numbers, and no gradient of this "
            "term reaches the model; pass `create_graph=True`",
            (way("the gradient goes through the derivative too", new),),
        )


def _each_time(scope: ast.AST) -> list[ast.AST]:
    """What comes before each backward: what is made once, before the loop, is data."""
    around = [n for n in loops(scope) if calls_in([*inside(n)], "backward")]
    return [n for loop in around for n in inside(loop)] or [*inside(scope)]


def _locals(function: ast.AST) -> dict[str, str]:
    """A function's own variables, with names that no other has."""
    named = (n for n in inside(function) if isinstance(n, ast.Name))
    names = {n.id for n in named if isinstance(n.ctx, ast.Store)}
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        names |= {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
    return {n: f"{getattr(function, 'name', '')}.{n}" for n in names}


def _goes_on(value: ast.expr) -> set[str]:
    """The names in it from which a graph may go on: `g` of `g.norm(), g.norm().item()`."""
    found, todo = set[str](), list[ast.AST]([value])
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Call) and tail(node) in _CUTS:
            continue
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
        todo += ast.iter_child_nodes(node)
    return found


def _is_derivative(call: ast.Call) -> bool:
    named = {k.arg for k in call.keywords} | (
        {"outputs", "inputs"} if len(call.args) > 1 else set()
    )
    return (
        dotted(call.func) in ("torch.autograd.grad", "autograd.grad", "grad")
        and "inputs" in named
        and ("outputs" in named or bool(call.args))
    )


def _of(call: ast.Call) -> ast.expr:
    """What a derivative is taken of."""
    named = [k.value for k in call.keywords if k.arg == "outputs"]
    return named[0] if named else call.args[0]


def _by(call: ast.Call) -> ast.expr:
    """What a derivative is by."""
    named = [k.value for k in call.keywords if k.arg == "inputs"]
    return named[0] if named else call.args[1]


def _is_a_step(tree: ast.Module, name: str, of: str, losses: set[str]) -> bool:
    """Whether it is taken off something, as in a step of an own optimizer, or only its sign is.

    So it is where it is added to the very thing that the derivative is by, or to what that was
    added to: a direction in which something is to be moved.
    """
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=target) if dotted(target) in losses:
                continue  # another term
            case ast.BinOp(op=ast.Add(), left=left, right=right) if (
                of and {dotted(left), dotted(right)} & _moved_by(tree, of) and name in words(node)
            ):
                return True
            case ast.BinOp(op=ast.Sub(), right=right) | ast.AugAssign(value=right) if name in words(
                right
            ):
                return True
            case ast.BinOp(op=ast.Mult(), left=left, right=right) if of and (
                (of in words(left) and name in words(right))
                or (of in words(right) and name in words(left))
            ):
                return True  # a weight of the very thing that it says the worth of
            case ast.Call() if tail(node) in ("sign", "zip", "sub_", "add_", "copy_") and (
                name in words(node)
            ):
                return True
            case ast.Attribute(attr="grad", ctx=ast.Store()):
                return True
    return False


def _moved_by(tree: ast.Module, of: str) -> set[str]:
    """A direction itself, and `x` of `x + 0.1 * direction`."""
    found = {of}
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                found |= {dotted(one)} if of in words(other) and dotted(one) else set()
    return found


def step_uphill(tree: ast.Module) -> Found:
    """`w += rate * w.grad` after `loss.backward()`: away from the minimum."""
    losses = {w for c in method_calls(tree, "backward") for w in words(c.func)}
    if not any("loss" in w.lower() for w in losses):
        return
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=target, op=ast.Add(), value=value):
                new = put(node, target, " -= ", value)
            case ast.Call(func=ast.Attribute(attr="add_", value=target), args=[value], keywords=[]):
                new = put(value, "-", *operand(value))
            case ast.Call(
                func=ast.Attribute(attr="add_", value=target),
                args=[value],
                keywords=[ast.keyword(arg="alpha", value=rate)],
            ) if not has_minus(rate):
                new = put(rate, "-", *operand(rate))
            case ast.Assign(
                targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=value) as total
            ) if ast.unparse(target) == ast.unparse(left):
                new = put(total, left, " - ", *operand(value))
            case _:
                continue
        name = dotted(target).removesuffix(".data")
        own = any(isinstance(n, ast.Attribute) and dotted(n) == f"{name}.grad" for n in walk(value))
        uphill = {"sign", "norm", "noise", "randn_like"} & words(value) or _is_kept_near(tree, name)
        if own and not has_minus(value) and not uphill:
            yield Told(
                "step_uphill",
                node,
                f"`{name}` goes along its gradient, where the loss grows: to make it smaller go "
                "against it, `-=`",
                (way("the loss becomes smaller", new),),
            )


def _is_kept_near(tree: ast.Module, name: str) -> bool:
    """Whether a tensor begins as noise of another's shape, or is kept in bounds: of an attack."""
    of_input = {"zeros_like", "rand_like", "randn_like", "clamp", "clip", "min", "max"}
    made = [v for _, to, v in assigned(tree) if to.removesuffix(".data") == name]
    return any(words(value) & of_input for value in made)


def attack_left_gradients(tree: ast.Module) -> Found:
    """An attack whose backward() goes through the model, between zero_grad() and the step."""
    attacks = {name for name, f in functions(tree).items() if _is_attack(f)}
    for block in blocks(tree):
        done = [{tail(n) for n in walk(s) if isinstance(n, ast.Call)} for s in block]
        if any({"backward", "step"} <= names for names in done):
            continue  # of an outer loop
        back = [i for i, names in enumerate(done) if "backward" in names]
        steps = [i for i, names in enumerate(done) if "step" in names]
        at = [i for i, names in enumerate(done) if names & attacks]
        zeroed = [i for i, names in enumerate(done) if "zero_grad" in names]
        if len(back) != 1 or not steps or not at or not zeroed:
            continue
        if not at[-1] < back[0] < steps[-1] or any(at[-1] < i < back[0] for i in zeroed):
            continue
        name = min(done[at[-1]] & attacks)
        zero = block[zeroed[0]]
        once = isinstance(zero, ast.Expr) and zeroed[0] < at[-1]
        yield Told(
            "attack_left_gradients",
            block[at[-1]],
            f"`{name}` calls backward() through the model, so that its gradients are in `.grad` "
            "when the loss's own are added to them, and the step takes both; call zero_grad() "
            f"after `{name}`, or take the input's gradient there by torch.autograd.grad",
            (moved("only the loss's own gradients are used", zero, by=block[at[-1]], after=True),)
            if once
            else (),
        )
        return


def _is_attack(function: ast.FunctionDef) -> bool:
    """Whether it moves an input along its own gradient, and leaves those of the weights there."""
    said = words(function)
    if not {"backward", "grad"} <= said or said & {"zero_grad", "step", "parameters"}:
        return False
    asked = any(
        (isinstance(n, ast.Call) and tail(n) == "requires_grad_" and not n.args)
        or (isinstance(n, ast.Call) and tail(n) == "requires_grad_"
            and isinstance(n.args[0], ast.Constant) and n.args[0].value is True)
        or (isinstance(n, ast.Assign) and dotted(n.targets[0]).endswith(".requires_grad"))
        or (isinstance(n, ast.keyword) and n.arg == "requires_grad" and is_true(n.value))
        for n in walk(function)
    )  # fmt: skip
    moves = any(
        isinstance(n, ast.BinOp | ast.AugAssign) and "grad" in words(n) for n in walk(function)
    )
    return asked and moves and any(isinstance(n, ast.Return) for n in inside(function))


def graph_in_backward(tree: ast.Module) -> Found:
    """A backward of an own Function that asks autograd for gradients, where nothing is recorded."""
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        if not any(dotted(b).rpartition(".")[2] == "Function" for b in cls.bases):
            continue
        for method in (n for n in cls.body if isinstance(n, ast.FunctionDef)):
            if method.name != "backward" or words(method) & _RECORDS:
                continue
            saved = {  # what forward may have recorded
                dotted(n)
                for node in inside(method)
                if isinstance(node, ast.Assign) and "ctx" in words(node.value)
                for target in node.targets
                for n in walk(target)
            }
            asked = [
                n
                for n in inside(method)
                if isinstance(n, ast.Call)
                and _is_derivative(n)
                and not {dotted(of) for of in walk(_of(n))} & (saved - {""})
            ]
            if asked:
                yield (
                    "graph_in_backward",
                    min(asked, key=lambda n: n.lineno),
                    "autograd runs a `backward` with recording off (unless it was asked for "
                    "create_graph=True), so what is computed here has no graph and "
                    "`torch.autograd.grad` finds no way to the inputs; setting `requires_grad` "
                    "afterwards makes a new leaf without a way either. Return the "
                    "derivatives as formulas of the saved tensors and of the gradient that comes "
                    "in; or compute it again under `with torch.enable_grad():` from detached "
                    "copies (`x.detach().requires_grad_()`)",
                )


_RECORDS = frozenset(["enable_grad", "set_grad_enabled", "vjp", "jvp", "grad_mode"])


def log_probs_copied(tree: ast.Module) -> Found:
    """Log-probabilities that torch.tensor copies, in the loss of a policy: no gradient is left."""
    for scope in (tree, *functions(tree).values()):
        below = list(inside(scope))
        back = {w for c in calls_in(below, "backward") for w in words(c.func)} - {"backward"}
        if not back:
            continue
        made = [
            (target, n.value)
            for n in below
            if isinstance(n, ast.Assign)
            for target in n.targets
            if dotted(target)
        ]
        flows: dict[str, set[str]] = {}
        for target, value in made:
            flows.setdefault(tail(target), set()).update(words(value))
        wanted = behind(back, flows)
        for target, value in made:
            name = dotted(target)
            if tail(target) in wanted and _is_copied(name, value) and _weighs(below, name):
                yield (
                    "log_probs_copied",
                    value,
                    f"`{tail(value)}` copies numbers: `{name}` has no way back to the policy, so "
                    "this part of the loss trains nothing, and no error is raised where another "
                    "part has a gradient; keep the tensors themselves and join them with "
                    "`torch.stack(…)` (`torch.cat` where they have a dimension)",
                )


_LOG_PROBS = re.compile(
    r"(?i)^(?:saved_?|action_?|act_?|new_?)?log_?(?:p|pi|probs?|probas?|pis)s?$"
)
_COPIES = frozenset(["tensor", "FloatTensor", "Tensor", "as_tensor", "from_numpy"])


def _is_copied(name: str, value: ast.expr) -> bool:
    """Whether it is called like log-probabilities of now, and made anew from a list."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if tail(value) in _COPIES:
            break
        value = value.func.value  # `torch.tensor(…).to(device)`
    if not isinstance(value, ast.Call) or tail(value) not in _COPIES or not value.args:
        return False
    if any(k.arg == "requires_grad" for k in value.keywords):
        return False
    told = {name.rpartition(".")[2], *words(value)}
    return bool(_LOG_PROBS.match(name.rpartition(".")[2])) and not any(
        "old" in w.lower() or "behav" in w.lower() for w in told
    )


def _weighs(nodes: Iterable[ast.AST], name: str) -> bool:
    """Whether it is a factor of a product, and nowhere compared with another policy's."""
    weighs = False
    for node in nodes:
        match node:
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                if name in (dotted(left), dotted(right)):
                    return False
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                sides = (left, right, *(s.operand for s in (left, right) if _is_minus(s)))
                weighs = weighs or name in map(dotted, sides)
            case ast.Call() if tail(node) == "exp" and name in {dotted(a) for a in node.args}:
                return False
    return weighs


def _is_minus(node: ast.AST) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


RULES = (attack_left_gradients, gradient_ignored, graph_left_out, step_uphill)
# Those that no run bears out: whatever the values are, no gradient goes through.
BY_TEXT = (graph_in_backward, log_probs_copied)
