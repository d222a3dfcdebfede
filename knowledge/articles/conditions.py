"""Decide which parts of an article hold for an error, by what is known of it.

Articles say it in their front matter, by number: of the paragraphs of `Why` under `why_if`, of the
pieces of `Fix` (a paragraph with the code behind it) under `fix_if`:

    why_if:
      1: {family: index_out_of_bounds}
      3: {layer: LSTM|GRU|RNN, swapped: "yes"}
    fix_if:
      2: {not through: reduction.py}

A reason has to be shown: what is not known does not hold. A remedy is left out where what is known
excludes it: of an error that was only pasted, its line and its values are not known.

Each fact has a pattern that one of its values has to match from end to end; with `not` in front
none may. All of a paragraph's facts have to hold. What is not known matches nothing.

| fact | its values |
|---|---|
| `run` | `yes` where a run raised it, nothing where it was only pasted |
| `family` | the families that the error is of |
| a value that the family explains, such as `index` | as the message has it, or derived from it |
| `type`, `message` | the exception's class and text |
| `file` | the file that raised it; `snippet.py` for the person's own code |
| `through` | every file of a library that the error came through |
| `within` | the function of the person's code that it came out of |
| `code` | the expression of the person's code that failed |
| `layer`, `layer_repr` | class and text of the failing layer |
| `input_rank` | number of dimensions of its input |
| `operand`, `operand_type` | names and classes of what the expression takes |
| `rank`, `dtype` | numbers of dimensions and dtypes of the tensors among them |
| `unbatched` | `yes` if a convolution's input has no batch dimension |
| `turned` | `yes` if the sizes that clash are the input's first two, exchanged |
| `explained`, `told` | what kind of explanation the live values gave, and its text |
| `kept`, `changed` | of an in-place error, the code that kept the tensor and that changed it |
| `kept_is_view` | of an in-place error, `yes` if the tensor is a view |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from executor.errors import families_of, values_of
from executor.protocol import SNIPPET, ErrorSeen, JobResult, Layer

Facts = Mapping[str, Collection[str]]

NAMES = (  # the facts of every error; those that its family names come to these
    "run",
    "family",
    "type",
    "message",
    "file",
    "through",
    "within",
    "code",
    "layer",
    "layer_repr",
    "input_rank",
    "operand",
    "rank",
    "dtype",
    "operand_type",
    "unbatched",
    "turned",
    "explained",
    "told",
    "kept",
    "changed",
    "kept_is_view",
)
_FILE = re.compile(r'^\s*File "([^"]{1,400})"', re.MULTILINE)
_NOT = "not "
_CHARS = 1000  # of a stranger's text that a pattern is held against


@dataclass(frozen=True)
class Condition:
    """What has to be known of an error for a paragraph or a piece to be about it."""

    paragraph: int  # of "Why", or piece of "Fix", counted from 1
    wanted: tuple[tuple[str, str], ...]  # fact → pattern

    def holds(self, facts: Facts) -> bool:
        """Whether all that it wants is known of the error."""
        return all(_holds(fact, pattern, facts) for fact, pattern in self.wanted)

    def may_hold(self, facts: Facts) -> bool:
        """Whether nothing that is known of the error excludes it."""
        known = (w for w in self.wanted if w[0].removeprefix(_NOT) in facts)
        return all(_holds(fact, pattern, facts) for fact, pattern in known)


def _holds(fact: str, pattern: str, facts: Facts) -> bool:
    seen = facts.get(fact.removeprefix(_NOT), ())
    matches = any(re.fullmatch(pattern, value[:_CHARS], re.S) for value in seen)
    return not matches if fact.startswith(_NOT) else matches


def facts_of(error: tuple[str, str], run: JobResult | None = None, traceback: str = "") -> Facts:
    """What is known of an error.

    Args:
        error: its type and message.
        run: the run that raised it; None where it was only pasted.
        traceback: the text of the traceback, where there is no run.
    """
    kind, message = error
    seen = ErrorSeen(type=kind, message=message)
    values = values_of(seen)
    facts: dict[str, Collection[str]] = {name: (value,) for name, value in values.items() if value}
    facts |= {"family": [s.id for s in families_of(kind, message)]}
    facts |= {"type": (kind.rpartition(".")[2],), "message": (message,)}
    if run is not None and run.error is not None:
        traceback = run.error.traceback
    files = [re.split(r"[\\/]", path)[-1] for path in _FILE.findall(traceback)]
    if traceback:
        facts |= {"file": files[-1:], "through": [f for f in files if f != SNIPPET]}
    facts["run"] = ("yes",) if run is not None else ()
    if run is not None:
        facts |= {name: tuple(values) for name, values in _of_run(run, values).items()}
    return facts


def _of_run(run: JobResult, values: Mapping[str, str]) -> Mapping[str, Collection[str]]:
    layer, culprit = run.layer, run.autograd
    seen: dict[str, Collection[str]] = {
        "code": [run.error.code] if run.error is not None else [],
        "within": [frame.function for frame in run.frames[-1:]],
        "operand": [o.name for o in run.operands],
        "operand_type": [o.value.type for o in run.operands],
        "rank": [str(len(o.value.shape)) for o in run.operands if o.value.shape is not None],
        "dtype": [o.value.dtype for o in run.operands if o.value.dtype],
        "explained": [run.explanation.family] if run.explanation is not None else [],
        "told": [run.explanation.text] if run.explanation is not None else [],
    }
    if layer is not None:
        seen |= {"layer": [layer.type], "layer_repr": [layer.repr]}
    if layer is not None and layer.input is not None:
        seen |= {"unbatched": _yes(_unbatched(layer)), "turned": _yes(_turned(layer, values))}
        seen |= {"input_rank": [str(len(layer.input))]}
    if culprit is not None:
        seen |= {"kept": [culprit.saved_code or ""], "changed": [culprit.modified_code or ""]}
        is_view = culprit.tensor is not None and culprit.tensor.is_view
        seen["kept_is_view"] = ["yes" if is_view else "no"]
    return seen


def _yes(holds: bool) -> Collection[str]:
    return ("yes",) if holds else ()


def _unbatched(layer: Layer) -> bool:
    """Whether a convolution gets a sample without a batch: channels, and then its directions."""
    convolution = re.fullmatch(r"(?:Lazy)?Conv(?:Transpose)?([123])d", layer.type)
    return (
        convolution is not None
        and layer.input is not None
        and len(layer.input) == int(convolution[1]) + 1
    )


def _turned(layer: Layer, values: Mapping[str, str]) -> bool:
    """Whether what is expected and what is given differ by an exchange of the input's first two."""
    if layer.input is None or len(layer.input) < 2:
        return False
    expected = _numbers(values.get("expected") or values.get("batch", ""))
    given = _numbers(values.get("given", ""))
    first_two = {str(n) for n in layer.input[:2]}
    pairs = list(zip(expected, given, strict=False))
    apart = [{one, other} for one, other in pairs if one != other]
    return len(expected) == len(given) and bool(apart) and all(pair == first_two for pair in apart)


def _numbers(text: str) -> list[str]:
    return [str(int(n)) for n in re.findall(r"\d{1,9}", text)]
