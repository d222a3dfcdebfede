"""Find evaluations in the wrong mode, and outputs that are read along the wrong dimension."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    LAYERS,
    Found,
    assigned,
    callee,
    calls_in,
    dotted,
    functions,
    inside,
    last_along_one,
    loops,
    method_calls,
    methods_named,
    module_classes,
    optimizers,
    outermost,
    owner,
    tail,
    trained,
    walk,
    words,
)

_ACTS = ("Dropout", "BatchNorm", "SyncBatchNorm", "pretrained", "from_pretrained", "models")
_JUDGES = {"argmax", "item", "accuracy", "correct", "eq", "acc", "criterion", "loss_fn", "topk"}


def _acts(said: set[str]) -> bool:
    """Whether the code has layers that work otherwise in training, or a model from elsewhere."""
    return any(w.startswith(_ACTS[:3]) or w in _ACTS[3:] for w in said)


def _never_eval(tree: ast.Module) -> Found:
    """Weights are loaded, the model is called, nothing is trained, and eval() is never called."""
    said = words(tree)
    if said & {"eval", "train", "backward", "step", "fit", "requires_grad"}:
        return
    own = {c.name for c in module_classes(tree)} | LAYERS | {"Sequential"}
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
            yield (
                "never_eval",
                used[0],
                f"`{name}.eval()` is called nowhere before this: a model is in training mode when "
                "it is made, and then its BatchNorm layers use the statistics of this one batch "
                "and its Dropout layers drop values, so that the outputs are wrong or the same for "
                f"all; call `{name}.eval()` after loading",
            )
            return


def validated_in_training(tree: ast.Module) -> Found:
    """A judgement without gradients of a model that is in training mode and never leaves it."""
    said = words(tree)
    if "backward" not in said or not _acts(said):
        return
    models = {m for o in optimizers(tree).values() for m in trained(o)}
    switched = {owner(c) for c in method_calls(tree, "eval")}
    if (not switched <= models and "eval" in said) or "" in switched:
        return  # by a function, or of a part: which model that is the text does not say
    models -= switched
    for node in walk(tree):
        match node:
            case ast.With(items=items) if any(_is_without(i.context_expr) for i in items):
                pass
            case ast.FunctionDef(decorator_list=marks) if any(map(_is_without, marks)):
                pass
            case _:
                continue
        below = list(inside(node))
        judged = {tail(n) for n in below} & _JUDGES or any(
            isinstance(n, ast.Compare) for n in below
        )
        known = models | _handed_over(tree, node, models)
        called = [n for n in below if isinstance(n, ast.Call) and _is_model(n, known)]
        if {"train", "eval"} & {tail(n) for n in below} or not judged or not called:
            continue
        name = dotted(called[0].func)
        if switched and not _acts_itself(name, tree):
            continue
        first = node if isinstance(node, ast.With) else node.body[0]
        back = added(f"{name}.train()", node, after=True) if first is node else []
        judged_so = "judged as it is used, without dropout"
        yield Told(
            "validated_in_training",
            called[0],
            f"`{name}` is in training mode here: Dropout drops values and BatchNorm uses (and "
            "changes) the statistics of these batches, so the result is noisy and too low; call "
            f"`{name}.eval()` before, and `.train()` after",
            (way(judged_so, add=[*back, *added(f"{name}.eval()", first)]),),
        )


def phases_in_training(tree: ast.Module) -> Found:
    """`model.train()` in each phase of a loop over "train" and "val"."""
    said = words(tree)
    if "eval" in said or not _acts(said):
        return
    switched = method_calls(tree, "train")
    if any(c.args or c.keywords for c in switched):
        return
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        phase = dotted(loop.target)
        marks = {n.value for n in walk(loop.iter) if isinstance(n, ast.Constant)}
        if not phase or "train" not in marks or not marks & {"val", "valid", "validation", "test"}:
            continue
        for call in (c for c in switched if any(c is n for n in inside(loop))):
            where = [n for n in inside(loop) if isinstance(n, ast.If) and phase in words(n.test)]
            if any(call in walk(branch) for branch in where):
                continue
            name = owner(call)
            yield Told(
                "phases_in_training",
                call,
                f"this puts `{name}` into training mode in each phase, those of evaluation too: "
                "there Dropout drops values and BatchNorm uses (and changes) the statistics of "
                f"these batches; write `{name}.train({phase} == 'train')`",
                (way("judged as it is used, without dropout",
                     put(call, call.func, f"({phase} == 'train')")),),
            )  # fmt: skip
            return


def fed_the_answer(tree: ast.Module) -> Found:
    """An evaluation that counts right answers of a decoder that is given the true ones."""
    for node in walk(tree):
        match node:
            case ast.With(items=items) if any(_is_without(i.context_expr) for i in items):
                pass
            case ast.FunctionDef(decorator_list=marks) if any(map(_is_without, marks)):
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
    made = [value for _, given, value in assigned(tree) if given == name]
    classes = {c.name: c for c in module_classes(tree)}
    parts = [words(v) for v in made]
    parts += [words(classes[callee(v)]) for v in made
              if isinstance(v, ast.Call) and callee(v) in classes]  # fmt: skip
    return any(map(_acts, parts))


def teaches_in_training(tree: ast.Module) -> Found:
    """A model that was trained before and now only gives targets, still in training mode."""
    own = functions(tree)
    if not _acts(words(tree)):
        return
    models = {m for o in optimizers(tree).values() for m in trained(o)}
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
        students = {m for n, o in optimizers(tree).items() if n in steps for m in trained(o)}
        if not students or not calls_in(below, "backward"):
            continue
        if any(loop in walk(function) for function in own.values()):
            continue  # who calls it may train in turns
        students |= {dotted(a) for c in below if isinstance(c, ast.Call) for a in c.args}
        for block in (n for n in below if isinstance(n, ast.With)):
            if not any(_is_without(i.context_expr) for i in block.items):
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


def _handed_over(tree: ast.Module, node: ast.AST, models: set[str]) -> set[str]:
    """The arguments of the function around a node that every call gives a trained model."""
    found: set[str] = set()
    for function in walk(tree):
        if not isinstance(function, ast.FunctionDef) or node not in set(walk(function)):
            continue
        calls = [
            n for n in walk(tree) if isinstance(n, ast.Call) and dotted(n.func) == function.name
        ]
        for i, argument in enumerate(function.args.args):
            given = [dotted(c.args[i]) if i < len(c.args) else "" for c in calls]
            if given and set(given) <= models:
                found.add(argument.arg)
    return found


def _is_model(call: ast.Call, models: set[str]) -> bool:
    """Whether a trained model is called, also as `self.model` where `model` was handed over."""
    name = dotted(call.func)
    return name in models or (name.startswith("self.") and name.removeprefix("self.") in models)


def _is_without(node: ast.expr) -> bool:
    return tail(node) in ("no_grad", "inference_mode")


def _stays_in_eval(tree: ast.Module) -> Found:
    """eval() in a loop that trains, and nothing that switches back."""
    models = {m.rpartition(".")[2] for o in optimizers(tree).values() for m in trained(o)}
    if method_calls(tree, "train") or not models:
        return
    functions = {n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef)}
    for loop in loops(tree):
        below = list(inside(loop))
        if not calls_in(below, "backward"):
            continue
        called = [
            functions[c] for n in below if isinstance(n, ast.Call) and (c := tail(n)) in functions
        ]
        reached = [*below, *(n for f in called for n in walk(f))]
        for call in calls_in(reached, "eval"):
            if owner(call).rpartition(".")[2] in models:
                yield (
                    "stays_in_eval",
                    call,
                    f"after this nothing calls `{owner(call)}.train()`: from here on it is trained "
                    "in eval mode, its Dropout layers drop nothing and its BatchNorm layers learn "
                    f"no statistics; call `{owner(call)}.train()` before the training goes on",
                )
                return


def _traced(tree: ast.Module) -> Found:
    """A model that is traced in training mode."""
    said = words(tree)
    if "eval" in said or not _acts(said):
        return
    for node in walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) == "torch.jit.trace" and node.args:
            model = dotted(node.args[0]) or "model"
            yield (
                "traced_in_training",
                node,
                "the trace keeps the mode that the model is in, and eval() is called nowhere: "
                "Dropout and BatchNorm would work as in training for ever; call "
                f"`{model}.eval()` before",
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
    """Tensors moved to the GPU in a Dataset that worker processes read."""
    workers = any(
        k.arg == "num_workers" and not (isinstance(k.value, ast.Constant) and not k.value.value)
        for n in walk(tree)
        if isinstance(n, ast.Call)
        for k in n.keywords
    )
    for cls in walk(tree):
        if not workers or not isinstance(cls, ast.ClassDef):
            continue
        for method in cls.body:
            if not isinstance(method, ast.FunctionDef) or method.name != "__getitem__":
                continue
            moves = calls_in(list(inside(method)), "cuda") + [
                c for c in calls_in(list(inside(method)), "to") if "device" in words(c)
            ]
            for move in moves[:1]:
                yield (
                    "workers_on_gpu",
                    move,
                    "worker processes (num_workers) call this, and a forked process cannot use the "
                    "GPU: return CPU tensors here, and move each batch in the training loop "
                    "(`pin_memory=True` in the DataLoader makes that fast)",
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
