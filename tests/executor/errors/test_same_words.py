"""Errors of the same words and another cause: what the post shows of it is told, and no other."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import Around, marked_argument, read_words
from executor.protocol import Construct

LOOKUP = "IndexError: index out of range in self"
EDGES = (
    "IndexError: Encountered an index error. Please ensure that all indices in 'edge_index' point "
    "to valid indices in the interval [0, {}"
)
FOUND = (
    "IndexError: Found indices in 'edge_index' that are larger than 0 (got 145). Please ensure "
    "that all indices in 'edge_index' point to valid indices in the interval [0, 1) in your matrix"
)
POOLED = "h = conv1(x, edge_index)\nh = global_add_pool(h, batch)\nh = conv2(h, edge_index)"
SLOT = (
    "TypeError: cannot assign 'torch.FloatTensor' object to parameter '{}' (torch.nn.Parameter or "
    "None required)"
)
SYMBOL = "OSError: /env/lib/{}: undefined symbol: {}"
REFUSED = (
    "TypeError: conv2d() received an invalid combination of arguments - got ({}), but expected one "
    "of: ...\n      didn't match because some of the arguments have invalid types: ({})\n"
)
MASK = "RuntimeError: The shape of the {}D attn_mask is torch.Size([{}]), but should be ({})."
CUT = "RuntimeError: shape '[196, 8, 16]' is invalid for input of size 401408"
ATTENTION = {"frames": "tiles.py forward\nfunctional.py multi_head_attention_forward"}
AGAIN = "RuntimeError: Trying to backward through the graph a second time"
EINSUM = (
    "RuntimeError: einsum(): subscript {} has size {} for operand 1 which does not broadcast with "
    "previously seen size {}"
)
WORKER = (
    "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent "
    'call last):\n  File "loop.py", line 3, in __getitem__\n{}'
)
SETTER = "AttributeError: property '{}' of 'Flow' object has no setter"
CALLED = "TypeError: 'Tensor' object is not callable"
MPS = (
    "NotImplementedError: The operator 'aten::{}' is not currently implemented for the MPS device."
)
FULL = (
    "OutOfMemoryError: CUDA out of memory. Tried to allocate 86.00 MiB. GPU 0 has a total capacity "
    "of 79.25 GiB of which 41.44 MiB is free. Process 7 has 21.00 GiB memory in use.{}"
)
DIED = "RuntimeError: DataLoader worker (pid(s) 23) exited unexpectedly"
REFUSES = (
    "ValueError: Expected parameter {} (Tensor of shape (2, 2)) of distribution {}() to satisfy "
    "the constraint {}(), but found invalid values:\ntensor([[1., 1.], [1., 1.]])"
)
GROUPS = (
    "RuntimeError: The number of param groups in the `optimizer` (3) differs from when "
    "`ReduceLROnPlateau` was initialized (2), usually due to a new param group being added to the "
    "optimizer. Please modify the `min_lrs` field to match the length."
)
RESTARTS = "ValueError: Expected integer T_mult >= 1, but got {}"
NO_STEPS = "valueerror: trainer: onecyclelr: expected positive integer total_steps, but got {}"
SUM = "RuntimeError: add(sparse, dense) is not supported. Use add(dense, sparse) instead."

ROWS_SCALED = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [5, 4]] is at version 2; expected version 1 instead."
)
FIXED = (
    "UserError: Constraints violated (batch)! For more information, run with "
    'TORCH_LOGS="+dynamic".{}'
)
LONGER = (
    "RuntimeError: The size of tensor a (98) must match the size of tensor b (96) at non-singleton "
    "dimension 1"
)
ADDED = "x = self.value_embedding(x) + self.position_embedding(x) + self.stamps(marks)"

ROWS = [
    # message, what the post shows beside it, what is told, what is not
    (ROWS_SCALED, {"code": "emb = nn.Embedding(5, 4, max_norm=1.0)"}, "emb.weight.clone()",
     "optimizer.step() runs"),
    (ROWS_SCALED, {"code": "emb = nn.Embedding(5, 4, max_norm=None)"}, "optimizer.step() runs",
     "emb.weight.clone()"),
    (ROWS_SCALED, {"code": "clip_grad_norm_(p, max_norm=1.0)"}, "optimizer.step() runs",
     "emb.weight.clone()"),
    (ROWS_SCALED.replace("[5, 4]]", "[5]]"), {"code": "emb = nn.Embedding(5, 4, max_norm=1.0)"},
     "optimizer.step() runs", "emb.weight.clone()"),
    (FIXED.format(""), {}, "fixed by the code, or by an example", "Give an example"),
    (FIXED.format(""), {"words": "because batch was inferred to be a constant (1)."},
     "at least 2 there", "x.flatten(1)"),
    (FIXED.format(""), {"words": "because batch was inferred to be a constant (4)."},
     "fixed by the code, or by an example", "at least 2 there"),
    (FIXED.format(" your code: batch was inferred to be a constant (0)."), {},
     "at least 2 there", "The code fixes"),
    (FIXED.format(" your code: batch was inferred to be a constant (4)."), {},
     "The code fixes batch to 4", "at least 2 there"),
    (LONGER, {"line": ADDED}, "the left one has 98, and the right one 96", "Positions are cut"),
    (LONGER, {"line": "x = self.pos_table(x) + self.tokens(x)"},
     "the left one has 98", "Positions are cut"),
    (LONGER, {"line": "x = self.tokens(x) + self.pos_table"}, "Positions are cut", "the left one"),
    (LONGER, {"line": "x = x + self.pos_table(x)"}, "Positions are cut", "the left one"),
    (LONGER, {"line": ADDED, "torch": "1.10.1",
              "words": "`padding = 1 if torch.__version__>='1.5.0' else 2`"},
     "'1.10.1' comes before", "the left one"),
    (LONGER, {"line": ADDED, "torch": "1.9.1",
              "words": "`padding = 1 if torch.__version__>='1.5.0' else 2`"},
     "the left one", "comes before"),
    (LONGER, {"line": ADDED, "torch": "1.13.1",
              "words": "`padding = 1 if torch.__version__>='1.11.0' else 2`"},
     "the left one", "comes before"),
    (LOOKUP, {"code": "conv = GCNConv(16, 8, cached=True)"}, "edges of its first call",
     "Embedding"),
    (LOOKUP, {"code": "conv = GCNConv(16, 8, cached=True)"}, "leave out `cached=True`", "token id"),
    (LOOKUP, {"words": "GCNConv(16, 8, cached=True)"}, "leave out `cached=True`", "num_embeddings"),
    (LOOKUP, {"code": "conv = GCNConv(16, 8)"}, "fewer rows", "cached"),
    (LOOKUP, {"frames": "message_passing.py __lift__"}, "fewer rows", "token id"),
    (LOOKUP, {"code": "decorated(cached=True)"}, "token id", "edge"),
    (LOOKUP, {"code": "emb = nn.Embedding(9, 2)"}, "num_embeddings", "edge_index"),
    (EDGES.format("63] (got interval [0, 1180])"), {}, "up to node 1180", "63 rows"),
    (EDGES.format("63] (got interval [0, 1180])"), {}, "has 64 rows", "Pooling"),
    (FOUND, {}, "up to node 145", "has 2"),
    (EDGES.format("3) in your node feature matrix"), {}, "it has 3", "has 4"),
    (EDGES.format("63]"), {"code": POOLED}, "one row for each graph, 64", "without gaps"),
    (EDGES.format("63]"), {"code": POOLED.replace("conv2(h", "conv2(x")}, "without gaps",
     "Pooling"),
    (EDGES.format("63]"), {"code": POOLED.replace("h = g", "p = g")}, "without gaps", "Pooling"),
    (EDGES.format("0] (got interval [0, 9])"), {}, "squeeze(1)", "without gaps"),
    (SLOT.format("weight"), {"line": "self.register_parameter('weight', w)"}, "nn.Parameter(x)",
     "copy_"),
    (SLOT.format("0"), {}, "since torch 1.12", "cut them off"),
    (SLOT.format("w"), {"frames": "net.py __init__\nmodule.py __setattr__"}, "Make it one",
     "copy_"),
    (SLOT.format("w"), {"frames": "net.py __init__\nnet.py build\nmodule.py __setattr__"}, "copy_",
     "Make it one"),
    (SLOT.format("weight"), {"line": "layer.weight = w"}, "copy_", "Make it one"),
    (SYMBOL.format("libcublas.so.11", "cublasLtGetStatusString, version libcublasLt.so.11"), {},
     "unset LD_LIBRARY_PATH", "build of the extension"),
    (SYMBOL.format("libcusparse.so.12", "__nvJitLinkAddData_12_1"), {}, "CUDA's own", "extension"),
    (SYMBOL.format("flash_attn_2_cuda.so", "_ZN3c104cuda9SetDeviceEi"), {}, "the extension",
     "unset"),
    (REFUSED.format("Tensor, tuple", "Tensor, !tuple of (bool, bool)!"), {}, "stride=(True, True)",
     "no form"),
    (REFUSED.format("Tensor, tuple", "Tensor, !tuple of (float, float)!"), {}, "(float, float)",
     "True"),
    (REFUSED.format("Tensor, int", "Tensor, int"), {}, "no form that takes (Tensor, int)", "place"),
    (REFUSED.format("Tensor, tuple", "Tensor, tuple of (int,)"), {}, "none of its forms",
     "no form"),
    (MASK.format(3, "16, 12, 12", "64, 12, 12"), {}, "repeat_interleave(4, dim=0)", "both lengths"),
    (MASK.format(3, "16, 12, 12", "70, 12, 12"), {}, "steps of the query", "repeat_interleave"),
    (MASK.format(3, "16, 12, 12", "64, 9, 9"), {}, "steps of the query", "repeat_interleave"),
    (MASK.format(3, "64, 12, 12", "16, 12, 12"), {}, "steps of the query", "repeat_interleave"),
    (CUT, ATTENTION | {"code": "a = nn.MultiheadAttention(8, 2, batch_first=True)"},
     "where the layer is batch first", "transpose"),
    (CUT, ATTENTION | {"code": "a = nn.MultiheadAttention(8, 2)"}, "transpose", "expand"),
    (CUT, {"code": "a = nn.MultiheadAttention(8, 2, batch_first=True)"}, "times", "expand"),
    (EINSUM.format("b", 8, 32), {}, "repeat_interleave(4, dim=0)", "different letters"),
    (EINSUM.format("d", 8, 32), {}, "different letters", "repeat"),
    (EINSUM.format("b", 8, 30), {}, "different letters", "repeat"),
    (EINSUM.format("b", 1, 30), {}, "different letters", "repeat"),
    (WORKER.format("KeyError: 3"), {}, "list(d.values())", "num_workers=0"),
    (WORKER.format("KeyError: my own words of it"), {}, "num_workers=0", "list(d"),
    (WORKER.format("the end"), {}, "num_workers=0", "list(d"),
    (AGAIN, {"code": "opt = torch.optim.LBFGS(w)"}, "several times in one step", "carried"),
    (AGAIN, {"code": "opt = torch.optim.SGD(w)"}, "carried", "closure"),
    (SETTER.format("event_dim"), {}, "codomain", "another name"),
    (SETTER.format("event_shape"), {}, "super().__init__(", "another name"),
    (SETTER.format("size"), {}, "another name", "codomain"),
    (CALLED, {"line": "h = hessian(loss, x)"}, "`hessian(f, w)`", "If an index"),
    (CALLED, {"code": "h = jacobian(loss, x)"}, "first argument", "x[…]"),
    (CALLED, {"code": "h = jacobian(f, x)"}, "If an index", "first argument"),
    (CALLED, {"line": "h = hessian(lambda a: loss(a), x)"}, "If an index", "first argument"),
    (CALLED, {"line": "y = loss(x)"}, "If an index", "first argument"),
    (CALLED.replace("Tensor", "int"), {"line": "h = hessian(loss, x)"}, "If an index", "hessian"),
    (MPS.format("_slow_conv2d_forward"), {}, "still on the CPU", "does not have"),
    (MPS.format("median"), {}, "does not have aten::median", "still on the CPU"),
    (FULL.format(" Process 8 has 9.00 GiB"), {"code": "c = torch.load(p)"}, "whatever", "smaller"),
    (FULL.format(" Process 8 has 9.00 GiB"), {"code": "c = torch.load(p, map_location='cpu')"},
     "smaller", "whatever"),
    (FULL.format(" Process 7 has 9.00 GiB"), {"code": "c = torch.load(p)"}, "smaller", "whatever"),
    (DIED, {"words": "the RAM grows until the end"}, "long list in the dataset", "num_workers=0"),
    (DIED, {"words": "内存一直涨"}, "dmesg", "Windows"),
    (DIED, {"words": "it comes at random"}, "num_workers=0", "shm"),
    (DIED, {"words": "I run it in docker"}, "shm", "Windows"),
    (REFUSES.format("covariance_matrix", "MultivariateNormal", "PositiveDefinite"), {}, "eigvalsh",
     "softplus"),
    (REFUSES.format("scale_tril", "MultivariateNormal", "LowerCholesky"), {}, "torch.tril", "eigv"),
    (REFUSES.format("scale", "Normal", "GreaterThan"), {}, "softplus", "eigvalsh"),
    (GROUPS, {}, "scheduler.min_lrs.append", "a list needs one"),
    ("ValueError: expected 2 min_lrs, got 1", {}, "a list needs one", "append"),
    (RESTARTS.format("0.5"), {}, "SequentialLR", "int(n)"),
    (RESTARTS.format("2.5"), {}, "int(n)", "SequentialLR"),
    (NO_STEPS.format("0"), {}, "len(loader)", "int(n)"),
    (NO_STEPS.format("12.5"), {}, "int(n)", "len(loader)"),
    (SUM, {"line": "opt.step()"}, "Make it dense", "first"),
    (SUM, {"line": "y = s + d"}, "dense one first", "optimizer"),
    ("RuntimeError: sparse things", {"line": "opt.step()"}, "does not take sparse", "dense"),
    ("KeyError: 'sum'", {"frames": "adagrad.py step"}, "optimizer.state[p]", "Print its keys"),
    ("KeyError: 'sum'", {"line": "row['sum']"}, "Print its keys", "Adagrad"),
    ("KeyError: 'total'", {"frames": "adagrad.py step"}, "Print its keys", "Adagrad"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "shown", "told", "untold"), ROWS)
def test_what_the_post_shows_tells_the_cause(error, shown, told, untold):
    """Each beside a neighbour of which the same sentence would be wrong."""
    kind, _, message = error.partition(": ")
    around = {name: value for name, value in shown.items() if name != "code"}
    lines = shown.get("code", "").split("\n")
    code = [Construct(kind="call", name="f", line=1, code=line) for line in lines if line]
    reading = read_words(PastedTraceback(type=kind, message=message), Around(**around), code)

    assert reading is not None
    whole = f"{reading.means} {reading.causes} {reading.remedy}"
    assert told in whole, whole
    assert untold not in whole, whole


@pytest.mark.parametrize(
    ("types", "marked"),
    [
        ("Tensor, !tuple of (bool, bool)!, int", "tuple of (bool, bool)"),
        ("Tensor, !float!, !float!", "float"),
        ("Tensor, !float!, !int!", ""),
        ("Tensor, float", ""),
    ],
)
def test_an_argument_that_the_message_marks_is_the_odd_one(types: str, marked: str):
    """Of two of different types neither is sure."""
    assert marked_argument(REFUSED.format("Tensor", types)) == marked
