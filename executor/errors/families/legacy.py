"""What torch once allowed, and what only torch before 1.0 said."""

from collections.abc import Mapping

from executor.errors.around import Around
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.lists import shapes_named
from executor.errors.several_outputs import GIVES_TWO, SEVERAL, TWO_OUTPUTS

_OLD = "torch before 0.4: variables and tensors are one today"
_A_TENSOR = r"(?:torch\.)?(?:[\w.]+\.)?\w*Tensor\b"


def _state_of_a_batch(seen: SeenError, around: Around) -> Mapping[str, str]:
    """A state that the post shows with the batch first, whose layers the message compares."""
    one, other = seen.sizes("one"), seen.sizes("other")
    if len(one) != 2 or len(other) != 2 or one[1] != other[1]:
        return {}
    batch, layers, hidden = one[0], other[0], one[1]
    if (batch, layers, hidden) not in shapes_named(around.words):
        return {}
    return {"state": f"[{batch}, {layers}, {hidden}]", "wanted": f"[{layers}, {batch}, {hidden}]"}


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
        id="inconsistent_size",
        says="Two tensors of different sizes meet in an operation of torch before 0.4.",
        look_around=_state_of_a_batch,
        means=(
            Sentence(
                "The state of a recurrent layer is read layer by layer: of {state} each part is "
                "[{other}] where this batch needs [{one}]",
                {"state": r".+"},
            ),
            "Tensors of the sizes [{one}] and [{other}] meet in one operation, and neither can be "
            "repeated to the other's",
            "Tensors of different sizes meet in one operation",
        ),
        remedy=(
            Sentence(
                "The state never is batch first: batch_first=True changes the order of the input "
                "and of the output alone. Make it {wanted}, [layers * directions, batch, "
                "hidden_size], or exchange its first two dimensions, `h = h.transpose(0, "
                "1).contiguous()`; of zeros none has to be given",
                {"state": r".+"},
            ),
            "Print the shapes of all that the line takes. Of a recurrent layer the first state is "
            "among them: [layers * directions, batch, hidden_size], with batch_first=True too",
        ),
        types=("RuntimeError", "ValueError"),
        older=(
            r"inconsistent tensor size, expected (?:r_ \[[\dx ]{1,60}\], t|tensor) "
            r"\[(?P<one>[\dx ]{1,60})\] and src \[(?P<other>[\dx ]{1,60})\]",
            r"inconsistent tensor sizes? at ",
        ),
        values={"one": "sizes of one", "other": "sizes of the other"},
        needs=f"{_OLD}; today it is `broadcast_sizes`, or `rnn_hidden_size`",
        examples=(
            "RuntimeError: inconsistent tensor size, expected r_ [3 x 4], t [3 x 4] and src [2 x "
            "4] to have the same number of elements, but got 12, 12 and 8 elements respectively",
            "RuntimeError: inconsistent tensor size at /x/torch/lib/TH/generic/THTensorMath.c:827",
        ),
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
            r"expected Variable(?: or None)? \(got (?P<given>[\w.]+)\)",
            r"argument '\w{1,80}' \(position \d{1,3}\) must be Variable, not (?P<given>[\w.]+)",
        ),
        values={"given": "type of what it got"},
        needs=f"{_OLD}; today it is `argument_type`",
        examples=(
            "TypeError: expected Variable or None (got list)",
            "TypeError: linear(): argument 'input' (position 1) must be Variable, not dict",
        ),
        breadth=-4,
    ),
)
