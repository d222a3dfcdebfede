"""Look in the installed torch for a name or a keyword that a posted error misses.

A name that is here and not there came with a newer torch; one that is missing here too is brought
by no upgrade; and a function says itself which arguments it has. The lookup is a run in the jail:
the names are a stranger's.
"""

from __future__ import annotations

import json
import re

from bot.diagnosis.own_error import posted
from bot.models import Question
from bot.words import listed
from executor.errors import SeenError, read
from executor.protocol import Job, Outcome, Probe
from executor.service.client import ExecutorClient

_NAMES = ("module_attribute", "import_name", "module_not_installed")
_OF_A_BUILD = re.compile(r"\._C\b|\.cuda\b|cuda|nccl")  # that a build for the CPU alone lacks
_MOST = 12  # arguments that are listed
_LOOK = """\
import importlib, importlib.util, inspect, json
path, called = {path!r}, {called!r}
def found(path):
    parts = path.split(".")
    for n in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:n]))
        except ImportError as e:
            if n > 1 and not (e.name or "torch").startswith("torch"):
                return True, None  # it is there, and wants what is not installed here
            continue
        try:
            for part in parts[n:]:
                thing = getattr(thing, part)
            return True, thing
        except AttributeError:
            return False, None
    return False, None
arguments = None
for home in ("nn", "nn.functional", "optim", "optim.lr_scheduler", "utils.data", "distributed", ""):
    is_there, thing = found(".".join(p for p in ("torch", home, called) if p)) if called else (0, 0)
    if is_there:
        try:
            kinds = inspect.signature(thing).parameters.values()
        except (TypeError, ValueError):
            break
        arguments = [p.name for p in kinds if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        break
home, _, name = path.rpartition(".")
near = [n for n in dir(found(home)[1]) if n.lower() == name.lower()] if path else []
print(json.dumps([found(path)[0] if path else False, arguments, (near or [""])[0]]))
"""


async def told_here(executor: ExecutorClient, question: Question) -> str:
    """What the installed torch has of what the posted error misses; empty if it says nothing.

    Raises:
        ExecutorError: the executor is gone.
    """
    pasted = posted(question)
    if pasted is None:
        return ""
    path, called = "", ""
    if (seen := read(pasted, *_NAMES)) is not None:
        path = ".".join(p for p in (seen["module"], seen["name"]) if p)
    elif (seen := read(pasted, "unexpected_keyword")) is not None:
        called = seen["function"].removesuffix(".__init__")
    if not path.startswith("torch.") and not re.fullmatch(r"[A-Za-z]\w+", called):
        return ""
    if called and re.search(rf"\b(?:class|def)\s+{called}\b", question.code):
        return ""
    code = _LOOK.format(path=path, called=called)
    result = await executor.run(Job(code=code, wall_s=5, probes=(Probe.NONE,)))
    try:
        has, arguments, near = (
            json.loads(result.stdout) if result.outcome is Outcome.OK else (False, None, "")
        )
    except ValueError:
        return ""
    version = result.env.torch.partition("+")[0]
    assert seen is not None
    if path and result.outcome is not Outcome.OK:
        return ""
    return _keyword(seen, called, arguments or [], version) or _name(
        path, has, near, version, question
    )


def _keyword(seen: SeenError, called: str, arguments: list[str], version: str) -> str:
    if not arguments:
        return ""
    if seen["keyword"] in arguments:
        return f"The torch here, {version}, has that argument: another one raised this"
    shown = [f"`{name}`" for name in arguments[:_MOST]]
    more = [*shown, "others"] if len(arguments) > _MOST else shown
    return f"`{called}` of torch {version} takes {listed(more)}"


def _name(path: str, has: bool, near: str, version: str, question: Question) -> str:
    if not path or (not has and _OF_A_BUILD.search(path)):
        return ""
    if not has and near:
        spelt = f"{path.rpartition('.')[0]}.{near}"
        return f"The torch here, {version}, has no `{path}` either, and has `{spelt}`"
    if not has:
        return (
            f"The torch here, {version}, has no `{path}` either: it was taken out, or never was "
            "PyTorch's own, so an upgrade brings none"
        )
    theirs = question.versions.get("torch", "")
    if theirs.startswith(version):
        return f"The torch here, {version} too, has `{path}`: what is imported there is another one"
    yours = f"yours is {theirs}" if theirs else "see which one is imported: `torch.__version__`"
    return f"The torch here, {version}, has `{path}`: another one raised this; {yours}"
