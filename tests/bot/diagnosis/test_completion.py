"""bot/diagnosis/completion.py: which of a fragment's runs is believed; nothing is run here."""

from __future__ import annotations

import pytest

from bot.diagnosis import completion
from executor.protocol import (
    Environment,
    ErrorSeen,
    Explanation,
    Frame,
    Job,
    JobResult,
    NotHere,
    Outcome,
    Placeholder,
    Variable,
)
from tests.built import RecordedExecutor, caught, failed, ran

NET = Placeholder(name="net", line=1, what="a model", kind="model")
SIZES = (
    "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension 0"
)
OURS = {"stand_ins": (NET,), "depends_on_stand_ins": True}  # the failing expression may hold ours

LACKS = failed("name 'net' is not defined", "NameError", undefined=("net",))
LACKS_NEXT = failed("name 'data' is not defined", "NameError", undefined=("data",), **OURS)
ENDS = ran(stand_ins=(NET,))
NO_GPU = failed("Torch not compiled with CUDA enabled", "AssertionError", **OURS)
ITS_OWN = failed(SIZES.format(3, 4), stand_ins=(NET,))
OPEN = failed(SIZES.format(8, 4), **OURS)
OPEN_AGAIN = failed(SIZES.format(16, 4), **OURS)
NO_FILE = failed("[Errno 2] No such file or directory: 'a.csv'", "FileNotFoundError")
NONE = "'NoneType' object has no attribute 'shape'"
NO_IMAGE = failed(NONE, "AttributeError", absent=("a.png",))
MISREAD = failed("list index out of range", "IndexError", absent=("a.csv",),
                 stand_in_at_fault="a.csv", **OURS)  # fmt: skip
TABLE = Placeholder(name="a.csv", line=1, what="a table", kind="file")
NO_MODULE = failed("No module named 'tf'", "ModuleNotFoundError")
MODULE = Placeholder(name="tf", line=1, what="it was left out", kind="module", exact=True)
USED = MODULE.model_copy(update={"used": True})
NEEDED = failed("must be Tensor", "TypeError", stand_ins=(USED,), needs_module="tf")
PATH = NotHere(kind="path", name="/data/a.db")
PROGRAM = NotHere(kind="program", name="make")
NO_NETWORK = "HTTPSConnectionPool(host='a'): Max retries exceeded with url: /b"
CODE = "net(x)"


async def believed(*runs: JobResult) -> tuple[int, int, Job]:
    """Which of the rounds was believed, how many there were, and the believed one's job."""
    rounds = [CODE, (CODE, "stand_ins"), (CODE, "stand_ins", "other_choices")]
    executor = RecordedExecutor(dict(zip(rounds, runs, strict=False)))
    # The job may come from a run that had placeholders: the first round is without.
    run, job = await completion.run(executor, Job(code=CODE, stand_ins=True, other_choices=True))
    return [run is r for r in runs].index(True) + 1, len(executor.asked), job


@pytest.mark.parametrize(
    ("runs", "round"),
    [
        # It needs nothing of ours.
        ((ran(),), 1),
        ((failed(SIZES.format(3, 4)),), 1),
        ((failed("name 'net' is not defined", "NameError"),), 1),  # it binds it somewhere
        ((failed("name 'net' is not defined", "NameError", undefined=("data",)),), 1),
        ((failed("name 'net' is not defined", "ValueError", undefined=("net",)),), 1),
        ((failed(NONE, "AttributeError"),), 1),
        ((failed("no", "KeyError", absent=("a.png",)),), 1),
        # A file, data or weights are missing, or a function found none and did not say so.
        ((NO_FILE, ran(stand_ins=(TABLE,))), 2),
        ((NO_IMAGE, ran(stand_ins=(TABLE,))), 2),
        ((NO_FILE, MISREAD, MISREAD), 1),
        ((failed("OpenCV(5) empty", "error", absent=("a",)), ran(stand_ins=(TABLE,))), 2),
        ((failed("Dataset not found.", "RuntimeError"), ran(stand_ins=(TABLE,))), 2),
        ((NO_FILE, failed("Dataset not found.", stand_ins=(TABLE,))), 2),
        ((NO_FILE, ran()), 1),
        ((failed("no", "OperationalError", not_here=PATH), ran(stand_ins=(TABLE,))), 2),
        ((failed("no", "CalledProcessError", not_here=PROGRAM),), 1),  # nothing stands for it
        ((NO_FILE, failed(SIZES.format(3, 4), stand_ins=(TABLE,))), 2),
        # A module is not installed, and was left out until it is used.
        ((NO_MODULE, ran(stand_ins=(MODULE,))), 2),
        ((NO_MODULE, failed(SIZES.format(3, 4), stand_ins=(MODULE,))), 2),
        ((NO_MODULE, NO_MODULE.model_copy(update={"stand_ins": (MODULE,)})), 2),
        (
            (
                NO_MODULE,
                ran(
                    caught=(caught("No module named 'tf'", "ModuleNotFoundError"),),
                    stand_ins=(MODULE,),
                ),
            ),
            1,
        ),
        ((NO_MODULE, NEEDED), 2),  # it ended at a value that would come from the module
        ((NO_MODULE, ran(stand_ins=(USED,))), 1),  # something took the error of its use
        ((NO_MODULE, failed(SIZES.format(3, 4), stand_ins=(USED,))), 1),
        ((NO_MODULE, NEEDED.model_copy(update={"caught": (caught("x", "ImportError"),)})), 2),
        (
            (
                failed(
                    "No module named 'torch._six'",
                    "ModuleNotFoundError",
                    explanation=Explanation(text="it has gone", family="x"),
                ),
            ),
            1,
        ),
        # It caught that there is no network, and failed in what it does without.
        (
            (
                failed(SIZES.format(3, 4), caught=(caught(NO_NETWORK, "ConnectionError"),)),
                ran(stand_ins=(TABLE,)),
            ),
            2,
        ),
        ((failed(SIZES.format(3, 4), caught=(caught("no", "ValueError"),)),), 1),
        # Nothing could be supplied.
        ((LACKS, ran()), 1),
        # It ends, or fails by itself, whatever stands for the name.
        ((LACKS, ENDS), 2),
        ((LACKS, ITS_OWN), 2),
        # What is missing next is worth saying.
        ((LACKS, LACKS_NEXT), 2),
        ((LACKS, NO_GPU), 2),
        ((LACKS, NO_FILE.model_copy(update=OURS)), 2),
        ((LACKS, NO_MODULE.model_copy(update=OURS)), 2),
        # It came to no error.
        ((LACKS, ran(outcome=Outcome.TIMEOUT, stand_ins=(NET,))), 1),
        ((LACKS, failed("oh", outcome=Outcome.TIMEOUT, stand_ins=(NET,))), 1),
        ((LACKS, failed("oh", outcome=Outcome.KILLED, **OURS)), 1),
        # Only another choice tells.
        ((LACKS, OPEN, ENDS), 3),
        ((LACKS, OPEN, OPEN), 2),
        ((LACKS, OPEN, OPEN_AGAIN), 1),
        ((LACKS, OPEN, ran(outcome=Outcome.TIMEOUT)), 1),
        ((LACKS, OPEN, OPEN.model_copy(update={"stand_in_at_fault": "net"})), 1),
        ((LACKS, OPEN, OPEN.model_copy(update={"needs_module": "tf"})), 1),
    ],
)
async def test_which_run_is_believed(runs: tuple[JobResult, ...], round: int):
    """As posted if that says more; with placeholders where they decide nothing."""
    which, rounds, job = await believed(*runs)

    assert which == round
    assert rounds == len(runs)  # none in vain
    assert (job.stand_ins, job.other_choices) == (which > 1, which > 2)


@pytest.mark.parametrize(
    ("code", "locals_", "rounds"),
    [
        ("self.ouput = f\nouput(x)", ("self", "x"), 1),  # without its `self.`
        ("self.ouput = f\nouput(x)", ("x",), 2),  # there is no `self` here
        ("output = f\nouput(x)", ("output",), 1),  # a slip of what is there
        ("y = f\nouput(x)", ("y",), 2),
    ],
)
async def test_nothing_stands_for_a_slip(code: str, locals_: tuple[str, ...], rounds: int):
    """What it was meant to be is there; a placeholder would hide the mistake."""
    here = Frame(line=2, function="f", locals={n: Variable(type="int") for n in locals_})
    undefined = {"undefined": ("ouput",), "frames": (here,)}
    plain = failed("name 'ouput' is not defined", "NameError", **undefined)
    executor = RecordedExecutor({code: plain, (code, "stand_ins"): ENDS})

    run, _ = await completion.run(executor, Job(code=code))

    assert run is (plain if rounds == 1 else ENDS)
    assert len(executor.asked) == rounds


@pytest.mark.parametrize(
    "first",
    [
        ITS_OWN.model_copy(update={"stand_in_at_fault": "net"}),
        failed("2", "SystemExit", stand_ins=(NET,)),
        failed("name 'x' is not defined", "NameError", stand_ins=(NET,)),
        failed("", "KeyboardInterrupt", stand_ins=(NET,)),
        failed("no such thing", "PlaceholderError", stand_ins=(NET,)),
        failed("use 32", "ValueError", origin="raise", stand_ins=(NET,)),
    ],
)
async def test_an_error_that_is_never_the_snippets(first: JobResult):
    """Not even where it is the same with other choices, and none of ours in the expression."""
    assert await believed(LACKS, first, first) == (1, 3, Job(code=CODE))


IN_PLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [{}]], which is output {} of SigmoidBackward0, is at version 1; "
    "expected version 0 instead."
)
CHANNELS = (
    "Given groups=1, weight of size [8, 32, 3, 3], expected input[{}, 16, 62, 62] to have {} "
    "channels, but got {} channels instead"
)
MAT = "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})"
RNN = "input.size(-1) must be equal to input_size. Expected {}, got {}"
NORM = "running_mean should contain {} elements not {}"


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [
        (
            "RuntimeError",
            "element 0 of tensors does not require grad and does not have a grad_fn",
            "",
        ),
        ("RuntimeError", "grad can be implicitly created only for scalar outputs", ""),
        (
            "RuntimeError",
            "Trying to backward through the graph a second time (or directly access "
            "saved tensors after they have already been freed).",
            "",
        ),
        (
            "RuntimeError",
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "",
        ),
        (
            "RuntimeError",
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            "",
        ),
        ("TypeError", "linear(): argument 'input' (position 1) must be Tensor, not tuple", ""),
        (
            "TypeError",
            "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not dict",
            "",
        ),
        ("TypeError", "f(): argument 'a' (position 1) must be list of Tensors, not list", ""),
        ("TypeError", "f(): argument 'a' (position 1) must be Tensor, not str", ""),
        ("TypeError", "Adam.__init__() got an unexpected keyword argument 'learning_rate'", ""),
        ("TypeError", "Net.forward() missing 1 required positional argument: 'x'", ""),
        ("TypeError", "Net.forward() missing 2 required keyword-only arguments: 'x' and 'y'", ""),
        ("AttributeError", "'float' object has no attribute 'backward'", ""),
        ("AttributeError", "module 'torch' has no attribute 'backward'", ""),
        ("UnboundLocalError", "local variable 'x' referenced before assignment", ""),
        (
            "UnboundLocalError",
            "cannot access local variable 'x' where it is not associated with a value",
            "",
        ),
        # The sizes in it are ours.
        ("RuntimeError", IN_PLACE.format("8, 10", 0), IN_PLACE.format("16, 12", 0)),
        # The sizes that clash are the snippet's own, whatever the batch.
        ("RuntimeError", MAT.format(8, 256, 128, 10), MAT.format(16, 256, 128, 10)),
        ("RuntimeError", SIZES.format(3, 4), SIZES.format(3, 4)[:-1] + "1"),
        ("RuntimeError", CHANNELS.format(8, 32, 16), CHANNELS.format(16, 32, 16)),
        ("RuntimeError", RNN.format(4, 2), RNN.format(4, 2) + "!"),
        ("RuntimeError", NORM.format(16, 8), NORM.format(16, 8) + "!"),
    ],
)
async def test_an_error_that_other_choices_do_not_change(type_: str, one: str, other: str):
    """It hangs on no size of ours and on no value: it is the snippet's."""
    first, second = failed(one, type_, **OURS), failed(other or one, type_, **OURS)

    assert (await believed(LACKS, first, second))[0] == 2
    # At another line, or of another type, it is another error.
    for another in (failed(other or one, type_, line=2, **OURS), failed(one, "OSError", **OURS)):
        assert (await believed(LACKS, first, another))[0] == 1


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [
        # A size of ours clashes.
        ("RuntimeError", MAT.format(8, 256, 128, 10), MAT.format(8, 256, 96, 10)),
        ("RuntimeError", MAT.format(8, 256, 128, 10), MAT.format(8, 96, 128, 10)),
        ("RuntimeError", CHANNELS.format(8, 32, 16), CHANNELS.format(8, 32, 3)),
        ("RuntimeError", RNN.format(4, 2), RNN.format(4, 3)),
        ("RuntimeError", NORM.format(16, 8), NORM.format(16, 12)),
        ("RuntimeError", SIZES.format(3, 4), MAT.format(8, 256, 128, 10)),
        ("RuntimeError", IN_PLACE.format("8, 10", 0), IN_PLACE.format("8, 10", 1)),
        # A value of ours, or an attribute of what stands for theirs.
        (
            "AttributeError",
            "'NoneType' object has no attribute 'grad'",
            "'NoneType' object has no attribute 'grad'",
        ),
        ("IndexError", "Target 3 is out of bounds.", "Target 3 is out of bounds."),
        # What is asked for is no tensor, or what is given may be a value of ours.
        ("TypeError", "f(): argument 'a' (position 1) must be int, not str", ""),
        ("TypeError", "f(): argument 'a' (position 1) must be Tensor, not float", ""),
        # Sizes clash in one of the two runs only.
        ("RuntimeError", SIZES.format(3, 4), "it is something else"),
        ("RuntimeError", "it is something else", SIZES.format(3, 4)),
    ],
)
async def test_an_error_that_other_choices_change(type_: str, one: str, other: str):
    """Or that they could change: nothing is said of it, a name is missing."""
    runs = LACKS, failed(one, type_, **OURS), failed(other or one, type_, **OURS)

    assert (await believed(*runs))[0] == 1


@pytest.mark.parametrize(
    "message",
    [
        "Torch not compiled with CUDA enabled",
        "No CUDA GPUs are available",
        "Found no NVIDIA driver on your system.",
    ],
)
async def test_no_gpu_hangs_on_no_stand_in(message: str):
    """Where a GPU is simulated, too."""
    there = Environment(torch="2.13.0", device="simulated cuda")
    first = failed(message, env=there, **OURS)

    assert (await believed(LACKS, first, first))[0] == 2


@pytest.mark.parametrize(
    ("asked", "rounds"),
    [
        (NO_FILE.error, 1),
        (failed("[Errno 2] No such file or directory: 'b.csv'", "FileNotFoundError").error, 1),
        (failed(NONE, "AttributeError").error, 2),
        (None, 2),
    ],
)
async def test_a_missing_file_that_is_asked_about_is_the_answer(asked: ErrorSeen, rounds: int):
    """Nothing is supplied to who asks why it is missing."""
    supplied = ran(stand_ins=(TABLE,))
    executor = RecordedExecutor({CODE: NO_FILE, (CODE, "stand_ins"): supplied})

    run, _ = await completion.run(executor, Job(code=CODE), asked)

    assert len(executor.asked) == rounds
    assert run is (NO_FILE if rounds == 1 else supplied)
