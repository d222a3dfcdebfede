"""What torch once allowed, and what only torch before 1.0 said."""

from executor.errors.family import ErrorFamily, Sentence, Suspect
from executor.errors.several_outputs import (
    A_TUPLE_OF_ONE,
    ENDS_IN_A_COMMA,
    GIVES_TWO,
    SEVERAL,
    TWO_OUTPUTS,
)

_OLD = "torch before 0.4: variables and tensors are one today"
_A_TENSOR = r"(?:torch\.)?(?:[\w.]+\.)?\w*Tensor\b"

FAMILIES = (
    ErrorFamily(
        id="legacy_function",
        says="An autograd function is written the old way, with methods that are not static.",
        means=(
            (
                "A torch.autograd.Function is written the old way: since torch 1.5 forward "
                "and backward have to be static methods with ctx"
            ),
        ),
        remedy=(
            (
                "Write `@staticmethod def forward(ctx, x)` and `@staticmethod def "
                "backward(ctx, grad)`, and call `MyFunction.apply(x)`; a function of "
                "torch's own operations needs no Function at all, an nn.Module or a plain "
                "function is enough"
            ),
        ),
        suspects=(Suspect(r"save_for_backward"),),
        types=("RuntimeError",),
        today=(r"Legacy autograd function with non-static forward method",),
        sample=(
            "class Double(torch.autograd.Function):\n"
            "    def forward(self, x):\n"
            "        return 2 * x\n\n"
            "Double()(torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="resized_with_grad",
        says="A tensor that requires grad is resized.",
        means=("A tensor that requires grad is resized",),
        remedy=("Use `view` or `reshape`, which give a new tensor",),
        types=("RuntimeError",),
        today=(r"cannot resize variables that require grad",),
        sample="torch.ones(2, requires_grad=True).resize_(1)",
    ),
    ErrorFamily(
        id="volatile",
        says="backward starts at a volatile variable: torch.no_grad() took its place.",
        decides=True,
        means=("backward starts at a volatile variable: nothing was recorded for it",),
        remedy=(
            (
                "Remove `volatile=True`; today `with torch.no_grad():` stands around code "
                "that needs no gradient"
            ),
        ),
        suspects=(Suspect(r".*", "", {"volatile": "True"}),),
        types=("RuntimeError",),
        older=(r"element \d+ of variables tuple is volatile", r"volatile variables? can't"),
        needs=_OLD,
        examples=(
            "RuntimeError: element 0 of variables tuple is volatile",
            "RuntimeError: volatile variables can't be saved",
        ),
    ),
    ErrorFamily(
        id="shared_storage_in_place",
        says="A variable that shares its memory with another is changed in place.",
        means=(("A variable that shares its memory with another, or a leaf, is changed in place"),),
        remedy=("Write it out of place, or change a copy: `.clone()`",),
        suspects=(
            Suspect(
                r".*",
                "changes it in place",
                kinds=("update",),
                value_not=r"\.item\(\)|^-?[\d.]+$|\blen\(",
            ),
            Suspect(
                r"(?!requires_grad_|zero_|zero_grad_|__|to_|manual_seed_|clip_grad|backward_)[a-z]\w*[a-z0-9]_",
                "changes it in place",
            ),
            Suspect(r".*", "writes into it", kinds=("item",)),
            Suspect(
                r"\w*(?:ReLU|Dropout|ELU|Hardswish|relu|dropout)\w*",
                "works in place",
                {"inplace": "True"},
            ),
        ),
        types=("RuntimeError",),
        older=(
            r"in-place operations can be only used on variables that don't share storage",
            r"leaf variable has been moved into the graph interior",
        ),
        needs="torch before 1.0: today the message is that of `leaf_in_place`",
        examples=(
            "RuntimeError: in-place operations can be only used on variables that don't share "
            "storage with any other variables, but detected that there are 2 objects sharing it",
            "RuntimeError: leaf variable has been moved into the graph interior",
        ),
    ),
    ErrorFamily(
        id="indexing_by_tensor",
        says="A tensor is indexed by one that the old indexing did not take.",
        means=(
            Sentence(
                "The old indexing took a vector of indices, and the index has another number of "
                "dimensions: torch before 0.2 kept the reduced dimension, so that `torch.min(y, "
                "0)` of a column gave its index as [1, 1]",
                {"vector": r".+"},
            ),
            "A tensor is indexed by a {given}, which the old indexing did not take",
        ),
        remedy=(
            Sentence(
                "Today it works. In that version give the index one dimension: `x[i.view(-1)]`",
                {"vector": r".+"},
            ),
            "Today it works. In that version `torch.index_select(x, 0, i)` takes a LongTensor of "
            "one dimension, and a single row is `x[int(i[0])]`",
        ),
        types=("TypeError", "RuntimeError"),
        older=(
            r"indexing a tensor with an object of type (?P<given>[\w.]+)",
            r"error indexing dim \d+ with an object of type (?P<given>[\w.]+)",
            r"(?P<vector>expecting vector of indices)",
        ),
        values={"given": "type of the index", "vector": "that a vector is wanted"},
        needs="torch before 0.4: today any tensor of integers or truth values is an index",
        examples=(
            "TypeError: indexing a tensor with an object of type torch.FloatTensor. The only "
            "supported types are integers, slices",
            "TypeError: Performing basic indexing on a tensor and encountered an error indexing "
            "dim 1 with an object of type torch.cuda.LongTensor.",
            "RuntimeError: expecting vector of indices at /pytorch/torch/lib/THC/generic/"
            "THCTensorIndex.cu:405",
        ),
    ),
    ErrorFamily(
        id="variable_expected",
        says="A function of torch before 0.4 wants a Variable and is given a tensor.",
        types=("TypeError", "RuntimeError", "ValueError"),
        older=(
            rf"expected a Variable argument, but got (?P<given>{_A_TENSOR})",
            rf"expected Variable(?: or None)? \(got (?P<given>{_A_TENSOR})\)",
            r"argument '\w{1,80}' \(position \d{1,3}\) must be Variable, not "
            rf"(?P<given>{_A_TENSOR})",
            r"Variable data has to be a tensor, but got (?P<given>Variable)",
        ),
        values={"given": "type of what it got"},
        needs=_OLD,
        examples=(
            "RuntimeError: expected a Variable argument, but got torch.FloatTensor",
            "TypeError: conv2d(): argument 'input' (position 1) must be Variable, not "
            "torch.FloatTensor",
            "RuntimeError: Variable data has to be a tensor, but got Variable",
        ),
        breadth=-5,
    ),
    ErrorFamily(
        id="no_tensor_given",
        says="A function of torch before 0.4 is given something that is no tensor.",
        means=(
            "A tensor (`Variable`, as torch before 0.4 called it) is wanted, and a {given} is "
            "given",
        ),
        remedy=(
            *(
                Sentence(TWO_OUTPUTS, {"given": r"tuple|list", where: GIVES_TWO})
                for where in ("words", "line", "code")
            ),
            Sentence(A_TUPLE_OF_ONE, {"given": r"tuple", "line": ENDS_IN_A_COMMA}),
            Sentence(SEVERAL, {"given": r"tuple|list"}),
            Sentence(
                "See what gives it: a function or forward that ends without `return`, or an option "
                "that was never set",
                {"given": r"NoneType"},
            ),
            "Look at what makes it, and hand over the tensor itself; `torch.from_numpy(x)` makes "
            "one of an array, `torch.tensor(x)` of numbers",
        ),
        types=("TypeError", "RuntimeError", "ValueError"),
        older=(
            r"expected a Variable argument, but got (?P<given>[\w.]+)",
            r"expected Variable \(got (?P<given>[\w.]+)\)",
            r"argument '\w{1,80}' \(position \d{1,3}\) must be Variable, not (?P<given>[\w.]+)",
        ),
        values={"given": "type of what it got"},
        needs=f"{_OLD}; today it is `argument_type`",
        examples=(
            "TypeError: expected Variable (got list)",
            "TypeError: linear(): argument 'input' (position 1) must be Variable, not dict",
        ),
    ),
    ErrorFamily(
        id="function_removed",
        says="A function of torch is still there, and only says that it was removed.",
        means=("The function that is called was taken out of torch; `{new}` took its place",),
        remedy=(
            Sentence(
                "Write `torch.linalg.solve(A, B)`: the matrix comes first, where it came last, and "
                "what it gives is the solution alone",
                {"new": r"torch\.linalg\.solve"},
            ),
            Sentence(
                "Write `torch.linalg.lstsq(A, B).solution`: the matrix comes first, where it came "
                "last, and the residuals stand in `.residuals`",
                {"new": r"torch\.linalg\.lstsq"},
            ),
            Sentence(
                "Write `torch.linalg.eigh(A)` for values and vectors, or "
                "`torch.linalg.eigvalsh(A)` for the values alone; it reads the lower triangle, "
                "where the upper one was read (`UPLO='U'`)",
                {"new": r"torch\.linalg\.eigvalsh"},
            ),
            Sentence(
                "Write `torch.linalg.eig(A)` for values and vectors, or `torch.linalg.eigvals(A)` "
                "for the values alone; both are complex tensors today",
                {"new": r"torch\.linalg\.eig(?:vals)?"},
            ),
            "The message says how the old call is written today",
        ),
        types=("RuntimeError",),
        today=(
            r"This function was deprecated since version [\d.]+ and is now removed\."
            r"[\s\S]{0,600}?(?P<new>torch\.linalg\.\w+)",
        ),
        values={"new": "what took its place"},
        sample="torch.solve(torch.eye(2), torch.eye(2))",
    ),
)
