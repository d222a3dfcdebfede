"""Find what copies of a model leave behind: statistics that are no parameters, plain tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import equal, quietly
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.unregistered import plain_attributes
from executor.inside.remarks.edits import added, put, way
from executor.inside.remarks.syntax import dotted, methods_named, tail, walk, words

_CONSTANTS = ("zeros", "ones", "full", "tensor")


def report_lost(
    collector: FindingCollector, tree: ast.Module, called: Iterable[nn.Module], steps: Steps
) -> None:
    """Add the averages without statistics, and what was not saved, after a run that trained."""
    with quietly():
        models = {id(m): m for m in called if next(m.parameters(), None) is not None}
        for a, b in _alike(list(models.values())):
            trained = [id(p) in steps.optimized for p in a.parameters()]
            if any(id(p) in steps.optimized for p in b.parameters()):
                continue
            if all(trained):
                _report_statistics(collector, tree, a, b, steps)
            _report_unsaved(collector, tree, a, b)


def _alike(models: list[nn.Module]) -> Iterator[tuple[nn.Module, nn.Module]]:
    """The pairs of models of one class and the same sizes."""
    sizes = [(type(m), *(p.shape for p in m.parameters())) for m in models]
    for i, a in enumerate(models):
        yield from ((a, b) for j, b in enumerate(models) if i != j and sizes[i] == sizes[j])


# -- statistics of batch norms --------------------------------------------------------------------


def _report_statistics(
    collector: FindingCollector, tree: ast.Module, model: nn.Module, copy: nn.Module, steps: Steps
) -> None:
    """An average of the weights whose batch norms have the statistics that they were made with."""
    own, theirs = (
        [n for n in m.modules() if isinstance(n, private.BatchNorm) and n.track_running_stats]
        for m in (model, copy)
    )
    # It was called, and so only ever in eval mode: in training mode the first call moves them.
    if not theirs or not all(map(_is_fresh, theirs)) or any(map(_is_fresh, own)):
        return
    if not _follows(model, copy, steps):
        return
    loops = [n for n in walk(tree) if isinstance(n, ast.For) and any(_pairs_of(n))]
    one, other = _pairs_of(loops[0]) if len(loops) == 1 else ("average", "model")
    copied = f"[a.copy_(b) for a, b in zip({one}.buffers(), {other}.buffers())]"
    collector.add(
        "statistics_left_behind",
        loops[0].lineno if len(loops) == 1 else None,
        one,
        f"`{one}` follows the weights of `{other}`, and none of its {len(theirs)} batch norms has "
        "any statistics: running_mean is still 0 and running_var 1, for parameters() lists no "
        f"buffers; copy those too: `{copied}`",
        ways=[way("the copy has the statistics too", add=added(copied, loops[0], after=True))]
        if len(loops) == 1
        else [],
    )


def _is_fresh(norm: nn.Module) -> bool:
    mean, var = getattr(norm, "running_mean", None), getattr(norm, "running_var", None)
    if mean is None or var is None:
        return False
    return not bool(mean.any()) and bool((var == 1).all())


def _follows(model: nn.Module, copy: nn.Module, steps: Steps) -> bool:
    """Whether the copy has left the model's first weights and gone towards the newest."""
    now = [steps.optimized[id(p)] for p in model.parameters()]
    triples = [
        (w.tensor, w.before, p)
        for w, p in zip(now, copy.parameters(), strict=True)
        if w.before is not None and w.before.shape == p.shape
    ]
    went = sum(float((t - b).abs().sum()) for t, b, _ in triples)
    moved = sum(float((p - b).abs().sum()) for _, b, p in triples)
    left = sum(float((t - p).abs().sum()) for t, _, p in triples)
    return moved > 0 and left < went


def _pairs_of(loop: ast.For) -> tuple[str, str]:
    """`a` and `b` of a loop over `zip(a.parameters(), b.parameters())`."""
    match loop.iter:
        case ast.Call(
            func=ast.Name(id="zip"),
            args=[
                ast.Call(func=ast.Attribute(value=one, attr="parameters")),
                ast.Call(func=ast.Attribute(value=other, attr="parameters")),
            ],
        ):
            return ast.unparse(one), ast.unparse(other)
    return "", ""


# -- plain tensors --------------------------------------------------------------------------------


def _report_unsaved(
    collector: FindingCollector, tree: ast.Module, model: nn.Module, copy: nn.Module
) -> None:
    """A model with the very weights of another one, and other values in what was not saved."""
    if "load_state_dict" not in words(tree) or not all(
        equal(p, q) for p, q in zip(model.parameters(), copy.parameters(), strict=True)
    ):
        return
    for a, b in zip(model.modules(), copy.modules(), strict=False):
        cls = type(a).__name__
        read = {w for f in methods_named(tree, "forward") for w in words(f)}
        told, made = dict(_plain(a)), dict(_plain(b))
        lost = sorted(
            name
            for name in told.keys() & made.keys() & read
            if not equal(told[name], made[name]) and len(torch.unique(made[name])) == 1
        )
        if type(b) is not type(a) or not lost:
            continue
        statements = [
            (n, name)
            for c in walk(tree)
            if isinstance(c, ast.ClassDef) and c.name == cls
            for f in c.body
            if isinstance(f, ast.FunctionDef) and f.name == "__init__"
            for n in walk(f)
            if isinstance(n, ast.Assign) and len(n.targets) == 1
            for name in lost
            if dotted(n.targets[0]) == f"self.{name}"
            and isinstance(n.value, ast.Call) and tail(n.value) in _CONSTANTS
        ]  # fmt: skip
        places = [
            put(n, f'self.register_buffer("{name}", ', n.value, ")") for n, name in statements
        ]
        names = " and ".join(f"`{name}`" for name in lost[:3])
        collector.add(
            "lost_by_saving",
            statements[0][0].lineno if statements else None,
            lost[0],
            f"two `{cls}` have the same weights and differ in {names}: plain tensors, which "
            "state_dict() leaves out, so that the one that was loaded computes with the values "
            f'that `__init__` makes; write `self.register_buffer("{lost[0]}", …)` there',
            ways=[way("saved and loaded with the weights", *places)]
            if len(places) == len(lost)
            else [],
        )
        return


def _plain(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for path, attribute, value in plain_attributes(module):
        if path == attribute and type(value) is torch.Tensor and value.numel() > 0:
            yield attribute, value
