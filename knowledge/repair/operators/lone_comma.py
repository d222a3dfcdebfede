"""Take away the comma behind a value that makes a tuple of it: `rate = 0.1,`.

The failing expression works on a tuple of one, and the code makes it by nothing but a comma.
"""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import computed

ERRORS = ("index_of_one_element",)  # what `tensor * (value,)` takes it for
SPEAKS = "tuple"
KEEPS = (computed(),)


def edits(failure: Failure) -> Rewrites:
    """Every assignment of such a tuple to what is worked on; they belong together."""
    held = {
        node.attr.value if isinstance(node, cst.Attribute) else node.value
        for place in failure.places
        for node in failure.expressions(place.node)
        if isinstance(node, (cst.Name, cst.Attribute))
        and isinstance(value := failure.value(node, place.frame), tuple)
        and len(value) == 1
    }
    commas: Edits = {}
    names = []
    for made in failure.all(cst.Assign):
        name, value = failure.text(made.targets[0].target), made.value
        if not isinstance(value, cst.Tuple) or len(value.elements) != 1 or value.lpar:
            continue
        if name.rpartition(".")[2] in held:
            commas[value] = value.elements[0].value
            names.append(f"`{name}`")
    if commas:
        told = f"{' and '.join(names)} is one value, without the comma that makes a tuple of it"
        yield failure.edit(commas, told, as_one=True)
