"""What is said of an error that comes from the place: what it lacks, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.diagnosis.own_error import NO_GPU
from executor.errors import SeenError, is_a
from executor.protocol import ErrorSeen, JobResult, LeftOut, NotHere
from knowledge.repair.toolkit.spelling import misspelt


def not_of_this_machine(lacking: NotHere, error: ErrorSeen, at: str) -> str:
    """That an error is about a path, a program or the like that this machine has not."""
    name = f"`{short(lacking.name)}`"
    if lacking.kind == "program":
        return (
            f"it starts another program{at}, {name}, which this machine has not or cannot run; "
            "post the part that fails without it, or that program's own output"
        )
    if lacking.kind == "variable":
        return (
            f"it reads the environment variable {name}{at}, which is not set here; put its value "
            "into the snippet"
        )
    if lacking.kind == "argument":
        return (
            f"it reads the command line{at}, {name}, and it was started with no arguments; put the "
            "value into the snippet"
        )
    return (
        f"{name}{at} is not here, and {error.type} comes of that; attach it, or make the data up "
        "in the code"
    )


def _gpu(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it needs a GPU{at}: `{short(error.code)}` asks for CUDA, and this executor has no GPU; "
        "run it on one with a GPU, or say device cpu in the snippet"
    )


def needs_module(module: str, error: ErrorSeen) -> str:
    """That a module is missing, where the error may name it or be another that comes of that."""
    at = f" (line {error.line})" if error.line else ""
    of_it = "" if is_a(error, *_IMPORTS) else f", and {error.type} comes of that"
    return (
        f"it needs the module `{module}`{at}, which is not installed here{of_it}; post the part "
        "that fails without it, or the full traceback"
    )


_IMPORTS = ("module_not_installed", "module_required")


def _module(m: SeenError, error: ErrorSeen, at: str) -> str:
    return needs_module(m["module"], error)


def _operator(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it calls `{m['operator']}`{at}, compiled code that does not load beside the PyTorch that "
        "is installed here; post the part that fails without it, or the full traceback"
    )


_WRITES = re.compile(
    r"\b(?:save|savefig|imsave|imwrite|savetxt|save_image|write\w*|to_\w+|dump)\(|['\"][wax]b?['\"]"
)


def _file(m: SeenError, error: ErrorSeen, at: str) -> str:
    if _WRITES.search(error.code):
        return (
            f"it writes `{m['path']}`{at}, and the folder for it is not here; make it first, with "
            "`os.makedirs(folder, exist_ok=True)`, or write beside the script"
        )
    return (
        f"it reads `{m['path']}`{at}, which is not here; attach it, or make the data up in the code"
    )


def _data(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it reads a data set that is not here{at}, and there is no network to get it from; make "
        "a few samples up in the code"
    )


def _not_writable(m: SeenError, error: ErrorSeen, at: str) -> str:
    where = f"`{m['path']}`"
    return f"it writes to {where}{at}, and may write here beside the script alone; use a name there"


def _network(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it asks for something from the network{at}, and there is none here; attach the file, "
        "make the data up in the code, or build the model without pretrained weights"
    )


def _screen(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it opens a window{at}, and there is no screen here; save the picture to a file, or leave "
        "that line out"
    )


_OTHER_DEVICES = ("MPS", "XPU", "XLA", "HPU", "MTIA", "MAIA", "IPU", "VE")


def _backend(m: SeenError, error: ErrorSeen, at: str) -> str:
    """That a device of another maker is asked for; a CPU's own backends are an answer."""
    if (backend := m["backend"].upper()) not in _OTHER_DEVICES:
        return ""
    return (
        f"it needs a device of another kind{at}, {backend}, and there is none here; say "
        "device cpu in the snippet, or post the part that fails on any device"
    )


def _processes(m: SeenError, error: ErrorSeen, at: str) -> str:
    return (
        f"it wants to be one of several processes{at}, as torchrun starts them; post the part that "
        "fails in a single process, or the full traceback"
    )


def elided(left: LeftOut, error: ErrorSeen) -> str:
    """That `...` stands for a value; the error may come up further down."""
    at = f", and {error.type} at line {error.line} comes of that" if error.line != left.line else ""
    return (
        f"`...` (line {left.line}) stands where code was left out{at}; post that part too, so that "
        "it can be run"
    )


def _left_out(m: SeenError, error: ErrorSeen, at: str) -> str:
    if not m["quoted"]:
        return ""
    return f"`...`{at} stands where code was left out; post that part too, so that it can be run"


def of_gpus(run: JobResult, error: ErrorSeen) -> str:
    """That only the GPUs which are here, or are not, bring an error about."""
    at = f" (line {error.line})" if error.line else ""
    here = "none here" if run.env.device == "cpu" else "one simulated here"
    return (
        f"{error.type}{at} comes of the GPUs that it finds, {here}: with more and larger ones it "
        "does not come up; run it on a machine that has what it needs, or post what fails there"
    )


def second_gpu(error: ErrorSeen) -> str:
    """That a GPU is asked for which is not simulated."""
    at = f" (line {error.line})" if error.line else ""
    return (
        f"it asks for a second GPU{at}: `{short(error.code)}`, and the simulated device is the "
        "only one here; say `cuda:0`, or post the part that fails on one GPU"
    )


def _memory(m: SeenError, error: ErrorSeen, at: str) -> str:
    much = f" ({m.number('bytes') / 2**30:.1f} GiB at once)" if m["bytes"] else ""
    return f"it asks for more memory than there is{at}{much}; make the tensors smaller"


_Clause = Callable[[SeenError, ErrorSeen, str], str]

# Error families that come from the place, and what is said of each.
LACKS: tuple[tuple[tuple[str, ...], _Clause], ...] = (
    (NO_GPU, _gpu),
    (_IMPORTS, _module),
    (("operator_not_here",), _operator),
    (("file_missing",), _file),
    (("data_missing",), _data),
    (("not_writable",), _not_writable),
    (("network_missing", "network_entry_missing"), _network),
    (("screen_missing",), _screen),
    (("backend_missing",), _backend),
    (("launcher_variable", "process_group"), _processes),
    (("code_left_out",), _left_out),
    (("memory", "memory_error"), _memory),
)


def short(code: str) -> str:
    """The first line of some code, cut where it is long."""
    first = code.splitlines()[0] if code else ""
    return first if len(first) <= 60 else first[:59] + "…"


def is_a_slip(name: str, run: JobResult, code: str) -> bool:
    """Whether a name that nothing binds is one that is there, misspelt or without its `self.`."""
    inner = run.frames[-1].locals if run.frames else {}
    written = rf"\bself\.{re.escape(name)}\b|^[ \t]+def {re.escape(name)}\(\s*self\b"
    if "self" in inner and re.search(written, code, re.MULTILINE):
        return True
    there = {n for frame in (*run.frames[:1], *run.frames[-1:]) for n in frame.locals}
    return any(misspelt(name, n) for n in there)
