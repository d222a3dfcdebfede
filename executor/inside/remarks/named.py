"""Find formulas that compute the opposite of what the names in them say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    dotted,
    inside,
    last_along_one,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_DONE = re.compile(
    r"(?i)(is_|b_|batch_)?(dones?|terminals?|terminated|terminations?)(_batch|_b|_t)?"
)
_GAMMA = re.compile(r"(?i)gamma|discount")
_LEAST = 0.9  # of a discount that is written as a number
_OLD = re.compile(r"(?i)(^|_)(old|prev|previous|behaviou?r)(_|$)|old")
_LOG_PROBABILITY = re.compile(r"(?i)log_?p|logprob|log_?pi|^lp|_lp")
_LOG_VARIANCE = re.compile(r"(?i)(z_)?log_?var(iance)?s?|log_?sigma_?(2|sq|squared)")
_NOISE = re.compile(r"(?i)eps(ilon)?|noise|randn(_like)?")
_PADDING = {
    "key_padding_mask",
    "src_key_padding_mask",
    "tgt_key_padding_mask",
    "memory_key_padding_mask",
}
_MASKS = {"attn_mask", "mask", "src_mask", "tgt_mask"}
_LAYERS = {
    "MultiheadAttention", "TransformerEncoder", "TransformerEncoderLayer", "TransformerDecoder",
    "TransformerDecoderLayer", "Transformer",
}  # fmt: skip
_HELD_OUT = re.compile(r"(?i)(^|_)(test|te|val|valid|validation|dev)(_|\d|$)")
_TRAINING = re.compile(r"(?i)(^|_)(train|tr|fit)(_|\d|$)")
_LABELS = re.compile(
    r"(?i)(ys?|lab(el)?s?|targets?|classes)(_?(b|batch|test|te|val|va|train|tr|true))?"
)
_GAIN = re.compile(r"(?i)return|advantage|reward|^adv|_adv|^(G|R)$")


def _factors(node: ast.expr) -> list[ast.expr]:
    """The factors of a product: `a`, `b` and `c` of `a * b * c`."""
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return [*_factors(left), *_factors(right)]
    return [node]


def _products(tree: ast.Module) -> Iterator[tuple[ast.BinOp, list[ast.expr]]]:
    """Each whole product, with its factors."""
    parts: set[ast.AST] = set()
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                parts |= {left, right}
                if node not in parts:
                    yield node, _factors(node)


def terminal_kept(tree: ast.Module) -> Found:
    """`reward + gamma * value * done`: the value counts only where the episode has ended."""
    if any(_DONE.fullmatch(name) for node in walk(tree) for name in _without(node)):
        return  # it may be turned round where it is stored
    for _, factors in _products(tree):
        ends = [f for f in factors if _DONE.fullmatch(dotted(f).rpartition(".")[2])]
        if len(ends) != 1:
            continue
        others = [f for f in factors if f is not ends[0]]
        if any(map(_is_discount, others)):
            name = dotted(ends[0])
            yield (
                "terminal_kept",
                ends[0],
                f"the discounted value is multiplied by `{name}`, so that it counts only where the "
                f"episode has ended, and nothing follows anywhere else; write `(1 - {name})`",
            )


def _is_discount(factor: ast.expr) -> bool:
    if isinstance(factor, ast.Constant):
        return isinstance(factor.value, float) and _LEAST <= factor.value < 1
    return any(map(_GAMMA.search, words(factor)))


def _without(node: ast.AST) -> set[str]:
    """The names that are turned round somewhere: `1 - done`, `~done`, `not done`."""
    match node:
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=right):
            return words(right)
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            return words(operand)
        case ast.Call() if tail(node) == "logical_not":
            return words(node)
        case ast.IfExp(test=test):
            return words(test)
    return set()


def ratio_inverted(tree: ast.Module) -> Found:
    """`exp(old - new)` of log-probabilities, where a policy is to be compared with its old self."""
    if not words(tree) & {"clamp", "clip"}:
        return
    for node in walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="exp", value=ast.BinOp(op=ast.Sub()) as difference)
            ):
                pass
            case ast.Call(args=[ast.BinOp(op=ast.Sub()) as difference]) if tail(node) == "exp":
                pass
            case _:
                continue
        left, right = dotted(difference.left), dotted(difference.right)
        both = _LOG_PROBABILITY.search(left) and _LOG_PROBABILITY.search(right)
        if both and _OLD.search(left) and not _OLD.search(right):
            yield (
                "ratio_inverted",
                difference,
                f"the ratio of two policies is exp(new - old), and this is its inverse: what pays "
                f"becomes less likely; write `{right} - {left}`",
            )


def deviation_of_log(tree: ast.Module) -> Found:
    """Noise times exp(log variance): the variance, where the deviation belongs."""
    halved = any(
        isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Mult | ast.Div)
        and any(isinstance(s, ast.Constant) and s.value in (0.5, 2) for s in (n.left, n.right))
        and any(_LOG_VARIANCE.fullmatch(w) for w in words(n))
        and not any(isinstance(m, ast.Call) and tail(m) in ("sum", "mean") for m in walk(n))
        for n in walk(tree)
    )
    if halved:
        return
    told = (
        "the exponential of a log variance is the variance, and noise is to be multiplied by the "
        "deviation, its root: write `torch.exp(0.5 * {name})`"
    )
    for _, factors in _products(tree):
        noise = [f for f in factors if any(_NOISE.fullmatch(w) for w in words(f))]
        for factor in factors:
            if noise and factor not in noise and (name := _power_of_log_variance(factor)):
                yield "deviation_of_log", factor, told.format(name=name)
    for _, target, value in assigned(tree):
        is_deviation = re.fullmatch(r"(?i)std|sigma|stddev|std_dev", target)
        if is_deviation and (name := _power_of_log_variance(value)):
            yield "deviation_of_log", value, told.format(name=name)


def _power_of_log_variance(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Attribute(attr="exp", value=value), args=[]):
            name = dotted(value)
        case ast.Call(args=[value]) if tail(node) == "exp":
            name = dotted(value)
        case _:
            return ""
    return name if _LOG_VARIANCE.fullmatch(name.rpartition(".")[2]) else ""


def mask_inverted(tree: ast.Module) -> Found:
    """A mask of PyTorch's attention layers that is True, or 1, where something may be looked at."""
    said = words(tree)
    if not said & _LAYERS or "scaled_dot_product_attention" in said:
        return
    fills = bool(said & {"masked_fill", "where"})  # an attention of the code's own
    turned = {name for n in walk(tree) for name in _without(n)}
    values = {name: value for _, name, value in assigned(tree)}
    for node in walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            value = keyword.value
            name = dotted(value)
            if name and name in values:
                value = values[name]
            if keyword.arg is None or {name, keyword.arg} & turned:
                continue
            if keyword.arg in _PADDING and _is_of_tokens(value):
                yield (
                    "mask_inverted",
                    value,
                    f"`{keyword.arg}` is True where a position is to be ignored, and this is True "
                    "for what is no padding: the layer then looks at the padding alone; turn it "
                    "round",
                )
            elif keyword.arg in _MASKS and not fills and (kind := _is_lower(value)):
                yield (
                    "mask_inverted",
                    value,
                    (
                        f"`{keyword.arg}` is True where a position may NOT be looked at: with "
                        "`tril` each position sees only those behind it; turn it round"
                        if kind == "bool"
                        else f"a `{keyword.arg}` of floats is added to the scores: ones and zeros "
                        "hide nothing; give True for what may not be looked at: `mask == 0`"
                    ),
                )


def _is_of_tokens(value: ast.expr) -> bool:
    """`tokens != pad`, `arange < lengths`."""
    match value:
        case ast.Compare(ops=[ast.NotEq()], comparators=[other]):
            return (isinstance(other, ast.Constant) and other.value == 0) or any(
                "pad" in w.lower() for w in words(other)
            )
        case ast.Compare(left=left, ops=[ast.Lt()], comparators=[other]):
            return "arange" in words(left) and any("len" in w.lower() for w in words(other))
    return False


def _is_lower(value: ast.expr) -> str:
    """ "bool" or "float" of a lower triangle of ones; empty for anything else."""
    said = words(value)
    if "tril" not in said or said & {"masked_fill", "log", "logical_not", "where"}:
        return ""
    if any(isinstance(n, ast.Compare | ast.UnaryOp | ast.BinOp) for n in walk(value)):
        return ""
    return "bool" if "bool" in said else ("float" if "ones" in said else "")


def triplet_order(tree: ast.Module) -> Found:
    """A triplet loss that is given the negative before the positive."""
    made = {
        name
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value).startswith("TripletMargin")
    }
    for node in walk(tree):
        match node:
            case ast.Call(args=[_, second, third, *_]) if dotted(node.func) in made or tail(
                node
            ).startswith("triplet_margin"):
                pass
            case _:
                continue
        if _says(second, "neg") and _says(third, "pos") and not _says(second, "pos"):
            yield (
                "triplet_order",
                second,
                "a triplet loss takes anchor, positive, negative, in this order: here what is "
                "unlike the anchor is drawn to it, and what is like it pushed away; exchange the "
                "last two",
            )


def _says(node: ast.expr, word: str) -> bool:
    return any(w.lower().startswith(word) or f"_{word}" in w.lower() for w in words(node))


def temperature_multiplied(tree: ast.Module) -> Found:
    """Scores times a temperature below 1, which flattens what it is to sharpen."""
    numbers = {
        name: value.value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Constant) and isinstance(value.value, float)
    }
    divided = {
        w
        for n in walk(tree)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)
        for w in words(n.right)
    }
    for node, factors in _products(tree):
        for factor in factors:
            name = dotted(factor)
            known = numbers.get(name, 1.0) < 1 and name.rpartition(".")[2] not in divided
            if not known or not re.fullmatch(r"(?i)temp|temperature", name.rpartition(".")[2]):
                continue
            others = [f for f in factors if f is not factor]
            if any(
                isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult)
                for f in others
                for n in walk(f)
            ) or any(words(f) & {"mm", "matmul", "cosine_similarity", "einsum"} for f in others):
                yield (
                    "temperature_multiplied",
                    node,
                    f"scores are divided by a temperature: times `{name}` ({numbers[name]:g}) they "
                    f"are nearly all alike, and the loss hardly tells them apart; write "
                    f"`/ {name}`",
                )


def fitted_on_test(tree: ast.Module) -> Found:
    """`scaler.fit_transform(test)`: the test data are scaled by their own statistics."""
    fitted = [
        (owner(c), c)
        for method in ("fit_transform", "fit")
        for c in method_calls(tree, method)
        if c.args and owner(c)
    ]
    trained = {name for name, c in fitted if any(_TRAINING.search(w) for w in words(c.args[0]))}
    for name, call in fitted:
        if tail(call) != "fit_transform" or name not in trained:
            continue
        said = words(call.args[0])
        if any(map(_HELD_OUT.search, said)) and not any(map(_TRAINING.search, said)):
            yield (
                "fitted_on_test",
                call,
                f"`{name}` is fitted anew, to the test data: they are brought to another scale "
                "than the data that were trained on; apply what was learned of those: "
                f"`{name}.transform(…)`",
            )


def values_as_classes(tree: ast.Module) -> Found:
    """The largest scores, where their places are compared with class numbers."""
    values: dict[str, ast.AST] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_maximum(value):
                values[name] = node
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=name), ast.Name()])], value=ast.Call() as call
            ) if _takes_dim(call):
                values[name] = node
    for node in walk(tree):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                sides = [left, right]
            case _:
                continue
        for one, other in (sides, sides[::-1]):
            if not _LABELS.fullmatch(dotted(other).rpartition(".")[2]):
                continue
            at = values.get(dotted(one), one if _is_maximum(one) else None)
            if at is not None:
                yield (
                    "values_as_classes",
                    at,
                    "max() gives the largest scores first and their places second: here the scores "
                    f"themselves are compared with `{dotted(other)}`; the class of each sample is "
                    "`.argmax(dim=1)`",
                )


def _takes_dim(call: ast.Call) -> bool:
    """`torch.max(x, 1)`, `x.max(dim=1)`."""
    if tail(call) != "max":
        return False
    of_torch = dotted(call.func) in ("torch.max", "max")
    dims = [*call.args[1 if of_torch else 0 :], *(k.value for k in call.keywords)]
    return bool(dims) and ast.unparse(dims[0]) in ("1", "-1")


def _is_maximum(value: ast.expr) -> bool:
    match value:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0)):
            return _takes_dim(call)
        case ast.Attribute(value=ast.Call() as call, attr="values"):
            return _takes_dim(call)
    return False


def gain_as_loss(tree: ast.Module) -> Found:
    """`loss = (log_prob * advantage).mean()`: what paid is made less likely."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    if any(isinstance(n, ast.keyword) and n.arg == "maximize" for n in walk(tree)):
        return
    turned = {
        w
        for n in walk(tree)
        if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub)
        for w in words(n)
    }
    turned |= {name for _, name, value in assigned(tree) if isinstance(value, ast.UnaryOp)}
    for node, name, value in assigned(tree):
        if name not in back or name in turned:
            continue
        products = [f for n, f in _products_of(value)]
        if any(isinstance(n, ast.USub | ast.Sub) for n in walk(value)):
            continue
        for factors in products:
            logs = [f for f in factors if any(map(_LOG_PROBABILITY.search, words(f)))]
            gains = [f for f in factors if any(map(_GAIN.search, words(f))) and f not in logs]
            said = {w for f in factors for w in words(f)}
            if any(w.lower().startswith(("neg", "minus", "nll")) for w in said):
                continue
            if logs and gains and not said & turned:
                yield (
                    "gain_as_loss",
                    node,
                    f"`{name}` grows with what pays (`{ast.unparse(gains[0])}` times the "
                    "log-probability), and a step makes it smaller: good actions become less "
                    f"likely; put a minus in front",
                )
                break


def _products_of(value: ast.expr) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    for node in inside(value):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            yield node, _factors(node)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        yield value, _factors(value)


def critics_agree(tree: ast.Module) -> Found:
    """A critic and a generator that both lower, or both raise, what the critic says of fakes."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    cut: dict[str, int] = {}
    whole: dict[str, tuple[int, ast.expr]] = {}
    for _, name, value in assigned(tree):
        for sign, term in _terms(value, 1) if name in back else ():
            written = ast.unparse(term)
            if re.search(r"\w\(.*\)\.mean\(\)$", written) and ".detach()" in written:
                cut[written.replace(".detach()", "")] = sign
            elif re.fullmatch(r"[\w.]+\([\w.]+\)\.mean\(\)", written):
                whole[written] = sign, term
    for written in cut.keys() & whole.keys():
        sign, term = whole[written]
        if sign == cut[written]:
            way = "lower" if sign > 0 else "raise"
            yield (
                "critics_agree",
                term,
                f"both losses {way} `{written}`: the critic and what it judges want the same, and "
                "neither learns from the other; one of them needs the other sign",
            )


def penalty_rewarded(tree: ast.Module) -> Found:
    """`loss - 0.01 * l2`: large weights make the loss smaller."""
    for sign, term in _signed_terms(tree):
        said = words(term)
        if sign < 0 and any(map(_PENALTY.search, said)) and not any(map(_BONUS.search, said)):
            yield (
                "penalty_rewarded",
                term,
                f"`{ast.unparse(term)}` is taken off the loss, so that what it is to keep small "
                "is made as large as possible; add it",
            )
        elif (
            sign > 0
            and any("entropy" in w.lower() and "cross" not in w.lower() for w in said)
            and _is_policy(tree)
            and not any(w.lower().startswith(("neg", "minus")) for w in said)
        ):
            yield (
                "penalty_rewarded",
                term,
                f"`{ast.unparse(term)}` is added to the loss, so that the policy's entropy is made "
                "as small as possible and it soon tries one action only; to keep it exploring take "
                "it off",
            )
        else:
            continue
        return


_PENALTY = re.compile(
    r"(?i)(^|_)(l1|l2|reg|regulari[sz]\w*|penalty|weight_norm|kld?|decay)(_|\d|$)"
)
_BONUS = re.compile(r"(?i)entropy|bonus|reward|log_?p|elbo|margin|diversity|ent$")


def _is_policy(tree: ast.Module) -> bool:
    said = words(tree)
    return any(map(_LOG_PROBABILITY.search, said)) and any(map(_GAIN.search, said))


def _signed_terms(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """The terms of each loss that backward is called on, with their signs."""
    back = {owner(c) for c in method_calls(tree, "backward")} - {""}
    turned = {name for _, name, value in assigned(tree) if _has_minus(value)}
    for _, name, value in assigned(tree):
        if name in back:
            yield from ((s, t) for s, t in _terms(value, 1) if not words(t) & turned)


def _has_minus(value: ast.expr) -> bool:
    """Whether it may be negative by itself, as a divergence is that is written without its sign."""
    return any(isinstance(n, ast.USub | ast.Sub) for n in walk(value))


def _terms(value: ast.expr, sign: int) -> Iterator[tuple[int, ast.expr]]:
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield from _terms(operand, -sign)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, sign)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield from _terms(left, sign)
            yield from _terms(right, -sign)
        case _:
            yield sign, value


def last_of_padded(tree: ast.Module) -> Found:
    """`out[:, -1]` of what pad_packed_sequence gives: padding, for all but the longest."""
    padded: dict[str, bool] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=ast.Call() as call
            ) if tail(call) == "pad_packed_sequence":
                padded[name] = any(k.arg == "batch_first" for k in call.keywords)
    for node in walk(tree):
        name, _ = last_along_one(node)
        if padded.get(name):
            yield (
                "last_of_padded",
                node,
                f"`{name}` is padded with zeros behind the end of each shorter sequence, so "
                "that its last step is a zero for all but the longest: the state at the end of "
                "each is the `h_n` that the layer returns (`h_n[-1]`)",
            )


RULES = (
    terminal_kept,
    ratio_inverted,
    deviation_of_log,
    mask_inverted,
    triplet_order,
    temperature_multiplied,
    fitted_on_test,
    values_as_classes,
    gain_as_loss,
    penalty_rewarded,
    critics_agree,
    last_of_padded,
)
