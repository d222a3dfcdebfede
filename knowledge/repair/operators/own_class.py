"""Make a method keep what Python promises of it: its own class in `super`, an iterator to go over.

`super(Generator, self)` copied into `Discriminator` names that class; what `__iter__` gives has to
be an iterator, and a list is none.
"""

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits

ERRORS = ("super_of_another_class", "no_iterator", "not_a_module", "takes_exactly")


def edits(failure: Failure) -> Rewrites:
    """The class that the method stands in; or `iter(…)` around what `__iter__` returns."""
    if is_a(failure.error, "no_iterator"):
        yield from _iterator(failure)
    else:
        yield from _its_own(failure)


def _its_own(failure: Failure) -> Rewrites:
    node = failure.node
    called = node.func if isinstance(node, cst.Call) else None
    called = called.value if isinstance(called, cst.Attribute) else node  # `super(…).__init__(…)`
    cls = failure.up(node, cst.ClassDef) if node is not None else None
    if not isinstance(called, cst.Call) or cls is None or len(called.args) != 2:
        return
    named = called.args[0].value
    if failure.text(called.func) != "super" or failure.text(named) == cls.name.value:
        return
    told = f"the class that this method is of is `{cls.name.value}`"
    meant = f"it is `{cls.name.value}` that is to be set up"
    new = cst.Name(cls.name.value)
    yield failure.edit({named: new}, told, meant, at=called, cost=COST.SAID)


def _iterator(failure: Failure) -> Rewrites:
    methods = [f for f in failure.all(cst.FunctionDef) if f.name.value == "__iter__"]
    given = [
        [r.value for r in failure.inside(method, cst.Return) if r.value is not None]
        for method in methods
        if not failure.inside(method, cst.Yield)
    ]
    for values in given if len(given) == 1 else ():
        changed: Edits = {v: cst.Call(cst.Name("iter"), [cst.Arg(v)]) for v in values}
        told = "`__iter__` gives an iterator over what it chose"
        meant = "each round is to go over it from its beginning"
        yield failure.edit(changed, told, meant, cost=COST.SAID, as_one=True)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What `super` was asked for is asked of it with the same arguments."""
    code = before.error.code if before.error is not None else ""
    asked = re.escape(code.partition(")")[2]) if code.startswith("super(") else ""
    kept = re.search(rf"super\([\w, ]*\){asked}", proposal.code) or not asked
    return [Check.of("asked", kept, "it is set up with the same", "it is not set up so")]
