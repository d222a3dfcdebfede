"""Supply the imports that fragments often leave out, each listed as an import statement.

Nothing is written into the snippet: the names are put into its namespace before it runs. Only
installed modules are supplied, and only names that have one meaning for everybody who uses PyTorch.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
import types
from collections.abc import Iterable
from typing import Any

from executor.inside.placeholders.names import undefined_names

Known = dict[str, tuple[str, str | None]]


def _modules(names: str) -> Known:
    """`np=numpy` is `import numpy as np`; `math` is `import math`."""
    pairs = (item.partition("=") for item in names.split())
    return {name: (module or name, None) for name, _, module in pairs}


def _from(module: str, names: str) -> Known:
    return {name: (module, name) for name in names.split()}


# name: (module, attribute or None). Measured on 10,800 published snippets: what is left out most.
KNOWN: Known = {
    **_modules(
        "torch nn=torch.nn F=torch.nn.functional optim=torch.optim init=torch.nn.init "
        "lr_scheduler=torch.optim.lr_scheduler autograd=torch.autograd jit=torch.jit "
        "dist=torch.distributed mp=torch.multiprocessing cudnn=torch.backends.cudnn "
        "torchvision models=torchvision.models "
        "transforms=torchvision.transforms datasets=torchvision.datasets torchaudio "
        "transformers accelerate einops torchmetrics"
    ),
    **_modules(
        "np=numpy numpy plt=matplotlib.pyplot matplotlib pd=pandas cv2 sns=seaborn scipy sklearn "
        "nx=networkx tqdm"
    ),
    **_modules(
        "math os sys re random time copy gc glob shutil itertools functools operator collections "
        "json pickle csv io string warnings logging argparse datetime contextlib threading "
        "multiprocessing queue tempfile traceback types typing inspect platform subprocess uuid "
        "hashlib struct bisect heapq statistics textwrap enum weakref dataclasses pathlib timeit "
        "pdb zipfile signal socket base64"
    ),
    **_from("torch", "Tensor tensor"),
    **_from("torch.nn", "Parameter Module Linear Conv2d Sequential ReLU ModuleList"),
    **_from("torch.nn", "CrossEntropyLoss MSELoss BCELoss BCEWithLogitsLoss LSTM GRU Embedding"),
    **_from("torch.nn", "BatchNorm2d Dropout MaxPool2d Flatten LayerNorm DataParallel"),
    **_from("torch.autograd", "Variable Function"),
    **_from("torch.optim", "Adam SGD AdamW Optimizer RMSprop LBFGS Adagrad"),
    **_from(
        "torch.optim.lr_scheduler",
        "StepLR MultiStepLR ExponentialLR CosineAnnealingLR ReduceLROnPlateau OneCycleLR LambdaLR",
    ),
    **_from(
        "torch.utils.data",
        "Dataset DataLoader TensorDataset IterableDataset ConcatDataset Subset Sampler "
        "BatchSampler RandomSampler SequentialSampler SubsetRandomSampler WeightedRandomSampler "
        "random_split default_collate",
    ),
    "DistributedSampler": ("torch.utils.data.distributed", "DistributedSampler"),
    "DDP": ("torch.nn.parallel", "DistributedDataParallel"),
    "DistributedDataParallel": ("torch.nn.parallel", "DistributedDataParallel"),
    **_from(
        "torch.nn.utils.rnn",
        "pad_sequence pack_sequence pack_padded_sequence pad_packed_sequence PackedSequence",
    ),
    **_from("torch.nn.utils", "clip_grad_norm_ clip_grad_value_ spectral_norm weight_norm"),
    **_from("torch.amp", "autocast GradScaler"),
    **_from("torch.distributions", "Categorical Normal Bernoulli MultivariateNormal"),
    "SummaryWriter": ("torch.utils.tensorboard", "SummaryWriter"),
    "checkpoint": ("torch.utils.checkpoint", "checkpoint"),
    **_from("IPython.display", "display clear_output"),
    "Image": ("PIL", "Image"),
    "parameters_to_vector": ("torch.nn.utils", "parameters_to_vector"),
    **_from("pathlib", "Path"),
    **_from("functools", "partial reduce lru_cache wraps"),
    **_from("itertools", "chain product cycle islice repeat permutations combinations"),
    **_from("collections", "defaultdict OrderedDict Counter deque namedtuple"),
    **_from("dataclasses", "dataclass field"),
    **_from("contextlib", "contextmanager nullcontext suppress"),
    **_from("copy", "deepcopy"),
    **_from("abc", "ABC abstractmethod"),
    **_from("enum", "Enum"),
    **_from("datetime", "timedelta"),
    **_from("math", "sqrt ceil floor pi"),
    **_from("io", "BytesIO StringIO"),
    **_from(
        "typing",
        "Any List Dict Tuple Optional Union Callable Sequence Iterable Iterator Generator Set "
        "NamedTuple Literal Type TypeVar Generic Mapping",
    ),
    **_from("sklearn.model_selection", "train_test_split KFold"),
    **_from("sklearn.preprocessing", "StandardScaler MinMaxScaler LabelEncoder"),
    **_from("sklearn.metrics", "accuracy_score f1_score confusion_matrix roc_auc_score"),
    **_from(
        "transformers",
        "AutoModel AutoTokenizer AutoConfig AutoModelForSequenceClassification BertModel "
        "BertTokenizer BertConfig Trainer TrainingArguments GPT2Tokenizer GPT2LMHeadModel",
    ),
}

# These names have no other meaning: even a wrong use of them is the snippet's own mistake.
_CERTAIN = frozenset(
    {"torch", "nn", "F", "np", "plt", "os", "math", "optim", "torchvision", "random", "sys", "time"}
)


def statement(name: str, module: str, attribute: str | None) -> str:
    """The import statement that binds the name."""
    if attribute is None:
        return f"import {module}" if name == module else f"import {module} as {name}"
    renamed = f" as {name}" if attribute != name else ""
    return f"from {module} import {attribute}{renamed}"


def supply(code: str, filename: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Import the well-known names that the code uses and does not define.

    Returns:
        names: to put into the snippet's namespace.
        assumptions: the import statements that would bind them.
    """
    wanted = undefined_names(code, filename) & KNOWN.keys()
    names: dict[str, Any] = {}
    assumptions: list[str] = []
    uses = _uses(code, wanted)
    for name in sorted(wanted):
        module, attribute = _place(name, code)
        try:
            if not _is_installed(module):
                continue
            value = _imported(module, attribute)
        except Exception:  # half-installed packages raise errors of any type
            continue
        if name in _CERTAIN or all(_fits(value, use) for use in uses[name]):
            names[name] = value
            assumptions.append(statement(name, module, attribute))
    return names, tuple(assumptions)


def _imported(module: str, attribute: str | None) -> Any:
    """What `from module import attribute` would bind: an attribute, or else a submodule."""
    found = importlib.import_module(module)
    if attribute is None:
        return found
    if not hasattr(found, attribute):
        return importlib.import_module(f"{module}.{attribute}")
    return getattr(found, attribute)


def _place(name: str, code: str) -> tuple[str, str | None]:
    if name == "tqdm" and "tqdm.tqdm" not in code:
        return "tqdm", "tqdm"
    if name == "datetime" and "datetime.datetime" not in code:
        return "datetime", "datetime"
    return KNOWN[name]


def _is_installed(module: str) -> bool:
    return module in sys.modules or importlib.util.find_spec(module.split(".")[0]) is not None


_Use = tuple[ast.AST, ast.expr]  # (parent, the name itself)


def _uses(code: str, wanted: Iterable[str]) -> dict[str, list[_Use]]:
    uses: dict[str, list[_Use]] = {name: [] for name in wanted}
    if not uses:
        return uses
    for parent in ast.walk(ast.parse(code)):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id in uses:
                uses[child.id].append((parent, child))
    return uses


def _fits(value: object, use: _Use) -> bool:
    """Whether the name is used as this value could be.

    `checkpoint["state"]` is a loaded dict, not torch.utils.checkpoint; `models[0]` is a list.
    Supplying the import there would cause an error that is not the asker's.
    """
    parent, name = use
    if isinstance(parent, ast.Attribute):
        return hasattr(value, parent.attr)
    if isinstance(value, types.ModuleType):
        return False
    if isinstance(parent, ast.Call):
        if _is_typing(value):  # Generator() is somebody's own class
            return parent.func is not name
        return callable(value) if parent.func is name else isinstance(value, type)
    if isinstance(value, (int, float)):
        return True
    if isinstance(parent, ast.Subscript):
        return parent.value is not name or hasattr(value, "__class_getitem__") or _is_typing(value)
    if isinstance(value, type) or _is_typing(value):
        return not isinstance(parent, (ast.For, ast.comprehension, ast.BinOp, ast.Compare))
    # A function is called, or handed over as a decorator.
    return isinstance(parent, (ast.FunctionDef, ast.ClassDef))


def _is_typing(value: object) -> bool:
    return getattr(value, "__module__", "") == "typing"
