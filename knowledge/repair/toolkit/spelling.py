"""Whether one name is another one misspelt: other case, a letter too many, two letters swapped."""

import re

_LETTERS = 4  # shorter names are one slip away from too many others
_LONG = 9  # from here on two slips are a misspelling too


def misspelt(written: str, meant: str) -> bool:
    """Whether a name differs from another one as a slip of the pen does.

    `nn.Conv2D` and `DataLaoder` are slips. `fc3` is none for `fc2`, and `nanmax` none for `amax`:
    numbers and words tell names apart.
    """
    a, b = plain(written), plain(meant)
    if written == meant or not a or not b or (a.endswith("_") and not b.endswith("_")):
        return False  # an underscore at the end means "in place": no slip takes it away
    if a == b or _short(a) == _short(b):
        return True
    if min(len(a), len(b)) < _LETTERS or re.findall(r"\d+", a) != re.findall(r"\d+", b):
        return False
    if _named_by_number(a) != _named_by_number(b):
        return False
    if a[0] != b[0] and a[:2] != b[1::-1]:
        return False  # the first letter is right, or changed places with the second
    most = 2 if min(len(a), len(b)) >= _LONG else 1
    return abs(len(a) - len(b)) <= most and slips(a, b) <= most


def _named_by_number(name: str) -> str:
    """`mt5` of `mt5tokenizer`: so few letters before a number are the name of a thing."""
    found = re.match(r"([a-z]{1,3}\d+)[a-z]{3}", name)
    return found[1] if found is not None else ""


# Words that one library writes out and another one shortens.
_SHORTENED = (("pooling", "pool"), ("normalization", "norm"), ("normalisation", "norm"),
              ("gradient", "grad"), ("average", "avg"), ("dimension", "dim"),
              ("learningrate", "lr"), ("regularization", "reg"))  # fmt: skip


def _short(name: str) -> str:
    for whole, short in _SHORTENED:
        name = name.replace(whole, short)
    return name


def undoubled(name: str) -> str:
    """The name with every doubled letter once: `Adamm` is nearer to `Adam` than to `AdamW`."""
    return re.sub(r"([a-z])\1", r"\1", plain(name))


def plain(name: str) -> str:
    """The name in lower case without its inner underscores; one at an end has a meaning."""
    end = "_" if name.endswith("_") else ""
    return name.lower().replace("_", "") + end


def slips(a: str, b: str) -> int:
    """Letters left out, added, replaced or swapped with their neighbour, at the least.

    Source:
        Optimal string alignment distance,
        https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance
    """
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        last, before, row = before, row, [i]
        for j, y in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
