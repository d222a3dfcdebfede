"""Errors of the place and not of the code: no GPU, no file, no network, no memory."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

FAMILIES = (
    ErrorFamily(
        id="cuda_not_compiled",
        says="A GPU is asked of a PyTorch that was built for the CPU only.",
        means=(
            Sentence(
                "This installation of PyTorch was built for CPU only and is asked for a GPU",
                {"what": r".+"},
            ),
            "This installation of PyTorch was built for CPU only and is asked for a GPU",
        ),
        remedy=(
            (
                "Install a build with CUDA (the selector on pytorch.org; "
                "`torch.version.cuda` is None for a CPU build), or run on the CPU: `device "
                "= 'cuda' if torch.cuda.is_available() else 'cpu'`"
            ),
        ),
        suspects=(Suspect(r"cuda|to|device"),),
        types=("AssertionError", "RuntimeError"),
        today=(
            r"Torch not compiled with (?P<what>CUDA) enabled",
            r"not compiled with CUDA|Torch not compiled with|not linked with support for cuda"
            r"|torch\.cuda\.\w+ not available",
        ),
        values={"what": "CUDA"},
        sample="torch.ones(2).cuda()",
    ),
    ErrorFamily(
        id="gpu_missing",
        says="A GPU is asked of a machine that has none.",
        means=(
            (
                "PyTorch sees no GPU there: no driver, none in this machine, or "
                "CUDA_VISIBLE_DEVICES hides it"
            ),
        ),
        remedy=(
            (
                "Check `nvidia-smi` and `torch.cuda.is_available()`; in Colab choose a GPU "
                "runtime; else say device cpu"
            ),
        ),
        suspects=(Suspect(r"cuda|to|device"),),
        types=("RuntimeError", "AssertionError", "ValueError"),
        today=(r"No CUDA GPUs|no NVIDIA driver|Invalid CUDA 'device",),
        needs="a PyTorch that was built for CUDA, on a machine without a GPU",
        examples=(
            "RuntimeError: No CUDA GPUs are available",
            "RuntimeError: Found no NVIDIA driver on your system.",
        ),
    ),
    ErrorFamily(
        id="file_missing",
        says="A file is read that is not there.",
        means=("The file `{path}` is not where the program looks",),
        remedy=("Print `os.getcwd()` and use the full path",),
        types=("FileNotFoundError",),
        today=(
            r"directory: '(?P<path>[^'\n]+)'",
            r"^(?P<path>[^\s'][^'\n]{0,400}) not found\.?$",  # NumPy's
        ),
        values={"path": "of the file"},
        sample='torch.load("no_such_file.pt")',
        examples=("FileNotFoundError: ./data/train.csv not found.",),
        typed=True,
    ),
    ErrorFamily(
        id="not_writable",
        says="A file or folder is written where the program may not write.",
        means=("The program may not write where `{path}` is",),
        remedy=("Write to a folder of your own: its owner and mode are what `ls -ld` shows",),
        types=("OSError", "PermissionError"),
        today=(r"(?:Read-only file system|Permission denied): '(?P<path>[^'\n]+)'",),
        values={"path": "of the file or folder"},
        needs="a folder in which the program may not write",
        examples=(
            "PermissionError: [Errno 13] Permission denied: '/data/model.pt'",
            "OSError: [Errno 30] Read-only file system: '../data'",
        ),
    ),
    ErrorFamily(
        id="data_missing",
        says="A data set or its annotations are read that were never downloaded there.",
        means=("The files of the data set are not in the folder that the program looks in",),
        remedy=(
            (
                "Pass `download=True` once, where the data set can be downloaded, and check "
                "`root`: the folder that holds the data set's own folder"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"Dataset (?:metadata file )?not found|Error downloading \S+"
            r"|not present in the root directory",
        ),
        needs="the files of a data set, and torchvision",
        examples=(
            "RuntimeError: Dataset not found. You can use download=True to download it",
            "RuntimeError: Error downloading train-images-idx3-ubyte.gz",
        ),
    ),
    ErrorFamily(
        id="network_missing",
        says="Something is asked from the network that cannot be reached.",
        types=(
            "OSError",
            "ConnectionError",
            "URLError",
            "LocalEntryNotFoundError",
            "HFValidationError",
        ),
        today=(
            r"couldn't connect to '|Network is unreachable|Temporary failure in name resolution"
            r"|Name or service not known|LocalEntryNotFoundError|offline mode is enabled"
            r"|Max retries exceeded|nodename nor servname|Couldn't reach '[^']+' on the Hub"
            r"|Repo id must (?:be in the form|use alphanumeric)|Can't load (?:the )?[\w ]+ for '"
            r"|'gdown' is required",
        ),
        needs="a machine without a network",
        examples=(
            "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
            "OSError: We couldn't connect to 'https://huggingface.co' to load this file",
        ),
        breadth=14,
    ),
    ErrorFamily(
        id="network_entry_missing",
        says="A file of a model hub is neither here nor to be reached.",
        types=("LocalEntryNotFoundError",),
        today=(r"",),
        needs="a machine without a network",
        examples=("LocalEntryNotFoundError: An error happened while trying to locate the file",),
        typed=True,
        breadth=15,
    ),
    ErrorFamily(
        id="launcher_variable",
        says="A variable is read that a launcher such as torchrun sets.",
        means=("The variable {variable} is read, which a launcher such as torchrun sets",),
        remedy=(
            (
                "Start with `torchrun --nproc_per_node=N script.py`, or set it by hand for "
                "one process"
            ),
        ),
        types=("KeyError",),
        today=(r"^'(?P<variable>MASTER_ADDR|MASTER_PORT|WORLD_SIZE|RANK|LOCAL_RANK)'",),
        values={"variable": "that is read"},
        sample='import os\nos.environ["LOCAL_RANK"]',
        typed=True,
    ),
    ErrorFamily(
        id="nccl_missing",
        says="Processes are to talk by NCCL, which this PyTorch was built without.",
        types=("RuntimeError",),
        today=(r"doesn't have (?P<backend>NCCL) built in",),
        values={"backend": "NCCL"},
        sample=(
            "import torch.distributed as dist\n"
            'dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)'
        ),
        breadth=-7,  # otherwise `process_group`
    ),
    ErrorFamily(
        id="process_group",
        says="Several processes are to work together, and this one was started alone.",
        values={"variable": "what is not set"},
        details=(r"environment variable (?P<variable>\w{1,20}) expected",),
        means=(
            Sentence(
                "Processes are to meet through variables of the environment, and {variable} is "
                "not set: a launcher such as torchrun sets it",
                {"variable": r".+"},
            ),
            "Several processes are to work together, and what they need for that is not there",
        ),
        remedy=(
            Sentence("Start with `torchrun --nproc_per_node=N script.py`", {"variable": r".+"}),
            (
                "NCCL needs a GPU for each process and a torch built with it (not on Windows): "
                "else say `backend='gloo'`"
            ),
        ),
        types=("ValueError", "RuntimeError", "DistBackendError"),
        today=(r"env:// rendezvous|NCCL built in|ProcessGroupNCCL(?!\.cpp)",),
        sample='torch.distributed.init_process_group("gloo")',
    ),
    ErrorFamily(
        id="memory",
        says="More memory is asked for than there is.",
        means=("More of the computer's memory is asked for than there is; no GPU is involved",),
        remedy=(
            "Print the shapes before the line: perhaps a size is larger than meant (a product of "
            "two large dimensions, a table of all pairs). If it is as meant, the data do not fit: "
            "smaller batches, float32 instead of float64",
        ),
        types=("MemoryError", "RuntimeError"),
        today=(r"DefaultCPUAllocator|fail at alloc_cpu",),
        older=(r"Torch: not enough memory",),
        values={"bytes": "that are asked for at once"},
        details=(r"allocate (?P<bytes>\d+) bytes",),
        sample="torch.empty(10**14)",
    ),
    ErrorFamily(
        id="memory_error",
        says="Python is asked for more memory than there is.",
        types=("MemoryError",),
        today=(r"",),
        sample="raise MemoryError",
        typed=True,
        breadth=16,
    ),
    ErrorFamily(
        id="place",
        says="Something is needed that this machine does not have: a compiler, a model hub.",
        types=("OSError", "RuntimeError", "ImportError", "InductorError"),
        today=(
            r"torch\.compile is not supported|Python\.h|InductorError"
            r"|No such file or directory: 'g\+\+'|[Cc]an't load|401 Client|HF_|offline"
            r"|(?P<network>internet connection)|is not the path to a directory|Unauthorized"
            r"|Dataset not found|couldn't find them in the cached files|FusedAdam|onnx",
        ),
        values={"network": "internet connection, where the message asks for one"},
        details=(r"(?P<network>internet connection)",),
        needs="a machine without compiler and network",
        examples=(
            "OSError: Can't load the model. If you were trying to load it from a hub, make sure "
            "you have an internet connection",
        ),
        breadth=22,
    ),
)
