"""The values that the bot's parts exchange: Question, Answer and Progress.

The JSON of Answer is the stable contract of `torchmedic ask --json`.
"""

from __future__ import annotations

from typing import Literal

from executor.protocol import Caught, ErrorSeen, File, Finding, JobResult, Model, Remark
from knowledge.repair.fix import Fix


class Snippet(Model):
    """Code a person posted. Lines are never added or removed: line n here is line n as posted.

    `first_line` is where it starts in `Question.code` (1-based).
    """

    code: str
    language: str = ""
    first_line: int = 1
    fenced: bool = True


class TracebackFrame(Model):
    """One `File "…", line …, in …` of a pasted traceback."""

    file: str
    line: int
    function: str
    code: str = ""


class PastedTraceback(Model):
    """A traceback that a person pasted, not seen in a run of ours."""

    type: str
    message: str
    frames: tuple[TracebackFrame, ...] = ()  # outermost first; library frames included
    text: str = ""


class Question(Model):
    """One message, split into prose, code and traceback."""

    text: str  # the prose, without code and traceback
    snippets: tuple[Snippet, ...] = ()
    traceback: PastedTraceback | None = None
    files: tuple[File, ...] = ()  # attachments that are not code
    versions: dict[str, str] = {}  # {"torch": "2.1.0", "python": "3.10"} where the person says so
    machine: dict[str, str] = {}  # {"gpu": "RTX 3090", "os": "Windows 10"} likewise
    notes: tuple[str, ...] = ()  # what had to be assumed while reading, e.g. "3 magics blanked"

    @property
    def code(self) -> str:
        """All snippets as one program: most posts' blocks build on each other."""
        return "\n".join(s.code for s in self.snippets)


class AnswerError(Model):
    """The real error, seen in a run."""

    type: str
    message: str
    line: int | None
    code: str
    caught: bool  # the snippet itself caught it
    traceback: str
    family: str = ""  # its id in the catalogue of errors; empty where that does not know it

    @classmethod
    def of(cls, seen: ErrorSeen | Caught) -> AnswerError:
        """Make it from a run's error, raised or caught."""
        return cls(
            type=seen.type,
            message=seen.message,
            line=seen.line,
            code=seen.code,
            caught=isinstance(seen, Caught),
            traceback=seen.traceback,
            family=seen.family,
        )


class AnswerCulprit(Model):
    """The lines of an in-place error: saving, changing and needing the tensor, with expressions.

    `note` says what could not be found, which layers did it, and from where the lines inside
    functions were called.
    """

    saved_line: int | None
    saved_code: str | None
    modified_line: int | None
    modified_code: str | None
    tensor: str | None
    needed_line: int | None = None
    note: str = ""


class Proof(Model):
    """When and where an article or a document's claim was last run, and whether it held."""

    torch: str  # empty where its programs are plain Python
    device: str
    date: str
    holds: bool | None  # None: never run


class Why(Model):
    """The explanation; `remedy` is its article's advice, which was not tried on this code."""

    text: str
    remedy: str = ""
    article: str
    title: str
    url: str | None
    score: float
    proof: Proof | None
    asked: bool = False  # the question's words are those that the article answers
    rule: str = ""  # what holds for all code, where the title names a mistake that nobody saw
    resembles: bool = False  # it is of a mistake that only resembles what was asked


class FunctionShown(Model):
    """A function of a library that does what was asked for, as its docstring tells of it."""

    name: str  # "torch.topk"
    signature: str  # "(input, k, dim=None) -> (Tensor, LongTensor)"
    summary: str  # the docstring's first sentence
    library: str = ""  # "torch 2.13.0"
    example: str = ""  # a session as it ran here, with what it printed; empty if none ran
    score: float = 0.0
    named: bool = False  # the question names it


class ModelExample(Model):
    """What a configured language model says to a question, beside the passages it leans on.

    `text` is the model's and was not checked; `code` was run here, and `output` is what it printed.
    """

    model: str
    text: str
    code: str = ""  # empty: none, or it did not run to its end
    output: str = ""
    sources: tuple[str, ...] = ()  # titles of the passages


class Source(Model):
    """A source that the answer uses or considered."""

    id: str
    title: str
    url: str | None
    score: float
    proof: Proof | None


class Near(Model):
    """An article whose words are near to a question that nothing is known to answer."""

    article: str
    says: str  # its title and why; of one that names a mistake only what holds for all code
    url: str | None


class Evidence(Model):
    """Versions, device, durations and memory of the runs."""

    torch: str
    python: str
    device: str
    isolation: str
    seconds_before: float | None
    seconds_after: float | None
    peak_memory_bytes: int


class Timings(Model):
    """Milliseconds, wall clock."""

    parse: float = 0
    run: float = 0
    search: float = 0
    fix: float = 0
    total: float = 0
    stages: dict[str, float] = {}  # of each stage of the pipeline, by its name


Status = Literal["fixed", "reproduced", "runs", "advice", "unsure", "not_run"]


class PostedLine(Model):
    """A posted line that an error comes from or may come from.

    Its number is that of the traceback's file where `file` is given, else that of the posted code.
    """

    line: int | None
    code: str
    file: str = ""
    says: str = ""  # why it is shown


class PostedReading(Model):
    """What the words and numbers of a posted error say by themselves: nothing of it was run."""

    type: str
    message: str  # its first line
    family: str = ""  # its id in the catalogue of errors; empty where that does not know it
    means: str = ""  # in plain words, with its own numbers; empty where they are not known
    causes: str = ""  # what it may come from, where the message leaves several
    now: str = ""  # how torch words it today, where the posted wording is of an older version
    raised_at: tuple[PostedLine, ...] = ()  # where the traceback ends, and what made that layer
    fitting: tuple[PostedLine, ...] = ()  # posted lines that the message's values point to
    remedy: str = ""
    has_own_remedy: bool = False  # whether it was chosen by the message's values
    is_of_the_post: bool = False  # whether lines, versions or words of the post chose what is said


class Reply(Model):
    """Said instead of a diagnosis, where nothing was asked that needs one."""

    text: str
    offers_prompts: bool = False  # with questions that one click asks


class Answer(Model):
    """Everything the bot has to say, independent of the platform."""

    status: Status
    headline: str
    error: AnswerError | None = None
    explanation: str | None = None  # of the error, from live values of the run
    posted: PostedReading | None = None  # of the posted error, where no run raised it
    remarks: tuple[Remark, ...] = ()  # code that does not do what it looks like, by its text alone
    needed: str = ""  # why it was not run, and what to post so that it can be: said last
    remedy: str = ""  # what helps against errors of its family; it was not tried on this code
    culprit: AnswerCulprit | None = None
    findings: tuple[Finding, ...] = ()
    assumptions: tuple[str, ...] = ()
    why: Why | None = None
    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()  # candidates that were run and failed a check
    problems: tuple[str, ...] = ()  # codemods that raised on this snippet, and what
    sources: tuple[Source, ...] = ()
    near: tuple[Near, ...] = ()  # where nothing else is known; none was held against the question
    functions: tuple[FunctionShown, ...] = ()  # of a how-to question, the best first
    model_example: ModelExample | None = None  # what that model says, where one is configured
    run: JobResult | None = None
    evidence: Evidence | None = None
    timings_ms: Timings = Timings()
    not_rebuilt: str = ""  # why no run raised the posted error: a kind of docs/rebuilding.md
    reply: Reply | None = None  # all that is said, in a chat: the welcome, the answer to "why?"
    code: str = ""  # in a chat: the program that this is about, for follow-ups
    asked_before: str = ""  # the address of a solved question like this one, in the same channel


class RunWith(Model):
    """The options of "run again": device, seed, fresh interpreter."""

    device: Literal["cpu", "cuda"] | None = None  # None: as the snippet needs it
    seed: int | None = 0
    cold: bool = False


class Origin(Model):
    """Where a question was asked, for who decides what may leave the house."""

    platform: str = "console"
    channel: str = ""
    private: bool = False  # only the asker sees the answer


class Progress(Model):
    """A step that has just begun, as a text for the person who waits."""

    step: Literal["reading", "reproducing", "searching", "fixing", "checking", "proposing"]
    text: str
