"""Several processes and several GPUs: starting them, what they share, what they wait for."""

from executor.errors.around import DOWNLOADS
from executor.errors.family import ErrorFamily, Sentence, Suspect

# Frames of processes that meet.
_GROUP = r"\b(?:distributed_c10d|rendezvous|\w*_rendezvous\w*)\.py "

# The file of a program that is no script: gunicorn, uvicorn, pytest.
_NO_SCRIPT = r"(?!.*\.pyw?$).+"

# NCCL says that it could not make the memory through which two processes of one machine talk.
_NO_SHARED_MEMORY = (
    r"(?i)(?:extend|creat\w{1,4}|allocat\w{1,4}|open|map)[^\n]{0,80}/dev/shm"
    r"|/dev/shm[^\n]{0,80}No space left"
)
_IN_PARTS = r"(?i)\bfsdp|fully_?shard|fully sharded|\bdeepspeed|\bzero[- ]?[23]\b"
# What gathers the parts of a model stands under a condition that one process fulfils.
_SAVED_BY_ONE = (
    r"\bif\b[^\n]{0,60}(?:is_(?:local_)?main_process|is_global_zero|rank[^\n]{0,12}== ?0)"
    r"[^\n]{0,40}:(?:[^\n]*\n){0,5}?[^\n]{0,80}"
    r"(?:save_state|state_dict|save_pretrained|save_checkpoint|save_model)\("
)
_DUPLICATE = r"Duplicate GPU detected"
_A_GPU_EACH = (
    "Start as many processes as GPUs are visible: `--nproc_per_node` is not to be larger than "
    "`torch.cuda.device_count()` (`CUDA_VISIBLE_DEVICES` counts too). If it is not, each process "
    "has to take its own: `torch.cuda.set_device(int(os.environ['LOCAL_RANK']))` before anything "
    "is on a GPU"
)

FAMILIES = (
    ErrorFamily(
        id="main_guard",
        says="Processes are started while the script is imported, without a __main__ guard.",
        means=(
            (
                "Processes are started while the script is imported: on Windows and macOS "
                "each worker imports it again"
            ),
        ),
        remedy=(
            (
                "Put the code that starts things under `if __name__ == '__main__':`, or "
                "set num_workers=0"
            ),
        ),
        suspects=(Suspect(r"DataLoader|Process|Pool|spawn"),),
        types=("RuntimeError",),
        today=(
            r"attempt has been made to start a new process before the\s+current process has "
            r"finished its bootstrapping phase",
            r"Attempt to start a new process before the current process\s+has finished",
        ),
        needs="a script that starts its processes by spawning",
        examples=(
            "RuntimeError: An attempt has been made to start a new process before the\n        "
            "current process has finished its bootstrapping phase.",
        ),
    ),
    ErrorFamily(
        id="start_method",
        says="The way in which processes are started is set twice.",
        decides=True,
        means=("The way in which processes are started is set twice",),
        remedy=("Call it once, under `if __name__ == '__main__':`",),
        suspects=(Suspect(r"set_start_method"),),
        types=("RuntimeError",),
        today=(r"^context has already been set",),
        sample=(
            "import torch.multiprocessing as mp\n"
            'mp.set_start_method("fork", force=True)\n'
            'mp.set_start_method("fork")'
        ),
    ),
    ErrorFamily(
        id="pickled_for_a_process",
        says="Something is sent to another process, or saved, and cannot be pickled.",
        means=(
            Sentence(
                "{object} are sent to a worker process (or saved) and cannot be pickled",
                {"object": r"[\w ]{1,60}\bobjects"},
            ),
            "{object} is sent to a worker process (or saved) and cannot be pickled",
            "Something is sent to a worker process (or saved) that cannot be pickled",
        ),
        remedy=(
            Sentence(
                "The class was made anew since the object was (a module that was reloaded, a cell "
                "that was run again, a decorator in its place): make the object again, in a fresh "
                "process",
                {"anew": r".+"},
            ),
            Sentence(
                "Define it with `def` or `class` at the top of a file, in place of a lambda or of "
                "something inside a function (`functools.partial` hands values on); for workers of "
                "a loader num_workers=0 does without, and of a model save the state_dict",
                {"object": r".*(?:<locals>|<lambda>|<function|<class).*"},
            ),
            "An object that is sent or saved holds it as an attribute: an open file or database, a "
            "lock, a logger, a generator. If it goes to a DataLoader's workers, open it there, at "
            "the first `__getitem__` (or num_workers=0); if it is saved or copied, leave it out, "
            "and save the state_dict alone",
        ),
        types=("PicklingError", "AttributeError", "TypeError"),
        today=(
            r"Can't (?:pickle|get) local object '(?P<object>[\w.<>]+(?: <?[\w.<>]+){0,4})",
            r"[Cc]an(?:'t|not) pickle (?P<object>[\w.]+) objects?",
            r"Can't pickle (?P<object><[^\n]{1,300}?>): ",
            r"cannot pickle '(?P<object>[\w.]+)' object",
            r"(?P<object>h5py objects) cannot be pickled",
        ),
        details=(r"(?P<anew>it's not the same object as)",),
        values={
            "object": "that cannot be pickled",
            "anew": "says that another object has its name now",
        },
        sample="import pickle\npickle.dumps(lambda x: x)",
        examples=(
            "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'",
            "TypeError: cannot pickle '_thread.lock' object",
        ),
    ),
    ErrorFamily(
        id="pickled_class_missing",
        says="A file holds an object of a class that this program does not define there.",
        means=(
            Sentence(
                "`{name}` is sent to a worker process, which imports the script again and does not "
                "find it there | it is defined inside a function, under the `__main__` guard, or "
                "later than the workers are started",
                {"module": r"__mp_main__"},
            ),
            Sentence(
                "`{name}` is sent to a process that has another main program and does not find it "
                "there | a worker process that was started from a notebook or the console, or a "
                "file that was saved where `{name}` stood in the script itself",
                {"module": r"__main__", "built": r".+"},
            ),
            Sentence(
                "The file names `{name}` as one of `__main__`, the program that saved it, and here "
                "`__main__` is {main}: where it stands in a file of yours makes no difference",
                {"module": r"__main__", "main": _NO_SCRIPT},
            ),
            (
                "What is loaded holds a `{name}` (a class or a function), which this program does "
                "not define in {module}"
            ),
        ),
        remedy=(
            Sentence(
                "Define it at the top level of the script, above the `__main__` guard, or in a "
                "file of its own that is imported; num_workers=0 does without workers",
                {"module": r"__mp_main__"},
            ),
            Sentence(
                "Of workers: put it into a .py file and import it, or set num_workers=0. Of a "
                "file: import it under the same name first, and save `model.state_dict()` only",
                {"module": r"__main__", "built": r".+"},
            ),
            Sentence(
                "For this file, before it is loaded: `import __main__`, and `__main__.{name} = "
                "{name}`. To last: put the class into a module of its own, save "
                "`model.state_dict()` alone, once, from the program that can load the file, and "
                "load it into a model that is made here",
                {"module": r"__main__", "main": _NO_SCRIPT},
            ),
            (
                "Import or define the class under the same name before loading; better "
                "save `model.state_dict()` only"
            ),
        ),
        suspects=(Suspect(r"load"),),
        types=("AttributeError",),
        today=(
            r"Can't get attribute '(?P<name>[\w.]+)' on <module '(?P<module>[\w.]+)'"
            r"(?: (?P<built>\(built-in\)))?"
            r"(?: from '(?:[^'\n]{0,300}[/\\])?(?P<main>[^'\n/\\]{1,80})'>)?",
        ),
        values={
            "name": "of the class",
            "module": "where it is looked for",
            "main": "the file of that module",
            "built": "says that the module is no file",
        },
        sample='import pickle\npickle.loads(b"c__main__\\nNet\\n.")',
    ),
    ErrorFamily(
        id="shared_memory",
        says="Worker processes have no shared memory or no file handles left.",
        means=(
            Sentence(
                "A process has as many files open as it may | each tensor that a worker sends "
                "keeps one open for as long as it is kept, and so does what is opened and not "
                "closed",
                {"handles": r".+"},
            ),
            "Worker processes send their batches through shared memory, and could get none",
        ),
        remedy=(
            Sentence(
                "If batches or samples are kept, keep a copy: `x.clone()` (or a number). More "
                "files may be open with `ulimit -n 65536` before the start, or with "
                "`torch.multiprocessing.set_sharing_strategy('file_system')`; close the files that "
                "the data set opens",
                {"handles": r".+"},
            ),
            "In Docker give it more, `--shm-size=8g` or `--ipc=host`; elsewhere see what `df -h "
            "/dev/shm` says. Fewer workers, or num_workers=0, need less",
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("RuntimeError", "OSError"),
        today=(
            r"unable to (?:open|mmap|write to|resize|allocate) (?:shared memory object|"
            r"(?:\d+ bytes from )?file <(?:/?torch_|filename not specified))",
            r"(?P<handles>received \d+ items of ancdata)",
            r"(?P<handles>Too many open files)",
        ),
        values={"handles": "says that it is about open files"},
        needs="a container with little shared memory, or a low limit on open files",
        examples=(
            "RuntimeError: unable to open shared memory object </torch_29919_1396182366> in "
            "read-write mode",
            "RuntimeError: unable to write to file </torch_1_2>",
            "RuntimeError: received 0 items of ancdata",
            "RuntimeError: Too many open files. Communication with the workers is no longer "
            "possible.",
            "OSError: [Errno 24] Too many open files",
        ),
    ),
    ErrorFamily(
        id="broken_pipe",
        says="The other end of a pipe is gone: a worker or the program that started it ended.",
        means=(
            Sentence(
                "A server, or something in between, ended the connection in the midst of a "
                "download",
                {"frames": DOWNLOADS},
            ),
            Sentence(
                "Another process of the group ended, and with it the connection to it",
                {"frames": _GROUP},
            ),
            Sentence(
                "A worker process imports the script again (Windows and macOS start workers so), "
                "and fails at it | all that the script does runs once more there, up to starting "
                "workers of its own",
                {"frames": r"_fixup_main_from"},
            ),
            Sentence(
                "A worker process could not be started: it ended while it was sent what it works "
                "on | the script has no `__main__` guard, or the data set's class is defined in "
                "a notebook or inside a function, where the worker cannot import it from",
                {"frames": r"popen_spawn|reduction\.py dump"},
            ),
            "The other end of a pipe is gone | a process, such as a DataLoader's worker, ended or "
            "could not start",
        ),
        remedy=(
            Sentence(
                "Try again, perhaps over another network or mirror; a file that is fetched by hand "
                "into the folder or cache where it is looked for is not downloaded again",
                {"frames": DOWNLOADS},
            ),
            Sentence(
                "Read the first error in the output of every rank: this one only tells that "
                "another process is gone",
                {"frames": _GROUP},
            ),
            Sentence(
                "Put all that runs under `if __name__ == '__main__':`, and leave only imports, "
                "classes and functions above it; or set num_workers=0",
                {"frames": r"_fixup_main_from"},
            ),
            (
                "Set num_workers=0 first: then the data is loaded in this process, and an error in "
                "it comes up by itself. If it runs so: on Windows and macOS a script needs `if "
                "__name__ == '__main__':` around all that it does, and in a notebook the data "
                "set's class has to be moved into a .py file and imported"
            ),
        ),
        suspects=(Suspect(r"DataLoader"),),
        types=("BrokenPipeError", "ConnectionResetError", "RuntimeError", "EOFError"),
        by_type=("BrokenPipeError",),
        today=(r"^\[Errno (?:32|104|54)\]", r"^Broken pipe", r"Connection reset by peer"),
        sample="import os\nread, write = os.pipe()\nos.close(read)\nos.write(write, b'x')",
    ),
    ErrorFamily(
        id="process_group_missing",
        says="Something distributed is used before init_process_group was called.",
        means=("Something distributed is used before init_process_group was called",),
        remedy=(
            (
                "Call `torch.distributed.init_process_group(…)` first, or use the version "
                "for one process (BatchNorm instead of SyncBatchNorm)"
            ),
        ),
        types=("ValueError", "RuntimeError"),
        today=(r"Default process group (?:has not been|is not) initialized",),
        sample="torch.distributed.all_reduce(torch.ones(2))",
        examples=(
            "RuntimeError: Default process group has not been initialized, please make sure to "
            "call init_process_group.",
        ),
    ),
    ErrorFamily(
        id="ddp_unused_parameters",
        says="Parameters of a distributed model got no gradient, so the next step cannot begin.",
        means=(
            (
                "Some parameters ({indices}) took no part in the loss, so "
                "DistributedDataParallel still waits for their gradients"
            ),
            (
                "Some parameters took no part in the loss, so DistributedDataParallel "
                "still waits for their gradients; or the model was called in another way "
                "than through the wrapper"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Where unused parameters are looked for already, it is mostly this: forward "
                    "gives its outputs in an object of a class of its own, in which no tensors are "
                    "looked for (give a tuple or dictionary); a part of the outputs is left out of "
                    "the loss in some steps, or on one process alone; or the model is called twice "
                    "before one backward(). TORCH_DISTRIBUTED_DEBUG=DETAIL names the parameters",
                    {where: r"find_unused_parameters[\"']?\s*[=:]\s*True"},
                )
                for where in ("code", "words")
            ),
            (
                "Find them: after one backward without DDP, `[n for n, p in "
                "model.named_parameters() if p.grad is None]`; use them, freeze them "
                "(`requires_grad=False`), or pass `find_unused_parameters=True`. "
                "TORCH_DISTRIBUTED_DEBUG=DETAIL names them"
            ),
        ),
        suspects=(Suspect(r"DistributedDataParallel|DDP"),),
        types=("RuntimeError",),
        today=(r"Expected to have finished reduction in the prior iteration",),
        details=(r"did not receive grad(?:ient)? for rank \d+: (?P<indices>[\d ,\[\].]{1,200})",),
        values={"indices": "of the parameters without a gradient"},
        needs="two processes",
        examples=(
            "RuntimeError: Expected to have finished reduction in the prior iteration before "
            "starting a new one. This error indicates that your module has parameters that were "
            "not used in producing loss.",
        ),
    ),
    ErrorFamily(
        id="ddp_ready_twice",
        says="A parameter of a distributed model got its gradient twice in one backward.",
        means=(
            "DistributedDataParallel heard twice of one parameter's gradient in one backward | a "
            "parameter that is used outside of forward, a forward of the wrapped model that is "
            "called twice before backward, or activation checkpointing of a shared layer",
        ),
        remedy=(
            "Call the wrapped model once for each backward (join two inputs into one batch), and "
            "use its parameters only inside its forward. With `torch.utils.checkpoint` pass "
            "`use_reentrant=False`, and leave `find_unused_parameters` False; if the graph is the "
            "same in every step, `DistributedDataParallel(model, static_graph=True)`",
        ),
        suspects=(Suspect(r"DistributedDataParallel|DDP"),),
        types=("RuntimeError",),
        today=(r"Expected to mark a variable ready only once",),
        needs="two processes",
        examples=(
            "RuntimeError: Expected to mark a variable ready only once. This error is caused by "
            "one of the following reasons: 1) Use of a module parameter outside the `forward` "
            "function.",
        ),
    ),
    ErrorFamily(
        id="ddp_devices",
        says="DistributedDataParallel is given devices that do not fit its module.",
        means=(
            Sentence(
                "The model is still on the CPU, and DistributedDataParallel is told to use a GPU",
                {"lies": r".*'cpu'.*"},
            ),
            Sentence(
                "The model lies on several GPUs, and DistributedDataParallel is told to use one",
                {"lies": r".*index=\d.*index=\d.*"},
            ),
            "DistributedDataParallel is given devices that do not fit where its module lies",
        ),
        remedy=(
            Sentence(
                "Move it first: `model = model.to(local_rank)`, then "
                "`DistributedDataParallel(model, device_ids=[local_rank])`; on a CPU leave "
                "device_ids out",
                {"lies": r".*'cpu'.*"},
            ),
            "A model on one GPU takes `device_ids=[that GPU]`; one that is spread over several, or "
            "on the CPU, takes none",
        ),
        details=(r"module parameters (?P<lies>\{[^\n]{1,300})",),
        values={"lies": "where the module's parameters lie"},
        types=("ValueError", "RuntimeError"),
        today=(r"DistributedDataParallel(?:'s| |: )[^\n]{0,80}device(?:_ids|s)?",),
        needs="two processes, or a CUDA device",
        examples=(
            "ValueError: DistributedDataParallel device_ids and output_device arguments only work "
            "with single-device/multiple-device GPU modules or CPU modules, but got device_ids "
            "[0]",
        ),
    ),
    ErrorFamily(
        id="replicated_from_elsewhere",
        says="DataParallel finds its module on another device than its first one.",
        decides=True,
        means=("DataParallel copies the module from {first}, and a part of it is on {other}",),
        remedy=(
            "Move the whole module there before it is called: `model.to('{first}')`. It may have "
            "been moved away in between (to be saved or evaluated on the CPU), or a layer was "
            "added after it was moved",
        ),
        suspects=(Suspect(r"DataParallel"), Suspect(r"to|cuda|cpu")),
        types=("RuntimeError",),
        today=(
            r"module must have its parameters and buffers on device (?P<first>[\w:]+)"
            r"(?: \(device_ids\[0\]\))? but found one of them on device: (?P<other>[\w:]+)",
        ),
        values={"first": "device of the first replica", "other": "device of another parameter"},
        needs="a CUDA device",
        examples=(
            "RuntimeError: module must have its parameters and buffers on device cuda:0 "
            "(device_ids[0]) but found one of them on device: cuda:1",
        ),
    ),
    ErrorFamily(
        id="gathered_sizes",
        says="DataParallel cannot join what its copies of the model gave back.",
        decides=True,
        means=(
            "One copy of the model gave an output of size {given} and another one of {wanted}: "
            "DataParallel joins them along the batch, so all other sizes have to agree",
        ),
        remedy=(
            "Each copy sees its own part of the batch: what is cut or padded to the longest there "
            "differs. Pad to a length of the whole batch (`pad_packed_sequence(…, "
            "total_length=…)`), or give back what does not depend on it, such as the loss",
        ),
        suspects=(Suspect(r"DataParallel"), Suspect(r"pad_packed_sequence")),
        types=("RuntimeError",),
        today=(
            r"Gather got an input of invalid size: got (?P<given>\[[\d, ]{1,80}\]), but expected "
            r"(?P<wanted>\[[\d, ]{1,80}\])",
            r"Input tensor at index \d+ has invalid shape (?P<given>\[[\d, ]{1,80}\]), but "
            r"expected (?P<wanted>\[[\d, ]{1,80}\])",
        ),
        values={"given": "the size of one output", "wanted": "the size of the others"},
        needs="two CUDA devices",
        examples=(
            "RuntimeError: Gather got an input of invalid size: got [1, 24], but expected [1, 25]",
            "RuntimeError: Input tensor at index 1 has invalid shape [4, 90], but expected [4, 92]",
        ),
    ),
    ErrorFamily(
        id="flattened_frozen",
        says="FSDP puts frozen and trained parameters into one flat one.",
        decides=True,
        means=(
            "FSDP makes one flat parameter of all that it wraps together, and some of it is frozen "
            "while the rest is trained",
        ),
        remedy=(
            "Give `use_orig_params=True`, or wrap the trained parts (such as adapters) apart from "
            "the frozen ones",
        ),
        suspects=(Suspect(r"FSDP|FullyShardedDataParallel"),),
        types=("ValueError",),
        today=(r"Must flatten tensors with uniform requires_grad when use_orig_params=False",),
        older=(r"`FlatParameter` requires uniform requires_grad",),
        needs="several processes",
        examples=(
            "ValueError: Must flatten tensors with uniform requires_grad when "
            "use_orig_params=False",
            "ValueError: `FlatParameter` requires uniform requires_grad",
        ),
    ),
    ErrorFamily(
        id="rendezvous_timeout",
        says="A process waited for the others, or for another machine, and nobody answered.",
        means=(
            Sentence("A server did not answer a download in time", {"frames": DOWNLOADS}),
            "A process waited for others to join it, and they did not in time | fewer processes "
            "were started than the world size says, the address or port is another on each "
            "machine, or a firewall is between them",
        ),
        remedy=(
            Sentence(
                "Try again, perhaps over another network, mirror or proxy; a file that is fetched "
                "by hand into the folder or cache where it is looked for is not downloaded again",
                {"frames": DOWNLOADS},
            ),
            "Print `MASTER_ADDR`, `MASTER_PORT`, `RANK` and `WORLD_SIZE` in every process: the "
            "first two and the last have to agree, the ranks run from 0 to WORLD_SIZE - 1. On one "
            "machine `torchrun --standalone --nproc-per-node=N script.py` sets them",
        ),
        suspects=(Suspect(r"init_process_group|TCPStore"),),
        types=("RuntimeError", "DistStoreError", "DistNetworkError", "TimeoutError"),
        today=(
            r"Timed out after \d+ seconds waiting for clients",
            r"The client socket has timed out after",
            r"Connect(?:ion)? timed out|connect\(\) timed out",
        ),
        needs="several processes",
        examples=(
            "RuntimeError: Connection timed out",
            "DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
        ),
    ),
    ErrorFamily(
        id="gloo_without_device",
        says="gloo, which joins processes, can use no network device with this build of torch.",
        means=(
            "gloo, which joins the processes, has no way to a network in this build of torch, as "
            "builds for Windows of newer versions have none: addresses and ports play no part",
        ),
        remedy=(
            "With one GPU no group of processes is needed: leave out `init_process_group` and the "
            "DistributedDataParallel around the model (as for a world size of 1). If several are "
            "to be used, go back to the torch that it worked with, or run it on Linux or in WSL, "
            "where gloo works and NCCL does too",
        ),
        suspects=(Suspect(r"init_process_group"),),
        types=("RuntimeError",),
        today=(r"makeDeviceFor(?:Hostname|Interface)\(\): unsupported gloo device",),
        needs="a build of torch without a transport of gloo",
        examples=("RuntimeError: makeDeviceForHostname(): unsupported gloo device",),
    ),
    ErrorFamily(
        id="optimizer_state_missing",
        says="A checkpoint holds no optimizer state for a parameter that is trained.",
        means=("The checkpoint holds no optimizer state for `{name}`, which is trained here",),
        remedy=(
            "If the parameter is new (another head, an adapter, one that was frozen), load with "
            "`StateDictOptions(strict=False)`: its state starts afresh. If not, the checkpoint is "
            "of another model or was saved before the first step",
        ),
        suspects=(Suspect(r"set_\w*state_dict|load"),),
        types=("RuntimeError",),
        today=(r"Missing optimizer state for parameter '(?P<name>[\w.]{1,200})' in checkpoint",),
        values={"name": "of the parameter"},
        needs="a checkpoint of torch.distributed",
        examples=(
            "RuntimeError: Missing optimizer state for parameter 'fc.weight' in checkpoint. The "
            "parameter requires gradients but has no saved optimizer state.",
        ),
    ),
    ErrorFamily(
        id="flattened_dtypes",
        says="FSDP puts parameters of several dtypes, or of integers, into one flat one.",
        means=(
            "FSDP makes one flat parameter of all that it wraps together, and they are of {given} "
            "and {other}",
            "FSDP makes one flat parameter of all that it wraps together, and among them are "
            "integers, such as those of a quantized model",
        ),
        remedy=(
            Sentence(
                "Give them one dtype before wrapping (`model.to(torch.bfloat16)`; adapters are "
                "often float32), or wrap those of another dtype by themselves",
                {"given": r".+"},
            ),
            "Leave the quantized layers out of it (`ignored_modules`), or load the model without "
            "quantization",
        ),
        suspects=(Suspect(r"FSDP|FullyShardedDataParallel|fully_shard"),),
        types=("ValueError",),
        today=(
            r"Must flatten tensors with uniform dtype but got (?P<given>torch\.\w+) and "
            r"(?P<other>torch\.\w+)",
            r"Cannot flatten integer dtype tensors",
        ),
        older=(
            r"`FlatParameter` requires uniform dtype but got (?P<given>torch\.\w+) and "
            r"(?P<other>torch\.\w+)",
        ),
        values={"given": "the dtype of one", "other": "the dtype of another"},
        needs="several processes",
        examples=(
            "ValueError: Must flatten tensors with uniform dtype but got torch.float16 and "
            "torch.float32",
            "ValueError: Cannot flatten integer dtype tensors",
            "ValueError: `FlatParameter` requires uniform dtype but got torch.float16 and "
            "torch.float32",
        ),
    ),
    ErrorFamily(
        id="replica_error",
        says="An error came up in one copy of the model that DataParallel made.",
        means=(
            (
                "An error ({type}) came up in one copy of the model that DataParallel "
                "made, on device {device}; it stands at the end of the message"
            ),
        ),
        remedy=(
            "Run on one GPU to see it. If it does not come there: tensors made in forward need "
            "`device=x.device`, layers or tensors kept outside of parameters and buffers stay on "
            "the first GPU, and a last batch may be too small for all GPUs",
        ),
        suspects=(Suspect(r"DataParallel"),),
        types=("RuntimeError", "TypeError", "ValueError", "StopIteration"),
        today=(r"Caught (?P<type>\w+) in replica (?P<replica>\d+) on device (?P<device>\d+)",),
        values={"type": "of the error", "replica": "its number", "device": "number of its GPU"},
        needs="two CUDA devices",
        examples=(
            "RuntimeError: Caught RuntimeError in replica 0 on device 0.\nOriginal Traceback (most "
            "recent call last):",
        ),
    ),
    ErrorFamily(
        id="scalars_gathered",
        says="DataParallel is given one number by each of its copies of the model.",
        decides=True,
        means=(
            "Each copy of the model that DataParallel runs gave one number; they come back as a "
            "vector with one entry a GPU",
        ),
        remedy=(
            "It is a notice, and nothing is computed wrongly by it. If it is a loss, "
            "`loss.mean()` of what comes back is one number again, for `backward()` and for what "
            "is printed; where the last batch is divided unevenly, its parts count alike in that "
            "mean",
        ),
        types=("UserWarning",),
        today=(r"[Ww]as asked to gather along dimension 0, but all input tensors were scalars",),
        needs="two GPUs",
        examples=(
            "UserWarning: Was asked to gather along dimension 0, but all input tensors were "
            "scalars; will instead unsqueeze and return a vector.",
        ),
    ),
    ErrorFamily(
        id="nccl",
        says="The GPUs of several processes could not talk to each other.",
        means=(
            Sentence(
                "A process waited {ms} milliseconds in {operation} for the others, and they did "
                "not come",
                {"operation": r".+", "ms": r"\d+"},
            ),
            Sentence(
                "What watches over NCCL's operations got stuck itself | a call of CUDA or NCCL "
                "that never returns, or another thread that holds Python's lock",
                {"stuck": r".+"},
            ),
            Sentence(
                "A process waited in a collective call for the others, and they did not come",
                {"collective": r".+"},
            ),
            Sentence(
                "The processes {rank} and {other} are on one GPU, which NCCL refuses | more "
                "processes are started than GPUs are there for them, or both take the same one",
                {"rank": r"\d+", "other": r"\d+"},
            ),
            Sentence(
                "Two processes are on one GPU, which NCCL refuses | more processes are started "
                "than GPUs are there for them, or both take the same one",
                {"words": _DUPLICATE},
            ),
            *(
                Sentence(
                    "The shared memory in /dev/shm, through which the processes of one machine "
                    "talk, is too small: a container has 64 MB of it unless it is given more. The "
                    "version of NCCL plays no part",
                    {"failed": r"system", where: _NO_SHARED_MEMORY},
                )
                for where in ("words", "above")
            ),
            Sentence(
                "A call of the system failed while the GPUs of several processes were to be "
                "connected | a network interface that does not lead to the others, a socket that "
                "was refused or closed, too little shared memory",
                {"failed": r"system"},
            ),
            "The GPUs of several processes could not talk to each other",
        ),
        remedy=(
            *(
                Sentence(
                    "Start the container with `--shm-size=8g` or `--ipc=host` (compose: "
                    "`shm_size: 8gb`; Kubernetes: an `emptyDir` with `medium: Memory` at "
                    "/dev/shm); inside of it `df -h /dev/shm` shows the size. Where that cannot be "
                    "changed, `NCCL_SHM_DISABLE=1` does without, and is slower. torch uses the "
                    "NCCL that came with it, and not that of the system",
                    {"failed": r"system", where: _NO_SHARED_MEMORY},
                )
                for where in ("words", "above")
            ),
            Sentence(
                "Run with NCCL_DEBUG=INFO: the line before the error names the call and why it "
                "failed. Between machines: NCCL_SOCKET_IFNAME is the interface that they share "
                "(`ip addr`; not `lo`, nor docker's), and no firewall is between them, also not "
                "for the ports above 1024 that NCCL takes. Within one machine or container: "
                "`df -h /dev/shm` (docker: `--shm-size=8g` or `--ipc=host`)",
                {"failed": r"system"},
            ),
            *(
                Sentence(_A_GPU_EACH, {name: pattern})
                for name, pattern in (("rank", r"\d+"), ("words", _DUPLICATE))
            ),
            Sentence(
                "Read the first error of every rank, and see with `py-spy dump --pid PID` where "
                "each of them stands. The message names the variables that lengthen the wait or "
                "switch the watch off",
                {"stuck": r".+"},
            ),
            *(
                Sentence(
                    "Where a model is sharded (FSDP, ZeRO), each process holds a part of it, and "
                    "saving it gathers the parts: a collective call, which here one process alone "
                    "comes to. Call it in all processes, outside of the `if`; the library itself "
                    "lets one of them write where one is enough. Only printing and the like stays "
                    "under the `if`, and loading is for all of them too. Plain DDP has the whole "
                    "model in each process, so that it went there; a longer timeout changes "
                    "nothing",
                    {"collective": r".+", "words": _IN_PARTS, where: _SAVED_BY_ONE},
                )
                for where in ("code", "above")
            ),
            Sentence(
                "Look why one of them was elsewhere: it ended with an error of its own (read the "
                "output of every rank, the first error counts), has fewer batches than the others "
                "(`DistributedSampler`, `drop_last`), or is alone under `if rank == 0:`. What "
                "stands there and is a collective call itself (a barrier, a forward, with FSDP "
                "saving too) belongs outside of the `if`; only for something long that is none, "
                "such as a download, a longer wait helps: `init_process_group(timeout=…)`",
                {"collective": r".+"},
            ),
            (
                "Run with NCCL_DEBUG=INFO to see why: two processes on one GPU, different "
                "versions, a wrong network interface (NCCL_SOCKET_IFNAME); each process "
                "needs `torch.cuda.set_device(local_rank)`"
            ),
        ),
        types=("DistBackendError", "RuntimeError"),
        today=(
            r"NCCL (?:error|Error|failure|operation)|ProcessGroupNCCL\.cpp:\d+, ",
            r"Watchdog caught (?P<collective>collective) operation timeout",
            r"ProcessGroupNCCL's watchdog got (?P<stuck>stuck)",
        ),
        values={
            "stuck": "says that the watchdog is",
            "collective": "says that it is a collective call",
            "operation": "that the process waits in",
            "ms": "how long it waited",
            "rank": "of one of two processes on one GPU",
            "other": "the other one's rank",
            "failed": "says that a call of the system failed",
        },
        details=(
            r"Duplicate GPU detected ?: rank (?P<rank>\d{1,6}) and rank (?P<other>\d{1,6})",
            r"unhandled (?P<failed>system) error",
            r"OpType=(?P<operation>\w{1,40})",
            r"ran for (?P<ms>\d{1,15}) milliseconds",
        ),
        needs="two CUDA devices",
        examples=(
            "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:492, "
            "unhandled system error, NCCL version 2.4.8",
            "RuntimeError: [Rank 1] Watchdog caught collective operation timeout: "
            "WorkNCCL(OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 1802710 milliseconds before "
            "timing out.",
        ),
    ),
    ErrorFamily(
        id="port_taken",
        says="The port that the processes meet at is taken, by an earlier run or another one.",
        means=(
            Sentence(
                "The processes of a launch meet at a port of this machine, and another program "
                "holds it: torchrun takes 29500 for each launch where nothing else is said. The "
                "GPUs play no part",
                {"server": r".+"},
            ),
            "A port of the network that the program wants to listen at is taken, by an earlier run "
            "or another program",
        ),
        remedy=(
            Sentence(
                "Start this one with a port of its own: `torchrun --master_port 29501 …`, or "
                "`--standalone`, which takes a free one (or MASTER_PORT, where the script reads "
                "it). Another training that runs may go on. If none does, an earlier process is "
                "left over: `lsof -i :29500` names it",
                {"server": r".+"},
            ),
            "If an earlier run is still there (`lsof -i :PORT` names it), end it. If not, choose "
            "another port: with torchrun `--master_port 29501`, or MASTER_PORT; a server has an "
            "option of its own",
        ),
        types=("DistNetworkError", "RuntimeError", "OSError"),
        today=(
            r"(?P<server>server socket has failed to (?:listen|bind))(?! to address with a reason)",
            r"[Aa]ddress already in use|EADDRINUSE",
        ),
        values={"server": "says that the processes of a launch meet there"},
        needs="a port that another process holds",
        examples=(
            "RuntimeError: Address already in use",
            "RuntimeError: The server socket has failed to listen on any local network address. "
            "The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in "
            "use).",
        ),
    ),
    ErrorFamily(
        id="launched_failed",
        says="A launcher reports that a process which it started has failed.",
        means=(
            "The launcher only reports that a process which it started has failed; that one's own "
            "error stands further up in the output, the first of them is the cause",
        ),
        remedy=(
            "Post that one: the first traceback above, or the line `…: error: …` where the "
            "arguments were refused (exit code 2). A negative exit code is a signal: -9 mostly "
            "means that the memory ran out, -11 a crash in a library. If nothing stands there, put "
            "`@record` (from torch.distributed.elastic.multiprocessing.errors) before `main`, or "
            "start the script by itself, without the launcher",
        ),
        types=("ChildFailedError", "CalledProcessError"),
        by_type=("ChildFailedError",),
        today=(
            r"^[\w./-]{1,300} FAILED\b",
            r"-m['\", ]{1,6}torch\.distributed\.(?:launch|run)\b[\s\S]{0,2000}?non-zero exit",
        ),
        needs="a launcher",
        examples=("ChildFailedError: ", "ChildFailedError: train.py FAILED"),
    ),
    ErrorFamily(
        id="arguments_refused",
        says="A script is started with an argument that its parser does not know.",
        decides=True,
        means=(
            Sentence(
                "The launcher of PyTorch 2.0 and later hands each process `--local-rank`, with a "
                "dash, and the script's parser does not know that: scripts of before have "
                "`--local_rank`",
                {"unknown": r"--local-rank.*"},
            ),
            Sentence(
                "The launcher of PyTorch before 2.0 hands each process `--local_rank`, with an "
                "underscore, and the script's parser does not know it",
                {"unknown": r"--local_rank.*"},
            ),
            "The script was started with `{unknown}`, which its parser does not know",
        ),
        remedy=(
            Sentence(
                "Let the parser know both: `parser.add_argument('--local-rank', '--local_rank', "
                "type=int, default=0)`; the value is `args.local_rank` either way. Or start it by "
                "`torchrun`, which hands over no such argument, and read "
                "`int(os.environ['LOCAL_RANK'])`. An older PyTorch is not needed",
                {"unknown": r"--local[-_]rank.*"},
            ),
            "`python {program} --help` lists what it knows; a dash and an underscore are not the "
            "same. In a notebook, whose kernel has arguments of its own: `parser.parse_args([])`",
            "Print the parser's help for what it knows; a dash and an underscore are not the same",
        ),
        types=("SystemExit",),
        today=(
            r"(?P<program>[\w./-]{1,200}): error: unrecognized arguments: "
            r"(?P<unknown>[^\n]{1,200})",
        ),
        values={"program": "that was started", "unknown": "the arguments"},
        needs="a command line",
        examples=("SystemExit: train.py: error: unrecognized arguments: --local-rank=0",),
    ),
)
