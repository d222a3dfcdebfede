"""A size keeps its name, and a size that a comment, a docstring or the person states is kept.

A comment states one beside a noun ("batch of 3", "10 classes"), or by the order of its names:
`torch.zeros(1, 3, 6)  # (layers, batch, hidden)`, where the code has `batch = 3`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from executor.protocol import JobResult
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comments import OF_A_MISTAKE, OF_AN_ASSUMPTION, about, commented
from knowledge.repair.toolkit.comparison import Replaced, expressions, names, statements, text
from knowledge.repair.toolkit.sites import variables

_NOUNS = (
    r"(classes|categories|labels|channels?|features?|inputs?|outputs?|units|neurons|nodes|hidden"
    r"|heads|layers|dim(ension)?s?|dimensional|filters|words|tokens|embeddings?|time ?steps|frames)"
)
_SAYS_A_SIZE = r"(?:width|dimension|embed_dim|d_model) (?:of |is |= ?)?"
_NOUNS_FIRST = (
    r"(?:batch|hidden|input|output|embedding|sequence|seq|vocab(?:ulary)?|feature|channel|class"
    r"|layer|filter|time)(?:e?s)?"
    r"(?:[ _](?:size|dim\w*|len\w*|features?|channels?|units?|steps?|count))?"
)
# Sentences of an error name sizes too, and not those that are meant.
_OF_AN_ERROR = re.compile(r"(?i)error|traceback|expected|but got|given groups|must match|mat1")


@refusing("sizes", "sizes stay as they are named and stated")
def check(change: Change) -> Iterator[str]:
    """No name gives way to a number on one side, and no stated number to another."""
    for part in change.compared.replaced:
        told = (
            *_unnamed(part, change),
            *_counted(part),
            *_beside(part, change),
            *_stated(part, change),
        )
        for detail in told:
            yield f"line {part.line}: {detail}"


# -- a name that others share ------------------------------------------------------------------


def _unnamed(part: Replaced, change: Change) -> Iterator[str]:
    """`nn.Linear(128, 10)` for `nn.Linear(hidden, 10)`, where others are made with `hidden`."""
    if part.old is None or part.new is None or not _numbers(part.new):
        return
    if not _is_arithmetic(part.old) or not _is_arithmetic(part.new):
        return
    fresh = Counter(_numbers(part.new)) - Counter(_numbers(part.old))
    uses = Counter(n for s in statements(change.compared.new) for n in _reads(s))
    for name in sorted(names(part.old) - names(part.new)):
        if fresh and uses[name] and not _is_other_data(name, change.result):
            yield f"`{text(part.new)}` for `{text(part.old)}`: elsewhere it is still `{name}`"


def _counted(part: Replaced) -> Iterator[str]:
    """`nn.Embedding(4, 8)` for `nn.Embedding(len(words), 8)`: the code counts what it needs."""
    if part.old is None or part.new is None or not _numbers(part.new):
        return
    calls = [n for n in ast.walk(part.old) if isinstance(n, ast.Call)]
    counts = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "len"]
    if counts and _is_arithmetic(part.new) and not names(part.new):
        yield f"`{text(part.new)}` for `{text(part.old)}`, which counts"


def _is_arithmetic(value: ast.expr) -> bool:
    """Whether an expression is of names and numbers alone."""
    allowed = (ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator,
               ast.unaryop, ast.expr_context)  # fmt: skip
    return all(isinstance(n, allowed) for n in ast.walk(value))


def _numbers(value: ast.AST) -> list[int]:
    return [
        n.value
        for n in ast.walk(value)
        if isinstance(n, ast.Constant) and isinstance(n.value, int) and n.value is not True
    ]


def _reads(statement: ast.stmt) -> Iterator[str]:
    for node in expressions(statement):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            yield text(node)


def _is_other_data(name: str, result: JobResult) -> bool:
    """Whether a name is known to be no number."""
    facts = variables(result).get(name)
    return facts is not None and facts.type != "int"


# -- a number that is stated -------------------------------------------------------------------


def _beside(part: Replaced, change: Change) -> Iterator[str]:
    """What the comments about a statement say of the very size that is changed in it."""
    if part.old is None or not _is_arithmetic(part.old) or not part.within:
        return
    statement = next((n for n in part.within if isinstance(n, ast.stmt)), None)
    if statement is None:
        return
    said = about(statement, commented(change.original), change.original)
    if any(OF_A_MISTAKE.search(text) or OF_AN_ASSUMPTION.search(text) for text in said):
        return
    now = set(_numbers(part.new)) if part.new is not None else set()
    for comment in said:
        for number in sorted(set(_numbers(part.old)) - now):
            noun = rf"\b{_NOUNS_FIRST}\s*(?:is|of|=|:|\()?\s*{number}(?!\w|\.\d)"
            if re.search(noun, comment, re.IGNORECASE) and not _has_one(comment, now):
                yield f"“{comment.strip(' #')[:60]}” says {number}"
        name = _name_at(part, comment)
        was, is_now = _value(part.old, change), _value(part.new, change)
        meant = _value(ast.Name(name), change) if name else None
        if meant is not None and was == meant and is_now not in (None, meant):
            yield f"“{comment.strip(' #')[:60]}” says that it is `{name}`, which is {meant}"


def _name_at(part: Replaced, comment: str) -> str:
    """The name that a comment's list has at an argument's place; empty if there is none."""
    call = part.within[-1]
    if not isinstance(call, ast.Call) or part.old not in call.args:
        return ""
    for group in re.finditer(r"[(\[]([\w\s]+(?:,[\w\s]+)+)[)\]]", comment):
        listed = [word.strip() for word in group[1].split(",")]
        if len(listed) == len(call.args):
            return listed[call.args.index(part.old)]
    return ""


def _value(value: ast.expr | None, change: Change) -> int | None:
    """The number that an expression is, by itself or by the one assignment of its name."""
    if isinstance(value, ast.Constant):
        return value.value if type(value.value) is int else None
    if not isinstance(value, ast.Name):
        return None
    given = [
        s.value.value
        for s in statements(change.compared.old)
        if isinstance(s, ast.Assign)
        and isinstance(s.value, ast.Constant)
        and [text(t) for t in s.targets] == [value.id]
    ]
    return given[0] if len(given) == 1 and type(given[0]) is int else None


def _stated(part: Replaced, change: Change) -> Iterator[str]:
    """`nn.Linear(20, 10)  # 10 classes` keeps its 10."""
    if part.old is None or not _is_arithmetic(part.old):
        return
    if part.new is not None and not _is_arithmetic(part.new):
        return
    now = set(_numbers(part.new)) if part.new is not None else set()
    lost = set(_numbers(part.old)) - now
    beside = commented(change.original).get(getattr(part.old, "lineno", 0), "")
    if OF_A_MISTAKE.search(beside) or OF_AN_ASSUMPTION.search(beside):
        return
    texts = [*_elsewhere(part, change), *_docstrings(change.compared.old)]
    texts = [t for t in texts if not OF_A_MISTAKE.search(t) and not OF_AN_ASSUMPTION.search(t)]
    asked = [s for s in re.split(r"[.!?\n]\s*", change.asked) if not _OF_AN_ERROR.search(s)]
    for number in sorted(lost):
        token = rf"(?<![\w.]){number}(?!\w|\.\d)"
        if number > 1 and re.search(token, beside) and not _has_one(beside, now):
            yield f"the comment beside it says {number}"
        for said in (*texts, *asked):
            noun = rf"{token}[ -](\w+ )?{_NOUNS}\b|\b{_SAYS_A_SIZE}{token}"
            if _counts_layers(token, said, part):
                continue
            if re.search(noun, said, re.IGNORECASE) and not _has_one(said, now):
                yield f"“{said.strip(' #')[:60]}” says {number}"


def _elsewhere(part: Replaced, change: Change) -> Iterator[str]:
    """All comments but those of another class than the one that is changed."""
    classes = [s for s in statements(change.compared.old) if isinstance(s, ast.ClassDef)]

    def within(line: int) -> list[str]:
        return [c.name for c in classes if c.lineno <= line <= (c.end_lineno or c.lineno)]

    own = within(part.line)
    for line, said in commented(change.original).items():
        if not own or within(line) in ([], own):
            yield said


def _counts_layers(token: str, said: str, part: Replaced) -> bool:
    """Whether a number counts layers or maps, and the one that changes is a size of one."""
    counted = rf"{token}[ -](?:\w+ )?(?:layers|maps|blocks|convolutions)\b"
    call = next((n for n in reversed(part.within) if isinstance(n, ast.Call)), None)
    is_count = "layers" in part.keyword or "depth" in part.keyword
    return re.search(counted, said) is not None and call is not None and not is_count


def _has_one(said: str, numbers: set[int]) -> bool:
    return any(re.search(rf"(?<![\w.]){n}(?!\w|\.\d)", said) for n in numbers)


def _docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""
