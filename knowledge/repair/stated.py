"""What a snippet's comments say that it prints, or what shape a line makes.

`print(x.shape)  # torch.Size([4, 5])`, `y = f(x)  # (batch, 5)`, `# the result is [4, 5]`.
"""

import re
from collections.abc import Iterator

# At the module's own level: what a function prints, and whether it is called, is another matter.
_PRINTED = re.compile(r"^print\([^#\n]*\)[ \t]*#[ \t]*(.+)$", re.MULTILINE)
_LEAD = re.compile(
    r"(?i)^((expected|correct|the|new|output|result|prints?|shape|value|size|is|of|->|=>|[:=])\s*)*"
)
_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
_VALUE = re.compile(
    rf"(?:tensor\(|torch\.Size\(|[\[(])[-+\d\s.,e()\[\]]*[\])]|(?:{_NUMBER}|True|False|None)(?![\w.])"
)


_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*\S")
_GROUP = re.compile(r"[(\[]\s*(\w[\w ]*(?:,\s*\w[\w ]*)+),?\s*[)\]]")
_OF_A_SHAPE = re.compile(r"(?i)\bshapes?\b|\bsizes?\b|\bbecomes\b|torch\.Size")
_SIZE = re.compile(r"torch\.Size\(\[[\d,\s]*\]\)(?=\W*$)")
# Another tensor's shape, or a sentence of what goes wrong.
_OF_OTHERS = re.compile(
    r"(?i)\b(?:inputs?|expect\w*|needs?|requires?|if|originally|instead|wrong|errors?|mismatch"
    r"|incorrect|should|must|or|e\.g|example|kernel|stride|padding|window)\b"
)


def stated(code: str) -> Iterator[str]:
    """Each shape, tensor or number that a comment beside a `print` says comes out."""
    for comment in _PRINTED.findall(code):
        found = _VALUE.match(_LEAD.sub("", comment)) or _shape_called_so(comment)
        value = _closed(found[0]) if found is not None else ""
        if value:
            yield value


def _shape_called_so(comment: str) -> re.Match[str] | None:
    """`# Shape of the images: torch.Size([2, 3])`: one shape, at the end, that is called so."""
    sizes = list(_SIZE.finditer(comment))
    if len(sizes) != 1 or _OF_OTHERS.search(comment) or not comment[: sizes[0].start()].strip():
        return None
    return sizes[0] if _OF_A_SHAPE.search(comment[: sizes[0].start()]) else None


def stated_shapes(code: str) -> Iterator[str]:
    """Those that are said of a shape: the line prints one, or the comment calls it so."""
    for line in re.findall(r"^print\(.*$", code, re.MULTILINE):
        if re.search(r"\.shape\b|\.size\(|torch\.Size", line):
            yield from (v for v in stated(line) if re.fullmatch(r"\[[\d,]*\]", _plain(v)))


def stated_lists(code: str) -> Iterator[str]:
    """Those of whole numbers alone, in brackets: they are the same on every machine."""
    for comment in _PRINTED.findall(code):
        value = _LEAD.sub("", comment).strip().rstrip(".")
        whole = re.fullmatch(r"(?:tensor\()?\[[-\d\s,\[\]]*\](?:\))?", value)
        several = re.fullmatch(r"\[tensor\([-\d\s,\[\]tensor()]*\]", value)
        if (whole or several) and _closed(value) == value:
            yield value


def prints_as_stated(code: str, stdout: str) -> bool | None:
    """Whether all that the comments say is printed, white space aside; None if they say nothing.

    A shape may be written as a list or a tuple, `[4, 5]`, `(4, 5)` or `torch.Size([4, 5])`.
    """
    said = list(stated(code))
    return all(is_printed(value, stdout) for value in said) if said else None


def is_printed(value: str, stdout: str) -> bool:
    """Whether a value stands in what was printed, in one of the ways to write it."""
    return _plain(value) in _plain(stdout)


def stated_results(code: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines that assign a variable, with the shape that a comment says it has.

    The comment stands beside the line, or right above it, or right below with the variable's name:
    `# y.shape: (batch, 5)`. A shape is a list of numbers and names.
    """
    lines = code.splitlines()
    for n, line in enumerate(lines, start=1):
        assigned = _ASSIGNED.match(line)
        if assigned is None:
            continue
        name = assigned[1]
        beside = line.partition("#")[2]
        above = lines[n - 2].strip() if n > 1 else ""
        below = lines[n].strip() if n < len(lines) else ""
        said = [beside]
        if above.startswith("#") and not re.search(r"\w+\.shape\b", above):
            said.append(above)
        if below.startswith("#") and re.search(rf"\b{name}(?:\.shape|\.size\(\))", below):
            said.append(below)
        for comment in said:
            shape = _shape_in(comment.strip(" #"))
            if shape:
                yield n, shape


def _shape_in(comment: str) -> tuple[str, ...]:
    """The one shape that a comment gives a result; empty if it is about something else."""
    groups = _GROUP.findall(comment)
    after = re.split(r"->|=>|\bbecomes\b|\bto\b", comment)[-1]
    if len(groups) > 1:
        groups = _GROUP.findall(after)
    alone = re.fullmatch(r"(?:torch\.Size)?[(\[]+[^()\[\]]*[)\]]+\W*", comment)
    if len(groups) != 1 or _OF_OTHERS.search(comment):
        return ()
    if alone is None and not _OF_A_SHAPE.search(comment):
        return ()
    return tuple(re.sub(r"\s+", "_", item.strip()) for item in groups[0].split(","))


def contradicts(said: tuple[str, ...], shape: tuple[int, ...], code: str) -> bool:
    """Whether a shape is another one than a comment says.

    A number has to be there; of a name whose value the code gives, another place than its own is
    told ((8, 98) for (time, channels) where `channels = 8`), since a size may be computed.
    """
    if len(said) != len(shape):
        return all(item.isdigit() for item in said)
    if any(item.isdigit() and int(item) != size for item, size in zip(said, shape, strict=True)):
        return True
    known = {
        name: int(value) for name, value in re.findall(r"^\s*(\w+) *= *(\d+)\b", code, re.MULTILINE)
    }
    values = [known.get(item) for item in said]
    if len({v for v in values if v is not None}) < sum(v is not None for v in values):
        return False
    return any(
        v is not None and v != size and v in shape for v, size in zip(values, shape, strict=True)
    )


def _closed(text: str) -> str:
    """The text up to the bracket that closes its first one; empty if none does."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0 and c in ")]":
            return text[: i + 1]
    return "" if depth else text


def _plain(text: str) -> str:
    text = re.sub(r"\s+", "", text)
    text = re.sub(r"torch\.Size\((\[[\d,]*\])\)", r"\1", text)
    return re.sub(r"\((\d+(?:,\d+)*),?\)", r"[\1]", text)
