"""The catalogue as a page for people: docs/errors.md."""

from __future__ import annotations

import importlib
import pkgutil

from executor.errors import families as folder
from executor.errors.family import PROLOGUE, ErrorFamily

_HEAD = f"""\
# Error families

Every error that PyTorch (or Python, in a PyTorch program) raises is sorted into a family: one kind
of error, with one id that is never renamed. The catalogue is `executor/errors/`; it is the only
place that knows the wording of an error. A run reports the family of its error
(`error.family` and `caught[].family` in a JobResult, `error.family` in an Answer), and
explanations, codemods, the audit and the reading of posted tracebacks ask for it.

    >>> from executor.errors import family_of
    >>> seen = family_of("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    >>> seen.id, seen["inner_left"], seen["inner_right"]
    ('matmul_shapes', '3', '4')

This page is printed by `python -m executor.errors`; a test holds it up to date.

## Add a family

Write an `ErrorFamily(…)` into the module of its group in `executor/errors/families/`, or a new
module with a tuple `FAMILIES`: it is found by looking in the folder. It needs

- an `id` that says what is wrong in the code, and one sentence (`says`);
- the exception `types` that carry it;
- patterns of `today`'s wording, and of `older` ones where a version said it otherwise: they are
  searched in the message alone. Bound every quantifier (`{{0,80}}`) or make it match in only one
  way (`[\\d, ]*`): messages are a stranger's input;
- `values`: what each named group means;
- `means` and `remedy`: sentences for an error that no run reached, with the message's values in
  braces (`"in_features={{inner_right}}"`). Of several the first is said whose values the message
  names; a `Sentence` holds only where values match patterns, and `derive` computes further ones.
  Each has to be true of every error of the family: say what the message proves. A cause of
  several stands behind ` | ` in `means`, and is told as a usual one. What the post shows beside
  its message chooses (`Around`): its words, lines, versions, and shapes by `look_around`. An order
  without a condition is told as "What often helps", unless the family `decides`: its message
  alone says what is to be done. What the post has tried, or has already, is left out (`tried.py`);
- `suspects`: the code that it may come from, such as a `Linear` with that size, and `now`: how
  today's torch words an older message;
- a `sample` that raises it on the installed torch, without the imports that all samples share.
  Where no test can raise it, `needs` says what it would take, and `examples` hold real messages;
- `breadth`, only for a family that gathers what others leave over: it is asked after all that are
  narrower. Each such family has a breadth of its own.

The imports of every sample:

    {PROLOGUE.strip().replace(chr(10), chr(10) + "    ")}

`tests/executor/errors/` raises every sample, reads every example, and fails where two families
claim one message and neither is broader. After an upgrade of torch it names what is worded anew.

## The families
"""


def markdown() -> str:
    """The whole page."""
    parts = [_HEAD]
    for module in sorted(m.name for m in pkgutil.iter_modules(folder.__path__)):
        loaded = importlib.import_module(f"{folder.__name__}.{module}")
        parts.append(f"### {module}\n\n{(loaded.__doc__ or '').splitlines()[0]}\n")
        parts.append("| id | what happened | raised by |\n| --- | --- | --- |")
        parts += [_row(family) for family in loaded.FAMILIES]
        parts.append("")
    return "\n".join(parts)


def _row(family: ErrorFamily) -> str:
    return f"| `{family.id}` | {family.says} | {_example(family)} |"


def _example(family: ErrorFamily) -> str:
    if family.sample:
        last = [s for line in family.sample.splitlines() if (s := line.strip()) != "pass"][-1]
        where = " (on a GPU)" if family.device == "cuda" else ""
        return f"`{last}`{where}".replace("|", "\\|")
    message = family.examples[0].splitlines()[0]
    short = message if len(message) <= 90 else f"{message[:89]}…"
    return f"“{short}”".replace("|", "\\|")
