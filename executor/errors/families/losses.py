"""Losses: batch sizes, shapes, dtypes and ranges of predictions and targets."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="loss_batch_sizes",
        says="A loss gets another number of predictions than of labels.",
        types=("ValueError", "RuntimeError"),
        today=(
            r"Expected input batch_size \((?P<rows>\d+)\) to match target batch_size "
            r"\((?P<labels>\d+)\)",
        ),
        values={"rows": "rows of the predictions", "labels": "number of labels"},
        sample="F.cross_entropy(torch.ones(8, 3), torch.zeros(4, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_target_shape",
        says="Cross entropy gets a target of another shape than its predictions need.",
        types=("RuntimeError", "ValueError"),
        today=(
            r"Expected target size [\[(](?P<expected>[\d, ]*)[\])], got "
            r"(?:torch\.Size\()?\[(?P<given>[\d, ]*)\]",
        ),
        values={"expected": "sizes it needs", "given": "sizes it got"},
        sample="F.cross_entropy(torch.ones(4, 5, 3), torch.zeros(4, 5, dtype=torch.long))",
        examples=("ValueError: Expected target size (16, 10), got torch.Size([16])",),
    ),
    ErrorFamily(
        id="loss_one_dimension",
        says="Cross entropy gets labels in rows where it takes one class number for each sample.",
        types=("RuntimeError",),
        today=(r"(?P<column>0D or 1D target tensor expected), multi-target not supported",),
        older=(r"1D target tensor expected", r"multi-target not supported"),
        values={"column": "as today's wording begins"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4, 1, dtype=torch.long))",
        examples=(
            "RuntimeError: 1D target tensor expected, multi-target not supported",
            "RuntimeError: multi-target not supported at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:21",
        ),
    ),
    ErrorFamily(
        id="loss_spatial_target",
        says="Cross entropy of images gets a target with a dimension too many or too few.",
        types=("RuntimeError",),
        today=(
            r"only batches of spatial targets supported(?: \(3D tensors\) but got targets of "
            r"dimension: (?P<dimensions>\d+))?",
        ),
        values={"dimensions": "that the target has"},
        sample="F.cross_entropy(torch.ones(2, 3, 4, 4), torch.zeros(2, 1, 4, 4, dtype=torch.long))",
        examples=(
            "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets "
            "of size: : [2, 3, 4, 4]",
        ),
    ),
    ErrorFamily(
        id="loss_spatial_sizes",
        says="Cross entropy of images gets a target of another height or width.",
        types=("RuntimeError",),
        today=(
            r"size mismatch \(got input: (?P<input>\[[\d, ]*\]) ?, target: "
            r"(?P<target>\[[\d, ]*\])",
        ),
        values={"input": "shape of the predictions", "target": "shape of the target"},
        sample="F.cross_entropy(torch.ones(2, 3, 4, 4), torch.zeros(2, 5, 5, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_target_dimensions",
        says="A loss gets a target with another number of dimensions than it takes.",
        types=("ValueError", "RuntimeError"),
        today=(r"For \dD input, \dD target must|Expected target [^\n]{0,100}?shape",),
        sample="F.multi_margin_loss(torch.ones(3), torch.zeros(2, dtype=torch.long))",
        examples=("ValueError: For 1D input, 1D target must have size 1, but got target size: 4",),
    ),
    ErrorFamily(
        id="loss_sizes",
        says="A loss gets predictions and targets of two shapes where it needs one.",
        types=("ValueError", "RuntimeError", "UserWarning"),
        today=(
            r"[Tt]arget size \(torch\.Size\((?P<target>\[[\d, ]*\])\)\)[\s\S]{0,80}?input size "
            r"\(torch\.Size\((?P<input>\[[\d, ]*\])\)\)",
            r"Using a target size",
        ),
        older=(
            r"input and target shapes do not match: input (?P<input>\[[\dx, ]*\]), target "
            r"(?P<target>\[[\dx, ]*\])",
            r"Target and input must have the same number of elements",
        ),
        values={"target": "shape of the target", "input": "shape of the predictions"},
        sample="F.binary_cross_entropy_with_logits(torch.ones(8, 1), torch.ones(8))",
        examples=(
            "RuntimeError: input and target shapes do not match: input [64 x 1], target [64] at "
            "/pytorch/aten/src/THNN/generic/MSECriterion.c:13",
            "ValueError: Target and input must have the same number of elements. target nelement "
            "(64) != input nelement (128)",
            "ValueError: Using a target size (torch.Size([64])) that is different to the input "
            "size (torch.Size([64, 1])) is deprecated. Please ensure they have the same size.",
            "UserWarning: Using a target size (torch.Size([8])) that is different to the input "
            "size (torch.Size([8, 1])). This will likely lead to incorrect results due to "
            "broadcasting.",
        ),
    ),
    ErrorFamily(
        id="loss_class_probabilities",
        says="Cross entropy takes whole numbers for probabilities, since they have its input's "
        "shape.",
        types=("RuntimeError",),
        today=(
            r"Expected floating point type for target with class probabilities, got "
            r"(?P<dtype>\w+)",
        ),
        values={"dtype": "of the target, in PyTorch's short form, such as Long"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4, 3, dtype=torch.long))",
    ),
    ErrorFamily(
        id="loss_index_dtype",
        says="Cross entropy gets class numbers that are no integers.",
        types=("RuntimeError",),
        today=(r"expected target dtype to be (?P<expected>[\w ]+?), but got (?P<dtype>\w+)",),
        older=(
            r"Expected object of scalar type (?P<expected>Long) but got scalar type "
            r"(?P<dtype>\w+) for argument #\d+ 'target'",
            r"Expected object of type torch\.(?:cuda\.)?(?P<expected>Long)Tensor but found type "
            r"torch\.(?:cuda\.)?(?P<dtype>\w+)Tensor for argument #\d+ 'target'",
        ),
        values={
            "expected": "dtypes it takes, such as Long or Byte",
            "dtype": "of the target, in PyTorch's short form",
        },
        sample="F.cross_entropy(torch.ones(4, 3), torch.zeros(4))",
        examples=(
            "RuntimeError: Expected object of scalar type Long but got scalar type Float for "
            "argument #2 'target' in call to _thnn_nll_loss_forward",
            "RuntimeError: Expected object of type torch.LongTensor but found type "
            "torch.FloatTensor for argument #2 'target'",
        ),
    ),
    ErrorFamily(
        id="class_out_of_bounds",
        says="A class number is as large as the number of scores, or larger.",
        types=("IndexError", "RuntimeError"),
        today=(r"Target (?P<label>-?\d+) is out of bounds",),
        older=(
            r"Assertion `?'?cur_target >= 0 && cur_target < n_classes",
            r"Assertion `t >= 0 && t < n_classes` failed",
        ),
        values={"label": "the class number"},
        sample="F.cross_entropy(torch.ones(4, 3), torch.full((4,), 3))",
        examples=(
            "RuntimeError: Assertion `cur_target >= 0 && cur_target < n_classes' failed. at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:93",
        ),
    ),
    ErrorFamily(
        id="loss_range",
        says="Binary cross entropy gets values that are no probabilities.",
        types=("RuntimeError",),
        today=(r"all elements of (?P<which>input|target) should be between 0 and 1",),
        older=(r"Assertion `x >= 0\. && x <= 1\.' failed",),
        values={"which": "input or target"},
        sample="F.binary_cross_entropy(torch.full((3,), 2.0), torch.ones(3))",
        examples=(
            "RuntimeError: Assertion `x >= 0. && x <= 1.' failed. input value should be between "
            "0~1, but got -0.5 at /pytorch/aten/src/THNN/generic/BCECriterion.c:60",
        ),
    ),
    ErrorFamily(
        id="class_weights",
        says="A loss has another number of class weights than its input has classes.",
        types=("RuntimeError",),
        today=(
            r"weight tensor should be defined either for all (?P<classes>\d+) classes or no "
            r"classes but got weight tensor of shape: (?P<weight>\[[\d, ]*\])",
        ),
        older=(r"weight tensor should be defined either for all or no classes",),
        values={"classes": "that the input has", "weight": "shape of the weights"},
        sample=(
            "labels = torch.zeros(4, dtype=torch.long)\n"
            "F.cross_entropy(torch.ones(4, 3), labels, weight=torch.ones(2))"
        ),
        examples=(
            "RuntimeError: weight tensor should be defined either for all or no classes at "
            "/pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:39",
        ),
    ),
)
