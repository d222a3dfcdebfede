"""Tell what another draw of random numbers would leave as it is."""

from __future__ import annotations

import re

RANDOM = re.compile(
    r"\brand|[dD]ropout|shuffle|normal_|uniform_|seed|init\.|\btime\.|\.sample\(|empty\(|noise"
    r"|data_ptr|\bid\(|nn\.(?:Linear|Bilinear|Conv|Embedding|LSTM|GRU|RNN|Transformer|Multihead)"
    r"|models\.|load|open\("
)
# What random numbers leave as it is: shapes, dtypes, devices and classes.
FIXED = re.compile(r"torch\.|cpu|cuda|device\(|<class|[\[(]\d+,[\d, ]*[\])]$")


# Numbers that are counted, not drawn, unless what is counted was.
_COUNTED = re.compile(
    r"\s*print\((?:f?[\"'][^\"'{}]*(?:[\"'], *|\{))?(?:len\([\w.]+\)"
    r"|[\w.]+(?:\.(?:dim|numel|element_size)\(\)|\.ndim|\.shape\[-?\d\]|\.size\(-?\d\)))\}?[\"']?\)"
)
_DRAWN = re.compile(
    r"nonzero|unique|where|masked|[<>]|bernoulli|multinomial|choice|sample|random\."
)
_ZEROS = re.compile(r"\D*(?:(?<!\d)0\.0*(?!\d)\D*){2,}")
_MAY_BE_ZERO = re.compile(r"relu|dropout|clamp|randint|bernoulli|round|\bint\b|prune", re.I)


def left_to_chance(printed: str, code: str, printing: str) -> bool:
    """Whether another draw of random numbers may rightly print another value.

    They leave words as they are, `None` and `True` too; and what is said to be all zero.
    """
    if not re.search(r"\d", printed) or not RANDOM.search(code) or FIXED.match(printed):
        return False
    if _COUNTED.match(printing.split("#")[0].rstrip()):
        return _DRAWN.search(code) is not None
    return not _ZEROS.fullmatch(printed) or _MAY_BE_ZERO.search(code) is not None
