"""What an error is roughly about, also where its family is not known: for charts and for order."""

from __future__ import annotations

import re

OTHER = "another error"

# Asked from top to bottom, of "Type: message".
_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
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
        ("index out of range", r"^IndexError|out of range|out of (?:DATA )?bounds"),
        ("state_dict", r"state_dict"),
        ("module that is not there", r"^(?:ModuleNotFound|Import)Error"),
        ("name that is not defined", r"^(?:Name|UnboundLocal)Error"),
        ("file or network", r"^(?:FileNotFound|OS|URL|Connection|HTTP)\w*Error|connect"),
        ("attribute", r"^AttributeError"),
        ("arguments and types", r"^TypeError"),
        ("syntax", r"^(?:Syntax|Indentation|Tab)Error"),
    )
)

_DTYPES = re.compile(r"dtype|scalar type|not implemented for '|[Ii]nput type \(")


# What would have been taken in the place of an operand, asked from top to bottom.
_WANTED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("dtype", _DTYPES),
    (
        "number",
        re.compile(
            r"(?i)must be (?:an? )?(?:int|float|number|real)|an integer|unhashable|^tensor\("
        ),
    ),
    (
        "one",
        re.compile(r"(?i)scalar|converted to|only one element|only (?:integer|length-1)"),
    ),
    ("shape", re.compile(r"(?i)shape|size|dim|\b\dD\b|-D\b|matrix|rank|batch|length")),
)
_TENSOR = re.compile(
    r"must be (?:a )?[Tt]ensor|\(Tensor \w+[,)]|expected [Tt]ensor"
    r"|'(?:int|float|bool|list)' object has no attribute"
)


def wanted_of(message: str) -> list[str]:
    """What kind of operand a message wants, of "dtype", "number", "one", "shape" and "tensor".

    wanted_of("Expected 2D input, got 3D")  # ["shape"]
    """
    found = [name for name, pattern in _WANTED if pattern.search(message)]
    return found + ["tensor"] * bool(_TENSOR.search(message))


def topic_of(type: str, message: str) -> str:
    """The topic of an exception, one of a dozen."""
    whole = f"{type}: {message}"
    return next((name for name, pattern in _TOPICS if pattern.search(whole)), OTHER)


def is_about_dtypes(message: str) -> bool:
    """Whether a message speaks of a dtype."""
    return _DTYPES.search(message) is not None
