"""Say whether a program is meant, and for PyTorch: no test, nor one for a library that is like it.

Libraries that people write to learn how PyTorch works have its names and rules of their own: what
their `backward()` adds up, and what their losses take, is not known here. And a test does much on
purpose that would be wrong elsewhere.
"""

from __future__ import annotations

import ast
import sys

from executor.inside.remarks.syntax import walk

_NAMES = frozenset(
    [
        "Adam", "AdamW", "BCELoss", "Conv1d", "Conv2d", "CrossEntropyLoss", "Dropout", "Linear",
        "MSELoss", "Module", "NLLLoss", "Parameter", "RMSprop", "ReLU", "SGD", "Sequential",
        "Sigmoid", "Softmax", "Tanh", "Tensor",
    ]
)  # fmt: skip
_USUAL = ("torch", "nn", "F", "optim")  # names under which the parts of PyTorch are known


def is_meant_for_pytorch(tree: ast.Module) -> bool:
    """Whether it is no test, and the layers and optimizers of PyTorch's names are PyTorch's."""
    imported: dict[str, str] = {}  # name → the package that it is from
    of_them: set[str] = set()  # packages of which one of these very names is taken
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for a in node.names:
                imported[a.asname or a.name.partition(".")[0]] = a.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            package = node.module.partition(".")[0]
            imported |= {a.asname or a.name: package for a in node.names}
            if any(a.name in _NAMES for a in node.names):
                of_them.add(package)
    if "pytest" in imported.values():
        return False
    if "torch" in imported.values():
        return True
    bound = {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in walk(tree) if isinstance(n, ast.arg)}
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            base = node.value.id
            if base in _USUAL and base not in bound | imported.keys():
                return True  # an excerpt of a program whose imports were left out
            if node.attr in _NAMES and base not in bound:
                of_them.add(imported.get(base, base))
    return not of_them - sys.stdlib_module_names
