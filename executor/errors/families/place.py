"""Errors of the place and not of the code: no GPU, no file, no network, no memory."""

from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_LITTLE = 256 * 1024**2  # a request below it found the memory full already


def _asked_for(seen: SeenError, message: str) -> Mapping[str, str]:
    """The request in words, and whether it is so little that the memory was full before."""
    if not seen["bytes"]:
        return {}
    wanted = seen.number("bytes")
    exponent = min((wanted.bit_length() - 1) // 10, 4) if wanted else 0
    size = f"{wanted / 1024**exponent:.3g} {('bytes', 'KB', 'MB', 'GB', 'TB')[exponent]}"
    return {"size": size} | ({"little": "yes"} if wanted < _LITTLE else {})


# A line that writes: a file that is missing there is its folder.
_WRITES = (
    r"\bopen\([^)\n]*,\s*(?:mode\s*=\s*)?['\"][wax]|\.(?:to_csv|savefig|imwrite|write_text|mkdir)\("
    r"|\bsave\w*\("
)

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
            "If the machine has a GPU of NVIDIA: install a build with CUDA (the selector on "
            "pytorch.org; `torch.version.cuda` is None for a CPU build). If not (a Mac has none), "
            "say what is there: `device = 'cuda' if torch.cuda.is_available() else 'cpu'`, or "
            "`mps` on a Mac; and where that stands already, put `.to(device)` in place of the "
            "`.cuda()` that is left over",
        ),
        suspects=(Suspect(r"cuda|to|device"),),
        types=("AssertionError", "RuntimeError"),
        today=(
            r"Torch not compiled with (?P<what>CUDA) enabled",
            r"not compiled with CUDA|not linked with support for cuda"
            r"|Cannot (?:initialize CUDA|get CUDA generator) without ATen_cuda library"
            r"|torch\.cuda\.\w+ not available|Tried to instantiate dummy base class",
        ),
        values={"what": "CUDA"},
        sample="torch.ones(2).cuda()",
        examples=("RuntimeError: Tried to instantiate dummy base class Event",),
    ),
    ErrorFamily(
        id="gpu_missing",
        says="A GPU is asked of a machine that has none.",
        means=(
            (
                "PyTorch sees no GPU there | no driver, none in this machine, or "
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
        today=(r"No CUDA GPUs|no NVIDIA driver|Invalid CUDA 'device|No supported gpu backend",),
        needs="a PyTorch that was built for CUDA, on a machine without a GPU",
        examples=(
            "RuntimeError: No CUDA GPUs are available",
            "RuntimeError: Found no NVIDIA driver on your system.",
        ),
    ),
    ErrorFamily(
        id="file_missing",
        says="A file is read that is not there.",
        means=(
            Sentence(
                "`{path}` cannot be written: its folder is not there, and writing makes none",
                {"line": _WRITES},
            ),
            "The file `{path}` is not where the program looks",
        ),
        remedy=(
            Sentence(
                "Make the folder before it: `os.makedirs(os.path.dirname(path), exist_ok=True)`",
                {"line": _WRITES},
            ),
            Sentence(
                "Python does not read `~` as your home: `os.path.expanduser(path)`",
                {"path": r"~.*"},
            ),
            Sentence(
                "The path holds a control character: in Python's text a `\\` with a letter stands "
                "for another character (`\\t`, `\\n`). Write `r'C:\\new'`, or `/` in its place",
                {"path": r"(?s).*(?:^|[^\\])\\(?:[nrt]|x[01][0-9a-f]).*"},
            ),
            "Print `os.getcwd()`, from which a path that does not begin with `/` is read, and "
            "`os.listdir` of the folder: see spelling and ending, and whether a drive is mounted",
        ),
        types=("FileNotFoundError", "OSError"),
        today=(
            r"directory: '(?P<path>[^'\n]+)'",
            r"unable to open file: name = '(?P<path>[^'\n]+)', errno = 2\b",  # of HDF5
            r"^(?P<path>[^\s'][^'\n]{0,400}) not found\.?$",  # NumPy's
        ),
        values={"path": "of the file"},
        sample='torch.load("no_such_file.pt")',
        examples=("FileNotFoundError: ./data/train.csv not found.",),
        typed=True,
    ),
    ErrorFamily(
        id="screen_missing",
        says="A window is to be opened on a machine that has no screen.",
        decides=True,
        means=("The program opens a window, and where it runs there is no screen",),
        remedy=(
            (
                "Save the picture to a file (`plt.savefig`, `cv2.imwrite`); on a server matplotlib "
                'takes `matplotlib.use("Agg")`, and OpenCV is `opencv-python-headless`, which '
                "has no windows at all"
            ),
        ),
        types=("TclError", "ImportError", "error", "RuntimeError", "NoSuchDisplayException"),
        today=(
            r"no \$DISPLAY|couldn't connect to display|[Cc]annot connect to (?:X server|\"None\")",
            r"Rebuild the library with Windows, GTK",
            r"interactive framework, as 'headless' is currently running",
        ),
        needs="a machine without a screen",
        examples=(
            "TclError: no display name and no $DISPLAY environment variable",
            "ImportError: Cannot load backend 'TkAgg' which requires the 'tk' interactive "
            "framework, as 'headless' is currently running",
            "error: OpenCV(4.8.0) The function is not implemented. Rebuild the library with "
            "Windows, GTK+ 2.x or Cocoa support.",
        ),
    ),
    ErrorFamily(
        id="not_writable",
        says="A file or folder is written where the program may not write.",
        decides=True,
        means=(
            Sentence(
                "`{path}` lies where nothing can be written", {"why": r"Read-only file system"}
            ),
            "The system does not let the program open `{path}`",
        ),
        remedy=(
            Sentence(
                "Write to a folder of your own (on Kaggle `/kaggle/working`); what lies there can "
                "only be read",
                {"why": r"Read-only file system"},
            ),
            "If it is a folder, name a file in it: Windows words it so too. If it is written to: a "
            "folder of your own; if it is read: its owner and mode are what `ls -l` shows. On "
            "Windows a program that has it open keeps others out",
        ),
        types=("OSError", "PermissionError"),
        today=(r"(?P<why>Read-only file system|Permission denied): '(?P<path>[^'\n]+)'",),
        values={"path": "of the file or folder", "why": "the system's words"},
        needs="a folder in which the program may not write",
        examples=(
            "PermissionError: [Errno 13] Permission denied: '/data/model.pt'",
            "OSError: [Errno 30] Read-only file system: '../data'",
        ),
    ),
    ErrorFamily(
        id="tensorboard_missing",
        says="TensorBoard is not there, or something else of that name is.",
        means=(
            "The package tensorboard cannot be imported by this Python, or is older than torch "
            "wants it | it is installed in another environment, or a file tensorboard.py of one's "
            "own hides it",
        ),
        remedy=(
            "`python -m pip install -U tensorboard` with the Python that runs it (a notebook "
            "may have another), and no file or folder of one's own named tensorboard",
        ),
        types=("ImportError",),
        today=(r"TensorBoard logging requires TensorBoard",),
        needs="an environment without tensorboard",
        examples=("ImportError: TensorBoard logging requires TensorBoard version 1.15 or above",),
    ),
    ErrorFamily(
        id="no_package_that_fits",
        says="pip found no build of a package for this Python and system.",
        means=(
            "pip found no build of {package} for this Python, system and processor | a Python that "
            "is newer or older than its builds, a system it is not made for (triton has none for "
            "Windows), or another package index",
        ),
        remedy=(
            "Compare `python --version` and the system with the files that the package offers; for "
            "torch itself choose the command on pytorch.org, which names the index for CPU or CUDA",
        ),
        types=("ERROR",),
        today=(
            r"Could not find a version that satisfies the requirement (?P<package>[\w.\[\]=<>~!+-]"
            r"{1,80})",
            r"No matching distribution found for (?P<package>[\w.\[\]=<>~!+-]{1,80})",
        ),
        values={"package": "that was asked for"},
        needs="pip",
        examples=(
            "ERROR: Could not find a version that satisfies the requirement torch==1.4.0 (from "
            "versions: 1.11.0, 1.12.0)",
        ),
    ),
    ErrorFamily(
        id="data_damaged",
        says="A downloaded file of a data set is not the one that it should be.",
        means=(
            "A downloaded file is missing or its checksum is another one | a download that was "
            "cut, a page with an error in its place, or files that were published anew since this "
            "torchvision",
        ),
        remedy=(
            Sentence(
                "If it was never downloaded there: `download=True` once, with `root` the folder "
                "above the data set's own. If it was, its files are not the ones that this "
                "torchvision knows: move them away and download again, or take a newer torchvision",
                {"offered": r".+"},
            ),
            "Move the file in `root` away and download it again; if it comes again, a newer "
            "torchvision, or the file fetched by hand into the folder that the data set names",
        ),
        suspects=(Suspect(r"[A-Z]\w*|download\w*"),),
        types=("RuntimeError",),
        today=(r"^File not found or corrupted|Dataset not found or corrupted",),
        details=(r"(?P<offered>You can use download=True)",),
        values={"offered": "says that it can be downloaded"},
        needs="a download",
        examples=(
            "RuntimeError: File not found or corrupted.",
            "RuntimeError: Dataset not found or corrupted. You can use download=True to download "
            "it",
        ),
    ),
    ErrorFamily(
        id="data_missing",
        says="A data set or its annotations are read that were never downloaded there.",
        means=(
            Sentence(
                "A file of the data set could be had from none of its addresses", {"failed": r".+"}
            ),
            "The files of the data set are not in the folder that the program looks in",
        ),
        remedy=(
            Sentence(
                "Try again later; a newer torchvision knows newer addresses. Where the machine has "
                "no network, fetch the files by hand into the folder that the data set names "
                "(`root/MNIST/raw`): then they are only read",
                {"failed": r".+"},
            ),
            (
                "Pass `download=True` once, where the data set can be downloaded. Check `root`: "
                "it is the folder that holds the data set's own folder"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"Dataset (?:metadata file )?not found(?! or)|(?P<failed>Error downloading) \S+"
            r"|not present in the root directory",
        ),
        values={"failed": "says that it was tried to download it"},
        needs="the files of a data set, and torchvision",
        examples=(
            "RuntimeError: Dataset not found. You can use download=True to download it",
            "RuntimeError: Error downloading train-images-idx3-ubyte.gz",
        ),
    ),
    ErrorFamily(
        id="download_refused",
        says="A server answers a download with an error.",
        means=(
            Sentence(
                "The server refuses for now ({status}): too many requests came from this address",
                {"status": r"429|403", "reason": r"(?i)rate limit.*|too many.*"},
            ),
            Sentence(
                "The server has nothing under that address ({status})", {"status": r"404|410"}
            ),
            Sentence("The server refuses the download ({status})", {"status": r"401|403"}),
            Sentence(
                "The server that holds the file is not working ({status})", {"status": r"5\d\d"}
            ),
            "The server answers the download with an error, {status}",
        ),
        remedy=(
            Sentence(
                "Open the address in a browser. If the file was moved, the project's page names "
                "its new place; of torchvision's data sets a newer version knows newer addresses. "
                "A file that is fetched by hand into the folder where it is looked for is only "
                "read",
                {"status": r"404|410"},
            ),
            Sentence(
                "Wait some minutes, or ask less: `torch.hub.load(…, skip_validation=True)` spares "
                "the question to GitHub, a token in the environment variable `GITHUB_TOKEN` "
                "raises the limit, and a file in the cache is not asked for again",
                {"status": r"429|403", "reason": r"(?i)rate limit.*|too many.*"},
            ),
            Sentence(
                "Try again later, or use another mirror. A newer torchvision knows newer "
                "addresses; files that are downloaded by hand belong where the data set looks for "
                "them "
                "(`root/MNIST/raw`), and are then only read",
                {"status": r"5\d\d|403"},
            ),
            "Open the address in a browser to see what the server says; download by hand if that "
            "works",
        ),
        suspects=(Suspect(r"load|download\w*|MNIST|urlretrieve|from_pretrained"),),
        types=("HTTPError",),
        today=(r"HTTP Error (?P<status>\d{3})(?:: (?P<reason>[^\n]{1,60}))?",),
        values={"status": "of HTTP", "reason": "what the server says of it"},
        needs="a server that refuses",
        examples=(
            "HTTPError: HTTP Error 403: rate limit exceeded",
            "HTTPError: HTTP Error 503: Service Unavailable",
        ),
    ),
    ErrorFamily(
        id="certificate_not_trusted",
        says="A download stops since the server's certificate cannot be checked.",
        means=(
            "The server's certificate cannot be checked | Python finds no certificates to check it "
            "with, or a proxy in between puts its own",
        ),
        remedy=(
            "On macOS run `Install Certificates.command` of that Python; elsewhere `pip install "
            "--upgrade certifi`. Behind a company's proxy name its certificate in the environment "
            "variables `SSL_CERT_FILE` and `REQUESTS_CA_BUNDLE`; or download the file with a "
            "browser and put it into the cache (`~/.cache/torch/hub/checkpoints`)",
        ),
        suspects=(Suspect(r"load|download\w*|urlretrieve|from_pretrained"),),
        types=("URLError", "SSLError", "SSLCertVerificationError"),
        today=(r"CERTIFICATE_VERIFY_FAILED",),
        needs="a network",
        examples=(
            "URLError: <urlopen error [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "
            "unable to get local issuer certificate (_ssl.c:1125)>",
        ),
    ),
    ErrorFamily(
        id="triton_missing",
        says="torch.compile needs Triton, which is not there.",
        means=(
            "The default backend of torch.compile makes its GPU code with Triton, and finds none "
            "that works here",
        ),
        remedy=(
            "On Linux the CUDA build of torch brings the Triton that fits it: install torch again, "
            "and no other version of `triton`; on Windows `pip install triton-windows`. Without "
            'it: `torch.compile(model, backend="aot_eager")`, or no compile. GPUs older than '
            "compute capability 7.0 are not supported",
        ),
        suspects=(Suspect(r"compile"),),
        types=("RuntimeError", "TritonMissing", "BackendCompilerFailed"),
        today=(r"Cannot find a working triton installation",),
        needs="a GPU, and a torch without Triton",
        examples=("RuntimeError: Cannot find a working triton installation.",),
    ),
    ErrorFamily(
        id="network_missing",
        says="Something is asked from the network that cannot be reached.",
        means=(
            Sentence(
                "A path is taken for the name of something on the hub, since no folder is there",
                {"repo": r".+"},
            ),
            Sentence(
                "Neither a folder here nor the hub has all that is to be loaded | the name is "
                "another, the hub cannot be reached, or a folder here has the name and lacks files",
                {"loaded": r".+"},
            ),
            Sentence("A download needs the package `gdown`", {"gdown": r".+"}),
            "Something is asked from the network that cannot be reached",
        ),
        remedy=(
            Sentence(
                "Print `os.path.abspath(path)` and `os.path.isdir(path)`: a model's folder holds "
                "its `config.json`. If a name of the hub is meant, it has at most one `/`",
                {"repo": r".+"},
            ),
            Sentence(
                "If it is a folder: `os.listdir(path)` shows what it holds. If it is a name of the "
                "hub: see its spelling there, and that no folder of that name lies where the "
                "program runs",
                {"loaded": r".+"},
            ),
            Sentence("`pip install gdown`", {"gdown": r".+"}),
        ),
        values={
            "repo": "says that a name of the hub is no such name",
            "loaded": "says what cannot be loaded",
            "gdown": "the package",
        },
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
            r"|(?P<repo>Repo id must (?:be in the form|use alphanumeric))"
            r"|(?P<loaded>Can't load (?:the )?[\w ]+ for ')|'(?P<gdown>gdown)' is required"
            r"|there is no internet connection and the repo",
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
        derive=_asked_for,
        means=(
            Sentence(
                "The computer's memory was full already: the {bytes} bytes ({size}) are only the "
                "last request, which found no room; no GPU is involved",
                {"little": r".+"},
            ),
            Sentence(
                "One tensor of {size} is asked for ({bytes} bytes), more than the computer's "
                "memory has left; no GPU is involved",
                {"size": r".+"},
            ),
            "More of the computer's memory is asked for than there is; no GPU is involved",
        ),
        remedy=(
            Sentence(
                "Look for what fills the memory before: watch the process (`htop`, the task "
                "manager) while it runs. All data loaded at once: read each sample in "
                "`__getitem__`. Growing with the steps: losses or outputs that are kept with "
                "their graphs (`.item()`, `torch.no_grad()`). Workers: fewer of them. One batch "
                "of large images: a smaller one. On Windows a larger page file helps too",
                {"little": r".+"},
            ),
            "Print the shapes before the line: perhaps a size is larger than meant (a product of "
            "two large dimensions, a table of all pairs). If it is as meant, the data do not fit: "
            "smaller batches, float32 instead of float64",
        ),
        types=("MemoryError", "RuntimeError"),
        today=(r"DefaultCPUAllocator|fail at alloc_cpu",),
        older=(r"Torch: not enough memory",),
        values={"bytes": "that are asked for at once"},
        details=(r"allocate (?P<bytes>\d{1,18}) bytes",),
        sample="torch.empty(10**14)",
    ),
    ErrorFamily(
        id="memory_error",
        says="Python is asked for more memory than there is.",
        types=("MemoryError",),
        by_type=("MemoryError",),
        today=(r"(?i)allocate|out of memory|not enough memory",),
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
