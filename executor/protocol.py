"""The protocol between the bot and the executor: Job and JobResult.

The JSON of these models is the stable contract; new fields may come, none goes or changes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

SNIPPET = "snippet.py"  # what the snippet's file is called, wherever it runs
REPORT = "report.json"
REBUILD_ORDER = "rebuild.json"  # beside the snippet, in a job that searches for a posted error
REBUILT = "rebuilt.json"
FIGURES = "figures"  # the folder beside it for figures still open at the end


class Model(BaseModel):
    """An immutable value; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(StrEnum):
    """How a run ended: decided by wait status, clock and counters, never by what it printed."""

    OK = "ok"
    ERROR = "error"  # an exception nobody caught, or a non-zero exit code
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    KILLED = "killed"  # a signal that the executor did not send
    SETUP_ERROR = "setup_error"  # a wall of the jail could not be built, so nothing ran
    UNAVAILABLE = "unavailable"  # the device, or the executor itself, was not there


class Probe(StrEnum):
    """Probes that cost a second run; the cheap ones are always on except with NONE."""

    INPLACE = "inplace"  # which line saved the tensor, which line changed it
    GRADIENTS = "gradients"  # every backward's loss and leaf gradients, and the final tensors
    ORACLE = "oracle"  # GRADIENTS of the forward as written: in-place changes raise no error
    INFLUENCE = "influence"  # what the snippet asks of torch line by line, its modules tried again
    STATEMENTS = "statements"  # which statements were carried out, and what each printed and made
    NONE = "none"  # no probe: to measure what they cost and that they change nothing


class File(Model):
    """A file put into the working folder, or collected from it. Its name holds no folder."""

    name: str = Field(min_length=1, max_length=255)
    base64: str
    mime: str = "application/octet-stream"


class Bound(Model):
    """A value for a name that the snippet reads and does not define.

    The name may have a dot: `args.lr` is an attribute of a placeholder `args`.
    """

    name: str
    expression: str  # Python; evaluated when the name is read first
    what: str  # the value in words, for the list of assumptions
    # Where it comes from: a line of the post, the posted error, the name's use, or what is usual.
    evidence: Literal["posted", "message", "use", "usual"] = "use"


class Glue(Model):
    """What is added around a snippet, without a change to it, so that it can run."""

    before: tuple[Bound, ...] = ()
    first: tuple[str, ...] = ()  # statements before the snippet: files that it reads
    after: tuple[str, ...] = ()  # statements behind it: calls of what it only defines
    modules: tuple[str, ...] = ()  # modules that are not installed and get a stub
    header: str = ""  # "Net(nn.Module)": the class of the methods that were posted without one
    resources: bool = False  # data, files and weights that are not here get one of their form


class Job(Model):
    """One run of a snippet."""

    code: str
    files: tuple[File, ...] = ()
    device: Literal["cpu", "cuda"] = "cpu"
    # Seconds for which the code may compute; for as long it may wait. docs/security.md says how.
    wall_s: float = Field(default=10, gt=0, le=600)
    seed: int | None = 0
    cold: bool = False  # in a fresh interpreter, where nothing is imported yet
    probes: tuple[Probe, ...] = ()
    # Placeholders are called stand-ins in this file's fields alone: answers that bots have stored
    # carry these names, and a model refuses a field that it does not know.
    # Give undefined names a placeholder that fits their use, and data, files and weights that are
    # not here one of their form.
    stand_ins: bool = False
    other_choices: bool = False  # placeholders of other sizes, where the snippet leaves them open
    simulate: Literal["cuda"] | None = None  # run on the CPU with a simulated GPU
    # How many GPUs a simulated machine says it has. Several are of a larger kind, and compute as
    # one: to see whether an error comes only of how many there are, and of which kind.
    gpus: int = Field(default=1, ge=1, le=64)
    constructs: bool = False  # report the calls and changes that the snippet's text holds
    remarks: bool = False  # report what in the snippet's text does not do what it looks like
    # Report it as findings too, where the rule knows the edit and the run went over the line.
    mends: bool = False
    glue: Glue | None = None  # what to add, where a posted error was rebuilt
    cut: bool = False  # stop a training between two steps when the time is nearly up
    launched: bool = False  # as `torchrun` starts one process, with gloo where there is no GPU
    program: str = ""  # a program that the code runs in turn: its libraries are imported as its own

    @property
    def longest_s(self) -> float:
        """The longest that its run may take by the clock, on however busy a machine."""
        return 5 * self.wall_s + 20


class Cut(Model):
    """A training that was stopped between two steps, when its time was nearly up."""

    steps: int  # of all optimizers
    seconds: float  # of processor time
    losses: tuple[float, ...] = ()  # the first and the last one that backward() began at


class Exit(Model):
    """The exit code or the name of the signal, from the kernel."""

    code: int | None
    signal: str | None


class Limit(Model):
    """The limit that ended the run, e.g. ("cpu_s", 10).

    Of a timeout: cpu_s (it computed), waiting_s (it waited), ceiling_s (the clock, whatever it
    did), or wall_s (the clock, on a GPU).
    """

    name: str
    value: float


class ErrorSeen(Model):
    """The exception that ended the run. Lines are 1-based in the snippet, columns 0-based bytes."""

    type: str
    message: str
    line: int | None = None
    col: int | None = None
    end_col: int | None = None
    code: str = ""  # the expression that raised, or its whole line
    traceback: str = ""
    origin: str = ""  # "torch" | "python" | "raise": who raised it
    masks: str = ""  # the message of the first error, where this was raised while handling it
    family: str = ""  # its id in executor.errors; empty where the catalogue does not know it
    # How the snippet says that it is meant: "comment" (this will fail), "printed" (its handler does
    # nothing but tell of it), "tried" (one of another class would), "above" (it came right above
    # such a `try`), "labelled" (it is called the wrong way, or followed by the right one), "named"
    # (a comment with the error's name); empty if it does not.
    demonstrated: str = ""


class Explanation(Model):
    """What live values show about an error: which of them clash, and where they were made."""

    family: str
    text: str
    facts: dict[str, Any] = {}


class Caught(Model):
    """An exception the snippet caught itself."""

    type: str
    message: str
    line: int | None = None  # where it was raised, in the snippet
    handler_line: int | None = None  # the `except` that caught it
    code: str = ""
    origin: str = ""
    traceback: str = ""
    stdout_bytes: int = 0  # printed by the snippet up to then
    explanation: Explanation | None = None
    family: str = ""  # as in ErrorSeen
    demonstrated: str = ""  # as in ErrorSeen


class WarningSeen(Model):
    """A warning, with the snippet's line that led to it."""

    category: str
    message: str
    line: int | None = None


class Variable(Model):
    """One local variable: shape, dtype … for a tensor, only type and repr for anything else."""

    type: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    device: str | None = None
    requires_grad: bool | None = None
    is_leaf: bool | None = None
    version: int | None = None
    grad_fn: str | None = None
    repr: str | None = None


class Operand(Model):
    """A value that the failing expression used, under its name there or torch's own for it."""

    name: str
    made: int | None = None  # the line that gave it this value; None if that is uncertain
    value: Variable


class Frame(Model):
    """One of the snippet's own frames at the moment of the error, outermost first."""

    function: str
    line: int
    locals: dict[str, Variable] = {}


class TensorRef(Model):
    """The tensor an in-place error is about."""

    name: str | None
    shape: tuple[int, ...]
    dtype: str
    is_view: bool
    saved_version: int
    found_version: int


class Layer(Model):
    """The layer of torch.nn that an error came out of."""

    name: str  # as the failing frame would call it, e.g. "self.fc"; empty if it cannot be named
    type: str
    repr: str
    line: int | None  # where it was made
    input: tuple[int, ...] | None
    dtype: str | None


class Culprit(Model):
    """An in-place error's lines: which saved the tensor, which changed it, which then needed it.

    Columns are 0-based byte offsets; a span may reach over several lines. None means that the
    probe could not find it (the change came from library code, say); `note` then says why. A
    layer is the one of torch.nn that the line called; a call line is the outermost frame's, if
    the line itself is inside a function.
    """

    saved_line: int | None = None
    saved_end_line: int | None = None
    saved_col: int | None = None
    saved_end_col: int | None = None
    saved_code: str | None = None
    modified_line: int | None = None
    modified_end_line: int | None = None
    modified_col: int | None = None
    modified_end_col: int | None = None
    modified_code: str | None = None
    modified_op: str | None = None  # e.g. "aten.add_.Tensor"
    needed_line: int | None = None
    tensor: TensorRef | None = None
    saved_layer: str | None = None  # e.g. "model.1 (ReLU)"
    saved_call_line: int | None = None
    modified_layer: str | None = None
    modified_call_line: int | None = None
    note: str = ""  # what could not be found, and what PyTorch itself does not notice


class Finding(Model):
    """A fact that a probe saw in a run, other than an exception."""

    kind: str
    line: int | None
    name: str
    message: str
    facts: dict[str, Any] = {}
    mistake: bool = False  # the run is silently wrong; else it is a fact worth knowing
    program_wide: bool = False  # a mistake that no rewrite of a single line brings
    by_text: bool = False  # the text shows it, of code that ran: no probe has seen it in the run


class LossSeen(Model):
    """How a loss went whose backward() stands on a line: the finite values that it had."""

    line: int | None
    rounds: int
    first: float
    last: float


class DeviceSeen(Model):
    """One tensor of a device error: where it was, and the snippet's line that put it there."""

    name: str  # the snippet's variable; empty if none holds it
    device: str
    line: int | None = None
    argument: str = ""  # what PyTorch calls it, e.g. "mat1"


class Fingerprint(Model):
    """A tensor's value in a few numbers: equal for equal tensors, almost surely not for others.

    `projections` are inner products with fixed pseudo-random unit vectors.
    """

    shape: tuple[int, ...]
    dtype: str
    norm: float
    projections: tuple[float, ...]


class Backward(Model):
    """One call of backward() or autograd.grad(): the loss and the gradients after it."""

    line: int | None
    loss: Fingerprint | None
    grads: tuple[Fingerprint, ...]
    is_leaf: bool = False  # the loss itself is a leaf: it was computed from nothing
    leaves: tuple[str, ...] = ()  # variables that got a gradient, as far as they have a name


class ModuleCall(Model):
    """A call of a module by the snippet itself (not by another module), as its shapes."""

    module: str
    line: int | None
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    time_first: bool = False  # all its recurrent and attention layers take the batch second


class Operation(Model):
    """A call of torch on the snippet's own line that says something about what the line means.

    Kinds:
        layout: the tensor in another shape or order (`view`, `flatten`, `transpose` …).
        expanded: the tensor repeated to a larger size (`expand`, `repeat` …).
        outer: an elementwise operation whose result is larger than each of its operands.
        lossy_cast: a cast that changed values.
        labels_compared: `==` between numbers that are not whole and numbers that are.
        expanded_prediction: a loss of a prediction that had been repeated to fit its target.
        no_grad: `.grad` was read and is None.
        grad: `.grad` was read and is there.
        target_gradient: a loss's target was asked for a gradient.
        result_gradient: a tensor computed from others was asked for a gradient.
    """

    kind: str
    name: str  # the function, e.g. "view"
    line: int
    inputs: tuple[tuple[int, ...], ...] = ()
    output: tuple[int, ...] | None = None  # None: it raised, or gave no tensor
    sizes: tuple[int, ...] = ()  # the integers that it was called with
    requires_grad: bool = False  # the first operand has a gradient


class Slices(Model):
    """Slices of a module's input along one dimension: how many were changed, and to what effect."""

    argument: str  # its position or its name
    dim: int
    tried: int
    used: int  # slices of which a change changed the output


class ModuleTrial(Model):
    """A module of the snippet called again after the run, in eval mode, with its inputs changed."""

    module: str
    line: int | None
    inputs: tuple[tuple[int, ...], ...] = ()
    output: tuple[int, ...] = ()
    # Of the first input's dimensions 0 and 1: those along which a row's output stays the same
    # when all other rows change, and those along which it does not.
    apart: tuple[int, ...] = ()
    mixed: tuple[int, ...] = ()
    slices: tuple[Slices, ...] = ()
    note: str = ""  # why it could not be tried


class InnerCall(Model):
    """A layer that looks at sequences: its shapes, wherever it was called."""

    module: str
    line: int | None
    inputs: tuple[tuple[int, ...], ...] = ()
    masks: dict[str, tuple[int, ...]] = {}  # by the argument's name
    batch_first: bool = False


class Influence(Model):
    """What a run shows about the meaning of its lines, to compare it with another run's."""

    operations: tuple[Operation, ...] = ()
    trials: tuple[ModuleTrial, ...] = ()
    sequences: tuple[InnerCall, ...] = ()
    computing: tuple[int, ...] = ()  # lines that compute with tensors, casts and moves aside
    backwards: int = 0
    steps: int = 0
    zero_grads: int = 0
    doubled: tuple[int, ...] = ()  # lines of a second backward of one loss onto its gradients
    leaf_losses: tuple[int, ...] = ()  # lines of a backward of a tensor computed from nothing
    results: dict[int, tuple[int, ...]] = {}  # line → shape of the tensor it made last
    target_rows: tuple[int, ...] = ()  # sizes of the first dimension of losses' targets
    notes: tuple[str, ...] = ()  # what could not be looked at


class Values(Model):
    """The values that a run computed, to compare them with another run's."""

    backwards: tuple[Backward, ...] = ()
    tensors: dict[str, Fingerprint] = {}  # the snippet's global tensors and parameters at the end


class Environment(Model):
    """The software and the device of a run."""

    torch: str = ""
    python: str = ""
    cuda: str | None = None
    device: str = "cpu"
    driver: str | None = None
    modules: dict[str, str] = {}


class Isolation(Model):
    """The walls that were around the run."""

    tier: Literal["process", "uid", "namespaces", "gvisor"]
    landlock_abi: int
    seccomp: bool
    user: str
    network: str
    missing: tuple[str, ...] = ()  # walls that a stronger tier has and this one has not


GLUED = "rebuilt"  # the kind of a placeholder that follows from a posted error
MODULE = "module"  # the kind of one that is not installed, and whose import was left out
# The kinds of placeholders for what a snippet reads: data sets, files, folders, weights.
RESOURCES = ("data", "file", "folder", "weights", "checkpoint", "tokenizer", "source")


class Placeholder(Model):
    """What stands for a name that the snippet does not define, or for data that are not here."""

    name: str  # the name; the path of a file; a data set's class
    line: int | None  # where the snippet reads it first
    what: str
    # number, config, device, tensor, image, model, batches, loss, optimizer; GLUED, MODULE,
    # RESOURCES
    kind: str = ""
    # Sizes, types and labels are the real thing's; only its values are not. Else they are chosen.
    exact: bool = False
    used: bool = False  # of a MODULE: the run did something with it, which failed


class NotHere(Model):
    """What an error is about, and the machine that ran it has not, or elsewhere."""

    # program: a command; variable: of the environment; argument: of the command line
    kind: Literal["path", "program", "variable", "argument"]
    name: str


class LeftOut(Model):
    """A function or class whose body is only `...` or `pass`, and which the run then needed."""

    name: str
    line: int
    also: tuple[LeftOut, ...] = ()  # the others that it may be, where that is open


class Construct(Model):
    """A call, or a change of something, as the snippet's text has it: it need not have run.

    Arguments are as they are written, and whole numbers that are computed (`16 * 5 * 5`) are their
    result.
    """

    kind: Literal["call", "update", "item", "attribute", "read"]
    name: str  # what is called, changed or read, as it is written
    line: int
    code: str  # its line
    target: str = ""  # what its value is assigned to: `self.fc1`
    arguments: tuple[str, ...] = ()  # of a call; the new value of a change
    keywords: dict[str, str] = {}
    then: str = ""  # the attribute that is asked of its result at once: `to`, `item`


class Remark(Model):
    """Code that does not do what it looks like, by its text alone: it need not have run."""

    kind: str  # a stable name of what it is, such as "uncalled"
    line: int
    code: str  # its line
    message: str  # what it does instead, and what to write; without its line
    aside: bool = False  # right in many programs: never the headline of code that ran


class PostedFrame(Model):
    """A frame of a posted traceback."""

    file: str
    function: str = ""
    code: str = ""  # its source line
    own: bool = True  # in the person's own code, not in a library


class PostedError(Model):
    """The error that a person posted, as far as they did."""

    type: str
    message: str
    frames: tuple[PostedFrame, ...] = ()  # outermost first


class RebuildOrder(Model):
    """What a search for a posted error goes by."""

    code: str
    error: PostedError  # without type and message: search for values that let the code end
    text: str = ""  # the words around the code: shapes that were printed
    # Other programs that the post may mean: one of its blocks alone, a line that its traceback
    # quotes. Each has its lines where `code` has them.
    others: tuple[str, ...] = ()
    reach: tuple[int, ...] = ()  # without an error: the lines that the run has to come to
    budget_s: float = 2.5  # seconds of computing for all trials; by the clock twice as many


class Rebuilt(Model):
    """What a search for a posted error found; data from the jail, so it decides nothing."""

    glue: Glue | None = None  # None: nothing raised the posted error
    simulate: Literal["cuda"] | None = None
    program: int = 0  # which program of the order raised it: 0 is `code`, n the nth of `others`
    exact: bool = False  # the sizes of the message are the posted ones too
    # A property that the message does not name decides whether it comes up, and was made up.
    made_up: bool = False
    left_out: tuple[int, ...] = ()  # lines of that program that are no Python
    excerpt: bool = False  # … or that stand above the failing line and need what was not posted
    trials: int = 0
    seconds: float = 0.0
    seen: str = ""  # the last other error that was met, "Type: message"
    why_not: str = ""  # the kind of obstacle, where nothing was found

    def of(self, code: str) -> str:
        """A program as it was run: `pass` for what was left out, so that no block is empty."""
        lines, deep = code.split("\n"), 0
        for n, line in enumerate(lines):
            if n + 1 in self.left_out:
                lines[n] = " " * deep + "pass"
            elif line.strip():
                opens = line.split("#")[0].rstrip().endswith(":")
                deep = len(line) - len(line.lstrip()) + 4 * opens
        return "\n".join(lines)


class Trial(Model):
    """What a program did in a trial, one of many in one job; data from the jail, decides nothing.

    Without `ok` it raised `type`, or took too long ("Timeout").
    """

    ok: bool = False
    type: str = ""
    message: str = ""
    lines: tuple[int, ...] = ()  # of the program's own frames, outermost first
    stdout: str = ""


class StatementSeen(Model):
    """A statement of the snippet: what it is, how often it was carried out, what came of it."""

    kind: str  # as Python's syntax tree calls it, in small letters: "assign", "expr", "if"
    calls: str = ""  # of a call whose value nobody keeps: "print"
    first: int  # its lines, with all that stands in it
    last: int
    inside: tuple[str, ...] = ()  # what it stands in, the outermost first: "functiondef", "if"
    handles: tuple[str, ...] = ()  # the classes that a `try` catches
    times: int = 0
    began: int = 0  # bytes on stdout as it was first carried out
    printed: tuple[
        tuple[int, int], ...
    ] = ()  # what it wrote there itself: from which byte to which
    shapes: dict[str, tuple[tuple[int, ...], ...]] = {}  # of the tensors that it gave a name


class Observations(Model):
    """What the probes saw in a run."""

    error: ErrorSeen | None = None
    explanation: Explanation | None = None  # of the error
    operands: tuple[Operand, ...] = ()  # of the failing expression
    shapes: dict[str, tuple[int, ...]] = {}  # part of the failing statement → its tensor's shape
    caught: tuple[Caught, ...] = ()
    handlers: int = 0  # `except` clauses in the snippet
    warnings: tuple[WarningSeen, ...] = ()
    frames: tuple[Frame, ...] = ()
    layer: Layer | None = None  # the layer that the error came out of
    autograd: Culprit | None = None
    findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()  # kinds of hidden in-place writes that the code may make
    undefined: tuple[str, ...] = ()  # names read, nowhere bound, and given no placeholder
    stand_ins: tuple[Placeholder, ...] = ()
    stand_in_at_fault: str = ""  # the name of the placeholder that caused the error
    depends_on_stand_ins: bool = False  # the failing expression may be computed from a placeholder
    needs_module: str = ""  # the module that is not installed, and that the error comes from
    not_here: NotHere | None = None  # what the error is about, and this machine has not
    left_out: LeftOut | None = None  # the empty body that the error comes from
    absent: tuple[str, ...] = ()  # files that the text names and that are not here; after an error
    warm_only: tuple[str, ...] = ()  # used, never imported, and missing in a cold run
    values: Values | None = None
    influence: Influence | None = None
    calls: tuple[ModuleCall, ...] = ()
    # Only definitions ran: no class of the snippet was instantiated, none of its functions called.
    only_definitions: bool = False
    only_made: tuple[str, ...] = ()  # modules of the snippet that it makes and never calls
    constructs: tuple[Construct, ...] = ()  # where the job asked for them
    remarks: tuple[Remark, ...] = ()  # likewise
    # Asked for with Probe.STATEMENTS; none of a program that compiles, or that looks at itself.
    statements: tuple[StatementSeen, ...] = ()
    trained: bool = False  # an optimizer stepped
    losses: tuple[LossSeen, ...] = ()  # in the order of their first backward()
    cut: Cut | None = None  # its training was stopped at the limit: it did not get to its end
    moved: tuple[str, ...] = ()  # names of the parameters that an optimizer holds and changed
    witnessed: tuple[str, ...] = ()  # kinds of findings by text of which the run saw the very thing
    devices: tuple[DeviceSeen, ...] = ()  # of a device error's tensors, on the simulated device
    env: Environment = Environment()
    gpu_peak_memory_bytes: int = 0
    # Its error does not come up where there are more GPUs, of a larger kind. The bot notes it,
    # after another run.
    of_gpus: bool = False


class RunReport(Observations):
    """The report that the run itself wrote: never trusted for the outcome."""

    notes: tuple[str, ...] = ()  # probes that failed, and why


class JobResult(Observations):
    """The result of a job. A snippet that crashes is a result, never an exception of ours."""

    outcome: Outcome
    exit: Exit = Exit(code=None, signal=None)
    limit: Limit | None = None
    stdout: str = ""
    stderr: str = ""
    dropped_bytes: int = 0
    stdout_lines: int = 0  # printed in all, where some were dropped
    files: tuple[File, ...] = ()
    skipped: tuple[str, ...] = ()  # files that were not collected, each with the reason
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    isolation: Isolation | None = None
    detail: str = ""  # for setup_error and unavailable: what went wrong and what to do
    reported: bool = True  # False: it ended without the probes' report, as os._exit() does

    @property
    def reached_end(self) -> bool:
        """Whether the code ran to its end without an error."""
        return self.outcome is Outcome.OK and self.cut is None


class JobRunner(Protocol):
    """What runs jobs: an executor, or what stands before one."""

    async def run(self, job: Job) -> JobResult:
        """Run a job.

        Raises:
            ExecutorError: the executor is gone or full.
        """
        ...
