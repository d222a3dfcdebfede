"""Find formulas of losses that compute another thing than is meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from executor.inside.remarks.by_sign import divergence_sign, divergences_down
from executor.inside.remarks.edits import Told, operand, put, way, with_argument
from executor.inside.remarks.losses import ends, is_activated, losses_of, takes_of
from executor.inside.remarks.masks import is_of_tokens
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    bare,
    callee,
    dotted,
    factors,
    functions,
    inside,
    is_true,
    made_of,
    method_calls,
    origins,
    owner,
    products,
    says,
    tail,
    terms,
    walk,
    words,
)
from executor.inside.remarks.whole import stands_alone

_LOG_VARIANCE = re.compile(r"(?i)^(z_)?log_?(var(iance)?s?|sigma_?(2|sq|squared))$")
_NOISE = re.compile(r"(?i)^(eps(ilon)?|noise|randn(_like)?)$")
_LIBRARIES = frozenset({"torch", "F", "nn", "np", "math"})
_ARITHMETIC = frozenset(
    {"exp", "sqrt", "log", "inverse", "pow", "abs", "clamp", "sum", "mean", "diag", "detach",
     "view", "reshape", "t", "unsqueeze", "squeeze", "expand", "float", "to", "item", "size"}
)  # fmt: skip
_DEVIATION = re.compile(r"(?i)std|sigma|stddev|std_dev")


def _new_leaf(tree: ast.Module) -> Found:
    handed_back = {
        below
        for f in functions(tree).values()
        if any(isinstance(n, ast.Return) and n.value and _of_loss(n.value) for n in inside(f))
        for below in inside(f)
    }  # there backward() may have been called already
    for node in walk(tree):
        if node in handed_back:
            continue
        match node:
            case ast.Call(args=[value, *_], keywords=keywords) if (
                callee(node) == "Variable"
                and "loss" in dotted(value).lower()
                and any(k.arg == "requires_grad" and is_true(k.value) for k in keywords)
            ):
                kept = way("the loss keeps the graph that it was computed with", put(node, value))
                yield Told("new_leaf", node, _CUT.format(name=dotted(value)), (kept,))
            case ast.Call(func=ast.Attribute(value=value, attr="requires_grad_"), args=given) if (
                "loss" in dotted(value).lower() and not (given and not is_true(given[0]))
            ):
                yield "new_leaf", node, _ASKS.format(name=dotted(value))
            case ast.Assign(
                targets=[ast.Attribute(value=value, attr="requires_grad")], value=new
            ) if "loss" in dotted(value).lower() and is_true(new):
                yield "new_leaf", node, _ASKS.format(name=dotted(value))


def _of_loss(value: ast.expr) -> bool:
    return "loss" in dotted(value).lower()


_NOTHING = (
    "backward() then raises nothing and reaches no parameter, so nothing is trained; leave it "
    "out, and compute the loss with torch's functions from the model's output"
)
_CUT = "this makes `{name}` a tensor without a history that asks for a gradient: " + _NOTHING
_ASKS = (
    "this asks for the gradient of `{name}` itself. Where it has a graph that changes nothing, or "
    "is an error; where it has none, " + _NOTHING
)


def _exp_of_loss(tree: ast.Module) -> Found:
    back = {owner(c) for c in method_calls(tree, "backward")}
    losses = losses_of(tree)
    for node, name, value in assigned(tree):
        if name not in back:
            continue
        for call in (n for n in walk(value) if isinstance(n, ast.Call) and tail(n) == "exp"):
            inner = [n for n in walk(call) if n is not call and isinstance(n, ast.Call)]
            of_loss = any(takes_of(n, losses) or "criterion" in tail(n) for n in inner)
            if of_loss or any("loss" in w.lower() for a in call.args for w in words(a)):
                yield (
                    "exp_of_loss",
                    node,
                    "the gradient of exp(loss) is exp(loss) times that of the loss: one bad batch "
                    "makes it overflow, and the weights become nan; clip the gradients "
                    "(`clip_grad_norm_` between backward() and step()), limit what goes into exp "
                    "(`.clamp(max=20)`), or lower the learning rate",
                )


def _masked_mean(tree: ast.Module) -> Found:
    scopes = (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef)))
    for scope, call in ((s, n) for s in scopes for n in inside(s) if isinstance(n, ast.Call)):
        of = _averaged(call)
        if of is None:
            continue
        if isinstance(of, ast.Name):
            before = [v for n, name, v in assigned(scope) if name == of.id
                      and n.lineno <= call.lineno]  # fmt: skip
            of = before[-1] if before else of
        divided = any(
            isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and _is_mask(n.right, tree)
            for n in walk(scope)
        )
        parts = factors(of) if isinstance(of, ast.BinOp) and not divided else []
        if len(parts) > 1 and any(_is_mask(p, tree) and _pads(p, tree) for p in parts):
            yield (
                "masked_mean",
                call,
                "mean() divides by all elements, the masked ones too: the more padding, "
                "the smaller the loss; divide the sum by how many elements the mask "
                "leaves, in the shape in which it is multiplied",
            )


def _averaged(call: ast.Call) -> ast.expr | None:
    """`x` of `x.mean()`, `x.mean(dim=1)` and `torch.mean(x)`."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="mean"), args=[of, *_]):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="mean")):
            return of
    return None


def _is_mask(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is called a mask, or is `tokens != 0` or `arange < lengths`, however laid out."""
    node = bare(node)
    while isinstance(node, ast.Subscript):
        node = bare(node.value)
    held = [bare(v) for v in made_of(node, tree)]
    return any("mask" in w.lower() for w in words(node)) or (
        len(held) == 1 and is_of_tokens(held[0])
    )


_PADDING = re.compile(r"(?i)pad|length|lens$|seq|token|attention_mask|src|tgt|ignore")


def _pads(mask: ast.expr, tree: ast.Module) -> bool:
    """Whether a mask is of padding: by its name, or by what it is made from.

    One of sure predictions leaves out the others on purpose, and weighs a batch by how many are.
    """
    said = set(words(mask))
    if is_of_tokens(bare(mask)):
        return True
    for made in (v for w in words(mask) for v in origins(tree).get(w, ())):
        said |= words(made)
        if any(isinstance(n, ast.NotEq) for n in walk(made)):
            return True  # `target != 0`
    return any(map(_PADDING.search, said))


_RANDOM = {"randn", "rand", "normal_", "normal", "uniform_", "random"}
_DISTRIBUTIONS = {"softmax", "log_softmax", "logsoftmax", "logsigmoid", "logits", "dirichlet"}


def _is_divided(tree: ast.Module) -> bool:
    """Whether something is divided by a sum, as a distribution is."""
    return any(
        isinstance(n, (ast.BinOp, ast.AugAssign))
        and isinstance(n.op, ast.Div)
        and "sum" in words(n.right if isinstance(n, ast.BinOp) else n.value)
        for n in walk(tree)
    )


def _divergence(tree: ast.Module) -> Found:
    """kl_div of what is no logarithm of probabilities."""
    said = {w.lower() for w in words(tree)}
    modules = {
        n for _, n, v in assigned(tree) if isinstance(v, ast.Call) and tail(v) == "KLDivLoss"
    }
    for node in walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        is_torchs = owner(node).rpartition(".")[2] in ("F", "functional") or (
            "." not in dotted(node.func) and "kl_div" not in functions(tree)
        )
        if not (tail(node) == "kl_div" and is_torchs) and dotted(node.func) not in modules - {""}:
            continue
        first = node.args[0]
        if isinstance(first, ast.Name):
            given = [v for _, n, v in assigned(tree) if n == first.id]
            first = given[-1] if given else first
        if is_activated(first) == "softmax":
            yield Told(
                "divergence",
                node,
                "the first argument of kl_div has to be log-probabilities: use "
                "`F.log_softmax(scores, dim=1)`; with probabilities the result is wrong and can be "
                "negative",
                (
                    way(
                        "the logarithm of what is compared",
                        put(node.args[0], *operand(node.args[0]), ".log()"),
                    ),
                ),
            )
        elif (
            said & _RANDOM
            and not said & _DISTRIBUTIONS
            and not _is_divided(tree)
            and stands_alone(tree)
        ):
            yield (
                "divergence",
                node,
                "kl_div compares two distributions: over the compared dimension each has to be "
                "values of 0 and more that add up to 1, the first one as its logarithm. Samples or "
                "raw numbers are none, and then the result can be negative; use "
                "`F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction='batchmean')`, or "
                "`torch.distributions.kl_divergence` for two normal distributions",
            )


def sign_of_kl(tree: ast.Module) -> Found:
    """The divergence of a VAE whose sign is missing: 1 + log variance - mean² - variance."""
    told = [*_sign_where_multiplied(tree)]
    yield from told
    for node in [] if told else divergences_down(tree):
        yield Told(
            "sign_of_kl",
            node,
            "with its sign here, and those of all it goes through, this divergence of a VAE is "
            "taken off the loss: a step makes it as large as possible; it is to be added as 0.5 "
            "times mu² + variance - log(variance) - 1",
            (way("the divergence becomes smaller", put(node, "-", *operand(node))),),
        )


def _sign_where_multiplied(tree: ast.Module) -> Iterator[Told]:
    taken_off = {
        id(n.right) for n in walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)
    }
    named = {id(n): name for _, name, v in assigned(tree) for n in walk(v)}
    named |= {
        id(n): f.name for f in functions(tree).values() for n in walk(f) if id(n) not in named
    }
    gone = {
        w
        for n in walk(tree)
        if (isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)) or isinstance(n, ast.UnaryOp)
        for w in words(n.right if isinstance(n, ast.BinOp) else n.operand)
    }
    for node in walk(tree):
        match node:
            case ast.BinOp(left=half, op=ast.Mult(), right=total) if by := _factor(half):
                pass
            case ast.BinOp(left=total, op=ast.Mult() | ast.Div(), right=half) if by := _factor(
                half
            ):
                pass
            case _:
                continue
        if id(node) in taken_off or named.get(id(node)) in gone or by * _sign_within(total) >= 0:
            continue
        yield Told(
            "sign_of_kl",
            node,
            "the divergence of a VAE is MINUS 0.5 times 1 + logvar - mu² - exp(logvar): with this "
            "sign it is negative and is made as large as possible, so the loss goes to minus "
            "infinity; write `-0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())`",
            (
                way("the divergence is positive, and becomes smaller",
                    put(half, *([half.operand] if isinstance(half, ast.UnaryOp) else ["-", half]))),
            ),
        )  # fmt: skip


def _factor(node: ast.expr) -> float:
    """A number by itself, or minus it; 0 for anything else."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Constant(value=int() | float() as number):
            return number
    return 0


def _sign_within(total: ast.expr) -> int:
    """The sign of the divergence whose terms are summed up there; 0 where they are none."""
    if isinstance(total, ast.UnaryOp) and isinstance(total.op, ast.USub):
        return -_sign_within(total.operand)
    inner = next((n for n in walk(total) if isinstance(n, ast.BinOp)), None)
    return divergence_sign(list(terms(inner))) if inner is not None else 0


def deviation_of_log(tree: ast.Module) -> Found:
    """Noise times exp(log variance): the variance, where the deviation belongs."""
    halved = any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Mult | ast.Div)
        and any(isinstance(s, ast.Constant) and s.value in (0.5, 2) for s in (n.left, n.right))
        and says(n, _LOG_VARIANCE)
        and not any(isinstance(m, ast.Call) and tail(m) in ("sum", "mean") for m in walk(n))
        for n in walk(tree)
    )
    halved = halved and not _is_the_logarithm_of_a_variance(tree)
    noisy = [f for _, parts in products(tree) if any(says(p, _NOISE) for p in parts) for f in parts]
    deviations = [value for _, name, value in assigned(tree) if _DEVIATION.fullmatch(name)]
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if tail(call) in ("Normal", "normal"):
            noisy += call.args[1:2]
        elif tail(call) in ("mul", "mul_") and isinstance(call.func, ast.Attribute):
            noisy += call.args if says(call.func.value, _NOISE) else []
    for value in () if halved else (*noisy, *deviations):
        match value:
            case ast.Call(func=ast.Attribute(attr="exp" | "exp_", value=log), args=[]):
                new = put(log, "(0.5 * ", log, ")")
            case ast.Call(func=ast.Attribute(attr="exp"), args=[log]):
                new = put(log, "0.5 * ", log)
            case _:
                continue
        if _LOG_VARIANCE.match(name := dotted(log).rpartition(".")[2]):
            yield Told(
                "deviation_of_log",
                value,
                "the exponential of a log variance is the variance, and noise is to be multiplied "
                f"by the deviation, its root: write `torch.exp(0.5 * {name})`",
                (way("the deviation is the root of the variance", new),),
            )


def _is_the_logarithm_of_a_variance(tree: ast.Module) -> bool:
    """Whether a divergence takes it for one: `1 + v - m ** 2 - exp(v)`, whatever else is halved."""
    for node in walk(tree):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add | ast.Sub):
            continue
        parts = [part for _, part in terms(node)]
        logs = {name for p in parts if _LOG_VARIANCE.match((name := dotted(p)).rpartition(".")[2])}
        for part in parts:
            match part:
                case ast.Call(func=ast.Attribute(attr="exp", value=of), args=[]) if (
                    dotted(of) in logs
                ):
                    return len(parts) > 2
                case ast.Call(func=ast.Attribute(attr="exp"), args=[of]) if dotted(of) in logs:
                    return len(parts) > 2
    return False


def _sampled(tree: ast.Module) -> Found:
    """A sample from a distribution of a network that no gradient can go through."""
    said = words(tree)
    if "log_prob" in said or "backward" not in said:
        return
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = [a for at, name in ((0, "mean"), (1, "std")) if (a := argument(call, at, name))]
        if dotted(call.func) == "torch.normal" and _from_a_network(tree, given):
            yield (
                "sampled",
                call,
                "the gradient of `torch.normal` is 0: nothing that is computed from this sample "
                "trains the network that gave its parameters; write `mean + std * "
                "torch.randn_like(std)`",
            )
    if not said & {"distributions", "Normal"}:
        return
    families = ("Normal", "MultivariateNormal", "Independent", "Beta", "Gamma", "LogNormal")
    made = {
        name: value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) in families
    }
    constant = _constants(tree)
    for call in method_calls(tree, "sample"):
        source: ast.expr = call.func.value  # type: ignore[attr-defined]
        source = made.get(dotted(source), source)
        if not isinstance(source, ast.Call) or callee(source) not in families or call.args:
            continue
        values = [*source.args, *(k.value for k in source.keywords)]
        if all(
            isinstance(v, ast.Constant)
            or tail(v) in ("zeros", "ones", "tensor")
            or dotted(v) in constant
            for v in values
        ):
            continue
        if not _from_a_network(tree, values):
            continue
        yield (
            "sampled",
            call,
            "sample() cuts the gradient: nothing that is computed from this sample trains the "
            "network that gave its parameters; use `rsample()`, or a loss with log_prob()",
        )


def _from_a_network(tree: ast.Module, values: list[ast.expr]) -> bool:
    """Whether something was called for them that is no arithmetic, or they come from elsewhere."""
    names, sources = {n for v in values for n in words(v)}, list(values)
    for node in [n for n in walk(tree) if isinstance(n, ast.Assign)] * 2:  # and what those are of
        if node.value not in sources and names & {n for t in node.targets for n in words(t)}:
            sources.append(node.value)
            names |= words(node.value)
    made = {w for n in walk(tree) if isinstance(n, ast.Assign) for t in n.targets for w in words(t)}
    read = {n.id for v in values for n in walk(v) if isinstance(n, ast.Name)}
    given = {a.arg for f in functions(tree).values() for a in f.args.args} | (read - made)
    given -= {"self", *_LIBRARIES, *_constants(tree)}
    calls = [c for source in sources for c in walk(source) if isinstance(c, ast.Call)]
    return bool(names & given) or any(
        dotted(c.func).partition(".")[0] not in _LIBRARIES and tail(c) not in _ARITHMETIC
        for c in calls
    )


def _constants(tree: ast.Module) -> set[str]:
    """The names that are numbers: assigned as one, or a parameter with one for its default."""
    numbers = {name for _, name, value in assigned(tree) if isinstance(value, ast.Constant)}
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        given = function.args
        places = [*given.posonlyargs, *given.args]
        defaults = [*zip(reversed(places), reversed(given.defaults), strict=False)]
        defaults += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d]
        numbers |= {a.arg for a, d in defaults if isinstance(d, ast.Constant) and d.value}
    computed = {name for _, name, value in assigned(tree) if not isinstance(value, ast.Constant)}
    return numbers - computed


def sum_beside_mean(tree: ast.Module) -> Found:
    """A divergence that is a sum over the batch, added to a reconstruction that is a mean."""
    modules = {
        name: value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and tail(value) in _MEANS and not value.keywords
    }
    for scope in (tree, *functions(tree).values()):
        own = [a for n in inside(scope) if isinstance(n, ast.Assign) for a in assigned(n)]
        given = {name: value for _, name, value in own}
        for node in inside(scope):
            parts = list(terms(node)) if isinstance(node, ast.BinOp) else []
            if len(parts) != 2 or parts[0][0] < 0:
                continue
            (_, a), (sign, b) = parts
            one, two = (given.get(dotted(n), n) for n in (a, b))
            mean, total = (one, two) if _is_mean(one, modules) else (two, one)
            if not _is_mean(mean, modules) or not isinstance(mean, ast.Call):
                continue
            if not _is_summed_divergence(total) or (sign < 0 and total is not b):
                continue
            names = {dotted(a), dotted(b)} - {""}
            counted = [n for n, name, _ in own if name in names]
            changed = any(
                isinstance(n, ast.AugAssign) and dotted(n.target) in names for n in inside(scope)
            )
            if len(counted) != len(names) or changed:
                continue
            new = with_argument(mean, "reduction", "'sum'", without="reduction")
            yield Told(
                "sum_beside_mean",
                node,
                f"`{ast.unparse(a if mean is one else b)}` is a mean over all elements of the "
                f"batch and `{ast.unparse(a if total is one else b)}` a sum over them: added up "
                "like this the sum weighs as many times more as the batch has elements, and the "
                "model learns to ignore its input; take both as sums (`reduction='sum'`), or "
                "divide both by the number of samples",
                (way("both are sums over the batch", new),)
                if dotted(mean.func) not in modules
                else (),
            )
            return


def _is_mean(value: ast.expr, modules: Collection[str]) -> bool:
    """Whether it is a loss that is a mean over all elements."""
    if not isinstance(value, ast.Call) or len(value.args) + len(value.keywords) > 3:
        return False
    known = {"input", "target"} | {
        k.arg for k in value.keywords if k.arg == "reduction" and ast.unparse(k.value) == "'mean'"
    }
    of = dotted(value.func) in modules or tail(value) in _MEANS
    return of and tail(value)[:1].islower() and {k.arg for k in value.keywords} <= known


_MEANS = {
    "mse_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "l1_loss",
    "smooth_l1_loss", "MSELoss", "BCELoss", "BCEWithLogitsLoss", "L1Loss",
}  # fmt: skip


def _is_summed_divergence(value: ast.expr) -> bool:
    """`-0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())`, with no division by anything."""
    if any(isinstance(n, ast.Div) for n in walk(value)) or "mean" in words(value):
        return False
    summed = [n for n in walk(value) if isinstance(n, ast.Call) and tail(n) == "sum"]
    whole = len(summed) == 1 and not summed[0].keywords and (
        len(summed[0].args) == (1 if dotted(summed[0].func) == "torch.sum" else 0)
    )  # fmt: skip
    return whole and "exp" in words(value) and any(map(_LOG_VARIANCE.search, words(value)))


def noise_without_root(tree: ast.Module) -> Found:
    """Data and noise mixed by a product of alphas and the rest of it, without their roots."""
    products_of = {
        name
        for _, name, value in assigned(tree)
        if "cumprod" in words(value) and not _rooted(value)
    }
    for _ in range(3):  # `a = table[t].view(-1, 1)`
        products_of |= {
            name
            for _, name, value in assigned(tree)
            if isinstance(value, ast.Subscript | ast.Call)
            and _of(value) in products_of
            and not _rooted(value)
        }
    for node in walk(tree):
        match node:
            case ast.BinOp(
                op=ast.Add(),
                left=ast.BinOp(op=ast.Mult()) as left,
                right=ast.BinOp(op=ast.Mult()) as right,
            ):
                pass
            case _:
                continue
        for data, noise in ((left, right), (right, left)):
            kept = [f for f in (data.left, data.right) if _of(f) in products_of and not _rooted(f)]
            rest = [
                f for f in (noise.left, noise.right)
                if len(held := made_of(f, tree)) == 1
                and _is_one_less(_unlaid(held[0]), products_of)
            ]  # fmt: skip
            other = [f for f in (noise.left, noise.right) if f not in rest]
            if len(kept) != 1 or len(rest) != 1 or not says(other[0], _NOISY):
                continue
            root = put(kept[0], *operand(kept[0]), " ** 0.5")
            yield Told(
                "noise_without_root",
                node,
                f"`{ast.unparse(kept[0])}` is a product of alphas, which are shares of a variance: "
                "data and noise are multiplied by the roots of it and of the rest "
                f"(`{ast.unparse(kept[0])}.sqrt()`, `({ast.unparse(rest[0])}).sqrt()`), else the "
                "noise is not that of the schedule, which the sampling counts on",
                (
                    way("variances add up to one",
                        root, put(rest[0], "(", rest[0], ") ** 0.5")),
                ),
            )  # fmt: skip
            return


_NOISY = re.compile(r"(?i)^(eps(ilon)?|.*noise.*|randn(_like)?|z)$")


def _rooted(value: ast.AST) -> bool:
    return bool(words(value) & {"sqrt", "pow"}) or any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow) for n in walk(value)
    )


def _of(node: ast.AST) -> str:
    """The table that a value is picked from, or a view of."""
    while True:
        match node:
            case ast.Call(func=ast.Name(), args=[inner, *_]):
                node = inner
            case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return dotted(node)


def _unlaid(node: ast.expr) -> ast.expr:
    return bare(node.value if isinstance(node, ast.Subscript) else node)


def _is_one_less(node: ast.expr, names: set[str]) -> bool:
    match node:
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Sub(), right=right):
            return _of(right) in names and not _rooted(right)
    return False


def rates_not_logs(tree: ast.Module) -> Found:
    """PoissonNLLLoss, which takes logarithms of rates, of a model that gives rates."""
    calls = [n for n in walk(tree) if isinstance(n, ast.Call)]
    losses = [c for c in calls if tail(c) in ("PoissonNLLLoss", "poisson_nll_loss")]
    if len(losses) != 1 or any(k.arg in ("log_input", None) for k in losses[0].keywords):
        return
    if {"log", "log1p"} & words(tree):
        return
    last = [v for v, _ in ends(tree) if isinstance(v, ast.Call)]
    positive = [m for v in last for m in (v, *made_of(v.func, tree)) if tail(m) in _POSITIVE]
    if positive:
        new = with_argument(losses[0], "log_input", "False")
        yield Told(
            "rates_not_logs",
            losses[0],
            f"`{tail(losses[0])}` takes the logarithm of a rate, unless it is told otherwise, and "
            f"the model ends in `{tail(positive[0])}`, which makes rates that are never negative: "
            "their exponential is compared with the counts, and no rate below 1 can be said; pass "
            "`log_input=False`, or leave the last activation out",
            (way("the loss takes the model's rates as they are", new),),
        )


_POSITIVE = {"Softplus", "softplus", "exp", "ReLU", "relu"}

RULES = (
    sum_beside_mean,
    noise_without_root,
    rates_not_logs,
    _new_leaf,
    _exp_of_loss,
    _masked_mean,
    sign_of_kl,
    deviation_of_log,
    _divergence,
    _sampled,
)
