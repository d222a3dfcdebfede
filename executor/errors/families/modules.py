"""Modules: how they are set up, what their slots hold, and weights that are loaded."""

from executor.errors.family import ErrorFamily

_NAMES = r'"[^"\n]*"(?:, ?"[^"\n]*")*'

FAMILIES = (
    ErrorFamily(
        id="module_before_init",
        says="A module is given a layer or a parameter before super().__init__() has run.",
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
        types=("AttributeError",),
        today=(
            r"'(?P<type>\w+)' object has no attribute "
            r"'(?P<name>_(?:backward_hooks|parameters|modules|buffers))'",
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
        types=("RuntimeError",),
        today=(r"Error\(s\) in loading state_dict for (?P<model>\w+)",),
        values={
            "model": "class of the model",
            "missing": "names that the model has and the file has not",
            "unexpected": "names that the file has and the model has not",
            "resized": "the first name with another shape in the file",
        },
        details=(
            rf"Missing key\(s\) in state_dict: (?P<missing>{_NAMES})",
            rf"Unexpected key\(s\) in state_dict: (?P<unexpected>{_NAMES})",
            r"size mismatch for (?P<resized>[\w.]+):",
        ),
        sample=(
            "weights = {'fc.weight': torch.ones(3, 2), 'bias': torch.ones(2)}\n"
            "nn.Linear(2, 3).load_state_dict(weights)"
        ),
        examples=(
            "RuntimeError: Error(s) in loading state_dict for Net:\n\tMissing key(s) in "
            'state_dict: "fc.weight". \n\tUnexpected key(s) in state_dict: "module.fc.weight". ',
        ),
    ),
    ErrorFamily(
        id="state_dict_type",
        says="load_state_dict is given something that is no dictionary.",
        types=("TypeError",),
        today=(r"Expected state_dict to be dict-like, got <class '(?P<given>[\w.]+)'>",),
        values={"given": "type of what it got"},
        sample="nn.Linear(2, 2).load_state_dict(nn.Linear(2, 2))",
    ),
    ErrorFamily(
        id="state_dict_as_module",
        says="A dictionary of weights is used as if it were the module.",
        types=("AttributeError",),
        today=(r"'(?:collections\.)?OrderedDict' object has no attribute '(?P<name>\w+)'",),
        values={"name": "what is asked of it"},
        sample="nn.Linear(2, 2).state_dict().eval()",
    ),
    ErrorFamily(
        id="weights_only",
        says="torch.load finds more than tensors in a file, and reads no more unless told to.",
        types=("UnpicklingError",),
        today=(r"Weights only load failed",),
        values={"object": "the first thing in the file that is not read"},
        details=(r"GLOBAL (?P<object>\S+)",),
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
        types=("NotImplementedError",),
        today=(r'Module \[(?P<class>\w+)\] is missing the required "forward" function',),
        values={"class": "of the module"},
        sample="nn.ModuleList()(torch.ones(2))",
    ),
    ErrorFamily(
        id="not_implemented",
        says="A method is called that its class leaves to others.",
        types=("NotImplementedError",),
        today=(r"^$",),
        sample="raise NotImplementedError",
        typed=True,
    ),
    ErrorFamily(
        id="not_a_module",
        says="Something that is no module is put among modules: a class, a list, a function.",
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
        id="capturable",
        says="Adam's loaded state lies on the GPU where torch 1.12.0 wants its steps on the CPU.",
        types=("AssertionError",),
        today=(r"If capturable=False, state_steps should not be CUDA tensors",),
        needs="a CUDA device",
        examples=("AssertionError: If capturable=False, state_steps should not be CUDA tensors.",),
    ),
)
