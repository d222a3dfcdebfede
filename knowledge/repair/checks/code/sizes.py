"""A size keeps its name, and a size that a comment, a docstring or the person states is kept."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Replaced, expressions, names, statements, text
from knowledge.repair.toolkit.sites import variables

_NAME = "sizes"
_NOUNS = (
    r"(classes|categories|labels|channels?|features?|inputs?|outputs?|units|neurons|nodes|hidden"
    r"|heads|layers|dim(ension)?s?|dimensional|filters|words|tokens|embeddings?|time ?steps|frames)"
)
# Who says of a line that it is wrong does not state what is meant.
_OF_A_MISTAKE = re.compile(
    r"(?i)mismatch|incorrect|wrong|error|\bbug|fail|problem|should|instead|invalid|not match"
)
# Sentences of an error name sizes too, and not those that are meant.
_OF_AN_ERROR = re.compile(r"(?i)error|traceback|expected|but got|given groups|must match|mat1")


def check(change: Change) -> Check:
    """No name gives way to a number on one side, and no stated number to another."""
    for part in change.compared.replaced:
        for detail in (*_unnamed(part, change), *_stated(part, change)):
            return Check(name=_NAME, passed=False, detail=f"line {part.line}: {detail}")
    return Check(name=_NAME, passed=True, detail="sizes stay as they are named and stated")


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


def _stated(part: Replaced, change: Change) -> Iterator[str]:
    """`nn.Linear(20, 10)  # 10 classes` keeps its 10."""
    if part.old is None or not _is_arithmetic(part.old):
        return
    if part.new is not None and not _is_arithmetic(part.new):
        return
    now = set(_numbers(part.new)) if part.new is not None else set()
    lost = set(_numbers(part.old)) - now
    beside = _comments(change.original).get(getattr(part.old, "lineno", 0), "")
    if _OF_A_MISTAKE.search(beside):
        return
    texts = [*_comments(change.original).values(), *_docstrings(change.compared.old)]
    texts = [t for t in texts if not _OF_A_MISTAKE.search(t)]
    asked = [s for s in re.split(r"[.!?\n]\s*", change.asked) if not _OF_AN_ERROR.search(s)]
    for number in sorted(lost):
        token = rf"(?<![\w.]){number}(?!\w|\.\d)"
        if number > 1 and re.search(token, beside) and not _has_one(beside, now):
            yield f"the comment beside it says {number}"
        for said in (*texts, *asked):
            noun = rf"{token}[ -](\w+ )?{_NOUNS}\b"
            if re.search(noun, said, re.IGNORECASE) and not _has_one(said, now):
                yield f"“{said.strip(' #')[:60]}” says {number}"


def _has_one(said: str, numbers: set[int]) -> bool:
    return any(re.search(rf"(?<![\w.]){n}(?!\w|\.\d)", said) for n in numbers)


def _comments(code: str) -> dict[int, str]:
    """Each line's comment."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string
    except (tokenize.TokenError, IndentationError):
        pass
    return found


def _docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""
