"""What stands around a posted message, which decides where the message leaves several causes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_PLACE = r"(?:gpu|cuda|device)\b"
_MOVED = re.compile(
    # "I have already moved the inputs to the GPU", "I put both on cuda"
    r"\b(?:moved|sent|put|pushed|pushing|transferred|placed|copied|moving|sending|putting)\b"
    rf"[^.?!\n]{{0,60}}?\b(?:on|to|onto|into)\b[^.?!\n]{{0,20}}?{_PLACE}"
    # "everything is on the GPU", "cuda:0 is printed for every tensor"
    rf"|\b(?:everything|all|both|every)\b[^.?!\n]{{0,40}}?\b(?:on|to) [^.?!\n]{{0,20}}?{_PLACE}"
    r"|\bcuda(?::\d)? (?:is |was |gets )?(?:printed|shown|reported)\b"
    # "although I call .to(device)", "even after x.cuda()"
    r"|\b(?:although|though|after|already|tried|used|using|use|call|called|add|added)\b"
    r"[^.?!\n]{0,40}?\.(?:to|cuda)\(",
    re.IGNORECASE,
)
# "I have not put anything", "nothing was moved", right before the words of _MOVED
_NOT = re.compile(r"(?i)(?:\b(?:not|never|nothing|none|without)\b|n['’]t\b)[^.?!\n]*\Z")
_BEFORE = 40
_MOVES = re.compile(r"(\w+)(?:\(\))?\s*\.(?:to\(\s*(?:['\"]cuda|\w*dev)|cuda\()", re.IGNORECASE)

# Words or code of two networks that are trained in turns.
IN_TURNS = r"\b(?:net_?[GD]|[gd]_loss|loss_?[GD]|err[GD]|optimizer_?[GD])\b|\bdiscriminator\b"
# What is asked of a tensor (or, of these, `to`, `cuda`, `cpu` and `float` of a module).
OF_A_TENSOR = (
    r"dim|size|shape|dtype|device|to|cuda|cpu|detach|view|backward|numel|float|long|argmax|max|item"
    r"|softmax|log_softmax|squeeze|unsqueeze|reshape|permute|mean|sum|data|numpy|requires_grad"
)
# The function in which DataParallel runs its copies of the model.
REPLICA = r"\bparallel_apply\.py _worker\b"
# The program runs in a container, and nothing says that it was given more shared memory.
IN_A_CONTAINER = (
    r"(?is)\A(?!.{0,20000}(?:shm[-_]size|--ipc)).{0,20000}?"
    r"(?:\bdocker (?:run|container|image|compose)\b"
    r"|(?<!not )\b(?:in|inside|within|using|with|through|my)(?: a| an| the| my)? "
    r"(?:docker|container|kubernetes|k8s|pod)\b)"
)
# Frames of what asks a server for something.
DOWNLOADS = r"\b(?:urllib\w*|request\w*|connectionpool|sessions|adapters|ssl|http\w*|hub)\.py "


@dataclass(frozen=True)
class Around:
    """What a post shows besides the message of its error; each is empty where it does not say.

    Around(words="I use torch 1.9", line="loss = criterion(output, y)", torch="1.9.0")
    """

    words: str = ""  # the prose
    line: str = ""  # the last line of the person's own code that the traceback names
    file: str = ""  # the name of the file that raised it, such as linear.py
    frames: str = ""  # the file and function of each frame of the traceback, a line each
    raised_in: str = ""  # the installed package whose code raised it, unless that is torch
    raising: str = ""  # the line of that package
    above: str = ""  # the whole traceback, with the errors that came before this one
    torch: str = ""  # the version that they name
    runs: bool = False  # whether the code ran here to its end as it was posted

    def values(self, code: str, name: str = "") -> Mapping[str, str]:
        """The same as values for sentences.

        Args:
            code: the lines of the posted code that do something, one below the other.
            name: the name that the message is about; the lines that write it as a text are
                `named`.
        """
        quoted = (f"'{name}'", f'"{name}"')
        named = [ln for ln in code.split("\n") if name and any(q in ln for q in quoted)]
        said = any(
            not _NOT.search(self.words[: found.start()][-_BEFORE:])
            for found in _MOVED.finditer(self.words)
        )
        moved = said or len(set(_MOVES.findall(code))) > 1
        return {
            "words": self.words,
            "line": self.line,
            "file": self.file,
            "frames": self.frames,
            "raised_in": self.raised_in,
            "raising": self.raising,
            "above": self.above,
            "torch": self.torch,
            "runs": "yes" if self.runs else "",
            "moved": "yes" if moved else "",
            "code": code,
            "named": "\n".join(named),
        }


NOTHING = Around()
AROUND = frozenset(NOTHING.values(""))  # the names of these values
# Of these a pattern has to match a part; of every other value the whole.
SEARCHED = frozenset({"words", "line", "frames", "raising", "above", "code", "named"})


def before(version: str) -> str:
    """The pattern of a version that is older than this one.

    before("1.10")  # matches "1.9.0+cu111" and "0.4.1", and neither "1.10.2" nor "2.0"
    """
    major, minor = map(int, version.split("."))
    majors = "|".join(map(str, range(major)))
    minors = "|".join(map(str, range(minor)))
    older = [rf"(?:{majors})\..*"] if majors else []
    older += [rf"{major}\.(?:{minors})(?!\d).*"] if minors else []
    return "|".join(older)
