"""Distributions, linear algebra and reductions: values that are outside of what they may be."""

import re
from collections.abc import Mapping

from executor.errors.family import MAX_CHARS, ErrorFamily, SeenError, Sentence, Suspect

_IN_HALF = r"\b(?:fp16|float16|half|amp|autocast|GradScaler)\b|precision\s?=\s?.?16"
_FILLED_WITH_INF = (
    r"masked_fill_?\([^\n]{0,60}inf\b"
    r"|\]\s*=\s*(?:-\s*(?:float\(['\"]inf|(?:torch|math|np)\.inf)|float\(['\"]-inf)"
)
_ROW = re.compile(r"\[([^\[\]]{1,1000})\]")


def _found(seen: SeenError, message: str) -> Mapping[str, str]:
    """Whether the values that a distribution refuses are printed as NaN, and if only some rows."""
    found = message[:MAX_CHARS].partition("found invalid values")[2]
    if not re.search(r"\bnan\b", found):
        return {}
    rows = [re.findall(r"\bnan\b|\d", row) for row in _ROW.findall(found)]
    whole = any(row and set(row) == {"nan"} for row in rows)
    sound = any(row and "nan" not in row for row in rows)
    return {"nan": "yes"} | ({"rows": "some"} if whole and sound else {})


FAMILIES = (
    ErrorFamily(
        id="distribution_parameter",
        says="A distribution is made with a parameter that it cannot have.",
        means=(
            Sentence(
                "A distribution is made with {parameter} of which some rows are NaN and others are "
                "not: NaN in the weights would reach every row (but for an Embedding's), so it "
                "comes with what went in for those rows",
                {"rows": r"some", "parameter": r".+"},
            ),
            "A distribution is made with a parameter it cannot have: {parameter} of {distribution}",
            "A distribution is made with a parameter it cannot have",
        ),
        derive=_found,
        remedy=(
            Sentence(
                "Look at the input of such a row, not at the learning rate: "
                "`torch.isfinite(x).flatten(1).all(1)` says which ones hold NaN or inf. Each row "
                "is one sample, of several environments one of them: check what its `reset()` and "
                "`step()` return (`np.isfinite(obs).all()`; in Stable-Baselines3 `VecCheckNan`) "
                "and mend it there, before a training step is made of it, which would bring NaN "
                "into the weights. If the input is in order, print the rows further on: a division "
                "by 0, or a mask that hides a whole row, makes NaN of one row too",
                {"rows": r"some"},
            ),
            Sentence(
                "The values are NaN, which comes from further up: print "
                "`torch.isfinite(x).all()` of the input, of the model's output and of the weights. "
                "If it comes after some steps, `torch.autograd.set_detect_anomaly(True)` names the "
                "operation; if the gradient explodes, clip it or take a smaller lr; if data hold "
                "NaN or a division by 0, mend those",
                {"nan": r"yes"},
            ),
            *(
                Sentence(
                    "Where the entries are made of deviations and a correlation, the diagonal is "
                    "`sx ** 2` and `sy ** 2`, and the entry beside it their product, `rho * sx * "
                    "sy`: a bare correlation there is too large as soon as a deviation is below 1. "
                    "If they are made so, a correlation may be rounded to 1 or -1: bound it, "
                    "`0.999 * torch.tanh(x)`",
                    {"constraint": r"PositiveDefinite", where: r"(?i)\b(?:corr\w*|rho)\b"},
                )
                for where in ("code", "words")
            ),
            Sentence(
                "Of a batch only some of the matrices are printed, and those may be sound: "
                "`torch.linalg.eigvalsh({parameter}).min(-1).values` shows which have an "
                "eigenvalue that is not above 0. A correlation that is rounded to 1 or -1 (`tanh` "
                "of a large number) gives 0: bound it, `0.999 * torch.tanh(x)`. A covariance of "
                "few samples does too: add `1e-4 * torch.eye(n)`. A matrix also has to be "
                "symmetric",
                {"constraint": r"PositiveDefinite", "parameter": r".+"},
            ),
            Sentence(
                "Its diagonal has to be positive, `softplus` or `exp` of what a layer gives, and "
                "what is above it 0, `torch.tril`",
                {"constraint": r"LowerCholesky"},
            ),
            *(
                Sentence(
                    "See which rows are NaN: `torch.isnan({parameter}).any(-1)`. If they are "
                    "single ones, nothing is allowed there: a softmax over a row of nothing but "
                    "-inf is 0/0, whatever the weights are. Look at the mask, "
                    "`mask.any(-1).all()`: a state in which nothing may be chosen has to be reset "
                    "before, or needs one choice that is always allowed. A large negative number "
                    "in place of -inf would choose among the forbidden ones",
                    {"distribution": r"Categorical", where: _FILLED_WITH_INF},
                )
                for where in ("code", "words")
            ),
            "Print the smallest and the largest of {parameter}, which have to satisfy "
            "{constraint}. A scale or a variance has to be positive: if it is a layer's output, it "
            "goes through softplus or exp; probabilities are between 0 and 1: if they are scores, "
            "give them as `logits=`",
            "Print the values before it: if there is NaN among them, see where it comes from; if "
            "a scale is not positive, it needs softplus or exp",
        ),
        types=("ValueError",),
        today=(
            r"Expected parameter (?P<parameter>\w+) \(Tensor of shape [^\n]{0,200}?of distribution "
            r"(?P<distribution>\w+)[\s\S]{0,3000}?to satisfy the constraint (?P<constraint>\w+)",
        ),
        older=(r"The parameter (?P<parameter>\w+) has invalid values",),
        values={
            "parameter": "its name",
            "distribution": "class of the distribution",
            "constraint": "that it breaks, such as GreaterThan",
        },
        sample="torch.distributions.Normal(torch.zeros(2), -torch.ones(2))",
        examples=("ValueError: The parameter scale has invalid values",),
    ),
    ErrorFamily(
        id="distribution_value",
        says="A distribution is asked about a value that it cannot give.",
        means=("A distribution is asked about a value that it cannot give",),
        remedy=(
            (
                "The value has to lie in its support. A Bernoulli knows 0 and 1 alone, and nothing "
                "between them: `(x > 0.5).float()`, `x.bernoulli()`, or a `ContinuousBernoulli` "
                "for greys. Else check for NaN and shapes"
            ),
        ),
        types=("ValueError",),
        today=(
            r"Expected value argument [\s\S]{0,300}?to be within the support"
            r"(?: \((?P<constraint>\w{1,40}))?",
        ),
        older=(r"The value argument must be within the support",),
        values={"constraint": "the support, such as Boolean"},
        sample="torch.distributions.Exponential(torch.ones(1)).log_prob(-torch.ones(1))",
        examples=("ValueError: The value argument must be within the support",),
    ),
    ErrorFamily(
        id="nothing_to_draw",
        says="Numbers are drawn by weights that sum to nothing.",
        means=(
            "Numbers are drawn by a row of weights whose sum is not above 0: all of them are 0, or "
            "NaN",
        ),
        remedy=(
            "Print `p.sum(-1).min()` and `torch.isnan(p).any()`: a mask that takes every entry, a "
            "softmax that underflows, or a row without any sample leaves nothing to draw",
        ),
        suspects=(Suspect(r"multinomial|Categorical|WeightedRandomSampler"),),
        types=("RuntimeError",),
        today=(r"invalid multinomial distribution \((?:with replacement=\w+, not |sum of prob)",),
        sample="torch.multinomial(torch.zeros(3), 1)",
    ),
    ErrorFamily(
        id="sampled_probabilities",
        says="Numbers are drawn by weights that are negative, NaN or infinite.",
        means=("Numbers are drawn by weights that are negative, NaN or infinite",),
        remedy=(
            *(
                Sentence(
                    "Ask once with `do_sample=False` and look at the scores. If they are NaN, the "
                    "model overflows in float16: load it in bfloat16 (or float32), as it was "
                    "trained. If it comes with several texts alone, pad them on the left and hand "
                    "over the attention_mask; a temperature close to 0 overflows too",
                    {where: pattern},
                )
                for where, pattern in (
                    ("frames", r" (?:_?sample|generate)$"),
                    ("words", r"\.generate\(|\bllama|\bllms?\b|\bdo_sample\b"),
                )
            ),
            "Print `torch.isnan(p).any(), p.min()`. If p holds scores of a model, they go through "
            "softmax first; NaN comes from further up",
        ),
        types=("RuntimeError",),
        today=(r"probability tensor contains either `inf`, `nan` or element < 0",),
        older=(r"invalid multinomial distribution(?! \(sum| \(with replacement)",),
        sample="torch.multinomial(torch.tensor([0.5, -0.5]), 1)",
        examples=(
            "RuntimeError: invalid argument 2: invalid multinomial distribution (encountering "
            "probability entry < 0) at /pytorch/aten/src/TH/generic/THTensorRandom.cpp:325",
        ),
    ),
    ErrorFamily(
        id="gradient_is_nan",
        says="Anomaly detection finds the function whose gradient is NaN.",
        means=("Anomaly detection found that {function} gave NaN in its gradient",),
        remedy=(
            *(
                Sentence(
                    "In float16 a gradient scaler begins with a scale of 65,536: the first "
                    "backward passes overflow, the scaler skips those steps, and anomaly detection "
                    "stops at them all the same. Look whether it comes up in float32, or with "
                    "`GradScaler(init_scale=1.0)`, too; only then there is something to mend, "
                    "mostly sqrt or norm at 0, log of 0, or a division by 0",
                    {where: _IN_HALF},
                )
                for where in ("words", "code")
            ),
            (
                "Usual reasons: sqrt or norm at 0, log of 0, a division by 0, exp that "
                "overflows: add a small number inside (`torch.sqrt(x + 1e-8)`), clamp before it, "
                "or use the stable form (log_softmax, BCEWithLogits). If a `torch.where` leaves "
                "such places out, their gradient is NaN all the same: replace them inside of it"
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"Function '(?P<function>\w+)' returned nan values in its "
            r"(?P<output>\d+)(?:th|st|nd|rd) output",
        ),
        values={"function": "that made it", "output": "its number, from 0"},
        sample=(
            "x = torch.zeros(1, requires_grad=True)\nwith torch.autograd.detect_anomaly():\n    "
            "(x.sqrt() * 0).sum().backward()"
        ),
    ),
    ErrorFamily(
        id="topk_size",
        says="topk is asked for more elements than there are.",
        means=("topk is asked for more elements than the dimension has",),
        remedy=(
            "Print the shape before it: k may be no larger than the dimension is (a top-5 "
            "accuracy needs at least 5 classes), and `dim` has to be the one that is meant",
        ),
        suspects=(Suspect(r"topk|accuracy"),),
        types=("RuntimeError",),
        today=(r"selected index k out of range",),
        older=(r"k not in range for dimension",),
        sample="torch.ones(2).topk(3)",
        examples=(
            "RuntimeError: invalid argument 5: k not in range for dimension at /pytorch/aten/src/"
            "THC/generic/THCTensorTopK.cu:21",
        ),
    ),
    ErrorFamily(
        id="quantile_too_large",
        says="A quantile is asked of more elements than torch.quantile takes.",
        means=(
            "`torch.quantile` takes at most 2**24 elements (16,777,216) at once, along `dim`, or "
            "in all where no dim is given; memory plays no part",
        ),
        remedy=(
            "If one element is enough, without a mean of two neighbours: `x.flatten().kthvalue(1 + "
            "round(q * (x.numel() - 1))).values` (with dim: `x.kthvalue(k, dim=dim)`). "
            "`numpy.quantile(x.cpu().numpy(), q)` takes any number. Of a million elements drawn at "
            "random, `x.flatten()[torch.randint(x.numel(), (1_000_000,), device=x.device)]`, it is "
            "nearly the same. Where the line is a library's, a newer one may have done so",
        ),
        suspects=(Suspect(r"(?:nan)?quantile"),),
        types=("RuntimeError",),
        today=(r"quantile\(\) input tensor is too large",),
        sample="torch.zeros(2**24 + 1).quantile(0.5)",
    ),
    ErrorFamily(
        id="multinomial_categories",
        says="torch.multinomial is asked to draw among more categories than it takes.",
        decides=True,
        means=(
            "`torch.multinomial` draws among at most 2**24 categories (16,777,216), whatever the "
            "dtype; there is no switch, and memory plays no part",
        ),
        remedy=(
            "Draw by the sums, in float64: `cdf = p.double().cumsum(0)`, and `i = "
            "torch.searchsorted(cdf, torch.rand(n, dtype=torch.float64) * cdf[-1], right=True)` "
            "draws n places with replacement. Or in two steps: lay p out as [a, b], draw the row "
            "by `p.sum(1)`, and the column within it. `WeightedRandomSampler` has the same limit",
        ),
        suspects=(Suspect(r"multinomial|WeightedRandomSampler|Categorical"),),
        types=("RuntimeError",),
        today=(r"number of categories cannot exceed 2\^24",),
        sample="torch.ones(2**24 + 1).multinomial(1)",
    ),
    ErrorFamily(
        id="not_converged",
        says="A decomposition of a matrix does not converge, often over NaN or infinity in it.",
        means=(
            "A decomposition of a matrix does not converge | NaN or infinity stands in it, or it "
            "is close to singular",
        ),
        remedy=(
            "Check `torch.isfinite(a).all()` before the line. If all are finite, compute it in "
            "float64; if columns are the same or all zero, leave them out",
        ),
        types=("_LinAlgError", "LinAlgError", "RuntimeError"),
        today=(r"failed to converge|did not converge",),
        sample='torch.linalg.svd(torch.full((3, 3), float("nan")))',
        examples=(
            "RuntimeError: svd_cuda: the updating process of SBDSDC did not converge (error: 23)",
        ),
    ),
    ErrorFamily(
        id="singular_matrix",
        says="A matrix that is to be inverted or solved is singular.",
        means=(
            Sentence(
                "A singular value decomposition did not come to an end: the matrix holds NaN or "
                "infinity, or its rows depend on one another too much",
                {"svd": r".+"},
            ),
            (
                "A matrix that is to be inverted or solved is singular: its rows depend on "
                "one another"
            ),
        ),
        remedy=(
            Sentence(
                "Print `torch.isfinite(a).all()` first: a loss that became NaN before brings it "
                "here. If all are finite, compute it in float64",
                {"svd": r".+"},
            ),
            (
                "Print `torch.linalg.matrix_rank(a)` and a itself. If it should have full rank, "
                "see what makes rows alike (fewer samples than features, a constant column, "
                "zeros). If any good solution will do: `torch.linalg.lstsq` or `pinv`; if it is a "
                "covariance, a little on its diagonal, `a + 1e-6 * torch.eye(n)`"
            ),
        ),
        types=("_LinAlgError", "LinAlgError", "RuntimeError"),
        today=(r"(?P<svd>svd\w*)[^\n]{0,80}singular|singular",),
        values={"svd": "the function, where it is that one"},
        sample="torch.linalg.inv(torch.zeros(2, 2))",
    ),
    ErrorFamily(
        id="matrix_kind",
        says="A function of linear algebra is given a matrix that is not of the kind it takes.",
        means=(
            Sentence(
                "A matrix that is to be factorised is not positive-definite", {"definite": r".+"}
            ),
        ),
        remedy=(
            Sentence(
                "Look for NaN first, `torch.isfinite(a).all()`. If it is a covariance or a kernel, "
                "rounding makes it so: take the mean with its transpose, compute in float64, and "
                "add a little to the diagonal. If it comes from quantizing (GPTQ), give more "
                "samples or a larger `damp_percent`",
                {"definite": r".+"},
            ),
        ),
        values={"definite": "positive-definite, where that is what it is not"},
        details=(r"(?P<definite>positive-definite)",),
        types=("_LinAlgError", "LinAlgError", "RuntimeError"),
        today=(r"positive-definite|linalg\.\w+: (?:A|input|The)",),
        sample="torch.linalg.cholesky(-torch.eye(2))",
        breadth=6,
    ),
    ErrorFamily(
        id="linear_algebra",
        says="A computation of linear algebra failed.",
        types=("LinAlgError", "_LinAlgError"),
        today=(r"",),
        sample="np.linalg.eig(np.full((2, 2), np.nan))",
        typed=True,
        breadth=7,
    ),
    ErrorFamily(
        id="nothing_to_reduce",
        says="A largest, smallest or mean value is asked of an empty tensor.",
        means=("A largest, smallest or mean value is asked of what is empty",),
        remedy=(
            (
                "Find out why it is empty (a mask or filter that leaves nothing, an empty batch). "
                "If that may be, skip it: `if x.numel()` (of an array `if x.size`)"
            ),
        ),
        types=("RuntimeError", "IndexError", "ValueError"),
        today=(
            r"Expected reduction dim (?:to be specified for input\.numel\(\) == 0|\d+ to have non-)"
            r"|zero-size array to reduction"
            r"|cannot perform reduction function \w+ on a tensor with no elements|zero elements",
        ),
        sample="torch.ones(0).max()",
    ),
)
