"""Find loaders of distributed training whose order is the same in every epoch."""

from __future__ import annotations

import ast
from collections import Counter

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    calls_in,
    dotted,
    inside,
    walk,
    words,
)

_PATH = ("torch", "utils", "data", "distributed")
_JUDGING = ("val", "test", "eval")  # parts of names of loaders that only evaluate


def _sampler_epoch_not_set(tree: ast.Module) -> Found:
    """A DistributedSampler that shuffles, in a loop over epochs that it never hears of."""
    by_hand = any(name.endswith("sampler.epoch") for name in _stored(tree))
    if by_hand or "set_epoch" in words(tree) or not _is_torchs(tree):
        return
    scopes = [tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))]
    for scope in scopes:
        own = list(inside(scope))
        for loader, (sampler, name) in _loaders(tree, own).items():
            for outer in (n for n in own if isinstance(n, ast.For)):
                below = list(inside(outer))
                if sampler in below or not _is_over_epochs(outer, below, loader):
                    continue
                epoch = dotted(outer.target)
                epoch = epoch if epoch not in ("", "_") else "epoch"
                yield (
                    "sampler_epoch_not_set",
                    sampler,
                    "a DistributedSampler shuffles by its seed and its epoch, and the epoch stays "
                    "0, as set_epoch() is called nowhere here: each round of the loop of line "
                    f"{outer.lineno} gets the samples in the same order; call `{name}.set_epoch("
                    f"{epoch})` at the start of each",
                )
                break


def _is_torchs(tree: ast.Module) -> bool:
    """Whether the name is PyTorch's: the code defines no such class, and imports none of others."""
    for node in walk(tree):
        match node:
            case ast.ClassDef(name="DistributedSampler"):
                return False
            case ast.ImportFrom(module=module, names=names) if any(
                "DistributedSampler" in (n.name, n.asname) for n in names
            ):
                if (module or "").partition(".")[0] != "torch":
                    return False
    return True


def _shuffling(value: ast.expr) -> ast.Call | None:
    """The call that makes a DistributedSampler, if it surely shuffles."""
    if isinstance(value, ast.IfExp):
        return _shuffling(value.body) or _shuffling(value.orelse)
    if not isinstance(value, ast.Call) or callee(value) != "DistributedSampler":
        return None
    if not set(dotted(value.func).split(".")[:-1]) <= {*_PATH}:
        return None
    said = [k.value for k in value.keywords if k.arg in ("shuffle", None)] + value.args[3:4]
    if any(isinstance(a, ast.Starred) for a in value.args):
        return None
    sure = all(isinstance(s, ast.Constant) and s.value is True for s in said)
    return value if sure else None


def _loaders(tree: ast.Module, own: list[ast.AST]) -> dict[str, tuple[ast.Call, str]]:
    """Each loader that a scope makes with such a sampler → the sampler, and what to call it."""
    made = [a for n in own if isinstance(n, ast.Assign) for a in assigned(n)]
    samplers = {name: call for _, name, value in made if (call := _shuffling(value))}
    # One that is wrapped or replaced somewhere may set the epoch by itself.
    bound = Counter(_stored(tree))
    plain = Counter(name for _, name, v in assigned(tree) if _is_loader(v))
    found: dict[str, tuple[ast.Call, str]] = {}
    for _, loader, value in made:
        if bound[loader] > plain[loader] or not isinstance(value, ast.Call):
            continue
        for given in value.keywords:
            if given.arg not in ("sampler", "batch_sampler"):
                continue
            for name in {dotted(n) for n in walk(given.value)} & set(samplers):
                found[loader] = samplers[name], name
            if given.arg == "sampler" and (call := _shuffling(given.value)):
                found[loader] = call, f"{loader}.sampler"
    return found


def _stored(tree: ast.AST) -> list[str]:
    """Each name, with its dots, as often as the code sets it."""
    nodes = (n for n in walk(tree) if isinstance(n, (ast.Name, ast.Attribute)))
    return [dotted(n) for n in nodes if isinstance(n.ctx, ast.Store)]


def _is_loader(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and callee(value) == "DataLoader"


def _is_over_epochs(outer: ast.For, below: list[ast.AST], loader: str) -> bool:
    """Whether a loop goes through a loader in each of its rounds, to train."""
    match outer.iter:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=1)]):
            return False
    named = "epoch" in dotted(outer.target).lower()
    if not named and not words(outer.iter) & {"range", "trange", "count"}:
        return False  # over learning rates, models, folds
    for inner in below:
        if not isinstance(inner, ast.For) or not _goes_through(inner.iter, loader):
            continue
        if calls_in(list(inside(inner)), "backward"):
            return True
        judges = {"no_grad", "inference_mode", "eval"} & words(outer)
        if not judges and not any(part in loader.lower() for part in _JUDGING):
            return named
    return False


def _goes_through(iterated: ast.expr, loader: str) -> bool:
    """Whether it is the loader, or a call on it such as `enumerate(loader)`."""
    if isinstance(iterated, ast.Call):
        if callee(iterated) in ("len", "range"):
            return False
        return any(_goes_through(a, loader) for a in iterated.args)
    return dotted(iterated) == loader


RULES = (_sampler_epoch_not_set,)
