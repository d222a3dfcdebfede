"""The catalogue of PyTorch's errors: which kind of error a message is, and what its numbers mean.

A family is one kind of error. Its id never changes. Whoever wants to know what an error is asks
here, and matches no message himself:

    seen = family_of("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")
    seen.id             # "matmul_shapes"
    seen["inner_left"]  # "3"

The families are in `executor/errors/families/`, one module for each group; adding one touches one
file. Nothing here imports torch, so the bot, the knowledge and the executor may all ask.
"""

from executor.errors.around import Around
from executor.errors.catalogue import (
    HasMessage,
    all_families,
    families_of,
    family_of,
    is_a,
    is_written,
    prepare,
    read,
)
from executor.errors.dtype_names import dtype_named
from executor.errors.family import ErrorFamily, SeenError
from executor.errors.in_a_worker import raised_by_a_worker
from executor.errors.lists import (
    ResizedKey,
    missing_names,
    offered_forms,
    quoted_names,
    resized_keys,
    shapes_named,
)
from executor.errors.moved import (
    Moved,
    MovedArgument,
    moved_argument,
    moved_attribute,
    moved_name,
)
from executor.errors.overloads import OddArgument, marked_argument, odd_argument
from executor.errors.reading import ErrorReading, fitting, read_words, values_of
from executor.errors.sameness import (
    Difference,
    are_of_one_type,
    are_opposite,
    differences,
    is_gone,
    same_family,
    same_names,
    same_numbers,
)
from executor.errors.topics import is_about_dtypes, topic_of, wanted_of
from executor.errors.tried import untried
from executor.errors.warnings import is_a_notice, is_a_warning, tells_of_a_mistake

__all__ = [
    "Around",
    "Difference",
    "ErrorFamily",
    "ErrorReading",
    "HasMessage",
    "Moved",
    "MovedArgument",
    "OddArgument",
    "ResizedKey",
    "SeenError",
    "all_families",
    "are_of_one_type",
    "are_opposite",
    "differences",
    "dtype_named",
    "families_of",
    "family_of",
    "fitting",
    "is_a",
    "is_a_notice",
    "is_a_warning",
    "is_about_dtypes",
    "is_gone",
    "is_written",
    "marked_argument",
    "missing_names",
    "moved_argument",
    "moved_attribute",
    "moved_name",
    "odd_argument",
    "offered_forms",
    "prepare",
    "quoted_names",
    "raised_by_a_worker",
    "read",
    "read_words",
    "resized_keys",
    "same_family",
    "same_names",
    "same_numbers",
    "shapes_named",
    "tells_of_a_mistake",
    "topic_of",
    "untried",
    "values_of",
    "wanted_of",
]
