"""Take a network's own head off, where the layer behind it was made for what goes into that.

`nn.Linear(net.fc.in_features, classes)` behind `net` gets the scores of its 1,000 classes. Which
part of which network has these two sizes is read from the live modules. A network of the program's
own, whose head nobody names, has it twice if the layer behind it is made as its own head is.
"""

from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import read
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module, tensors

ERRORS = ("matmul_shapes",)
KEEPS = (computed(),)


def edits(failure: Failure) -> Rewrites:
    """`net.fc = nn.Identity()` below the last line that asks for the head."""
    for takes, gets, gives in _behind(failure):
        for holder, part in _heads(failure, (takes, gets)):
            last = _last_that_asks(failure, holder, part, twice=gets == gives)
            if last is not None:
                identity = failure.name_of("torch.nn", "Identity")
                new = Beside(cst.parse_statement(f"{holder}.{part} = {identity}()"), after=True)
                what = f"`{holder}` gives the {takes} numbers that go into its own `{part}`"
                yield failure.edit({}, what, at=last, beside={last: new}, cost=COST.SAID)


def _behind(failure: Failure) -> Iterator[tuple[int, int, int]]:
    """Of the layer behind: the numbers that it takes, gets and gives."""
    for place in failure.places:
        layer, given = called_module(failure, place), tensors(failure, place)
        if isinstance(layer, torch.nn.Linear) and len(given) == 1:
            yield layer.in_features, given[0].value.shape[-1], layer.out_features
    seen = read(failure.error, *ERRORS)
    if not failure.places and seen is not None:  # of a call that was added, its message says them
        gets, takes, gives = (seen[name] for name in ("inner_left", "inner_right", "columns"))
        if gets.isdigit() and takes.isdigit() and gives.isdigit():
            yield int(takes), int(gets), int(gives)


def _heads(failure: Failure, sizes: tuple[int, int]) -> Iterator[tuple[str, str]]:
    """The networks in reach whose last layer goes from the one size to the other."""
    frames = [list(names.items()) for names in reversed(failure.live.names)]
    for name, value in (pair for names in frames for pair in names):
        if not isinstance(value, torch.nn.Module):
            continue
        for child, network in (("", value), *value.named_children()):
            holder = f"{name}.{child}" if child else name
            yield from ((holder, part) for part in _head(network, sizes))


def _head(network: Any, sizes: tuple[int, int]) -> Iterator[str]:
    children = list(network.named_children())
    if not children or isinstance(network, torch.nn.Sequential):
        return
    name, last = children[-1]
    if isinstance(last, torch.nn.Sequential) and len(last):
        name, last = f"{name}[-1]", last[-1]
    if isinstance(last, torch.nn.Linear) and (last.in_features, last.out_features) == sizes:
        yield name


def _last_that_asks(
    failure: Failure, holder: str, part: str, *, twice: bool
) -> cst.SimpleStatementLine | None:
    """The last statement beside the one that makes a network that names its head.

    Of a head that is there twice, in a class of the program's own, the one that makes the network.
    """
    made = [
        line
        for line in failure.all(cst.SimpleStatementLine)
        if failure.text(line).startswith((f"{holder} = ", f"{holder}="))
    ]
    block = failure.parent(made[0]) if len(made) == 1 else None
    head = f"{holder}.{part.partition('[')[0]}"
    if not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return None
    asks = [s for s in block.body if s is made[0] or head in failure.text(s)]
    own = any(f"{c.name.value}(" in failure.text(made[0]) for c in failure.all(cst.ClassDef))
    # Who never names the head may not know of it.
    last = asks[-1] if len(asks) > 1 or (own and twice) else None
    return last if isinstance(last, cst.SimpleStatementLine) else None
