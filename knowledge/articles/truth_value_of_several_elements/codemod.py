"""One answer out of many: every element or any of them, for two tensors whether they are equal.

Which of "all" and "any" is meant only the person knows, so both are run. A comparison of two
tensors, or of two state_dicts, with `==` has one meaning.
"""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import call, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import tensors
from knowledge.repair.toolkit.sites import seen_error

ERRORS, KEEPS = ("tensor_truth",), (tensors,)
_ALL, _ANY = "it holds for every element", "it holds for at least one"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.all()` or `.any()` of a comparison; torch.equal where two things are compared."""
    node: cst.CSTNode | None = program.node
    dicts = [
        c for c in program.on_line(program.error.line, cst.Comparison) if _of_dicts(program, c)
    ]
    if len(dicts) == 1:
        yield from _same_state(program, dicts[0])
        return
    if (chosen := _chosen(program, program.error.line)) is not None:
        yield chosen
        return
    joined = [b.left for b in program.on_line(program.error.line, cst.BooleanOperation)]
    if len(joined) == 1:
        node = joined[0]
    elif not isinstance(node, cst.Comparison):
        node = _asked(program, program.error.line)
    if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1:
        return
    both = _masks(program, node)
    if both is not None:
        yield both
    elif _is_asked(program, node):
        yield from _answers(program, node)


def _chosen(program: Failed, line: int | None) -> Rewrite | None:
    """`x if first else y` for `first and x or y`; `y if x is None else x` for `x or y`."""
    for node in program.on_line(line, cst.BooleanOperation):
        if not isinstance(node.operator, cst.Or):
            continue
        left, other = node.left, program.text(node.right)
        if isinstance(left, cst.BooleanOperation) and isinstance(left.operator, cst.And):
            test, taken = program.text(left.left), program.text(left.right)
            text = f"{taken} if {test} else {other}"
        elif isinstance(left, cst.Name) and isinstance(program.parent(node), cst.Assign):
            test, taken = f"{left.value} is None", left.value
            text = f"{other} if {test} else {taken}"
        else:
            continue
        facts = program.seen.get(taken)
        if facts is not None and facts.shape is not None:
            new = cst.parse_expression(f"({text})" if node.lpar else text)
            told = f"`{test}` is asked, and not whether `{taken}` is true"
            return program.edit({node: new}, told)
    return None


def _asked(program: Failed, line: int | None) -> cst.CSTNode | None:
    """The comparison that an if, while or assert on this line is about."""
    found: list[cst.If | cst.While | cst.Assert] = [*program.on_line(line, cst.If)]
    found += [*program.on_line(line, cst.While), *program.on_line(line, cst.Assert)]
    return found[0].test if found else None


def _is_asked(program: Failed, node: cst.Comparison) -> bool:
    parent = program.parent(node)
    if isinstance(parent, cst.UnaryOperation):
        parent = program.parent(parent)
    return isinstance(parent, (cst.If, cst.While, cst.Assert, cst.IfExp))


def _answers(program: Failed, node: cst.Comparison) -> Rewrites:
    target = node.comparisons[0]
    other, text = target.comparator, program.text(node)
    if isinstance(target.operator, cst.Equal):
        a, b = program.seen.get(program.text(node.left)), program.seen.get(program.text(other))
        if a is not None and b is not None and a.shape is not None and a.shape == b.shape:
            equal = call(program.name_of("torch", "equal"), cst.Arg(node.left), cst.Arg(other))
            told = "torch.equal says whether two tensors have the same elements"
            yield program.edit({node: equal}, told)
            return
    for name, intent, said in (
        ("all", _ALL, r"\b(all|every|each) (of |the |element|value|prediction)"),
        ("any", _ANY, r"\b(any|at least one|some) (of |the |element|value|prediction)"),
    ):
        what = f"one answer out of those that `{text}` gives"
        yield program.edit({node: method(node, name)}, what, intent, said=said)


def _masks(program: Failed, node: cst.Comparison) -> Rewrite | None:
    """`mask = (x > 0) and (x < 1)` as `(x > 0) & (x < 1)`."""
    parent = program.parent(node)
    if not isinstance(parent, cst.BooleanOperation) or parent.left is not node:
        return None
    if not isinstance(program.parent(parent), (cst.Assign, cst.Index)):
        return None
    if not isinstance(parent.right, cst.Comparison):
        return None
    sign = "&" if isinstance(parent.operator, cst.And) else "|"
    whole = cst.parse_expression(f"(a) {sign} (b)")
    assert isinstance(whole, cst.BinaryOperation)
    new = whole.with_changes(left=operand(node), right=operand(parent.right))
    return program.edit({parent: new}, f"`{sign}` combines two masks element by element", at=node)


def _of_dicts(program: Failed, node: cst.Comparison) -> bool:
    """Whether both sides are a state_dict, asked for right here."""
    if len(node.comparisons) != 1 or not isinstance(node.comparisons[0].operator, cst.Equal):
        return False
    sides = (node.left, node.comparisons[0].comparator)
    return all(program.text(side).endswith(".state_dict()") for side in sides)


def _same_state(program: Failed, node: cst.Comparison) -> Rewrites:
    taken = {n.value for n in program.inside(node, cst.Name)}
    a, b = [name for name in ("a", "b", "one", "other") if name not in taken][:2]
    equal = program.name_of("torch", "equal")
    left, right = program.text(node.left), program.text(node.comparisons[0].comparator)
    new = cst.parse_expression(
        f"all({equal}({a}, {b}) for {a}, {b} in zip({left}.values(), {right}.values()))"
    )
    yield program.edit({node: new}, "the two are the same if each pair of tensors is")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Nothing that was computed changes; the line still asks."""
    error = seen_error(before, *ERRORS)
    line = error.line if error is not None and error.line is not None else 0
    rows = proposal.code.splitlines()[max(0, line - 1) : line + 1]
    still = any(word in r for word in ("all(", "any(", "equal(", "&", "|", " if ") for r in rows)
    detail = "the question is still asked" if still else "the question is not asked any more"
    return [Check(name="asked", passed=still, detail=detail)]
