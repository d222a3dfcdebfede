"""Find figures of a model that are not what they are called: another count, another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.parts import (
    FIGURE,
    HELD,
    TRAINING,
    Split,
    figures_of_held,
    flows,
    made_from,
    names_in,
    splits,
    trained_on,
    unused,
)
from executor.inside.remarks.passes import (
    appended,
    batches_of,
    counts_batches,
    counts_samples,
    divisions,
    gathered,
    held_by,
    loaders_of,
    passes,
)
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    bare,
    behind,
    callee,
    calls_in,
    dotted,
    equalities,
    factors,
    functions,
    grown,
    inside,
    is_torch,
    is_true,
    loops,
    made_of,
    origins,
    reached,
    rebound,
    tail,
    values,
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
    while isinstance(node, ast.Call) and tail(node) in ("item", "detach", "cpu", "numpy", "float"):
        if isinstance(node.func, ast.Name) and node.args:
            node = node.args[0]  # `float(loss)`
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return False
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
        others = {name for name, value, _ in grown(inside(scope))
                  if not _is_mean_of_batch(value, scope, tree)}  # fmt: skip
        below = set(inside(scope))
        sums = [
            (name, of) for of in passes(tree) if of.loop in below and of.size != 1
            for name, value, _ in (*grown(inside(of.loop)), *appended(inside(of.loop)))
            if name not in others and _is_mean_of_batch(value, scope, tree)
        ]  # fmt: skip
        for node, left, by in divisions(below):
            at_once = gathered(left, tree) if tail(left) == "sum" else None
            if at_once is not None and at_once[1].size != 1:
                each = _is_mean_of_batch(at_once[0], scope, tree)
                summed, passed = "the sum", [at_once[1]] if each else []
            else:
                summed = dotted(_summed(left))
                passed = [of for name, of in sums if name == summed != ""]
                summed = f"`{summed}`"
            for of in passed:
                if not counts_samples(by, of, tree) or counts_batches(by, of, tree):
                    continue
                whole = _counted(by, tree)
                over, written = ast.unparse(of.over), ast.unparse(by)
                is_cut = isinstance(of.over, ast.Call)
                number = "the number of batches" + ("" if is_cut else f", `len({over})`")
                ways = (
                    (way("the mean of the batches' means", put(whole, over)),)
                    if whole is not None and not is_cut
                    else ()
                )
                yield Told(
                    "mean_over_samples",
                    node,
                    f"{summed} adds up one mean for each batch, and `{written}` is the number "
                    "of samples: the figure is too small by about the batch size; divide by "
                    f"{number}, or add up each mean times the size of its batch",
                    ways,
                )
                break


def _summed(node: ast.expr) -> ast.expr:
    """`losses` of `sum(losses)` and `np.sum(losses)`."""
    match node:
        case ast.Call(func=func, args=[of]) if tail(func) == "sum":
            return of
    return node


def _counted(by: ast.expr, tree: ast.Module) -> ast.expr | None:
    """`data` of `len(data)`, also by a variable that holds that."""
    match made_of(by, tree):
        case [ast.Call(func=ast.Name(id="len"), args=[whole])]:
            return whole
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
    counted |= {value for _, name, value in assigned(tree) if name in {dotted(bare(c))
                for c in counted}}  # fmt: skip
    single = {
        n for of in passes(tree) if of.size == 1 for n in inside(of.loop)
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
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch" | "np" | "numpy"), attr="argmax"),
            args=[of],
        ) if not node.keywords:
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="argmax"), args=[]) if {
            k.arg for k in node.keywords
        } <= {"keepdim"} and dotted(of) not in ("torch", "np", "numpy"):
            return of
    return None


def _along_one(call: ast.expr, of: ast.expr) -> list[list[object]]:
    if isinstance(call, ast.Call) and call.args:
        return with_argument(call, "dim" if is_torch(call) else "axis", "1")
    return put(call, of, ".argmax(dim=1)")


_MODES = {"train", "eval", "fit", "training", "trained"}


def figure_of_training(tree: ast.Module) -> Found:
    """`test_acc = accuracy(model, x_train, y_train)`: a figure of what was trained on."""
    own = functions(tree)
    data = {n.id for n in walk(tree) if isinstance(n, ast.Name) and HELD.search(n.id)
            and not FIGURE.search(n.id) and n.id not in own}  # fmt: skip
    for node, name, value in assigned(tree):
        called = name.rpartition(".")[2]
        if not HELD.search(called) or not FIGURE.search(called) or TRAINING.search(called):
            continue
        calls = [c for c in walk(value) if isinstance(c, ast.Call)]
        given = {
            n.id for c in calls for a in (*c.args, *(k.value for k in c.keywords))
            for n in walk(a) if isinstance(n, ast.Name)
        } - own.keys()  # fmt: skip
        trained = sorted(n for n in given if TRAINING.search(n) and n not in _MODES)
        if not trained or not data or any(map(HELD.search, words(value) - own.keys())):
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
        return
    yield from _beside_unused(tree)


def _beside_unused(tree: ast.Module) -> Found:
    """A figure called one of held-out data, of the training part, while nothing uses the other."""
    for split in (*splits(tree), *_put_aside(tree)):
        idle = split.held & unused(tree)
        if not idle:
            continue
        of_parts = _made_of_parts(tree, split.training)
        for node, called, value in figures_of_held(tree):
            names = made_from(value, tree)
            trained = names & trained_on(tree) & of_parts
            held = {n for n in names - of_parts if HELD.search(n) and not FIGURE.search(n)}
            if trained and not held - functions(tree).keys():
                shown = sorted(trained & names_in(value) or trained)[:2]
                yield (
                    "figure_of_training",
                    node,
                    f"{called} is called a figure of held-out data, and is computed from "
                    f"{_listed(shown)}: it says how well the model knows what it was trained on; "
                    f"{_listed(sorted(idle))}, put aside for it in line {split.node.lineno}, "
                    "goes into nothing",
                )
                return


def _put_aside(tree: ast.Module) -> Iterator[Split]:
    """Data that are held out by their name, beside those that the loops over batches train on."""
    training = {
        text for of in passes(tree) if calls_in(list(inside(of.loop)), "backward")
        for text in (ast.unparse(of.over), *of.data) if text.isidentifier()
    }  # fmt: skip
    if not training or any(map(HELD.search, training)):
        return
    for node, name, value in assigned(tree):
        data = isinstance(value, ast.Call | ast.Subscript) and not FIGURE.search(name)
        if data and HELD.search(name) and not names_in(value) & training:
            yield Split(node, frozenset(), frozenset(training), frozenset([name]))


def _made_of_parts(tree: ast.Module, parts: frozenset[str]) -> set[str]:
    """The parts, and what is made from them: data sets, loaders, batches."""
    return {name for name in (*flows(tree), *parts) if behind({name}, flows(tree)) & parts}


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def answers_in_another_order(tree: ast.Module) -> Found:
    """Outputs collected from a loader that shuffles, put beside the data in their own order."""
    told_of: set[str] = set()
    for name, over, node in _collected(tree):
        calls = loaders_of(over, tree)
        always = [k for c in calls if (k := argument(c, 2, "shuffle")) is not None and is_true(k)]
        if not calls or len(always) < len(calls) or name in told_of:
            continue
        data = {text for c in calls for text in _tensors(c, tree)}
        beside = _beside(tree, name, data)
        if not beside:
            continue
        told_of.add(name)
        loader = ast.unparse(over)
        used = sum(ast.unparse(n) == loader for n in walk(tree) if isinstance(n, ast.expr))
        ways = (
            (way("the outputs lie in the order of the data", put(always[0], "False")),)
            if used == 2 and dotted(over)  # made, and gone through once
            else ()
        )
        yield Told(
            "answers_in_another_order",
            node,
            f"`{loader}` shuffles, so that `{name}` has the order of this one pass, and is put "
            f"beside `{beside}`, which has the order of the data: no row belongs to its sample; "
            "collect from a loader without shuffle=True, or keep the targets of the same pass",
            ways,
        )


def _tensors(call: ast.Call, tree: ast.Module) -> set[str]:
    """The tensors that a loader's data set is made of, by all their names."""
    given = argument(call, 0, "dataset")
    made = held_by(given, tree) if given is not None else []
    parts = [
        bare(_unscaled(a)) for m in made
        if isinstance(m, ast.Call) and callee(m) == "TensorDataset" for a in m.args
    ]  # fmt: skip
    names = {ast.unparse(p) for p in parts}
    made_so = [v for p in parts for v in origins(tree).get(dotted(p), ())]
    tables = {t for v in map(bare, made_so) if isinstance(v, ast.Call) and tail(v) in _OF_LISTS
              for t in words(v) if len(made := origins(tree).get(t, [])) == 1
              and tail(made[0]) in ("DataFrame", "read_csv")}  # fmt: skip
    return names | {ast.unparse(v) for v in made_so} | tables


def _unscaled(node: ast.expr) -> ast.expr:
    """`y` of `(y - mean) / std`."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Mult):
        node = node.left
    return node


_JOINS = {"cat", "vstack", "concatenate", "concat", "hstack", "stack"}
_OF_LISTS = {*_JOINS, "array", "tensor", "asarray"}


def _collected(tree: ast.Module) -> list[tuple[str, ast.expr, ast.AST]]:
    """What is joined of all batches of a loader: its name, the loader, the statement."""
    lists: dict[str, ast.expr] = {}
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        for call in (n for n in inside(loop) if isinstance(n, ast.Call)):
            if tail(call) in ("append", "extend") and isinstance(call.func, ast.Attribute):
                lists[dotted(call.func.value)] = batches_of(loop)
        for name, value, _ in grown(inside(loop)):
            if tail(value) == "tolist":
                lists[name] = batches_of(loop)
    found = [
        (name, over, node) for node, name, value in assigned(tree) for over in _joined(value, lists)
    ]
    by = {name: over for name, over, _ in found}
    for function in functions(tree).values():
        for given in (n.value for n in inside(function) if isinstance(n, ast.Return) and n.value):
            over = next(_joined(given, lists), by.get(dotted(given)))
            if over is not None:
                found += [
                    (name, over, node) for node, name, value in assigned(tree)
                    if isinstance(value, ast.Call) and tail(value) == function.name
                ]  # fmt: skip
    return found + [(name, over, over) for name, over in lists.items() if name]


def _joined(value: ast.expr, lists: dict[str, ast.expr]) -> Iterator[ast.expr]:
    """The loader that something is joined of."""
    for call in (n for n in walk(value) if isinstance(n, ast.Call) and tail(n) in _OF_LISTS):
        match call.args[:1]:
            case [ast.ListComp(elt=ast.Call(), generators=[ast.comprehension(iter=over)])]:
                yield over
            case [ast.Name(id=held)] if held in lists:
                yield lists[held]


_OF_LABELS = re.compile(r"(?i)^(ys?|labels?|targets?)(_?(tr|train|va|val|te|test|true|all))?$")


def _beside(tree: ast.Module, name: str, data: set[str]) -> str:
    """The data that stand beside it: compared, indexed alike, or given to the same call."""
    for node in walk(tree):
        match node:
            case (
                ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])
                | ast.BinOp(left=left, op=ast.Sub(), right=right)
            ):
                for one, other in ((left, right), (right, left)):
                    of = bare(other)
                    if name in words(one) and (ast.unparse(of) in data or _is_labels(of, tree)):
                        return ast.unparse(of)
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant())],
                value=ast.Name(id=column),
            ) if column == name and table in data:
                return table
            case ast.Call(args=args) if len(args) > 1:
                given = {dotted(bare(a)) for a in args}
                if name in given and given & data - {""}:
                    return min(given & data)
    for scope in (tree, *functions(tree).values()):
        indexed: dict[str, set[str]] = {}
        for node in inside(scope):
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
                indexed.setdefault(node.slice.id, set()).add(dotted(node.value))
        for names in indexed.values():
            if name in names and names & data - {""}:
                return min(names & data)
    return ""


def _is_labels(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is all labels of a part, as the program made them: none that a loop takes out."""
    of = node.value if isinstance(node, ast.Subscript) and _is_cut(node) else node
    made = values(tree).get(dotted(of))
    taken = {name for n in loops(tree) for name in rebound(n)} | {
        a.arg for a in walk(tree) if isinstance(a, ast.arg)
    }
    return (
        _OF_LABELS.match(dotted(of)) is not None
        and made is not None
        and dotted(of) not in taken
        and not any(isinstance(n, ast.Call) and tail(n) in _OF_LISTS for n in walk(made))
    )


def _is_cut(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Slice)


def never_reset(tree: ast.Module) -> Found:
    """A sum of all rounds so far, divided by the number that there are in one of them."""
    for outer in (n for n in loops(tree) if isinstance(n, ast.For)):
        below = set(reached(outer, functions(tree)))  # in functions that a round calls too
        again = {name for node, name, _ in assigned(tree) if node in below}
        within = [of for of in passes(tree) if of.loop in below and of.loop is not outer]
        added_up = {
            name: (at, of) for of in within
            for name, _, at in (*grown(inside(of.loop)), *appended(inside(of.loop)))
        }  # fmt: skip
        zeros = {name for node, name, value in assigned(tree) if node not in below
                 and (node.lineno < outer.lineno or name.startswith("self."))
                 and ast.unparse(value) in ("0", "0.0", "[]", "list()")}  # fmt: skip
        anew_too = added_up.keys() & again  # another sum is one of each round
        kept = {name for name in added_up if name in zeros and name not in again}
        for node, left, by in (*divisions(below), *_means(below)):
            name = next((d for f in factors(left) if (d := dotted(_summed(f))) in kept), "")
            if not name:
                continue
            at, of = added_up[name]
            counts = isinstance(by, ast.Call) and dotted(by.func) == "len"
            counts = counts and dotted(_counted(by, tree) or by) not in kept
            anew = dotted(by) in again and dotted(by) in added_up
            one = counts_batches(by, of, tree) or counts_samples(by, of, tree)
            if counts or anew or (one and dotted(by) not in added_up and by is not left):
                yield (
                    "never_reset",
                    at,
                    f"`{name}` is set to 0 before the loop over the rounds alone, and is divided "
                    f"by `{ast.unparse(by)}`, the number of one round: from the second round on "
                    "the figure is that of all rounds together and grows with each; set it to 0 at "
                    "the beginning of each round",
                )
                return
            counter = dotted(by) if dotted(by) in kept else dotted(_counted(by, tree) or by)
            told = _is_of_one_round(outer, node) and not _is_kept(tree, outer, {name, counter})
            if counter in kept and (anew_too or told):
                both = f"`{name}` and `{counter}` are" if counter != name else f"`{name}` is"
                other = f", and `{min(anew_too)}` in each of them" if anew_too else ""
                yield (
                    "never_reset",
                    at,
                    f"{both} set to 0 before the loop over the rounds alone{other}: this figure is "
                    "that of all rounds so far, the first and worst ones too; begin anew in each "
                    "round",
                )
                return
    yield from _metric_never_reset(tree)


def _means(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr, ast.expr]]:
    """Each `np.mean(losses)`, as a list over its own length."""
    for node in nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(attr="mean"), args=[ast.Name() | ast.Attribute() as of]
            ):
                yield node, of, of


_METRICS = ("torchmetrics", "torcheval")


def _metric_never_reset(tree: ast.Module) -> Found:
    """`metric.compute()` in each round of a library's metric that nothing resets."""
    imports = [n for n in walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    named = [
        n.module if isinstance(n, ast.ImportFrom) else a.name for n in imports for a in n.names
    ]
    if not any((n or "").startswith(_METRICS) for n in named) or "reset" in words(tree):
        return
    for outer in (n for n in loops(tree) if isinstance(n, ast.For)):
        below = inside(outer)
        again = {name for _, name, _ in assigned(outer)}
        fed = {
            dotted(c.func.value) for of in passes(tree) if of.loop in below and of.loop is not outer
            for c in calls_in(list(inside(of.loop)), "update") if isinstance(c.func, ast.Attribute)
        }  # fmt: skip
        for call in calls_in(list(below), "compute"):
            name = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            if name in fed - again and _is_of_one_round(outer, call):
                yield (
                    "never_reset",
                    call,
                    f"`{name}` keeps what it was given until `{name}.reset()` is called, and "
                    "nothing calls it: this figure is that of all rounds so far, the first and "
                    "worst ones too; reset it at the beginning of each round",
                )
                return


def _is_of_one_round(outer: ast.For, figure: ast.AST) -> bool:
    """Whether a figure is printed beside the number of the epoch."""
    numbers = {n.id for n in walk(outer.target) if isinstance(n, ast.Name)}
    given = {name for _, name, value in assigned(outer) if figure in walk(value)}
    return any("epoch" in n.lower() or n.lower() in ("ep", "e") for n in numbers) and any(
        isinstance(c, ast.Call)
        and tail(c) == "print"
        and numbers & words(c)
        and (figure in walk(c) or given & words(c))
        for c in inside(outer)
    )


def _is_kept(tree: ast.Module, outer: ast.For, names: set[str]) -> bool:
    """Whether one of these is read behind the rounds: then it is to hold all of them."""
    own = set(reached(outer, functions(tree)))
    return any(
        isinstance(n, ast.Name) and n.id in names and isinstance(n.ctx, ast.Load) and n not in own
        for n in walk(tree)
    )


RULES = (
    mean_over_samples,
    one_answer_of_all,
    figure_of_training,
    answers_in_another_order,
    never_reset,
)
