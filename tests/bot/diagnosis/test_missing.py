"""bot/diagnosis/missing.py: which runs say nothing about the code, and what their author can do."""

from __future__ import annotations

import pytest

from bot.diagnosis.missing import missing, needs_gpu, of_another_place
from bot.models import PastedTraceback, Question, Snippet
from executor.protocol import (
    Cut,
    Environment,
    Explanation,
    Frame,
    JobResult,
    LeftOut,
    Limit,
    NotHere,
    Outcome,
    Placeholder,
    Variable,
)
from tests.built import caught, failed, found, noted, ran

PROBABILITIES = "all elements of input should be between 0 and 1"
SIZES = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"
NOT_COMPILED = "Torch not compiled with CUDA enabled"
ORDINAL = (
    "CUDA error: invalid device ordinal\nCUDA kernel errors might be asynchronously reported at "
    "some other API call"
)
SIMULATED = Environment(torch="2.13.0", device="simulated cuda")
MIB, GIB = 2**20, 2**30

NAME = "name 'model' is not defined"
NO_MODULE = "No module named 'torchvision.models'"
NO_FILE = "[Errno 2] No such file or directory: 'data/train.csv'"
REQUIRES = (
    "\nAutoTokenizer requires `sentencepiece` but it was not found in your environment.\n"
    "You can install it with: pip install sentencepiece"
)
RENDEZVOUS = (
    "Error initializing torch.distributed using env:// rendezvous: environment variable "
    "MASTER_ADDR expected, but not set"
)
ALLOCATOR = (
    "[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory: you "
    "tried to allocate 4294967296 bytes. Error code 12 (Cannot allocate memory)"
)

GPU = (
    "it needs a GPU (line 1): `{}` asks for CUDA, and this executor has no GPU; run it on one "
    "with a GPU, or say device cpu in the snippet"
)
MODULE = (
    "it needs the module `{}` (line 1), which is not installed here; post the part that fails "
    "without it, or the full traceback"
)
BACKEND = "Could not run 'aten::exp' with arguments from the '{}' backend."
NETWORK = (
    "it asks for something from the network (line 1), and there is none here; attach the file, "
    "make the data up in the code, or build the model without pretrained weights"
)
CUT = (
    "7 training steps ran without an error{}, then its time was up and it was stopped between two "
    "steps; what comes after them was not run"
)
PROCESSES = (
    "it wants to be one of several processes (line 1), as torchrun starts them; post the part that "
    "fails in a single process, or the full traceback"
)
MEMORY = "it asks for more memory than there is (line 1){}; make the tensors smaller"


def without_line(run: JobResult) -> JobResult:
    """The same, where the probe could not tell the line."""
    assert run.error is not None
    return run.model_copy(update={"error": run.error.model_copy(update={"line": None})})


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        # The code's own errors are the answer.
        (ran(), ""),
        (failed(SIZES), ""),
        (failed("2", "SystemExit"), ""),
        (failed("no", "ValueError"), ""),
        # Limits.
        (
            ran(outcome=Outcome.TIMEOUT, limit=Limit(name="wall_s", value=10.0)),
            "it was stopped after 10 s, when it had not finished; make it smaller (fewer steps, "
            "less data) until it still fails",
        ),
        (
            ran(outcome=Outcome.TIMEOUT, limit=Limit(name="cpu_s", value=10.0)),
            "it was stopped after 10 s of processor time (the time of its imports not counted), "
            "when it had not finished; make it smaller (fewer steps, less data) until it still "
            "fails",
        ),
        (
            ran(outcome=Outcome.TIMEOUT, limit=Limit(name="waiting_s", value=10.0)),
            "it had waited for 10 s without computing anything when it was stopped: for a sleep, "
            "a lock, an empty queue or another process",
        ),
        (
            ran(
                outcome=Outcome.TIMEOUT,
                limit=Limit(name="ceiling_s", value=70.0),
                cpu_seconds=1.62,
            ),
            "it was stopped after 70 s by the clock, in which it got only 1.6 s of processor time: "
            "this machine is busy; ask again later",
        ),
        (
            ran(outcome=Outcome.TIMEOUT),
            "it was stopped after 0 s, when it had not finished; make it smaller (fewer steps, "
            "less data) until it still fails",
        ),
        (
            ran(outcome=Outcome.OUT_OF_MEMORY, limit=Limit(name="memory_bytes", value=4.5 * GIB)),
            "it was stopped when it held more than 4.5 GiB of memory; make the tensors smaller",
        ),
        (
            ran(outcome=Outcome.OUTPUT_LIMIT, limit=Limit(name="output_bytes", value=8 * MIB)),
            "it was stopped when it had printed more than 8 MiB; print less",
        ),
        # It never started.
        (
            ran(outcome=Outcome.SETUP_ERROR, detail="no Landlock"),
            "it could not be started: no Landlock",
        ),
        (ran(outcome=Outcome.UNAVAILABLE, detail="no GPU"), "it could not be started: no GPU"),
        (ran(outcome=Outcome.KILLED, detail="SIGSEGV"), ""),
        # Names that nothing defines; one that the snippet binds somewhere is a mistake of its own.
        (
            failed(NAME, "NameError", undefined=("model",)),
            "`model` (line 1) is used but never defined in what you posted; post the part that "
            "makes it too, so that it can be run",
        ),
        (
            without_line(failed(NAME, "NameError", undefined=("model",))),
            "`model` is used but never defined in what you posted; post the part that makes it "
            "too, so that it can be run",
        ),
        (failed(NAME, "NameError", undefined=("x",)), ""),
        (failed(NAME, "NameError"), ""),
        (failed(NAME, "ValueError", undefined=("model",)), ""),
        (failed("free variable 'model'", "NameError", undefined=("model",)), ""),
        # A GPU.
        (failed(NOT_COMPILED, "AssertionError", code="x.cuda()"), GPU.format("x.cuda()")),
        (
            without_line(failed(NOT_COMPILED, "AssertionError", code="x.cuda()")),
            GPU.format("x.cuda()").replace(" (line 1)", ""),
        ),
        (failed("No CUDA GPUs are available", code="f(\n  x)"), GPU.format("f(")),
        (
            failed(
                "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
                code="x" * 60,
            ),
            GPU.format("x" * 60),
        ),
        (
            failed(
                "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU",
                code="x" * 61,
            ),
            GPU.format("x" * 59 + "…"),
        ),
        (failed("Tried to instantiate dummy base class Stream"), GPU.format("")),
        (failed("torch.cuda.FloatTensor not available", "TypeError"), GPU.format("")),
        (failed("PyTorch is not linked with support for cuda devices"), GPU.format("")),
        (failed("Invalid CUDA 'device=0' requested."), GPU.format("")),
        # A second GPU, where the one is simulated.
        (
            failed(ORDINAL, "AcceleratorError", code="x.to('cuda:1')", env=SIMULATED),
            "it asks for a second GPU (line 1): `x.to('cuda:1')`, and the simulated device is the "
            "only one here; say `cuda:0`, or post the part that fails on one GPU",
        ),
        (
            without_line(failed(ORDINAL, "AcceleratorError", code="x.to('cuda:1')", env=SIMULATED)),
            "it asks for a second GPU: `x.to('cuda:1')`, and the simulated device is the only one "
            "here; say `cuda:0`, or post the part that fails on one GPU",
        ),
        (failed(ORDINAL, "AcceleratorError"), ""),  # on a real one
        (failed(SIZES, env=SIMULATED), ""),
        (ran(env=SIMULATED), ""),
        # Modules.
        (failed(NO_MODULE, "ModuleNotFoundError"), MODULE.format("torchvision.models")),
        (  # the package is there, and the module has gone from it: that is an answer
            failed(
                "No module named 'torch._six'",
                "ModuleNotFoundError",
                explanation=Explanation(text="it has gone", family="x"),
            ),
            "",
        ),
        (failed(REQUIRES, "ImportError"), MODULE.format("sentencepiece")),
        (failed(REQUIRES.replace("`", ""), "ImportError"), MODULE.format("sentencepiece")),
        (failed("cannot import name 'x' from 'torch'", "ImportError"), ""),
        # Operators.
        (
            failed("the operator torchvision::nms is not here: it does not load"),
            "it calls `torchvision::nms` (line 1), compiled code that does not load beside the "
            "PyTorch that is installed here; post the part that fails without it, or the full "
            "traceback",
        ),
        # A training that was stopped.
        (ran(cut=Cut(steps=7, seconds=8)), CUT.format("")),
        (
            ran(cut=Cut(steps=7, seconds=8, losses=(2.5, 0.125))),
            CUT.format(" (its loss went from 2.5 to 0.125)"),
        ),
        (ran(cut=Cut(steps=7, seconds=8, losses=(2.5, 0.1)), assumptions=("x",)), CUT.format("")),
        (ran(cut=Cut(steps=7, seconds=8), findings=(found("frozen"),)), ""),
        (ran(cut=Cut(steps=7, seconds=8), findings=(noted("seen"),)), CUT.format("")),
        # Files.
        (
            failed(
                "[Errno 2] No such file or directory: 'out/fit.png'",
                "FileNotFoundError",
                code="plt.savefig('out/fit.png')",
            ),
            "it writes `out/fit.png` (line 1), and the folder for it is not here; make it first, "
            "with `os.makedirs(folder, exist_ok=True)`, or write beside the script",
        ),
        (
            failed(NO_FILE, "FileNotFoundError"),
            "it reads `data/train.csv` (line 1), which is not here; attach it, or make the data up "
            "in the code",
        ),
        (failed(NO_FILE, "ValueError"), ""),
        # The network.
        (
            failed("We couldn't connect to 'https://huggingface.co' to load this file", "OSError"),
            NETWORK,
        ),
        (failed("<urlopen error [Errno 101] Network is unreachable>", "URLError"), NETWORK),
        (
            failed("<urlopen error [Errno -3] Temporary failure in name resolution>", "URLError"),
            NETWORK,
        ),
        (failed("<urlopen error [Errno -2] Name or service not known>", "URLError"), NETWORK),
        (failed("An error happened", "LocalEntryNotFoundError"), NETWORK),
        (failed("Cannot reach it: offline mode is enabled.", "OfflineModeIsEnabled"), NETWORK),
        (
            failed(
                "HTTPSConnectionPool(host='a', port=443): Max retries exceeded with url: /b",
                "ConnectionError",
            ),
            NETWORK,
        ),
        (
            failed(
                "<urlopen error [Errno 8] nodename nor servname provided, or not known>", "URLError"
            ),
            NETWORK,
        ),
        # Several processes.
        (failed(RENDEZVOUS, "ValueError"), PROCESSES),
        *[
            (failed(f"'{name}'", "KeyError"), PROCESSES)
            for name in ("MASTER_ADDR", "WORLD_SIZE", "RANK", "LOCAL_RANK")
        ],
        (failed("'MY_RANK'", "KeyError"), ""),
        (failed("Distributed package doesn't have NCCL built in"), PROCESSES),
        (
            failed("ProcessGroupNCCL is only supported with GPUs, no GPUs found!", "ValueError"),
            PROCESSES,
        ),
        # Code that was left out.
        (
            failed("unsupported operand type(s) for +: 'int' and 'ellipsis'", "TypeError"),
            "`...` (line 1) stands where code was left out; post that part too, so that it can be "
            "run",
        ),
        (failed("expected a number, got ellipsis", "TypeError"), ""),  # not named as a type
        # Memory.
        (failed("", "MemoryError"), MEMORY.format("")),
        (failed(ALLOCATOR), MEMORY.format(" (4.0 GiB at once)")),
        (failed("[enforce fail at alloc_cpu.cpp:124] data. nothing"), MEMORY.format("")),
        (
            failed(
                "DefaultCPUAllocator: not enough memory: you tried to allocate 1610612736 bytes."
            ),
            MEMORY.format(" (1.5 GiB at once)"),
        ),
        # The command line and the keyboard.
        (
            failed("2", "SystemExit", stderr="usage: snippet.py [-h] --data DATA"),
            "it wants command-line arguments (line 1); put the values into the snippet",
        ),
        (failed("2", "ValueError", stderr="usage: snippet.py [-h] --data DATA"), ""),
        (
            failed("EOF when reading a line", "EOFError", code="input('? ')"),
            "it asks for input (line 1), and nobody can type here; put a value in its place",
        ),
        (failed("Ran out of input", "EOFError", code="pickle.load(f)"), ""),
        # A screen, a device of another maker, nobody who types.
        (
            failed("no display name and no $DISPLAY environment variable", "TclError"),
            "it opens a window (line 1), and there is no screen here; save the picture to a file, "
            "or leave that line out",
        ),
        (
            failed(BACKEND.format("MPS"), "NotImplementedError"),
            "it needs a device of another kind (line 1), MPS, and there is none here; say device "
            "cpu in the snippet, or post the part that fails on any device",
        ),
        (
            failed("PyTorch is not linked with support for mps devices"),
            "it needs a device of another kind (line 1), MPS, and there is none here; say device "
            "cpu in the snippet, or post the part that fails on any device",
        ),
        (failed(BACKEND.format("QuantizedCPU"), "NotImplementedError"), ""),
        (
            failed("", "EOFError", code="getpass.getpass('? ')"),
            "it asks for input (line 1), and nobody can type here; put a value in its place",
        ),
        # A path, a program, a variable of the environment.
        (
            failed("no", "OperationalError", not_here=NotHere(kind="path", name="/a/b.db")),
            "`/a/b.db` (line 1) is not here, and OperationalError comes of that; attach it, or "
            "make the data up in the code",
        ),
        (
            failed(
                "Parent directory /srv/out does not exist.",
                not_here=NotHere(kind="path", name="/srv/out/a.pt"),
            ),
            "`/srv/out/a.pt` (line 1) is not here, and RuntimeError comes of that; attach it, or "
            "make the data up in the code",
        ),
        (  # a folder that the program could make
            failed(
                "Parent directory out does not exist.",
                not_here=NotHere(kind="path", name="out/a.pt"),
            ),
            "",
        ),
        (
            failed(
                "[Errno 2] No such file or directory: 'make'",
                "FileNotFoundError",
                not_here=NotHere(kind="program", name="make all"),
            ),
            "it starts another program (line 1), `make all`, which this machine has not or cannot "
            "run; post the part that fails without it, or that program's own output",
        ),
        (
            failed("'DATA'", "KeyError", not_here=NotHere(kind="variable", name="DATA")),
            "it reads the environment variable `DATA` (line 1), which is not set here; put its "
            "value into the snippet",
        ),
        (
            failed(
                "list index out of range",
                "IndexError",
                not_here=NotHere(kind="argument", name="sys.argv[1]"),
            ),
            "it reads the command line (line 1), `sys.argv[1]`, and it was started with no "
            "arguments; put the value into the snippet",
        ),
        # The GPUs of this machine.
        (
            failed("2 are too few", "AssertionError", of_gpus=True),
            "AssertionError (line 1) comes of the GPUs that it finds, none here: with more and "
            "larger ones it does not come up; run it on a machine that has what it needs, or post "
            "what fails there",
        ),
        (
            failed("2", "SystemExit", of_gpus=True, env=Environment(device="simulated cuda:0")),
            "SystemExit (line 1) comes of the GPUs that it finds, one simulated here: with more "
            "and larger ones it does not come up; run it on a machine that has what it needs, or "
            "post what fails there",
        ),
        (
            failed("module 'torch._C' has no attribute '_broadcast_coalesced'", "AttributeError"),
            "it needs `_broadcast_coalesced` (line 1), compiled code that the PyTorch here, built "
            "for the CPU, has not; run it on a machine with a GPU",
        ),
        (
            failed(
                "module 'torch._C' has no attribute '_gone'",
                "AttributeError",
                code="torch._C._gone()",
            ),
            "",
        ),
        # A module that is not installed, whatever error comes of that.
        (
            failed(SIZES, needs_module="tf"),
            "it needs the module `tf` (line 1), which is not installed here, and RuntimeError "
            "comes of that; post the part that fails without it, or the full traceback",
        ),
        (
            failed("No module named 'tf'", "ModuleNotFoundError", needs_module="tf"),
            "it needs the module `tf` (line 1), which is not installed here; post the part that "
            "fails without it, or the full traceback",
        ),
        (failed("EOF when reading a line", "ValueError", code="input('? ')"), ""),
    ],
)
def test_why_it_could_not_be_run(run: JobResult, reason: str):
    """What comes from the place and not from the code, with the next step; else nothing."""
    assert missing(run) == reason


def stood(name: str, kind: str = "model") -> Placeholder:
    """A placeholder for a name."""
    return Placeholder(name=name, line=1, what="", kind=kind)


REACHED = (
    "with placeholders for {} it reaches its end and raises nothing up to there; what it really "
    "does needs your {}: post {} too"
)


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (
            ran(cut=Cut(steps=7, seconds=8), stand_ins=(stood("loader"), stood("n"))),
            "with placeholders for `loader` and `n` " + CUT.format(""),
        ),
        (ran(stand_ins=(stood("net"),)), REACHED.format("`net`", "`net`", "it")),
        (
            ran(stand_ins=(stood("net"), stood("x", "tensor"), stood("f", "loss"))),
            REACHED.format("`net`, `x` and `f`", "`net`, `x` and `f`", "them"),
        ),
        # Numbers and devices are not worth asking for, unless there is nothing else.
        (
            ran(stand_ins=(stood("n", "number"), stood("net"), stood("d", "device"))),
            REACHED.format("`n`, `net` and `d`", "`net`", "it"),
        ),
        (
            ran(stand_ins=(stood("n", "number"), stood("d", "device"))),
            REACHED.format("`n` and `d`", "`n` and `d`", "them"),
        ),
        (failed(SIZES, stand_ins=(stood("net"),)), ""),
        (failed(SIZES, stand_ins=(stood("net"),), depends_on_stand_ins=True), ""),
        (failed(PROBABILITIES, stand_ins=(stood("net"),)), ""),
        (
            failed(PROBABILITIES, line=3, stand_ins=(stood("net"),), depends_on_stand_ins=True),
            "the numbers that stand for yours here do not lie between 0 and 1 (line 3), as the "
            "loss needs them; post the lines that make them too",
        ),
        # The limit comes first: it has not reached its end.
        (
            ran(outcome=Outcome.OUTPUT_LIMIT, stand_ins=(stood("net"),)),
            "it was stopped when it had printed more than 0 MiB; print less",
        ),
    ],
)
def test_reaching_the_end_with_stand_ins_is_not_running(run: JobResult, reason: str):
    """It did not end with what its author has, so it says nothing of their code."""
    assert missing(run) == reason


UP, DOWN = LeftOut(name="up", line=1), LeftOut(name="down", line=3)
IS_NONE = Explanation(family="none", text="`y` is None, returned at line 5.")


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (
            failed("oh", "TypeError", left_out=LeftOut(name="...", line=1)),
            "`...` (line 1) stands where code was left out; post that part too, so that it can be "
            "run",
        ),
        (
            failed("oh", "TypeError", left_out=LeftOut(name="...", line=7)),
            "`...` (line 7) stands where code was left out, and TypeError at line 1 comes of that; "
            "post that part too, so that it can be run",
        ),
        (
            failed("oh", "AttributeError", left_out=UP),
            "the body of `up` (line 1) was left out, and AttributeError (line 1) comes of that; "
            "post it too, so that it can be run",
        ),
        (
            without_line(failed("oh", "AttributeError", left_out=UP)),
            "the body of `up` (line 1) was left out, and AttributeError comes of that; post it "
            "too, so that it can be run",
        ),
        (
            failed("oh", "AttributeError", left_out=UP, explanation=IS_NONE),
            "the body of `up` (line 1) was left out, and AttributeError (line 1) comes of that "
            "(`y` is None, returned at line 5); post it too, so that it can be run",
        ),
        (
            failed(
                "oh",
                "AttributeError",
                left_out=UP,
                explanation=Explanation(family="none", text="it is X"),
            ),
            "the body of `up` (line 1) was left out, and AttributeError (line 1) comes of that (it "
            "is X); post it too, so that it can be run",
        ),
        (
            failed(
                "oh",
                "AttributeError",
                left_out=UP.model_copy(update={"also": (DOWN,)}),
                explanation=IS_NONE,
            ),
            "the bodies of `up` (line 1) and `down` (line 3) were left out, and AttributeError "
            "(line 1) comes of one of them (`y` is None, returned at line 5); post them too, so "
            "that it can be run",
        ),
        # An undefined name says more.
        (
            failed(NAME, "NameError", undefined=("model",), left_out=UP),
            "`model` (line 1) is used but never defined in what you posted; post the part that "
            "makes it too, so that it can be run",
        ),
    ],
)
def test_an_empty_body_is_asked_for(run: JobResult, reason: str):
    """Which one, or which ones it may be, and what the values say."""
    assert missing(run) == reason


def post(*blocks: str) -> Question:
    """A question with these blocks."""
    snippets, line = [], 1
    for code in blocks:
        snippets.append(Snippet(code=code, first_line=line))
        line += code.count("\n") + 1
    return Question(text="", snippets=tuple(snippets))


def lacks(line: int, name: str = "Net") -> JobResult:
    """A run that stopped at a name that it had not bound yet."""
    return failed(f"name '{name}' is not defined", "NameError", line=line)


@pytest.mark.parametrize(
    "later",
    [
        "class Net(nn.Module): ...",
        "def Net(): ...",
        "Net = 3",
        "a, Net = 1, 2",
        "Net, b = 1, 2",
        "a = 1\n  Net = 3",
        "import Net",
        "from x import Net",
        "from x import a, Net",
        "import x as Net",
    ],
)
def test_blocks_in_another_order_than_they_run(later: str):
    """A use in one block, and what it uses in a later one: nobody runs them in that order."""
    reason = missing(lacks(1), post("net = Net()\nnet(x)", later))

    assert reason == (
        "`Net` (line 1) is used in an earlier block than the one that makes it (from line 3); post "
        "them in the order in which they run, or as one"
    )


@pytest.mark.parametrize(
    ("run", "question"),
    [
        (lacks(1), None),
        (lacks(1), post("net = Net()")),
        (lacks(3), post("class Net: ...", "x = 1", "net = Net()")),  # the class came before
        (lacks(1), post("net = Net()", "Net == 3")),
        (lacks(1), post("net = Net()", "Network = 3")),
        (lacks(1), post("net = Net()", "class Network: ...")),
        (lacks(1), post("net = Net()", "x = Net")),
        # In a function, or not at all outside of one, it is a mistake of its own.
        (lacks(1), post("net = Net()\ndef f():\n    Net = 3")),
        (lacks(3), post("def f():\n    return Net\nf()\n  Net = 3")),
        # Its own block makes it too, if only in a function.
        (lacks(1), post("net = Net()\ndef f():\n    Net = 3", "class Net: ...")),
        (failed(NAME.replace("model", "Net"), "ValueError"), post("Net()", "class Net: ...")),
        (failed("free variable 'Net'", "NameError"), post("Net()", "class Net: ...")),
        (without_line(lacks(1)), post("Net()", "class Net: ...")),
        (ran(), post("Net()", "class Net: ...")),
    ],
)
def test_blocks_in_the_order_in_which_they_run(run: JobResult, question: Question | None):
    """Then a name that is not bound is an answer, not a matter of the order."""
    assert missing(run, question) == ""


def test_the_block_that_makes_it_is_named():
    """The first of the later ones that does; an earlier block elsewhere does not count."""
    blocks = post("class Net: ...", "net = Data()", "x = 1", "class Data: ...", "Data = 3")
    reason = missing(lacks(2, "Data"), blocks)

    assert "(line 2)" in reason and "(from line 4)" in reason
    # Its own block is the last that begins at the error's line or above it.
    again = post("class Data: ...\ndel Data", "net = Data()", "class Data: ...")
    assert missing(lacks(3, "Data"), again).endswith("as one")


@pytest.mark.parametrize(
    ("run", "code", "reason"),
    [
        (
            lacks(1),
            "net = Net()\nclass Net: ...",
            "`Net` (line 1) is used before line 2, which makes it, has run; post the code in the "
            "order in which it runs",
        ),
        (lacks(1), "net = Net()\nNet = 3", "line 2"),
        # A function is used above; what counts is the line that called it.
        (
            lacks(2).model_copy(
                update={
                    "frames": (
                        Frame(function="<module>", line=3),
                        Frame(function="f", line=2),
                    )
                }
            ),
            "def f():\n    return Net\nf()\nNet = 3",
            "`Net` (line 2) is used before line 4",
        ),
        # It was made before, and lost again: a mistake of its own.
        (lacks(3), "Net = 3\ndel Net\nprint(Net)\nNet = 4", ""),
        (
            lacks(2).model_copy(update={"frames": (Frame(function="<module>", line=5),)}),
            "def f():\n    return Net\nNet = 3\ndel Net\nf()",
            "",
        ),
        # The line that makes it is the one that uses it: no other order would help.
        (lacks(1), "Net = Net + 1", ""),
    ],
)
def test_a_use_above_what_it_uses(run: JobResult, code: str, reason: str):
    """In one block too: the order of a paste is no error of the code's."""
    told = missing(run, post(code))

    assert reason in told and bool(told) is bool(reason)


INDENT = failed("unexpected indent", "IndentationError", line=12, code="    x = 1")


@pytest.mark.parametrize(
    ("run", "text", "reason"),
    [
        (
            INDENT,
            "it does not learn",
            "the indentation of line 12: `x = 1`; post it as it stands in the file",
        ),
        (
            failed("invalid syntax (snippet.py, line 3)", "SyntaxError", line=3, code="Out[13]:"),
            "",
            "line 3 is no Python (invalid syntax): `Out[13]:`; post it as it stands in the file",
        ),
        (
            without_line(failed("invalid syntax", "SyntaxError")),
            "",
            "a line is no Python (invalid syntax); post it as it stands in the file",
        ),
        (
            failed("inconsistent use of tabs and spaces", "TabError", line=4, code="\tx = 1"),
            "",
            "the indentation of line 4: `x = 1`; post it as it stands in the file",
        ),
        (INDENT, "what is this IndentationError?", ""),
        (INDENT.model_copy(update={"frames": (Frame(function="f", line=1),)}), "", ""),
    ],
)
def test_a_paste_that_does_not_parse(run: JobResult, text: str, reason: str):
    """It is how it was pasted, unless they ask about it."""
    assert missing(run, Question(text=text)) == reason


def test_nothing_but_definitions():
    """None of it was exercised; an error is one all the same."""
    assert missing(ran(only_definitions=True)) == (
        "the code only defines things: no class of it was made and no function called, so none of "
        "it was exercised; post the lines that use it too"
    )
    assert missing(failed(SIZES, only_definitions=True)) == ""


POSTED = Question(text="", traceback=PastedTraceback(type="TypeError", message="it broke"))
ASSUMED = (
    "with what was assumed here{} it ends without your error, which may come of just that; post "
    "the whole file, or the whole traceback"
)
FILE = Placeholder(name="a.csv", line=1, what="a table", kind="file", exact=True)
LEFT_OUT = Placeholder(name="tf", line=1, what="it was left out", kind="module", exact=True)


@pytest.mark.parametrize(
    ("run", "question", "reason"),
    [
        (ran(assumptions=("import cv2",)), POSTED, ASSUMED.format(" (`import cv2`)")),
        (
            ran(assumptions=("from PIL import Image",)),
            POSTED,
            ASSUMED.format(" (`from PIL import Image`)"),
        ),
        (ran(assumptions=("import torch.nn as nn", "import numpy as np")), POSTED, ""),
        (
            ran(assumptions=("import torchvision",)),
            POSTED,
            ASSUMED.format(" (`import torchvision`)"),
        ),
        (  # three are named, without what is no guess
            ran(assumptions=("import a", "import torch", "import b", "import c", "import d")),
            POSTED,
            ASSUMED.format(" (`import a`, `import b` and `import c`)"),
        ),
        (ran(assumptions=("import cv2",)), Question(text="why?"), ""),  # no error was posted
        (failed(SIZES, assumptions=("import cv2",)), POSTED, ""),
        (ran(assumptions=("import cv2",), caught=(caught(SIZES),)), POSTED, ""),
        (ran(), POSTED, ""),
        # Data that stand for theirs are assumed too; a module that is not used brings none.
        (ran(stand_ins=(FILE,)), POSTED, ASSUMED.format("")),
        (ran(stand_ins=(LEFT_OUT,)), POSTED, ""),
    ],
)
def test_a_run_with_guessed_imports_says_nothing_of_a_posted_error(
    run: JobResult, question: Question, reason: str
):
    """What was guessed may be just what is wrong."""
    assert missing(run, question) == reason


@pytest.mark.parametrize(
    ("run", "why_not", "told"),
    [
        (ran(), "needs_a_gpu", "your error is one of a real GPU, and there is none here"),
        (
            ran(),
            "several_processes",
            "your error is one of several processes or GPUs, and here is one process",
        ),
        (ran(), "not_found", ""),
        (ran(), "", ""),
        (failed(SIZES), "needs_a_gpu", ""),  # it has an error of its own
    ],
)
def test_an_error_of_another_place_is_not_called_gone(run: JobResult, why_not: str, told: str):
    """Code that ends well on the CPU shows nothing of what only a GPU raises."""
    assert of_another_place(run, why_not) == told


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (failed(NOT_COMPILED, "AssertionError", code="x.cuda()"), NOT_COMPILED),
        (failed("No CUDA GPUs are available", code="x.cuda()"), "No CUDA GPUs are available"),
    ],
)
def test_a_missing_gpu_is_the_answer_for_who_asks_about_it(run: JobResult, text: str):
    """For anybody else it comes from the place."""
    assert missing(run, Question(text=f"I get {text}")) == ""
    assert missing(run, Question(text="it does not learn")) != ""


CPU_ONLY = caught(NOT_COMPILED, "AssertionError")


@pytest.mark.parametrize(
    ("run", "needed"),
    [
        (failed(NOT_COMPILED, "AssertionError"), True),
        (failed("No CUDA GPUs are available"), True),
        (failed(SIZES), False),
        (ran(), False),
        (ran(caught=(CPU_ONLY,)), True),
        (ran(caught=(caught(SIZES), CPU_ONLY)), True),
        (ran(caught=(caught(SIZES),)), False),
        # What it caught before it failed otherwise is no reason.
        (failed(SIZES, caught=(CPU_ONLY,)), False),
        (failed(NOT_COMPILED, "AssertionError", env=SIMULATED), False),
        (failed(NOT_COMPILED, "AssertionError", env=Environment(device="cuda")), False),
    ],
)
def test_which_runs_need_a_gpu(run: JobResult, needed: bool):
    """It failed for want of one, or caught a failure for want of one, on a CPU."""
    assert needs_gpu(run) is needed


NO_GRAD = "'NoneType' object has no attribute 'data'"
STEP = "for p in net.parameters():\n    p.grad.data.mul_(2)"


@pytest.mark.parametrize(
    ("code", "placeholders", "asked"),
    [
        (STEP, (Placeholder(name="net", line=1, what="a small module", kind="model"),), True),
        (STEP, (), False),  # all of it was posted: that there is no backward() is their mistake
        (
            f"loss.backward()\n{STEP}",
            (Placeholder(name="net", line=1, what="a small module", kind="model"),),
            False,
        ),
    ],
)
def test_gradients_that_nothing_posted_computes(
    code: str, placeholders: tuple[Placeholder, ...], asked: bool
):
    """Beside other missing parts, the missing backward() is one of them and no mistake."""
    run = failed(NO_GRAD, "AttributeError", code="p.grad.data", stand_ins=placeholders)
    question = Question(text="", snippets=(Snippet(code=code, language="", first_line=1),))

    assert missing(run, question) == (
        "nothing in what you posted computes gradients, so `.grad` is None here whatever it is in "
        "your program; post the lines up to backward() too"
        if asked
        else ""
    )
    assert missing(run) == ""  # what was posted is not known


@pytest.mark.parametrize(
    ("words", "unread"),
    [
        ("model=models.vgg16() then model for p in it:", True),
        ("my class model (see above)", True),
        ("the loaders: model = make(x)", True),
        ("it says model == None", False),
        ("my_model = x", False),
        ("model does not learn", False),
        ("", False),
    ],
)
def test_a_name_that_is_made_among_words_is_not_called_undefined(words: str, unread: bool):
    """They posted it, in a form that could not be read."""
    run = failed(NAME, "NameError", undefined=("model",))
    said = missing(run, Question(text=words))

    assert said == (
        "`model` (line 1) is made in a line that could not be read as code: it stands among words, "
        "or is broken; post it in a code block, one statement a line"
        if unread
        else "`model` (line 1) is used but never defined in what you posted; post the part that "
        "makes it too, so that it can be run"
    )


@pytest.mark.parametrize(
    ("code", "locals_", "is_slip"),
    [
        ("ouput = 1", ("output",), True),  # a slip of what is there
        ("x = ouput", ("inputs",), False),  # nothing is near
        ("self.ouput = f\nouput(x)", ("self", "x"), True),  # without its `self.`
        ("self.ouput = f\nouput(x)", ("x",), False),  # there is no `self` here
        ("class A:\n    def ouput(self, x): ...\nouput(x)", ("self", "x"), True),  # a method's
        ("class A:\n    def ouput(self, x): ...\nouput(x)", ("x",), False),
        ("class A:\n    def ouput(x): ...\nouput(x)", ("self", "x"), False),
    ],
)
def test_a_slip_of_a_name_is_not_missing(code: str, locals_: tuple[str, ...], is_slip: bool):
    """What it was meant to be is there: that is a mistake of the code, and none of its posting."""
    message = "name 'ouput' is not defined"
    here = Frame(line=2, function="f", locals={n: Variable(type="int") for n in locals_})
    run = failed(message, "NameError", undefined=("ouput",), frames=(here,))
    question = Question(text="", snippets=(Snippet(code=code),))

    assert (missing(run, question) == "") is is_slip


@pytest.mark.parametrize(
    ("kind", "exact", "type_", "told"),
    [
        ("weights", False, "BertForMaskedLM", True),
        ("weights", False, "T5Model", True),
        ("weights", True, "BertForMaskedLM", False),  # it is that very network
        ("weights", False, "Trainer", False),  # which is no network of a hub
        ("model", False, "BertForMaskedLM", False),  # nothing was brought from a hub
    ],
)
def test_a_guessed_network_says_nothing_of_what_theirs_has(
    kind: str, exact: bool, type_: str, told: bool
):
    """A method that came with the real one's own code is no mistake of the person's."""
    brought = Placeholder(name="a/b", line=1, what="", kind=kind, exact=exact)
    run = failed(
        f"'{type_}' object has no attribute 'talk'",
        "AttributeError",
        line=1,
        code="m.talk()",
        stand_ins=(brought,),
    )
    assert missing(run) == (
        "a usual network is in the place of `a/b` here, and it has no `talk` (line 1), which yours "
        "may have; post the whole traceback that you get"
        if told
        else ""
    )


KEYWORD = "__init__() got an unexpected keyword argument 'evaluation_strategy'"
CALL_OF_IT = "transformers.TrainingArguments('out', evaluation_strategy='epoch')"
CALL = "args = TrainingArguments('out', evaluation_strategy='epoch')"


@pytest.mark.parametrize(
    ("text", "code", "guessed", "is_told"),
    [
        ("Since the upgrade to transformers 4.26 no metrics", CALL, True, True),
        ("transformers==4.26.1: no metrics", f"import transformers\n{CALL_OF_IT}", False, True),
        ("no metrics are shown", CALL, True, False),  # no version
        ("With torch 2.1 no metrics", "import torch\n" + CALL, False, False),
        ("With peft 0.7 no metrics", "import peft\n" + CALL, False, False),  # not of that line
    ],
)  # fmt: skip
def test_a_library_of_another_version_than_theirs(
    text: str, code: str, guessed: bool, is_told: bool
):
    """An error of it is none of theirs, who post none; and its edit would not hold there."""
    assumed = ("from transformers import TrainingArguments",) if guessed else ()
    run = failed(KEYWORD, "TypeError", line=7, code=code.splitlines()[-1], assumptions=assumed)
    question = Question(text=text, snippets=(Snippet(code=code),))

    assert ("another version" in missing(run, question)) is is_told

    theirs = question.model_copy(
        update={"traceback": PastedTraceback(type="TypeError", message=KEYWORD)}
    )
    assert "another version" not in missing(run, theirs)
