"""Which runs a codemod or an operator is for: what its module says in constants and in `applies`.

    ERRORS: tuple[str, ...]   # families of errors, of which the run shows one
    TYPES: frozenset[str]     # types of errors, of which the run shows one
    SPEAKS: str               # a pattern that stands in the message of an error of no such family
    CODE: str                 # a pattern that stands in the expression that raised it
    SAYS: dict[str, str]      # patterns of what the error names, which match it from end to end
    LAYERS: str               # a pattern of the types of layer that it may have failed in; of
                              # `""`, that it failed in none
    FINDINGS: frozenset[str]  # kinds of findings, of which the run has one
    def applies(result: JobResult) -> bool  # whatever else decides it

All that a module defines must hold; one of them it has to define.
"""

import re
from collections.abc import Iterable

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult

TWO_DEVICES = (
    "devices_differ", "devices", "layer_devices", "rnn_devices", "index_device",
    "index_argument_device", "argument_devices",
)  # fmt: skip
_ONE_OF = ("ERRORS", "TYPES", "SPEAKS", "FINDINGS", "applies")


def says_when(module: object) -> bool:
    """Whether a module says which runs it is for."""
    return any(hasattr(module, name) for name in _ONE_OF)


def is_for(module: object, result: JobResult, errors: Iterable[ErrorSeen | Caught | None]) -> bool:
    """Whether a run is one that a module is for.

    Args:
        module: the codemod's, or the operator's.
        result: the run.
        errors: those of its errors that the module may be about.
    """
    families, types = getattr(module, "ERRORS", ()), getattr(module, "TYPES", ())
    speaks = getattr(module, "SPEAKS", None)
    if families or types or speaks is not None:
        named = (e for e in errors if e is not None)
        seen = (e for e in named if e.type in types or is_a(e, *families) or _says(e, speaks))
        error = next(seen, None)
        if error is None or not re.search(getattr(module, "CODE", ""), error.code):
            return False
        says, said = getattr(module, "SAYS", {}), read(error, *families)
        if any(said is None or not re.fullmatch(says[name], said[name]) for name in says):
            return False
    layers = getattr(module, "LAYERS", None)
    failed_in = result.layer.type if result.layer is not None else ""
    if layers is not None and re.fullmatch(layers, failed_in) is None:
        return False
    kinds = getattr(module, "FINDINGS", None)
    if kinds is not None and not any(f.kind in kinds for f in result.findings):
        return False
    own = getattr(module, "applies", None)
    return own is None or bool(own(result))


def _says(error: ErrorSeen | Caught, pattern: str | None) -> bool:
    return pattern is not None and re.search(pattern, error.message) is not None
