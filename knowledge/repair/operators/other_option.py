"""Set the option that an error asks for at the call that made what failed.

The error's words say what is wanted; which call it is, and whether the option fits there, say the
live values: `vmap(…, randomness="different")`, `batch_sampler=` of what yields lists of indices, a
generator made of the seed, an activation that writes into a new tensor, SparseAdam where every
gradient is sparse, zeros for the gradient of what takes no part, whole weights for a scaler, the
last batch where it is the only one.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import libcst as cst

from executor.errors import HasMessage, is_a, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside, Edits, Program, operand
from knowledge.repair.toolkit.imports import with_import
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import made_callable
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    calls,
    made,
    scope_of,
    with_argument,
    without_argument,
)
from knowledge.repair.toolkit.statements import line_of

_Edits = Callable[[Failure], Rewrites]
_COPIES = frozenset({"clone", "contiguous", "to", "float", "cuda", "cpu"})  # of the same values
_SWAPS = frozenset({"shuffle", "batch_size", "drop_last"})  # what a batch sampler decides itself


def applies(result: JobResult) -> bool:
    """The error is one of those whose option is known."""
    return result.error is not None and _asked(result.error) is not None


def _asked(error: HasMessage) -> _Edits | None:
    fits = (o for o in _OPTIONS if is_a(error, o.family) and o.said.search(error.message))
    return next((option.edits for option in fits), None)


def edits(failure: Failure) -> Rewrites:
    """The option that this error asks for."""
    if (asked := _asked(failure.error)) is not None:
        yield from asked(failure)


def _edit(failure: Failure, old: cst.Call, new: cst.Call, told: str, meant: str = "") -> Rewrite:
    return failure.edit({old: new}, told, meant or told, cost=COST.SAID)


def _random_in_vmap(failure: Failure) -> Rewrites:
    """`vmap(f, randomness="different")`: what is drawn is drawn for each sample by itself."""
    for place in failure.places:
        mapped = made_callable(failure, place)
        if mapped is None or not failure.text(mapped.func).endswith("vmap"):
            continue
        if argument(mapped, 3, "randomness") is None:
            option = with_argument(mapped, 3, "randomness", cst.SimpleString('"different"'))
            told = "each sample draws random numbers of its own"
            yield _edit(failure, mapped, option, told, f"{told}, as one after another would")
        return


def _generator(failure: Failure) -> Rewrites:
    """`generator=torch.Generator().manual_seed(42)` for `generator=42`, wherever it is given so."""
    changes: Edits = {}
    for given in failure.all(cst.Arg):
        if given.keyword is None or given.keyword.value != "generator":
            continue
        if type(failure.value(given.value)) is not int:
            continue
        text = f"{failure.name_of('torch', 'Generator')}().manual_seed({failure.text(given.value)})"
        changes[given.value] = cst.parse_expression(text)
        told = f"a generator is made of the seed `{failure.text(given.value)}`"
        title = f"line {failure.line(given.value)}: {told}"
    if changes:
        yield Rewrite(failure.replace(changes), title, told, cost=COST.SAID, as_one=True)


def _not_in_place(failure: Failure) -> Rewrites:
    """`nn.ReLU()` for `nn.ReLU(inplace=True)`, behind a layer whose gradient a hook looks at."""
    layer, place = failure.result.layer, next(iter(failure.places), None)
    site = made(failure, layer) if layer is not None else None
    found = [place.node if place is not None else None, site.call if site is not None else None]
    for call in found:
        option = argument(call, 99, "inplace") if isinstance(call, cst.Call) else None
        if isinstance(call, cst.Call) and option is not None:
            name = failure.text(call.func).rpartition(".")[2]
            told = f"`{name}` gives a new tensor, and leaves the one that the hook saw as it is"
            yield _edit(failure, call, without_argument(call, option), told)
            return


def _lists_of_indices(failure: Failure) -> Rewrites:
    """`batch_sampler=s` for `sampler=s`, where `s` yields whole lists of indices."""
    for call in calls(failure, r"(^|\.)DataLoader$"):
        given = argument(call, 3, "sampler")
        if given is None or given.keyword is None:
            continue
        first = next(_first_of(failure.value(given.value, 0)), None)
        kept = [a for a in call.args if a.keyword is None or a.keyword.value not in _SWAPS]
        if not isinstance(first, (list, tuple)) or len(kept) < len(call.args):
            continue  # a batch size beside it: which of the two is meant is open
        new = call.with_deep_changes(given, keyword=cst.Name("batch_sampler"))
        name = failure.text(given.value)
        told = f"`{name}` yields whole batches: lists of {len(first)} indices"
        yield _edit(failure, call, new, told)


def _order_of_sampler(failure: Failure) -> Rewrites:
    """No `shuffle=True` beside a sampler; `shuffle=sampler is None` where there may be none."""
    for call in calls(failure, r"(^|\.)DataLoader$"):
        given, option = argument(call, 3, "sampler"), argument(call, 2, "shuffle")
        if given is None or option is None or failure.text(option.value) != "True":
            continue
        name = failure.text(given.value)
        none = rf"\b{re.escape(name)} ?(?::[^=\n]{{1,40}})?=(?: ?None\b|[^\n]{{1,200}} else None\b)"
        new, told = without_argument(call, option), f"`{name}` decides the order, without `shuffle`"
        if re.search(none, failure.module.code.replace(f"sampler={name}", "")):
            new = call.with_deep_changes(option, value=cst.parse_expression(f"{name} is None"))
            told = f"it is shuffled where `{name}` is None, and decides the order elsewhere"
        yield _edit(failure, call, new, told)


def _at_the_start(failure: Failure) -> Rewrites:
    """`last_epoch=done - 1` for `last_epoch=done`, which is 0: a start from scratch has -1."""
    for place in failure.places:
        last = argument(place.node, 99, "last_epoch") if isinstance(place.node, cst.Call) else None
        if last is None or failure.value(last.value, place.frame) != 0:
            continue
        minus = cst.parse_expression(f"{failure.text(operand(last.value))} - 1")
        new = cst.parse_expression("-1") if isinstance(last.value, cst.Integer) else minus
        told = "at the start the last epoch that is done has the number -1"
        yield failure.edit({last.value: new}, told, "it starts from scratch", cost=COST.SAID)


def _rest_too(failure: Failure) -> Rewrites:
    """No `drop_last=True` where all that there is makes no whole batch, and so none came."""
    alive = [value for names in failure.live.names for value in names.values()]
    empty: list[Any] = [
        value
        for value in alive
        if isinstance(value, torch.utils.data.DataLoader) and value.drop_last and not len(value)
    ]
    found = [c for c in calls(failure, r"(^|\.)DataLoader$") if argument(c, 8, "drop_last")]
    if len({id(loader) for loader in empty}) != 1 or len(found) != 1 or not len(empty[0].dataset):
        return
    option = argument(found[0], 8, "drop_last")
    if option is not None and option.keyword is not None:
        told = f"all {len(empty[0].dataset)} samples make no batch of {empty[0].batch_size}"
        new = without_argument(found[0], option)
        yield _edit(failure, found[0], new, f"{told}, and are kept", "the last batch counts too")


def _first_of(sampler: Any) -> Iterator[Any]:
    try:
        yield from iter(sampler)
    except Exception:  # a stranger's `__iter__`
        return


def _sparse_adam(failure: Failure) -> Rewrites:
    """`SparseAdam` for `Adam`, where every gradient that there is is sparse."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call):
        return
    owner = place.node.func
    stepped = failure.value(owner.value, place.frame) if isinstance(owner, cst.Attribute) else None
    groups = getattr(stepped, "param_groups", ())
    grads = [p.grad for g in groups for p in g["params"] if p.grad is not None]
    found = list(calls(failure, r"(^|\.)Adam$"))
    if len(found) != 1 or not grads or not all(g.is_sparse for g in grads):
        return
    [call] = found
    known = {a.keyword.value for a in call.args if a.keyword is not None}
    if known <= {"params", "lr", "betas", "eps"} and sum(a.keyword is None for a in call.args) < 3:
        new = call.with_deep_changes(call.func, attr=cst.Name("SparseAdam"))
        told = "every gradient is sparse, and `SparseAdam` moves only the rows that were used"
        yield _edit(failure, call, new, told)


def _unused(failure: Failure) -> Rewrites:
    """`materialize_grads=True`: what takes no part in the loss has a gradient of zeros."""
    node = failure.node
    if not isinstance(node, cst.Call) or not failure.text(node.func).endswith("grad"):
        return
    wanted, options = argument(node, 1, "inputs"), ("allow_unused", "materialize_grads")
    at = re.search(r"index (\d+)", failure.error.message)
    if wanted is None or at is None or any(argument(node, 99, o) is not None for o in options):
        return
    for copy in failure.inside(wanted.value, cst.Call):
        if isinstance(copy.func, cst.Attribute) and copy.func.attr.value in _COPIES:
            of = failure.text(copy.func.value)
            told = f"the gradient is taken of `{of}` itself, and not of a copy that nothing reads"
            yield failure.edit({copy: copy.func.value}, told, cost=COST.SAID)
    yield from _leaf_behind(failure, wanted.value, int(at[1]))
    yield from _columns_of(failure)
    name = _name_of(failure, failure.value(wanted.value), int(at[1]))
    if name:
        told = f"`materialize_grads=True`: `{name}` takes no part, and gets a gradient of zeros"
        new = with_argument(node, 99, "materialize_grads", cst.Name("True"))
        yield _edit(failure, node, new, told)


def _leaf_behind(failure: Failure, inputs: cst.BaseExpression, at: int) -> Rewrites:
    """`grad(loss, [x, y])` for `grad(loss, [x, y.softmax(1)])`: what is computed anew is unused."""
    parts = [e.value for e in inputs.elements] if isinstance(inputs, (cst.List, cst.Tuple)) else []
    part = parts[at] if at < len(parts) else None
    if not isinstance(part, cst.Call) or (copy := getattr(part.func, "attr", None)) is None:
        return
    found = [failure.value(n) for n in failure.inside(part, cst.Name)]
    leaf = getattr(part.func, "value", None)
    if copy.value in _COPIES or leaf is None or sum(isinstance(v, torch.Tensor) for v in found) > 1:
        return
    value, name = failure.value(leaf), failure.text(leaf)
    if isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad:
        told = f"the gradient is taken of `{name}` itself, and not of what is computed of it anew"
        yield failure.edit({part: leaf}, told, cost=COST.SAID)


def _columns_of(failure: Failure) -> Rewrites:
    """`net(torch.cat([x, t], 1))` for `net(pts)`, of which `x` and `t` are the columns."""
    for place in failure.places:
        scope, held = scope_of(failure, place.node), failure.live.names[place.frame]
        cuts, last = dict[str, list[str]](), dict[str, int]()
        for assign in failure.inside(scope, cst.Assign):
            cut, name = assign.value, failure.text(assign.targets[0].target)
            if isinstance(cut, cst.Subscript) and isinstance(held.get(name), torch.Tensor):
                cuts.setdefault(failure.text(cut.value), []).append(name)
                last[failure.text(cut.value)] = failure.line(assign)
        for whole, names in cuts.items():
            parts, of, end = [held[n] for n in names], held.get(whole), last[whole]
            if not isinstance(of, torch.Tensor) or of.dim() < 2 or len(parts) < 2:
                continue
            alike = all(p.shape[:-1] == of.shape[:-1] for p in parts)
            if not alike or not torch.equal(torch.cat(parts, -1), of):
                continue
            cat = f"{failure.name_of('torch', 'cat')}([{', '.join(names)}], {of.dim() - 1})"
            args = (a for c in failure.inside(scope, cst.Call) for a in c.args)
            given = [a for a in args if failure.text(a.value) == whole and failure.line(a) > end]
            told = f"it is computed of {' and '.join(f'`{n}`' for n in names)} themselves"
            if given:
                changes: Edits = {a.value: cst.parse_expression(cat) for a in given}
                yield failure.edit(changes, told, cost=COST.SAID, as_one=True)


def _name_of(failure: Failure, inputs: Any, at: int) -> str:
    """What a module that is alive calls one of the tensors; empty where none holds it."""
    wanted = inputs[at] if isinstance(inputs, (list, tuple)) and at < len(inputs) else None
    values = [v for names in failure.live.names[::-1] for v in list(names.values())]
    values += [part for v in values for part in list(getattr(v, "__dict__", {}).values())]
    modules = [v for v in values if isinstance(v, torch.nn.Module)]
    return next((n for m in modules for n, p in m.named_parameters() if p is wanted), "")


def _whole_weights(failure: Failure) -> Rewrites:
    """`Net()` for `Net().half()`: autocast halves what may be halved, and the weights stay."""
    halved = [c for c in calls(failure, r"\.half$") if not c.args]
    changes: Edits = {}
    for call in halved:
        made = failure.parent(call)
        of = call.func.value if isinstance(call.func, cst.Attribute) else None
        target = made.targets[0].target if isinstance(made, cst.Assign) else None
        held = failure.value(target, 0) if target is not None else None
        if of is not None and isinstance(held, torch.nn.Module):
            changes[call] = of
    if changes and re.search(r"\bautocast\(", failure.module.code):
        told = "the weights stay float32, and `autocast` computes in half of that"
        yield failure.edit(changes, told, cost=COST.SAID)


def _with_workers(failure: Failure) -> Rewrites:
    """`prefetch_factor=4 if workers > 0 else None`: without workers nothing is fetched ahead."""
    node = failure.node
    said = re.search(r"(prefetch_factor|persistent_workers|timeout) option", failure.error.message)
    given = argument(node, 99, said[1]) if said and isinstance(node, cst.Call) else None
    if said is None or given is None or not isinstance(node, cst.Call):
        return
    workers = argument(node, 5, "num_workers")
    if workers is None or isinstance(workers.value, cst.Integer):
        told = f"`{said[1]}` is left out: there are no workers"
        yield _edit(failure, node, without_argument(node, given), told)
        return
    none = {"prefetch_factor": "None", "persistent_workers": "False", "timeout": "0"}[said[1]]
    with_ = given.value.body if isinstance(given.value, cst.IfExp) else given.value
    text = f"{failure.text(with_)} if {failure.text(workers.value)} > 0 else {none}"
    told = f"`{said[1]}` is given only where there are workers"
    yield failure.edit({given.value: cst.parse_expression(text)}, told, cost=COST.SAID)


def _batch_norm_in_func(failure: Failure) -> Rewrites:
    """`replace_all_batch_norm_modules_(net)`: it takes the batch's own figures, and keeps none."""
    here = failure.statement_on(failure.result.frames[0].line if failure.result.frames else 0)
    norm = (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)
    nets = [
        n for n, v in failure.live.names[0].items()
        if isinstance(v, torch.nn.Module) and v.training
        and any(isinstance(m, norm) for m in v.modules())
    ]  # fmt: skip
    if here is None or len(nets) != 1:
        return
    code = f"torch.func.replace_all_batch_norm_modules_({nets[0]})"
    told = f"the batch norms of `{nets[0]}` keep no running averages, which are written in place"
    made = assignment(failure, nets[0], here)
    at = failure.parent(made) if made is not None and "vmap" in failure.module.code else None
    # Where it is mapped its buffers are taken below.
    beside = {at or here: Beside(line_of(code), after=at is not None)}
    yield failure.edit({}, told, at=at or here, beside=beside)


def _let_go(failure: Failure) -> Rewrites:
    """`net.feat = None` above a copy of a module that keeps what its last call computed."""
    node, here = failure.node, failure.statement
    if not isinstance(node, cst.Call) or here is None or not node.args:
        return
    copied, name = failure.value(node.args[0].value), failure.text(node.args[0].value)
    parts = copied.named_modules(prefix=name) if isinstance(copied, torch.nn.Module) else ()
    kept = [(path, key) for path, part in parts for key, value in vars(part).items()
            if isinstance(value, torch.Tensor) and not value.is_leaf]  # fmt: skip
    empty = {failure.text(a.targets[0].target) for a in failure.all(cst.Assign)
             if failure.text(a.value) == "None"}  # fmt: skip
    if kept and all(f"self.{key}" in empty and ".0" not in path for path, key in kept):
        first, *more = [line_of(f"{path}.{key} = None") for path, key in kept]
        lines = [first.with_changes(leading_lines=here.leading_lines), *more]
        new = cst.FlattenSentinel([*lines, here.with_changes(leading_lines=())])
        names = " and ".join(f"`{path}.{key}`" for path, key in kept)
        told = f"{names} is empty again: what the last call computed is not copied"
        yield failure.edit({here: new}, told, at=here)


def _folder(failure: Failure) -> Rewrites:
    """`os.makedirs("out", exist_ok=True)` above what writes into a folder that is not there."""
    said, here = read(failure.error, "folder_missing"), failure.statement
    if said is None or here is None or said["folder"].startswith(("/", "~")):
        return
    first = line_of(f"os.makedirs({said['folder']!r}, exist_ok=True)")
    new = failure.replace({}, beside={here: Beside(first)})
    if "os" not in failure.imported():
        new = with_import(Program(new.code), "import os")
    told = f"the folder `{said['folder']}` is made first"
    yield failure.edit(new, told, at=here, cost=COST.SAID, as_one=True)


def _on_the_cpu(failure: Failure) -> Rewrites:
    """`DDP(net)` for `DDP(net, device_ids=[0])`, where the weights are on the CPU."""
    node, on_cpu = failure.node, "device(type='cpu')" in failure.error.message
    given = argument(node, 99, "device_ids") if isinstance(node, cst.Call) and on_cpu else None
    if isinstance(node, cst.Call) and given is not None:
        told = "`device_ids` is left out: the model is on the CPU"
        yield _edit(failure, node, without_argument(node, given), told)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Where a generator, or a sampler, was given, one is given."""
    error, code = before.error, proposal.code
    kept = error is None or (
        ("generator=int" not in error.message or "generator=" in code)
        and (not is_a(error, "loader_options_exclude_each_other") or "sampler=" in code)
        and (not is_a(error, *_OF_NO_BATCH) or error.code in code)
    )
    good, bad = "every option that was given is given", "an option that was given is gone"
    return [Check.of("options", kept, good, bad)]


class _Option(NamedTuple):
    """The family of an error, what else it says, and the edits."""

    family: str
    said: re.Pattern[str]
    edits: _Edits


_ANY = re.compile("")
_OF_NO_BATCH = ("division_by_zero", "unbound_local", "name_undefined", "iterator_finished")
_OPTIONS = (
    _Option("random_under_vmap", _ANY, _random_in_vmap),
    _Option("overload", re.compile(r"\bgenerator=int\b"), _generator),
    _Option("view_of_many_in_place", re.compile("custom Function"), _not_in_place),
    _Option("index_type", re.compile(r"not (?:list|tuple)"), _lists_of_indices),
    _Option("loader_options_exclude_each_other", re.compile("shuffle"), _order_of_sampler),
    _Option("scheduler_resumed", re.compile("initial_lr"), _at_the_start),
    _Option("sparse_gradients", _ANY, _sparse_adam),
    _Option("unused_in_graph", _ANY, _unused),
    _Option("half_parameters", _ANY, _whole_weights),
    _Option("loader_option_needs_workers", _ANY, _with_workers),
    _Option("captured_in_place", _ANY, _batch_norm_in_func),
    _Option("deepcopy_of_result", _ANY, _let_go),
    _Option("folder_missing", _ANY, _folder),
    *(_Option(family, _ANY, _rest_too) for family in _OF_NO_BATCH),
    _Option("ddp_devices", _ANY, _on_the_cpu),
)
