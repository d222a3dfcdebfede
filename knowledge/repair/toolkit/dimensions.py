"""What a snippet says of its dimensions: which one counts the samples, which one the time."""

import ast
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from knowledge.repair.toolkit.comments import commented
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import assignment

BATCH, TIME = "batch", "time"
_WORDS = (
    (BATCH, re.compile(r"batch|\bbs\b|\bsamples?\b|\bn_samples\b|^\W*[BN]\W*$", re.IGNORECASE)),
    (TIME, re.compile(r"seq|time|\bsteps?\b|length|_len\b|\blen\b|^\W*[TL]\W*$", re.IGNORECASE)),
)
_GROUP = re.compile(r"[(\[]([^()\[\]]*,[^()\[\]]*)[)\]]")
_LIST = re.compile(r"^\W*(\w[\w ]*(?:,\s*\w[\w ]*){1,3})\W*$")


def first_of(program: Program, tensor: cst.BaseExpression, shape: Sequence[int]) -> str:
    """What dimension 0 of a tensor with samples and time counts, as the code says; else empty.

    It may be said by the names that the tensor is made with, by a comment that lists its
    dimensions, or by a number beside its word ("batch of 3").
    """
    found = {
        *_by_names(program, tensor),
        *(_kind_of_first(group) for group in _listed(program)),
        *(_by_number(text, shape) for text in _texts(program)),
    } - {""}
    return found.pop() if len(found) == 1 else ""


def counted_by(program: Program, call: cst.Call) -> str:
    """The batch, where a state counts its samples by a name of it, or by the input's first size.

    Args:
        call: of a recurrent layer, with its input and the state that it starts from.
    """
    given = re.escape(program.text(call.args[0].value))
    for name in program.inside(call.args[1], cst.Name):
        made = assignment(program, name.value, call)
        text = program.text(made.value) if made is not None else ""
        if re.search(rf"\b{given}\.(size\(0\)|shape\[0\])|\bbatch_?\w*|\bbs\b", text):
            return BATCH
    return ""


def read_by_step(program: Program, call: cst.Call) -> str:
    """What the last step is read from: `out[:, -1]` has the samples first, `out[-1]` the time."""
    for made in program.all(cst.Assign):
        target = made.targets[0].target
        if made.value is call and isinstance(target, cst.Tuple):
            name = re.escape(program.text(target.elements[0].value))
            read = set(re.findall(rf"\b{name}\[(:, ?)?-1\b", program.module.code))
            if len(read) == 1:
                return BATCH if min(read) else TIME
    return ""


def _by_names(program: Program, tensor: cst.BaseExpression) -> Iterator[str]:
    """`torch.randn(batch_size, seq_len, 4)`: the first name says it."""
    made = assignment(program, program.text(tensor), tensor)
    call = made.value if made is not None else None
    while isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
        sizes = [program.text(a.value) for a in call.args if a.keyword is None]
        if len(sizes) > 1:
            yield _kind_of_first(sizes)
            return
        call = call.func.value


def _listed(program: Program) -> Iterator[list[str]]:
    """The lists of dimensions in comments and docstrings: `(batch, time, features)`."""
    for text in _texts(program):
        whole = _LIST.match(text)
        groups = [*_GROUP.findall(text), *([whole[1]] if whole is not None else [])]
        yield from (group.split(",") for group in groups)


def _kind_of_first(sizes: Sequence[str]) -> str:
    """What the first of several sizes is, where the second is the other; else empty."""
    kinds = [kind_of(size) for size in sizes[:2]]
    return kinds[0] if set(kinds) == {BATCH, TIME} else ""


def kind_of(name: str) -> str:
    """Whether a name or a word is one of the batch or of the time; empty if of neither, or both."""
    found = [kind for kind, word in _WORDS if word.search(name)]
    return found[0] if len(found) == 1 else ""


def _by_number(text: str, shape: Sequence[int]) -> str:
    """`batch of 3`, `batch_size = 3`, `3 samples`, `sequence length 9`, where one of both is 3."""
    if shape[0] == shape[1]:
        return ""
    for kind, words in ((BATCH, r"batch(?:[ _]size)?|samples?"),
                        (TIME, r"seq\w*(?:[ _]len\w*)?|time[ _]?steps?|length")):  # fmt: skip
        other = TIME if kind == BATCH else BATCH
        after = re.findall(rf"(?i)\b(?:{words})\s*(?:is|of|=|:)?\s*(\d+)\b", text)
        before = re.findall(rf"(?i)\b(\d+)[ -](?:{words})\b", text)
        numbers = {int(n) for n in (*after, *before)} & set(shape[:2])
        if len(numbers) == 1:
            return kind if numbers == {shape[0]} else other
    return ""


def _texts(program: Program) -> Iterator[str]:
    """Comments and docstrings, and what is assigned to a name: `batch_size = 3`."""
    code = program.module.code
    yield from commented(code).values()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield from (ast.get_docstring(node) or "").splitlines()
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            yield ast.unparse(node)
