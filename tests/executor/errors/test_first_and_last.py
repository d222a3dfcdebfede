"""What a post shows decides which of an error's causes is told, and which advice leads away."""

from __future__ import annotations

import pytest

from bot.models import PastedTraceback
from executor.errors import Around, read_words
from executor.protocol import Construct

NO_MODULE = "No module named 'traders'"
PICKLED = "pickle keeps no more than where they were imported from"
LOAD = {"line": "net = torch.load(path)", "frames": "use.py <module>\nserialization.py _load"}
ROWS = (
    "Expected parameter logits (Tensor of shape (3, 2)) of distribution Categorical(logits: "
    "torch.Size([3, 2])) to satisfy the constraint IndependentConstraint(Real(), 1), but found "
    "invalid values:\ntensor([{}])"
)
SOUND, NAN = "[-0.7, ..., -0.6]", "[nan, ..., nan]"
KERNEL = "CUDA error: no kernel image is available for execution on the device"
WARNED = (
    "A with CUDA capability sm_{} is not compatible with the current PyTorch installation.\nThe "
    "current PyTorch install supports CUDA capabilities {}.\n"
)
OLD = "sm_37 sm_50 sm_60 sm_70"
FORKED = "Cannot re-initialize CUDA in forked subprocess."
SAMPLE = "loop.py fit\nset.py __getitem__"
BUS = "DataLoader worker (pid 9) is killed by signal: Bus error."
WATCHED = "ModelCheckpoint(monitor='val_f1') not found in the returned metrics: ['loss']."
RANGE = "index out of range"
OF_A_SET = {"raised_in": "sets", "raising": "raise IndexError('index out of range')"}
DRAWN = "s = WeightedRandomSampler(w, 100)"
IDS = (
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
    "Int; but got torch.FloatTensor instead (while checking arguments for embedding)"
)
LAYER = "Input type (torch.{}FloatTensor) and weight type (torch.{}FloatTensor) should be the same"
LONG = "\"log_sigmoid_cpu\" not implemented for 'Long'"
UNPADDED = (
    "Unable to create tensor, you should probably activate truncation and/or padding. Perhaps your "
    "features (`{}` in this case) have excessive nesting"
)
OF_TEXTS = "ValueError: too many dimensions 'str'\n\nThe above exception was the direct cause"
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
TWO = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
    "cuda:1!"
)
MAP = "device_map = {{'h.0': 0, 'h.1.ln': 0, 'h.1.mlp.fc': {}, 'h.2': 1}}"
NCCL = "NCCL error in: ProcessGroupNCCL.cpp:492, unhandled {} error"
HALF = "_th_{} is not supported on {}Type for {}Tensor"

CASES = [
    # A file of whole objects, and an import that stands in a file.
    ("ModuleNotFoundError", NO_MODULE, LOAD, PICKLED, "pip install"),
    ("ModuleNotFoundError", NO_MODULE, {"line": "with open(p) as f: d = pickle.load(f)"}, PICKLED,
     "pip install"),
    ("ModuleNotFoundError", NO_MODULE, {"line": "import traders"}, "pip install", PICKLED),
    ("ModuleNotFoundError", NO_MODULE, {"line": "net = torch.hub.load(a, b)"}, "pip install",
     PICKLED),
    # A package that the file needs imports another one, which is missing.
    ("ModuleNotFoundError", NO_MODULE, {**LOAD, "raised_in": "shop"}, "pip install", PICKLED),
    # NaN in some rows, in all of them, and inside of rows.
    ("ValueError", ROWS.format(f"{SOUND}, {NAN}"), {}, "not at the learning rate", "clip it"),
    ("ValueError", ROWS.format(f"{NAN}, {SOUND}, {NAN}"), {}, "some rows are NaN", "clip it"),
    ("ValueError", ROWS.format(f"{NAN}, {NAN}"), {}, "clip it", "some rows"),
    ("ValueError", ROWS.format("[nan, 0.1], [0.2, nan]"), {}, "clip it", "some rows"),
    ("ValueError", ROWS.format(f"[nan, 0.1], {SOUND}"), {}, "clip it", "some rows"),
    # What torch's warning says of the GPU.
    ("", KERNEL, {"words": WARNED.format(86, OLD)}, "CUDA 11.1 or newer", "Compare"),
    ("", KERNEL, {"words": WARNED.format(120, "sm_80 sm_90")}, "CUDA 12.8", "Compare"),
    ("", KERNEL, {"words": WARNED.format(30, OLD)}, "an older CUDA", "Compare"),
    ("", KERNEL, {"words": WARNED.format(61, OLD)}, "Compare", "whatever the line"),  # between
    ("", KERNEL, {"words": "on an RTX 3090"}, "Compare", "whatever the line"),
    ("UserWarning", WARNED.format(86, OLD), {}, "CUDA 11.1 or newer", "compare"),
    # A worker that touches the GPU.
    ("", FORKED, {"frames": SAMPLE, "code": "t = torch.load('t.pt')"}, "map_location='cpu'",
     "set_start_method"),
    ("", FORKED, {"frames": SAMPLE, "code": "t = torch.load('t.pt', map_location='cpu')"},
     "uses CUDA in a worker", "t.pt"),
    ("", FORKED, {"frames": "main.py work", "code": "t = torch.load('t.pt')"}, "set_start_method",
     "map_location"),
    # A container, and what is none.
    ("", BUS, {"words": "I start it in docker"}, "Give the container more", "memmap"),
    ("", BUS, {"words": "docker run --gpus all -it me python a.py"}, "64 MB", "memmap"),
    ("", BUS, {"words": "I do not use docker"}, "memmap", "Give the container more"),
    ("", BUS, {"words": "docker run --shm-size=16g me"}, "memmap", "Give the container more"),
    # A value that is logged, and how.
    ("MisconfigurationException", WATCHED, {"code": "self.log('val_f1', f, on_epoch=False)"},
     "gathered over a whole validation", "not among what was logged"),
    ("MisconfigurationException", WATCHED, {"code": 'self.log("val_f1", f)'},
     "not there yet", "not among what was logged"),
    ("MisconfigurationException", WATCHED, {"code": "self.log('f1', f, on_epoch=False)"},
     "not among what was logged", "gathered"),
    ("MisconfigurationException", WATCHED.replace("val_f1", "train_f1"),
     {"code": "self.log('train_f1', f, on_epoch=False)"}, "not there yet", "gathered"),
    # A data set that is drawn from.
    ("IndexError", RANGE, {**OF_A_SET, "frames": SAMPLE, "code": DRAWN}, "one for each sample",
     "list, tuple or string"),
    ("IndexError", RANGE, {"frames": SAMPLE, "code": DRAWN}, "one for each sample", "may be empty"),
    ("IndexError", RANGE, {"frames": f"{SAMPLE}\nx.py cut", "code": DRAWN}, "may be empty",
     "one for each sample"),
    ("IndexError", RANGE, {**OF_A_SET, "frames": SAMPLE}, "A data set of sets", "list, tuple"),
    ("IndexError", RANGE, {**OF_A_SET, "frames": "a.py f"}, "sets is asked", "A data set"),
    ("IndexError", RANGE, {"raised_in": "sets", "raising": "y = x[3]"}, "list, tuple or", "sets"),
    # Ids that are whole where they begin.
    ("", IDS, {"words": "x.dtype is torch.int64"}, "that very Embedding", "`ids.long()`"),
    ("", IDS, {"code": "x = torch.LongTensor(rows)"}, "that very Embedding", "`ids.long()`"),
    ("", IDS, {"words": "my longest text has 9 words"}, "`ids.long()`", "that very Embedding"),
    # torchsummary, and who moved the model.
    ("", LAYER.format("cuda.", ""), {"code": "summary(net, (3, 8, 8))"}, "torchsummary", "ModuleL"),
    ("", LAYER.format("cuda.", ""), {"code": "summary(net, (3, 8, 8), device='cpu')"}, "ModuleList",
     "torchsummary"),
    ("", LAYER.format("cuda.", ""), {"code": "net.summary()"}, "ModuleList", "torchsummary"),
    ("", LAYER.format("", "cuda."), {"code": "summary(net, (3, 8, 8))"}, "x = x", "torchsummary"),
    ("", LAYER.format("cuda.", ""), {"words": "I have not put anything on cuda"},
     "If the model was not moved", "is moved in what"),
    ("", LAYER.format("cuda.", ""), {"words": "I didn't move any tensor. I put all on cuda"},
     "is moved in what", "If the model was"),
    # Whole numbers that go into a loss.
    ("", LONG, {"code": "p = scores.argmax(1)"}, "without a gradient", "nothing"),
    ("", LONG, {"code": "p = scores"}, "x.float()", "without a gradient"),
    ("", LONG.replace("log_sigmoid", "cumsum"), {"code": "p = scores.argmax(1)"}, "x.float()",
     "without a gradient"),
    ("", HALF.format("exp", "CUDA", "Long"), {}, "x.float()", "half"),
    ("", HALF.format("index_select", "CPU", "Half"), {"words": "to get the speed up"}, "int8",
     "The index has"),
    ("", HALF.format("mm", "CPU", "Half"), {"words": "it fails"}, "half precision", "int8"),
    # The first error of a chain.
    ("ValueError", UNPADDED.format("labels"), {"above": OF_TEXTS}, "label2id[row", "Collator"),
    ("ValueError", UNPADDED.format("labels"), {}, "Collator", "label2id"),
    ("ValueError", UNPADDED.format("words"), {"above": OF_TEXTS}, "remove_columns", "label2id"),
    # A block that a map of devices cuts in two, and one that it leaves whole.
    ("", TWO, {"words": MAP.format(1)}, "cuts a block in two", "device_map={'': 0}"),
    ("", TWO, {"code": MAP.format(1)}, "no_split_module_classes", "model.device"),
    ("", TWO, {"words": MAP.format(0)}, "device_map={'': 0}", "cuts a block"),
    ("", TWO, {"words": MAP.format(1).replace("h.1.mlp", "h.11.mlp")}, "model.device", "in two"),
    # A call of the system that failed, and another fault of NCCL.
    ("", NCCL.format("system"), {}, "shared memory", "two processes on one GPU"),
    ("", NCCL.format("cuda"), {}, "two processes on one GPU", "shared memory"),
    # A decorator that is there, and one that is gone.
    ("", NO_GRAPH, {"words": "forward has @torch.no_grad()"}, "Take that line off", "Find"),
    ("", NO_GRAPH, {"words": "I removed @torch.no_grad() from it"}, "Find where", "Take that line"),
    ("", NO_GRAPH, {"words": "evaluation is under no_grad"}, "Find where", "Take that line"),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "message", "around", "told", "not_told"), CASES)
def test_what_the_post_shows_decides(
    type_: str, message: str, around: dict[str, str], told: str, not_told: str
) -> None:
    """Each row beside its message: what is told, and what would lead away."""
    shown = dict(around)
    code = shown.pop("code", "")
    lines = [Construct(kind="call", name="", line=1, code=code)] if code else []
    posted = PastedTraceback(type=type_ or "RuntimeError", message=message, frames=())

    reading = read_words(posted, Around(**shown), lines)

    assert reading is not None
    said = f"{reading.means}. {reading.causes}. {reading.remedy}"
    assert told in said and not_told not in said, said
