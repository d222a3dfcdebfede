"""Find noise, distributions and soft targets that are made of the wrong quantity."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    factors,
    functions,
    has_minus,
    inside,
    last_value,
    loops,
    made_of,
    methods_named,
    module_classes,
    owner,
    tail,
    walk,
    words,
)

_LOGARITHM = re.compile(r"(?i)^(log_?(vars?|variances?|stds?|sd|sigmas?|scale)|lv)2?$")
_DEVIATION = re.compile(r"(?i)^(sd|stds?|sigmas?|std_?devs?)$")
_UNIFORM = {"rand", "rand_like"}


def uniform_noise(tree: ast.Module) -> Found:
    """`mu + std * torch.rand_like(std)`: noise that is never below 0."""
    for scope in (tree, *functions(tree).values()):
        for left, right in _sums(scope):
            for one, other in ((left, right), (right, left)):
                parts = [(f, _once(f, scope)) for f in factors(one)]
                drawn = [v for _, v in parts if _is_uniform(v)]
                if len(drawn) != 1 or len(parts) != 2:
                    continue
                by = next(v for _, v in parts if v is not drawn[0])
                name = next(dotted(f) for f, v in parts if v is not drawn[0])
                if not (_is_deviation(by, name) or _is_rest_of_noise(by, other, scope)):
                    continue
                call = drawn[0]
                named = ast.unparse(call.func)  # type: ignore[attr-defined]
                normal = named.replace("rand", "randn")
                yield Told(
                    "uniform_noise",
                    call,
                    f"`{named}` draws evenly from 0 to 1: the noise is 0.5 on the average, never "
                    "below 0, and its deviation is 0.29; a normal distribution takes "
                    f"`{normal}`",
                    (way("the noise is that of a normal distribution",
                         put(call.func, normal)),),  # type: ignore[attr-defined]
                )  # fmt: skip


def _sums(scope: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The two sides of each plus in a scope."""
    for node in inside(scope):
        match node:
            case ast.BinOp(op=ast.Add(), left=left, right=right):
                yield left, right


def _once(node: ast.expr, scope: ast.AST) -> ast.expr:
    """What a variable is given in a scope, where that is one thing."""
    given = [v for _, name, v in assigned(scope) if name and name == dotted(node)]
    return given[0] if len(given) == 1 else node


def _is_uniform(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and tail(node) in _UNIFORM and owner(node) == "torch"


def _is_deviation(by: ast.expr, name: str) -> bool:
    """Whether a factor is exp of half a log variance, or of the logarithm of a deviation."""
    exps = [n for n in walk(by) if isinstance(n, ast.Call) and tail(n) == "exp"]
    of_log = any(_LOGARITHM.match(w) for n in exps for w in words(n))
    return of_log or (_DEVIATION.match(name.rpartition(".")[2]) is not None and bool(exps))


def _is_rest_of_noise(by: ast.expr, other: ast.expr, scope: ast.AST) -> bool:
    """Whether it is `sqrt(1 - a)`, beside `sqrt(a) * x`."""
    rest = "sqrt" in words(by) and has_minus(by)
    return rest and any("sqrt" in words(_once(f, scope)) for f in factors(other))


def step_for_product(tree: ast.Module) -> Found:
    """`sqrt(alphas[t]) * x0 + …` of a random step, where the product up to it is wanted."""
    if "randint" not in words(tree):
        return
    products = {
        name: dotted(argument(v, 0, "input") or v) if owner(v) in ("torch", "np") else owner(v)
        for _, name, v in assigned(tree)
        if isinstance(v, ast.Call) and tail(v) == "cumprod"
    }
    of = {source: name for name, source in products.items() if source}
    for scope in functions(tree).values():
        if loops(scope):
            continue  # step by step, perhaps
        for left, right in _sums(scope):
            one, other = _resolved(left, scope), _resolved(right, scope)
            parts = [n for v in (*one, *other) for n in walk(v)]
            roots = all(any("sqrt" in words(v) or _is_half_power(v) for v in side)
                        for side in (one, other))  # fmt: skip
            rest = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)
                       and ast.unparse(n.left) in ("1", "1.0") for n in parts)  # fmt: skip
            read = [n for n in parts if isinstance(n, ast.Name | ast.Attribute)
                    and dotted(n) in of]  # fmt: skip
            if not roots or not rest or not read or {dotted(n) for n in parts} & products.keys():
                continue
            source, name = dotted(read[0]), of[dotted(read[0])]
            places = [put(n, name) for n in dict.fromkeys(read)]
            yield Told(
                "step_for_product",
                read[0],
                f"`{source}` is what one step keeps of the data, and a sample of step t has gone "
                f"through all steps up to it, which keep `{name}`: with `{source}` the model never "
                "sees more than the noise of one step",
                (way("the noise of all steps up to t", *places),),
            )
            break


def _resolved(node: ast.expr, scope: ast.AST) -> list[ast.expr]:
    """The factors of a term, and what their variables are given in the scope."""
    found = list(factors(node))
    for part in list(found):
        for name in (n for n in walk(part) if isinstance(n, ast.Name)):
            value = _once(name, scope)
            if value is not name:
                found.append(value)
    return found


def _is_half_power(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow) and ast.unparse(n.right) == "0.5"
        for n in walk(node)
    )


def divided_by_log(tree: ast.Module) -> Found:
    """`(y - mu) ** 2 / log_var`: a logarithm where the variance is wanted."""
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Div(), left=left, right=by):
                pass
            case _:
                continue
        squared = any(
            (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow))
            or (isinstance(n, ast.Call) and tail(n) in ("pow", "square"))
            for n in walk(left)
        )
        differs = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub) for n in walk(left))
        for part in factors(by):
            name = dotted(part)
            given = [v for _, n, v in assigned(tree) if n == name]
            if not _LOGARITHM.match(name.rpartition(".")[2]) or not squared or not differs:
                continue
            if any({"exp", "softplus"} & words(v) for v in given):
                continue
            yield Told(
                "divided_by_log",
                part,
                f"`{name}` is called a logarithm, and a square is divided by it as by the variance "
                f"itself: where it is near 0 or below, the loss has no lower bound; write "
                f"`{name}.exp()`",
                (way("the square is divided by the variance", put(part, part, ".exp()")),),
            )


_TAKES_LOGITS = {
    "Categorical", "OneHotCategorical", "Bernoulli", "RelaxedOneHotCategorical", "RelaxedBernoulli",
    "MixtureSameFamily", "Multinomial",
}  # fmt: skip


def probabilities_as_logits(tree: ast.Module) -> Found:
    """`Categorical(logits=softmax(scores))`: a softmax is taken of the probabilities."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if tail(call) in _TAKES_LOGITS:
            keyword = next((k for k in call.keywords if k.arg == "logits"), None)
            given = keyword.value if keyword is not None else None
        elif tail(call) == "gumbel_softmax":
            keyword, given = None, argument(call, 0, "logits")
        else:
            continue
        if given is None or not _ends_in_probabilities(given, tree):
            continue
        ways = (
            (way("the probabilities are taken as they are", put(keyword, "probs=", given)),)
            if keyword is not None
            else ()
        )
        yield Told(
            "probabilities_as_logits",
            given,
            f"`{ast.unparse(given)}` are probabilities already, and `{tail(call)}` takes a softmax "
            "(or sigmoid) of what it is given as logits: what is drawn is nearly even, however "
            "sure the model is; give it the scores, or write `probs=`",
            ways,
        )


def _ends_in_probabilities(node: ast.expr, tree: ast.Module) -> bool:
    made = made_of(node, tree)
    return bool(made) and all(_is_squashed(v, tree) for v in made)


def _is_squashed(node: ast.expr, tree: ast.Module) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if tail(node) in ("softmax", "sigmoid"):
        return True
    models = made_of(node.func, tree)
    own = {c.name: c for c in module_classes(tree)}
    if models and all(isinstance(m, ast.Call) and tail(m) in own for m in models):
        ends = [last_value(f) for m in models for f in methods_named(own[tail(m)], "forward")]
        return bool(ends) and all(v is not None and _is_squashed(v, tree) for v in ends)
    return bool(models) and all(
        isinstance(m, ast.Call) and tail(m) == "Sequential" and bool(m.args)
        and tail(m.args[-1]) in ("Softmax", "Sigmoid")
        for m in models
    )  # fmt: skip


_TEMPERATURE = re.compile(r"^(?:T|temp|temperature|tau)$")


def one_side_tempered(tree: ast.Module) -> Found:
    """`kl_div(log_softmax(s), softmax(t / T))`: one of two distributions has the temperature."""
    for scope in (tree, *functions(tree).values()):
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            if tail(call) not in ("kl_div", "KLDivLoss") or len(call.args) < 2:
                continue
            sides = [_scores(_once(a, scope)) for a in call.args[:2]]
            if None in sides:
                continue
            hot = [_temperature(s, scope) for s in sides if s is not None]
            if len(hot) != 2 or (hot[0] is None) == (hot[1] is None):
                continue
            cold = sides[0] if hot[0] is None else sides[1]
            by = hot[0] if hot[0] is not None else hot[1]
            if cold is None or by is None or not dotted(cold):
                continue
            yield Told(
                "one_side_tempered",
                cold,
                f"the other side is divided by `{ast.unparse(by)}` and `{ast.unparse(cold)}` is "
                "not: the two are compared at different temperatures, and equal scores are "
                f"not equal; write `{ast.unparse(cold)} / {ast.unparse(by)}`",
                (way("both have the same temperature", put(cold, cold, " / ", by)),),
            )


def _scores(node: ast.expr) -> ast.expr | None:
    """What a softmax or log_softmax is taken of."""
    if not isinstance(node, ast.Call) or tail(node) not in ("softmax", "log_softmax"):
        return None
    of_module = owner(node) in ("F", "torch", "nn.functional", "torch.nn.functional")
    if of_module:
        return argument(node, 0, "input")
    return node.func.value if isinstance(node.func, ast.Attribute) else None


def _temperature(node: ast.expr | None, scope: ast.AST) -> ast.expr | None:
    value = _once(node, scope) if node is not None else None
    match value:
        case ast.BinOp(op=ast.Div(), right=by) if _TEMPERATURE.match(
            dotted(by).rpartition(".")[2]
        ) or isinstance(by, ast.Constant):
            return by
    return None


RULES = (
    uniform_noise,
    step_for_product,
    divided_by_log,
    probabilities_as_logits,
    one_side_tempered,
)
