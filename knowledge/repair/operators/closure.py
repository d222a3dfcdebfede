"""Give an optimizer that asks for a closure one: LBFGS evaluates the loss several times a step.

What stands between `zero_grad()` and `step()` goes into a function that returns the loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.sites import names_in
from knowledge.repair.toolkit.statements import receiver

_ASKS = re.compile(r"step\(\) missing 1 required positional argument: 'closure'")


def applies(result: JobResult) -> bool:
    """A step without its closure."""
    return result.error is not None and _ASKS.search(result.error.message) is not None


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The statements from `zero_grad()` to `backward()` as the closure of the step behind them."""
    program, node, line = failure.program, failure.node, failure.statement
    if not isinstance(node, cst.Call) or line is None:
        return
    block = program.parent(line)
    if not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return
    body = list(block.body)
    end = body.index(line)
    owner = receiver(program, node)
    starts = [n for n in range(end) if program.text(body[n]) == f"{owner}.zero_grad()"]
    backs = [n for n in range(end) if re.search(r"\.backward\([^()]*\)$", program.text(body[n]))]
    if len(starts) != 1 or len(backs) != 1 or not all(map(_is_simple, body[starts[0] : end])):
        return
    first, last = min(starts[0], *_made_above(failure, body, backs[0])), backs[0]
    inside = body[first : last + 1]
    loss = program.text(body[last]).rpartition(".backward(")[0]
    if not re.fullmatch(r"[A-Za-z_]\w*", loss) or not all(map(_is_simple, inside)):
        return
    ends = (body[starts[0]], body[last])
    if not all(s in ends or _made(s) for s in inside):
        return  # what prints or counts would do so at each evaluation
    yield from _closed(failure, inside, line, (owner, loss, node))


def _made_above(failure: Failure, body: Sequence[cst.CSTNode], last: int) -> Iterator[int]:
    """The statements right above `zero_grad()` that compute what is gone back through."""
    program = failure.program
    needed = names_in_all(program.text(body[last]))
    yield last
    for n in range(last - 1, -1, -1):
        statement = body[n]
        made = _made(statement)
        if made & needed and _is_simple(statement) and _computes(program.text(statement), failure):
            needed |= names_in_all(program.text(statement))
            yield n


def names_in_all(text: str) -> set[str]:
    """Every word of a statement."""
    return set(re.findall(r"[A-Za-z_]\w*", text))


def _computes(text: str, failure: Failure) -> bool:
    """Whether a statement calls a model or goes on from its result, so that each call is new."""
    import torch

    value = failure.live.names[-1].get(text.partition("=")[0].strip())
    return isinstance(value, torch.Tensor) and value.grad_fn is not None


def _is_simple(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine)


def _made(statement: cst.CSTNode) -> set[str]:
    if not isinstance(statement, cst.SimpleStatementLine):
        return set()
    targets = [t.target for s in statement.body if isinstance(s, cst.Assign) for t in s.targets]
    return {name for target in targets for name in names_in(target)}


def _closed(
    failure: Failure,
    inside: Sequence[cst.CSTNode],
    line: cst.SimpleStatementLine,
    names: tuple[str, str, cst.Call],
) -> Iterator[Rewrite]:
    program, (owner, loss, node) = failure.program, names
    outside = "\n".join(program.text(s) for s in program.all(cst.SimpleStatementLine)
                        if s not in inside)  # fmt: skip
    made = set().union(*map(_made, inside)) - {loss}
    if any(re.search(rf"(?<![\w.]){name}\b", outside) for name in made):
        return  # it is read behind the step, where a function keeps it to itself
    if isinstance(program.parent(program.parent(node) or node), cst.Assign):
        return
    returned = cst.parse_statement(f"return {loss}")
    function = cst.ensure_type(cst.parse_statement("def closure():\n    pass\n"), cst.FunctionDef)
    lines = [s for s in inside if isinstance(s, cst.SimpleStatementLine)]
    leading = lines[0].leading_lines
    lines[0] = lines[0].with_changes(leading_lines=())
    function = function.with_changes(
        body=cst.IndentedBlock([*lines, returned]), leading_lines=leading
    )
    stepped = cst.parse_statement(f"{loss} = {owner}.step(closure)")
    changes: dict[cst.CSTNode, object] = dict.fromkeys(inside, cst.RemoveFromParent())
    changes[inside[0]] = function
    changes[line] = cst.ensure_type(stepped, cst.SimpleStatementLine).with_changes(
        leading_lines=line.leading_lines, trailing_whitespace=line.trailing_whitespace
    )
    what = f"`{owner}` computes the loss several times a step, by a function that it is given"
    title = f"line {program.line(line)}: {what}"
    yield Rewrite(program.replace(changes), title, what, as_one=True, cost=COST.SAID)  # type: ignore[arg-type]
