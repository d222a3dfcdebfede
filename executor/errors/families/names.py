"""Names that the program itself does not define."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# The import that a name needs, as everybody writes it.
_IMPORTS = {
    "F": "import torch.nn.functional as F",
    "nn": "import torch.nn as nn",
    "optim": "from torch import optim",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "DataLoader": "from torch.utils.data import DataLoader",
    "transforms": "from torchvision import transforms",
    "tqdm": "from tqdm import tqdm",
    **{name: f"import {name}" for name in ("torch", "os", "math", "random", "time", "copy", "cv2")},
}
# Python 2's names → today's.
_PYTHON_2 = {"xrange": "range", "unicode": "str", "raw_input": "input", "basestring": "str"}

FAMILIES = (
    ErrorFamily(
        id="name_undefined",
        says="A name is used that nothing defines.",
        decides=True,
        means=("`{name}` is used and nothing defines it",),
        remedy=(
            Sentence(
                "It needs its import: `from torch.autograd import Variable` (today a "
                "tensor by itself does what Variable did)",
                {"name": r"Variable"},
            ),
            *(
                Sentence(f"It needs its import: `{line}`", {"name": name})
                for name, line in _IMPORTS.items()
            ),
            *(
                Sentence(f"That is of Python 2: today it is `{today}`", {"name": name})
                for name, today in _PYTHON_2.items()
            ),
            Sentence(
                "That is the compiled part of an extension, whose import failed earlier and was "
                "passed over with a warning: read what was printed first, and build the extension "
                "for this torch and CUDA",
                {"name": r"_C|_ext"},
            ),
            Sentence(
                "If it is defined under `if __name__ == '__main__':` or in a notebook's cell: "
                "worker processes that are spawned run neither, so define it in a file, above the "
                "guard, or hand it to the data set. If nowhere, define or import it",
                {"frames": r"\bworker\.py |\bspawn\.py "},
            ),
            Sentence(
                "A notebook has no file: give the folder by hand, or `os.getcwd()`",
                {"name": r"__file__"},
            ),
            (
                "Define or import it above the line; in a notebook run the cell that does; "
                "inside a class it is `self.{name}`"
            ),
        ),
        suspects=(Suspect(r"{name}", "", kinds=("call",)),),
        types=("NameError",),
        today=(r"name '(?P<name>\w+)' is not defined",),
        values={"name": "that is used"},
        sample="model",
    ),
    ErrorFamily(
        id="unbound_local",
        says="A variable of a function is read before it has a value.",
        means=(
            (
                "The variable `{name}` is read in a function before it has a value there | it is "
                "assigned further down, or only in a branch or loop that did not run"
            ),
        ),
        remedy=(
            Sentence(
                "`del {name}` makes the name a local one, like an assignment, and nothing sets it "
                "before: leave the `del` out, or delete what the function did set",
                {"line": r"^\s*del\b"},
            ),
            "See why the branch or loop that sets it did not run: an empty loader, a condition "
            "that no case met, an error that an `except` passed over. If that may be, give it a "
            "value before; a variable of outside that the function changes needs `global {name}` "
            "(or another name)",
        ),
        types=("UnboundLocalError", "NameError"),
        today=(r"cannot access (?P<kind>local|free) variable '(?P<name>\w+)'",),
        older=(r"(?P<kind>local|free) variable '(?P<name>\w+)' referenced before assignment",),
        values={"kind": "local, or free for a function within a function", "name": "of it"},
        sample="def f():\n    x += 1\n\nf()",
        examples=("UnboundLocalError: local variable 'x' referenced before assignment",),
    ),
)
