"""Find figures of a model that are not what they are called: another count, another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.measures import batch_size, batches_of, is_loader
from executor.inside.remarks.scaling import HELD_OUT, TRAINING
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    bare,
    callee,
    dotted,
    equalities,
    factors,
    functions,
    grown,
    inside,
    loops,
    made_of,
    tail,
    terms,
    walk,
    words,
)

MEAN_LOSSES = frozenset(
    [
        "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
        "binary_cross_entropy", "binary_cross_entropy_with_logits", "soft_margin_loss",
        "poisson_nll_loss", "gaussian_nll_loss",
    ]
)  # fmt: skip
_LOSS_CLASS = re.compile(r"(?:CrossEntropy|NLL|MSE|L1|SmoothL1|Huber|BCE|BCEWithLogits)Loss")
_REDUCES = {"reduction", "reduce", "size_average"}
_ALL_OF = {"sum", "mean", "count_nonzero"}
_SUMS = {*_ALL_OF, "float", "double", "long"}


def is_mean_loss(node: ast.expr, tree: ast.AST) -> bool:
    """Whether it is a loss that is a mean over a batch, as PyTorch's are unless they are told."""
    if not isinstance(node, ast.Call):
        return False
    if callee(node) in MEAN_LOSSES and not isinstance(node.func, ast.Call):
        return _is_mean(node)
    made = [node.func] if isinstance(node.func, ast.Call) else made_of(node.func, tree)
    return bool(made) and all(
        isinstance(m, ast.Call) and _LOSS_CLASS.fullmatch(tail(m)) is not None and _is_mean(m)
        for m in made
    )


def _is_mean(call: ast.Call) -> bool:
    told = [k.value for k in call.keywords if k.arg in _REDUCES]
    return all(isinstance(v, ast.Constant) and v.value == "mean" for v in told)


def _is_mean_of_batch(node: ast.expr, scope: ast.AST, tree: ast.AST) -> bool:
    """A mean loss, or a share of right answers, as a number or a tensor."""
    while isinstance(node, ast.Call) and tail(node) in ("item", "detach", "cpu", "numpy"):
        if not isinstance(node.func, ast.Attribute):
            return False
        node = node.func.value
    if isinstance(node, ast.Name):
        given = [v for _, name, v in assigned(scope) if name == node.id]
        return bool(given) and all(is_mean_loss(v, tree) for v in given)
    if is_mean_loss(node, tree):
        return True
    means = isinstance(node, ast.Call) and tail(node) == "mean" and not node.args
    return means and any(isinstance(n, ast.Compare) for n in walk(node))


def mean_over_samples(tree: ast.Module) -> Found:
    """The means of the batches, added up and divided by the number of samples."""
    for scope in (tree, *functions(tree).values()):
        sums = {
            name
            for loop in loops(scope)
            for name, value, _ in grown(inside(loop))
            if _is_mean_of_batch(value, scope, tree)
        } - {name for name, value, _ in grown(inside(scope))
             if not _is_mean_of_batch(value, scope, tree)}  # fmt: skip
        counts = {
            name: loop for loop in loops(scope) if isinstance(loop, ast.For)
            for name, value, _ in grown(inside(loop)) if _is_size_of_batch(value)
        }  # fmt: skip
        for node in inside(scope):
            match node:
                case (
                    ast.BinOp(left=left, op=ast.Div(), right=by)
                    | ast.AugAssign(target=left, op=ast.Div(), value=by)
                ):
                    pass
                case _:
                    continue
            whole: ast.expr | None = None
            loader: ast.expr | None = None
            match made_of(by, tree):
                case [ast.Call(func=ast.Name(id="len"), args=[whole])]:
                    loader = _loader_of(whole, scope, tree)
                case _ if dotted(by) in counts:
                    loader = batches_of(counts[dotted(by)])
            if loader is None or dotted(left) not in sums or batch_size(loader, tree) == 1:
                continue
            written = ast.unparse(by)
            ways = (way("the mean of the batches' means", put(whole, loader)),) if whole else ()
            yield Told(
                "mean_over_samples",
                node,
                f"`{dotted(left)}` adds up one mean for each batch, and `{written}` is the number "
                "of samples: the figure is too small by about the batch size; divide by the number "
                f"of batches, `len({ast.unparse(loader)})`, or add up each mean times the size of "
                "its batch",
                ways,
            )


def _is_size_of_batch(value: ast.expr) -> bool:
    """`len(x)`, `x.size(0)`, `x.shape[0]`."""
    match value:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="size"), args=[at]):
            return ast.unparse(at) == "0"
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=at):
            return ast.unparse(at) == "0"
    return False


def _loader_of(data: ast.expr, scope: ast.AST, tree: ast.Module) -> ast.expr | None:
    """The loader that a scope goes through, whose data set this is."""
    for over in (batches_of(n) for n in loops(scope) if isinstance(n, ast.For)):
        given = [v.args[0] for v in made_of(over, tree)
                 if isinstance(v, ast.Call) and callee(v) == "DataLoader" and v.args]  # fmt: skip
        if dotted(over) and dotted(data) in (f"{dotted(over)}.dataset", *map(dotted, given)):
            return over
    return None


def one_answer_of_all(tree: ast.Module) -> Found:
    """`(scores.argmax() == labels).sum()`: the place of the largest of all the scores."""
    counted = {
        node.func.value
        for node in walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr in _SUMS
    } | {
        given for node in walk(tree) if isinstance(node, ast.Call) and tail(node) in _ALL_OF
        for given in node.args[:1]
    }  # fmt: skip
    single = {
        n for loop in loops(tree) if isinstance(loop, ast.For)
        and batch_size(batches_of(loop), tree) == 1 for n in inside(loop)
    }  # fmt: skip
    for scope in (tree, *functions(tree).values()):
        made = {name: value for node, name, value in assigned(scope)}
        below = set(inside(scope))
        for node, side, other in equalities(scope):
            picked = bare(made.get(dotted(side), side))
            of = _largest_of_all(picked)
            if node not in counted or node not in below or of is None or node in single:
                continue
            if not dotted(other) or isinstance(picked, ast.Constant) or other is of:
                continue
            yield Told(
                "one_answer_of_all",
                picked,
                f"`{ast.unparse(picked)}` without a dimension is one number: the place of the "
                f"largest score of the whole batch; it is compared with each of `{dotted(other)}`, "
                "so that this share stays near 0 however good the model is; take the largest of "
                "each row: `argmax(dim=1)`",
                (way("each sample has its own answer", _along_one(picked, of)),),
            )


def _largest_of_all(node: ast.expr) -> ast.expr | None:
    """Of what `argmax` is taken without a dimension."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="argmax"), args=[of]) if (
            not node.keywords
        ):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="argmax"), args=[]) if (
            not node.keywords and dotted(of) not in ("torch", "np", "numpy")
        ):
            return of
    return None


def _along_one(call: ast.expr, of: ast.expr) -> list[list[object]]:
    return with_argument(call, "dim", "1") if isinstance(call, ast.Call) and call.args else put(
        call, of, ".argmax(dim=1)"
    )  # fmt: skip


_FIGURE = re.compile(r"(?i)acc|loss|score|err|rmse|mse|mae|f1|auc|r2|metric|iou|dice")
_MODES = {"train", "eval", "fit", "training", "trained"}


def figure_of_training(tree: ast.Module) -> Found:
    """`test_acc = accuracy(model, x_train, y_train)`: a figure of what was trained on."""
    own = functions(tree)
    data = {n.id for n in walk(tree) if isinstance(n, ast.Name) and HELD_OUT.search(n.id)
            and not _FIGURE.search(n.id) and n.id not in own}  # fmt: skip
    for node, name, value in assigned(tree):
        called = name.rpartition(".")[2]
        if not HELD_OUT.search(called) or not _FIGURE.search(called) or TRAINING.search(called):
            continue
        calls = [c for c in walk(value) if isinstance(c, ast.Call)]
        given = {
            n.id for c in calls for a in (*c.args, *(k.value for k in c.keywords))
            for n in walk(a) if isinstance(n, ast.Name)
        } - own.keys()  # fmt: skip
        trained = sorted(n for n in given if TRAINING.search(n) and n not in _MODES)
        if not trained or not data or any(map(HELD_OUT.search, words(value) - own.keys())):
            continue
        if any(tail(c) in own and "backward" in words(own[tail(c)]) for c in calls):
            continue  # it trains
        yield (
            "figure_of_training",
            node,
            f"`{called}` is called a figure of held-out data, and is computed from "
            f"{_listed(trained)}: it says how well the model knows what it was trained on; give it "
            f"the held-out data ({_listed(sorted(data)[:3])})",
        )


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


_RIGHT = re.compile(r"(?i)^(n_?)?(tp|true_?pos(itives?)?)$")
_MISSED = re.compile(r"(?i)^(n_?)?(fn|false_?neg(atives?)?)$")
_FALSE = re.compile(r"(?i)^(n_?)?(fp|false_?pos(itives?)?)$")


def figures_exchanged(tree: ast.Module) -> Found:
    """`precision = tp / (tp + fn)`: that is the recall."""
    for node, name, value in assigned(tree):
        called = name.rpartition(".")[2].lower()
        match value:
            case ast.BinOp(left=left, op=ast.Div(), right=whole) if _RIGHT.match(_count(left)):
                parts = [_count(term) for _, term in terms(whole)]
            case _:
                continue
        if not any(map(_RIGHT.match, parts)):
            continue
        missed, false = any(map(_MISSED.match, parts)), any(map(_FALSE.match, parts))
        if missed == false:
            continue
        is_recall = re.fullmatch(r"recall|rec|sensitivity|tpr", called)
        is_precision = re.fullmatch(r"precision|prec|ppv", called)
        if (missed and is_precision) or (false and is_recall):
            right = "false positives" if is_precision else "false negatives"
            yield (
                "figures_exchanged",
                node,
                f"the right ones over {'all that there are' if missed else 'all that were said'} "
                f"is the {'recall' if missed else 'precision'}, and it is called `{called}`, whose "
                f"second term is the number of {right}",
            )


_SAID = re.compile(
    r"(?i)^(y_?)?(preds?|predictions?|outputs?|outs?|hat|p|forecasts?)$|_(hat|pred)$"
)


def spread_of_answers(tree: ast.Module) -> Found:
    """`1 - ((y - p) ** 2).sum() / ((p - p.mean()) ** 2).sum()`: R2 by the spread of the answers."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Constant(value=1 | 1.0),
                op=ast.Sub(),
                right=ast.BinOp(left=errors, op=ast.Div(), right=spread),
            ):
                made = [v for side in (errors, spread) for v in made_of(side, tree)]
            case _:
                continue
        differences = [
            (ast.unparse(n.left), ast.unparse(n.right), n)
            for v in made
            for n in walk(v)
            if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub)
        ]
        around = [
            (a, n)
            for a, b, n in differences
            if b in (f"{a}.mean()", f"torch.mean({a})", f"np.mean({a})", f"{a}.mean(0)")
        ]
        apart = [{a, b} for a, b, _ in differences if a.isidentifier() and b.isidentifier()]
        if len(around) != 1 or len(apart) != 1 or around[0][0] not in apart[0]:
            continue
        said = around[0][0]
        (true,) = apart[0] - {said}
        if not _SAID.search(said) or _SAID.search(true):
            continue
        place = around[0][1]
        yield Told(
            "spread_of_answers",
            place,
            f"R2 compares the errors with the spread of the true values, `{true}`; this is the "
            f"spread of `{said}`, which is small for a model that answers the mean: "
            f"`{true} - {true}.mean()`",
            (way("the spread is that of the true values",
                 put(place, ast.unparse(place).replace(said, true))),),
        )  # fmt: skip
        return


def _count(node: ast.expr) -> str:
    """`tp` of `tp`, `tp.sum()`, `self.tp.float()`, `tp[c]`."""
    while isinstance(node, ast.Call | ast.Subscript):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    return dotted(node).rpartition(".")[2]


_RANKED = {"roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve"}


def rank_of_answers(tree: ast.Module) -> Found:
    """`roc_auc_score(labels, scores > 0.5)`: the area of one threshold alone."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = _ranked(call, tree)
        if given is None:
            continue
        made = [bare(v) for v in made_of(bare(given), tree)]
        made = [bare(_uncast(e)) for v in made for e in _entries(bare(_uncast(v)), tree)]
        if made and all(_is_answer(v) for v in made):
            yield (
                "rank_of_answers",
                call,
                f"`{tail(call)}` asks how well scores are ordered, and `{ast.unparse(given)}` has "
                "only the answers 0 and 1: what comes out is the figure of that one threshold; "
                "give it the scores or probabilities themselves",
            )


_OF_RANKS = re.compile(r"(?i)(^|_)(roc_?)?auc(_?score)?$|^auroc$|average_precision")
_SCORES = re.compile(r"(?i)score|prob|pred|logit|output|^p$")


def _ranked(call: ast.Call, tree: ast.Module) -> ast.expr | None:
    """The scores that are given to a figure of ranks, sklearn's or one of the program's own."""
    own = functions(tree).get(tail(call))
    if own is not None and _OF_RANKS.search(own.name):
        at = [i for i, a in enumerate(own.args.args) if _SCORES.search(a.arg)]
        return call.args[at[0]] if len(at) == 1 and at[0] < len(call.args) else None
    return call.args[1] if tail(call) in _RANKED and len(call.args) > 1 else None


def _entries(node: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """What a list holds that is joined: all that is appended to it; else the thing itself."""
    if not isinstance(node, ast.Call) or tail(node) not in _JOINS or not node.args:
        return [node]
    kept = dotted(node.args[0])
    found = [
        n.args[0] for n in walk(tree)
        if isinstance(n, ast.Call) and tail(n) == "append" and n.args
        and isinstance(n.func, ast.Attribute) and dotted(n.func.value) == kept != ""
    ]  # fmt: skip
    return [bare(_uncast(bare(v))) for f in found for v in made_of(f, tree)] or [node]


def _uncast(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(
            func=ast.Attribute(value=of, attr="astype" | "type" | "tolist" | "flatten" | "ravel")
        ):
            return of
    return node


def _is_answer(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return True
        case ast.Call() if isinstance(node.func, ast.Attribute):
            return tail(node) in ("argmax", "round")
    return False


def answers_in_another_order(tree: ast.Module) -> Found:
    """Outputs collected from a loader that shuffles, put beside the data in their own order."""
    shuffled = dict(_shuffled(tree))
    collected: dict[str, tuple[str, ast.AST]] = {}
    for name, loader, node in _collected(tree):
        if loader in shuffled:
            collected[name] = loader, node
    for name, (loader, node) in collected.items():
        call, data = shuffled[loader]
        beside = _beside(tree, name, data)
        if not beside:
            continue
        used = sum(isinstance(n, ast.Name) and n.id == loader for n in walk(tree))
        told = [k.value for k in call.keywords if k.arg == "shuffle"]
        told = told if used == 2 else []  # made, and gone through once
        yield Told(
            "answers_in_another_order",
            node,
            f"`{loader}` shuffles, so that `{name}` has the order of this one pass, and is put "
            f"beside `{beside}`, which has the order of the data: no row belongs to its sample; "
            "collect from a loader without shuffle=True, or keep the targets of the same pass",
            tuple(way("the outputs lie in the order of the data", put(v, "False")) for v in told),
        )


def _shuffled(tree: ast.Module) -> Iterator[tuple[str, tuple[ast.Call, set[str]]]]:
    """Each loader that shuffles, with the tensors that its data set is made of."""
    for _, name, value in assigned(tree):
        if not isinstance(value, ast.Call) or callee(value) != "DataLoader" or not value.args:
            continue
        always = [k for k in value.keywords if k.arg == "shuffle"
                  and isinstance(k.value, ast.Constant) and k.value.value is True]  # fmt: skip
        data = {
            dotted(bare(_unscaled(a))) for made in made_of(value.args[0], tree)
            if isinstance(made, ast.Call) and callee(made) == "TensorDataset" for a in made.args
        }  # fmt: skip
        if always and data - {""}:
            yield name, (value, data - {""})


def _unscaled(node: ast.expr) -> ast.expr:
    """`y` of `(y - mean) / std`."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Mult):
        node = node.left
    return node


_JOINS = {"cat", "vstack", "concatenate", "concat", "hstack", "stack"}


def _collected(tree: ast.Module) -> Iterator[tuple[str, str, ast.AST]]:
    """What is joined of all batches of a loader: its name, the loader, the statement."""
    lists: dict[str, str] = {}
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        loader = dotted(batches_of(loop))
        for call in (n for n in inside(loop) if isinstance(n, ast.Call) and tail(n) == "append"):
            if isinstance(call.func, ast.Attribute) and loader:
                lists[dotted(call.func.value)] = loader
    for node, name, value in assigned(tree):
        for call in (n for n in walk(value) if isinstance(n, ast.Call) and tail(n) in _JOINS):
            match call.args[:1]:
                case [ast.ListComp(elt=ast.Call(), generators=[ast.comprehension(iter=over)])]:
                    yield name, dotted(over), node
                case [ast.Name(id=held)] if held in lists:
                    yield name, lists[held], node


def _beside(tree: ast.Module, name: str, data: set[str]) -> str:
    """The data that stand beside it: compared, indexed alike, or given to the same call."""
    for node in walk(tree):
        match node:
            case (
                ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])
                | ast.BinOp(left=left, op=ast.Sub(), right=right)
            ):
                for one, other in ((left, right), (right, left)):
                    if name in words(one) and dotted(bare(other)) in data:
                        return dotted(bare(other))
            case ast.Call(args=args) if len(args) > 1:
                given = {dotted(bare(a)) for a in args}
                if name in given and given & data:
                    return min(given & data)
    for scope in (tree, *functions(tree).values()):
        indexed: dict[str, set[str]] = {}
        for node in inside(scope):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
                indexed.setdefault(node.slice.id, set()).add(dotted(node.value))
        for names in indexed.values():
            if name in names and names & data:
                return min(names & data)
    return ""


def never_reset(tree: ast.Module) -> Found:
    """A sum of all rounds so far, divided by the number that there are in one of them."""
    for outer in (n for n in loops(tree) if isinstance(n, ast.For)):
        again = {name for node, name, _ in assigned(outer)}
        added_up: dict[str, ast.stmt] = {}
        for inner in (n for n in inside(outer) if isinstance(n, ast.For)):
            if is_loader(batches_of(inner), tree):
                added_up |= {name: at for name, _, at in grown(inside(inner))}
        zeros = {name for node, name, value in assigned(tree) if node.lineno < outer.lineno
                 and ast.unparse(value) in ("0", "0.0")}  # fmt: skip
        anew_too = added_up.keys() & again  # another sum is one of each round
        kept = {name for name in added_up if name in zeros and name not in again}
        for node in inside(outer):
            match node:
                case ast.BinOp(left=left, op=ast.Div(), right=by):
                    pass
                case _:
                    continue
            name = next((dotted(f) for f in factors(left) if dotted(f) in kept), "")
            counts = isinstance(by, ast.Call) and dotted(by.func) == "len"
            anew = dotted(by) in again and dotted(by) in added_up
            if name and (counts or anew):
                yield (
                    "never_reset",
                    added_up[name],
                    f"`{name}` is set to 0 before the loop over the rounds alone, and is divided "
                    f"by `{ast.unparse(by)}`, the number of one round: from the second round on "
                    "the figure is that of all rounds together and grows with each; set it to 0 at "
                    "the beginning of each round",
                )
                return
            if name and dotted(by) in kept and anew_too:
                yield (
                    "never_reset",
                    added_up[name],
                    f"`{name}` and `{dotted(by)}` are set to 0 before the loop over the rounds "
                    f"alone, and `{min(anew_too)}` in each of them: this figure is that of all "
                    "rounds so far, the first and worst ones too; set both to 0 at the beginning "
                    "of each round",
                )
                return


RULES = (
    mean_over_samples,
    one_answer_of_all,
    figure_of_training,
    figures_exchanged,
    rank_of_answers,
    spread_of_answers,
    answers_in_another_order,
    never_reset,
)
