"""Choose the one question whose answer would help most, where nothing is known.

Each is made of parts, and a part is asked only where the post does not hold its answer: "how long
does one step take?" is not asked of one who measured. Where every part is answered, the code is
asked for, and where that was posted too, nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.models import Question
from bot.words import listed
from knowledge.search.search import in_another_script

_LINES = "Which lines lead to it, and what does the whole traceback say?"
_TRACEBACK = "What does the whole traceback say?"
_VALUES = (
    "What makes the values of that line, and what are they (type, shape, dtype), printed right "
    "before it?"
)
_IN_ENGLISH = (
    "I can read the code and the errors of any post, and prose in English alone: ask it in "
    "English, or post the code and the last line of the error."
)
_CODE = "What is the shortest code that shows it? It would be run here."
_ANY = "What do you see when it runs, and what should it do instead?"
_ABOUT_WHICH = "Which lines of your code is it about, and what do you expect them to do?"
_BRIEF = 30  # words; who writes more has mostly said what is seen, and what is wanted
_LONGEST = 6_000  # characters of a post that are looked at: each of these is gone through once

_SHAPE = re.compile(
    r"[\[(](?=[^\])\n]{0,40}\d) ?\w{1,20}(?:, ?\w{1,20}){1,6},? ?[\])]|\b\d{1,6} ?[x×] ?\d{1,6}\b"
)
_LOSS = re.compile(r"\bloss(?:es)?\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d\.\d")
_BYTES = re.compile(r"\b\d[\d.,]{0,12} ?(?:[KMGT]i?B?|bytes)\b", re.IGNORECASE)
_SECONDS = re.compile(
    r"(?<![\w.])\d[\d.,]{0,12} ?(?:[munμ]?s|secs?|seconds?|mins?|minutes?|hours?|h|fps|it/s|s/it)\b"
    r"|\btimings?\b",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"\b(?:gpus?|cuda|cpus?|mps|tpus?|xeon|tesla|colab|m[1-4]|[gr]tx ?\d*"
    r"|[aphvtlk]\d{1,4})\b",
    re.IGNORECASE,
)
_STANDS_AT = re.compile(r"`[^`\n]+`|\w\(\)|\bline \d|\bpy-spy\b")
_PROCESSES = re.compile(
    r"\b(?:num_workers|workers?|ranks?|processes|gpus?|nodes?|cards?)\b", re.IGNORECASE
)
_SEEN_TRACEBACK = re.compile(r'\bFile "[^"\n]+", line \d|\bTraceback \(most', re.IGNORECASE)
_SHOWN = "```"  # a block with what was printed
# Errors of a network, a file or an installation: of no value's type and shape.
_OF_NO_VALUES = re.compile(
    r"\A(?:ImportError|ModuleNotFoundError|OSError|ConnectionError|PermissionError|URLError"
    r"|HTTPError|FileNotFoundError|Dist\w+):|\b(?:sockets?|connect\w*|addresses|permission|driver"
    r"|DLL|NCCL|gloo|hostname|download\w*)\b",
    re.IGNORECASE,
)
# What was started is posted, and no line of code matters.
_COMMAND = re.compile(
    r"^[ \t>$#%]{0,8}(?:[A-Z_]{2,40}=\S{1,80} ){0,5}(?:torchrun|python3?|accelerate|deepspeed"
    r"|mpirun|srun|docker|pip3?|conda|uv) \S",
    re.MULTILINE,
)
# An error that was raised, and not one that is measured.
_RAISED = re.compile(
    r"[a-z](?:Error|Exception)\b"
    r"|\b(?:exceptions?|traceback|crash\w*|throws?|thrown|raises?|fails)\b"
    r"|\b(?:an?|the|this|that|these|following|same|different|another|such|any|some|no(?=t )) "
    r"(?:\w+ )?errors?\b(?! (?:rate|bars?|of \d|is \d))|\berror (?:messages?|codes?)\b"
    r"|\berrors? (?:when|while|in|on|at|from|occurs?)\b",
)
_MEASURED = re.compile(
    r"\b(?:train\w*|test\w*|valid\w*|reconstruction|prediction|squared|absolute|relative|mean"
    r"|rounding|numerical|generali[sz]ation|classification|approximation|maximum|max|l[12])"
    r" errors?\b|\berrors? (?:is|gets?|goes|grows?|stays?|rises?|falls?|drops?) "
    r"|\b(?:no|without (?:an? |any )?) ?(?:errors?|exceptions?|warnings?)\b",
    re.IGNORECASE,
)
# What is installed, or the machine: no code shows that.
_OF_THE_PLACE = re.compile(
    r"\b(?:pip3?|conda|wheel|drivers?|docker|kubernetes|k8s|install\w*|reinstall\w*|build from"
    r"|compile[dr]?|laptop|buy|recommend\w*|nvidia-smi|systemd|sudo|dockerfile|pods?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Told:
    """What a post holds."""

    text: str  # the words around its code, and what else it shows
    code: bool

    def loss(self) -> bool:
        """Three numbers behind the word."""
        found = _LOSS.search(self.text)
        return found is not None and len(_NUMBER.findall(self.text, found.end())) > 2

    def shapes(self) -> bool:
        return len(_SHAPE.findall(self.text)) > 1

    def seconds(self) -> bool:
        return _SECONDS.search(self.text) is not None

    def device(self) -> bool:
        return _DEVICE.search(self.text) is not None

    def memory(self) -> bool:
        return len(_BYTES.findall(self.text)) > 1

    def stands_at(self) -> bool:
        return _STANDS_AT.search(self.text) is not None

    def processes(self) -> bool:
        return _PROCESSES.search(self.text) is not None

    def its_code(self) -> bool:
        return self.code


# A pretrained model, and no word of training: there is no loss and no optimizer to ask for.
_NOT_OF_ONE_THAT_IS_ONLY_EVALUATED = (
    r"(?s)\A(?!(?=.{0,6000}\bpre-?trained\b)(?!.{0,6000}(?:(?<!pre-)\btrain(?:s|ed|ing)?\b"
    r"|\bfine-?tun|\bepochs?\b))).{0,6000}?"
)
Answered = Callable[[_Told], bool]

# Words of a question → the parts of what is asked back, each with what answers it.
_ASKED: tuple[tuple[re.Pattern[str], tuple[tuple[str, Answered], ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), parts)
    for pattern, parts in (
        (
            # `#include <memory>` tells of none, and what a large batch takes does not grow.
            r"(?<!<)\b(?:memory|RAM)\b[^.?!]{0,60}\b(?:gr[eo]w\w*|leak\w*|increas\w*|ris(?:es|ing)"
            r"|go(?:es)? up|climb\w*|fill\w*)\b|\bleak\w*\b[^.?!]{0,40}\bmemory\b",
            (
                (
                    "at which line does the memory grow, and does it grow with each step",
                    _Told.memory,
                ),
            ),
        ),
        (
            r"\b(?:hangs?|hanging|hung|stuck|deadlock\w*|never (?:ends|finishes|returns))\b",
            (
                (
                    "which line is it at when it stands still (`py-spy dump --pid …` shows it)",
                    _Told.stands_at,
                ),
                ("how many processes, workers and GPUs take part", _Told.processes),
            ),
        ),
        (
            _NOT_OF_ONE_THAT_IS_ONLY_EVALUATED
            + r"(?:\b(?:loss|accuracy|converg\w*|over-?fit\w*|under-?fit\w*)\b"
            r"|(?:\bnot|n't|\bnever|\bstops?) (?:learn|train))",
            (
                ("what does the loss do over the first steps", _Told.loss),
                ("how are the loss, its target and the optimizer made", _Told.its_code),
            ),
        ),
        (
            r"\b(?:slow(?:er|ly|s)?|bottleneck|takes? (?:too |so |very )?long|speed(?:s|ed)? up)\b",
            (
                ("how long does one step take", _Told.seconds),
                ("on which device does it run", _Told.device),
                ("what does the loop around it look like", _Told.its_code),
            ),
        ),
        (
            r"\b(?:shapes?|dim(?:ension)?s?|dtypes?)\b",
            (
                (
                    "what goes in (shapes and dtypes), and what should come out of it",
                    _Told.shapes,
                ),
            ),
        ),
    )
)


def ask_back(question: Question) -> str:
    """A question about what they ask, from the words of theirs, and for nothing that they gave.

    Empty where nothing is left to ask.
    """
    text = question.text[:_LONGEST]
    told = _Told(text, bool(question.code.strip()))
    if (pasted := question.traceback) is not None:
        if any(frame.line and frame.code for frame in pasted.frames):
            return "" if _OF_NO_VALUES.search(f"{pasted.type}: {pasted.message}") else _VALUES
        if _OF_NO_VALUES.search(f"{pasted.type}: {pasted.message}") and _COMMAND.search(text):
            return ""
        if _SEEN_TRACEBACK.search(text) is None:
            return _TRACEBACK if told.code else _LINES
    if in_another_script(question.text):
        return _IN_ENGLISH
    shows_it = _SEEN_TRACEBACK.search(text) is not None or _SHOWN in text
    if not shows_it and _RAISED.search(_MEASURED.sub(" ", text)):
        return _TRACEBACK if told.code else _LINES
    for words, parts in _ASKED:
        if words.search(text) is None:
            continue
        left = [part for part, is_answered in parts if not is_answered(told)]
        if left:
            return f"{listed(left)[:1].upper()}{listed(left)[1:]}?"
    return _the_rest(text, told)


def _the_rest(text: str, told: _Told) -> str:
    """What is asked where no words ask for more: the code, what is seen, or nothing."""
    if len(text.split()) < _BRIEF:
        return _ABOUT_WHICH if "?" in text and not told.code else _ANY
    return "" if told.code or _OF_THE_PLACE.search(text) else _CODE
