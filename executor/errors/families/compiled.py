"""TorchScript, compiling and quantizing: what they are handed and cannot translate."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# TorchScript reads the source of what it translates: such a sample is put where it can be found.
_FROM_A_FILE = (
    "import linecache\n"
    "def source(text):\n"
    '    linecache.cache["sample.py"] = (len(text), None, text.splitlines(True), "sample.py")\n'
    '    exec(compile(text, "sample.py", "exec"), globals())\n\n'
    'source("""\n'
)

FAMILIES = (
    ErrorFamily(
        id="script_of_class",
        says="torch.jit.script is given a class of modules where it takes a module.",
        decides=True,
        means=("torch.jit.script is given the class {class} where it takes an object",),
        remedy=("Make one first: `torch.jit.script({class}())`",),
        suspects=(Suspect(r"script"),),
        types=("RuntimeError",),
        today=(
            r"Type '<class '(?:[\w.]{1,200}\.)?(?P<class>\w+)'>' cannot be compiled since it "
            r"inherits from nn\.Module",
        ),
        older=(r"^Could not get name of python class object",),
        examples=("RuntimeError: Could not get name of python class object",),
        values={"class": "that was given"},
        sample="torch.jit.script(nn.ReLU)",
    ),
    ErrorFamily(
        id="graph_output_overwritten",
        says="A result of a CUDA graph is read after a later call has written over it.",
        decides=True,
        means=(
            "The results of a compiled function (`mode='reduce-overhead'` or `'max-autotune'`) "
            "lie in memory of a CUDA graph, and its next call writes over them",
        ),
        remedy=(
            "Copy what is kept over the next call, outside of what is compiled: `y = "
            "step(x).clone()`. Inside, the copy would be a result of the graph again; and "
            "`cudagraph_mark_step_begin()` only says that the earlier results may be overwritten. "
            "Or compile without CUDA graphs: `mode='default'` or `'max-autotune-no-cudagraphs'`",
        ),
        types=("RuntimeError",),
        today=(
            r"accessing tensor output of CUDAGraphs? that has been overwritten by a subsequent "
            r"(?:run|forward)",
        ),
        needs="a GPU with CUDA graphs",
        examples=(
            "RuntimeError: Error: accessing tensor output of CUDAGraphs that has been overwritten "
            "by a subsequent run.",
        ),
    ),
    ErrorFamily(
        id="script_of_an_index",
        says="TorchScript cannot index a list of modules by a number that is not written down.",
        decides=True,
        means=(
            "TorchScript unrolls a list of modules while it compiles, and so cannot index it by a "
            "number that it only has when it runs",
        ),
        remedy=(
            "Go through the modules: `for layer in self.layers: x = layer(x)`, with `for i, layer "
            "in enumerate(self.layers)` where the number is needed, and `zip` for two lists",
        ),
        types=("RuntimeError",),
        today=(r"Expected integer literal for index",),
        sample=(
            _FROM_A_FILE + "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layers = nn.ModuleList([nn.Linear(1, 1)])\n"
            "    def forward(self, x):\n"
            "        for i in range(len(self.layers)):\n"
            "            x = self.layers[i](x)\n"
            "        return x\n"
            '""")\ntorch.jit.script(Net())'
        ),
    ),
    ErrorFamily(
        id="backend_missing",
        says="An operator, or a whole device, does not exist for tensors of this kind.",
        means=(
            Sentence(
                "A quantized layer ({operator}) gets a tensor that is not quantized",
                {"operator": r"quantized::(?!.*prepack).*", "backend": r"(?!Quantized).*"},
            ),
            Sentence(
                "This torchvision was built without CUDA, or for another torch: {operator} has no "
                "code for tensors on a GPU",
                {"operator": r"torchvision::.*", "backend": r"CUDA"},
            ),
            Sentence(
                "Processes talk by a backend that does not take tensors on {backend}: NCCL takes "
                "those on a GPU alone",
                {"operator": r"c10d::.*", "backend": r"CPU"},
            ),
            Sentence("{operator} does not take a sparse tensor", {"backend": r"Sparse\w*"}),
            Sentence(
                "An operation on ordinary numbers ({operator}) gets a quantized tensor",
                {"operator": r"aten::.*", "backend": r"Quantized.*"},
            ),
            Sentence(
                "{operator} gets weights that are no quantized tensors of the CPU: they are floats "
                "still, or on a GPU",
                {"operator": r"quantized::.*prepack.*"},
            ),
        ),
        remedy=(
            Sentence(
                "Put a `QuantStub` before the first quantized layer (and call it in forward)",
                {"operator": r"quantized::(?!.*prepack).*", "backend": r"(?!Quantized).*"},
            ),
            Sentence(
                "Install torch and torchvision in one command from one index of pytorch.org, so "
                "that both are of one release and one CUDA",
                {"operator": r"torchvision::.*", "backend": r"CUDA"},
            ),
            Sentence(
                "Move what is sent to the process's GPU first, or make the group with both: "
                "`init_process_group('cpu:gloo,cuda:nccl')`",
                {"operator": r"c10d::.*", "backend": r"CPU"},
            ),
            Sentence(
                "If it fits into memory, `x.to_dense()` before it; a product with a matrix is "
                "`torch.sparse.mm`",
                {"backend": r"Sparse\w*"},
            ),
            Sentence(
                "Put a `DeQuantStub` before it, or quantize that layer too (fuse and prepare it "
                "with the rest)",
                {"operator": r"aten::.*", "backend": r"Quantized.*"},
            ),
            Sentence(
                "Before the model is converted bring it to the CPU and into evaluation mode: "
                "`model.cpu().eval()`; and convert what was prepared",
                {"operator": r"quantized::.*prepack.*"},
            ),
        ),
        types=("NotImplementedError", "RuntimeError", "AssertionError"),
        today=(
            r"Could not run '(?P<operator>[\w:.]+)' with arguments from the '(?P<backend>\w+)' "
            r"backend",
            r"not linked with support for (?P<backend>(?!cuda)\w+) devices",
            r"Torch not compiled with (?P<backend>(?!CUDA)[A-Z]+) enabled",
            r"Cannot execute \w+\(\) without (?P<backend>[A-Z]+) backend",
        ),
        examples=(
            "RuntimeError: PyTorch is not linked with support for mps devices",
            "AssertionError: Torch not compiled with XPU enabled",
            "RuntimeError: Cannot execute getNewGenerator() without MPS backend.",
        ),
        values={"operator": "PyTorch's name of it", "backend": "kind of the tensors"},
        sample="torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).exp()",
    ),
    ErrorFamily(
        id="no_compiler",
        says="torch.compile needs a C++ compiler, and finds none.",
        decides=True,
        means=(
            Sentence(
                "torch.compile builds a part of its code with the C++ compiler of Visual Studio, "
                "also for a GPU, and `{compiler}` is not on PATH: installing the Build Tools puts "
                "it there only in their own console",
                {"compiler": r"cl(?:\.exe)?"},
            ),
            Sentence(
                "torch.compile builds a part of its code with a C or C++ compiler, also for a GPU, "
                "and `{compiler}` is not there",
                {"compiler": r".+"},
            ),
            "torch.compile builds a part of its code with a C or C++ compiler, also for a GPU, and "
            "finds none",
        ),
        remedy=(
            Sentence(
                'Start the program from the "x64 Native Tools Command Prompt for VS 2022", or run '
                "`vcvarsall.bat x64` (in `VC\\Auxiliary\\Build` of the Build Tools) in the same "
                "console before; `where cl` has to name a path with `Hostx64\\x64`. The folder of "
                "cl.exe on PATH alone lacks INCLUDE and LIB. Without compiling it runs too: leave "
                "`torch.compile` out, or set `TORCHDYNAMO_DISABLE=1`",
                {"compiler": r"cl(?:\.exe)?"},
            ),
            "Install one (`apt-get install build-essential`, conda: `conda install -c conda-forge "
            "cxx-compiler`) or name it: `CXX=g++`, `CC=gcc`. On Windows it is Visual Studio's, "
            "from its x64 Native Tools prompt. Without compiling it runs too: leave "
            "`torch.compile` out, or set `TORCHDYNAMO_DISABLE=1`",
        ),
        types=(
            "InductorError",
            "BackendCompilerFailed",
            "InvalidCxxCompiler",
            "InternalTorchDynamoError",
            "RuntimeError",
        ),
        today=(
            r"Compiler: (?P<compiler>[^\n]{1,80}?) is not found",
            r"No working C\+\+ compiler found in",
            r"Failed to find C compiler\. Please specify via CC",
        ),
        values={"compiler": "that is looked for"},
        needs="a machine without a compiler",
        examples=(
            "InductorError: RuntimeError: Compiler: cl is not found.",
            "RuntimeError: Failed to find C compiler. Please specify via CC environment variable.",
        ),
    ),
    ErrorFamily(
        id="script_failed_inside",
        says="A scripted module was translated and fails while it runs.",
        means=(
            "The scripted module was translated and fails while it runs; the error itself stands "
            "in the last line, below its own traceback",
        ),
        remedy=(
            "Read that line, and check dtype, device and shape of what is given in; the same "
            "module without `torch.jit.script` fails at its own line of Python",
        ),
        types=("RuntimeError",),
        # With its last lines it is of the family that they name.
        today=(r"The following operation failed in the TorchScript interpreter\.\s*$",),
        needs="a message that was cut to its first line",
        examples=("RuntimeError: The following operation failed in the TorchScript interpreter.",),
    ),
    ErrorFamily(
        id="compiler",
        says="TorchScript, torch.compile or quantization cannot translate something.",
        means=(
            "TorchScript, torch.compile or quantization cannot translate something, or what they "
            "made of it failed",
        ),
        types=("RuntimeError", "Unsupported", "NotSupportedError", "UnsupportedNodeError"),
        today=(
            r"Unsupported|TorchScript|[Tt]orch\.jit|scripted|Dynamo|torch\._dynamo|qconfig"
            r"|quantiz",
        ),
        older=(
            r"backend='\w+' raised",
            r"not yet supported for torch\.compile",
        ),
        sample="torch.jit.freeze(nn.ReLU())",
        examples=(
            "BackendCompilerFailed: backend='inductor' raised:",
            "RuntimeError: Tried to access nonexistent attribute or method 'f' of type "
            "'__torch__.Net'. Did you forget to initialize an attribute in TorchScript?",
        ),
        breadth=20,
    ),
    ErrorFamily(
        id="graph_break_on_data",
        says="Compiled code decides by the values of a tensor, where one whole graph is wanted.",
        types=("Unsupported", "UserError"),
        today=(r"^Data-dependent branching\s+Explanation: ",),
        older=(
            r"generic_jump (?P<variable>\w+)",
            r"Data-dependent (?:jump|assertion failed)",
        ),
        values={"variable": "kind of what decides, in Dynamo's words"},
        sample=(
            '@torch.compile(fullgraph=True, backend="eager")\n'
            "def f(x):\n"
            "    if x.sum() > 0:\n"
            "        return x\n"
            "    return -x\n\n"
            "f(torch.ones(2))"
        ),
        examples=("Unsupported: generic_jump TensorVariable()",),
    ),
    ErrorFamily(
        id="graph_break",
        says="torch.compile meets code that it cannot take into one whole graph.",
        types=("Unsupported",),
        today=(r"^(?!Data-dependent branching)(?P<reason>[^\n]{1,200}?)\s{1,8}Explanation: ",),
        older=(
            r"^call_(?:function|method) (?P<reason>(?:Builtin|UserDefined|SkipFunction|Skip|Inspect"
            r"|GetAttr)\w*Variable)",
            r"^'skip function (?P<reason>\w+) in file",
            r"^(?P<reason>torch\.\* op returned non-Tensor \w{1,40} \w{1,40} [\w.]{1,80})",
        ),
        values={"reason": "what it met, in Dynamo's words"},
        sample=(
            '@torch.compile(fullgraph=True, backend="eager")\n'
            "def f(x):\n"
            "    print(x)\n"
            "    return x\n\n"
            "f(torch.ones(2))"
        ),
        examples=(
            "Unsupported: call_function BuiltinVariable(print) [TensorVariable()] {}",
            "Unsupported: 'skip function print_exc in file /usr/lib/python3.11/traceback.py'",
        ),
    ),
    ErrorFamily(
        id="recompile_limit",
        says="A compiled function was compiled anew for too many kinds of inputs.",
        types=("UserWarning", "FailOnRecompileLimitHit"),  # without its type it is read in a log
        today=(
            r"^Hard failure due to fullgraph=True",
            r"^recompile_limit reached",
            r"hit config\.(?P<setting>recompile_limit|accumulated_recompile_limit)"
            r"(?: \((?P<limit>\d+)\))?",
        ),
        older=(r"hit config\.(?P<setting>\w*cache_size_limit)(?: \((?P<limit>\d+)\))?",),
        values={"setting": "that holds the limit", "limit": "the limit"},
        sample=(
            '@torch.compile(fullgraph=True, backend="eager")\n'
            "def total(parts):\n"
            "    return torch.stack(parts).sum()\n\n"
            "for count in range(1, 20):\n"
            "    total([torch.ones(2)] * count)"
        ),
        examples=(
            "FailOnRecompileLimitHit: recompile_limit reached with fullgraph=True. "
            "torch._dynamo hit config.recompile_limit (8)",
            "UserWarning: torch._dynamo hit config.cache_size_limit (8)",
        ),
    ),
    ErrorFamily(
        id="script_attribute",
        says="TorchScript finds an attribute of a module that it cannot translate.",
        types=("RuntimeError",),
        today=(
            r"Module '(?P<class>\w+)' has no attribute '(?P<name>\w+)' \(This (?P<kind>attribute|"
            r"function) exists",
        ),
        older=(
            r"module has no attribute '(?P<name>\w+)' \(This (?P<kind>attribute|function) exists",
            r"attribute '(?P<name>\w+)' of type '(?P<given>[\w.]+)' is not usable in a script "
            r"method",
        ),
        values={
            "class": "of the module",
            "name": "of the attribute",
            "kind": "attribute or function",
            "given": "type of the attribute",
        },
        sample=(
            f"{_FROM_A_FILE}"
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layers = [nn.ReLU()]\n\n"
            "    def forward(self, x):\n"
            "        for layer in self.layers:\n"
            "            x = layer(x)\n"
            "        return x\n"
            '""")\n'
            "torch.jit.script(Net())"
        ),
        examples=(
            "RuntimeError: attribute 'layers' of type 'list' is not usable in a script method (did "
            "you forget to add it __constants__?)",
        ),
    ),
    ErrorFamily(
        id="script_type",
        says="TorchScript takes a value for another type than it is; without a type, for a tensor.",
        means=(
            Sentence(
                "`{argument}` is an argument of torch's own `{module}`, which takes `{expected}`; "
                "what your code hands it is of type `{given}` for TorchScript | a variable has one "
                "type in a whole function, that of the first value it is given (`x = 0`, and a "
                "tensor later), or a number is an attribute or an argument",
                {"module": r".+", "expected": r".+", "given": r".+"},
            ),
            "`{argument}` is taken for `{expected}` and is given `{given}`",
            "A value has another type than TorchScript takes it for",
        ),
        remedy=(
            Sentence(
                "What is given may be None for TorchScript: it comes from a function, a layer or "
                "an attribute that is `Optional[…]`. Say before that line that it is there, on a "
                "variable of its own (an attribute is read first: `y = self.y`): `if y is not "
                "None:`, or `assert y is not None`; or let what gives it return a tensor on every "
                "way",
                {"given": r"Optional\[.*", "expected": r"(?!Optional).*"},
            ),
            Sentence(
                "The module needs no type. Look at what is handed to it, at the line of the "
                "message: if the variable began as `{given}`, let it begin as a tensor (`x = "
                "torch.zeros(…)`), or give the tensor another name; if it is an argument of your "
                "own, write its type there (`x: torch.Tensor`)",
                {"module": r".+", "expected": r"Tensor.*", "given": r"(?:int|float|bool|number)"},
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"[Ee]xpected a value of type '(?P<expected>[^'\n]{1,80})' for argument "
            r"'(?P<argument>\w+)' but instead found type '(?P<given>[^'\n]{1,80})'",
            r"all inputs of range must be ints, found (?P<given>[\w() ]{1,40}?) in argument",
        ),
        older=(
            r"expected a value of type (?P<expected>\w+) for argument '(?P<argument>\w+)' but "
            r"found",
        ),
        values={
            "expected": "the type that is needed",
            "argument": "name of the argument",
            "given": "the type that it has, or is taken to have",
            "module": "torch's own module that takes the argument",
        },
        details=(r"\b__torch__\.torch\.(?:\w{1,40}\.){0,8}(?P<module>\w{1,40}) self\b",),
        sample=(
            f"{_FROM_A_FILE}"
            "def add(x, times):\n"
            "    return x * times\n"
            '""")\n'
            "torch.jit.script(add)(torch.ones(2), 3)"
        ),
        examples=(
            "RuntimeError: arguments for call are not valid: for operator aten::eq(Tensor self, "
            "Tensor other) -> Tensor: expected a value of type Tensor for argument 'self' but "
            "found Scalar",
        ),
    ),
    ErrorFamily(
        id="script_syntax",
        says="TorchScript meets a piece of Python that it does not have.",
        types=("UnsupportedNodeError", "NotSupportedError"),
        today=(
            r"^(?P<what>[\w ]{1,60}) aren't supported",
            r"^Compiled functions can't take (?P<what>variable number of arguments)",
        ),
        values={"what": "the piece of Python"},
        sample=(
            f"{_FROM_A_FILE}"
            "def f(x):\n"
            "    try:\n"
            "        return x\n"
            "    except ValueError:\n"
            "        return -x\n"
            '""")\n'
            "torch.jit.script(f)"
        ),
    ),
)
