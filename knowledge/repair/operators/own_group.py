"""Leave out of an optimizer's group the parameters that its other groups hold.

`net.parameters()` beside `net.head.parameters()` is meant for the rest. What each group holds is
known by the live parameters; the one that keeps the most without the others' is cut.
"""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.sites import argument, given_to

ERRORS = ("parameter_in_two_groups",)
_TOLD = "every group is still trained", "a group is no longer trained"
KEEPS = (written("groups", *_TOLD, has=r"all\(\w+ is\Wnot \w+ for "),)


def edits(failure: Failure) -> Rewrites:
    """A condition on the parameters of one group: that no other has them."""
    given = argument(failure.node, 0, "params") if isinstance(failure.node, cst.Call) else None
    made = given_to(failure, given.value) if given is not None else None
    groups = made.value if made is not None else given.value if given is not None else None
    if not isinstance(groups, cst.List):
        return
    held = [_held(failure, e.value) for e in groups.elements]
    common = {i for _, _, ids in held for i in ids if sum(i in other for *_, other in held) > 1}
    name, node, ids = max(held, key=lambda one: len(one[2] - common) * bool(one[2] & common))
    others = [(text, theirs) for text, other, theirs in held if other is not node]
    everything = [i for _, theirs in others for i in theirs]
    if not ids & common or not ids - common or len(everything) > len(set(everything)):
        return
    there = [text for text, theirs in others if theirs & ids]
    told = " and ".join(f"`{text}`" for text in there)
    beyond = there[0] if len(there) == 1 else f"[{', '.join(f'*{text}' for text in there)}]"
    new = _without(failure, node, beyond)
    if new is not None:
        meaning = f"`{name}` is for what is left beside {told}"
        yield failure.edit({node: new}, f"none of {told} is in `{name}` too", meaning)


def _held(failure: Failure, group: cst.BaseExpression) -> tuple[str, cst.BaseExpression, set[int]]:
    """What a group is called, what makes its parameters, and their ids."""
    entries = group.elements if isinstance(group, cst.Dict) else ()
    pairs = [e for e in entries if isinstance(e, cst.DictElement)]
    node = next((e.value for e in pairs if failure.value(e.key) == "params"), group)
    made, text = given_to(failure, node), failure.text(node)
    is_list = isinstance(failure.value(node), list)
    node = made.value if made is not None else node
    text = text if is_list else failure.text(node)  # the optimizer went through what is none
    ids = failure.tried(f"[id(p) for p in {failure.text(node)}]")
    return text, node, set(ids) if isinstance(ids, list) else set()


def _without(failure: Failure, node: cst.BaseExpression, beyond: str) -> cst.BaseExpression | None:
    loop = node.for_in if isinstance(node, cst.ListComp) else None
    one = node.elt if isinstance(node, cst.ListComp) else cst.Name(free_name(failure, "p"))
    if not isinstance(one, cst.Name) or (loop is not None and loop.inner_for_in is not None):
        return None
    p, q = one.value, free_name(failure, "q")
    new = f"all({p} is not {q} for {q} in {beyond})"
    if loop is None or len(loop.ifs) > 1:
        return cst.parse_expression(f"[{p} for {p} in {failure.text(node)} if {new}]")
    before = failure.text(loop.ifs[0].test) if loop.ifs else "True"
    before = f"({before})" if re.search(r"\b(or|if|lambda)\b", before) else before
    test = cst.parse_expression(f"{before} and {new}".removeprefix("True and "))
    space = cst.SimpleWhitespace(" ")
    return node.with_deep_changes(loop, ifs=[cst.CompIf(test, whitespace_before=space)])
