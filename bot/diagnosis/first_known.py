"""Choose what an answer says first, where no run shows the error that was asked about.

One list decides, best first, whether the code could not be run or there is none:

    posted    what the posted error means, by its own words and numbers
    asked     an article whose answer follows from what the words ask: of code that shows something
              wrong only where they ask for a way
    code      what the text of the code, or the posted losses, show by themselves
    related   a function or an article that is near to the question
    look      what to look at first, or what is right in many programs
    near      an article that is near to a question of understanding, called no more than that
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.how_to import asks_beside_code, asks_for_a_way
from bot.diagnosis.wording import no_error, searched, unrun
from bot.models import PostedReading
from executor.protocol import Remark

Kind = Literal["posted", "asked", "code", "related", "look", "near"]

# Kinds of remarks → the families of errors that such code raises.
_DEVICES = frozenset(
    {"devices_differ", "layer_devices", "argument_devices", "index_argument_device", "rnn_devices"}
)
# Of a value that was laid out, moved or converted under another name, or under none.
_AS_IT_WAS = frozenset(
    {"matmul_shapes", "broadcast_sizes", "devices_differ", "layer_devices", "cat_sizes"}
    | {"conv_channels", "conv_dimensions", "loss_sizes", "loss_batch_sizes", "layer_dtypes"}
)
_RAISED_BY: Mapping[str, frozenset[str]] = {
    "unregistered": _DEVICES | {"no_parameters", "not_callable"},
    "embedding_of_vectors": frozenset({"embedding_dtype", "argument_type"}),
    "graph_in_backward": frozenset({"no_graph", "unused_input", "backward_returns"}),
    "not_an_attribute": frozenset({"no_parameters"}),
    "not_a_buffer": _DEVICES,
    "made_in_forward": _DEVICES,
    "graph_kept": frozenset({"cuda_out_of_memory", "memory"}),
    "result_unused": _AS_IT_WAS,
    "never_used": _AS_IT_WAS,
    "layers_as_rows": frozenset({"broadcast_sizes", "loss_sizes", "loss_batch_sizes"}),
    "unflattened": frozenset({"matmul_shapes", "not_a_matrix", "matvec_sizes"}),
    "sizes_clash": frozenset({"matmul_shapes", "conv_channels", "batchnorm_features"}),
    "lost_by_loading": frozenset(
        {"none_attribute", "object_attribute", "not_callable", "plain_attribute"}
    ),
    "returns_nothing": frozenset({"none_attribute", "not_callable"}),
    "layer_not_called": frozenset({"argument_type", "object_attribute", "operand_types"}),
    "only_made": frozenset({"missing_arguments", "argument_type", "tensor_truth"}),
    "method_hidden": frozenset({"not_callable"}),
    "misnamed_init": frozenset(
        {"no_parameters", "takes_no_arguments", "too_many_arguments", "takes_exactly"}
        | {"object_attribute", "module_never_set_up", "unexpected_keyword"}
    ),
}


@dataclass(frozen=True)
class Said:
    """The headline, and what it is about."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class _Shown:
    """All that may be said first."""

    known: Diagnosis
    reading: PostedReading | None
    remarks: tuple[Remark, ...]


def first_known(
    known: Diagnosis, reading: PostedReading | None, remarks: tuple[Remark, ...]
) -> Said | None:
    """The best that is known; None if nothing is.

    Args:
        known: the diagnosis after all stages but the last.
        reading: what the posted error means.
        remarks: what the text shows by itself, the most telling first.
    """
    shown = _Shown(known, reading, remarks)
    for kind, tell in _BEST_FIRST:
        if text := tell(shown):
            return Said(kind, text)
    return None


def _posted(shown: _Shown) -> str:
    """What the posted error means, and the line of the code that raises such an error."""
    reading = shown.reading
    if reading is None or not reading.means:
        return ""
    cause = raising(shown.remarks, reading.family)
    told = unrun.means(reading)
    why = shown.known.why
    # That None has no attribute says little, and a message that was cut off nothing.
    if why is not None and why.asked and reading.family in ("", "none_attribute", "none"):
        told = f"{searched.asked(why)} {told}"
    return f"{told} {no_error.remark(cause)}" if cause is not None else told


def raising(remarks: Iterable[Remark], family: str) -> Remark | None:
    """The first remark on a line that raises errors of a family."""
    return next((r for r in remarks if family in _RAISED_BY.get(r.kind, ())), None)


def _asked(shown: _Shown) -> str:
    """The article that the words ask for; not before what the code shows of something wrong."""
    why = shown.known.why
    if _code(shown) and not asks_for_a_way(shown.known.question.text):
        return ""
    return searched.asked(why) if why is not None and why.asked else ""


def _code(shown: _Shown) -> str:
    first = next(iter(shown.remarks), None)
    return no_error.remark(first) if first is not None and not first.aside else ""


def _related(shown: _Shown) -> str:
    known = shown.known
    if known.run is not None and not asks_beside_code(known.question, known.missing):
        return ""
    if known.functions:
        return searched.function(known.functions)
    why = known.why
    if why is None:
        return ""
    knows = any(h.source == why.article and h.evidence.error for h in known.found.hits)
    return why.title if knows else searched.resembling(why)


def _look(shown: _Shown) -> str:
    return no_error.remark(shown.remarks[0]) if shown.remarks else ""


def _near(shown: _Shown) -> str:
    nearest = next(iter(shown.known.near), None)
    return searched.nearest(nearest) if nearest is not None else ""


_BEST_FIRST: tuple[tuple[Kind, Callable[[_Shown], str]], ...] = (
    ("posted", _posted),
    ("asked", _asked),
    ("code", _code),
    ("related", _related),
    ("look", _look),
    ("near", _near),
)
