"""Sort what ended a run, or was caught in it, into a dozen families: the chart's rows."""

from __future__ import annotations

import re

NONE = "no error"
OTHER = "another error"

# Asked from top to bottom, of "Type: message".
_FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("in-place and autograd", r"inplace operation|in-place operation|a leaf Variable"),
        (
            "backward without a graph",
            r"does not require grad|backward through the graph|implicitly created|saved tensors",
        ),
        (
            "device",
            r"same device|CUDA|cuda|NVIDIA|Input type \(|device type",
        ),
        (
            "shapes",
            r"shapes? |size|dimension|broadcast|must match|batch1|mat1|channels|expanded"
            r"|stack expect|view |Dimension|input_size|elements",
        ),
        ("dtype", r"dtype|scalar type|not implemented for '|data type|can't convert|Float but"),
        ("index out of range", r"^IndexError|out of range|out of bounds"),
        ("state_dict", r"state_dict"),
        ("module that is not there", r"^(?:ModuleNotFound|Import)Error"),
        ("name that is not defined", r"^(?:Name|UnboundLocal)Error"),
        ("file or network", r"^(?:FileNotFound|OS|URL|Connection|HTTP)\w*Error|connect"),
        ("attribute", r"^AttributeError"),
        ("arguments and types", r"^TypeError"),
        ("syntax", r"^(?:Syntax|Indentation|Tab)Error"),
    )
)


def family(type: str, message: str) -> str:
    """The family of an exception."""
    whole = f"{type}: {message}"
    return next((name for name, pattern in _FAMILIES if pattern.search(whole)), OTHER)
