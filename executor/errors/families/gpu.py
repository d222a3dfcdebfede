"""The GPU itself: its driver, its kernels and its libraries."""

import re
from collections.abc import Mapping

from executor.errors.around import Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_TYPES = ("RuntimeError", "AcceleratorError")

# What torch prints when it starts on a GPU that it was not built for.
_WARNS = re.compile(
    r"with CUDA capability sm_(\d{2,3}) is not compatible with the current PyTorch[\s\S]{0,80}?"
    r"supports CUDA capabilities ((?:(?:sm|compute)_\d{2,3}[a-z]? ?){1,20})"
)
# The generation of a GPU → the first CUDA whose compiler knows it.
# https://docs.nvidia.com/cuda/cuda-c-programming-guide/#compute-capabilities
_FIRST_CUDA = {
    70: "9.0", 75: "10.0", 80: "11.0", 86: "11.1", 89: "11.8", 90: "11.8", 100: "12.8",
    120: "12.8",
}  # fmt: skip


def _generations_in(text: str) -> Mapping[str, str]:
    """The GPU's generation and those that this PyTorch was built for, as its warning says them."""
    found = _WARNS.search(text)
    if found is None:
        return {}
    has, built = int(found[1]), [int(n) for n in re.findall(r"_(\d+)", found[2])]
    values = {"gpu": f"sm_{has}", "built_for": ", ".join(f"sm_{n}" for n in built)}
    if has < min(built):
        return {**values, "gpu_is": "older"}
    first = _FIRST_CUDA.get(has, "")
    return {**values, "gpu_is": "newer", "first_cuda": first} if has > max(built) else values


def _generations(seen: SeenError, around: Around) -> Mapping[str, str]:
    return _generations_in(around.words)


def _generations_said(seen: SeenError, message: str) -> Mapping[str, str]:
    return _generations_in(message)


_OTHER_BUILD = (
    Sentence(
        "The GPU is of generation {gpu}, and this PyTorch was built with a CUDA that is older: it "
        "holds code for {built_for} alone. So the first kernel fails, whatever the line does",
        {"gpu_is": r"newer"},
    ),
    Sentence(
        "The GPU is of generation {gpu}, and this PyTorch holds code for newer ones alone: "
        "{built_for}. So the first kernel fails, whatever the line does",
        {"gpu_is": r"older"},
    ),
)
_TAKE_ANOTHER_BUILD = (
    Sentence(
        "{gpu} needs a build with CUDA {first_cuda} or newer (`torch.version.cuda` says which "
        "this one has; a plain `pip install` of an older version brings an old one). Where the "
        "same version of PyTorch has such a build, that is enough: pytorch.org lists them under "
        "previous versions (`torch==…+cu…`), torchvision and torchaudio from the same list. If it "
        "has none, take a newer version. What was compiled beside it has to be built again. The "
        "CUDA that `nvidia-smi` shows is what the driver can do, and mends nothing",
        {"gpu_is": r"newer", "first_cuda": r".+"},
    ),
    Sentence(
        "Take an older build: an older CUDA of the same version of PyTorch, or an older version; "
        "`torch.cuda.get_arch_list()` says what a build holds code for",
        {"gpu_is": r"older"},
    ),
)
# A worker of a DataLoader, or what it runs.
_OF_A_WORKER = r"\bworker\.py |\bfetch\.py | __getitem__\b"
_LOADS_TO_ITS_PLACE = r"\btorch\.load\((?![^\n]{0,300}map_location)"

# map_location is given, and what is read was written by pickle.
_PICKLED = r"(?s)(?=.*map_location)(?=.*\b(?:pickle|pkl?|joblib|dill)\.(?:load|dump))"

# NVIDIA's libraries, which come with torch and with a system's CUDA.
_OF_CUDA = (
    r"lib(?:cublas|cublasLt|cudnn\w*|cusparse|cusolver|cufft|curand|cudart|nvrtc|nvJitLink|nccl)"
    r"\.so.*"
)

# PyTorch's own: where a symbol is missing there, no extension was built for another version.
_OF_TORCH = (
    r"lib(?:torch(?:_(?:cpu|cuda|cuda_cu|cuda_cpp|cuda_linalg|python|global_deps|hip|xpu))?"
    r"|c10(?:_cuda|_hip|_xpu)?|caffe2\w*)\.so.*"
)

FAMILIES = (
    ErrorFamily(
        id="cuda_busy",
        says="The GPU is there and cannot be used: another program holds it, or its driver hangs.",
        means=(
            Sentence(
                "The GPU is there and cannot be used: another process holds it, or it is "
                "set to serve one process only",
                {"what": r"all.*"},
            ),
            "CUDA failed for a reason that the driver does not name | the machine slept, or its "
            "driver was updated and it was not started anew; the driver hangs; or an earlier "
            "kernel failed",
        ),
        remedy=(
            Sentence(
                "See whether `nvidia-smi` answers and `torch.ones(1).cuda()` works in a new "
                "process. If not, restart the machine (on Linux after a sleep, `sudo rmmod "
                "nvidia_uvm && sudo modprobe nvidia_uvm` may do). If it does, run with "
                "CUDA_LAUNCH_BLOCKING=1 to see the line",
                {"what": r"unknown.*"},
            ),
            (
                "Look with `nvidia-smi` at who uses it, and end old kernels and processes; "
                "where `Compute M.` says E. Process it admits only one. Restart the "
                "process, or the machine where the driver hangs"
            ),
        ),
        types=_TYPES,
        today=(
            r"CUDA error: (?P<what>all CUDA-capable devices are busy or unavailable)",
            r"CUDA error: (?P<what>unknown error)",
        ),
        older=(r"cuda runtime error \(46\) : (?P<what>all CUDA-capable devices are busy)",),
        values={"what": "the driver's words"},
        needs="a GPU in exclusive mode, or one whose driver hangs",
        examples=(
            "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable",
            "RuntimeError: cuda runtime error (46) : all CUDA-capable devices are busy or "
            "unavailable at /pytorch/aten/src/THC/THCGeneral.cpp:51",
            "RuntimeError: CUDA error: unknown error",
        ),
    ),
    ErrorFamily(
        id="cuda_kernel_image",
        says="This PyTorch was not built for this GPU: it is too new or too old for it.",
        look_around=_generations,
        means=(
            *_OTHER_BUILD,
            "What is to run holds no code for this GPU: this PyTorch, or an extension with kernels "
            "of its own, was built for newer or older ones",
        ),
        remedy=(
            *_TAKE_ANOTHER_BUILD,
            "Compare `torch.cuda.get_device_capability()` with `torch.cuda.get_arch_list()`. If it "
            "is not in the list, install a build that knows it: a new GPU needs one with a newer "
            "CUDA (of the same version of PyTorch where there is one, else of a newer), an old one "
            "an older. If it is, a library's own kernel is meant: rebuild that, with "
            "`TORCH_CUDA_ARCH_LIST` set to it",
        ),
        types=_TYPES,
        today=(
            r"no kernel image is available for execution on the device",
            r"CUDA error: invalid device function",
        ),
        needs="a GPU of a generation that the installed torch was not built for",
        examples=(
            "RuntimeError: CUDA error: no kernel image is available for execution on the device",
            "RuntimeError: cuda runtime error (48) : no kernel image is available for execution on "
            "the device at /opt/conda/THCTensorMath.cu:35",
        ),
    ),
    ErrorFamily(
        id="cuda_generation",
        says="PyTorch warns at the start that it was not built for this GPU.",
        derive=_generations_said,
        means=(
            *_OTHER_BUILD,
            "This PyTorch was not built for this GPU: it holds no code for {has}, so the first "
            "kernel will fail",
        ),
        remedy=(
            *_TAKE_ANOTHER_BUILD,
            "Install a build that knows it: compare `torch.cuda.get_device_capability()` with "
            "`torch.cuda.get_arch_list()`; a new GPU needs one with a newer CUDA, of the same "
            "version of PyTorch where there is one, else of a newer (a program that brings its own "
            "PyTorch has to be updated), a GPU that is too old an older one",
        ),
        types=("UserWarning",),
        today=(
            r"with CUDA capability (?P<has>sm_\d{2,3}) is not compatible with the current PyTorch",
            r"GPU\d{1,2} \S{1,60}(?: \S{1,60}){0,6} which is of (?:cuda|compute) capability "
            r"(?P<has>\d{1,2}\.\d)\.",
        ),
        values={"has": "the GPU's generation"},
        needs="a GPU of a generation that the installed torch was not built for",
        examples=(
            "UserWarning: NVIDIA A with CUDA capability sm_120 is not compatible with the current "
            "PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_80 "
            "sm_86 sm_90.",
            "UserWarning: Found GPU0 GeForce GT 750M which is of cuda capability 3.0. PyTorch no "
            "longer supports this GPU because it is too old.",
        ),
    ),
    ErrorFamily(
        id="cuda_kernel_failed",
        says="A kernel on the GPU reached memory that it may not, or stopped for another reason.",
        means=(
            Sentence(
                "A kernel took longer than the system lets it: a GPU that a screen hangs on is "
                "taken back after some seconds",
                {"what": r"the launch timed out.*"},
            ),
            Sentence(
                "A kernel was started with sizes that it does not take ({what}) | a tensor with a "
                "dimension of 0, or one that is too large for it",
                {"what": r"invalid (?:configuration )?argument.*"},
            ),
            (
                "A kernel on the GPU reached memory that it may not, or stopped for "
                "another reason ({what})"
            ),
        ),
        remedy=(
            Sentence(
                "Give it less to do at once (a smaller batch), or use a GPU without a screen; on "
                "Windows the wait is the registry's `TdrDelay`",
                {"what": r"the launch timed out.*"},
            ),
            Sentence(
                "Run with CUDA_LAUNCH_BLOCKING=1 to see the line, and print the shapes of what "
                "goes into it: perhaps a batch is empty or far larger than the others",
                {"what": r"invalid (?:configuration )?argument.*"},
            ),
            "Run with CUDA_LAUNCH_BLOCKING=1, or on the CPU, to see the real line: an index out of "
            "range, or an extension that reads beyond its tensors. If it comes only on another GPU "
            "than `cuda:0`, such an extension runs on the wrong one: `torch.cuda.set_device(…)` "
            "before it",
        ),
        types=_TYPES,
        today=(
            r"CUDA error: (?P<what>an illegal memory access|unspecified launch failure"
            r"|misaligned address|invalid argument|invalid configuration argument"
            r"|too many resources requested for launch|the launch timed out)",
        ),
        older=(r"cuda runtime error \((?:77|4|11|9|7|6)\) : (?P<what>[\w ]{1,60})",),
        values={"what": "the driver's words"},
        needs="a CUDA device",
        examples=(
            "RuntimeError: CUDA error: an illegal memory access was encountered",
            "RuntimeError: CUDA error: unspecified launch failure",
            "RuntimeError: cuda runtime error (77) : an illegal memory access was encountered at "
            "/pytorch/aten/src/THC/THCTensorCopy.cu:204",
        ),
    ),
    ErrorFamily(
        id="cublas",
        says="A matrix product on the GPU failed; often an index or a size before it was wrong.",
        means=(
            Sentence(
                "A matrix product on the GPU failed ({status}) | the GPU does not compute in this "
                "dtype (bfloat16 needs compute capability 8.0), or PyTorch was built for others",
                {"status": r".*(?:NOT_SUPPORTED|ARCH_MISMATCH)"},
            ),
            Sentence(
                "A matrix product on the GPU failed ({status}) | sizes that do not fit, which some "
                "versions do not check before; or another cuBLAS than PyTorch's own is loaded, "
                "from LD_LIBRARY_PATH or another package",
                {"status": r".*INVALID_VALUE"},
            ),
            "A matrix product on the GPU failed ({status}) | an index or a label was out "
            "of range before it, the memory is full, sizes or dtypes do not fit, or this PyTorch "
            "was built for older GPUs",
        ),
        remedy=(
            Sentence(
                "Print `torch.cuda.get_device_capability()` and the dtype. If it is bfloat16 on an "
                "older GPU, use float16 or float32; if `torch.cuda.get_arch_list()` lacks the GPU, "
                "install a build that has it",
                {"status": r".*(?:NOT_SUPPORTED|ARCH_MISMATCH)"},
            ),
            Sentence(
                "Run it on the CPU, which names sizes that do not fit. If it runs there, start it "
                "with LD_LIBRARY_PATH empty, and see with `pip list | grep nvidia` whether "
                "nvidia-cublas is of the version that torch asks for",
                {"status": r".*INVALID_VALUE"},
            ),
            (
                "Run it on the CPU: an error of indices, sizes or dtypes comes up there by name. "
                "If it runs there, compare `torch.cuda.get_device_capability()` with "
                "`torch.cuda.get_arch_list()`; with "
                "CUBLAS_STATUS_ALLOC_FAILED or NOT_INITIALIZED check the free memory "
                "(`nvidia-smi`) and labels and token ids against their range"
            ),
        ),
        types=_TYPES,
        today=(r"(?P<status>CUBLAS_STATUS_\w+)(?: when calling `(?P<call>\w+))?",),
        older=(r"cublas runtime error : (?P<status>[\w ,]{1,80})",),
        values={"status": "what cuBLAS says", "call": "its function"},
        needs="a CUDA device",
        examples=(
            "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling "
            "`cublasCreate(handle)`",
            "RuntimeError: cublas runtime error : the GPU program failed to execute at "
            "/pytorch/aten/src/THC/THCBlas.cu:249",
        ),
    ),
    ErrorFamily(
        id="cudnn",
        says="cuDNN failed in a convolution, a recurrent layer or a normalization.",
        means=(
            Sentence(
                "cuDNN has no way to compute this ({status}) | inputs that are not "
                "contiguous, or of a size, dtype or option that it does not take",
                {"status": r".*NOT_SUPPORTED"},
            ),
            Sentence(
                "cuDNN does not take what the layer was given ({status}) | a batch that is empty, "
                "an input of another dtype than the weights, or one that is not contiguous",
                {"status": r".*BAD_PARAM"},
            ),
            (
                "cuDNN failed ({status}) | the GPU's memory is full, an earlier operation "
                "broke its state (an index out of range), or driver, CUDA and cuDNN do not go "
                "together"
            ),
        ),
        remedy=(
            Sentence(
                "Try `x.contiguous()` before the layer, then `torch.backends.cudnn.enabled = "
                "False` around it, to see whether cuDNN alone refuses it",
                {"status": r".*NOT_SUPPORTED"},
            ),
            Sentence(
                "Print shape, dtype and `is_contiguous()` of the input before the layer, and the "
                "dtype of its weights; on the CPU the same error comes by its name",
                {"status": r".*BAD_PARAM"},
            ),
            (
                "Look at the free memory with `nvidia-smi` and try a smaller batch; run with "
                "CUDA_LAUNCH_BLOCKING=1 or on the CPU to see an error that came before; then "
                "compare `torch.version.cuda` and the driver's version"
            ),
        ),
        types=_TYPES,
        today=(
            r"(?P<status>CUDNN_STATUS_\w+)",
            r"(?P<status>[Uu]nable to find (?:a valid cuDNN algorithm|an engine))",
        ),
        values={"status": "what cuDNN says"},
        needs="a CUDA device",
        examples=(
            "RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED",
            "RuntimeError: CUDNN_STATUS_MAPPING_ERROR",
            "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution",
        ),
    ),
    ErrorFamily(
        id="cuda_fork",
        says="A process that was forked uses CUDA, which its parent has used before.",
        means=("A process that was forked uses CUDA, which its parent has used before",),
        remedy=(
            Sentence(
                "Celery forks its workers: make the model inside the task, at its first call, or "
                "in a `worker_process_init` handler, and let nothing touch CUDA on import; or "
                "start the worker with `--pool=solo` (or `threads`)",
                {"words": r"\bcelery\b"},
            ),
            Sentence(
                "A server that forks its workers after loading the app: leave out `--preload`, or "
                "make the model in a `post_fork` hook or at the first request, and let nothing "
                "touch CUDA on import",
                {"words": r"\b(?:gunicorn|uwsgi|preload)\b"},
            ),
            Sentence(
                "A worker of the loader uses a tensor that lies on the GPU. `torch.load` puts each "
                "tensor back where it was saved from, without any `.cuda()`: if what `{quoted}` "
                "reads was saved on a GPU, load it with `map_location='cpu'`, and move the batch "
                "in the training loop; the workers stay as they are",
                {"frames": _OF_A_WORKER, "code": _LOADS_TO_ITS_PLACE},
            ),
            Sentence(
                "The data set or the collate function uses CUDA in a worker: keep its tensors on "
                "the CPU, and move the batch in the loop. If it has to be the GPU there: "
                "num_workers=0, or `multiprocessing_context='spawn'` for the loader",
                {"frames": _OF_A_WORKER},
            ),
            (
                "Start processes with `torch.multiprocessing.set_start_method('spawn')` "
                "under `if __name__ == '__main__':`; in a dataset keep tensors on the CPU "
                "and move them in the loop"
            ),
        ),
        suspects=(Suspect(r"DataLoader|Process|Pool"),),
        types=("RuntimeError",),
        today=(
            r"Cannot re-initialize CUDA in forked subprocess",
            r"CUDA error: initialization error",
        ),
        older=(r"cuda runtime error \(3\) : initialization error",),
        needs="a CUDA device",
        examples=(
            "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
            "multiprocessing, you must use the 'spawn' start method",
            "RuntimeError: cuda runtime error (3) : initialization error at "
            "/pytorch/aten/src/THC/THCGeneral.cpp:70",
        ),
    ),
    ErrorFamily(
        id="cuda_device_list",
        says="DataParallel or a device is given the number of a GPU that is not there.",
        means=("DataParallel or a device is given the number of a GPU that is not there",),
        remedy=("Print `torch.cuda.device_count()`; device_ids count from 0",),
        suspects=(Suspect(r"DataParallel|device|set_device"),),
        types=("AssertionError",),
        today=(r"^Invalid device id",),
        needs="a CUDA device",
        examples=("AssertionError: Invalid device id",),
    ),
    ErrorFamily(
        id="accelerator_missing",
        says="Pinned memory, a stream or an event is asked for, and there is no GPU.",
        means=(
            ("Something of a GPU is asked for (pinned memory, a stream), and PyTorch sees none"),
        ),
        remedy=(
            Sentence(
                "Set pin_memory=False, or guard it with `torch.cuda.is_available()`",
                {"code": r"pin_memory\s*=\s*(?!False)|pin_memory\("},
            ),
            Sentence(
                "`.to(0)` and `.to(rank)` mean the GPU of that number: where there may be none, "
                "choose `device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')`",
                {"line": r"\.to\((?:\d|\w*rank|\w*gpu)"},
            ),
            "Guard it with `torch.cuda.is_available()`",
        ),
        types=("RuntimeError",),
        today=(
            r"Cannot access accelerator device when none is available",
            r"pin_memory=True requires a CUDA or other accelerator",
            r"torch\.cuda\.\w+ requires CUDA support",
            r"Cannot get CUDA generator without ATen_cuda",
        ),
        sample="torch.accelerator.current_stream()",
        examples=(
            "RuntimeError: pin_memory=True requires a CUDA or other accelerator backend; no pinned "
            "memory allocator is available on this system.",
        ),
    ),
    ErrorFamily(
        id="pinned_on_gpu",
        says="A tensor on the GPU is to be pinned; only memory of the host can be.",
        means=(
            Sentence(
                "A sparse tensor is to be pinned; only dense ones on the CPU can be",
                {"type": r".*sparse.*"},
            ),
            "A tensor on the GPU is to be pinned; only memory of the host can be",
        ),
        remedy=(
            Sentence("Set pin_memory=False", {"type": r".*sparse.*"}),
            (
                "Keep the dataset's tensors on the CPU (or set pin_memory=False) and move "
                "the batch in the loop"
            ),
        ),
        suspects=(Suspect(r"DataLoader", "", {"pin_memory": "True"}),),
        types=("RuntimeError",),
        today=(r"cannot pin '(?P<type>[\w.]+)' only dense CPU tensors can be pinned",),
        values={"type": "of the tensor"},
        needs="a CUDA device: the DataLoader's samples lie on it",
        examples=(
            "RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be "
            "pinned",
        ),
    ),
    ErrorFamily(
        id="shared_library",
        says="A library of CUDA or of PyTorch itself cannot be loaded: the install does not fit.",
        means=(
            Sentence(
                "Windows has too little virtual memory left to load {library} | each worker of a "
                "DataLoader, and each further process, loads CUDA's libraries anew",
                {"number": r"1455"},
            ),
            Sentence(
                "{library} is found, and lacks a function that is asked of it | parts of two "
                "versions of PyTorch, or of a library beside it, in one environment",
                {"number": r"127"},
            ),
            Sentence(
                "Windows cannot load {library}, or a library that this one needs | a runtime that "
                "is missing (Microsoft Visual C++, OpenMP), or parts of two versions of PyTorch in "
                "one environment",
                {"library": r".*\.dll"},
            ),
            Sentence(
                "The library {library} cannot be loaded | PyTorch or an extension was built for "
                "another CUDA or another PyTorch, or its folder is not looked at",
                {"library": r"lib(?:cu|nv|nccl|torch|c10|caffe).*"},
            ),
            (
                "The library {library} is not found on that machine | it is not installed, or not "
                "where libraries are looked for (LD_LIBRARY_PATH)"
            ),
            "A library of CUDA or of PyTorch itself cannot be loaded: the install does not fit",
        ),
        remedy=(
            Sentence(
                "Fewer workers (`num_workers=0` to see whether it is that), or a larger page file "
                "(System, Advanced, Performance, Virtual memory)",
                {"number": r"1455"},
            ),
            Sentence(
                "Install the Microsoft Visual C++ Redistributable (x64), and PyTorch anew in a "
                "fresh environment. If only this file fails (fbgemm.dll in 2.4), another release "
                "of PyTorch may do; `dumpbin /dependents` or the program Dependencies names what "
                "is missing",
                {"library": r".*\.dll"},
            ),
            Sentence(
                "Install PyTorch, torchvision and the extension again in one version, into a fresh "
                "environment; an extension has to be rebuilt for the torch that is installed",
                {"library": r"lib(?:cu|nv|nccl|torch|c10|caffe).*|"},
            ),
            (
                "Install the system package that brings {library} (libGL comes with `libgl1`; "
                "`opencv-python-headless` does without it), or add its folder to LD_LIBRARY_PATH"
            ),
        ),
        types=("ImportError", "OSError"),
        today=(
            r"(?P<library>lib[\w.+-]+\.so[\d.]*): cannot open shared object",
            r"\[WinError (?P<number>\d+)\] [^\n]{0,300}?\"(?:[^\"\n]{0,300}[\\/])?"
            r"(?P<library>[^\"\n\\/]{1,100}\.dll)\"",
            r"DLL load failed",
            r"\[WinError (?:126|127|1114)\]",
        ),
        values={"library": "that cannot be loaded", "number": "of Windows's error"},
        needs="an install that is broken",
        examples=(
            "ImportError: libcudart.so.9.0: cannot open shared object file: No such file or "
            "directory",
            "ImportError: DLL load failed: The specified module could not be found.",
            "OSError: [WinError 1455] The paging file is too small for this operation to complete. "
            'Error loading "C:\\torch\\lib\\cudnn_cnn_infer64_8.dll" or one of its dependencies.',
        ),
    ),
    ErrorFamily(
        id="undefined_symbol",
        says="An extension asks for a symbol that the installed libraries do not have.",
        means=(
            Sentence(
                "The CPU's build of bitsandbytes is loaded, which has no {symbol} | it did not "
                "find CUDA's libraries, or was installed without them",
                {"library": r"libbitsandbytes_cpu.*"},
            ),
            Sentence(
                "{library} is a part of torchtext, each version of which fits one torch alone. Its "
                "last one, 0.18, is of torch 2.3; it is no longer developed, so that there is none "
                "for a newer torch",
                {"library": r"(?:lib|_)torchtext.*"},
            ),
            Sentence(
                "{symbol} belongs to C++'s own library: the one that is loaded is older than the "
                "one that this was compiled with | an older libstdc++ on the system, or another "
                "one that LD_LIBRARY_PATH or conda puts before it",
                {"symbol": r"_ZN?K?St.*|_ZT\w*St.*"},
            ),
            Sentence(
                "{library}, a library of CUDA's own, asks another one for {symbol}, and the one "
                "that was loaded is older and has not got it | the system's CUDA, which "
                "LD_LIBRARY_PATH (a module that was loaded, .bashrc) puts before the libraries "
                "that came with torch",
                {"library": _OF_CUDA},
            ),
            Sentence(
                "{library}, a library of PyTorch's own, takes {symbol} from MKL, and the MKL that "
                "was loaded has not got it: those of conda have no longer any since 2024.1",
                {"library": _OF_TORCH, "symbol": r"iJIT_\w+"},
            ),
            Sentence(
                "{library}, a library of PyTorch's own, asks for {symbol}, and none of those that "
                "were loaded has got it | a library that it takes it from (MKL, one of CUDA's, "
                "Python's) is of another version than this torch was built for, or files of two "
                "versions of torch lie in one place",
                {"library": _OF_TORCH},
            ),
            "{library} asks for the symbol {symbol}, which is not there | it was built for "
            "another PyTorch or CUDA than the one that is installed",
            "A compiled library asks for the symbol {symbol}, which is not there | it was built "
            "for another PyTorch or CUDA than the one that is installed",
        ),
        remedy=(
            Sentence(
                "`python -m bitsandbytes` prints what it finds; see that `torch.cuda."
                "is_available()` is True there, and install a newer bitsandbytes, which brings "
                "builds for each CUDA",
                {"library": r"libbitsandbytes_cpu.*"},
            ),
            Sentence(
                "Do without it: a tokenizer of `transformers` or `tokenizers`, the data from "
                "Hugging Face's `datasets`, or a vocabulary of one's own (`Counter`, a dict of "
                "ids) with `pad_sequence` in the collate_fn. To run the old code as it is: `pip "
                "install torch==2.3.0 torchtext==0.18.0` in an environment of its own with Python "
                "3.8 to 3.12, and the interpreter or notebook started anew before the import",
                {"library": r"(?:lib|_)torchtext.*"},
            ),
            Sentence(
                "Update libstdc++ (conda: `conda install -c conda-forge libstdcxx-ng`), and see "
                "what LD_LIBRARY_PATH names",
                {"symbol": r"_ZN?K?St.*|_ZT\w*St.*"},
            ),
            Sentence(
                "`echo $LD_LIBRARY_PATH`, and `ldd` of the file that the message names shows where "
                "the other library is taken from. torch brings all of them and needs only the "
                "driver: `unset LD_LIBRARY_PATH` (or `module unload cuda`) before Python. If it is "
                "empty, two packages of pip brought different ones: install torch anew into a new "
                "environment",
                {"library": _OF_CUDA},
            ),
            Sentence(
                'If they are conda\'s: `conda install "mkl<2024.1"`, and write it into the '
                "environment file, which otherwise takes the newest; or take a torch from pip, "
                "which brings its own MKL",
                {"library": _OF_TORCH, "symbol": r"iJIT_\w+"},
            ),
            Sentence(
                "No extension is at fault, and neither is the driver. `echo $LD_LIBRARY_PATH` and "
                "`ldd` of the file that the message names show where the others are taken from: "
                "`unset LD_LIBRARY_PATH` before Python. If it is empty, install torch anew into a "
                "new environment, all from one place (pip or conda)",
                {"library": _OF_TORCH},
            ),
            "Print `torch.__version__` and `torch.version.cuda`, and install the build of the "
            "extension that is named after them, or build it anew against them: `pip install "
            "--no-build-isolation --no-cache-dir --no-deps --force-reinstall PACKAGE` (without "
            "`--no-deps` pip may put another torch in its place). torchvision and torchaudio "
            "belong to one version of torch each",
        ),
        types=("ImportError", "OSError"),
        today=(
            r"(?:(?P<library>[\w.+-]{1,120}\.so[\d.]{0,12}): )?undefined symbol: "
            r"(?P<symbol>\w{1,300})",
        ),
        values={"library": "that asks", "symbol": "as the linker names it"},
        needs="an extension of another version",
        examples=(
            "ImportError: /env/lib/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined "
            "symbol: _ZN3c104cuda9SetDeviceEi",
            "OSError: /env/nvidia/cublas/lib/libcublas.so.11: undefined symbol: "
            "cublasLtGetStatusString, version libcublasLt.so.11",
        ),
    ),
    ErrorFamily(
        id="openmp_twice",
        says="Two copies of the OpenMP runtime are in one process.",
        means=(
            "Two packages brought their own copy of the OpenMP runtime into one process | mostly "
            "numpy or another one from conda beside torch from pip",
        ),
        remedy=(
            "Install all of them from one place in a new environment. "
            "`KMP_DUPLICATE_LIB_OK=TRUE` lets it go on with both, which OpenMP itself calls unsafe",
        ),
        types=("RuntimeError", "OMP"),
        today=(r"Initializing lib\w{1,20}\.\w{1,8}, but found lib\w{1,20}\.\w{1,8} already init",),
        needs="two builds of OpenMP",
        examples=(
            "OMP: Error #15: Initializing libomp.dylib, but found libiomp5.dylib already "
            "initialized.",
        ),
    ),
    ErrorFamily(
        id="bitsandbytes_without_gpu",
        says="bitsandbytes found no CUDA, and cannot work in 8 or 4 bits (a warning).",
        means=(
            "bitsandbytes found no CUDA that it could use: 8-bit and 4-bit layers and optimizers "
            "will fail or are not there",
        ),
        remedy=(
            "See that `torch.cuda.is_available()` is True, and install a bitsandbytes of today, "
            "which brings builds for each CUDA; `python -m bitsandbytes` prints what it finds",
        ),
        types=("UserWarning", "ImportError", "RuntimeError"),
        today=(r"bitsandbytes was compiled without GPU support",),
        needs="bitsandbytes",
        examples=(
            "UserWarning: The installed version of bitsandbytes was compiled without GPU support.",
        ),
    ),
    ErrorFamily(
        id="cuda_toolkit",
        says="An extension is to be compiled for CUDA, and its compiler is not there or another.",
        means=(
            "The compiler that was found is of CUDA {found}, and this PyTorch was built with "
            "{built}; an extension needs one of the same major version",
            (
                "An extension is to be compiled for CUDA, and its compiler is not there or "
                "of another version"
            ),
        ),
        remedy=(
            Sentence(
                "Make the two agree: either a PyTorch that was built for the CUDA of the compiler "
                "(`nvcc --version`), or a toolkit of CUDA {built} with nvcc, and CUDA_HOME set to "
                "it. What nvidia-smi shows is the newest CUDA that the driver takes, and conda's "
                "`cudatoolkit` has the libraries without nvcc: neither is what was compared",
                {"built": r".+"},
            ),
            "Install the CUDA toolkit of `torch.version.cuda`, with nvcc, and set CUDA_HOME to it",
        ),
        types=("OSError", "RuntimeError"),
        today=(
            r"CUDA_HOME environment variable is not set",
            r"The detected CUDA version \((?P<found>[\d.]+)\) mismatches the version that was used "
            r"to compile(?:\s+PyTorch \((?P<built>[\d.]+)\))?",
        ),
        values={"found": "version of the compiler", "built": "version torch was built with"},
        sample=(
            "from torch.utils.cpp_extension import CUDAExtension\n"
            'CUDAExtension("mine", ["mine.cu"])'
        ),
        examples=(
            "RuntimeError: The detected CUDA version (10.1) mismatches the version that was used "
            "to compile PyTorch (11.3). Please make sure to use the same CUDA versions.",
        ),
    ),
    ErrorFamily(
        id="operator_missing",
        says="An operator of another library is missing: it was made for another torch.",
        means=(
            (
                "The operator {operator} does not exist | the library that brings it was built "
                "for another torch, or was not loaded"
            ),
            "An operator of another library is missing | it was made for another torch, or was "
            "not loaded",
        ),
        remedy=(
            "Install versions that go together (torch, torchvision, torchaudio of one release), "
            "and import the library that brings the operator before it is used",
        ),
        types=("RuntimeError",),
        today=(
            r"operator (?P<operator>\w+::\w+) does not exist",
            r"No such operator (?P<operator>\w+::\w+)",
            r"Could not find (?:the operator|any similar ops to) (?P<operator>\w+::\w+)",
            r"Couldn't load custom C\+\+ ops",
        ),
        values={"operator": "with its library, such as torchvision::nms"},
        sample='torch.library.register_fake("not_there::f")(abs)',
        examples=(
            "RuntimeError: Couldn't load custom C++ ops. This can happen if your PyTorch and "
            "torchvision versions are incompatible",
        ),
    ),
    ErrorFamily(
        id="operator_not_here",
        says="A compiled operator of another library does not load where the code was run.",
        means=(
            "{operator} is compiled code that does not load beside the PyTorch that is installed",
        ),
        remedy=(
            "Install the library's build for the same PyTorch: torch and torchvision from one "
            "index and of one release",
        ),
        types=("RuntimeError",),
        today=(r"the operator (?P<operator>\w+::\w+) is not here: ",),
        values={"operator": "with its library, such as torchvision::deform_conv2d"},
        needs="a torchvision whose compiled operators do not load",
        examples=(
            "RuntimeError: the operator torchvision::deform_conv2d is not here: torchvision's "
            "compiled operators do not load beside this build of PyTorch",
        ),
    ),
    ErrorFamily(
        id="cuda_driver",
        says="The GPU's driver does not start, or is older than this PyTorch needs.",
        means=(
            Sentence(
                "The driver's parts are of two versions (error {error}) | the driver was updated "
                "and the machine not started anew, or a container brings libraries of another one",
                {"error": r"80[34]"},
            ),
            Sentence(
                "The GPUs are there, and the service that joins them does not run (error {error})",
                {"error": r"802"},
            ),
            "The driver (version {found}) is older than this PyTorch needs",
            "The GPU's driver does not start, or is older than this PyTorch needs",
        ),
        remedy=(
            Sentence(
                "Restart the machine, and see whether `nvidia-smi` works. In a container take one "
                "whose CUDA the host's driver supports, and keep `/usr/local/cuda/compat` out of "
                "LD_LIBRARY_PATH where the GPU is not of a data centre",
                {"error": r"80[34]"},
            ),
            Sentence(
                "On machines with NVSwitch: `systemctl start nvidia-fabricmanager`, in the "
                "driver's own version; then `nvidia-smi` and the program again",
                {"error": r"802"},
            ),
            (
                "Update the driver, or install a PyTorch built for an older CUDA; "
                "`nvidia-smi` shows what the driver supports"
            ),
        ),
        types=("RuntimeError", "AcceleratorError"),
        today=(
            r"NVIDIA driver on your system is too old \(found version (?P<found>\d+)\)",
            r"CUDA driver version is insufficient for CUDA runtime version",
            r"Unexpected error from cudaGetDeviceCount",
            r"CUDA driver initialization failed",
        ),
        details=(r"Error (?P<error>80[234]):",),
        values={"found": "version of the driver, as a number", "error": "number of CUDA's error"},
        needs="a CUDA device with an old driver",
        examples=(
            "RuntimeError: The NVIDIA driver on your system is too old (found version 10010). "
            "Please update your GPU driver",
            "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime "
            "version",
            "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda "
            "functions before calling NumCudaDevices() that might have already set an error?",
        ),
    ),
    ErrorFamily(
        id="mps_out_of_memory",
        says="The memory that Apple's GPU may use is full.",
        means=(
            "The memory that PyTorch may use on Apple's GPU is full: {held} of {most} are taken, "
            "and {wanted} more were asked for",
            "The memory that PyTorch may use on Apple's GPU is full",
        ),
        remedy=(
            "Smaller batches or pictures, half precision (`model.half()`), `torch.no_grad()` where "
            "nothing is trained, and `torch.mps.empty_cache()` between two large steps. "
            "PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 lifts the limit, and may bring the whole machine "
            "to a stop",
        ),
        types=("RuntimeError",),
        today=(r"MPS backend out of memory(?: \(MPS allocated: (?P<held>[\d.]+ \wB))?",),
        details=(
            r"max allowed: (?P<most>[\d.]+ \wB)",
            r"Tried to allocate (?P<wanted>[\d.]+ \wB)",
        ),
        values={
            "held": "what is taken",
            "most": "what may be taken",
            "wanted": "what was asked for",
        },
        needs="Apple's GPU",
        examples=(
            "RuntimeError: MPS backend out of memory (MPS allocated: 8.00 GB, other allocations: "
            "1.00 GB, max allowed: 9.07 GB). Tried to allocate 256.00 MB on private pool.",
        ),
    ),
    ErrorFamily(
        id="mps",
        says="Apple's GPU lacks an operation or a dtype, or a tensor is not on it.",
        means=(
            Sentence(
                "A convolution is looked for among those of Apple's GPU (MPS) and is one of the "
                "CPU: `{operator}` | the layer's weights are still on the CPU, and its input is "
                "not",
                {"operator": r".*_slow_conv\w*"},
            ),
            Sentence(
                "Apple's GPU (MPS) pools adaptively only where the map's height and width are "
                "multiples of the output's",
                {"adaptive": r".+"},
            ),
            "Apple's GPU (MPS) does not have {operator}",
            "Apple's GPU (MPS) has no {dtype}",
            "An operation of Apple's GPU (MPS) is given a tensor that is not on it",
        ),
        remedy=(
            Sentence(
                "Print `next(model.parameters()).device` and `x.device` before the call: both have "
                "to be mps, `model.to('mps')` and `x = x.to('mps')`. The fallback does not mend a "
                "mix of the two; where it is wanted, PYTORCH_ENABLE_MPS_FALLBACK=1 has to be set "
                "before torch is imported, in the shell that starts Python or Jupyter",
                {"operator": r".*_slow_conv\w*"},
            ),
            Sentence(
                "PYTORCH_ENABLE_MPS_FALLBACK does nothing here, as the operator is there. Choose "
                "the image size so that the map fits: torchvision's VGG halves it 5 times and "
                "pools to 7x7, so its images have sides of 224, 448 and so on, AlexNet pools to "
                "6x6. Or do this layer alone on the CPU: `model.avgpool(x.cpu()).to('mps')`",
                {"adaptive": r".+"},
            ),
            Sentence(
                "Set PYTORCH_ENABLE_MPS_FALLBACK=1 before torch is imported, to run it on the CPU; "
                "a newer PyTorch may have it",
                {"operator": r".+"},
            ),
            Sentence(
                "Make it float32 before it is moved: `x.float().to('mps')`; arrays of NumPy are "
                "float64 unless told otherwise",
                {"dtype": r"float64"},
            ),
            Sentence("Convert it before it is moved, or leave it on the CPU", {"dtype": r".+"}),
            "Print the device of each tensor of the line: `model.to('mps')` and `x = x.to('mps')`, "
            "assigned again",
        ),
        types=("NotImplementedError", "RuntimeError", "TypeError"),
        today=(
            r"The operator '(?P<operator>[\w:.]+)' is not currently implemented for the MPS device",
            r"MPS framework doesn't support (?P<dtype>\w+)",
            r"Placeholder storage has not been allocated on MPS device",
            r"(?P<adaptive>Adaptive pool MPS): ",
        ),
        values={
            "operator": "that is missing",
            "dtype": "that is missing",
            "adaptive": "says that it is about adaptive pooling",
        },
        needs="Apple's GPU",
        examples=(
            "NotImplementedError: The operator 'aten::_fft_r2c' is not currently implemented for "
            "the MPS device.",
            "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't "
            "support float64. Please use float32 instead.",
            "RuntimeError: Placeholder storage has not been allocated on MPS device!",
            "RuntimeError: Adaptive pool MPS: input sizes must be divisible by output sizes. "
            "Non-divisible input sizes are not implemented on MPS device yet.",
        ),
    ),
    ErrorFamily(
        id="rnn_backward_in_eval",
        says="backward goes through a recurrent layer that ran in eval mode on a GPU.",
        means=(
            (
                "backward goes through a recurrent layer that ran in eval mode on a GPU, "
                "which cuDNN does not do"
            ),
        ),
        remedy=(
            (
                "Call `model.train()` before the forward pass; for gradients of inputs "
                "switch only dropout off, or set `torch.backends.cudnn.enabled = False`"
            ),
        ),
        suspects=(Suspect(r"eval"),),
        types=("RuntimeError",),
        today=(r"cudnn RNN backward can only be called in training mode",),
        older=(r"^backward_input can only be called in training mode",),
        needs="a CUDA device",
        examples=(
            "RuntimeError: cudnn RNN backward can only be called in training mode",
            "RuntimeError: backward_input can only be called in training mode",
        ),
    ),
    ErrorFamily(
        id="cudnn_plan",
        says="cuDNN refuses one way to compute a convolution, and the next is tried (a warning).",
        means=(
            "This is a warning and no error: cuDNN refused one of its plans for a convolution, "
            "and PyTorch went on with another; the results are not affected. torch 2.3.0 prints "
            "it, 2.3.1 no longer does",
        ),
        remedy=(
            "Update torch to 2.3.1 or later, or leave it: "
            "`warnings.filterwarnings('ignore', message='Plan failed')`",
        ),
        types=("UserWarning",),
        today=(r"Plan failed with a (?P<what>\w{1,30}Exception)",),
        values={"what": "as cuDNN's frontend calls it"},
        needs="torch 2.3.0 on a GPU",
        examples=(
            "UserWarning: Plan failed with a cudnnException: "
            "CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: cudnnFinalize Descriptor Failed "
            "cudnn_status: CUDNN_STATUS_NOT_SUPPORTED (Triggered internally at "
            "../aten/src/ATen/native/cudnn/Conv_v8.cpp:919.)",
        ),
        breadth=-9,  # otherwise `cudnn`
    ),
    ErrorFamily(
        id="cuda_ordinal",
        says="A GPU is asked for that is not there.",
        means=("A GPU is asked for by a number that is not there; they are counted from 0",),
        remedy=(
            "Print `torch.cuda.device_count()`: the numbers go from 0 to one less. With one GPU "
            "say `cuda:0`. CUDA_VISIBLE_DEVICES counts anew from 0, and has to be set before "
            "torch is imported",
        ),
        suspects=(Suspect(r"device|cuda|to|set_device|DataParallel|load"),),
        types=("RuntimeError", "AcceleratorError"),
        today=(r"^CUDA (?:driver )?error: invalid device ordinal",),
        older=(r"cuda runtime error \(10\) : invalid device ordinal",),
        sample='torch.ones(2, device="cuda:1")',
        device="cuda",
        examples=(
            "RuntimeError: CUDA error: invalid device ordinal",
            "RuntimeError: cuda runtime error (10) : invalid device ordinal at "
            "torch/csrc/cuda/Module.cpp:32",
        ),
    ),
    ErrorFamily(
        id="cuda_checkpoint",
        says="A file holds tensors of a GPU that is not there.",
        means=(
            Sentence(
                "The file holds tensors of GPU {device}, and there are {there} here",
                {"device": r"\d+", "there": r"[1-9]\d*"},
            ),
            Sentence(
                "The file holds tensors of GPU {device}, which is not there", {"device": r"\d+"}
            ),
            "The file holds tensors of a GPU, and the process that loads it sees none",
        ),
        remedy=(
            Sentence(
                "`map_location` is given already. If the file was written by pickle and not by "
                "torch.save, each tensor in it calls torch.load by itself, and without "
                "map_location: read it with an Unpickler whose `find_class` gives, for "
                "`('torch.storage', '_load_from_bytes')`, `lambda b: torch.load(io.BytesIO(b), "
                "map_location='cpu')`; next time `torch.save` what was moved by `.cpu()`",
                {"code": _PICKLED},
            ),
            Sentence(
                "`map_location='cuda:0'` (or `'cpu'`) moves all of it; a dictionary moves only the "
                "device that it names, `{{'cuda:{device}': 'cuda:0'}}`. If the machine has more "
                "GPUs than these, CUDA_VISIBLE_DEVICES of this process hides them",
                {"device": r"\d+", "there": r"[1-9]\d*"},
            ),
            Sentence(
                "Where a GPU is there all the same, this process does not see it. Print "
                "`torch.cuda.is_available()`, `torch.version.cuda` and "
                "`os.environ.get('CUDA_VISIBLE_DEVICES')` right before the load: a version of None "
                "is a build for the CPU in this environment, and a wrong CUDA_VISIBLE_DEVICES "
                "hides the card. `map_location='cpu'` loads the file meanwhile",
                {
                    "words": r"(?i)is_available(?:\(\))? (?:is|gives|returns|=+|prints) ?`?true"
                    r"|\b(?:have|has|with|using|on) (?:a |an |the |my )?(?:\w+ )?gpus?\b|nvidia-smi"
                },
            ),
            (
                "Say where they are to go: `torch.load(path, map_location='cpu')` (or "
                "`map_location=device`), then `model.to(device)`"
            ),
        ),
        suspects=(
            Suspect(r"load", without=("map_location",)),
            Suspect(r"load"),
        ),
        types=("RuntimeError",),
        today=(
            r"Attempting to deserialize object on (?:a CUDA device|CUDA device (?P<device>\d+))"
            r"(?: but torch\.cuda\.device_count\(\) is (?P<there>\d+))?",
        ),
        values={"device": "number of the GPU in the file", "there": "number of GPUs there"},
        sample='torch.serialization._validate_device("cuda:2", "cuda")',
        examples=(
            "RuntimeError: Attempting to deserialize object on CUDA device 2 but "
            "torch.cuda.device_count() is 1. Please use torch.load with map_location",
        ),
    ),
)
