"""Tensors on different devices."""

import re
from collections.abc import Mapping

from executor.errors.around import REPLICA, Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

# An optimizer's own step: the file that raised it, its line, or the person's.
_OPTIMIZER = (
    ("file", r"(?:\w*adam\w*|sgd|rmsprop|adagrad)\.py"),
    ("words", r"\bexp_avg\b|momentum_buffer"),
    ("line", r"\b(?:optim\w*|opt)\.step\("),
)

_STATE = r"\bexp_avg\w*\.|momentum_buffer"
_STATE_LOADED = r"\boptimi[sz]er\W{1,3}load_state_dict"
# Two parts of one numbered block, `h.26.attn` and `h.26.mlp`, on devices of two numbers.
_ON = r"['\"]\s{0,3}:\s{0,3}['\"]?(?:cuda:)?"
_CUT_BLOCK = (
    rf"\b(\w{{1,30}}\.\d{{1,3}})\.[\w.]{{1,60}}{_ON}(\d)\b[^}}]{{0,600}}?"
    rf"['\".]\1\.[\w.]{{1,60}}{_ON}(?!\2\b)\d"
)
_MOVE_STATE = (
    "Move the model first, `model.to(device)`, then make the optimizer, then load its state: "
    "`optimizer.load_state_dict` brings the state to where the parameters are at that moment. "
    "Where the model has to move later: `for state in optimizer.state.values(): "
    "state.update({{k: v.to(device) for k, v in state.items() if torch.is_tensor(v)}})`"
)
_MOVE_OLD_STATE = (
    "Move the model to the GPU first, then make the optimizer, then load its state. The "
    "oldest versions of torch leave a loaded state where the file has it; then move it too: `for "
    "state in optimizer.state.values(): state.update({{k: v.cuda() for k, v in state.items() if "
    "torch.is_tensor(v)}})`"
)
_COMPARED = re.compile(
    r"(?<![\w.])(?P<self>[A-Za-z_][\w.]*)\.(?:eq|ne|lt|le|gt|ge|add|sub|mul|div)_?\("
    r"(?P<other>[A-Za-z_][\w.]*)\)"
    r"|(?<![\w.\])])(?P<left>[A-Za-z_][\w.]*) ?(?:==|!=|[<>]=?|[-+*/]) ?"
    r"(?P<right>[A-Za-z_][\w.]*)(?![\w.(\[])"
)
_OPERATOR = re.compile(r"==|!=|[<>]=?|[-+*/@%]")
_ADDED = re.compile(r"[-+*/]=")
_A_NUMBER = re.compile(r"\.(?:cpu|item)\(")  # what is added then lies on no GPU


def _sides(seen: SeenError, around: Around) -> Mapping[str, str]:
    """Which name of the line lies where, if one operation stands in it: `other` is its second."""
    line = around.line
    if seen["name"] != "other" or (_ADDED.search(line) and not _A_NUMBER.search(line)):
        return {}
    found = list(_COMPARED.finditer(line))
    if len(found) != 1 or len(_OPERATOR.findall(_ADDED.sub("", line))) > (not found[0]["self"]):
        return {}
    first, second = found[0]["self"] or found[0]["left"], found[0]["other"] or found[0]["right"]
    return {"first_name": first, "second_name": second}


_TARGETS = re.compile(r"nll_loss|cross_entropy|mse|l1_loss|kl_div|bce", re.IGNORECASE)
_LAYERS = re.compile(r"conv|norm|addmm|linear", re.IGNORECASE)
_ROLES = {
    "target": "target",
    "mat1": "input",
    "mat2": "weights",
    "weight": "weights",
    "bias": "weights",
    "running_mean": "weights",
    "running_var": "weights",
}


def _role(seen: SeenError, message: str) -> Mapping[str, str]:
    """What the named argument is to its operation, where it lies, and what stayed on the CPU."""
    argument, method = seen["checked"] or seen["name"], seen["method"]
    # What is found last is named; where a wording names one first, it is that one.
    at, rest = seen["one"], seen["other"]
    if "two devices" in message or seen["first"]:
        at, rest = rest, at
    role = _ROLES.get(argument, "")
    of_a_loss = _TARGETS.search(method) is not None
    if not role or not at or not rest or (role == "target" and method and not of_a_loss):
        return {}
    if of_a_loss:
        return {"role": role if role == "target" else "class weights", "at": at, "rest": rest}
    if not _LAYERS.search(method) or {at.lower(), rest.lower()}.isdisjoint({"cpu"}):
        return {}
    on_the_cpu = {"input": "weights", "weights": "input"}[role] if rest.lower() == "cpu" else role
    return {"behind": on_the_cpu}


def _dtypes_too(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether input and weight are of two dtypes besides."""
    return {"mixed": "yes"} if seen["input"] != seen["weight"] else {}


# Operations that write or read by an index, beside embedding and index_select.
_BY_INDEX = r"\.?(?:scatter|gather|index_add|index_copy|index_fill|take)\w*\("
_NOT_MOVED = (
    "layers in a plain Python list or dict, or made inside forward, are not moved; keep them in "
    "`nn.ModuleList`"
)


def _stays_behind(the_weights: Mapping[str, str], the_input: Mapping[str, str]) -> list[Sentence]:
    """What to do where a layer's weights, or its input, stay on the CPU.

    Args:
        the_weights: values that say that it is the weights.
        the_input: values that say that it is the input.
    """
    return [
        Sentence(
            "The model is moved in what you posted, so this layer is perhaps no registered part "
            f"of it: {_NOT_MOVED}. A layer that is added after `.to(device)` is not moved either",
            {**the_weights, "moved": r"yes"},
        ),
        Sentence(
            "If the model was not moved: `model.to(device)` before the loop. If it was: "
            f"{_NOT_MOVED}",
            the_weights,
        ),
        Sentence(
            "You move tensors in what you posted: print `x.device` right before the layer. "
            "Perhaps the result was not assigned (`x = x.to(device)`; `x.cuda()` alone changes "
            "nothing), or the input is made or changed afterwards on the CPU (numpy, a new tensor "
            "in forward)",
            {**the_input, "moved": r"yes"},
        ),
        Sentence(
            "Move the data in the loop, and assign the result: `x = x.to(device)` (`x.cuda()` "
            "alone changes nothing)",
            the_input,
        ),
    ]


# torchsummary, which puts its input on the GPU; torchinfo asks the model where it lies.
_SUMMARY = r"^(?![\s\S]*\btorchinfo\b)[\s\S]*?(?<![\w.])(?:torchsummary\.)?summary\((?!.*device)"

# What is left on the CPU while the rest is moved.
_STAYS_BEHIND = (
    Suspect(
        r".*",
        "layers in a plain list are not moved with the model: nn.ModuleList",
        kinds=("attribute",),
        value=r"^\[.*\(",
    ),
    Suspect(
        r"zeros|ones|rand|randn|randint|tensor|Tensor|FloatTensor|LongTensor|arange|eye|"
        r"full|empty|linspace|from_numpy|normal",
        "makes a tensor on the CPU unless it is moved later",
        without=("device",),
        then_not=r"to|cuda|type_as|size|shape",
    ),
)

FAMILIES = (
    ErrorFamily(
        id="devices_differ",
        says="Tensors on different devices meet in one operation.",
        look_around=_sides,
        derive=_role,
        means=(
            Sentence(
                "In a copy of the model that DataParallel runs on another GPU, a tensor on {one} "
                "meets one on {other}: it copies parameters and buffers to each GPU and spreads "
                "the inputs, and any other tensor stays where it was made",
                {"one": r"cuda:\d+", "other": r"cuda:\d+", "frames": REPLICA},
            ),
            Sentence(
                "`{second_name}` lies on {one} and `{first_name}` on {other}",
                {"first_name": r".+", "one": r".+", "other": r".+"},
            ),
            Sentence(
                "The target of a loss is on {at} and the predictions on {rest}",
                {"role": r"target"},
            ),
            Sentence(
                "The class weights of a loss are on {at} and the predictions on {rest}",
                {"role": r"class weights"},
            ),
            Sentence(
                "The input of a layer is on the GPU and its weights are on the CPU",
                {"behind": r"weights"},
            ),
            Sentence(
                "The input of a layer is on the CPU and its weights are on the GPU",
                {"behind": r"input"},
            ),
            *(
                Sentence(
                    "The optimizer joins a parameter's gradient with its own state, and one is on "
                    "{one}, the other on {other}",
                    {where: pattern, "one": r".+", "other": r".+"},
                )
                for where, pattern in _OPTIMIZER
            ),
            Sentence(
                "A line of {raised_in} itself, `{raising}`, joins a tensor on {one} with one on "
                "{other}",
                {"raised_in": r".+", "one": r".+", "other": r".+", "raising": r"."},
            ),
            Sentence(
                "One tensor of this operation lies on the GPU ({one}) and another one on the CPU",
                {"one": r"(?i)cuda|gpu", "other": r""},
            ),
            Sentence(
                "One tensor of this operation lies on the GPU ({other}) and another one on the CPU",
                {"other": r"(?i)cuda|gpu", "one": r""},
            ),
            Sentence(
                "Both tensors lie on a GPU, but on two different ones, {one} and {other}; one "
                "operation needs all of them on the same",
                {"one": r"cuda:\d+", "other": r"cuda:\d+"},
            ),
            "One tensor of this operation lies on {one} and another one on {other}",
            "The tensors of one operation lie on different devices",
        ),
        remedy=(
            Sentence(
                "Bring it over in the loop, and assign the result: `target = "
                "target.to(output.device)`",
                {"role": r"target"},
            ),
            Sentence(
                "A loss is moved like a model: `criterion.to(device)`, or `weight=w.to(device)` "
                "where it is made",
                {"role": r"class weights"},
            ),
            *_stays_behind({"behind": r"weights"}, {"behind": r"input"}),
            *(Sentence(_MOVE_STATE, {where: pattern}) for where, pattern in _OPTIMIZER),
            Sentence(
                "Print the device of all that you hand to {raised_in}. If they agree, {raised_in} "
                "makes the other tensor itself: do this step on the CPU and move its result to "
                "the GPU, or take a newer version of {raised_in}",
                {"raised_in": r".+"},
            ),
            Sentence(
                "Look in this line for tensors that are no input, parameter or buffer, such as a "
                "plain attribute, a global or a list of them. Make them `nn.Parameter` (trained) "
                "or a buffer (`self.register_buffer('a', a)`), or bring them to the input's device "
                "in forward, `a = a.to(x.device)`. A device written there, `cuda:0`, is wrong "
                "in all copies but one",
                {"one": r"cuda:\d+", "other": r"cuda:\d+", "frames": REPLICA},
            ),
            *(
                Sentence(
                    "The `device_map` cuts a block in two: parts of it lie on one device, and the "
                    "others on another, and where it adds its input to its output (a skip "
                    "connection) no hook moves anything. Put each block on one device as a whole, "
                    "by its own name; where the map is computed, name the class of the blocks in "
                    "`no_split_module_classes` (`model._no_split_modules` lists it), or let "
                    "`device_map='auto'` do it",
                    {where: _CUT_BLOCK, "one": r".+", "other": r".+"},
                )
                for where in ("code", "words")
            ),
            *(
                Sentence(
                    "`device_map` puts layers on several devices, and hooks of accelerate move "
                    "what goes from one to the next. Your inputs and labels go to where the model "
                    "begins (`model.device`); a tensor made in forward goes to its input's device, "
                    "and a layer that is called by itself, or was put in later, gets its input "
                    "moved by you. If one GPU is enough: `device_map={{'': 0}}`",
                    {where: r"\bdevice_map\b", "one": r".+", "other": r".+"},
                )
                for where in ("code", "line", "words")
            ),
            Sentence(
                "`{first_name} = {first_name}.to({second_name}.device)` before the line (or the "
                "other way round) ends this error; then see what made the one that lies elsewhere. "
                "If it comes only now and then, print both devices in each round: another branch "
                "of the code makes it then",
                {"first_name": r".+", "one": r".+", "other": r".+"},
            ),
            Sentence(
                "Say one device for all: `cuda:0`; with DataParallel the model has to be on "
                "device_ids[0], tensors made in forward on the device of their input "
                "(`x.device`), and a constant tensor of the module a buffer "
                "(`self.register_buffer('a', a)`), which is copied to each GPU",
                {"one": r"cuda:\d+", "other": r"cuda:\d+"},
            ),
            Sentence(
                "Model and data are moved in what you posted, so look for what is not: a tensor "
                "made in forward or in the loss (it needs `device=x.device`), one kept as a plain "
                "attribute (`register_buffer`), layers in a plain list (`nn.ModuleList`), the "
                "labels, or a moved tensor that was not assigned again. `print(x.device)` for "
                "each tensor of the line shows which one it is",
                {"moved": r"yes"},
            ),
            (
                "`print(x.device, next(model.parameters()).device)` before the line shows which "
                "one is left: `model.to(device)` and `x = x.to(device)` move them (a tensor has "
                "to be assigned again). A tensor made in forward needs `device=x.device`, one "
                "kept as an attribute `register_buffer`, and layers in a plain list are not "
                "moved: use `nn.ModuleList`"
            ),
        ),
        now=(
            "Expected all tensors to be on the same device, but found at least two "
            "devices, cuda:0 and cpu!"
        ),
        suspects=_STAYS_BEHIND,
        types=("RuntimeError", "TypeError"),
        today=(
            r"found at least two devices, (?P<one>[\w:]+),? and (?P<other>[\w:]+)",
            r"Expected all tensors to be on the same device, but got (?P<name>\w+) is on "
            r"(?P<one>[\w:]+), different from other tensors on (?P<other>[\w:]+)",
            r"Expected all tensors to be on the same device",
            r"expected (?P<first>\w+) and (?P<name>\w+) to be on the same device, but got \w+ on "
            r"(?P<one>[\w:]+) and \w+ on (?P<other>[\w:]+)",
        ),
        older=(
            r"^expected torch\.(?P<other>cuda)\.\w+Tensor \(got torch\.\w+Tensor\)",
            r"^expected torch\.\w+Tensor \(got torch\.(?P<one>cuda)\.\w+Tensor\)",
            r"Expected object of (?:backend|device type) (?P<other>\w+) but got "
            r"(?:backend|device type) (?P<one>\w+) for argument #\d+ '(?P<name>\w+)'",
            r"[Ee]xpected device (?P<other>[\w:]+) but got device (?P<one>[\w:]+)",
            r"(?:arguments are located|tensors are) on different GPUs",
            r"Expected object of type torch\.(?P<other>cuda)\.\w+Tensor but found type "
            r"torch\.\w+Tensor for argument #\d+ '(?P<name>\w+)'",
            r"Expected object of type torch\.\w+Tensor but found type "
            r"torch\.(?P<one>cuda)\.\w+Tensor for argument #\d+ '(?P<name>\w+)'",
            r"[Ee]xpected (?:a Tensor of )?type torch\.(?P<other>cuda)\.\w+Tensor but "
            r"(?:got|found a type) torch\.\w+Tensor",
            r"[Ee]xpected (?:a Tensor of )?type torch\.\w+Tensor but (?:got|found a type) "
            r"torch\.(?P<one>cuda)\.\w+Tensor",
            r"Tensor for argument #\d+ '(?P<name>\w+)' is on (?P<one>CPU|GPU), but expected "
            r"(?:it|them) "
            r"to be on (?P<other>CPU|GPU)",
            r"Expected tensor to have (?P<other>CPU|CUDA) Backend, but got tensor with "
            r"(?P<one>CPU|CUDA) Backend",
        ),
        details=(
            r"when checking argument(?: for argument (?P<checked>\w+))? in method (?P<method>\w+)",
            r"in call to (?P<method>\w+)",
        ),
        values={
            "checked": "PyTorch's name of the argument at which it was found",
            "method": "PyTorch's name of the function that looked",
            "one": "a device, such as cuda:0",
            "other": "the other device",
            "name": "PyTorch's name of the argument that differs",
            "first": "PyTorch's name of the argument it is compared with",
        },
        sample='torch.ones(2, device="cuda") + torch.ones(2)',
        device="cuda",
        examples=(
            "TypeError: expected torch.FloatTensor (got torch.cuda.FloatTensor)",
            "RuntimeError: Expected all tensors to be on the same device, but found at least two "
            "devices, cuda:0 and cpu! (when checking argument for argument mat1 in method "
            "wrapper_addmm)",
            "RuntimeError: Expected all tensors to be on the same device, but got mat2 is on cpu, "
            "different from other tensors on cuda:0 (when checking argument in method "
            "wrapper_CUDA_mm)",
            "RuntimeError: Expected object of backend CPU but got backend CUDA for argument #2 "
            "'other'",
            "RuntimeError: expected device cuda:0 but got device cpu",
            "RuntimeError: Expected object of type torch.cuda.FloatTensor but found type "
            "torch.FloatTensor for argument #1 'weight'",
            "RuntimeError: Expected object of type torch.FloatTensor but found type "
            "torch.cuda.FloatTensor for argument #2 'mat2'",
            "RuntimeError: expected type torch.cuda.FloatTensor but got torch.FloatTensor",
            "RuntimeError: Expected a Tensor of type torch.FloatTensor but found a type "
            "torch.cuda.FloatTensor for sequence element 1 in sequence argument at position #1 "
            "'tensors'",
            "RuntimeError: Tensor for 'out' is on CPU, Tensor for argument #1 'self' is on CPU, "
            "but "
            "expected them to be on GPU (while checking arguments for addmm)",
            "RuntimeError: Expected tensor to have CPU Backend, but got tensor with CUDA Backend "
            "(while checking arguments for addmm)",
            "RuntimeError: arguments are located on different GPUs at "
            "/pytorch/aten/src/THC/generic/THCTensorMathBlas.cu:232",
        ),
    ),
    ErrorFamily(
        id="argument_devices",
        says="A function gets tensors of the CPU and of a GPU together, in torch's oldest wording.",
        means=(
            *(
                Sentence(
                    "The optimizer joins a parameter's gradient with its own state, and one lies "
                    "on the GPU, the other on the CPU",
                    {where: pattern},
                )
                for where, pattern in (*_OPTIMIZER, ("code", _STATE))
            ),
            Sentence(
                "A function gets tensors of the CPU and of the GPU together; all have to be on one "
                "device | an optimizer's state that was loaded, and lies where its file has it",
                {"words": _STATE_LOADED},
            ),
            "A function gets tensors of the CPU and of the GPU together; all have to be on one "
            "device",
        ),
        remedy=(
            *(
                Sentence(_MOVE_OLD_STATE, {where: pattern})
                for where, pattern in (*_OPTIMIZER, ("code", _STATE), ("words", _STATE_LOADED))
            ),
            Sentence(
                "Model and data are moved in what you posted, so look for what is not: a tensor "
                "made in forward, a plain attribute, layers in a plain list, or a tensor not "
                "assigned again",
                {"moved": r"yes"},
            ),
            "Bring both to one device: `model.cuda()` and `x = x.cuda()`",
        ),
        suspects=_STAYS_BEHIND,
        types=("TypeError", "RuntimeError"),
        older=(
            r"Type torch\.(?P<cuda>cuda)\.\w+Tensor doesn't implement stateless method",
            r"received an invalid combination of arguments - got "
            r"\((?:(?!torch\.cuda)[^()\n]){0,300}"
            r"torch\.(?!cuda)\w+Tensor[^()\n]{0,300}torch\.(?P<cuda>cuda)\.",
            r"received an invalid combination of arguments - got \([^()\n]{0,300}"
            r"torch\.(?P<cuda>cuda)\.\w+Tensor\), but expected one of:"
            r"(?:\s{1,40}\* \((?:(?!torch\.cuda)[^()\n]){0,300}\)"
            r"(?:\s{1,40}didn't match because[^\n]{0,400})?){1,12}\s*$",
            r"received an invalid combination of arguments - got \([^()\n]{0,300}"
            r"torch\.(?P<cuda>cuda)\.\w+Tensor[^()\n]{0,300}torch\.(?!cuda)\w+Tensor",
        ),
        values={"cuda": "the one on a GPU"},
        needs="torch before 0.4; today it is `devices_differ`",
        examples=(
            "TypeError: Type torch.cuda.FloatTensor doesn't implement stateless method addmm",
            "TypeError: torch.index_select received an invalid combination of arguments - got "
            "(torch.cuda.FloatTensor, int, torch.LongTensor)",
            "TypeError: addmm_ received an invalid combination of arguments - got (int, int, "
            "torch.FloatTensor, torch.cuda.FloatTensor), but expected one of:",
            "TypeError: mul_ received an invalid combination of arguments - got "
            "(torch.cuda.FloatTensor), but expected one of:\n * (float value)\n      didn't match "
            "because some of the arguments have invalid types: (torch.cuda.FloatTensor)\n * "
            "(torch.FloatTensor other)\n      didn't match because some of the arguments have "
            "invalid types: (torch.cuda.FloatTensor)",
        ),
        breadth=-2,
    ),
    ErrorFamily(
        id="index_argument_device",
        says="An embedding or index_select gets its index on another device than its table.",
        means=(
            Sentence(
                "The index is on {index} and the tensor that it points into on {table}",
                {"line": _BY_INDEX, "index": r".+"},
            ),
            "The index is on {index} and the table that it chooses from on {table}",
            "The index is on another device than the table that it chooses from",
        ),
        remedy=(
            Sentence(
                "Both have to be on one device: a tensor that is made for it needs "
                "`device=index.device`; else move the index, `index.to(x.device)`",
                {"line": _BY_INDEX},
            ),
            Sentence(
                "Move the ids in the loop, and assign the result: `ids = ids.to(device)`. An index "
                "that is made in forward needs `device=x.device`",
                {"index": r"(?i)cpu", "table": r"(?i)(?!cpu).+|"},
            ),
            Sentence(
                f"If the model was not moved: `model.to(device)` before the loop. If it was: "
                f"{_NOT_MOVED}",
                {"table": r"(?i)cpu"},
            ),
            "Print both devices before the line. If the index is left behind: `ids = "
            "ids.to(device)`, assigned again; if the table is: `model.to(device)`, with layers in "
            "an `nn.ModuleList` and not in a plain list",
        ),
        types=("RuntimeError",),
        today=(
            r"but got index is on (?P<index>[\w:]+), different from other tensors on "
            r"(?P<table>[\w:]+)",
        ),
        older=(
            r"found at least two devices, (?P<table>[\w:]+),? and (?P<index>[\w:]+)! \(when "
            r"checking argument for argument index in method",
            r"object of (?:backend|device type) (?P<table>\w+) but got (?:backend|device type) "
            r"(?P<index>\w+) for argument #\d+ 'index'",
            r"object of (?:backend|device type) (?P<index>\w+) but got (?:backend|device type) "
            r"(?P<table>\w+) for argument #1 'self' in call to _th_index_select",
            r"torch\.cuda\.LongTensor but found type torch\.LongTensor for argument #\d+ 'index'",
            r"Input, output and indices must be on the current device",
            r"but got tensor with \w+ Backend \(while checking arguments for embedding\)",
        ),
        values={"index": "device of the index", "table": "device of what it chooses from"},
        sample="nn.Embedding(3, 2).cuda()(torch.tensor([0]))",
        device="cuda",
        examples=(
            "RuntimeError: Expected all tensors to be on the same device, but found at least two "
            "devices, cpu and cuda:0! (when checking argument for argument index in method "
            "wrapper__index_select)",
            "RuntimeError: Expected object of device type cuda but got device type cpu for "
            "argument #3 'index' in call to _th_index_select",
            "RuntimeError: Expected object of backend CUDA but got backend CPU for argument #3 "
            "'index'",
            "RuntimeError: Expected object of type torch.cuda.LongTensor but found type "
            "torch.LongTensor for argument #3 'index'",
            "RuntimeError: Expected object of device type cuda but got device type cpu for "
            "argument #1 'self' in call to _th_index_select",
            "RuntimeError: Input, output and indices must be on the current device",
            "RuntimeError: Expected tensor to have CPU Backend, but got tensor with CUDA Backend "
            "(while checking arguments for embedding)",
        ),
        breadth=-3,  # otherwise `devices_differ`
    ),
    ErrorFamily(
        id="layer_devices",
        says="A layer's input is not on the device (or not of the type) of its weights.",
        derive=_dtypes_too,
        means=(
            *(
                Sentence(
                    f"The input of a layer is on the {one} and its {{which}} is on the {other}; "
                    "they are of two dtypes as well, {input} and {weight}",
                    {where: r".+", "mixed": r".+"},
                )
                for where, one, other in (
                    ("input_cuda", "GPU", "CPU"),
                    ("weight_cuda", "CPU", "GPU"),
                )
            ),
            Sentence(
                "The input of a layer is on the GPU and its {which} is on the CPU",
                {"input_cuda": r".+"},
            ),
            Sentence(
                "The input of a layer is on the CPU and its {which} is on the GPU",
                {"weight_cuda": r".+"},
            ),
            "A layer's input and its weights are on different devices",
        ),
        remedy=(
            Sentence(
                "torchsummary makes the input itself, and on the GPU unless it is told another "
                "device: pass `device='cpu'` to `summary`, or move the model first, "
                "`summary(model.cuda(), …)`. The layers are not at fault",
                {"input_cuda": r".+", "code": _SUMMARY},
            ),
            *_stays_behind({"input_cuda": r".+"}, {"weight_cuda": r".+"}),
            "Bring both to one device: `model.cuda()` and `x = x.cuda()`",
        ),
        suspects=_STAYS_BEHIND,
        types=("RuntimeError",),
        today=(
            r"Input type \(torch\.(?P<input_cuda>cuda\.)(?P<input>\w+)Tensor\) and "
            r"(?P<which>weight|bias) type \(torch\.(?P<weight>\w+)Tensor\) should be the same",
            r"Input type \(torch\.(?P<input>\w+)Tensor\) and (?P<which>weight|bias) type "
            r"\(torch\.(?P<weight_cuda>cuda\.)(?P<weight>\w+)Tensor\) should be the same",
        ),
        older=(
            r"Input type \((?P<input_cuda>CUDA)(?P<input>\w+?)Type\) and (?P<which>weight|bias) "
            r"type "
            r"\(CPU(?P<weight>\w+?)Type\) should be the same",
            r"Input type \(CPU(?P<input>\w+?)Type\) and (?P<which>weight|bias) type "
            r"\((?P<weight_cuda>CUDA)(?P<weight>\w+?)Type\) should be the same",
        ),
        values={
            "input_cuda": "`cuda.` (once `CUDA`) where the input is on a GPU",
            "input": "type of the input, such as Float",
            "which": "weight or bias",
            "weight_cuda": "`cuda.` (once `CUDA`) where the weight is on a GPU",
            "weight": "type of the weight or the bias",
        },
        sample='nn.Conv2d(3, 8, 3)(torch.ones(1, 3, 8, 8, device="cuda"))',
        device="cuda",
        examples=(
            "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) "
            "should be the same",
            "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) "
            "should be the same or input should be a MKLDNN tensor and weight is a dense tensor",
            "RuntimeError: Input type (CUDAFloatType) and weight type (CPUFloatType) should be the "
            "same",
        ),
    ),
    ErrorFamily(
        id="rnn_devices",
        says="A recurrent layer's input and its state are on different devices.",
        means=("The input of a recurrent layer is on {input} and its {what} on {other}",),
        remedy=(
            Sentence(
                "The input stayed behind: `x = x.to(device)` in the loop, and assign the result",
                {"input": r"cpu", "other": r"cuda.*|mps.*"},
            ),
            Sentence(
                f"If the model was not moved: `model.to(device)`. If it was: {_NOT_MOVED}",
                {"what": r"parameter", "other": r"cpu"},
            ),
            Sentence(
                "Make the first state where the input is: `torch.zeros(…, device=x.device)`",
                {"what": r"hidden"},
            ),
            "Print both devices; bring the layer (`model.to(device)`) or its input (`x = "
            "x.to(device)`) over",
        ),
        suspects=_STAYS_BEHIND,
        types=("RuntimeError",),
        today=(
            r"not at the same device(?:, found input tensor at (?P<input>[\w:]+) and (?P<what>\w+) "
            r"tensor at (?P<other>[\w:]+))?",
        ),
        values={
            "input": "device of the input",
            "what": "hidden or parameter",
            "other": "its device",
        },
        sample='nn.LSTM(4, 6)(torch.ones(5, 3, 4, device="meta"))',
        examples=(
            "RuntimeError: Input and hidden tensors are not at the same device, found input tensor "
            "at cuda:0 and hidden tensor at cpu",
        ),
    ),
    ErrorFamily(
        id="index_device",
        says="An index lies on another device than what it chooses from.",
        means=(
            ("An index lies on another device than the tensor it indexes, which is on {device}"),
            "An index lies on another device than the tensor that it chooses from",
        ),
        remedy=(
            "Print both devices, and bring one over: `index.to(x.device)` (a mask made of CPU "
            "tensors, numpy or `nonzero` is on the CPU), or `x.to(index.device)` where the tensor "
            "was left behind",
        ),
        types=("RuntimeError",),
        today=(
            r"indices should be either on (?:cpu|the same device|[\w:]+) or on the same device as "
            r"the indexed tensor(?: \((?P<device>[\w:]+)\))?",
        ),
        values={"device": "of what is indexed"},
        sample='torch.ones(3)[torch.tensor([0], device="cuda")]',
        device="cuda",
        examples=(
            "RuntimeError: indices should be either on cpu or on the same device as the indexed "
            "tensor (cpu)",
        ),
    ),
    ErrorFamily(
        id="numpy_of_cuda",
        says="A tensor on the GPU is turned into a NumPy array.",
        decides=True,
        means=("A tensor on {device} is turned into numpy; .cpu() brings it back first",),
        remedy=(
            Sentence(
                "If it is a list of losses or other single values, put numbers into it where they "
                "are appended: `values.append(loss.item())`, which lets their graphs go too. Of "
                "one tensor, write `x.detach().cpu().numpy()`",
                {"line": r"\b(?:np|numpy)\.(?:as)?array\("},
            ),
            (
                "Write `x.detach().cpu().numpy()`; in a list each tensor: `[t.item() for t "
                "in values]`"
            ),
        ),
        suspects=(
            Suspect(
                r"numpy|array|asarray|plot|scatter|imshow|hist|mean|append|accuracy_score|"
                r"confusion_matrix|f1_score"
            ),
        ),
        types=("TypeError",),
        today=(r"can't convert (?P<device>cuda\S*|\w+:\d+) device type tensor to numpy",),
        older=(
            r"can't convert (?P<device>CUDA) tensor to numpy",
            r"can't convert (?P<device>cuda)\S* tensor to numpy",
        ),
        values={"device": "the tensor is on"},
        sample='torch.ones(2, device="cuda").numpy()',
        device="cuda",
        examples=(
            "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy "
            "the tensor to host memory first.",
            "TypeError: can't convert CUDA tensor to numpy. Use Tensor.cpu() to copy the tensor to "
            "host memory first.",
        ),
    ),
    ErrorFamily(
        id="generator_device",
        says="A random generator is of another device than the numbers it is to make.",
        means=("A random generator of {given} is asked for numbers on {expected}",),
        remedy=(
            Sentence(
                "The loader shuffles with a generator of {given}, and the default device is "
                "{expected}: give it `generator=torch.Generator(device='{expected}')` "
                "(random_split likewise), or set no default device and move the batches by "
                "yourself",
                {"frames": r"\b(?:sampler|dataloader|dataset)\.py "},
            ),
            "Say the device in the call too: `torch.randn(…, generator=g, device=g.device)`; or "
            "make the generator where the numbers are made: `torch.Generator(device="
            "'{expected}')`. With a default device of CUDA a shuffling DataLoader needs "
            "`generator=torch.Generator(device='cuda')`",
        ),
        suspects=(
            Suspect(
                r"Generator|set_default_device|set_default_tensor_type|DataLoader|random_split"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"Expected an? '(?P<expected>\w+)' device type for generator but found "
            r"'(?P<given>\w+)'",
        ),
        values={"expected": "device of the numbers", "given": "device of the generator"},
        needs="a CUDA device",
        examples=("RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'",),
    ),
    ErrorFamily(
        id="gradient_device",
        says="A tensor on one device gets a gradient that lies on another.",
        decides=True,
        means=("A tensor on one device gets a gradient that lies on another",),
        remedy=("Move the gradient first: `g.to(x.device)`",),
        types=("RuntimeError",),
        today=(
            r"gradient with device type '(?P<gradient>\w+)' to a tensor with device type "
            r"'(?P<tensor>\w+)'",
            r"gradient with device type",
        ),
        values={"gradient": "device of the gradient", "tensor": "device of the tensor"},
        sample='x = torch.ones(2, device="meta")\nx.grad = torch.ones(2)',
        examples=(
            "RuntimeError: attempting to assign a gradient with device type 'cpu' to a tensor with "
            "device type 'cuda'. Please ensure that the gradient and the tensor are on the same "
            "device",
        ),
    ),
    ErrorFamily(
        id="devices",
        says="Devices do not go together.",
        means=("Two devices that do not go together meet",),
        remedy=(
            "Print the device of each tensor of the line, and bring them to one: `x = "
            "x.to(device)`",
        ),
        types=("RuntimeError", "TypeError", "ValueError"),
        today=(r"same device|can't convert cuda|on (?:cpu|cuda)[^.]{0,300}but found",),
        sample='torch.ones(2).copysign(torch.ones(2, device="meta"))',
        breadth=5,
    ),
    ErrorFamily(
        id="constructor_device",
        says="A constructor such as torch.FloatTensor is given a tensor on the other device.",
        means=(
            Sentence(
                "A constructor of CPU tensors (such as torch.FloatTensor) is given a tensor that "
                "is on the GPU already, perhaps in `{quoted}`; it takes none",
                {
                    "given": r"CUDA",
                    "code": (
                        r"torch\.(?:Float|Long|Double|Int|Byte|Half|"
                        r"Bool)?Tensor\((?!\s*[\[\d)])"
                    ),
                },
            ),
            Sentence(
                "A constructor of CPU tensors (torch.FloatTensor, torch.LongTensor) is given a "
                "tensor that is on the GPU already, and takes none",
                {"given": r"CUDA"},
            ),
            "A constructor of GPU tensors (torch.cuda.FloatTensor) is given a tensor on the CPU",
        ),
        remedy=(
            Sentence("Write `x.to(device)`, or `x.cuda()`", {"given": r"CPU"}),
            "If the same name was moved before (`x = torch.FloatTensor(x).cuda()` run twice, as "
            "in a notebook's cell), start from the data again or give the result a new name; "
            "`torch.as_tensor(x, dtype=torch.float32, device=device)` takes both, arrays and "
            "tensors on a GPU. Where the values are not numbers (class names), encode them first",
        ),
        types=("TypeError",),
        today=(r"^expected (?P<wanted>CPU|CUDA) \(got (?P<given>CPU|CUDA)\)",),
        values={"wanted": "where the constructor makes tensors", "given": "where the tensor is"},
        needs="a CUDA device",
        examples=("TypeError: expected CPU (got CUDA)", "TypeError: expected CUDA (got CPU)"),
    ),
)
