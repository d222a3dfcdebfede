"""Tracing a model and exporting it to ONNX."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

# That a size of the example, and no line of the code, made the dimension a constant; the lines
# below a message are often quoted as words.
_OF_THE_EXAMPLE = (
    ("size", r"[01]"),
    ("words", r"\b(?:inferred|specialized it) to be a constant \([01]\)"),
)

FAMILIES = (
    ErrorFamily(
        id="onnx_input_size",
        says="ONNX Runtime gets an input of another size than the exported file has.",
        means=(
            "The exported file takes {expected} in dimension {index} of `{name}`, and gets {got}",
        ),
        remedy=(
            "An export keeps the sizes of its example unless it is told which may differ: "
            "`torch.onnx.export(model, x, path, input_names=['{name}'], dynamic_axes={{'{name}': "
            "{{{index}: 'n'}}}})`, or `dynamic_shapes` with `dynamo=True`",
        ),
        suspects=(Suspect(r"export|run"),),
        types=("InvalidArgument",),
        today=(
            r"Got invalid dimensions for input: (?P<name>\S{1,100}) for the following indices\s+"
            r"index: (?P<index>\d+) Got: (?P<got>\d+) Expected: (?P<expected>\d+)",
        ),
        values={
            "name": "of the input",
            "index": "the dimension",
            "got": "its size",
            "expected": "that of the file",
        },
        needs="onnxruntime",
        examples=(
            "InvalidArgument: [ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got invalid dimensions "
            "for input: input for the following indices\n index: 0 Got: 4 Expected: 1\n Please fix "
            "either the inputs/outputs or the model.",
        ),
    ),
    ErrorFamily(
        id="onnx_operator",
        says="The exporter has no translation of an operation into ONNX, or into this opset.",
        means=(
            "This exporter cannot write {operator} in ONNX opset {opset}, and can in opset {added}",
            "This exporter cannot write {operator} in ONNX opset {opset}",
            "This exporter cannot write {operator}, at all or in the opset that was asked for",
            "This exporter cannot write an operation of the model, at all or in this opset",
        ),
        remedy=(
            Sentence(
                "The torch that runs here exports it, so an update of torch may be all it takes; "
                "switch to `model.eval()` before the export",
                {"runs": "yes"},
            ),
            Sentence(
                "Say so where it is exported: `torch.onnx.export(…, opset_version={added})`, or a "
                "newer one that both this torch and what is to run the file know",
                {"added": r".+"},
            ),
            Sentence(
                "No opset and no newer `onnx` changes that: the old exporter knows no complex "
                "numbers, which the Fourier transform gives. The new one of torch 2.5 and later "
                "does (`torch.onnx.export(…, dynamo=True, opset_version=18)`, with `onnxscript`). "
                "Or, for a fixed size, multiply by the matrices of its cosines and sines, with "
                "real and imaginary part in two tensors",
                {"operator": r".*(?:fft|complex|stft|view_as_real).*"},
            ),
            "A newer opset has more (`opset_version=…`, up to the newest that your torch and what "
            "is to run the file know). If that was tried, the other exporter of torch 2.5 and "
            "later writes more still (`torch.onnx.export(…, dynamo=True)`, with `onnxscript`). If "
            "neither can, other operations have to take its place",
        ),
        suspects=(Suspect(r"export"),),
        types=("UnsupportedOperatorError", "RuntimeError", "OnnxExporterError"),
        today=(
            r"[Ee]xporting the operator '?(?P<operator>[\w:]+)'? to ONNX(?: opset version "
            r"(?P<opset>\d+))? is not supported",
            r"ONNX export failed: Couldn't export operator (?P<operator>[\w:]+)",
            r"Could not export Python function call '(?P<operator>[\w.]+)'",
        ),
        details=(r"added in (?:opset )?version (?P<added>\d+)",),
        values={
            "operator": "that is not exported",
            "opset": "version of ONNX's operators",
            "added": "the version that has it",
        },
        needs="onnx, which is not installed here",
        examples=(
            "RuntimeError: Exporting the operator adaptive_avg_pool2d to ONNX opset version 9 is "
            "not supported.",
            "RuntimeError: ONNX export failed: Couldn't export operator aten::upsample_bilinear2d",
            "RuntimeError: Could not export Python function call 'Swish'. Remove calls to Python "
            "functions before export.",
        ),
    ),
    ErrorFamily(
        id="trace_output",
        says="What is traced takes or returns something that is no tensor.",
        means=("What is traced takes or returns something that is no tensor",),
        remedy=(
            (
                "Return tensors (or tuples of them) from forward: a dict needs "
                "`strict=False`; wrap the model in a module that does"
            ),
        ),
        suspects=(Suspect(r"trace|trace_module|export|add_graph"),),
        types=("RuntimeError",),
        today=(
            r"Encountering a (?P<kind>\w+) at the output of the tracer",
            r"Only (?:tensors|tuples), lists[^\n]{0,80}can be output from traced functions",
        ),
        older=(
            r"Only tuples, lists and Variables (?:are )?supported as JIT inputs/outputs",
            r"Tracer cannot infer type of (?P<kind>\w+)",
        ),
        values={"kind": "what it returns, such as dict"},
        sample="torch.jit.trace(lambda x: 3, torch.ones(2))",
        examples=(
            "RuntimeError: Only tuples, lists and Variables supported as JIT inputs/outputs. "
            "Dictionaries and strings are also accepted, but their usage is not recommended.",
            "RuntimeError: Encountering a dict at the output of the tracer might cause the trace "
            "to be incorrect",
        ),
    ),
    ErrorFamily(
        id="source_missing",
        says="The source of a function or class is asked for, and there is no file that has it.",
        types=("OSError", "TypeError"),
        today=(
            r"^could not (?:get source code|find class definition)",
            r"Can't get source for (?P<object><[^\n]{1,200}?>)",
        ),
        values={"object": "whose source is not there"},
        sample='torch.jit.script(eval("lambda x: x"))',
        examples=("OSError: could not get source code",),
    ),
    ErrorFamily(
        id="trace_constant",
        says="A value of Python's is read while tracing, and stays as it was (a warning).",
        means=(
            Sentence(
                "A tensor decides in Python's own code while the model is traced: the way that the "
                "example takes is kept for every other input (a warning)",
                {"kind": r"Python boolean"},
            ),
        ),
        remedy=tuple(
            Sentence(
                "An `if` over a size is decided once, by the example. Put the lines that go by it "
                "into a function with `@torch.jit.script`, which a traced model may call and which "
                "keeps the `if`; or write them without: `x[:k]` takes what there is, where "
                "`topk(k)` wants k",
                {where: r"\bif\b[^\n]{0,80}(?:\.shape\b|\.size\(|\blen\()"},
            )
            for where in ("words", "line", "code")
        ),
        types=("TracerWarning",),
        today=(
            r"Converting a tensor to a (?P<kind>(?:Python|NumPy) \w+) might cause the trace to be "
            r"incorrect",
            r"Using (?P<kind>len) to get tensor shape might cause the trace to be incorrect",
            r"Iterating over a tensor might cause the trace to be incorrect",
            r"(?P<kind>torch\.\w+) results are registered as constants in the trace",
        ),
        older=(
            r"Converting a tensor to a (?P<kind>Python \w+|NumPy \w+) (?:might cause|will)",
            r"There are \d+ live references to the data region being modified",
        ),
        values={"kind": "what is read"},
        sample=(
            "import warnings\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error", torch.jit.TracerWarning)\n'
            "    torch.jit.trace(lambda x: x * len(x), torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="export_data_dependent",
        says="torch.export meets a decision by values that only a run knows.",
        types=("GuardOnDataDependentSymNode", "UserError"),
        today=(
            r"Could not (?:guard on|extract specialized integer from) data-dependent expression "
            r"(?P<expression>[^\n]{1,200}?) \(unhinted",
        ),
        older=(
            r"Could not guard on data-dependent expression (?P<expression>[^\n]{1,200})",
            r"Dynamic control flow is not supported at the moment",
        ),
        values={"expression": "what would have to be known"},
        sample=(
            "class Net(nn.Module):\n"
            "    def forward(self, x):\n"
            "        if x.sum() > 0:\n"
            "            return x\n"
            "        return -x\n\n"
            "torch.export.export(Net(), (torch.ones(2),))"
        ),
        examples=(
            "UserError: Dynamic control flow is not supported at the moment. Please use "
            "functorch.experimental.control_flow.cond to explicitly capture the control flow.",
        ),
    ),
    ErrorFamily(
        id="export_fixed_size",
        says="A dimension that is exported as free is fixed by the code or by the example.",
        means=(
            *(
                Sentence(
                    "The example's size of {dimension} is 0 or 1, and such a size is taken as a "
                    "constant, whatever the code does with it, since 1 would be broadcast",
                    {where: pattern},
                )
                for where, pattern in _OF_THE_EXAMPLE
            ),
            Sentence(
                "The code fixes {dimension} to {size}: somewhere the example's size is taken as a "
                "number",
                {"size": r"\d+"},
            ),
            "A dimension that is exported as free is fixed by the code, or by an example whose "
            "size there is 1",
        ),
        remedy=(
            *(
                Sentence(
                    "Give an example with at least 2 there, such as `torch.randn(2, …)`: what is "
                    "exported then takes others too. Only if it is refused with 2 as well, the "
                    "code fixes that size: then take it from the input, `x.view(x.shape[0], -1)`",
                    {where: pattern},
                )
                for where, pattern in _OF_THE_EXAMPLE
            ),
        ),
        types=("UserError",),
        today=(
            r"You marked (?P<dimension>[\w.\[\]']{1,80}) as dynamic but your code specialized it "
            r"to be a constant \((?P<size>\d+)\)",
        ),
        details=(r"\bwas inferred to be a constant \((?P<size>\d+)\)",),
        older=(r"Constraints violated \((?P<dimension>[\w.\[\]', ]{1,80})\)!",),
        values={"dimension": "its name", "size": "that the code fixes it to"},
        sample=(
            "class Net(nn.Module):\n"
            "    def forward(self, x):\n"
            "        return x.view(4, -1)\n\n"
            'batch = torch.export.Dim("batch")\n'
            'torch.export.export(Net(), (torch.ones(4, 2),), dynamic_shapes={"x": {0: batch}})'
        ),
        examples=(
            "UserError: Constraints violated (batch)! For more information, run with "
            'TORCH_LOGS="+dynamic".',
        ),
    ),
)
