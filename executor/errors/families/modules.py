"""Modules: how they are set up, what their slots hold, and weights that are loaded."""

import pickletools
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from executor.errors.around import OF_A_TENSOR
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import ResizedKey, quoted_names, resized_keys

# The weights among the parts of a whole checkpoint, as people call them.
_OF_A_CHECKPOINT = re.compile(r"(?:\w+_)?(?:state_dict|state|model|net|network|weights)")
# What stands beside the weights in a checkpoint, and is no name of a weight.
_BESIDE = re.compile(
    r"(?:global_)?(?:epochs?|iter(?:ation)?s?|steps?)|\w{0,20}optim\w{0,20}|opt(?:_\w{1,20})?"
    r"|\w{0,20}sched\w{0,20}|args|config|hyper_parameters|best_\w{1,20}"
)
# What tools put into the names of weights: the tool, the pattern, what did it, what loads them.
_PUT_IN = (
    (
        "counted",
        r"(?:total_ops|total_params)$",
        "thop's profile puts it there while it counts",
        "They are counters and no weights: leave them out, `{{k: v for k, v in state.items() if "
        "not k.endswith(('total_ops', 'total_params'))}}`, and profile a copy of the model",
    ),
    (
        "adapters",
        r"\.(?:lora_[AB]|lora_embedding|base_layer)\b|^base_model\.model\.",
        "PEFT's adapters do it",
        "Build the base model, and put the adapter on it in the same way: "
        "`PeftModel.from_pretrained(model, folder)`; or merge it before saving, "
        "`model.merge_and_unload()`",
    ),
    (
        "quantized",
        r"\.(?:absmax|quant_map|nested_absmax|SCB|qweight|qzeros|quant_state\S*)$",
        "the weights are quantized there",
        "Make the model with the same quantization: `from_pretrained` with the configuration that "
        "it was quantized with, and no load_state_dict into a plain model",
    ),
    (
        "pruned",
        r"(?:weight|bias)_(?:orig|mask)$",
        "torch.nn.utils.prune does it",
        "Make it permanent before saving, `prune.remove(module, 'weight')`, or prune the model "
        "likewise before loading",
    ),
    (
        "parametrized",
        r"\bweight_(?:[guv]|orig)$|\.parametrizations?\.",
        "weight_norm, spectral_norm or another parametrization does it",
        "Apply the same to the model before loading, in the same version: the one in "
        "`torch.nn.utils.parametrizations` names them otherwise than the one before it",
    ),
)
_OF_POSITIONS = re.compile(r"(?:^|[._])pos(?:ition\w*|_?emb\w*|_?enc\w*)?(?:[._]|$)")
_CUT = re.compile(r"\.{3}|…")
_COMPILED = "_orig_mod."  # what torch.compile puts before the names of a module's weights
# Bytes that are characters, and none of the operations that a pickle is made of.
_CHARACTER = "|".join(map(str, set(range(32, 127)) - {ord(o.code) for o in pickletools.opcodes}))
_NO_OPERAND = rf"\bunsupported operand (?:{_CHARACTER})\b"
_NAMES = r'"[^"\n]*"(?:, ?"[^"\n]*")*'


def _keys(seen: SeenError, message: str) -> Mapping[str, str]:
    """The first names that differ, their number, and whether a wrapper's prefix is all."""
    missing, unexpected = quoted_names(seen["missing"]), quoted_names(seen["unexpected"])
    values: dict[str, str] = {}
    # People cut long lists, and torch 0.1 to 0.3 named the first key alone.
    few = "at least " if _CUT.search(message) or "Error(s)" not in message else ""
    if missing:
        values |= {"missing_first": missing[0], "missing_count": f"{few}{len(missing)}"}
    if unexpected:
        count = f"{few}{len(unexpected)}"
        values |= {"unexpected_first": unexpected[0], "unexpected_count": count}
    flat = any("." in name for name in unexpected)  # the weights stand among the rest
    beside = [name for name in unexpected if _BESIDE.fullmatch(name) and not flat]
    entries = [name for name in unexpected if name not in beside]
    likely = [name for name in unexpected if _OF_A_CHECKPOINT.fullmatch(name)]
    if part := next(iter(likely or (entries if beside else ())), ""):
        values |= {"part": part}
    if beside:
        values |= {"beside": beside[0]}
    if missing and unexpected:
        if unexpected[0] == f"module.{missing[0]}":
            values |= {"prefix": "file"}
        if missing[0] == f"module.{unexpected[0]}":
            values |= {"prefix": "model"}
        if "prefix" not in values and set(map(_unwrapped, unexpected)) <= set(
            map(_unwrapped, missing)
        ):
            values |= {"prefix": "place"}
    values |= _put_in(missing, unexpected)
    if any(name.startswith(_COMPILED) for name in unexpected):
        return values | {"prefix": "compiled_file"}
    if any(name.startswith(_COMPILED) for name in missing):
        return values | {"prefix": "compiled_model"}
    if "prefix" not in values and (pair := _renamed(missing, unexpected)):
        values |= {"now": pair[0], "was": pair[1]}
    resized = next((key for key in resized_keys(message) if key.saved), None)
    if resized is not None:
        values |= {
            "resized_first": resized.name,
            "saved": resized.saved,
            "current": resized.current,
            **_rows_differ(resized),
        }
    return values


def _put_in(missing: Sequence[str], unexpected: Sequence[str]) -> Mapping[str, str]:
    """The tool that put something into all names of one side, and which side that is."""
    for names, side in ((unexpected, "file"), (missing, "model")):
        for tool, pattern, _, _ in _PUT_IN:
            if names and all(re.search(pattern, name) for name in names):
                return {"tool": tool, "added_in": side}
    return {}


def _rows_differ(key: ResizedKey) -> Mapping[str, str]:
    """How many rows a weight has in the file and in the model, where nothing else of it differs."""
    saved, current = (re.findall(r"\d+", shape) for shape in (key.saved, key.current))
    layer = key.name.removesuffix(".weight")
    differ = [n for n, (a, b) in enumerate(zip(saved, current, strict=False)) if a != b]
    if len(saved) == len(current) and len(differ) == 1:
        sizes = {"saved_rows": saved[differ[0]], "current_rows": current[differ[0]], "layer": layer}
        if _OF_POSITIONS.search(key.name.lower()):
            of_width = len(saved) > 1 and differ == [len(saved) - 1]
            return {**sizes, "kind": "width" if of_width else "positions"}
        if len(saved) in (4, 5) and differ == [1]:
            return {**sizes, "kind": "channels"}
    if len(saved) != 2 or len(current) != 2 or saved[1] != current[1]:
        return {}
    rows = {"saved_rows": saved[0], "current_rows": current[0], "row": saved[1], "layer": layer}
    return {**rows, "kind": "words" if "embed" in key.name.lower() else "outputs"}


def _renamed(missing: Sequence[str], unexpected: Sequence[str]) -> tuple[str, str] | None:
    """How the first missing names begin in the model and in the file, where the rest is equal."""
    had = set(unexpected)
    for name in missing[:1]:
        like = max(unexpected, key=lambda other: _equal_parts(name, other), default="")
        equal = _equal_parts(name, like)
        if not equal:
            return None
        rest = ".".join(name.split(".")[-equal:])
        now, was = name.removesuffix(rest), like.removesuffix(rest)
        group = [other.removeprefix(now) for other in missing if other.startswith(now)]
        if len(group) > 1 and all(was + end in had for end in group):
            return now, was
    return None


def _equal_parts(a: str, b: str) -> int:
    """How many of the last parts of two dotted names are equal."""
    pairs = zip(reversed(a.split(".")), reversed(b.split(".")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _unwrapped(name: str) -> str:
    """A weight's name without what wrappers such as DataParallel put into it."""
    return ".".join(part for part in name.split(".") if part != "module")


# What a checkpoint holds beside weights, where a post calls it an unexpected key.
_CHECKPOINT = (
    r"[Uu]nexpected key[^\n]{0,200}['\"‘“`](?:epoch|\w{0,20}optim\w{0,20}|"
    r"\w{0,20}state_dict)['\"’”`]"
)

_OF_A_MODULE = (
    r"eval|train|parameters|state_dict|load_state_dict|forward|modules|children|named_\w+"
    r"|zero_grad|predict|requires_grad_"
)
_ONLY_A_TENSORS = rf"(?!(?:to|cuda|cpu|float)$)(?:{OF_A_TENSOR})"
_PYTHON_2 = r"iteritems|itervalues|iterkeys|has_key"
_LOAD = (
    "Make the model first, then load: `model = Net(); model.load_state_dict(torch.load(path)); "
    "model.eval()`"
)
# The last frame is that of the method itself.
_LEFT_TO_OTHERS = (
    (r"module\.py _?forward\w*\s*\Z", "forward", "nn.Module"),
    (r"dataset\.py __getitem__\s*\Z", "__getitem__", "Dataset"),
)

# How a parameter is made, and not replaced: by its function, in a list, in a constructor.
_MADE_WITH_A_TENSOR = (
    ("line", r"\bregister_parameter\("),
    ("name", r"\d+"),
    ("frames", r"\bcontainer\.py (?:append|extend|__init__|__setitem__|update)\b"),
    ("frames", r" __init__\nmodule\.py __setattr__\Z"),
)

FAMILIES = (
    ErrorFamily(
        id="module_before_init",
        says="A module is given a layer or a parameter before super().__init__() has run.",
        decides=True,
        means=("A module is given a {what} before `super().__init__()` has run",),
        remedy=(
            "Put `super().__init__()` first in `__init__`, with both pairs of parentheses; in the "
            "old form it names the class itself, `super(Net, self).__init__()`, and no base of it",
        ),
        types=("AttributeError",),
        today=(
            r"cannot assign (?P<what>module|parameters?|buffer) before Module\.__init__\(\) call",
            r"before Module\.__init__|super\(\)\.__init__\(\) (?:call )?not",
        ),
        values={"what": "module, parameters or buffer"},
        sample=(
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        self.fc = nn.Linear(2, 2)\n\n"
            "Net()"
        ),
    ),
    ErrorFamily(
        id="module_never_set_up",
        says="A module is used whose super().__init__() never ran.",
        means=("`super().__init__()` of the module never ran: {name} is looked for in vain",),
        remedy=(
            "Call `super().__init__()` first in `__init__`: check the spelling, with two "
            "underscores on each side and both pairs of parentheses. If the object was loaded from "
            "a file whole, another version of torch made it: load a state_dict",
        ),
        types=("AttributeError",),
        today=(
            r"'(?P<type>(?!(?:function|method|type|str|list|tuple|dict|OrderedDict|NoneType)')\w+)"
            r"' object has no attribute '(?P<name>_(?:backward_hooks|parameters|modules|buffers))'",
        ),
        values={"type": "class of the module", "name": "what is missing"},
        sample=(
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        pass\n\n"
            "    def forward(self, x):\n"
            "        return x\n\n"
            "Net()(torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="parameter_slot",
        says="Something else is assigned where a module has a parameter, a buffer or a module.",
        means=(
            Sentence(
                "`{name}` of a module is a layer, and a tensor is assigned to it | in forward the "
                "layer's result is stored under the layer's own name",
                {"slot": r".*module", "given": r"torch\..*Tensor"},
            ),
            *(
                Sentence(
                    "A parameter `{name}` is to be made of a plain tensor, and only an "
                    "`nn.Parameter` may become one",
                    {"slot": r"parameter", "given": r"torch\..*Tensor", where: pattern},
                )
                for where, pattern in _MADE_WITH_A_TENSOR
            ),
            "`{name}` of a module is its {slot}, and is assigned a {given}",
        ),
        remedy=(
            Sentence(
                "To move a layer, move it whole, `layer.to(device)`, which keeps its parameters "
                "what they are",
                {"slot": r"parameter", "line": r"([\w.]+) *= *\1\.(?:cuda|to|cpu|half)\("},
            ),
            Sentence(
                "If the two layers are to share one weight, leave the slot as it is and compute "
                "with the other's in forward: `F.linear(x, self.other.weight.t(), self.bias)`. "
                "`nn.Parameter(…)` of it would be a second weight, which goes its own way",
                {"slot": r"parameter", "line": r"\.weight *= *[\w.]+\.weight\.(?:t\(\)|T\b|data)"},
            ),
            *(
                Sentence(
                    "Make it one: `nn.Parameter(x)`, which trains once the optimizer has it. A "
                    "`ParameterList` does so by itself since torch 1.12. Where no gradient is to "
                    "go into it, `register_buffer`",
                    {"slot": r"parameter", "given": r"torch\..*Tensor", where: pattern},
                )
                for where, pattern in _MADE_WITH_A_TENSOR
            ),
            Sentence(
                "If it is a value to begin with, or an update by hand: `with torch.no_grad(): "
                "layer.{name}.copy_(x)`, which leaves the optimizer its parameter. If it is "
                "computed and gradients are to go through it, hand it to the function: "
                "`F.linear(x, weight, bias)`, or `torch.func.functional_call`; `nn.Parameter(x)` "
                "would cut them off",
                {"slot": r"parameter"},
            ),
            Sentence(
                "Give the result a name of its own: `x = self.{name}(x)` for `self.{name} = "
                "self.{name}(x)`",
                {"slot": r".*module", "given": r"torch\..*Tensor"},
            ),
            Sentence(
                "Assign a module there (a list of layers as `nn.ModuleList(…)`), or give the value "
                "another name; to change a layer's weights, write into its parameters",
                {"slot": r".*module"},
            ),
            "Assign a tensor there, or give the value another name",
        ),
        types=("TypeError",),
        today=(
            r"cannot assign '(?P<given>[\w.]+)'(?: object)? (?:as|to) "
            r"(?P<slot>parameter|child module|module|buffer) '(?P<name>\w+)'(?: "
            r"\((?P<expected>[^()\n]{1,80})\))?",
        ),
        values={
            "given": "type of what is assigned",
            "slot": "parameter, child module, module or buffer",
            "name": "of the slot",
            "expected": "what belongs there",
        },
        sample="nn.Linear(2, 2).weight = torch.ones(2, 2)",
    ),
    ErrorFamily(
        id="state_dict",
        says="Weights that are loaded do not go with the model's: other names or other shapes.",
        means=(
            Sentence(
                "The file holds a whole checkpoint, and not the weights alone: entries such as the "
                "epoch or the optimizer's state are taken for names of weights",
                {"words": _CHECKPOINT},
            ),
            Sentence(
                "The file holds a whole checkpoint, and not the weights alone: entries such as "
                "`{beside}` are taken for names of weights",
                {"beside": r".+"},
            ),
            *(
                Sentence(f"{text}: {does}", {"tool": tool, "added_in": side})
                for tool, _, does, _ in _PUT_IN
                for side, text in (
                    (
                        "file",
                        "The file has `{unexpected_first}` and the model has not "
                        "({unexpected_count} such keys)",
                    ),
                    (
                        "model",
                        "The model has `{missing_first}` and the file has not ({missing_count} "
                        "such keys)",
                    ),
                )
            ),
            Sentence(
                "The file's keys begin with `module.` and the model's do not: it was saved "
                "from inside a wrapper such as DataParallel (`{unexpected_first}` for "
                "`{missing_first}`)",
                {"prefix": r"file"},
            ),
            Sentence(
                "The model's keys begin with `module.` and the file's do not: the model is "
                "inside a wrapper such as DataParallel (`{missing_first}` for "
                "`{unexpected_first}`)",
                {"prefix": r"model"},
            ),
            Sentence(
                "The file's keys begin with `_orig_mod.`: the weights were saved from what "
                "`torch.compile(model)` gives, which holds the model under that name",
                {"prefix": r"compiled_file"},
            ),
            Sentence(
                "The model's keys begin with `_orig_mod.` and the file's do not: the model is what "
                "`torch.compile` gives, which holds the module under that name",
                {"prefix": r"compiled_model"},
            ),
            *(
                Sentence(
                    "The model has `{missing_first}` and the file has not ({missing_count} such "
                    "keys). You name `_orig_mod.`: that is what `torch.compile(model)` puts before "
                    "the names, since what it gives holds the model under that name, and a "
                    "state_dict saved from it has it",
                    {where: r"\b_orig_mod\b", "unexpected": r""},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "The names differ only in where `module.` stands, which a wrapper such as "
                "DataParallel puts in: the model has `{missing_first}`, the file "
                "`{unexpected_first}`, so the two were wrapped at different places",
                {"prefix": r"place"},
            ),
            Sentence(
                "Layers have other names in the file: what begins with `{now}` in the model begins "
                "with `{was}` there, and goes on in the same way (`{missing_first}`)",
                {"now": r".+", "was": r".+"},
            ),
            Sentence(
                "The model's names begin with `{now}` and go on as the file's do "
                "(`{missing_first}`): the model is a part of another one here",
                {"now": r".+"},
            ),
            Sentence(
                "The file's names begin with `{was}` and go on as the model's do "
                "(`{missing_first}`): the model was a part of another one when it was saved",
                {"was": r".+"},
            ),
            (
                "The model has `{missing_first}` and the file has not ({missing_count} "
                "such keys); the file has `{unexpected_first}` and the model has not "
                "({unexpected_count} such keys); `{resized_first}` is {saved} in the file "
                "and {current} in the model"
            ),
            (
                "The model has `{missing_first}` and the file has not ({missing_count} "
                "such keys); the file has `{unexpected_first}` and the model has not "
                "({unexpected_count} such keys)"
            ),
            ("The model has `{missing_first}` and the file has not ({missing_count} such keys)"),
            (
                "The file has `{unexpected_first}` and the model has not "
                "({unexpected_count} such keys)"
            ),
            "`{resized_first}` is {saved} in the file and {current} in the model",
        ),
        remedy=(
            *(Sentence(cure, {"tool": tool, "added_in": r"file"}) for tool, _, _, cure in _PUT_IN),
            Sentence(
                "Load into a model that is as it was when this was saved, without that, and change "
                "it after; in a loop, into a new or undone one each time; or load what was saved "
                "from a model with it",
                {"added_in": r"model"},
            ),
            Sentence(
                "It begins with `module.`, which DataParallel puts before the names: take that "
                "away, `{{k.removeprefix('module.'): v for k, v in state.items()}}`, or wrap the "
                "model before it is loaded",
                {"unexpected": r"\"module\.[\s\S]*", "missing": r""},
            ),
            Sentence(
                "They begin with `module.`, so the model is inside DataParallel or "
                "DistributedDataParallel: load into the model in it, "
                "`model.module.load_state_dict(state)`, or before it is wrapped",
                {"missing": r"\"module\.[\s\S]*", "unexpected": r""},
            ),
            Sentence(
                "Load into the unwrapped model and take the prefix away: "
                "`{{k.removeprefix('module.'): v for k, v in state.items()}}`",
                {"prefix": r"file"},
            ),
            Sentence(
                "Load into the model inside the wrapper: `model.module.load_state_dict(state)`, "
                "or before it is wrapped",
                {"prefix": r"model"},
            ),
            *(
                Sentence(
                    "Take it away while loading: `{{k.removeprefix('_orig_mod.'): v for k, v in "
                    "state.items()}}`. To save without it: `model._orig_mod.state_dict()`, the "
                    "model as it was before it was compiled, or `model.compile()`, which changes "
                    "no names. `strict=False` would leave the model with random weights",
                    chosen,
                )
                for chosen in (
                    {"prefix": r"compiled_file"},
                    {
                        "words": r"\b_orig_mod\b",
                        "unexpected": r"",
                        "missing": r"\"(?!_orig_mod)[\s\S]+",
                    },
                    {
                        "code": r"\b_orig_mod\b",
                        "unexpected": r"",
                        "missing": r"\"(?!_orig_mod)[\s\S]+",
                    },
                )
            ),
            Sentence(
                "Load into the module inside, `model._orig_mod.load_state_dict(state)`, or before "
                "it is compiled",
                {"prefix": r"compiled_model"},
            ),
            Sentence(
                "Load before anything is wrapped, with the wrapper's part taken out of the names: "
                "`{{k.replace('module.', ''): v for k, v in state.items()}}`; wrap the model "
                "after that",
                {"prefix": r"place"},
            ),
            Sentence(
                "Rename the keys before they are loaded: `{{k.replace('{was}', '{now}', 1) if "
                "k.startswith('{was}') else k: v for k, v in state.items()}}`, and likewise for "
                "other groups of layers; `strict=False` would leave them with random weights",
                {"now": r".+", "was": r".+"},
            ),
            Sentence(
                "Load into that part of the model, or put `{now}` before the keys: "
                "`{{'{now}' + k: v for k, v in state.items()}}`; `strict=False` would leave it "
                "with random weights",
                {"now": r".+"},
            ),
            Sentence(
                "Take it away from the keys: `{{k.removeprefix('{was}'): v for k, v in "
                "state.items() if k.startswith('{was}')}}`; `strict=False` would leave the model "
                "with random weights",
                {"was": r".+"},
            ),
            Sentence(
                "The file is a checkpoint that holds more than weights: print `state.keys()`, and "
                "load the part with the weights, perhaps `state['{part}']`",
                {"part": r".+"},
            ),
            Sentence(
                "The file is a whole checkpoint, a dictionary of which the weights are one entry: "
                "print `state.keys()` and load that entry, "
                "`model.load_state_dict(state['model_state_dict'])` under the name that it has "
                "there; the optimizer's entry goes to the optimizer",
                {"words": _CHECKPOINT},
            ),
            Sentence(
                "The file's embedding has {saved_rows} rows and the model's {current_rows}: the "
                "vocabulary is another one than in training. Save the vocabulary with the model, "
                "load it again and make the model with it. With a vocabulary that was built anew "
                "a number stands for another word, so copying the rows that fit would be wrong, "
                "and `strict=False` does not help with sizes",
                {"kind": "words", "saved_rows": r".+"},
            ),
            Sentence(
                "These are positions, {saved_rows} in the file and {current_rows} in the model: it "
                "was made for another length of text, or another size of picture or patch. Build "
                "the model with the setting of training; if another length is meant, interpolate "
                "them to it (timm does so while it loads: `create_model(…, pretrained=True, "
                "img_size=…)`)",
                {"kind": "positions", "saved_rows": r".+"},
            ),
            Sentence(
                "The numbers of positions agree and their width does not, {saved_rows} in the file "
                "and {current_rows} in the model, as of two sizes of one architecture (small, "
                "base, large, huge). Build the model in the size that the file is of, or take the "
                "file for the size that is built; heads and depth differ with it. `strict=False` "
                "lets names be missing, and never sizes differ",
                {"kind": "width", "saved_rows": r".+"},
            ),
            Sentence(
                "`{layer}` is made for {saved_rows} channels in the file and {current_rows} in the "
                "model. If it is the first layer, the inputs have another number of channels than "
                "in training: build it with {saved_rows} and bring the inputs to that, or change "
                "the layer after loading. If it is one further in, the model is of another width",
                {"kind": "channels", "saved_rows": r".+"},
            ),
            Sentence(
                "If another number of classes is meant, `ignore_mismatched_sizes=True` gives this "
                "layer new random values, which have to be trained. If the file is your own "
                "trained model, give `from_pretrained(…, num_labels={saved_rows})`, as in training",
                {"kind": "outputs", "hugging_face": r".+"},
            ),
            Sentence(
                "The file's `{layer}` gives 1000 classes, as many as ImageNet has, and the model's "
                "{current_rows}. Make the model with 1000, load the file, and give it the new "
                "layer after that: `model.{layer} = nn.Linear({row}, {current_rows})`, which is to "
                "be trained. Or leave the entries out (`{{k: v for k, v in state.items() if not "
                "k.startswith('{layer}.')}}`), and load the rest with `strict=False`, which lets "
                "names be missing; sizes it never lets differ",
                {"kind": "outputs", "saved_rows": "1000"},
            ),
            Sentence(
                "The layer was made with another size: `strict=False` does not help with that. "
                "Build the model with the settings of the training run (number of classes, the "
                "vocabulary saved with the model); if another number of classes is meant, leave "
                "this layer's entries out of the dictionary and train it anew",
                {"saved": r".+"},
            ),
            (
                "Compare `list(state)[:5]` with `list(model.state_dict())[:5]`. Names that differ "
                "in a prefix alone are renamed (`module.` is DataParallel's, `_orig_mod.` that of "
                "torch.compile). If they are names of another model, or of another version of it, "
                "build the model exactly as when it was saved. Where only a part is meant to be "
                "loaded, `load_state_dict(state, strict=False)` and print what it returns: what is "
                "missing keeps random values"
            ),
        ),
        suspects=(Suspect(r"load_state_dict"),),
        derive=_keys,
        types=("RuntimeError", "KeyError"),
        today=(r"Error\(s\) in loading state_dict for (?P<model>\w+)",),
        older=(
            r"(?:unexpected key|missing keys) (?:\"[\w.]+\" )?in state_dict",
            r"(?:Unexpected|Missing) key\(s\) in state_dict: ",  # quoted without its head
        ),
        values={
            "model": "class of the model",
            "missing": "names that the model has and the file has not",
            "unexpected": "names that the file has and the model has not",
            "resized": "the first name with another shape in the file",
            "hugging_face": "the setting of transformers that the message names",
        },
        details=(
            rf"Missing key\(s\) in state_dict: (?P<missing>{_NAMES})",
            rf"Unexpected key\(s\) in state_dict: (?P<unexpected>{_NAMES})",
            r"unexpected key (?P<unexpected>\"[\w.]+\") in state_dict",
            r"missing keys in state_dict: \"?\{'(?P<missing>[\w.]+)'",
            r"size mismatch for (?P<resized>[\w.]+):",
            r"(?P<hugging_face>ignore_mismatched_sizes)",
        ),
        sample=(
            "weights = {'fc.weight': torch.ones(3, 2), 'bias': torch.ones(2)}\n"
            "nn.Linear(2, 3).load_state_dict(weights)"
        ),
        examples=(
            "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in "
            'state_dict: "fc.weight". \n\tUnexpected key(s) in state_dict: "module.fc.weight". ',
            "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in "
            'state_dict: "layers.0.conv.weight", "layers.0.conv.bias". \n\tUnexpected key(s) in '
            'state_dict: "layer1.conv.weight", "layer1.conv.bias". ',
            "KeyError: 'unexpected key \"module.fc.weight\" in state_dict'",
        ),
    ),
    ErrorFamily(
        id="state_dict_type",
        says="load_state_dict is given something that is no dictionary.",
        means=("load_state_dict is given a {given} where it takes a dictionary of weights",),
        remedy=(
            Sentence("Give it `torch.load(path)`, not the path", {"given": r"str|pathlib\..*"}),
            Sentence(
                "`state_dict` is a method: call it, `model.state_dict()`",
                {"given": r"(?:builtin_function_or_)?method|function"},
            ),
            Sentence(
                "See what gives it: it ends without `return`, or the entry of the file is empty",
                {"given": r"NoneType"},
            ),
            "If it is a whole model (that is what the file held, or another one is meant), give "
            "its `.state_dict()`",
        ),
        suspects=(Suspect(r"load_state_dict"),),
        types=("TypeError",),
        today=(r"Expected state_dict to be dict-like, got <class '(?P<given>[\w.]+)'>",),
        values={"given": "type of what it got"},
        sample="nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2))",
    ),
    ErrorFamily(
        id="state_dict_as_module",
        says="A dictionary of weights is used as if it were the module.",
        decides=True,
        means=(
            Sentence(
                "`.{name}` is of Python 2: today's dictionaries have none", {"name": _PYTHON_2}
            ),
            Sentence(
                "A dictionary of weights is used as if it were the module: `.{name}` is asked of "
                "it",
                {"name": _OF_A_MODULE},
            ),
            Sentence(
                "A dictionary (an OrderedDict) is used as if it were a tensor: it has no `{name}` "
                "| a model's output that is one, such as those of torchvision's segmentation",
                {"name": _ONLY_A_TENSORS},
            ),
            "A dictionary (an OrderedDict) has no `{name}` | a file held the weights alone, and no "
            "model; or a model gives its output as a dictionary",
        ),
        remedy=(
            Sentence("`.items()` for iteritems, `key in d` for has_key", {"name": _PYTHON_2}),
            Sentence(_LOAD, {"name": _OF_A_MODULE}),
            Sentence(
                "Take the entry that is meant: print `out.keys()`; torchvision's segmentation "
                "models have `out['out']`",
                {"name": _ONLY_A_TENSORS},
            ),
            f"If it is what `torch.load` gave: {_LOAD[0].lower()}{_LOAD[1:]}. If it is a model's "
            "output, take the entry that is meant: print `out.keys()`",
        ),
        suspects=(Suspect(r"load", "gives a dictionary"),),
        types=("AttributeError",),
        today=(r"'(?:collections\.)?OrderedDict' object has no attribute '(?P<name>\w+)'",),
        values={"name": "what is asked of it"},
        sample="nn.Linear(2, 2).state_dict().eval()",
    ),
    ErrorFamily(
        id="weights_only",
        says="torch.load finds more than tensors in a file, and reads no more unless told to.",
        means=(
            Sentence(
                "The file is no checkpoint but text: the byte {byte} that torch.load stumbles over "
                "is a character, as in what a download left in its place (a Git LFS pointer begins "
                "with v, 118, and a web page with <, 60)",
                {"byte": _CHARACTER},
            ),
            Sentence(
                "The file is no checkpoint but text: the operand that you name is a character, as "
                "in what a download left in its place (a Git LFS pointer begins with v, 118, and a "
                "web page with <, 60)",
                {"words": _NO_OPERAND},
            ),
            Sentence(
                "The file holds a bound method, as `torch.save(model.state_dict, path)` leaves "
                "it: the parentheses of `state_dict()` are missing where it was saved",
                {"object": r"getattr"},
            ),
            (
                "torch.load reads only tensors and plain containers unless told otherwise "
                "(since 2.6), and the file holds {object}"
            ),
            (
                "torch.load reads only tensors and plain containers unless told otherwise "
                "(since 2.6), and the file holds more"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Look at its size and its beginning (`open(path, 'rb').read(100)`), and fetch "
                    "the file itself: `git lfs pull`, or the link to the file and not to its page; "
                    "neither `weights_only=False` nor another version reads it",
                    text,
                )
                for text in ({"byte": _CHARACTER}, {"words": _NO_OPERAND})
            ),
            Sentence(
                "This line calls torch.load inside of a library: a newer version of it may be made "
                "for torch 2.6. Where you trust the file (it can run code), the environment "
                "variable `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1` lets it through; else allow the "
                "class with `torch.serialization.add_safe_globals([…])`",
                {"line": r"^(?!.*\bload\w*\()(?=.*\w\()"},
            ),
            Sentence(
                "Save `model.state_dict()`, with its parentheses. From the file that is there, if "
                "it is your own and its classes can be imported: `torch.load(path, "
                "weights_only=False)()` gives the weights",
                {"object": r"getattr"},
            ),
            "Where you trust the file (it can run code): `torch.load(path, weights_only=False)`; "
            "else allow that class with `torch.serialization.add_safe_globals([…])`; better save "
            "`model.state_dict()` only",
        ),
        suspects=(Suspect(r"load"),),
        types=("UnpicklingError",),
        today=(r"Weights only load failed", r"^WeightsUnpickler error: Unsupported"),
        values={
            "object": "the first thing in the file that is not read",
            "byte": "that is no operation of a pickle which is read",
        },
        details=(
            r"(?:GLOBAL|Unsupported class) (?P<object>\S+)",
            r"Unsupported operand (?P<byte>\d+)",
        ),
        sample=(
            "import io\n"
            "file = io.BytesIO()\n"
            "torch.save(nn.Linear(2, 2), file)\n"
            "file.seek(0)\n"
            "torch.load(file)"
        ),
    ),
    ErrorFamily(
        id="forward_missing",
        says="A module without a forward is called.",
        means=(
            Sentence("A module of class {class} is called and has no forward", {"class": r".+"}),
            "A module without a forward is called",
        ),
        remedy=(
            "If the class is yours, define `def forward(self, x):` inside it: check its spelling "
            "and that it is indented as a method of the class (not inside __init__, not outside). "
            "A plain `nn.ModuleList` or `nn.ModuleDict` has none either: loop over it",
        ),
        types=("NotImplementedError", "TypeError"),
        today=(
            r'Module \[(?P<class>\w+)\] is missing the required "forward" function',
            r"_forward_unimplemented\(\) (?:got|takes|missing)",
        ),
        breadth=-14,  # otherwise `unexpected_keyword`, which asks for the signature
        values={"class": "of the module"},
        sample="nn.ModuleList()(torch.ones(2))",
    ),
    ErrorFamily(
        id="not_implemented",
        says="A method is called that its class leaves to others.",
        means=(
            *(
                Sentence(f"`{name}` is called, which {base} leaves to your class", {"frames": last})
                for last, name, base in _LEFT_TO_OTHERS
            ),
            "A method is called that its class leaves to others",
        ),
        remedy=(
            *(
                Sentence(
                    f"Define `{name}` in the class: see its spelling, and that it is indented as a "
                    "method (not inside `__init__`, not outside of the class)",
                    {"frames": last},
                )
                for last, name, _ in _LEFT_TO_OTHERS
            ),
            "The traceback's last lines name the method. If the class is yours, define it there: "
            "check spelling and indentation (forward not inside `__init__`); if it is a library's, "
            "it has no such thing for what it is asked",
        ),
        types=("NotImplementedError",),
        today=(r"^$",),
        sample="raise NotImplementedError",
        typed=True,
    ),
    ErrorFamily(
        id="not_a_module",
        says="Something that is no module is put among modules: a class, a list, a function.",
        decides=True,
        means=(
            "A {given} is put among modules, and is none",
            "Something that is no module is put among modules",
        ),
        remedy=(
            Sentence(
                "Unpack it: `nn.Sequential(*layers)`; `nn.ModuleList(layers)` takes a flat list",
                {"given": r"list|tuple|generator|\w*_(?:iterator|values)|map|zip"},
            ),
            Sentence(
                "If a layer was called with its input there, leave the input out: the container "
                "holds layers. If it is a parameter: `nn.ParameterList`, or `self.p = "
                "nn.Parameter(x)`",
                {"given": r"(?:torch\.)?(?:\w+\.)*(?:\w*Tensor|Parameter)"},
            ),
            Sentence(
                "What makes the layer gives None: see whether it ends with `return`",
                {"given": r"NoneType"},
            ),
            Sentence(
                "A function is no layer: use the module that does the same (`nn.ReLU()` for "
                "`F.relu`), or call the function in forward",
                {"given": r"function|builtin_\w+|torch\._\w+\.\w+|torch\.nn\.functional\.\w+"},
            ),
            Sentence(
                "Put layers made by a call into it: `nn.ReLU()`, not `nn.ReLU`",
                {"given": r"torch\.nn\.modules\..*|type"},
            ),
            "If it is a class, make an object of it with parentheses; if it is an object of a "
            "class of yours, derive that class from `nn.Module`",
        ),
        suspects=(Suspect(r"Sequential|ModuleList|ModuleDict|add_module"),),
        types=("TypeError",),
        today=(r"(?P<given>[\w.]{1,200}) is not a Module subclass",),
        values={"given": "its type or name"},
        sample="nn.Sequential(nn.ReLU(), F.relu)",
    ),
    ErrorFamily(
        id="optimizer_setting",
        says="An optimizer is made with a number that it cannot work with.",
        types=("ValueError",),
        today=(
            r"^Invalid (?P<setting>[\w ]{1,40}?)(?: value| parameter at index \d)?: "
            r"(?P<given>[-\w.]+)",
        ),
        values={"setting": "such as learning rate", "given": "its value"},
        sample="torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=-1)",
    ),
    ErrorFamily(
        id="capturable_on_cpu",
        says="A capturable optimizer has parameters or steps on the CPU.",
        means=(
            "The optimizer is capturable, so its parameters and its step counts have to be on the "
            "GPU, and one of them is not",
        ),
        remedy=(
            "Move the model before the optimizer is made; give `capturable=True` to the optimizer "
            "itself and not to one group; or set it to False where no CUDA graph is captured",
        ),
        suspects=(Suspect(r"Adam\w*|RMSprop|Adadelta|load_state_dict"),),
        types=("AssertionError",),
        today=(r"If capturable=True, params and (?:state_)?\w+ must be ",),
        needs="a CUDA device",
        examples=(
            "AssertionError: If capturable=True, params and state_steps must be CUDA tensors.",
        ),
    ),
    ErrorFamily(
        id="capturable",
        says="Adam's loaded state lies on the GPU where torch 1.12.0 wants its steps on the CPU.",
        remedy=(
            "If torch is 1.12.0, upgrade it: 1.12.1 takes such a state. Where it cannot be, after "
            "loading: `for group in optimizer.param_groups: group['capturable'] = True`",
        ),
        types=("AssertionError",),
        today=(r"If capturable=False, state_steps should not be CUDA tensors",),
        needs="a CUDA device",
        examples=("AssertionError: If capturable=False, state_steps should not be CUDA tensors.",),
    ),
    ErrorFamily(
        id="dot_in_a_name",
        says="A module, parameter or buffer is to have a name with a dot in it.",
        means=(
            "`{given}` is to be the name of a {slot}, and such a name holds no dot",
            "The name of a {slot} holds no dot",
        ),
        remedy=(
            "The dot divides the parts of a name (`layer.weight`). Replace it, "
            "`name.replace('.', '_')`, in every place that uses the name: where it is registered, "
            "and where it is looked up",
        ),
        suspects=(Suspect(r"ModuleDict|add_module|register_\w+|ParameterDict"),),
        types=("KeyError",),
        today=(
            r"(?P<slot>module|parameter|buffer) name can\\?'t contain \".\""
            r"(?:, got: (?P<given>[^'\n]{1,80}))?",
        ),
        values={"slot": "module, parameter or buffer", "given": "the name"},
        sample="nn.ModuleDict({'a.b': nn.ReLU()})",
    ),
    ErrorFamily(
        id="super_of_another_class",
        says="`super` names a class that the object is not of.",
        means=(
            "`super(…)` names a class that this object is not of | the line was copied from "
            "another class, or a notebook's cell or a reload has defined the class anew since the "
            "object was made",
        ),
        remedy=(
            "Write `super().__init__()`, which names no class; if the class's own name stands "
            "there, make the object anew from the class as it is now",
        ),
        types=("TypeError",),
        today=(r"super\(type, obj\): obj ",),
        sample=(
            "class A:\n    pass\n\nclass B:\n    def __init__(self):\n"
            "        super(A, self).__init__()\n\nB()"
        ),
    ),
)
