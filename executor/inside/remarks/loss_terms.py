"""Find terms of a loss that have the wrong sign, or stand in it twice."""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.inside.remarks.by_sign import (
    actors_down,
    entropies_up,
    overlaps_down,
    penalties_down,
)
from executor.inside.remarks.edits import Part, Places, Told, operand, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    bare,
    behind,
    dotted,
    factors,
    functions,
    has_minus,
    inside,
    loops,
    made_of,
    method_calls,
    methods_named,
    module_classes,
    products,
    says,
    tail,
    terms,
    trained_losses,
    trained_names,
    values,
    walk,
    words,
)

_TERM = re.compile(r"(?i)(^|_)(loss(es)?|kld?|reg|l1|l2|aux|penalty|entropy)\d*(_|$)")
_PENALTY = re.compile(
    r"(?i)(^|_)(l1|l2|reg|regulari[sz]\w*|penalty|weight_norm|kld?|decay)(_|\d|$)"
)
_BONUS = re.compile(r"(?i)entropy|bonus|reward|log_?p|elbo|margin|diversity|ent$")
_ENTROPY = re.compile(r"(?i)^(?!.*cross).*entropy")
_LOG_PROBABILITY = re.compile(r"(?i)log_?p|logprob|log_?pi|^lp|_lp")
_GAIN = re.compile(r"(?i)return|advantage|reward|^adv|_adv|^rews?$|^(G|R)$")
_NEGATIVE = re.compile(r"(?i)^(neg|minus|nll)")
_SCORE = re.compile(
    r"(?i)(soft_?)?(dice|iou|jaccard|ssim|psnr|f1)(_?(score|coeff?(icient)?|index))?"
)


def term_twice(tree: ast.Module) -> Found:
    """`a + 0.5 * a` while another term is in no sum at all, or one call of a loss twice."""
    for node, name, value in trained_losses(tree):
        parts = [term for _, term in terms(value)]
        calls = [c for part in parts for c in _calls(part)]
        if again := [c for i, c in enumerate(calls) if c in calls[:i]]:
            yield (
                "term_twice",
                node,
                f"two terms of this sum are `{again[0]}`: the second was most likely meant of "
                "something else",
            )
        named = [sorted(filter(_TERM.search, words(part))) for part in parts]
        twice = [i for i, t in enumerate(named) if len(t) == 1 and t in named[:i]]
        left = _in_no_sum(tree, node, name) if twice else []
        if len(left) == 1:
            told = named[twice[0]][0]
            there = [n for n in walk(parts[twice[0]]) if isinstance(n, ast.Name) and n.id == told]
            yield Told(
                "term_twice",
                node,
                f"the sum has `{told}` twice, and `{left[0]}` is in no sum, so that what it is "
                f"computed from learns nothing from it; write `{left[0]}` in one of the places",
                tuple(way("each term counts once", put(n, left[0])) for n in there),
            )


def _calls(term: ast.expr) -> set[str]:
    """The losses that a term computes from variables."""
    return {
        ast.unparse(n)
        for n in walk(term)
        if isinstance(n, ast.Call)
        and LOSS_CALL.search(tail(n))
        and n.args
        and not any(isinstance(m, ast.Call) for a in n.args for m in walk(a))
    }


def _in_no_sum(tree: ast.Module, node: ast.stmt, name: str) -> list[str]:
    """The losses that are computed before a sum, in the same round, and added up nowhere."""
    back = {name for _, name, _ in trained_losses(tree)}
    added = {
        w for _, other, given in assigned(tree) if _TERM.search(other) or other in back
        for w in words(given)
    }  # fmt: skip
    scope = next((loop for loop in loops(tree) if node in set(inside(loop))), tree)
    return [
        other
        for statement, other, given in assigned(scope)
        if _TERM.search(other)
        and other not in added | back
        and isinstance(given, ast.Call | ast.BinOp)
        and statement.lineno < node.lineno
    ]


def gain_as_loss(tree: ast.Module) -> Found:
    """`loss = (log_prob * advantage).mean()`: what paid is made less likely."""
    if _maximizes(tree):
        return
    turned = {w for n in walk(tree) if isinstance(n, ast.UnaryOp) for w in words(n)}
    turned |= {name for _, name, value in assigned(tree) if isinstance(value, ast.UnaryOp)}
    yield from _actor_goes_down(tree)
    for node, name, whole in trained_losses(tree):
        if name in turned:
            continue
        for value in (whole, *(() if has_minus(whole) else _put_into(whole, tree))):
            yield from _gains_in(node, name or "the loss", value, whole, turned)


def _put_into(value: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """What is appended to the lists that a value is made from."""
    return [
        c.args[0] for c in method_calls(tree, "append")
        if c.args and isinstance(c.func, ast.Attribute) and dotted(c.func.value) in words(value)
    ]  # fmt: skip


def _actor_goes_down(tree: ast.Module) -> Found:
    """`actor_loss = critic(s, actor(s)).mean()`, or a clipped surrogate without its minus."""
    for asked in actors_down(tree):
        yield Told(
            "gain_as_loss",
            asked,
            f"`{ast.unparse(asked)}` is what the critic says of the actor's actions, and a step "
            "makes it smaller: good actions become less likely; put a minus in front",
            (way("what pays becomes likelier", put(asked, "-", asked)),),
        )
        return
    made = values(tree)
    for node, name, value in trained_losses(tree):
        match value:
            case ast.Call(func=ast.Attribute(attr="mean", value=ast.Call() as inner), args=[]):
                pass
            case ast.Call(func=ast.Attribute(attr="mean"), args=[ast.Call() as inner]):
                pass
            case _:
                continue
        given = [made.get(dotted(a), a) for a in inner.args]
        clipped = tail(inner) in ("min", "minimum") and len(given) == 2 and all(
            says(a, _RATIO) and says(a, _GAIN) and not has_minus(_without_limits(a)) for a in given
        )  # fmt: skip
        if clipped:
            yield Told(
                "gain_as_loss",
                node,
                f"`{name or 'the loss'}` grows with what pays, and a step makes it smaller: good "
                "actions become less likely; put a minus in front",
                (way("what pays becomes likelier", put(value, "-", value)),),
            )


_RATIO = re.compile(r"(?i)ratio")


def _without_limits(value: ast.expr) -> ast.expr:
    """A product without its factor that is clamped, whose limits may have a minus."""
    parts = [f for f in factors(value) if tail(f) not in ("clamp", "clip")]
    return ast.Tuple(parts, ast.Load())


def _gains_in(
    node: ast.stmt, name: str, value: ast.expr, whole: ast.expr, turned: set[str]
) -> Found:
    for product, parts in products(value):
        said = words(product)
        logs = [f for f in parts if says(f, _LOG_PROBABILITY)]
        gains = [f for f in parts if says(f, _GAIN) and f not in logs]
        if (
            logs
            and gains
            and not _has_other_minus(value, gains)
            and not said & turned
            and not any(map(_NEGATIVE.match, said))
        ):
            yield Told(
                "gain_as_loss",
                node,
                f"`{name}` grows with what pays (`{ast.unparse(gains[0])}` times the "
                "log-probability), and a step makes it smaller: good actions become less "
                f"likely; put a minus in front",
                (way("what pays becomes likelier", put(whole, "-", *operand(whole))),),
            )
            return


def _has_other_minus(value: ast.expr, gains: list[ast.expr]) -> bool:
    """Whether a minus stands in it beside that of a gain over what was expected."""
    own = {n for g in gains for n in walk(g) if isinstance(n, ast.BinOp) and says(n.left, _GAIN)}
    return any(
        isinstance(getattr(n, "op", None), ast.USub | ast.Sub) and n not in own for n in walk(value)
    )


def penalty_rewarded(tree: ast.Module) -> Found:
    """`loss - 0.01 * l2` makes the weights large, `loss + entropy` a policy that tries nothing."""
    named = [*_penalty_by_name(tree)]
    yield from named
    if named or _maximizes(tree):
        return
    for node, what in penalties_down(tree):
        yield Told(
            "penalty_rewarded",
            node,
            f"`{ast.unparse(node)}` is {what}, and by all that it goes through it is taken off "
            "the loss, so that it is made as large as possible; add it",
            (way("the term goes the way that it is called", put(node, "-", *operand(node))),),
        )
        return
    for node in entropies_up(tree) if _is_policy(tree) else ():
        yield Told(
            "penalty_rewarded",
            node,
            f"`{ast.unparse(node)}` makes the policy's entropy, and by all that this goes through "
            "it is added to the loss, so that it is made as small as possible and the policy soon "
            "tries one action only; to keep it exploring take it off",
            (way("the term goes the way that it is called", put(node, "-", *operand(node))),),
        )
        return


def _is_policy(tree: ast.Module) -> bool:
    return says(tree, _LOG_PROBABILITY) and says(tree, _GAIN)


def _maximizes(tree: ast.Module) -> bool:
    return any(isinstance(n, ast.keyword) and n.arg == "maximize" for n in walk(tree))


def _penalty_by_name(tree: ast.Module) -> Found:
    policy = _is_policy(tree)
    turned = {name for _, name, value in assigned(tree) if has_minus(value)}
    for _, _, value in trained_losses(tree):
        of = list(terms(value))
        for sign, term in of if len(of) > 1 else ():  # else all of it is turned round, on purpose
            said = words(term)
            if said & turned:
                continue
            if sign < 0 and says(term, _PENALTY) and not says(term, _BONUS):
                told = (
                    "is taken off the loss, so that what it is to keep small is made as large as "
                    "possible; add it"
                )
            elif sign > 0 and policy and says(term, _ENTROPY) and not says(term, _NEGATIVE):
                told = (
                    "is added to the loss, so that the policy's entropy is made as small as "
                    "possible and it soon tries one action only; to keep it exploring take it off"
                )
            else:
                continue
            ways = (
                way("the term goes the way that it is called", p) for p in _flipped(value, term)
            )
            yield Told("penalty_rewarded", term, f"`{ast.unparse(term)}` {told}", tuple(ways))
            return
    back = trained_names(tree)
    weights = {n for loop in loops(tree) if isinstance(loop, ast.For)
               and "parameters" in words(loop.iter) for n in inside(loop)}  # fmt: skip
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=target, op=ast.Sub(), value=value) if (
                dotted(target) in back
                and (says(value, _PENALTY) or node in weights)
                and not says(value, _BONUS)
                and not words(value) & turned
                and not has_minus(value)
            ):
                yield Told(
                    "penalty_rewarded",
                    node,
                    f"`{ast.unparse(value)}` is taken off the loss, so that what it is to keep "
                    "small is made as large as possible; add it",
                    (way("the term goes the way that it is called",
                         put(node, target, " += ", value)),),
                )  # fmt: skip
                return


def _flipped(value: ast.expr, term: ast.expr) -> list[Places]:
    """The sum with the other sign before one term."""
    return [
        put(n, *_side(n.left), " - " if isinstance(n.op, ast.Add) else " + ", *_side(term))
        for n in walk(value)
        if isinstance(n, ast.BinOp) and n.right is term
    ]


def _side(node: ast.expr) -> tuple[Part, ...]:
    return (node,) if isinstance(node, ast.BinOp) else operand(node)


def score_as_loss(tree: ast.Module) -> Found:
    """`loss = dice(…)`: the better the prediction, the larger it is."""
    named = [*_score_by_name(tree)]
    yield from named
    for node in () if named or _maximizes(tree) else overlaps_down(tree):
        yield Told(
            "score_as_loss",
            node,
            f"`{ast.unparse(node)}` is the share in which prediction and target overlap: it is the "
            "larger, the better the prediction, and a step makes the loss smaller; take it off 1",
            (way("the better, the smaller the loss", put(node, "(1 - ", *operand(node), ")")),),
        )
        return


def _score_by_name(tree: ast.Module) -> Found:
    own: dict[str, ast.FunctionDef] = functions(tree)
    classes = {
        c.name: m for c in module_classes(tree) for m in methods_named(c, "forward")
    }  # fmt: skip
    for node, _, value in trained_losses(tree):
        for sign, term in terms(value):
            if sign < 0 or not isinstance(term, ast.Call):
                continue
            held = made_of(term.func, tree)
            name = tail(held[0]) if len(held) == 1 else ""
            function = classes.get(name, own.get(name))
            if function is None or not _SCORE.fullmatch(re.sub(r"(?i)_?loss$", "", name)):
                continue
            ratio = any(isinstance(n, ast.Div) for n in walk(function))
            if any(map(_is_turned, walk(function))) or (
                name.lower().endswith("loss") and not ratio
            ):
                continue
            yield Told(
                "score_as_loss",
                node,
                f"`{name}` is the larger, the better the prediction, and a step makes the "
                f"loss smaller; write `1 - {ast.unparse(term)}`",
                (way("the better, the smaller the loss",
                     put(term, *(("1 - ", term) if term is value else ("(1 - ", term, ")")))),),
            )  # fmt: skip


def _is_turned(node: ast.AST) -> bool:
    """`-x`, `1 - x`."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return not isinstance(of, ast.Constant)  # `view(-1)`, `dim=-1`
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Sub()):
            return True
    return False


def adversaries_agree(tree: ast.Module) -> Found:
    """A judge and what it judges, trained towards the same: `D(fake.detach())` and `D(fake)`."""
    wanted = {**_labels(tree), **_scores(tree)}
    for (judge, made, towards, cut), (node, ways) in wanted.items():
        if not cut and (judge, made, towards, True) in wanted:
            yield Told(
                "adversaries_agree",
                node,
                f"`{judge}` is trained towards `{towards}` of `{made}`, and what makes `{made}` is "
                "trained towards just that, so that neither learns from the other; give one of "
                "them the other label, or the other sign",
                ways,
            )


_Key = tuple[str, str, str, bool]  # the judge, what it judges, towards what, and if detached
_Wanted = dict[_Key, tuple[ast.expr, tuple[dict[str, Any], ...]]]


def _key(judged: ast.Call, towards: str) -> _Key:
    made, cut = judged.args[0], False
    match made:
        case ast.Call(func=ast.Attribute(attr="detach", value=made), args=[]):
            cut = True
    return ast.unparse(judged.func), ast.unparse(made), towards, cut


def _judgement(node: ast.expr, once: dict[str, ast.expr]) -> ast.Call | None:
    """`D(x)`, also by a variable that is given that alone, and laid out anew."""
    of = bare(once.get(dotted(bare(node)), node))
    return of if isinstance(of, ast.Call) and len(of.args) == 1 and dotted(of.func) else None


def _label(node: ast.expr, once: dict[str, ast.expr]) -> str:
    """A label as it is written; of ones and zeros in whatever shape the same."""
    of = once.get(dotted(node), node)
    name = tail(of).removesuffix("_like") if isinstance(of, ast.Call) else ""
    return name if name in ("ones", "zeros") else ast.unparse(node)


def _labels(tree: ast.Module) -> _Wanted:
    """The losses of a judgement and a label, and the edit to the other label."""
    found: list[tuple[_Key, ast.Call, ast.expr]] = []
    flows = {name: words(value) for name, value in values(tree).items()}
    backs = [c.func for c in method_calls(tree, "backward")]
    trained = behind({w for f in backs for w in words(f)}, flows)
    losses = [*backs, *(value for _, name, value in assigned(tree) if name in trained)]
    stored = [name for _, name, _ in assigned(tree)]
    once = {name: v for _, name, v in assigned(tree) if stored.count(name) == 1}
    for node in (n for loss in losses if not has_minus(loss) for n in walk(loss)):
        match node:
            case ast.Call(args=[given, label]) if LOSS_CALL.search(tail(node)):
                judged = _judgement(given, once)
                if judged is not None:
                    found.append((_key(judged, _label(label, once)), node, label))
    wanted: _Wanted = {}
    for key, node, label in found:
        others = {k[2]: o for k, _, o in found if k[0] == key[0] and k[2] != key[2]}
        told = "what is judged tries to be taken for real"
        ways = tuple(way(told, put(label, o)) for o in others.values() if len(others) == 1)
        wanted[key] = node, ways
    return wanted


def _scores(tree: ast.Module) -> _Wanted:
    """The terms `D(x).mean()` of losses."""
    wanted: _Wanted = {}
    for _, _, value in trained_losses(tree):
        for sign, term in terms(value):
            match term:
                case ast.Call(
                    func=ast.Attribute(attr="mean", value=ast.Call(args=[_]) as judged), args=[]
                ):
                    pass
                case ast.Call(func=ast.Attribute(attr="mean"), args=[ast.Call(args=[_]) as judged]):
                    pass
                case _:
                    continue
            wanted[_key(judged, f"{'smaller' if sign > 0 else 'larger'} scores")] = term, ()
    return wanted


_PAIRED = {
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "MSELoss", "L1Loss",
    "SmoothL1Loss", "HuberLoss", "KLDivLoss", "cosine_similarity", "CosineSimilarity",
    "cross_entropy", "CrossEntropyLoss", "binary_cross_entropy", "BCELoss",
}  # fmt: skip
_SPREAD = {"softmax", "log_softmax"}


def compared_with_itself(tree: ast.Module) -> Found:
    """`kl_div(log_softmax(teacher / T), softmax(teacher / T))`: both sides are one thing."""
    losses = {name for name, made in values(tree).items() if tail(made) in _PAIRED}
    for function in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
        own = set(inside(function))
        given = {name: made for node, name, made in assigned(function) if node in own}
        stores = [n.id for n in walk(function) if isinstance(n, ast.Name)
                  and isinstance(n.ctx, ast.Store)]  # fmt: skip
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            if tail(call) not in _PAIRED and dotted(call.func) not in losses:
                continue
            if len(call.args) < 2:
                continue
            one, two = (_spread(a, given, stores) for a in call.args[:2])
            same = ast.unparse(one) == ast.unparse(two)
            if not same or not isinstance(one, ast.Name | ast.Attribute):
                continue
            name = dotted(one)
            student = _other_of(name, function)
            first = call.args[0]
            at = [n for n in walk(given.get(dotted(first), first))
                  if isinstance(n, ast.Name) and n.id == name]  # fmt: skip
            yield Told(
                "compared_with_itself",
                call,
                f"both sides of `{ast.unparse(call.func)}` are made of `{name}`: it compares it "
                "with itself, and says the same whatever the model has learned"
                + (f"; one of them is to be `{student}`" if student else ""),
                (way("the two sides are two things", put(at[0], student)),)
                if student and len(at) == 1
                else (),
            )
            return


def _spread(node: ast.expr, given: dict[str, ast.expr], stores: list[str]) -> ast.expr:
    """What a side is made of: without softmax, temperature and a name for it."""
    while True:
        if isinstance(node, ast.Name) and node.id in given and stores.count(node.id) == 1:
            made = given[node.id]
            if not isinstance(made, ast.Call) or tail(made) not in _SPREAD:
                return node
            node = made
        elif isinstance(node, ast.Call) and tail(node) in _SPREAD:
            of = node.func.value if isinstance(node.func, ast.Attribute) else None
            in_module = isinstance(of, ast.Name) and of.id in ("F", "torch")
            node = (
                node.args[0]
                if node.args and (of is None or in_module or len(node.args) > 1)
                else (of or node.args[0])
            )
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            node = node.left
        else:
            return node


def _other_of(name: str, function: ast.AST) -> str:
    """`student_logits` beside `teacher_logits`, where that is an argument too."""
    asked = [a.arg for a in walk(function) if isinstance(a, ast.arg)]
    other = name.replace("teacher", "student")
    return other if other != name and other in asked else ""


RULES = (
    gain_as_loss,
    penalty_rewarded,
    term_twice,
    score_as_loss,
    adversaries_agree,
    compared_with_itself,
)
