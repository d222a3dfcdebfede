"""Compare two messages of one kind of error by what they name, whatever their wording."""

from __future__ import annotations

import re
from dataclasses import dataclass

from executor.errors.catalogue import HasMessage, all_families, families_of
from executor.errors.family import MAX_CHARS, SeenError
from executor.errors.lists import quoted_names, resized_keys

# Checks of old versions that each operation makes for itself today: their family → today's.
_TODAY = {
    "argument_devices": ("devices_differ", "devices"),
    "constructor_device": ("devices_differ", "devices"),
    "no_tensor_given": ("argument_type", "overload"),
    "argument_scalar_type": (
        "index_argument_dtype", "scatter_dtypes", "index_dtype", "matmul_dtypes", "matvec_dtypes",
        "dot_dtypes", "layer_dtypes", "rnn_dtypes", "scalar_type", "embedding_dtype",
        "loss_index_dtype", "backward_dtype", "not_implemented_for_dtype", "compared_dtypes",
        "dtypes", "gather_scatter",
    ),
    "scalar_type": (
        "matmul_dtypes", "matvec_dtypes", "layer_dtypes", "rnn_dtypes", "loss_index_dtype",
    ),
    "expand_fewer_dimensions": ("inplace_result_grows",),
    "shared_storage_in_place": ("leaf_in_place",),
    "volatile": ("no_graph",),
    "output_too_small": ("conv_kernel_size",),
    "not_a_matrix": ("matmul_shapes",),
    "one_element_tensors": ("several_elements",),
}  # fmt: skip
# Families that say one of two opposite things: the value that says which, where both name it.
_SAYS_WHICH = {
    "unpack_count": "how_many",  # too many, not enough
    "tensor_truth": "how_many",  # more than one value, no values
    "loss_range": "which",  # the input, the target
    "bmm_dimensions": "which",  # the left batch, the right
    "conv_groups": "which",
    "rnn_devices": "what",  # the state, the weights
    "not_callable": "use",  # called, indexed, gone through
}
# Likewise by whether a value is there: the input is on the GPU, or the weights are.
_SAYS_BY_BEING_THERE = {
    "layer_devices": ("input_cuda", "weight_cuda"),
    "rnn_hidden_dimensions": ("without",),  # an input with a batch, or without
}
# Values that make the opposite of an error where they are exchanged.
_EXCHANGED = {
    "scalar_type": ("expected", "given"),
    "argument_scalar_type": ("expected", "given"),
    "matmul_dtypes": ("left", "right"),
    "layer_dtypes": ("input", "weight"),
    "rnn_dtypes": ("input", "weight"),
    "backward_dtype": ("given", "expected"),
    "inplace_dtype": ("result", "target"),
    "index_put_dtypes": ("source", "target"),
    "scatter_dtypes": ("source", "target"),
    "constructor_device": ("wanted", "given"),
    "generator_device": ("expected", "given"),
    "norm_dimensions": ("wanted", "given"),
}
# The name of a value in such an old family → its name in today's.
_SAME_VALUE = {"target_shape": "target"}
_NAMES = ("name", "names", "key", "keyword", "variable")
_NUMBER = re.compile(r"\d+")
_SOURCE = re.compile(r"\bat \S{1,200}\.(?:c|cc|cpp|cu|cuh|h|hpp):\d+")  # where torch raised it


def same_family(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors are of one family and about one thing.

    Of those that no family knows, whether they read alike.
    """
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if first and second and first[0].id == second[0].id:
        return _about_one(first[0], second[0]) and not _opposite(first[0], second[0])
    if first and second:
        today = second[0].id in _TODAY.get(first[0].id, ())
        return today or _of_channels_today(first[0], second[0])
    if first or second:
        return False
    return _kind(one) == _kind(other) and _words(one.message) == _words(other.message)


def _of_channels_today(one: SeenError, other: SeenError) -> bool:
    """Whether an old convolution complained of the sides only, of a picture with channels last.

    It took the channels for those of its weight; today they are compared first.
    """
    then, now = one.sizes("input"), other.sizes("input")
    is_so = one.id == "output_too_small" and other.id == "conv_channels"
    return is_so and len(then) == 3 and tuple(then[1:]) == tuple(now[-2:])


def same_numbers(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors of one family name the same numbers.

    An old wording may name other things than today's: only what both name is compared. Where the
    catalogue names no value of theirs, the numbers of the first lines are.
    """
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if first and second and first[0].id != second[0].id:
        return all(
            _NUMBER.findall(first[0][then]) == _NUMBER.findall(second[0][now])
            for then, now in _SAME_VALUE.items()
            if first[0][then] and second[0][now]
        )
    if first and second and first[0].id == "state_dict":
        return _listed(one) == _listed(other)
    if first and second:
        shared = [
            (first[0][name], second[0][name])
            for name in first[0].values
            if first[0][name] and second[0][name]
        ]
        numbered = [(a, b) for a, b in shared if _NUMBER.search(a) and _NUMBER.search(b)]
        if numbered:
            return all(_NUMBER.findall(a) == _NUMBER.findall(b) for a, b in numbered)
        if first[0].values or second[0].values:
            return True
    lines = (_SOURCE.sub("", e.message.split("\n")[0]) for e in (one, other))
    mine, others = (_NUMBER.findall(line) for line in lines)
    return sorted(mine) == sorted(others)


def are_of_one_type(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors of one family complain of data of one type, as far as both name it."""
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if not first or not second or first[0].id != second[0].id:
        return True
    mine, others = first[0]["given"], second[0]["given"]
    return mine == others or any(re.fullmatch(r"[^A-Za-z]*", name) for name in (mine, others))


def same_names(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors of one family speak of the same attribute, key, argument or variable."""
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if not first or not second or first[0].id != second[0].id:
        return True
    return all(
        first[0][name] == second[0][name] for name in _NAMES if first[0][name] and second[0][name]
    )


@dataclass(frozen=True)
class Difference:
    """A number in which two errors of one family differ."""

    what: str  # what the number is: "columns of the left matrix"
    one: str
    other: str


def differences(one: HasMessage, other: HasMessage) -> tuple[Difference, ...]:
    """The numbers in which two errors of one family differ, as far as the catalogue names them."""
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if not first or not second or first[0].id != second[0].id:
        return ()
    family = next(family for family in all_families() if family.id == first[0].id)
    return tuple(
        Difference(what, first[0][name], second[0][name])
        for name, what in family.values.items()
        if _NUMBER.search(first[0][name])
        and _NUMBER.search(second[0][name])
        and _NUMBER.findall(first[0][name]) != _NUMBER.findall(second[0][name])
    )


def is_gone(id: str) -> bool:
    """Whether today's torch raises no error of a family, under no name: what it forbade is fine."""
    family = next((family for family in all_families() if family.id == id), None)
    return family is not None and not family.today and id not in _TODAY


def are_opposite(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors of one family say opposite things, such as too many and not enough."""
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    return bool(first and second) and _opposite(first[0], second[0])


def _opposite(one: SeenError, other: SeenError) -> bool:
    if one.id != other.id:
        return False
    which = _SAYS_WHICH.get(one.id, "")
    if one[which] and other[which] and one[which] != other[which]:
        return True
    if any(bool(one[name]) != bool(other[name]) for name in _SAYS_BY_BEING_THERE.get(one.id, ())):
        return True
    if one.id not in _EXCHANGED:
        return False
    mine, others = (tuple(s[name].lower() for name in _EXCHANGED[one.id]) for s in (one, other))
    return mine == others[::-1] != others


def _about_one(one: SeenError, other: SeenError) -> bool:
    """Whether two errors of one family speak of one thing, as far as both name it."""
    about, also = (next(iter(seen.subject), "") for seen in (one, other))
    if not about or not also or "Tensor" in about:  # its class was called by its dtype once
        return True
    return _NUMBER.sub("", about) == _NUMBER.sub("", also)


def _listed(error: HasMessage) -> set[tuple[str, ...]]:
    """The weights that a message about a state dict lists, with their numbers."""
    resized = resized_keys(error.message)
    keys = {(k.name, *_NUMBER.findall(k.saved), *_NUMBER.findall(k.current)) for k in resized}
    return keys | {(name,) for name in quoted_names(error.message[:MAX_CHARS])}


def _kind(error: HasMessage) -> str:
    return error.type.rpartition(".")[2]


def _words(message: str) -> str:
    return _NUMBER.sub("#", message.split("\n")[0])[:120]
