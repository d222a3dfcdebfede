"""What a post shows beside its message, and what of two neighbouring causes it has said."""

from __future__ import annotations

import re

import pytest
from torch import nn

from bot.models import PastedTraceback
from executor.errors import Around, read_words
from executor.errors.families import attributes
from executor.protocol import Construct

NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
SCALAR = "grad can be implicitly created only for scalar outputs"
AGAIN = "Trying to backward through the graph a second time"
RECOMPUTED = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
    "than during the forward pass.\nsaved metadata: {{'shape': torch.Size([8, 4]), 'dtype': "
    "torch.float32}}\nrecomputed metadata: {{'shape': torch.Size({}), 'dtype': torch.{}}}"
)
GRADIENT = (
    "Function {} returned an invalid gradient at index 0 - got [4, 9] but expected shape "
    "compatible with [4, 8]"
)
LEAF = "you can only change requires_grad flags of leaf variables."
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.cuda.{}Tensor [{}]]{} is at version 3; expected version 2 instead."
)
OFF_BY_ONE = (
    "The size of tensor a (85) must match the size of tensor b (84) at non-singleton dimension 3"
)
STATE_OF = "{}: argument 'hx' (position 2) must be tuple of Tensors, not Tensor"
COVARIANCE = (
    "Expected parameter covariance_matrix (Tensor of shape (8, 12, 2, 2)) of distribution "
    "MultivariateNormal(loc: torch.Size([8, 12, 2]), covariance_matrix: torch.Size([8, 12, 2, 2])) "
    "to satisfy the constraint PositiveDefinite(), but found invalid values:\ntensor([1.0])"
)
STRIDED = ", which is output 0 of AsStridedBackward0,"
DIMENSIONS = "Index tensor must have the same number of dimensions as {} tensor"
MASKED = (
    "The shape of the mask [{}] at index 0 does not match the shape of the indexed tensor [{}] at "
    "index 0"
)
SPATIAL = "size mismatch (got input: [{}] , target: [{}]"
WHOLE = "only integer tensors of a single element can be converted to an index"
SPREAD = (
    "Using a target size (torch.Size([{}])) that is different to the input size "
    "(torch.Size([{}])). This will likely lead to incorrect results due to broadcasting."
)
ISTFT = "istft(CPUComplexFloatType[9, 5], center={}, normalized=0) window overlap add min: 1"
MAPS = "shape '[1, 1, 52, 52]' is invalid for input of size 4096"
HIDDEN = "Expected hidden[0] size (1, 24, 8), got [1, 32, 8]"
MASK = "The shape of the 2D attn_mask is torch.Size({0}), but should be ({1}, {1})."
PADDING = "Expected key_padded_mask.shape[0] to be 4, but got 9"
TURNS = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [32, 1]], which is output 0 of AsStridedBackward0, is at "
    "version 3; expected version 2 instead."
)
LONG_RESULT = "result type Float can't be cast to the desired output type Long"
EDGES = (
    "Found indices in 'edge_index' that are larger than 0 (got 145). Please ensure that all "
    "indices in 'edge_index' point to valid indices in the interval [0, {})"
)
AMBIGUOUS = "bool value of Tensor with more than one value is ambiguous"
SCRIPTED = "Expected a value of type '{}' for argument 'other' but instead found type '{}'."
VIEW = "Output 0 of {} is a view and is being modified inplace. This view was {}"
STATE = "Error(s) in loading state_dict for Net:\n\t"
RESIZED = (
    f"{STATE}size mismatch for {{}}: copying a param with shape torch.Size([{{}}]) from "
    "checkpoint, the shape in current model is torch.Size([{}])."
)
SLOT = "cannot assign '{}' as {} '{}' (torch.nn.Module or None expected)"
LOADED = "Weights only load failed. … GLOBAL a.B was not an allowed global"
CLASSES = "Found no valid file for the classes {}. Supported extensions are: .jpg"
FULL = (
    "CUDA out of memory. Tried to allocate {} (GPU 0; 11.00 GiB total capacity; {} GiB already "
    "allocated; {} MiB free; {} GiB reserved in total by PyTorch)"
)
NO_ROOM = "CUDA out of memory. Tried to allocate 2.00 GiB"
IN_HALVES = "Expected hidden[0] size (2, 8, 16), got [1, 16, 16]"
SYSTEM = "NCCL error in: ../ProcessGroupNCCL.cpp:9, unhandled system error, NCCL version 2.1.4"
TIMED_OUT = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLGATHER)"
BY_ONE = "if accelerator.is_main_process:\n    {}"
SYMBOL = "/env/lib/{}: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs"
PINNING = "Pin memory thread exited unexpectedly"
UNKNOWN = "not enough values to unpack (expected 2, got 0)"
NORM = "{} of 'weight' not found in {}(4, 4)"
LOST = "ModuleNotFoundError"
UNPICKLED = {"line": "m = torch.load(path)"}
PIPPED = "So I did pip install nets. Now: Can't get attribute 'Net' on module nets"
ASSERTED = "a.cu:94: operator(): block: [9,0,0], thread: [1,0,0] Assertion `{}` failed."
GPU_AND_CPU = (
    "Expected all tensors to be on the same device, but found at least two devices, {} and {}! "
    "(when checking argument for argument {} in method {})"
)
OF_AN_RNN = "Input and {} tensors are not at the same device, found input tensor at {} and {}"
GENERATOR = "Expected a 'cuda' device type for generator but found 'cpu'"

ATTRIBUTE = "AttributeError"
MISSING = "ModuleNotFoundError"
IMPORT = "cannot import name 'f' from"
NONE = "'NoneType' object has no attribute"

TYPE = "TypeError"
VALUE = "ValueError"
LACKS = "missing 1 required positional argument:"
WANTS = "{}(): argument 'input' (position 1) must be {}, not {}"
DEEP = "maximum recursion depth exceeded"

FORKED = "Cannot re-initialize CUDA in forked subprocess."
PAGE_FILE = '[WinError {}] It failed. Error loading "C:\\torch\\lib\\a.dll" or one of them.'
RESET = "[Errno 104] Connection reset by peer"
WRAPPED = (
    "DistributedDataParallel device_ids and output_device arguments only work with CPU modules, "
    "but got device_ids [0], output_device 0, and module parameters {{device(type={})}}."
)
FILE = "FileNotFoundError"
NO_FILE = "[Errno 2] No such file or directory:"
OPTIMIZES = "optimizer can only optimize Tensors, but one of the params is"
BACKEND = "Could not run '{}' with arguments from the '{}' backend."

LEAF_WRITTEN = "a leaf Variable that requires grad is being used in an in-place operation."
FAR_GPU = "Attempting to deserialize object on CUDA device {} but torch.cuda.device_count() is {}"
OPERAND = "WeightsUnpickler error: Unsupported operand "
OLD_INDEX = "Expected object of backend CPU but got backend CUDA for argument #3 'index'"
NOT_REDUCED = "Expected to have finished reduction in the prior iteration"

KEYWORD = "got an unexpected keyword argument"
LAYER = "Input type (torch.{}Tensor) and weight type (torch.{}Tensor) should be the same"

OPERATOR = "unsupported operand type(s) for /: '{}' and '{}'"

STEPPED = "Tried to step 11 times. The specified number of total steps is 10"


def apart(one: str, other: str, argument: str, method: str) -> str:
    """Two devices, and the argument at which the second one was found."""
    return GPU_AND_CPU.format(one, other, argument, f"wrapper_CUDA_{method}")


FEWER = "not enough values to unpack (expected {}, got {})"
INTO_LONG = "result type Float can't be cast to the desired output type Long"
OBJECTS = "can't convert np.ndarray of type numpy.object_"
ONE_SAMPLE = (
    "Expected more than 1 value per channel when training, got input size torch.Size([1, 8, 1, 1])"
)
NO_SIMPLEX = (
    "Expected parameter probs (Tensor of shape (4, 9)) of distribution Categorical(probs: "
    "torch.Size([4, 9])) to satisfy the constraint Simplex(), but found invalid values:"
)

# type, message, what stands around it, what is told, what is not
CASES = [
    # -- autograd ---------------------------------------------------------------------------
    ("", NO_GRAPH, {"words": "LoRA with use_reentrant"}, "inputs require no gradient", "cut"),
    ("", NO_GRAPH, {"code": "a(gradient_checkpointing=False)"}, "graph was cut", "frozen inputs"),
    ("", NO_GRAPH, {"frames": "c.py decorate_context\na.py f"}, "@torch.no_grad()", "Find where"),
    ("", NO_GRAPH, {"frames": "lbfgs.py step\nc.py decorate_context"}, "Find where", "decorator"),
    ("", NO_GRAPH, {"code": "p.requires_grad = False"}, "If it is empty, all is", "Find where"),
    ("", NO_GRAPH, {"words": "I added y.detach()"}, "If the loss is computed from", "nothing of"),
    ("", SCALAR, {"code": "g = autograd.grad(y, x)"}, "grad_outputs", "loss.mean()"),
    ("", SCALAR, {"code": "autograd.grad(y, x)\nz.backward()"}, "loss.mean()", "grad_outputs"),
    (
        "",
        SCALAR,
        {"code": "g = autograd.grad(y, x)", "line": "loss.backward()"},
        "loss.mean()",
        "autograd.grad was given",
    ),
    ("", AGAIN, {"words": "an LSTM"}, "both states", "share a forward"),
    ("", AGAIN, {"code": "d_loss.backward()"}, "D(fake.detach())", "notebook"),
    ("", AGAIN, {}, "added up over the steps", "D(fake"),
    ("CheckpointError", RECOMPUTED.format("[8, 4]", "half"), {}, "half then", "a cache"),
    ("CheckpointError", RECOMPUTED.format("[0]", "float32"), {}, "ZeRO-3", "autocast"),
    ("CheckpointError", RECOMPUTED.format("[7, 4]", "float32"), {}, "a cache", "ZeRO-3"),
    ("", GRADIENT.format("MulBackward0"), {}, "PyTorch's own", "backward of Mul returns"),
    ("", GRADIENT.format("DoubleBackward"), {}, "backward of Double", "PyTorch's own"),
    ("", f"{LEAF} If you want to use a computed variable", {}, "set to False", "switch it on"),
    ("", LEAF, {}, "To switch it on", "set to False"),
    ("", "the derivative for 'weight' is not implemented", {}, "class weights", "swapped"),
    ("", "the derivative for 'target' is not implemented", {}, "swapped", "class weights"),
    # -- in place ---------------------------------------------------------------------------
    (
        "",
        "a leaf Variable that requires grad is being used in an in-place operation.",
        {"frames": "module.py _call_impl\na.py forward"},
        "x = x.clone()",
        "no_grad",
    ),
    ("", CHANGED.format("Float", "8, 4, 3, 3", ""), {}, "convolution's weight", "BatchNorm"),
    ("", CHANGED.format("Float", "8, 4, 30, 30", ""), {}, "BatchNorm", "convolution"),
    ("", CHANGED.format("Float", "8", ""), {"words": "with DDP"}, "broadcast_buffers", "copy_"),
    ("", CHANGED.format("Float", "8", ""), {}, "optimizer.step()", "broadcast_buffers"),
    ("", CHANGED.format("Long", "8", ""), {}, "whole numbers", "optimizer.step()"),
    (
        "",
        CHANGED.format("Float", "8, 4", ", which is output 0 of CopySlices,"),
        {},
        "in a loop",
        "optimizer.step()",
    ),
    ("", CHANGED.format("Float", "8, 1", STRIDED), {}, "of a Linear layer", "made by AsStrided"),
    ("", CHANGED.format("Float", "8, 4, 3", STRIDED), {}, "made by AsStrided", "of a Linear"),
    (
        "",
        VIEW.format("BackwardHookFunctionBackward", "created inside a custom Function"),
        {},
        "full backward hook",
        "One of several",
    ),
    ("", VIEW.format("MineBackward", "created inside a custom Function"), {}, "its own", "One of"),
    ("", VIEW.format("UnbindBackward0", "the output"), {}, "One of several", "its own"),
    # -- sizes that tell where they come from --------------------------------------------------
    ("", DIMENSIONS.format("src"), {}, "as a number", "squeeze(1)"),
    ("", DIMENSIONS.format("self"), {}, "squeeze(1)", "as a number"),
    ("IndexError", MASKED.format("384, 19", "9216, 19"), {}, "384·24 = 9216", "is not repeated"),
    ("IndexError", MASKED.format("384, 19", "9215, 19"), {}, "is not repeated", "·"),
    ("IndexError", MASKED.format("384, 7", "9216, 19"), {}, "is not repeated", "·"),
    ("", SPATIAL.format("4, 9, 1536, 3072", "4, 512, 1024"), {}, "3 times as high", "smaller maps"),
    ("", SPATIAL.format("4, 9, 128, 256", "4, 512, 1024"), {}, "smaller maps", "times as high"),
    ("TypeError", WHOLE, {"line": "y = f[b, :, z0 / 4:z1 / 4]"}, "in place of `/`", "is a list"),
    ("TypeError", WHOLE, {"line": "y = f[k[:n] / 2]"}, "int(x)", "in place of `/`"),
    ("TypeError", WHOLE, {"line": "y = f[k] / 2"}, "int(x)", "in place of `/`"),
    ("UserWarning", SPREAD.format("64, 4", "64, 1"), {"words": "my SAC"}, "log_prob", "one-hot"),
    ("UserWarning", SPREAD.format("64, 4", "64, 1"), {"words": "ages"}, "one-hot", "log_prob"),
    ("UserWarning", SPREAD.format("64, 64", "64, 1"), {}, "each with each", "one-hot"),
    ("UserWarning", SPREAD.format("1, 4", "1, 1"), {}, "one-hot", "each with each"),
    ("", ISTFT.format(0), {}, "center=True in both", "Make hop_length smaller"),
    ("", ISTFT.format(1), {}, "Make hop_length smaller", "center=True in both"),
    ("", OFF_BY_ONE, {"code": "y = torch.fft.irfft2(f)"}, "n=x.shape[-1]", "ConvTranspose2d"),
    ("", OFF_BY_ONE, {"words": "a U-Net with skip connections"}, "ConvTranspose2d", "irfft"),
    ("TypeError", STATE_OF.format("lstm_cell()"), {}, "(h, c)", "into a list"),
    ("TypeError", STATE_OF.format("stack()"), {}, "into a list", "(h, c)"),
    ("ValueError", COVARIANCE, {"words": "and the correlation"}, "rho * sx * sy", "eigvalsh"),
    ("ValueError", COVARIANCE, {}, "eigvalsh", "rho * sx"),
    ("KeyError", "\"attribute 'mask' already exists\"", {}, "leave out the", "Print its keys"),
    ("KeyError", "'labels'", {"raised_in": "torchvision"}, "background", "Print its keys"),
    ("KeyError", "'labels'", {}, "Print its keys", "background"),
    ("KeyError", "'image'", {"raised_in": "torchvision"}, "Print its keys", "background"),
    # -- modules ----------------------------------------------------------------------------
    ("", f'{STATE}Unexpected key(s) in state_dict: "a.total_ops". ', {}, "thop", "Compare"),
    ("", f'{STATE}Unexpected key(s) in state_dict: "a.total_ops", "b". ', {}, "Compare", "thop"),
    ("", f'{STATE}Missing key(s) in state_dict: "a.weight_g". ', {}, "weight_norm", "Compare"),
    ("", RESIZED.format("pos_embed", "1, 50, 8", "1, 82, 8"), {}, "interpolate", "vocabulary"),
    ("", RESIZED.format("pos_embed", "1, 50, 8", "1, 50, 16"), {}, "sizes of one", "interpolate"),
    ("", RESIZED.format("pos_embed", "1, 50, 8", "1, 82, 8"), {}, "interpolate", "sizes of one"),
    ("", RESIZED.format("pose.fc.weight", "50, 8", "82, 8"), {}, "classes", "positions"),
    ("", RESIZED.format("tok_embed.weight", "50, 8", "82, 8"), {}, "vocabulary", "interpolate"),
    ("", RESIZED.format("a.weight", "8, 3, 7, 7", "8, 1, 7, 7"), {}, "channels", "classes"),
    ("", RESIZED.format("a.weight", "8, 3, 7, 7", "9, 1, 7, 7"), {}, "classes", "channels"),
    (
        "",
        f"{RESIZED.format('a.weight', '3, 8', '2, 8')} `ignore_mismatched_sizes=True`",
        {},
        "num_labels=3",
        "strict=False",
    ),
    ("TypeError", "Expected state_dict to be dict-like, got <class 'str'>.", {}, "path", "whole"),
    ("TypeError", "Expected state_dict to be dict-like, got <class 'a.Net'>.", {}, "whole", "path"),
    ("AttributeError", "'OrderedDict' object has no attribute 'argmax'", {}, "entry", "then load"),
    ("AttributeError", "'OrderedDict' object has no attribute 'eval'", {}, "then load", "entry"),
    (
        "AttributeError",
        "'OrderedDict' object has no attribute 'to'",
        {},
        "model's output",
        "tensor",
    ),
    ("NotImplementedError", "", {"frames": "dataset.py __getitem__"}, "`__getitem__`", "forward"),
    ("NotImplementedError", "", {"frames": "module.py forward"}, "`forward`", "library"),
    ("NotImplementedError", "", {"frames": "module.py f\na.py g"}, "library", "nn.Module"),
    ("TypeError", "list is not a Module subclass", {}, "*layers", "parentheses"),
    ("TypeError", "function is not a Module subclass", {}, "is no layer", "*layers"),
    ("TypeError", "__main__.Block is not a Module subclass", {}, "derive", "*layers"),
    ("TypeError", SLOT.format("torch.FloatTensor", "child module", "fc"), {}, "own name", "write"),
    ("TypeError", SLOT.format("list", "child module", "fc"), {}, "ModuleList", "own name"),
    (
        "TypeError",
        SLOT.format("torch.cuda.FloatTensor", "parameter", "weight"),
        {"line": "a.weight = a.weight.cuda()"},
        "move it whole",
        "copy_",
    ),
    (
        "TypeError",
        SLOT.format("torch.cuda.FloatTensor", "parameter", "weight"),
        {"line": "a.weight = b.cuda()"},
        "copy_",
        "move it whole",
    ),
    ("UnpicklingError", LOADED, {"line": "m = Net('a.pt')"}, "FORCE_NO_WEIGHTS", "state_dict()"),
    ("UnpicklingError", LOADED, {"line": "m = torch.load('a.pt')"}, "state_dict()", "FORCE_NO"),
    # -- files ------------------------------------------------------------------------------
    ("EOFError", "Ran out of input", {"frames": "spawn.py _main"}, "other traceback", "is empty"),
    ("EOFError", "Ran out of input", {"frames": "serialization.py load"}, "is empty", "worker"),
    ("UnpicklingError", "invalid load key, 'v'.", {}, "git lfs pull", "pickle.dump"),
    ("UnpicklingError", "invalid load key, '\\x89'.", {}, ".h5", "git lfs"),
    ("", "PytorchStreamReader failed locating file constants.pkl", {}, "torch.jit.save", "cut"),
    ("", "PytorchStreamReader failed reading zip archive: x", {}, "cut", "torch.jit"),
    ("FileNotFoundError", CLASSES.format(".cache"), {}, "hidden folder", "a folder deeper"),
    ("FileNotFoundError", CLASSES.format("cats, dogs"), {}, "a folder deeper", "hidden folder"),
    # -- memory -----------------------------------------------------------------------------
    ("", FULL.format("74.5 GiB", "1", "900", "1.1"), {}, "too large by itself", "nvidia-smi"),
    ("", FULL.format("12.50 MiB", "0.1", "9280", "0.2"), {}, "9280 MiB of its", "accumulation"),
    ("", FULL.format("20 MiB", "1", "9", "1.1"), {}, "held by something else", "If it grows"),
    ("", FULL.format("20 MiB", "10", "9", "10.5"), {}, "If it grows", "something else"),
    ("", FULL.format("3 GiB", "5", "2900", "5.1"), {}, "If it grows", "something else"),
    ("", FULL.format("1.2 GiB", "5", "900", "8.1"), {}, "expandable_segments", "If it grows"),
    ("", FULL.format("1.2 GiB", "5", "900", "8.1"), {"torch": "1.12.1"}, "so that large", "graphs"),
    ("", FULL.format("1.2 GiB", "8", "900", "9.5"), {}, "If it grows", "expandable_segments"),
    ("", FULL.format("3.6 GiB", "5", "900", "8.1"), {}, "If it grows", "expandable_segments"),
    ("", IN_HALVES, {"words": "with nn.DataParallel(model)"}, "inside of forward", "last batch"),
    ("", IN_HALVES, {"frames": "parallel_apply.py _worker"}, "inside of forward", "last batch"),
    ("", IN_HALVES, {"words": "DistributedDataParallel"}, "Make the state from", "GPUs gets"),
    ("", HIDDEN, {"words": "DataParallel"}, "The first state has", "GPUs gets"),
    (
        "",
        SYSTEM,
        {"above": "Error: failed to extend /dev/shm/nccl-x to 9 bytes"},
        "--ipc",
        "ip addr",
    ),
    ("", SYSTEM, {"words": "creating shared memory segment /dev/shm/n"}, "shm_size", "firewall"),
    ("", SYSTEM, {"words": "df -h /dev/shm says 32G"}, "ip addr", "too small: a container"),
    (
        "",
        TIMED_OUT,
        {"words": "FSDP", "code": BY_ONE.format("a.save_state(p)")},
        "gathers",
        "first",
    ),
    (
        "",
        TIMED_OUT,
        {"words": "with DDP", "code": BY_ONE.format("a.save_state(p)")},
        "first",
        "gath",
    ),
    ("", TIMED_OUT, {"words": "FSDP", "code": BY_ONE.format("log(p)")}, "first error", "gathers"),
    ("OSError", SYMBOL.format("libtorchtext.so"), {}, "torchtext==0.18.0", "--no-deps"),
    ("OSError", SYMBOL.format("libtorchaudio.so"), {}, "--no-deps", "torchtext"),
    ("", "Compiler: cl is not found.", {}, "vcvarsall.bat", "build-essential"),
    ("", "Compiler: icx is not found.", {}, "build-essential", "vcvarsall.bat"),
    ("", PINNING, {"above": "ValueError: " + UNKNOWN}, "Upgrade torch", "says what could not"),
    ("", PINNING, {"words": "the batch is a list"}, "says what could not", "Upgrade"),
    ("ValueError", NORM.format("weight_norm", "ParametrizedConv1d"), {}, "weight_g", "nothing to"),
    ("ValueError", NORM.format("weight_norm", "Conv1d"), {}, "nothing to remove", "outputs stay"),
    ("ValueError", NORM.format("spectral_norm", "ParametrizedLinear"), {}, "computed now", "_g"),
    (
        LOST,
        "No module named 'nets'",
        {**UNPICKLED, "words": PIPPED},
        "pip uninstall",
        "install the v",
    ),
    (LOST, "No module named 'nets'", UNPICKLED, "install the version", "pip uninstall"),
    ("", NO_ROOM, {"line": "for x in DataLoader(d):"}, "If it grows", "saved from"),
    ("", NO_ROOM, {"line": "s = torch.load(p)"}, "saved from", "If it grows"),
    ("", NO_ROOM, {"line": "s = torch.load(p, map_location='cpu')"}, "If it grows", "saved from"),
    ("", NO_ROOM, {"line": "m = A.from_pretrained(p)"}, "weights alone", "saved from"),
    (
        "",
        ASSERTED.format("target_val >= zero && target_val <= one"),
        {},
        "targets outside",
        "class",
    ),
    ("", ASSERTED.format("probability tensor contains `nan`"), {}, "multinomial", "num_embeddings"),
    ("", ASSERTED.format("srcIndex < srcSelectDimSize"), {}, "num_embeddings", "multinomial"),
    # -- devices ----------------------------------------------------------------------------
    ("", apart("cuda:0", "cpu", "target", "nll_loss_forward"), {}, "target of a loss", "model.to("),
    ("", apart("cuda:0", "cpu", "weight", "nll_loss_forward"), {}, "criterion.to(", "model.to("),
    ("", apart("cuda:0", "cpu", "mat1", "addmm"), {}, "x = x.to(device)", "model.to("),
    ("", apart("cpu", "cuda:0", "mat1", "addmm"), {}, "model.to(device)", "x = x.to("),
    ("", apart("cuda:0", "cpu", "weight", "cudnn_batch_norm"), {}, "ModuleList", "x = x.to("),
    ("", apart("cuda:0", "cpu", "mat2", "mm"), {}, "print(x.device", "of a layer"),
    ("", apart("cuda:0", "cpu", "index", "_index_select"), {}, "ids.to(device)", "model.to("),
    ("", apart("cpu", "cuda:0", "index", "_index_select"), {}, "model.to(", "ids.to(device)"),
    (
        "",
        apart("cuda:0", "cuda:1", "mat2", "mm"),
        {"words": "device_map='auto'"},
        "model.device",
        "Say one device for all",
    ),
    ("", apart("cuda:0", "cuda:1", "mat2", "mm"), {}, "Say one device for all", "device_map"),
    ("", OF_AN_RNN.format("hidden", "cpu", "hidden tensor at cuda:0"), {}, "x.to(", "torch.zeros"),
    ("", OF_AN_RNN.format("hidden", "cuda:0", "hidden tensor at cpu"), {}, "torch.zeros", "x.to("),
    ("", OF_AN_RNN.format("x", "cuda:0", "parameter tensor at cpu"), {}, "model.to(", "x.to("),
    ("", GENERATOR, {"frames": "sampler.py __iter__"}, "The loader shuffles", "torch.randn"),
    ("", GENERATOR, {"frames": "a.py f"}, "torch.randn", "The loader shuffles"),
    # -- names ------------------------------------------------------------------------------
    (ATTRIBUTE, "module 'torch' has no attribute 'nn'", {}, "Every torch has that", "Compare"),
    (ATTRIBUTE, "module 'torch.nn' has no attribute 'Tensor'", {}, "Compare", "Every torch"),
    (ATTRIBUTE, "module 'utils' has no attribute 'nn'", {}, "found first counts", "Every utils"),
    ("ImportError", f"{IMPORT} partially initialized module 'a' (x)", {}, "a third", "renamed"),
    ("ImportError", f"{IMPORT} 'a' (unknown location)", {}, "folder named `a`", "renamed"),
    ("ImportError", f"{IMPORT} 'a' (/home/me/a.py)", {}, "spelled so", "successor"),
    ("ImportError", f"{IMPORT} 'a' (/x/site-packages/a.py)", {}, "successor", "spelled so"),
    (ATTRIBUTE, f"{NONE} 'shape'", {"line": "h = cv2.imread(p).shape"}, "exists(path)", "match"),
    (ATTRIBUTE, f"{NONE} 'shape'", {"line": "h = x.shape"}, "without `return`", "imread"),
    (ATTRIBUTE, f"{NONE} 'seek'. You can", {}, "A path or a file is None", "match"),
    (ATTRIBUTE, f"{NONE} 'split'", {"raised_in": "a"}, "a's own", "match"),
    (ATTRIBUTE, "'Tensor' object has no attribute 'astype'", {}, ".float()", "documentation"),
    (ATTRIBUTE, "'Tensor' object has no attribute 'logits'", {}, "part already", "NumPy"),
    (ATTRIBUTE, "'Tensor' object has no attribute 'foo'", {}, "documentation", "part already"),
    (ATTRIBUTE, "'bool' object has no attribute 'sum'", {}, "both sides", "from_numpy"),
    (ATTRIBUTE, "'int' object has no attribute 'item'", {}, "plain number already", "from_numpy"),
    (ATTRIBUTE, "'dict' object has no attribute 'backward'", {}, "losses.values()", "d['back"),
    (ATTRIBUTE, "'dict' object has no attribute 'to'", {}, "batch.items()", "d['to']"),
    (ATTRIBUTE, "'dict' object has no attribute 'eval'", {}, "Make the model", "d['eval']"),
    (ATTRIBUTE, "'dict' object has no attribute 'lr'", {}, "d['lr']", "batch.items()"),
    (ATTRIBUTE, "'tuple' object has no attribute 'append'", {}, "x = list(x)", "layer(x)"),
    (ATTRIBUTE, "'tuple' object has no attribute 'relu'", {}, "layer(x)", "list(x)"),
    (ATTRIBUTE, "'function' object has no attribute 'shape'", {}, "Call it", "several values"),
    (ATTRIBUTE, "'Subset' object has no attribute 'classes'", {}, "subset.dataset", "__init__"),
    (ATTRIBUTE, "'MSELoss' object has no attribute 'backward'", {}, "call it", "__init__"),
    (ATTRIBUTE, "'Net' object has no attribute '_h'", {}, "of one's own", "only its own library"),
    ("NameError", "name 'plt' is not defined", {}, "matplotlib", "self.plt"),
    ("NameError", "name '_C' is not defined", {}, "compiled part", "self._C"),
    (
        "NameError",
        "name 'a' is not defined",
        {"frames": "worker.py _worker_loop"},
        "spawned",
        "self",
    ),
    (MISSING, "No module named 'torch.nn'; 'torch' is not a package", {}, "hides it", "upgrade"),
    (MISSING, "No module named 'torch.nn'", {}, "upgrade", "hides it"),
    (MISSING, "No module named 'mmcv._ext'", {}, "compiled part", "or folder of that name"),
    (MISSING, "No module named 'apex.amp'", {}, "NVIDIA", "Installing `apex` again"),
    # -- calls ------------------------------------------------------------------------------
    (TYPE, f"forward() {LACKS} 'x'", {"frames": "parallel_apply.py _worker"}, "fewer", "unpacked"),
    (TYPE, f"forward() {LACKS} 'x'", {}, "unpacked", "fewer samples"),
    (TYPE, f"forward() {LACKS} 'self'", {}, "Make an object", "unpacked"),
    (TYPE, f"step() {LACKS} 'metrics'", {}, "ReduceLROnPlateau", "closure"),
    (TYPE, f"step() {LACKS} 'closure'", {}, "LBFGS", "ReduceLROnPlateau"),
    (TYPE, "forward() takes 1 positional argument but 2 were given", {}, "def forward(self", "_in"),
    (TYPE, "f() takes 1 positional argument but 2 were given", {}, "_init_", "def forward"),
    (TYPE, WANTS.format("conv2d", "Tensor", "list"), {}, "x, y = batch", "from_numpy"),
    (TYPE, WANTS.format("sqrt", "Tensor", "float"), {}, "math.sqrt", "from_numpy"),
    (TYPE, WANTS.format("conv2d", "Tensor", "JpegImageFile"), {}, "ToTensor", "from_numpy"),
    (TYPE, WANTS.format("conv2d", "Tensor", "numpy.ndarray"), {}, "from_numpy", "ToTensor"),
    (TYPE, WANTS.format("zeros", "tuple of ints", "float"), {}, "int(…)", "math"),
    (TYPE, "'Net' object is not callable", {}, "class Net(nn.Module)", "rename that"),
    (TYPE, "'int' object is not callable", {"line": "n = x.size(0)"}, "parentheses", "rename"),
    (TYPE, "'int' object is not callable", {"line": "n = f(0)"}, "rename that", "parentheses"),
    (TYPE, "'Net' object is not iterable", {}, "model.parameters()", "Print `type(x)`"),
    (TYPE, "'DataLoader' object is not an iterator", {}, "before the loop", "loader.dataset"),
    (TYPE, "'DataLoader' object is not subscriptable", {}, "loader.dataset", "before the loop"),
    (TYPE, "unhashable type: 'slice'", {}, "iloc", "Print `type(x)`"),
    (TYPE, "unhashable type: 'list'", {}, "`tuple(x)` is a key", "iloc"),
    (TYPE, "unhashable type: 'list'", {}, "`tuple(x)` is a key", "@dataclass"),
    (TYPE, "unhashable type: 'Mixer'", {}, "`@dataclass(eq=False)`", "tuple"),
    (ATTRIBUTE, "__enter__", {}, "`torch.no_grad()`", "used as a key"),
    (
        VALUE,
        "too many values to unpack (expected 3)",
        {"line": "a, b, c = x.shape"},
        "more dim",
        "loop",
    ),
    (
        VALUE,
        "too many values to unpack (expected 2)",
        {"line": "for x, y in a:"},
        "loop",
        "dimensions",
    ),
    (VALUE, "too many values to unpack (expected 2)", {"line": "x, y = f(a)"}, "lstm", "the loop"),
    (VALUE, FEWER.format(3, 2), {"line": "h, w, c = im.shape"}, "convert('RGB')", "unsqueeze"),
    (VALUE, FEWER.format(3, 1), {"line": "h, w, c = im.shape"}, "leave out", "convert('RGB')"),
    (VALUE, FEWER.format(3, 2), {"line": "b, t, c = x.shape"}, "unsqueeze(0)", "convert('RGB')"),
    (VALUE, FEWER.format(3, 2), {"line": "t, c, d = x.shape"}, "leave out", "unsqueeze(0)"),
    (VALUE, FEWER.format(4, 3), {"line": "n, h, w, c = x.shape"}, "unsqueeze(0)", "convert("),
    ("", INTO_LONG, {"line": "edges[i] += shift[i]"}, "to stay whole", "Write it out of place"),
    ("", INTO_LONG, {"line": "self.row_ids.add_(shift)"}, "to stay whole", "Write it out"),
    ("", INTO_LONG, {"raising": "ids[k] += first"}, "to stay whole", "Write it out of place"),
    ("", INTO_LONG, {"code": "    edges[i] += shift[i]"}, "to stay whole", "Write it out of place"),
    ("", INTO_LONG, {"code": "    total[i] += edges[i]"}, "Write it out of place", "to stay whole"),
    ("", INTO_LONG, {"line": "total += shift[i]"}, "Write it out of place", "to stay whole"),
    ("", INTO_LONG, {"line": "total += edges[i]"}, "Write it out of place", "to stay whole"),
    (TYPE, OBJECTS, {"line": "t = torch.FloatTensor(np.asarray(rows))"}, "fastText", "text col"),
    (TYPE, OBJECTS, {"line": "t = torch.FloatTensor(np.asarray(df))"}, "text col", "fastText"),
    (VALUE, ONE_SAMPLE, {"words": "2 gpus, nn.DataParallel"}, "twice the number", "at the end"),
    (VALUE, ONE_SAMPLE, {"words": "DistributedDataParallel"}, "at the end", "twice the number"),
    (VALUE, NO_SIMPLEX, {"code": "z = z.masked_fill(~may, float('-inf'))"}, "0/0", "smallest and"),
    (VALUE, NO_SIMPLEX, {"code": "z[~may] = float('-inf')"}, "0/0", "smallest and"),
    (VALUE, NO_SIMPLEX, {"words": "I set z[~may] = -torch.inf before"}, "0/0", "smallest and"),
    (VALUE, NO_SIMPLEX, {"code": "best = -float('inf')"}, "smallest and", "0/0"),
    (VALUE, NO_SIMPLEX, {"code": "z = torch.softmax(z, -1)"}, "smallest and", "0/0"),
    (
        TYPE,
        "cannot unpack non-iterable NoneType object",
        {},
        "returned nothing",
        "right side really",
    ),
    ("RecursionError", DEEP, {"frames": "d.py __getitem__\n" * 4}, "another sample", "copying"),
    ("RecursionError", DEEP, {"frames": "module.py _call\nd.py forward"}, "copying", "of d.py"),
    (TYPE, WANTS.format("pad_sequence", "tuple of Tensors", "Tensor"), {}, "into a list", "stack"),
    # -- the GPU ----------------------------------------------------------------------------
    ("", "CUDA error: unknown error", {}, "nvidia_uvm", "E. Process"),
    (
        "",
        "CUDA error: all CUDA-capable devices are busy or unavailable",
        {},
        "E. Process",
        "nvidia_uvm",
    ),
    ("", "CUDA error: invalid device function", {}, "holds no code", "driver"),
    ("", "CUDA error: the launch timed out and was terminated", {}, "screen", "out of range"),
    ("", "CUDA error: invalid configuration argument", {}, "batch is empty", "out of range"),
    ("", "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED", {}, "bfloat16", "labels"),
    ("", "CUDA error: CUBLAS_STATUS_INVALID_VALUE", {}, "LD_LIBRARY_PATH", "labels"),
    ("", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED", {}, "labels", "LD_LIBRARY_PATH"),
    ("", "cuDNN error: CUDNN_STATUS_BAD_PARAM", {}, "empty", "memory is full"),
    ("", FORKED, {"frames": "worker.py _worker_loop"}, "in a worker", "set_start_method"),
    ("OSError", PAGE_FILE.format(1455), {}, "virtual memory", "Visual C++"),
    ("OSError", PAGE_FILE.format(127), {}, "two versions", "virtual memory"),
    ("OSError", PAGE_FILE.format(126), {}, "Visual C++", "virtual memory"),
    ("", "Unexpected error from cudaGetDeviceCount(). Error 804: x", {}, "compat", "older CUDA"),
    ("", "Unexpected error from cudaGetDeviceCount(). Error 802: x", {}, "fabric", "older CUDA"),
    ("", "Placeholder storage has not been allocated on MPS device!", {}, "x.to('mps')", "float32"),
    (TYPE, "the MPS framework doesn't support float64", {}, "x.float()", "FALLBACK"),
    # -- processes --------------------------------------------------------------------------
    (
        ATTRIBUTE,
        "Can't pickle local object 'f.<locals>.g'",
        {},
        "at the top of a file",
        "open file",
    ),
    (TYPE, "cannot pickle '_thread.lock' object", {}, "open file", "lambda"),
    (TYPE, "h5py objects cannot be pickled", {}, "first `__getitem__`", "lambda"),
    (
        "PicklingError",
        "Can't pickle <class 'a.B'>: it's not the same object as a.B",
        {},
        "anew",
        "open",
    ),
    ("", "received 0 items of ancdata", {}, "ulimit", "shm-size"),
    ("", "unable to write to file </torch_1_2>", {}, "shm-size", "ulimit"),
    ("ConnectionResetError", RESET, {"frames": "ssl.py read"}, "download", "num_workers"),
    ("ConnectionResetError", RESET, {"frames": "dataloader.py f"}, "num_workers", "download"),
    ("TimeoutError", "Connection timed out", {"frames": "request.py urlopen"}, "server", "RANK"),
    ("TimeoutError", "Connection timed out", {}, "RANK", "download"),
    (VALUE, WRAPPED.format("'cpu'"), {}, "model.to(local_rank)", "several GPUs"),
    (VALUE, WRAPPED.format("'cuda', index=0), x(index=1"), {}, "several GPUs", "still on the CPU"),
    (VALUE, "You have to specify either decoder_input_ids or x", {}, "labels=", "**inputs)`;"),
    (VALUE, "You have to specify either input_ids or inputs_embeds", {}, "tokenizer", "labels="),
    # -- the place, and the rest ------------------------------------------------------------
    (FILE, f"{NO_FILE} 'a/m.pt'", {"line": "torch.save(m, p)"}, "makedirs", "getcwd"),
    (FILE, f"{NO_FILE} 'a/m.pt'", {"line": "open(p, 'w')"}, "makedirs", "getcwd"),
    (FILE, f"{NO_FILE} 'a/m.pt'", {"line": "open(p)"}, "getcwd", "makedirs"),
    (FILE, f"{NO_FILE} '~/m.pt'", {}, "expanduser", "getcwd"),
    (FILE, rf"{NO_FILE} 'C:\\data\train'", {}, "control character", "getcwd"),
    (FILE, rf"{NO_FILE} 'C:\\new\\train'", {}, "getcwd", "control character"),
    ("OSError", "[Errno 30] Read-only file system: 'a'", {}, "/kaggle/working", "Windows"),
    ("PermissionError", "[Errno 13] Permission denied: 'a'", {}, "Windows", "kaggle"),
    (TYPE, f"{OPTIMIZES} str", {}, "named_parameters()", "parentheses"),
    (TYPE, f"{OPTIMIZES} method", {}, "parentheses", "named_parameters"),
    (TYPE, f"{OPTIMIZES} generator", {}, "*b.parameters()", "parentheses"),
    ("", BACKEND.format("torchvision::nms", "CUDA"), {}, "in one command", "sparse"),
    ("", BACKEND.format("c10d::allreduce_", "CPU"), {}, "NCCL", "sparse"),
    ("", BACKEND.format("aten::mul", "SparseCPU"), {}, "to_dense()", "NCCL"),
    # -- what one line, number or word more decides -----------------------------------------
    ("", LEAF_WRITTEN, {"line": "m.weight[0, 0] = 1"}, "Put the line inside", "out of place"),
    ("", LEAF_WRITTEN, {"line": "w -= lr * w.grad"}, "Put the line inside", "out of place"),
    ("", LEAF_WRITTEN, {"line": "x[i] = y"}, "out of place", "Put the line inside"),
    ("", FAR_GPU.format(2, 1), {"words": "I have a GPU"}, "{'cuda:2': 'cuda:0'}", "does not see"),
    (
        "",
        "Attempting to deserialize object on a CUDA device but is_available() is False",
        {"words": "I have a GPU"},
        "does not see",
        "a dictionary",
    ),
    ("ImportError", f"{IMPORT} 'transformers'", {}, "only where torch itself", "came later"),
    (ATTRIBUTE, "module 'torchvision.models' has no attribute 'to'", {}, "the variable", "Compare"),
    ("UnpicklingError", "Weights only load failed", {"words": OPERAND + "118"}, "lfs", "trust"),
    ("UnpicklingError", "Weights only load failed", {"words": OPERAND + "149"}, "trust", "lfs"),
    ("", OLD_INDEX, {"line": "torch.zeros(n, 3).scatter_(1, i, 1)"}, "index.device", "model.to("),
    ("", OLD_INDEX, {"line": "y = self.embed(i)"}, "model.to(", "index.device"),
    ("", "Trying to create tensor with negative dimension -1: [-1, 3]", {}, "an export", "padded"),
    ("", "Trying to create tensor with negative dimension -1", {}, "padded", "an export"),
    (
        "",
        NOT_REDUCED,
        {"code": "DDP(m, find_unused_parameters=True)"},
        "a class of its own",
        "pass",
    ),
    ("", NOT_REDUCED, {"code": "DDP(m)"}, "pass `find_unused", "a class of its own"),
    (TYPE, f"__init__() {KEYWORD} 'gpus'", {"line": "t = Trainer(gpus=2)"}, "devices=2", "plural"),
    (TYPE, f"Trainer.__init__() {KEYWORD} 'tokenizer'", {}, "processing_class", "plural"),
    (TYPE, f"__init__() {KEYWORD} 'gpus'", {"line": "t = Net(gpus=2)"}, "plural", "devices"),
    (MISSING, "No module named 'torch'", {"words": "Building wheel: error"}, "isolation", "sys."),
    (MISSING, "No module named 'torch'", {}, "sys.executable", "isolation"),
    (MISSING, "No module named 'torch._C'", {}, "sources", "is older than"),
    ("", LAYER.format("cuda.Half", "Float"), {}, "two dtypes as well", "x = x.to("),
    ("", LAYER.format("cuda.Float", "Float"), {}, "ModuleList", "two dtypes"),
    ("", NO_GRAPH, {"words": "gradient checkpointing is on"}, "frozen inputs", "Find where"),
    ("", NO_GRAPH, {"frames": "a.py validation_step\nt.py backward"}, "enable_grad", "Find where"),
    ("", AGAIN, {"words": "two hidden layers"}, "two losses", "both states"),
    (ATTRIBUTE, "'Subset' object has no attribute 'targets'", {}, "subset.indices", "__init__"),
    (ATTRIBUTE, "'Subset' object has no attribute 'classes'", {}, "whole set", "subset.indices"),
    ("UnpicklingError", "invalid load key, 'x'.", {}, "another kind of file", "git lfs"),
    (
        VALUE,
        "too many values to unpack (expected 2)",
        {"line": "h, w = x.shape[1:]"},
        "lstm",
        "unsq",
    ),
    (TYPE, OPERATOR.format("str", "int"), {}, "type=int", "layer(x)"),
    (TYPE, OPERATOR.format("dict", "int"), {}, "losses.values()", "type=int"),
    (TYPE, OPERATOR.format("method", "int"), {}, "parentheses", "type=int"),
    (TYPE, OPERATOR.format("tuple", "Tensor"), {}, "layer(x)", "type=int"),
    (
        TYPE,
        "Sequential.forward() takes 2 positional arguments but 3 were given",
        {},
        "hands",
        "_in",
    ),
    ("", "Error downloading a.gz", {}, "none of its addresses", "download=True"),
    ("", "Dataset not found. You can use download=True", {}, "`download=True` once", "addresses"),
    ("HFValidationError", "Repo id must be in the form 'a/b'", {}, "os.path.isdir", "network"),
    ("OSError", "Can't load tokenizer for 'a'. If", {}, "os.listdir", "from the network"),
    ("URLError", "Network is unreachable", {}, "from the network", "os.path.isdir"),
    (VALUE, STEPPED, {}, "len(loader)", "more often than"),
    (
        "",
        HIDDEN,
        {"code": "nn.LSTM(5, 8, batch_first=True)"},
        "mostly the last batch",
        "is missing",
    ),
    ("", MAPS, {"words": "my own src_mask"}, "it is one for 64 times 64 steps", "maps of pictures"),
    ("", MAPS, {"words": "my own network"}, "maps of pictures", "steps"),
    ("", HIDDEN, {"code": "nn.LSTM(5, 8)"}, "batch_first=True is missing", "mostly the last batch"),
    ("", MASK.format("[32, 20]", 20), {}, "`key_padding_mask`", "generate_square"),
    ("", MASK.format("[32, 32]", 20), {"code": "f(batch_first=True)"}, "`x.size(1)`", "is missing"),
    ("", MASK.format("[32, 32]", 20), {}, "batch_first=True is missing", "key_padding"),
    ("AssertionError", PADDING, {"code": "f(batch_first=True)"}, "of another batch", "is missing"),
    ("AssertionError", PADDING, {}, "batch_first=True is missing", "of another batch"),
    (
        "",
        TURNS,
        {"code": "a.backward()\nop.step()\nop.zero_grad()\nb.backward()\noq.step()"},
        "`judge(made.detach())`",
        "the gradients add up",
    ),
    (
        "",
        TURNS,
        {"code": "a.backward()\nop.step()\nop.zero_grad()\nb.backward()\nop.step()"},
        "the gradients add up",
        "judge(",
    ),
    (
        VALUE,
        "optimizer got an empty parameter list",
        {"code": "p = filter(f, m.parameters())"},
        "list(filter(…))",
        "no layer is registered",
    ),
    (
        VALUE,
        "optimizer got an empty parameter list",
        {"code": "p = list(filter(f, ps))"},
        "no layer is registered",
        "gives its values once",
    ),
    (
        TYPE,
        SLOT.format("torch.FloatTensor", "parameter", "weight").replace(
            "Module or", "Parameter or"
        ),
        {"line": "self.dec.weight = self.enc.weight.t()"},
        "share one weight",
        "`register_buffer`",
    ),
    ("", LONG_RESULT, {"line": "i.clamp_(0, n - 1)"}, "bound.long() - 1", "x.float()"),
    ("", LONG_RESULT, {"line": "i.clamp(0, n - 1)"}, "x.float()", "bound.long() - 1"),
    ("", LONG_RESULT, {"code": "y = y.astype(np.int64)"}, "`target.float()`", "state dict"),
    ("", LONG_RESULT, {"code": "y = y.astype(np.float32)"}, "state dict", "`target.float()`"),
    ("IndexError", EDGES.format(1), {}, "x.squeeze(1)", "without gaps"),
    ("IndexError", EDGES.format(12), {}, "without gaps", "squeeze"),
    (
        "TypeError",
        "Net.forward() got an unexpected keyword argument '0'",
        {},
        "to_numpy()",
        "another name",
    ),
    (
        "TypeError",
        "Net.forward() got an unexpected keyword argument 'ids'",
        {},
        "another name",
        "to_numpy()",
    ),
    ("", AMBIGUOUS, {"code": "UNet(img)"}, "`UNet(img)` makes the model", "optional tensor"),
    ("", AMBIGUOUS, {"code": "y = models.UNet(3)"}, "optional tensor", "makes the model"),
    (
        "",
        "Input batch size 1 doesn't match hidden[0] batch size 512",
        {},
        "cell(x, (h, c))",
        "one tensor is",
    ),
    (
        "",
        "Input batch size 1 doesn't match hidden0 batch size 512",
        {},
        "from the input's batch",
        "cell(x, (h, c))",
    ),
    ("", SCRIPTED.format("Tensor", "Optional[Tensor]"), {}, "`if y is not None:`", "no type"),
    ("", SCRIPTED.format("Tensor", "int"), {}, "is given `int`", "is not None"),
    (ATTRIBUTE, "'GELU' object has no attribute 'approximate'", {}, "loaded whole", "__init__"),
    (ATTRIBUTE, "'Net' object has no attribute 'approximate'", {}, "__init__", "loaded whole"),
]


@pytest.mark.parametrize(("type_", "message", "around", "told", "not_told"), CASES)
def test_a_cause_is_told_and_its_neighbour_is_not(
    type_: str, message: str, around: dict[str, str], told: str, not_told: str
) -> None:
    """Each row beside its message: what shows the cause, and the sentence of another one."""
    shown = dict(around)
    lines = [
        Construct(kind="call", name="", line=n, code=code)
        for n, code in enumerate(shown.pop("code", "").split("\n"))
        if code
    ]
    posted = PastedTraceback(type=type_ or "RuntimeError", message=message, frames=())

    reading = read_words(posted, Around(**shown), lines)

    assert reading is not None
    said = f"{reading.means}. {reading.causes}. {reading.remedy}"
    assert told in said and not_told not in said, said


def test_a_layer_of_torchs_own_is_one() -> None:
    """What is told of torch's layers is told of no other class, and there are many of them."""
    found = [name for name in dir(nn) if re.fullmatch(attributes._LAYER, name)]

    assert len(found) > 40
    assert all(issubclass(getattr(nn, name), nn.Module) for name in found)
    assert not re.fullmatch(attributes._LAYER, "Net")
