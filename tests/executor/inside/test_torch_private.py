"""executor/inside/torch_private.py: each private part of PyTorch, tried on the installed one."""

from __future__ import annotations

import inspect
import re
import sys
import types
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint

from executor.inside import torch_private as private


def test_this_torch_was_seen() -> None:
    """On another one: run the tests of executor/, read its release notes, and add its version."""
    found = ".".join(torch.__version__.split(".")[:2])

    assert found in private.SEEN_WITH, f"torch {torch.__version__} was not seen yet"


def test_hooks_on_saved_tensors_are_seen_taken_away_and_put_back() -> None:
    """Those on top alone, and torch.func refuses them while they are there."""

    def pack(t: torch.Tensor) -> torch.Tensor:
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, pack):
        assert private.top_saved_hooks(True) == (pack, pack)
        with pytest.raises(RuntimeError, match="saved tensor hooks"):
            torch.func.grad(torch.sum)(torch.ones(2))
        private.pop_saved_hooks()
        assert torch.func.grad(torch.sum)(torch.ones(2)).tolist() == [1, 1]
        private.push_saved_hooks(pack, pack)
        assert private.top_saved_hooks(True) == (pack, pack)
    assert private.top_saved_hooks(True) is None


def test_a_transform_knows_that_it_runs() -> None:
    """Inside of torch.func.grad, and nowhere else."""
    seen: list[bool] = []

    def loss(x: torch.Tensor) -> torch.Tensor:
        seen.append(private.in_transform())
        return x.sum()

    torch.func.grad(loss)(torch.ones(2))
    loss(torch.ones(2))
    assert seen == [True, False]


def test_modes_are_counted_and_switched_off() -> None:
    """What listens to functions or operators hears nothing inside the switches."""
    heard: list[str] = []

    class Functions(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):  # type: ignore[no-untyped-def]
            heard.append("function")
            return func(*args, **(kwargs or {}))

    class Operators(private.OperatorMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):  # type: ignore[no-untyped-def]
            heard.append("operator")
            return func(*args, **(kwargs or {}))

    t = torch.ones(2)
    assert (private.function_modes(), private.dispatch_modes()) == (0, 0)
    with Functions(), Operators():
        assert (private.function_modes(), private.dispatch_modes()) == (1, 1)
        with private.DisableTorchFunction():
            t + 1
        assert heard == ["operator"]
        heard.clear()
        with private.DisableTorchDispatch():
            t + 1
        assert heard == ["function"]
        heard.clear()
        with private.disable_current_modes():
            t + 1
        assert "operator" not in heard


@pytest.mark.parametrize("beside", [False, True])
def test_an_operator_mode_is_wrapped_only_beside_torch_compile(beside: bool) -> None:
    """PyTorch wraps `__torch_dispatch__` when the class is made."""

    def dispatch(self: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))

    made = types.new_class(
        "Made",
        (private.OperatorMode,),
        {},
        lambda space: space.update(beside_compile=beside, __torch_dispatch__=dispatch),
    )

    assert (vars(made)["__torch_dispatch__"] is not dispatch) is beside


def test_gradients_are_switched_by_a_bare_call() -> None:
    """And back."""
    private.set_grad_enabled(False)
    off = torch.is_grad_enabled()
    private.set_grad_enabled(True)

    assert not off and torch.is_grad_enabled()


def test_tensors_say_what_is_theirs() -> None:
    """Version, view, base, storage."""
    t = torch.zeros(4)
    row = t[:2]
    t.add_(1)

    assert (private.version(t), private.version(row)) == (1, 1)
    assert private.base(row) is t and private.base(t) is None
    assert private.is_view(row) and not private.is_view(t)
    assert private.storage_id(row.untyped_storage()) == private.storage_id(t.untyped_storage())
    assert private.storage_id(torch.zeros(4).untyped_storage()) != private.storage_id(
        t.untyped_storage()
    )
    with torch.inference_mode(), pytest.raises(RuntimeError):
        private.version(torch.zeros(1))


def test_the_dtypes_of_what_an_operation_gave() -> None:
    """Of each of its results."""
    w = torch.ones(4, requires_grad=True)

    assert private.dtypes_of((w * 2).grad_fn) == [torch.float32]
    assert private.dtypes_of(w.half().grad_fn) == [torch.float16]
    assert private.dtypes_of(w.double().chunk(2)[0].grad_fn) == [torch.float64] * 2
    assert private.dtypes_of(None) == []


def test_the_leaf_that_a_node_adds_up_for() -> None:
    """Every other node has none."""
    w = torch.ones(4, requires_grad=True)
    node = (w * 2).grad_fn
    assert node is not None

    assert private.leaf_of(node.next_functions[0][0]) is w
    assert private.leaf_of(node) is None and private.leaf_of(None) is None


def test_what_a_node_kept_may_be_gone() -> None:
    """Freed by a backward, or changed in place since."""
    w = torch.ones(2, requires_grad=True)
    freed = (w * w).sum()
    freed.backward()
    kept = w * 1
    changed = kept * w
    kept.add_(1)

    for node in (freed.grad_fn.next_functions[0][0], changed.grad_fn):  # type: ignore[union-attr]
        with pytest.raises(private.SavedGoneError):
            private.saved_self(node)
    assert private.is_freed(freed.grad_fn.next_functions[0][0]) is True  # type: ignore[union-attr]
    assert private.is_freed((w * w).grad_fn) is False
    assert private.is_freed(w.expand(2, 2).grad_fn) is None


def test_sparse_tensors_and_wrappers() -> None:
    """Elements of one position each count; a wrapper of torch.func shows what is inside."""
    sparse = torch.sparse_coo_tensor(torch.tensor([[0, 0]]), torch.ones(2), (3,))
    inside: list[torch.Tensor | None] = []

    def look(t: torch.Tensor) -> torch.Tensor:
        inside.append(private.unwrapped(t))
        return t

    batch = torch.arange(3.0)
    torch.func.vmap(look)(batch)

    assert private.nnz(sparse) == 2
    assert inside[0] is not None and torch.equal(inside[0], batch)
    assert private.unwrapped(batch) is None


def test_bases_of_tensor_and_generator() -> None:
    """Their attributes are those below every subclass."""
    assert issubclass(torch.Tensor, private.TensorBase)
    assert private.TensorBase.device.__get__(torch.zeros(1)) == torch.device("cpu")  # type: ignore[attr-defined]
    t = torch.zeros(1)
    private.TensorBase.data.__set__(t, torch.ones(1))  # type: ignore[attr-defined]
    assert t.item() == 1 and private.TensorBase.numpy(t).tolist() == [1]
    assert isinstance(torch.Generator(), private.Generator)
    assert isinstance(torch.Generator.__new__(private.Generator), private.Generator)
    assert [float(n) for n in private.foreach_norm([torch.tensor([3.0, -4.0])], 2)] == [5]


def test_nodes_of_the_graph_say_what_they_kept() -> None:
    """Operands, target, dimension, sizes before an expansion, and what comes out."""
    given, target = torch.rand(3, 2, requires_grad=True), torch.rand(3, 2)
    mse = nn.functional.mse_loss(given, target).grad_fn
    expanded = torch.rand(1, 2, requires_grad=True).expand(3, 2).grad_fn

    assert torch.equal(private.saved_self(mse), given)
    assert torch.equal(private.saved_target(mse), target)
    assert tuple(private.saved_sizes(expanded)) == (1, 2)
    turned = torch.zeros(1, 2, 3, requires_grad=True).transpose(1, 2)
    assert private.saved_dims(turned.grad_fn) == (1, 2)
    assert torch.equal(private.saved_other((given * target).grad_fn), target)
    assert private.saved_dim(given.unsqueeze(1).grad_fn) == 1
    assert private.saved_dim(given.unsqueeze(-1).grad_fn) == (1 << 64) - 1
    assert [tuple(o.shape) for o in private.outputs(expanded)] == [(3, 2)]
    assert private.outputs(object()) == ()
    linear, conv = nn.Linear(2, 4)(target).grad_fn, nn.Conv1d(2, 1, 1)(target.T[None]).grad_fn
    assert torch.equal(private.saved_mat1(linear), target)
    picked = given.gather(1, torch.ones(3, 1).long()).grad_fn
    assert torch.equal(private.saved_index(picked), torch.ones(3, 1).long())
    assert torch.equal(private.saved_input(conv), target.T[None])
    hidden = torch.tensor([[True, False]])
    assert torch.equal(private.saved_mask(given.masked_fill(hidden, 0).grad_fn), hidden)
    shares = given.softmax(1)
    assert torch.equal(private.saved_result(shares.grad_fn), shares)
    assert private.saved_exponent(given.pow(3).grad_fn) == 3
    weighed = nn.functional.nll_loss(given, torch.ones(3).long(), torch.ones(2), ignore_index=0)
    assert torch.equal(private.saved_weight(weighed.grad_fn), torch.ones(2))
    assert private.saved_ignore_index(weighed.grad_fn) == 0
    assert private.saved_keepdim(given.mean(1, keepdim=True).grad_fn) is True
    normed = nn.functional.layer_norm(given, (2,))
    assert tuple(private.saved_normalized_shape(normed.grad_fn)) == (2,)
    for cut, ends in (
        (given.clamp(0, 1), (0, 1)),
        (given.clamp(max=2), (None, 2)),
        (given.clamp_min(-1), (-1, None)),
        (nn.functional.hardtanh(given, -1, 3), (-1, 3)),
        (given.relu(), (None, None)),
    ):
        assert private.limits(cut.grad_fn) == ends
    rare = nn.functional.binary_cross_entropy_with_logits(
        given, target, pos_weight=torch.ones(2), reduction="sum"
    )
    assert torch.equal(private.saved_pos_weight(rare.grad_fn), torch.ones(2))
    logs = torch.zeros(4, 1, 2, requires_grad=True).log_softmax(2)
    ctc = nn.functional.ctc_loss(logs, torch.ones(1, 1).long(), (4,), (1,), reduction="sum")
    node = ctc.grad_fn.next_functions[0][0]
    assert torch.equal(private.saved_log_probs(node), logs)
    assert torch.equal(private.saved_targets(node), torch.ones(1, 1).long())
    assert (int(private.saved_blank(node)), *private.saved_target_lengths(node)) == (0, 1)
    with pytest.raises(AttributeError):
        private.saved_target(expanded)


def test_operators_say_their_name_and_what_they_write_into() -> None:
    """`add_` writes into its first argument."""
    schema = private.schema(torch.ops.aten.add_.Tensor)

    assert schema.name == "aten::add_" and schema.is_mutable
    assert [a.name for a in schema.arguments if a.alias_info and a.alias_info.is_write] == ["self"]


def test_modules_say_what_they_hold() -> None:
    """In their `__dict__`, in registries of these names."""
    layer = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout2d())
    layer[1].register_buffer("scratch", torch.zeros(1), persistent=False)

    assert set(private.REGISTRIES) <= vars(layer).keys()
    assert private.REGISTRIES == (private.PARAMETERS, private.BUFFERS, private.MODULES)
    assert list(private.modules_of(layer)) == ["0", "1", "2"]
    assert list(private.parameters_of(layer[0])) == ["weight", "bias"]
    assert "running_mean" in vars(layer[1])[private.BUFFERS]
    assert private.is_not_saved(layer[1], "scratch")
    assert not private.is_not_saved(layer[1], "running_mean")
    assert isinstance(layer[1], private.BatchNorm) and isinstance(layer[2], private.Dropout)
    hooks = {name for name in vars(layer) if name.startswith(private.FORWARD_HOOKS)}
    assert {"_forward_hooks", "_forward_pre_hooks"} <= hooks


def test_between_a_call_and_forward_stand_these_functions() -> None:
    """The outer one first."""
    names: list[str] = []

    class Layer(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            frame = sys._getframe().f_back
            while frame is not None and frame.f_code.co_filename == inspect.getfile(nn.Module):
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            return x

    layer = Layer()
    layer.register_forward_hook(lambda *_: None)
    layer(torch.zeros(1))

    assert [n for n in names if n in private.CALLS] == [*reversed(private.CALLS)]
    assert private.CALLS[0] == private.OUTER_CALL


def test_a_lazy_package_says_where_its_classes_are() -> None:
    """As those of transformers do; any other module says nothing."""
    lazy = types.ModuleType("lazy")
    vars(lazy)["_class_to_module"] = {"BertModel": "models.bert"}

    assert private.module_of_class(lazy) == {"BertModel": "models.bert"}
    assert private.module_of_class(types) == {}


def test_checkpoints_use_the_hooks_that_are_set() -> None:
    """One packs and unpacks in forward, the other when forward runs again."""
    used: list[str] = []
    forward, again = private.checkpoint_hooks()

    class Forward(forward):  # type: ignore[misc,valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            used.append("forward")
            super().__init__(*args, **kwargs)

    class Again(again):  # type: ignore[misc,valid-type]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            used.append("again")
            super().__init__(*args, **kwargs)

    private.set_checkpoint_hooks(Forward, Again)
    try:
        x = torch.rand(2, requires_grad=True)
        checkpoint(torch.sin, x, use_reentrant=False).sum().backward()  # type: ignore[no-untyped-call]
    finally:
        private.set_checkpoint_hooks(forward, again)

    assert used == ["forward", "again"] and private.checkpoint_hooks() == (forward, again)


def test_the_default_device_is_where_it_is_looked_for() -> None:
    """And the functions that ask for it are listed."""
    before = private.device_module.CURRENT_DEVICE
    torch.set_default_device("meta")
    try:
        assert torch.device("meta") == private.device_module.CURRENT_DEVICE
    finally:
        torch.set_default_device(None)

    assert before is None and torch.zeros in private.device_constructors()


def test_what_torch_imports_lazily_and_early() -> None:
    """Submodules by name; torch._dynamo is there once it was asked for."""
    private.load_dynamo()

    assert "torch._dynamo" in sys.modules
    assert all(
        f"torch.{name}" in sys.modules or hasattr(torch, name) for name in private.lazy_modules()
    )


def test_what_the_simulated_device_replaces_is_there() -> None:
    """A name that is gone would be set and never called."""
    assert all(callable(getattr(torch.cuda, name)) for name in private.CUDA_SETUP)
    assert callable(getattr(torch.cuda, private.CUDA_IN_BAD_FORK))
    functions: Any = import_module("torch.nn.parallel._functions")
    parallel: Any = import_module("torch.nn.parallel.data_parallel")
    scatter, check = functions.Scatter.apply, parallel._check_balance
    assert callable(check) and "_check_balance" in inspect.getsource(nn.DataParallel)
    plain = private.grouping()
    asked: list[Any] = []

    def group(*args: Any) -> Any:
        asked.append(args)
        return plain(*args)

    layer = nn.Linear(2, 1)
    layer(torch.rand(1, 2)).sum().backward()
    private.set_grouping(group)
    try:
        torch.optim.SGD(layer.parameters(), lr=0.1, foreach=True).step()
        checked: list[int] = []
        private.set_scatter("ours", checked.append)
        assert functions.Scatter.apply == "ours"
        parallel._check_balance([0, 1])
        assert checked == [0, 1]
    finally:
        private.set_grouping(plain)
        functions.Scatter.apply = scatter
        parallel._check_balance = check

    assert asked


def test_every_part_of_a_module_loads_its_weights_by_one_method() -> None:
    """Of the class, so that it can be replaced for a run; its errors are raised afterwards."""
    original = private.load_part(nn.Module)
    heard: list[tuple[str, bool]] = []

    def load(module: nn.Module, state: dict[str, object], prefix: str, *rest: object) -> None:
        heard.append((prefix, prefix + "weight" in state))
        original(module, state, prefix, *rest)

    private.set_load_part(nn.Module, load)
    try:
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
        model.load_state_dict(model.state_dict())
    finally:
        private.set_load_part(nn.Module, original)

    assert heard == [("", False), ("0.", True), ("1.", True)]
    assert private.load_part(nn.Module) is original


def test_a_loader_looks_a_method_up_when_a_batch_has_come_from_a_worker() -> None:
    """Where the batch is `data`, and the number of its worker `worker_idx`."""
    original, heard = private.BATCH_CAME, []

    class Heard:
        def __get__(self, iterator: Any, owner: Any = None) -> Any:
            known = sys._getframe(1).f_locals
            if "data" in known:
                heard.append((known["worker_idx"], known["data"].tolist()))
            return original.__get__(iterator, owner)

    private.set_batch_came(Heard())
    try:
        batches = list(torch.utils.data.DataLoader(torch.arange(4), 1, num_workers=2))
    finally:
        private.set_batch_came(original)

    assert len(batches) == 4
    assert heard == [(0, [0]), (1, [1]), (0, [2]), (1, [3])]


def test_a_profiler_that_listens_is_seen() -> None:
    """It keeps the tensors that it saw, and they would be told as the snippet's."""
    assert not private.profiled()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        assert private.profiled()
    assert not private.profiled()


def test_a_scaler_says_by_how_much_it_multiplies() -> None:
    """Nothing before its first use: asking for it would make it."""
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    assert private.scale_of(scaler) is None

    scaler.scale(torch.ones(()))
    assert private.scale_of(scaler) == 8.0


def test_buffers_are_read_by_name() -> None:
    """What a module keeps beside its parameters."""
    assert set(private.buffers_of(nn.BatchNorm1d(3))) == {
        "running_mean", "running_var", "num_batches_tracked",
    }  # fmt: skip


def test_every_name_is_tried_here() -> None:
    """What is added to the module is added to its tests."""
    source = Path(private.__file__).read_text()
    names = set(re.findall(r"^(?:def |class )?([A-Za-z]\w*)(?=\(| = |, )", source, re.MULTILINE))
    here = Path(__file__).read_text()
    untried = {n for n in names - {"cast", "T"} if f"private.{n}" not in here}

    assert len(names) > 30 and not untried
