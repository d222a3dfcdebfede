"""Make a layer for another size: the layer that failed, or one whose result came into it.

Of the numbers that the error names, a layer was made with one and meets the other. It is resized
where its size is written; a name that has the new value is preferred to a number. An output size
that has a name (`output_size`, `n_classes`) is meant, and gives way to another name alone. A layer
stays whose wanted size stands in another dimension of what comes in: turning that is the likelier
edit. Two sizes of a layer may have changed places.
"""

import math
import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult, Layer
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program, same
from knowledge.repair.toolkit.shapes import (
    Resized,
    loads_its_own_layers,
    named,
    refitted,
    resized_call,
    same_layers,
    size_given,
    still_computed,
    worth,
)
from knowledge.repair.toolkit.sites import argument, integer, made, setting

# A layer's sizes, by its class: (position, keyword).
_SIZES: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = (
    (r"Linear|LazyLinear", ((0, "in_features"), (1, "out_features"))),
    (r"Bilinear", ((0, "in1_features"), (1, "in2_features"), (2, "out_features"))),
    (r"Conv(?:Transpose)?[123]d", ((0, "in_channels"), (1, "out_channels"))),
    (r"(?:BatchNorm|InstanceNorm)[123]d", ((0, "num_features"),)),
    (r"GroupNorm", ((1, "num_channels"),)),
    (r"LayerNorm|RMSNorm", ((0, "normalized_shape"),)),
    (r"(?:LSTM|GRU|RNN)(?:Cell)?", ((0, "input_size"), (1, "hidden_size"))),
    (r"Embedding|EmbeddingBag", ((1, "embedding_dim"),)),
    (r"MultiheadAttention", ((0, "embed_dim"),)),
    (r"Transformer(?:En|De)coderLayer", ((0, "d_model"),)),
)
# What makes a raw weight, and what such a one is called.
_HEADS = "attention_heads"
_MAKES = frozenset({"randn", "rand", "zeros", "ones", "empty", "full"})
_OF_A_LAYER = re.compile(r"(?i)mask|^self\.\w+$")
_GOES_OUT = frozenset({"out_features", "out_channels", "hidden_size", "embedding_dim"})
_SPEAKS_OF_SIZES = re.compile(
    r"(?i)shape|size|dimension|channels|features|embed|elements|must match|equal"
)


def applies(result: JobResult) -> bool:
    """The error names two numbers, and speaks of sizes."""
    error = result.error
    if error is None or is_a(error, "embedding_range", _HEADS):
        return error is not None
    if "divisible" in error.message:
        return False  # neither number is to be the other one
    return _SPEAKS_OF_SIZES.search(error.message) is not None and len(_numbers(error.message)) > 1


def _numbers(message: str) -> set[int]:
    message = re.sub(r"(?i)\bdim(?:ension)?s? \d+", "", message)  # these are places
    return {int(n) for n in re.findall(r"(?<![\w.])\d+(?![\w.])|(?<=\dx)\d+|\d+(?=x\d)", message)}


def edits(failure: Failure) -> Rewrites:
    """Every layer that was made for one of the numbers, made for the one that it meets."""
    if is_a(failure.error, _HEADS):
        yield from _fewer_heads(failure)
        return
    layer = failure.result.layer
    rows = layer.input if layer is not None and layer.type == "Linear" else None
    size = setting(layer, "in_features") if layer and rows and len(rows) > 2 else None
    if loads_its_own_layers(failure) or (size and math.prod((rows or ())[1:]) == size):
        return  # what comes in is to be flattened
    numbers = _numbers(failure.error.message)
    own = made(failure, layer) if layer is not None else None
    turned = _stands_elsewhere(layer)
    near = failure.error.line or 0
    # The nearest first: only so many are tried.
    every = sorted(failure.all(cst.Call), key=lambda c: abs(failure.line(c) - near))
    for call in every:
        yield from _exchanged(failure, call, numbers, is_own=own is not None and call is own.call)
    yield from _of_an_object(failure, own.call if own is not None else None, numbers)
    for call in every:
        for position, keyword in _sizes_of(call):
            old = worth(failure, argument(call, position, keyword))
            if old is None or old not in numbers:
                continue
            is_own = own is not None and call is own.call
            if is_own and keyword in _GOES_OUT:
                continue  # what goes out of it did not come into it
            one = set() if is_a(failure.error, "loss_sizes") and keyword in _GOES_OUT else {1}
            for new in sorted(numbers - {old, 0} - one):
                if is_own and turned:
                    continue
                cost = COST.SURE if is_own else COST.LIKELY + COST.FAR
                yield from _made_for(failure, call, (position, keyword), old, new, cost)
        if _is_of_a_layer(failure, call):
            yield from _state_for(failure, call, numbers)


def _fewer_heads(failure: Failure) -> Rewrites:
    """The most heads, of fewer than were asked for, into which the width divides."""
    node = failure.node
    for wide, many in (("embed_dim", "num_heads"), ("d_model", "nhead")):
        if not isinstance(node, cst.Call):
            return
        given = [argument(node, 0, wide), argument(node, 1, many)]
        both = [failure.value(a.value) if a is not None else None for a in given]
        width, heads = (n if type(n) is int else 0 for n in both)
        fitting = [n for n in range(2, heads) if width % n == 0]
        for way in resized_call(failure, node, 1, many, fitting[-1]) if fitting else ():
            told = f"{fitting[-1]} heads divide the {width} numbers of each step; {heads} do not"
            yield way.rewrite(told, "the width stays", supposes=True)
            return


def _of_an_object(failure: Failure, call: cst.Call | None, numbers: set[int]) -> Rewrites:
    """`Block(24, 8)` for `Block(16, 8)`, where the failing layer takes its size from that; or the
    layer by another parameter of the class that has the wanted size in this object.
    """
    layer = failure.result.layer
    inside = failure.up(call, cst.FunctionDef) if call is not None else None
    cls = failure.up(inside, cst.ClassDef) if inside is not None else None
    if call is None or layer is None or inside is None or cls is None or not _sizes_of(call):
        return
    position, keyword = _sizes_of(call)[0]
    given = argument(call, position, keyword)
    names = [p.name.value for p in inside.params.params][1:]
    called = {failure.text(p.node.func).rpartition(".")[2] for p in failure.places
              if isinstance(p.node, cst.Call)}  # fmt: skip
    made = [
        a.value
        for a in failure.all(cst.Assign)
        if isinstance(a.value, cst.Call)
        and failure.text(a.value.func) == cls.name.value
        and failure.text(a.targets[0].target).rpartition(".")[2] in called
    ]
    if given is None or not isinstance(given.value, cst.Name) or len(made) != 1:
        return
    if given.value.value not in names:
        return
    index = names.index(given.value.value)
    old = worth(failure, argument(made[0], index, given.value.value))
    which = _called(failure, made[0])
    for new in sorted(numbers - {0, 1, old}) if old in numbers else ():
        size = argument(made[0], index, given.value.value)
        assert size is not None
        value = named(failure, size.value, new) or integer(new)
        told = f"`{which}` is made for {new} instead of {old}"
        meaning = f"{new} come into `{which}`"
        yield failure.edit({size.value: value}, told, meaning, at=made[0])
        others = [n for n in names if n != given.value.value
                  and worth(failure, argument(made[0], names.index(n), n)) == new]  # fmt: skip
        if len(others) == 1:
            told = f"the layer is made for `{others[0]}`"
            meaning = f"`{others[0]}` come into this layer"
            yield failure.edit({given.value: cst.Name(others[0])}, told, meaning, at=call)


def _exchanged(failure: Failure, call: cst.Call, numbers: set[int], *, is_own: bool) -> Rewrites:
    """`nn.LSTM(emb, hidden)` for `nn.LSTM(hidden, emb)`."""
    sizes = _sizes_of(call)
    if re.search(r"Embedding$", failure.text(call.func)) and is_a(failure.error, "embedding_range"):
        sizes, is_own = ((0, "num_embeddings"), (1, "embedding_dim")), True
    if len(sizes) != 2 or not (
        is_own or any(size_given(failure, call, *s) in numbers for s in sizes)
    ):
        return
    first, second = (argument(call, *size) for size in sizes)
    if first is None or second is None or same(first.value, second.value):
        return
    if not all(isinstance(a.value, (cst.Name, cst.Integer)) for a in (first, second)):
        return
    layer = _called(failure, call)
    new: Edits = {first.value: second.value, second.value: first.value}
    told = f"the two sizes of `{layer}` change places"
    meaning = f"`{layer}` goes from {failure.text(second.value)} to {failure.text(first.value)}"
    cost = COST.LIKELY if is_own else COST.LIKELY + COST.FAR
    yield failure.edit(new, told, meaning, at=call, cost=cost, as_one=True)


def _sizes_of(call: cst.Call) -> tuple[tuple[int, str], ...]:
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    name = call.func.value if isinstance(call.func, cst.Name) else name
    return next((sizes for pattern, sizes in _SIZES if re.fullmatch(pattern, name)), ())


def _made_for(
    failure: Failure, call: cst.Call, place: tuple[int, str], old: int, new: int, cost: float
) -> Rewrites:
    ways: Iterator[Resized] = resized_call(failure, call, *place, new)
    layer = _called(failure, call)
    given = argument(call, *place)
    has_name = given is not None and not isinstance(given.value, cst.Integer)
    other = named(failure, given.value, new) if given is not None and has_name else None
    for way in ways:
        written_here = given is not None and way.line == failure.line(given)
        if has_name and other is None and (place[1] in _GOES_OUT or written_here):
            continue  # how much comes out has a name: that is meant, whatever it meets
        title = f"line {way.line}: `{layer}` is made for {new} instead of {old}"
        yield Rewrite(way.module, title, f"the {place[1]} of `{layer}` is {new}", cost=cost)


def _called(program: Program, call: cst.Call) -> str:
    """The name that a layer is kept under (`fc3`), or its class where it has none of its own."""
    kept = program.up(call, cst.Assign)
    if kept is None or kept.value is not call:
        return program.text(call.func)
    return program.text(kept.targets[0].target).removeprefix("self.")


def _is_of_a_layer(program: Program, call: cst.Call) -> bool:
    """Whether a call makes a raw weight, a bias or a mask: their sizes follow what they meet."""
    name = program.text(call.func).rpartition(".")[2]
    statement = program.up(call, cst.Assign)
    if name == "generate_square_subsequent_mask":
        return True
    if name not in _MAKES or statement is None:
        return False
    around = program.up(program.parent(call) or call, cst.Call)
    if around is not None:  # what is given to another function is data
        return program.text(around.func).rpartition(".")[2] in ("Parameter", "tril", "triu")
    target = program.text(statement.targets[0].target)
    return _OF_A_LAYER.search(target) is not None


def _state_for(failure: Failure, call: cst.Call, numbers: set[int]) -> Rewrites:
    for position, given in enumerate(call.args):
        old = size_given(failure, call, position, "")
        if given.keyword is not None or old not in numbers:
            continue
        for new in sorted(numbers - {old, 0, 1}):
            way = refitted(failure, call, position, new)
            if way is not None:
                what = failure.text(call)
                title = f"line {way.line}: `{what}` is made with {new} instead of {old}"
                meaning = f"dimension {position} of `{what}` is {new}"
                yield Rewrite(way.module, title, meaning, cost=COST.LIKELY + COST.FAR)


def _stands_elsewhere(layer: Layer | None) -> bool:
    """Whether what comes into the failing layer has the wanted size in another dimension."""
    if layer is None or layer.input is None:
        return False
    shape, of_conv = layer.input, re.match(r"Conv\w*([123])d$", layer.type)
    wanted = setting(layer, "in_channels" if of_conv else "in_features")
    wanted = wanted or setting(layer, "input_size")
    if norm := re.match(r"LayerNorm\(\((\d+),\)", layer.repr):
        wanted = int(norm[1])
    if layer.type.startswith("BatchNorm"):
        return len(shape) == 3 and shape[2] == setting(layer, "num_features")
    if of_conv is None:
        return wanted is not None and shape[-1:] != (wanted,) and wanted in shape[1:-1]
    # Pictures are often as wide as high, and as wide as there are channels by chance.
    by_chance = len(shape) > 3 and shape[-1] == shape[-2] and shape[1] != shape[2]
    return len(shape) == int(of_conv[1]) + 2 and shape[-1] == wanted and not by_chance


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still computed, and no other layer changed."""
    kept = still_computed(before.error, proposal.code)
    if "change places" in proposal.title:  # both sizes of a layer are others then
        return [kept]
    return [kept, same_layers(before, after)]
