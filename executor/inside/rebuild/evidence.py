"""Read from a posted error what a rebuild can go by: its line, the names in it, its sizes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from executor.errors import SeenError, family_of, shapes_named
from executor.inside.rebuild.printed import printed_tensors
from executor.protocol import PostedFrame, RebuildOrder

LOSSES = {
    "cross_entropy": "CrossEntropyLoss",
    "nll_loss": "NLLLoss",
    "nll_loss_nd": "NLLLoss",
    "binary_cross_entropy": "BCELoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "mse_loss": "MSELoss",
    "l1_loss": "L1Loss",
    "smooth_l1_loss": "SmoothL1Loss",
    "kl_div": "KLDivLoss",
    "ctc_loss": "CTCLoss",
}
# The loss that raises an error of this family, where no frame names it.
_LOSS_OF = {
    "loss_one_dimension": "CrossEntropyLoss",
    "loss_batch_sizes": "CrossEntropyLoss",
    "loss_target_shape": "CrossEntropyLoss",
    "loss_spatial_target": "CrossEntropyLoss",
    "loss_spatial_sizes": "CrossEntropyLoss",
    "loss_target_dimensions": "CrossEntropyLoss",
    "loss_index_dtype": "CrossEntropyLoss",
    "class_out_of_bounds": "CrossEntropyLoss",
    "loss_sizes": "BCELoss",
    "loss_range": "BCELoss",
}
_DTYPES = {
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Byte": "uint8",
    "Char": "int8",
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "Bool": "bool",
}
_DTYPE = re.compile(
    rf"\b(?:torch\.)?(?:cuda\.)?({'|'.join(_DTYPES)})(?:Tensor)?\b|"
    r"\b(float32|float64|float16|int64|int32|uint8|bool|double|long)\b"
)
_SAME = {"double": "float64", "long": "int64"}
# "[torch.cuda.LongTensor of size 3x2 (GPU 0)]", as tensors were once printed.
_PRINTED = re.compile(r"Tensor of size (\d+(?:x\d+)*)")
_MARKED = re.compile(r"#.*\b(?:error|Error|exception|fails?|crash|issue)", re.IGNORECASE)
_RANK = re.compile(r"\b(\d)-?[dD](?:imensional)?\b|\bdim\w*\W{1,3}(\d)\b")
_NUMERAL = re.compile(r"\d")
_BLANK = re.compile(r"\s+")


_NOTHING_RUN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Posted:
    """The posted error, read against the snippet."""

    def __init__(self, order: RebuildOrder, tree: ast.Module) -> None:
        self.error = order.error
        self.family: SeenError | None = family_of(order.error.type, order.error.message)
        self.code = order.code
        lines = quoted_lines(order.code, order.error.frames)
        self.lines = _begun(lines | frozenset(order.reach), tree)
        named = shapes_named(order.error.message)
        own = self.family.sizes("weight") if self.family is not None else ()
        self.shapes = [shape for shape in named if shape != tuple(own)]  # a layer's is no input's
        shown = shapes_named(_PRINTED.sub(r"[\1]", order.text))
        self.printed = [s for s in shown if s not in self.shapes]
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.shown = printed_tensors(order.text, read)
        self.literals = _literal_shapes(tree)
        self.dtypes = _dtypes(order.error.message)
        self.ranks = _ranks(self.family, order.error.message)
        self._tree = tree
        self._names: dict[frozenset[int], frozenset[str]] = {}
        self.names = self.names_at(self.lines)
        self.loss = _loss(order.error.frames, self.id)
        self.below = _below(order.error.frames)
        self.loaded = _loaded(tree)

    def names_at(self, lines: frozenset[int]) -> frozenset[str]:
        """The names that some lines of the snippet read, with `self.x` as such."""
        if lines not in self._names:
            found = set()
            for node in ast.walk(self._tree):
                if getattr(node, "lineno", None) not in lines:
                    continue
                if isinstance(node, ast.Name):
                    found.add(node.id)
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    found.add(f"{node.value.id}.{node.attr}")
            self._names[lines] = frozenset(found)
        return self._names[lines]

    @property
    def id(self) -> str:
        """Its family; empty where the catalogue does not know it."""
        return self.family.id if self.family is not None else ""

    @property
    def undefined(self) -> str:
        """The name that was not defined there, where that is the error: it gets no value."""
        name_undefined = self.family is not None and self.id == "name_undefined"
        return self.family["name"] if self.family is not None and name_undefined else ""

    @property
    def lacks_its_name(self) -> bool:
        """Whether the name that was not defined is nowhere read: it was in other code."""
        read = {n.id for n in ast.walk(self._tree) if isinstance(n, ast.Name)}
        return bool(self.undefined) and self.undefined not in read

    @property
    def has_dataset(self) -> bool:
        """Whether the class that gives the samples was posted."""
        return any(isinstance(n, ast.FunctionDef) and n.name == "__getitem__"
                   for n in ast.walk(self._tree))  # fmt: skip

    @property
    def does_something(self) -> bool:
        """Whether the code does more than to define and to import."""
        text = (n for n in self._tree.body if not isinstance(n, _NOTHING_RUN))
        return any(not isinstance(getattr(n, "value", None), ast.Constant) for n in text)

    @property
    def names_values(self) -> bool:
        """Whether the message says of which sizes or dtypes something was."""
        return bool(self.dtypes) or _NUMERAL.search(self.error.message) is not None

    @property
    def lacks_backward(self) -> bool:
        """Whether a gradient is None, and what would compute gradients was not posted.

        It is None in any such program, whatever it was in theirs.
        """
        nodes = list(ast.walk(self._tree))
        reads = any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in nodes)
        called = {n.func.attr for n in nodes
                  if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}  # fmt: skip
        return self.id == "none_attribute" and reads and not called & {"backward", "grad"}

    @property
    def goes_back_once(self) -> bool:
        """Whether a graph was used twice, and the posted code uses each once.

        Then a cell was run again, or a loop around it is missing.
        """
        if self.id != "freed_graph":
            return False
        loops = (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ListComp)
        if any(isinstance(node, loops) for node in ast.walk(self._tree)):
            return False
        return sum(isinstance(n, ast.Call) and getattr(n.func, "attr", "") in {"backward", "grad"}
                   for n in ast.walk(self._tree)) <= 1  # fmt: skip

    @property
    def speaks_of_devices(self) -> bool:
        """Whether it needs a GPU, be it a simulated one."""
        return self.id in _DEVICES

    def number(self, name: str) -> int | None:
        """A number that the message names."""
        said = self.family[name] if self.family is not None else ""
        return int(said) if said.removeprefix("-").isdigit() else None


_DEVICES = frozenset(
    {"devices_differ", "argument_devices", "constructor_device", "layer_devices",
     "rnn_devices", "index_device", "numpy_of_cuda", "generator_device", "gradient_device",
     "devices", "cuda_ordinal", "cuda_checkpoint", "ddp_devices", "pinned_on_gpu"}
)  # fmt: skip


def quoted_lines(code: str, frames: Iterable[PostedFrame]) -> frozenset[int]:
    """The snippet's lines that a frame quotes: those of the innermost frame that is in it."""
    lines = [_bare(line) for line in code.splitlines()]
    for frame in reversed([f for f in frames if f.own and f.code.strip()]):
        quoted = _bare(frame.code)
        found = frozenset(n for n, line in enumerate(lines, start=1) if line and line == quoted)
        if found:
            return found
    marked = [n for n, line in enumerate(code.splitlines(), start=1) if _MARKED.search(line)]
    own = [n for n in marked if lines[n - 1]]
    return frozenset(own) if len(own) == 1 else frozenset()


def _begun(lines: frozenset[int], tree: ast.Module) -> frozenset[int]:
    """The lines, and where their statements begin: old versions of Python quote a call's last."""
    plain = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
    firsts = (
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, plain)
        and any(node.lineno < line <= (node.end_lineno or 0) for line in lines)
    )
    return lines.union(firsts)


def _loaded(tree: ast.Module) -> list[tuple[str, str]]:
    """What `load_state_dict` is given: a name, and the key under which it is read of it."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load_state_dict":
            given = node.args[0] if node.args else None
            key = given.slice if isinstance(given, ast.Subscript) else None
            name = given.value if isinstance(given, ast.Subscript) else given
            if isinstance(name, ast.Name):
                found.append((name.id, str(key.value) if isinstance(key, ast.Constant) else ""))
    return found


def _below(frames: Iterable[PostedFrame]) -> frozenset[str]:
    """The functions and file names of the library's frames below the person's last one."""
    found: list[str] = []
    for frame in frames:
        if frame.own:
            found = []
        else:
            found += [frame.function, frame.file.replace("\\", "/").rpartition("/")[2]]
    return frozenset(found)


def _literal_shapes(tree: ast.Module) -> list[tuple[int, ...]]:
    """The tuples and lists of whole numbers in the code: they may be shapes."""
    found: list[tuple[int, ...]] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Tuple, ast.List)) and 2 <= len(node.elts) <= 5:
            sizes = [e.value for e in node.elts if isinstance(e, ast.Constant)]
            if len(sizes) == len(node.elts) and all(type(n) is int and 0 < n < 5000 for n in sizes):
                shape = tuple(n for n in sizes if isinstance(n, int))
                found += [shape] if shape not in found else []
    return found[:4]


def _bare(line: str) -> str:
    text = line.split("#")[0] if line.count('"') + line.count("'") == 0 else line
    return _BLANK.sub("", text)


def _dtypes(message: str) -> list[str]:
    found: list[str] = []
    for match in _DTYPE.finditer(message[:2000]):
        name = _DTYPES.get(match[1]) if match[1] else _SAME.get(match[2], match[2])
        if name and name not in found:
            found.append(name)
    return found


def _ranks(family: SeenError | None, message: str) -> list[int]:
    """How many dimensions the message says that something has."""
    found = [int(a or b) for a, b in _RANK.findall(message[:2000])]
    if family is not None and family.id == "dimension_out_of_range" and family["high"].isdigit():
        found = [int(family["high"]) + 1]
    return [rank for rank in dict.fromkeys(reversed(found)) if rank < 6]  # "got" comes last


def _loss(frames: Iterable[PostedFrame], family: str) -> str:
    for frame in reversed(list(frames)):
        if not frame.own and frame.function in LOSSES:
            return LOSSES[frame.function]
    return _LOSS_OF.get(family, "")
