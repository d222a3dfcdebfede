"""Find what starts anew in each round of a loop, or is kept from one round to the next."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection

from executor.inside.remarks.edits import Told, moved, put, way
from executor.inside.remarks.passes import passes
from executor.inside.remarks.scores import choices, stored
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    bare,
    behind,
    callee,
    calls_in,
    defaults,
    dotted,
    factors,
    functions,
    grown,
    handed,
    inside,
    is_layer,
    is_model,
    is_named,
    is_optimizer,
    is_read,
    is_step,
    is_without,
    last_value,
    loops,
    method_calls,
    optimizers,
    owner,
    reached,
    rebound,
    says,
    stepped,
    tail,
    trained,
    walk,
    words,
)
from executor.inside.remarks.whole import stands_alone
from executor.inside.walking import kept_by_node


def each_epoch(tree: ast.Module) -> Found:
    """What starts all over in every epoch: the model, the optimizer, the random numbers."""
    held = optimizers(tree)
    models = {m for call in held.values() for m in trained(call, tree)}
    own = functions(tree)
    steps = [(stepped(c), c) for c in method_calls(tree, "step")]
    for loop in loops(tree):
        yield from _seeded_within(loop, own, tree)
        if not isinstance(loop, ast.For) or not calls_in(reached(loop, own), "backward"):
            continue
        same = _goes_over_the_same(loop, tree)
        said = _is_over_epochs(loop) or (same and dotted(loop.target) in ("e", "ep"))
        is_epoch = said or same
        yield from _optimizer_within(loop, own, tree) if is_epoch else ()
        for statement in loop.body:
            match statement:
                case ast.Expr(value=ast.Call() as call) if _seeds(call, own, tree) and (
                    is_epoch or _goes_through(loop, held, tree)
                ):
                    yield Told(
                        "seeded_each_epoch",
                        call,
                        "the random numbers start anew in each epoch: the same order of the "
                        "samples, the same dropout, the same augmentation; seed once, before the "
                        "loop",
                        (moved(_ONCE, statement, by=loop),),
                    )
                case ast.Assign(targets=[target], value=ast.Call() as value) if (
                    said
                    and dotted(target) in models
                    and isinstance(made := bare(value), ast.Call)
                    and (is_model(made, tree) or is_layer(made))
                    and not any(
                        name in held and dotted(target) not in trained(held[name], tree)
                        for name, step in steps
                        if step in walk(loop)
                    )  # else that one learns over the epochs
                ):
                    yield Told(
                        "made_each_epoch",
                        statement,
                        f"`{dotted(target)}` is made anew, with new random weights, in each "
                        "epoch: what the epochs before have learned is lost; make it once, before "
                        "the loop",
                        (moved(_ONCE, *_with_optimizers(tree, loop, statement), by=loop),),
                    )
                case ast.Assign(targets=[target], value=ast.Call() as value) if (
                    is_epoch
                    and is_optimizer(value)
                    and _averages(value)
                    and not words(value) & rebound(loop)
                    and _trains_within(loop, tree)
                ):
                    yield Told(
                        "optimizer_each_epoch",
                        statement,
                        f"`{dotted(target)}` is made anew in each epoch: what it averages over the "
                        "steps starts from nothing each time; make it once, before the loop",
                        (moved(_ONCE, statement, *_schedules(loop, dotted(target)), by=loop),),
                    )  # fmt: skip


def _goes_over_the_same(loop: ast.For, tree: ast.Module) -> bool:
    """`for e in range(9)` whose rounds all train on batches of the same data, and are no trials."""
    counts = isinstance(loop.iter, ast.Call) and tail(loop.iter) in ("range", "trange")
    names = rebound(loop)
    own = functions(tree)
    inner = set(reached(loop, own))
    return (
        counts
        and not says(loop, _TRIAL)
        and not is_read(dotted(loop.target), ast.Module(_without_prints(loop.body), []))
        and any(
            of.loop in inner
            and of.loop is not loop
            and calls_in(list(inside(of.loop)), "backward")
            and not words(of.over) & names
            for of in passes(tree)
        )
    )


def _without_prints(body: list[ast.stmt]) -> list[ast.stmt]:
    return [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
                                    and tail(s.value) == "print")]  # fmt: skip


def _optimizer_within(loop: ast.For, own: dict[str, ast.FunctionDef], tree: ast.Module) -> Found:
    """A function that trains for one epoch, and makes the optimizer of a model that it is given."""
    for call in (n for n in inside(loop) if isinstance(n, ast.Call) and tail(n) in own):
        function = own[tail(call)]
        given = {a.arg for a in function.args.args}
        over_batches = [of for of in passes(tree) if of.loop in set(inside(function))]
        once = len(over_batches) == 1 and over_batches[0].loop in function.body
        if not once or not calls_in(list(inside(over_batches[0].loop)), "backward"):
            continue
        if {dotted(a) for a in call.args} & rebound(loop):
            continue  # each round has a model of its own
        for node, name, value in assigned(function):
            if not (isinstance(value, ast.Call) and is_optimizer(value) and _averages(value)):
                continue
            if node in function.body and trained(value, function) & (given | set(own)) - {name}:
                yield (
                    "optimizer_each_epoch",
                    node,
                    f"`{function.name}` runs once in each epoch, and `{name}` is made anew in it: "
                    "what it averages over the steps starts from nothing each time; make it once, "
                    "before the loop, and give it to the function",
                )


def _schedules(loop: ast.For, optimizer: str) -> list[ast.stmt]:
    """The schedulers that are made there for an optimizer: they begin anew with it."""
    return [
        s
        for s in loop.body
        if isinstance(s, ast.Assign)
        and isinstance(s.value, ast.Call)
        and ("lr_scheduler" in words(s.value) or callee(s.value).endswith(("LR", "Scheduler")))
        and optimizer in words(s.value)
    ]


def seeded_each_sample(tree: ast.Module) -> Found:
    """A data set that seeds by the same number before it draws for a sample; or one of batches."""
    yield from _seeded_batches(tree)
    own = functions(tree)
    for method in (f for n, f in own.items() if n == "__getitem__"):
        drawn = any(
            isinstance(n, ast.Call) and re.match(r"rand|normal|uniform|choice|bernoulli", tail(n))
            for n in inside(method)
        )
        for statement in method.body if drawn else ():
            match statement:
                case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if (
                    _seeds(call, own, tree) or _is_seeded(call)
                ):
                    yield Told(
                        "seeded_each_sample",
                        call,
                        "the random numbers start anew at each sample: all samples of all epochs "
                        "get the very same noise or augmentation; seed once, before the training",
                    )
                    return


def _seeded_batches(tree: ast.Module) -> Found:
    """A function that draws a batch, or its noise, for each step, and seeds first."""
    own = functions(tree)
    for loop in loops(tree):
        steps = [s for s in loop.body if not isinstance(s, ast.For | ast.While)]
        if not any(calls_in(list(inside(s)), "backward") for s in steps):
            continue
        for call in (n for s in steps for n in walk(s) if isinstance(n, ast.Call)):
            function = own.get(dotted(call.func))
            if function is None or not _draws_batches(function):
                continue
            given = {**dict(defaults(function)), **dict(handed(call, function))}
            if (statement := _seeds_alike(function, given, tree)) is not None:
                yield Told(
                    "seeded_each_sample",
                    statement,
                    f"`{function.name}` is called for each step, and the random numbers start anew "
                    "in it: what it draws is the very same each time; seed once, before the "
                    "training",
                )
                return


_OF_BATCHES = re.compile(
    r"(?i)batch|nois[ey]|augment|jitter|perturb|corrupt|sample|draw|simulat|generate"
)
_DRAWS = re.compile(r"rand|normal|uniform|choice|bernoulli|poisson")
# The generator is put back, what is drawn is a projection, or a figure of the model.
_OTHERWISE = {"fork_rng", "set_rng_state", "get_rng_state", "no_grad", "eval", "matmul", "einsum"}


def _draws_batches(function: ast.FunctionDef) -> bool:
    """Whether it draws something new, and by its name not the data of the whole training."""
    drawn = any(isinstance(n, ast.Call) and _DRAWS.match(tail(n)) for n in inside(function))
    projects = any(isinstance(n, ast.MatMult) for n in walk(function))
    named = _OF_BATCHES.search(function.name) and not re.search(r"(?i)data", function.name)
    return bool(named and drawn and not projects and not words(function) & _OTHERWISE)


def _seeds_alike(
    function: ast.FunctionDef, given: dict[str, ast.expr], tree: ast.Module, deep: int = 2
) -> ast.stmt | None:
    """The statement by which it seeds, by a number that what it is given does not change."""
    own = functions(tree)
    for statement in function.body:
        match statement:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
                pass
            case _:
                continue
        told = [given.get(dotted(a), a) for a in (*call.args, *(k.value for k in call.keywords))]
        if tail(call) in ("manual_seed", "RandomState", "default_rng") or (
            dotted(call.func) in _NUMPYS
        ):
            fixed = [v for a in told for v in _fixed(a, tree)]
            if fixed and all(isinstance(v, ast.Constant) and v.value is not None for v in fixed):
                return statement
        elif (inner := own.get(dotted(call.func))) is not None and deep:
            passed = [(n, given.get(dotted(v), v)) for n, v in handed(call, inner)]
            if _seeds_alike(inner, {**dict(defaults(inner)), **dict(passed)}, tree, deep - 1):
                return statement
    return None


def _is_seeded(call: ast.Call) -> bool:
    """`np.random.RandomState(0)`, `np.random.default_rng(seed=0)`."""
    given = [*call.args, *(k.value for k in call.keywords)]
    fixed = all(isinstance(a, ast.Constant) and a.value is not None for a in given)
    return bool(given) and fixed and tail(call) in ("RandomState", "default_rng")


_NUMPYS = ("np.random.seed", "numpy.random.seed", "random.seed")


def _seeds(call: ast.Call, own: dict[str, ast.FunctionDef], tree: ast.Module) -> bool:
    """Whether a call seeds the random numbers by the same number each time."""
    given = [v for a in (*call.args, *(k.value for k in call.keywords)) for v in _fixed(a, tree)]
    if not all(isinstance(a, ast.Constant) for a in given):
        return False
    if tail(call) == "manual_seed" or dotted(call.func) in _NUMPYS:
        return bool(given)
    function = own.get(dotted(call.func))
    return function is not None and any(
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and tail(s.value) == "manual_seed"
        and not any(isinstance(n, ast.Call) for a in s.value.args for n in walk(a))
        for s in function.body
    )  # fmt: skip


def _fixed(node: ast.expr, tree: ast.Module) -> list[ast.expr]:
    """What a seed is by the text; a setting that nothing changes counts as a number."""
    name = dotted(node)
    stored = [dotted(n) for n in walk(tree) if isinstance(getattr(n, "ctx", None), ast.Store)]
    stored += [n.arg for n in walk(tree) if isinstance(n, ast.arg)]
    if isinstance(node, ast.Attribute) and "seed" in node.attr and name not in stored:
        return [node if tail(node.value) == "self" else ast.Constant(value=node.attr)]
    given = [v for _, n, v in assigned(tree) if n == name]
    return given if len(given) == stored.count(name) == 1 else [node]


def _seeded_within(
    loop: ast.For | ast.While, own: dict[str, ast.FunctionDef], tree: ast.Module
) -> Found:
    """A function that trains for one epoch, and seeds first of all."""
    if not isinstance(loop, ast.For) or not _is_over_epochs(loop):
        return
    for name in {dotted(n.func) for n in inside(loop) if isinstance(n, ast.Call)} & own.keys():
        function = own[name]
        if not calls_in(list(inside(function)), "backward") or not _goes_on(function, loop):
            continue
        for statement in function.body:
            match statement:
                case ast.Expr(value=ast.Call() as call) if _seeds(call, own, tree):
                    yield Told(
                        "seeded_each_epoch",
                        call,
                        f"`{name}` runs once in each epoch, and the random numbers start anew in "
                        "it: the same order of the samples, the same dropout, the same "
                        "augmentation each time; seed once, before the loop",
                        (moved(_ONCE, statement, by=loop),),
                    )


def _is_over_epochs(loop: ast.For) -> bool:
    """`for epoch in …`, `for i in range(n_epochs)`; not over several numbers of epochs."""
    said = ast.unparse(loop.iter) if words(loop.iter) & {"range", "trange"} else ""
    listed = isinstance(loop.iter, ast.List | ast.Tuple)
    return not listed and "epoch" in f"{dotted(loop.target)} {said}".lower()


def _goes_on(function: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether it trains what it is given, and makes no model and no loop over epochs itself."""
    return not any(is_optimizer(n) for n in walk(function)) and loop not in walk(function)


def _with_optimizers(tree: ast.Module, loop: ast.For, made: ast.Assign) -> list[ast.stmt]:
    """The statement that makes a model, and those that make optimizers of it in the same loop."""
    name = dotted(made.targets[0])
    return [
        s
        for s in loop.body
        if s is made
        or (isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
            and is_optimizer(s.value) and name in trained(s.value, tree))
    ]  # fmt: skip


_ONCE = "once, before the loop over the epochs"


def _averages(made: ast.Call) -> bool:
    """Whether an optimizer keeps something from step to step."""
    return callee(made) != "SGD" or any(k.arg in ("momentum", None) for k in made.keywords)


def _goes_through(loop: ast.For, held: Collection[str], tree: ast.Module) -> bool:
    """Whether it goes through the data again and again, with what was made before it.

    Its rounds are no trials: an inner loop trains, and no optimizer is made anew in them, nor in a
    function that they call.
    """
    inner = {dotted(n.target).lower() for n in inside(loop) if isinstance(n, ast.For)}
    trials = any("epoch" in name for name in inner) or says(loop.target, _TRIAL)
    trains = _trains_within(loop, tree)
    makes = any(is_optimizer(n) for n in reached(loop, functions(tree)))
    return not trials and trains and bool(held) and not makes


_TRIAL = re.compile(r"(?i)seed|trial|(^|_)run|fold|repeat|experiment|config")


def _trains_within(loop: ast.For, tree: ast.Module) -> bool:
    """Whether an inner loop trains."""
    own = functions(tree)
    inner = (n for n in reached(loop, own) if isinstance(n, ast.For | ast.While))
    return any(calls_in(list(inside(n)), "backward") for n in inner)


def state_not_copied(tree: ast.Module) -> Found:
    """The best weights kept as a reference: the next step changes them too."""
    loaded = {dotted(a) for c in method_calls(tree, "load_state_dict") for a in c.args}
    scopes: list[ast.AST] = [
        loop for loop in loops(tree)
        if any((isinstance(n, ast.Call) and tail(n) == "step") or _trains_elsewhere(n)
               for n in inside(loop))
    ]  # fmt: skip
    if "backward" in words(tree):  # what a class keeps, the loop goes on behind
        scopes += [m for c in walk(tree) if isinstance(c, ast.ClassDef) for m in c.body]
    told = set[ast.AST]()
    models = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    better = {n for c in choices(tree) for s in c.arm for n in (s, *inside(s))}
    for scope in scopes:
        for branch in (n for n in inside(scope) if isinstance(n, ast.If)):
            at_once = any(
                isinstance(n, ast.Break) or (isinstance(n, ast.Call) and "save" in tail(n))
                for n in inside(branch)
            )
            for node, name, value in stored(branch) if not at_once else ():
                of = _uncopied(value, tree)
                if of.partition(".")[0] in rebound(scope) - {"self"}:
                    continue  # each round has a model of its own
                model = dotted(value)
                if model in models - rebound(scope) and "best" in name.lower():
                    told.add(node)
                    yield (
                        "state_not_copied",
                        node,
                        f"`{name}` is `{model}` itself under another name: each later step changes "
                        f"both; write `{name} = copy.deepcopy({model})`",
                    )
                in_loop = isinstance(scope, ast.For | ast.While)
                if node in told or not of or is_named(of):
                    continue
                is_best = "best" in name.lower() or node in better
                if not is_best and not (in_loop and name in loaded):
                    continue
                if name in _filled(tree) or not _is_kept_for(name, tree):
                    continue
                told.add(node)
                yield (
                    "state_not_copied",
                    node,
                    f"{'state_dict() returns' if 'state_dict' in words(value) else 'these are'} "
                    "the weights themselves, no copy: each later step "
                    f"changes `{name}` too, and in the end it holds the last weights; write "
                    f"`copy.deepcopy({of}.state_dict())`",
                )


def _is_kept_for(name: str, tree: ast.AST) -> bool:
    """Whether anything takes it: of another object's what it is for stands elsewhere, perhaps."""
    return not name.isidentifier() or is_read(name, tree)


@kept_by_node
def _filled(tree: ast.AST) -> set[str]:
    """The names of which entries are replaced: a state that is made to be loaded, kept for none."""
    stored = {
        dotted(n.value)
        for n in walk(tree)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
    }
    return stored | {owner(c) for c in method_calls(tree, "update")}


def _uncopied(value: ast.expr, tree: ast.AST) -> str:
    """The model whose weights a value is, or holds in a list or dictionary that copies none."""
    match value:
        case ast.Call(func=ast.Attribute(value=of, attr="state_dict")):
            return dotted(of)
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="copy"), args=[]):
            return _uncopied(inner, tree)
        case ast.Call(args=[inner]) if dotted(value.func) in ("dict", "OrderedDict", "copy.copy"):
            return _uncopied(inner, tree)
        case ast.DictComp(value=ast.Name(), generators=[part]) if isinstance(part.iter, ast.Call):
            of = part.iter.func
            items = isinstance(of, ast.Attribute) and of.attr == "items"
            return _uncopied(of.value, tree) if items else ""  # type: ignore[attr-defined]
        case ast.ListComp(
            elt=ast.Name() | ast.Attribute(value=ast.Name(), attr="data"),
            generators=[ast.comprehension(iter=ast.Call() as over)],
        ) if tail(over) == "parameters":
            return owner(over)
        case ast.Dict(values=parts):
            return next(filter(None, (_uncopied(p, tree) for p in parts)), "")
        case ast.Call(args=[ast.Name() | ast.Attribute() as model]) if (
            function := functions(tree).get(tail(value))
        ) is not None:
            given = last_value(function)
            of_first = given is not None and _uncopied(given, ast.Module([], []))
            return dotted(model) if [of_first] == [a.arg for a in function.args.args[:1]] else ""
    return ""


def _trains_elsewhere(node: ast.AST) -> bool:
    """`train_one_epoch(model, loader)`: a function that by its name takes the steps."""
    return isinstance(node, ast.Call) and re.match(r"_?(train|fit)(_|$)", callee(node)) is not None


def _numbers(loop: ast.AST) -> set[str]:
    """What is read off a tensor there: `loss = loss.item()`."""
    found: set[str] = set()
    for _, name, value in assigned(loop):
        while isinstance(value, ast.BinOp):
            value = value.left
        if tail(value) in ("item", "detach", "float", "tolist", "numpy", "data"):
            found.add(name)
    return found


def _graph_kept(tree: ast.Module) -> Found:
    started = {dotted(c.func).rpartition(".")[0] for c in method_calls(tree, "backward")}
    given_back = [m for n in walk(tree) if isinstance(n, ast.Return) for m in walk(n)]
    numbers = {id(m.value) for m in given_back if isinstance(m, ast.Attribute) and m.attr == "item"}
    started |= {m.id for m in given_back if isinstance(m, ast.Name) and id(m) not in numbers}
    # What only a tensor has: a number would have no place there.
    started |= {owner(c) for kept in ("clone", "detach") for c in method_calls(tree, kept)}
    off = {
        below
        for n in walk(tree)
        if isinstance(n, ast.With) and any(map(is_without, (i.context_expr for i in n.items)))
        for below in walk(n)
    }
    flows: dict[str, set[str]] = {}
    for _, of, value in assigned(tree):
        flows.setdefault(of, set()).update(words(value))
    # A part of the loss keeps nothing that the loss does not.
    started |= behind({w for c in method_calls(tree, "backward") for w in words(c)}, flows)
    read_off = {w for c in method_calls(tree, "item") for w in words(c.func)}
    for loop in loops(tree):
        back = {w for c in method_calls(loop, "backward") for w in words(c)}
        if loop in off:
            continue
        trained = behind(back, flows)  # where nothing goes back, gradients may be off
        some = {n for branch in inside(loop) if isinstance(branch, ast.If) for n in walk(branch)}
        started_anew = {name for _, name, value in assigned(loop) if name not in words(value)}
        for name, value, node in grown(walk(loop)):
            if name in started | started_anew or node in some or node in off:
                continue  # it goes back, here or where it is returned to
            losses = [
                f.id for f in factors(value)
                if isinstance(f, ast.Name) and f.id.lower().endswith("loss")
            ]  # fmt: skip
            if losses and losses[0] in trained - _numbers(loop):
                place = node.target if isinstance(node, ast.AugAssign) else node
                sum_of = name or ast.unparse(place)
                # Of a number nothing could be read off any more.
                better = "values alone" if name in read_off else "numbers"
                how = "detach" if name in read_off else "item"
                yield (
                    "graph_kept",
                    node,
                    f"`{sum_of}` keeps the graph of every round, and with it memory; add up "
                    f"{better}: `{losses[0]}.{how}()`",
                )


def _lost_by_loading(tree: ast.Module) -> Found:
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[target],
                value=ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict")),
            ) if dotted(target) == dotted(owner) != "":
                yield Told(
                    "lost_by_loading",
                    node,
                    f"load_state_dict changes `{dotted(owner)}` and returns something else (a "
                    "report, or None): after this line the name holds no model or optimizer any "
                    "more; do not assign it",
                    (way(f"`{dotted(owner)}` stays what it is", put(node, node.value)),),
                )
    loaded = {
        name for _, name, v in assigned(tree) if isinstance(v, ast.Call) and callee(v) == "load"
    }
    keys = [
        key for held in walk(tree) if isinstance(held, ast.Dict)
        for key, v in zip(held.keys, held.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(v, ast.Call) and tail(v) == "state_dict"
    ]  # fmt: skip
    for node in walk(tree):
        match node:
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(value=owner, attr="state_dict"), args=[ast.Name() as given]
                )
            ) if given.id in loaded and dotted(owner):
                entry = f"[{keys[0].value!r}]" if keys else ""
                new = put(node, owner, ".load_state_dict(", given, f"{entry})")
                yield Told(
                    "lost_by_loading",
                    node,
                    f"`state_dict` reads the weights of `{dotted(owner)}`, and takes none: what "
                    "was loaded goes nowhere; "
                    f"`{dotted(owner)}.load_state_dict({given.id}{entry})`",
                    (way(f"the weights come into `{dotted(owner)}`", new),)
                    if len(keys) < 2
                    else (),
                )


def _carried(tree: ast.Module) -> Found:
    """A state that each round gets from the one before, in code that never goes back through it."""
    said = words(tree)
    if said & {"backward", "no_grad", "detach", "detach_", "data", "inference_mode", "fit", "step"}:
        return
    if "set_grad_enabled" in said or not said & {"nn", "torch"}:
        return
    for loop in loops(tree):
        for node in inside(loop):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=[_, *states])], value=ast.Call() as call):
                    given = {dotted(a) for a in call.args}
                    kept = [dotted(s) for s in states if dotted(s) in given - {""}]
                    if kept and isinstance(loop, ast.While):
                        yield (
                            "carried",
                            node,
                            f"`{kept[0]}` comes out of one round and goes into the next, with the "
                            "graph of all rounds behind it: memory grows with each; run it under "
                            f"`torch.no_grad()`, or write `{kept[0]} = {kept[0]}.detach()`",
                        )


_SCHEDULES = {
    "StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "ReduceLROnPlateau",
    "OneCycleLR", "LambdaLR", "CosineAnnealingWarmRestarts", "LinearLR", "CyclicLR", "PolynomialLR",
}  # fmt: skip


def _scheduler_idle(tree: ast.Module) -> Found:
    """A learning-rate schedule that is made and never moves."""
    made = {
        name: (node, value)
        for node, name, value in assigned(tree)
        if isinstance(value, ast.Call)
        and ("lr_scheduler" in dotted(value.func) or callee(value) in _SCHEDULES)
    }
    everything = list(walk(tree))
    steps = {stepped(c) for c in calls_in(everything, "step") if is_step(c, optimizers(tree))}
    used = {dotted(n) for n in everything if isinstance(n, (ast.Name, ast.Attribute))}
    for name, (node, made_by) in made.items():
        loads = [
            n
            for n in everything
            if isinstance(n, (ast.Name, ast.Attribute))
            and isinstance(n.ctx, ast.Load)
            # An attribute may be reached through another object: `self.config.scheduler`.
            and (dotted(n) == name or f".{dotted(n)}".endswith(f".{name.rpartition('self.')[2]}"))
        ]
        optimizer = argument(made_by, 0, "optimizer")
        if optimizer is None or dotted(optimizer) not in steps:
            continue  # where it steps was not posted, nor what moves the rate
        if name in used and not loads and ("." not in name or stands_alone(tree)):
            waits = tail(made_by) == "ReduceLROnPlateau"
            step = f"{name}.step(loss)" if waits else f"{name}.step()"
            when = "" if waits else " (or after each step, as the schedule is meant)"
            yield (
                "scheduler_idle",
                node,
                f"`{name}` is made and never used: the learning rate stays as it is; call "
                f"`{step}` after each epoch{when}",
            )


RULES = (
    each_epoch,
    seeded_each_sample,
    state_not_copied,
    _lost_by_loading,
    _carried,
    _graph_kept,
    _scheduler_idle,
)
