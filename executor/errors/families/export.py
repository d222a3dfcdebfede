"""Tracing a model and exporting it to ONNX."""

from executor.errors.family import ErrorFamily, Suspect

FAMILIES = (
    ErrorFamily(
        id="onnx_operator",
        says="An operation of the model has no counterpart in ONNX, or in this version of it.",
        means=(
            "{operator} has no counterpart in ONNX opset {opset}",
            "An operation of the model has no counterpart in ONNX, or in this opset",
        ),
        remedy=(
            ("Export with a newer opset (`opset_version=17` or more), or replace the operation"),
        ),
        suspects=(Suspect(r"export"),),
        types=("UnsupportedOperatorError", "RuntimeError", "OnnxExporterError"),
        today=(
            r"[Ee]xporting the operator '?(?P<operator>[\w:]+)'? to ONNX opset version "
            r"(?P<opset>\d+) is not supported",
            r"ONNX export failed: Couldn't export operator (?P<operator>[\w:]+)",
            r"Could not export Python function call '(?P<operator>[\w.]+)'",
        ),
        values={"operator": "that is not exported", "opset": "version of ONNX's operators"},
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
)
