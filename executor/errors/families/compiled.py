"""TorchScript, compiling and quantizing: what they are handed and cannot translate."""

from executor.errors.family import ErrorFamily, Suspect

FAMILIES = (
    ErrorFamily(
        id="script_of_class",
        says="torch.jit.script is given a class of modules where it takes a module.",
        means=("torch.jit.script is given the class {class} where it takes an object",),
        remedy=("Make one first: `torch.jit.script({class}())`",),
        suspects=(Suspect(r"script"),),
        types=("RuntimeError",),
        today=(
            r"Type '<class '(?:[\w.]{1,200}\.)?(?P<class>\w+)'>' cannot be compiled since it "
            r"inherits from nn\.Module",
        ),
        values={"class": "that was given"},
        sample="torch.jit.script(nn.ReLU)",
    ),
    ErrorFamily(
        id="backend_missing",
        says="An operator does not exist for tensors of this kind, such as quantized ones.",
        types=("NotImplementedError", "RuntimeError"),
        today=(
            r"Could not run '(?P<operator>[\w:.]+)' with arguments from the '(?P<backend>\w+)' "
            r"backend",
        ),
        values={"operator": "PyTorch's name of it", "backend": "kind of the tensors"},
        sample="torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).exp()",
    ),
    ErrorFamily(
        id="compiler",
        says="TorchScript, torch.compile or quantization cannot translate something.",
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
)
