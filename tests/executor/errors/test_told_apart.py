"""What tells errors of one wording apart: each row one that people post, and what is said of it."""

from __future__ import annotations

import inspect

import pytest
from torch import nn

from bot.models import PastedTraceback
from executor.errors import Around, family_of, read_words
from executor.errors.layer_arguments import TAKEN_BY
from executor.errors.reading import ErrorReading

SAID = [
    # type, message, what is said, what is advised
    (
        "AttributeError",
        "Can't get attribute 'Flowers' on <module '__mp_main__' from 'train.py'>",
        "sent to a worker process",
        "above the `__main__` guard",
    ),
    (
        "AttributeError",
        "Can't get attribute 'Flowers' on <module '__main__' (built-in)>",
        "has another main program",
        "a .py file",
    ),
    (
        "AttributeError",
        "Can't get attribute 'Flowers' on <module 'shop.data' from 'data.py'>",
        "does not define in shop.data",
        "Import or define",
    ),
    (
        "AttributeError",
        "module '__main__' has no attribute 'run'",
        "The script that was started has no `run`",
        "at its top level",
    ),
    (
        "AttributeError",
        "module 'torch.nn' has no attribute 'Fold9'",
        "another module than is meant",
        "Compare the version",
    ),
    (
        "AttributeError",
        "type object 'Runner' has no attribute 'from_args'",
        "The class `Runner` has no `from_args`",
        "dir(Runner)",
    ),
    (
        "AttributeError",
        "'SGD' object has no attribute '_warned_once'",
        "made by another version",
        "Check the spelling",
    ),
    (
        "AttributeError",
        "'DataLoader' object has no attribute 'next'",
        "has no `next`",
        "iter(loader)",
    ),
    (
        "AttributeError",
        "'_MultiProcessingDataLoaderIter' object has no attribute 'next'",
        "has no `next`",
        "write `next(it)`",
    ),
    ("AttributeError", "'generator' object has no attribute 'next'", "Python 2", "`next(it)`"),
    ("AttributeError", "'str' object has no attribute 'dim'", "gives its keys", "out.logits"),
    ("AttributeError", "'str' object has no attribute 'size'", "gives its keys", "out.logits"),
    ("AttributeError", "'str' object has no attribute 'decode'", "something else", "is meant"),
    ("TypeError", "'odict_keys' object is not subscriptable", "only be gone through", "list(x)[i]"),
    ("TypeError", "'module' object is not subscriptable", "a file", "module.name"),
    ("TypeError", "'type' object is not subscriptable", "from 3.9 on", "__future__"),
    ("TypeError", "'Encoder' object is not subscriptable", "the class Encoder", "by its name"),
    ("TypeError", "‘Tensor’ object is not callable", "holds a tensor now", "write `x[…]`"),
    ("KeyError", "'betas'", "another kind of optimizer", "Print its keys"),
    ("KeyError", "'pixels'", "no key 'pixels'", "Print its keys"),
    ("KeyError", "'Neck is not in the head registry'", "never imported", "Import the module"),
    ("KeyError", "'Neck is already registered in head'", "twice", "Compare the versions"),
    ("RuntimeError", "shape '[512]' is invalid for input of size 0", "is empty", "why it is empty"),
    (
        "RuntimeError",
        "shape '[512]' is invalid for input of size 5",
        "has 5 values",
        "Print `x.shape`",
    ),
    ("RuntimeError", "Parent directory /data/训练 does not exist.", "letters", "plain letters"),
    (
        "RuntimeError",
        "Parent directory /data/runs does not exist.",
        "saving makes none",
        "makedirs",
    ),
    ("RuntimeError", "Could not infer dtype of numpy.float32", "numpy's own", "numpy<2"),
    ("RuntimeError", "Could not infer dtype of dict", "has no dtype", "Convert it"),
    (
        "RuntimeError",
        "svd_cpu: the updating process failed, U(3,3) is zero, singular U.",
        "singular value decomposition",
        "isfinite",
    ),
    (
        "RuntimeError",
        "inverse_cpu: U(3,3) is zero, singular U.",
        "depend on one another",
        "diagonal",
    ),
    (
        "ImportError",
        "/e/ext.so: undefined symbol: _ZNSt13runtime_errorC2EPKc",
        "C++'s own",
        "libstdc",
    ),
    ("ImportError", "/e/ext.so: undefined symbol: _ZN3c106detailE", "ext.so asks", "torch.version"),
    (
        "ImportError",
        "/e/libtorchaudio.so: undefined symbol: _ZN3c106detailE",
        "another PyTorch or CUDA",
        "torch.version",
    ),
    (
        "ImportError",
        "/e/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent",
        "from MKL, and the MKL that was loaded has not got it",
        "mkl<2024.1",
    ),
    (
        "ImportError",
        "/e/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister",
        "a library of PyTorch's own, asks for ncclCommRegister",
        "No extension is at fault",
    ),
    (
        "ImportError",
        "/e/torch/lib/libc10_cuda.so: undefined symbol: cudaHostRegister",
        "a library of PyTorch's own",
        "LD_LIBRARY_PATH",
    ),
    (
        "RuntimeError",
        "Expected tensor to have size at least 6 at dimension 1, but got size 64 for argument #2 "
        "'targets' (while checking arguments for ctc_loss_gpu)",
        "An input_length is larger than the number of time steps",
        "as many steps as there are labels",
    ),
    (
        "RuntimeError",
        "Expected tensor to have size at least 6 at dimension 1, but got size 4 for argument #2 "
        "'targets' (while checking arguments for ctc_loss_gpu)",
        "A target_length says 6, and the targets hold 4",
        "targets.shape[1]",
    ),
    (
        "UserError",
        "Constraints violated (batch)! For more information\n  - You marked batch as dynamic but "
        "your code specialized it to be a constant (1). If you're using mark_dynamic",
        "The example's size of batch is 0 or 1",
        "at least 2",
    ),
    (
        "RuntimeError",
        "quantile() input tensor is too large",
        "2**24 elements (16,777,216)",
        "kthvalue(",
    ),
    (
        "RuntimeError",
        "derivative for _cudnn_rnn_backward is not implemented",
        "cuDNN's recurrent layers have no second derivative",
        "around the call of the network",
    ),
    (
        "RuntimeError",
        "the derivative for '_cudnn_rnn_backward' is not implemented. Double backwards is not",
        "cuDNN's recurrent layers have no second derivative",
        "Around backward() it comes too late",
    ),
    (
        "RuntimeError",
        "makeDeviceForHostname(): unsupported gloo device",
        "has no way to a network in this build",
        "leave out `init_process_group`",
    ),
    (
        "RuntimeError",
        "only one dimension can be inferred。",
        "Only one size of a shape may be -1",
        "channels // groups",
    ),
    (
        "OSError",
        "/e/libbitsandbytes_cpu.so: undefined symbol: cfill",
        "CPU's build",
        "is_available",
    ),
    (
        "OSError",
        '[WinError 126] not found. Error loading "C:\\torch\\lib\\shm.dll" or one of its '
        "dependencies.",
        "Windows cannot load shm.dll",
        "Visual C++",
    ),
    (
        "ImportError",
        "libcudart.so.9.0: cannot open shared object file",
        "another CUDA",
        "one version",
    ),
    (
        "TypeError",
        "img should be CV Image. Got <class 'PIL.Image.Image'>",
        "CV Image",
        "np.asarray",
    ),
    (
        "TypeError",
        "pic should be Tensor or ndarray. Got <class 'torch.FloatTensor'>",
        "Tensor or ndarray",
        "[C, H, W]",
    ),
    (
        "TypeError",
        "pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>",
        "PIL Image",
        "ToTensor() takes",
    ),
    (
        "RuntimeError",
        "Could not run 'quantized::linear' with arguments from the 'CPU' backend.",
        "not quantized",
        "QuantStub",
    ),
    (
        "RuntimeError",
        "Could not run 'aten::add' with arguments from the 'QuantizedCPU' backend.",
        "gets a quantized",
        "DeQuantStub",
    ),
    (
        "RuntimeError",
        "Could not run 'quantized::linear_prepack' with arguments from the 'CPU' backend.",
        "no quantized tensors of the CPU",
        "model.cpu().eval()",
    ),
    (
        "ValueError",
        "Must flatten tensors with uniform dtype but got torch.half and torch.float32",
        "torch.half",
        "one dtype",
    ),
    ("ValueError", "Cannot flatten integer dtype tensors", "integers", "ignored_modules"),
    (
        "UserWarning",
        "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
        "no error",
        "`with torch.no_grad():`",
    ),
]


def read(type_: str, message: str, around: Around = Around()) -> ErrorReading:  # noqa: B008
    found = read_words(PastedTraceback(type=type_, message=message), around)
    assert found is not None
    return found


@pytest.mark.parametrize(("type_", "message", "said", "advised"), SAID)
def test_an_error_is_told_by_what_its_message_names(
    type_: str, message: str, said: str, advised: str
) -> None:
    """Of two errors with one wording each is told what is true of it."""
    found = read(type_, message)

    assert said in f"{found.means}. {found.causes}"
    assert advised in found.remedy


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ("spawn.py prepare\nspawn.py _fixup_main_from_path", "imports the script again"),
        ("popen_spawn_win32.py __init__\nreduction.py dump", "could not be started"),
        ("train.py fit", "The other end of a pipe is gone"),
        ("", "The other end of a pipe is gone"),
    ],
)
def test_a_broken_pipe_is_told_by_where_it_broke(frames: str, said: str) -> None:
    """Its message says nothing; the frames name the process that ended."""
    assert said in read("BrokenPipeError", "", Around(frames=frames)).means


@pytest.mark.parametrize(
    ("where", "text"),
    [("line", "y = net(x).data()"), ("words", "I call x.grad() there"), ("line", "y = x.T()")],
)
def test_a_value_of_a_tensor_that_is_called_is_named(where: str, text: str) -> None:
    """`data`, `grad` and the like take no parentheses."""
    message = "'Tensor' object is not callable"
    found = read("TypeError", message, Around(**{where: text}))

    assert "take no parentheses" in found.means
    assert "Leave out the parentheses" in found.remedy
    assert "take no parentheses" not in read("TypeError", message, Around(line="x.date()")).means


@pytest.mark.parametrize("type_", ["BrokenPipeError", "MemoryError"])
def test_a_type_that_carries_one_kind_needs_no_message(type_: str) -> None:
    """A type that carries many kinds does."""
    assert family_of(type_, "") is not None
    assert family_of("RuntimeError", "") is None


@pytest.mark.parametrize(
    ("message", "known"),
    [
        ("'image_id'", True),
        ("'train loss'", True),
        ("'the value of x is not known'", False),
    ],
)
def test_a_sentence_is_no_key(message: str, known: bool) -> None:
    """A library that raises a KeyError with a sentence of its own asks for no such key."""
    assert (family_of("KeyError", message) is not None) is known


@pytest.mark.parametrize(
    ("message", "known"),
    [
        ("", True),
        ("Unable to allocate 3.2 GiB for an array", True),
        ("no batch size at all was small enough", False),
    ],
)
def test_only_pythons_own_words_are_of_its_memory(message: str, known: bool) -> None:
    """Libraries raise MemoryError for what they could not do."""
    assert (family_of("MemoryError", message) is not None) is known


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("forward() missing 1 required positional argument: 'indices'", "`nn.MaxUnpool2d`"),
        ("MaxUnpool1d.forward() missing 1 required positional argument: 'indices'", "MaxUnpool1d"),
        ("forward() missing 2 required positional arguments: 'key' and 'value'", "Multihead"),
        ("Net.forward() missing 1 required positional argument: 'indices'", "Net.forward()"),
        ("forward() missing 1 required positional argument: 'mask'", "without 'mask'"),
        ("forward() missing 2 required positional arguments: 'key' and 'mask'", "without 'key'"),
    ],
)
def test_a_layer_is_named_by_what_is_missing(message: str, said: str) -> None:
    """Only torch's own layers, and none where the class is known to be another one."""
    found = read("TypeError", message)
    told = f"{found.means}. {found.causes}"

    assert said in told
    assert ("`nn." in told) is ("nn.M" in told) is ("M" in said and "Net" not in said)


def test_the_layers_take_what_the_installed_torch_says() -> None:
    """Every class of torch.nn whose forward needs such an input, and no other."""
    found: dict[str, list[str]] = {name: [] for name in TAKEN_BY}
    for name, made in sorted(vars(nn).items()):
        if isinstance(made, type) and issubclass(made, nn.Module):
            for given in inspect.signature(made.forward).parameters.values():
                if given.default is given.empty and given.name in found:
                    found[given.name].append(name)

    assert {name: tuple(layers) for name, layers in found.items()} == TAKEN_BY
