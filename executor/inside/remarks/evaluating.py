"""Find evaluations in the wrong mode, and outputs that are read along the wrong dimension."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.parts import HELD
from executor.inside.remarks.passes import held_by
from executor.inside.remarks.syntax import (
    LAYERS,
    Found,
    assigned,
    behind,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    is_without,
    last_along_one,
    loops,
    method_calls,
    methods_named,
    module_classes,
    optimizers,
    origins,
    outermost,
    owner,
    reached,
    tail,
    trained,
    walk,
    words,
)

_ACTS = ("Dropout", "BatchNorm", "SyncBatchNorm", "pretrained", "from_pretrained", "models")
_JUDGES = {"argmax", "item", "accuracy", "correct", "eq", "acc", "criterion", "loss_fn", "topk"}


def _acts(said: set[str]) -> bool:
    """Whether the code has layers that work otherwise in training, or a model from elsewhere."""
    by_hand = {"dropout", "training"} <= said  # `F.dropout(x, 0.5, self.training)`
    return by_hand or any(w.startswith(_ACTS[:3]) or w in _ACTS[3:] for w in said)


def _never_eval(tree: ast.Module) -> Found:
    """Weights are loaded, the model is called, nothing is trained, and eval() is never called."""
    said = words(tree)
    if said & {"eval", "train", "backward", "step", "fit", "requires_grad"}:
        return
    own = {c.name for c in module_classes(tree)} | LAYERS | {"Sequential"}
    own |= {f.name for f in functions(tree).values() if _gives_one_of(f, own)}
    plain = {
        name
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) in own and not _acts(said)
    }
    for load in method_calls(tree, "load_state_dict"):
        name = owner(load)
        if name in plain:  # all of it is here, and nothing in it works otherwise in training
            continue
        used = [
            n
            for n in walk(tree)
            if isinstance(n, ast.Call)
            and dotted(n.func) == name != ""
            and n.args
            and n.lineno > load.lineno
        ]
        if used:
            yield Told(
                "never_eval",
                used[0],
                f"`{name}.eval()` is called nowhere before this: a model is in training mode when "
                "it is made, and then its BatchNorm layers use the statistics of this one batch "
                "and its Dropout layers drop values, so that the outputs are wrong or the same for "
                f"all; call `{name}.eval()` after loading",
                (way("asked as it is used", add=added(f"{name}.eval()", load, after=True)),),
            )
            return


def _gives_one_of(function: ast.AST, made: set[str] | frozenset[str]) -> bool:
    """Whether all that a function returns is made by one of these."""
    given = [n.value for n in inside(function) if isinstance(n, ast.Return)]
    return bool(given) and all(isinstance(v, ast.Call) and callee(v) in made for v in given)


def validated_in_training(tree: ast.Module) -> Found:
    """A judgement without gradients of a model that is in training mode and never leaves it."""
    said = words(tree)
    if "backward" not in said or not _acts(said):
        return
    models = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    switched = {owner(c) for c in method_calls(tree, "eval")}
    if (not switched <= models and "eval" in said) or "" in switched:
        return  # by a function, or of a part: which model that is the text does not say
    models -= switched
    for node in walk(tree):
        match node:
            case ast.With(items=items) if any(is_without(i.context_expr) for i in items):
                pass
            case ast.FunctionDef(decorator_list=marks) if any(map(is_without, marks)):
                pass
            case ast.For() if _is_judging(node):
                pass
            case ast.Assign() if _is_of_held_out(node, models, tree):
                pass
            case _:
                continue
        below = list(inside(node))
        judged = {tail(n) for n in below} & _JUDGES or any(
            isinstance(n, ast.Compare) for n in below
        )
        judged = judged or isinstance(node, ast.Assign)
        called = [n for n in below if isinstance(n, ast.Call) and _is_one_of(n.func, models, tree)]
        if {"train", "eval"} & {tail(n) for n in below} or not judged or not called:
            continue
        name = dotted(called[0].func)
        made = [v for _, given, v in assigned(tree) if given == name and isinstance(v, ast.Call)]
        if made and all(tail(v) in LAYERS for v in made):
            continue  # a layer by itself, that is the same in both modes
        if not _acts_itself(name, tree) and (switched or module_classes(tree)):
            continue
        first = node.body[0] if isinstance(node, ast.FunctionDef) else node
        again = _trains_below(node, tree)
        back = added(f"{name}.train()", node, after=True) if first is node and again else []
        judged_so = "judged as it is used, in evaluation mode"
        yield Told(
            "validated_in_training",
            called[0],
            f"`{name}` is in training mode here: {_done_in_training(tree)}, so the result is noisy "
            f"and mostly worse than in use; call `{name}.eval()` before"
            f"{', and `.train()` after' if again else ''}",
            (way(judged_so, add=[*back, *added(f"{name}.eval()", first)]),),
        )


def _done_in_training(tree: ast.Module) -> str:
    """What the training mode does with the layers that the text names; both where it names none."""
    said = [w.lower() for w in words(tree)]
    drops = "Dropout drops values"
    counts = "BatchNorm uses (and changes) the statistics of these batches"
    named = [t for w, t in (("dropout", drops), ("batchnorm", counts)) if any(w in s for s in said)]
    return " and ".join(named or [drops, counts])


def _trains_below(node: ast.AST, tree: ast.Module) -> bool:
    """Whether training goes on after a statement: in a loop around it, or further down."""
    if node not in tree.body:
        return True
    trainers = {n for n, f in functions(tree).items() if "backward" in words(f)} | {"backward"}
    below = tree.body[tree.body.index(node) + 1 :]
    return any(isinstance(n, ast.Call) and tail(n) in trainers for s in below for n in walk(s))


def phases_in_training(tree: ast.Module) -> Found:
    """`model.train()` in each phase of a loop over "train" and "val"."""
    said = words(tree)
    if "eval" in said or not _acts(said):
        return
    switched = method_calls(tree, "train")
    if any(ast.unparse(a) != "True" for c in switched for a in (*c.args, *c.keywords)):
        return
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
        phase, below = dotted(first), list(inside(loop))
        asked = [n for n in below if isinstance(n, ast.Compare) and phase in words(n)]
        marks = {n.value for m in (loop.iter, *asked) for n in walk(m)
                 if isinstance(n, ast.Constant)}  # fmt: skip
        named = {"val", "valid", "validation", "test"} & marks or "items" in words(loop.iter)
        if not phase or "train" not in marks or not named:
            continue
        around = [outer for outer in loops(tree) if loop in set(inside(outer))]
        for call in switched:
            here = call in below
            if not here and not any(
                isinstance(s, ast.Expr) and s.value is call for outer in around for s in outer.body
            ):
                continue
            where = [n for n in below if isinstance(n, ast.If) and phase in words(n.test)]
            if any(call in walk(branch) for branch in where):
                continue
            name = owner(call)
            mode = f"{name}.train({phase} == 'train')"
            yield Told(
                "phases_in_training",
                call,
                f"this puts `{name}` into training mode for each phase, those of evaluation too: "
                f"there {_done_in_training(tree)}; write `{mode}` in the loop over the phases",
                (way("judged as it is used, in evaluation mode",
                     *([put(call, mode)] if here else []),
                     add=[] if here else added(mode, loop.body[0])),),
            )  # fmt: skip
            return


def fed_the_answer(tree: ast.Module) -> Found:
    """An evaluation that counts right answers of a decoder that is given the true ones."""
    for node in walk(tree):
        match node:
            case ast.With(items=items) if any(is_without(i.context_expr) for i in items):
                pass
            case ast.FunctionDef(decorator_list=marks) if any(map(is_without, marks)):
                pass
            case _:
                continue
        below = list(inside(node))
        if not {"argmax", "topk", "max"} & {tail(n) for n in below}:
            continue
        for keyword in (k for n in below if isinstance(n, ast.Call) for k in n.keywords):
            share = keyword.value
            always = share.value if isinstance(share, ast.Constant) else 0
            if keyword.arg is not None and "teacher_forc" in keyword.arg and always in (1, True):
                off = "False" if always is True else "0.0"
                yield Told(
                    "fed_the_answer",
                    share,
                    f"`{keyword.arg}={ast.unparse(share)}` gives the decoder the true previous "
                    "answer at each step, which it will not have when it is used: the share of "
                    f"right answers here is too high; evaluate with `{keyword.arg}={off}`",
                    (way("judged by what it says itself", put(share, off)),),
                )
                return


def _acts_itself(name: str, tree: ast.Module) -> bool:
    """Whether the text makes this very model with dropout or batch norm."""
    classes = {c.name: c for c in module_classes(tree)}
    made = held_by(ast.parse(name, mode="eval").body, tree)
    parts = [words(v) for v in made]
    parts += [words(classes[callee(v)]) for v in made
              if isinstance(v, ast.Call) and callee(v) in classes]  # fmt: skip
    return any(map(_acts, parts))


def teaches_in_training(tree: ast.Module) -> Found:
    """A model that was trained before and now only gives targets, still in training mode."""
    own = functions(tree)
    if not _acts(words(tree)):
        return
    models = {m for o in optimizers(tree).values() for m in trained(o, tree)}
    evaluated = {owner(c) for c in method_calls(tree, "eval")}
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        function = own.get(dotted(call.func))
        said = words(function) if function is not None else set()
        given = {dotted(a) for a in call.args}
        models |= given if {"backward", "parameters"} <= said else set()
        evaluated |= given if "eval" in said else set()
    for loop in outermost(tree):
        below = list(inside(loop))
        steps = {owner(c) for c in calls_in(below, "step")}
        students = {m for n, o in optimizers(tree).items() if n in steps for m in trained(o, tree)}
        if not students or not calls_in(below, "backward"):
            continue
        if any(loop in walk(function) for function in own.values()):
            continue  # who calls it may train in turns
        students |= {dotted(a) for c in below if isinstance(c, ast.Call) for a in c.args}
        for block in (n for n in below if isinstance(n, ast.With)):
            if not any(is_without(i.context_expr) for i in block.items):
                continue
            for call in (n for n in inside(block) if isinstance(n, ast.Call) and n.args):
                name = dotted(call.func)
                known = name in models - students - evaluated and "." not in name
                if known and _acts_itself(name, tree):
                    yield Told(
                        "teaches_in_training",
                        call,
                        f"`{name}` was trained before, only gives targets here, and is still in "
                        "training mode: its Dropout layers drop values and its BatchNorm layers "
                        "use (and change) the statistics of these batches, so that the targets are "
                        f"noisy; call `{name}.eval()` before this loop",
                        (way("targets without dropout", add=added(f"{name}.eval()", loop)),),
                    )
                    return


def _is_one_of(called: ast.expr, models: set[str], tree: ast.Module) -> bool:
    """Whether it is a trained model, also as what every call of a function hands over for it."""
    name = dotted(called)
    if name in models or (name.startswith("self.") and name.removeprefix("self.") in models):
        return True
    given = {dotted(v) for v in origins(tree).get(name, ())}
    return bool(given) and given <= models


def _is_of_held_out(node: ast.Assign, models: set[str], tree: ast.Module) -> bool:
    """`pred = model(x_test)`, of which no loss is computed that is trained on."""
    asked = [n for n in walk(node.value) if isinstance(n, ast.Call) and dotted(n.func) in models]
    devices = {name for _, name, value in assigned(tree) if tail(value) == "device"}
    given = {w for call in asked for a in call.args for w in words(a)} - devices
    if not any(map(HELD.search, given)):
        return False
    flows: dict[str, set[str]] = {}
    for made in (n for n in walk(tree) if isinstance(n, ast.Assign)):
        for name in _names_of(made):
            flows.setdefault(name, set()).update(words(made.value))
    back = {w for c in method_calls(tree, "backward") for w in words(c)}
    return not _names_of(node) & behind(back, flows)


def _names_of(made: ast.Assign) -> set[str]:
    """What an assignment binds, the parts of a pair too."""
    parts = [e for t in made.targets for e in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return {dotted(part) for part in parts} - {""}


def _is_judging(loop: ast.For) -> bool:
    """Whether a loop goes through data that are held out, and trains nothing."""
    return any(map(HELD.search, words(loop.iter))) and not {
        "backward", "step", "train", "TRAIN"
    } & {tail(n) for n in inside(loop)}  # fmt: skip


def _stays_in_eval(tree: ast.Module) -> Found:
    """eval() in a loop that trains, and nothing that switches back."""
    models = {m.rpartition(".")[2] for o in optimizers(tree).values() for m in trained(o, tree)}
    own = functions(tree)
    acts = _acts(words(tree))
    if not acts and module_classes(tree):
        return  # the mode decides nothing in it
    for loop in loops(tree) if models else ():
        below = reached(loop, own)
        switched = calls_in(below, "train")
        if not calls_in(below, "backward") or any(not _is_off(c) for c in switched):
            continue
        made = {
            dotted(t) for n in below if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)
            for t in n.targets
        }  # fmt: skip
        for call in (*calls_in(below, "eval"), *switched):
            name = owner(call)
            if name in made:
                continue  # each round has a model of its own
            given = {dotted(v).rpartition(".")[2] for v in origins(tree).get(name, ())} - {""}
            if given <= models if given else name.rpartition(".")[2] in models:
                whose = "its" if acts else "where it has them, its"
                yield (
                    "stays_in_eval",
                    call,
                    f"nothing in this loop calls `{name}.train()` after this: from here on it is "
                    f"trained in eval mode; {whose} Dropout layers drop nothing and its BatchNorm "
                    f"layers learn no statistics; call `{name}.train()` before it goes on",
                )
                return


def _is_off(call: ast.Call) -> bool:
    """`model.train(False)`."""
    return [ast.unparse(a) for a in (*call.args, *(k.value for k in call.keywords))] == ["False"]


def _traced(tree: ast.Module) -> Found:
    """A model that is traced in training mode."""
    traces = [
        n for n in walk(tree)
        if isinstance(n, ast.Call) and dotted(n.func) == "torch.jit.trace" and n.args
    ]  # fmt: skip
    evaluated = {owner(c) for c in method_calls(tree, "eval")}
    if not _acts(words(tree)) or evaluated - {dotted(n.args[0]) for n in traces}:
        return
    for node in traces:
        if dotted(node.args[0]) not in evaluated:
            model = dotted(node.args[0]) or "model"
            mode = way("traced as it is used", add=added(f"{model}.eval()", node))
            yield Told(
                "traced_in_training",
                node,
                "the trace keeps the mode that the model is in, and eval() is called nowhere: "
                "Dropout and BatchNorm would work as in training for ever; call "
                f"`{model}.eval()` before",
                (mode,) if dotted(node.args[0]) else (),
            )


def _last_of_batch(tree: ast.Module) -> Found:
    """`out[:, -1]` of a recurrent layer whose first dimension is the time."""
    for module in module_classes(tree):
        first: set[str] = set()
        for _, name, value in assigned(module):
            if isinstance(value, ast.Call) and callee(value) in ("LSTM", "GRU", "RNN"):
                settings = {k.arg for k in value.keywords}
                if "batch_first" not in settings and None not in settings and len(value.args) < 5:
                    first.add(name)
        for forward in methods_named(module, "forward"):
            turned = {"permute", "transpose", "t", "swapaxes", "movedim", "T", "stack"}
            if words(forward) & turned:
                continue
            outputs = {
                dotted(node.targets[0].elts[0])
                for node in walk(forward)
                if isinstance(node, ast.Assign)
                and isinstance(node.targets[0], ast.Tuple)
                and node.targets[0].elts
                and isinstance(node.value, ast.Call)
                and dotted(node.value.func) in first
            }
            for node in walk(forward):
                name, _ = last_along_one(node)
                if name in outputs:
                    yield (
                        "last_of_batch",
                        node,
                        "without `batch_first=True` this layer takes dimension 0 of its input "
                        f"for time and dimension 1 for samples: `{name}[:, -1]` is no last "
                        "time step of its; where the input is [batch, time, features], make "
                        "the layer with `batch_first=True`",
                    )


def _workers_on_gpu(tree: ast.Module) -> Found:
    """Tensors moved to the GPU in what worker processes run: a Dataset, or a collate_fn.

    Without a loader in the text it is told only to those who speak of workers.
    """
    calls = [n for n in walk(tree) if isinstance(n, ast.Call)]
    given = [k for n in calls for k in n.keywords]
    counts = [k.value for k in given if k.arg == "num_workers"]
    if counts and all(isinstance(n, ast.Constant) and not n.value for n in counts):
        return
    kind = "workers_on_gpu" if counts else "workers_elsewhere_on_gpu"
    collates = {dotted(k.value).rpartition(".")[2] for k in given if k.arg == "collate_fn"}
    for function in walk(tree):
        if not isinstance(function, ast.FunctionDef) or not (
            function.name in {"__getitem__", *collates} or "collate" in function.name
        ):
            continue
        moves = calls_in(list(inside(function)), "cuda") + [
            c for c in calls_in(list(inside(function)), "to") if "device" in words(c)
        ]
        for move in moves[:1]:
            yield (
                kind,
                move,
                f"worker processes (num_workers) call `{function.name}`, and a forked process "
                "cannot use the GPU: return CPU tensors here, and move each batch in the training "
                "loop (`pin_memory=True` in the DataLoader makes that fast)",
            )


RULES = (
    phases_in_training,
    fed_the_answer,
    teaches_in_training,
    _never_eval,
    _stays_in_eval,
    validated_in_training,
    _last_of_batch,
    _traced,
    _workers_on_gpu,
)
