"""Distributions, linear algebra and reductions: values that are outside of what they may be."""

from executor.errors.family import ErrorFamily

FAMILIES = (
    ErrorFamily(
        id="distribution_parameter",
        says="A distribution is made with a parameter that it cannot have.",
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
        types=("ValueError",),
        today=(r"Expected value argument [\s\S]{0,300}?to be within the support",),
        older=(r"The value argument must be within the support",),
        sample="torch.distributions.Exponential(torch.ones(1)).log_prob(-torch.ones(1))",
        examples=("ValueError: The value argument must be within the support",),
    ),
    ErrorFamily(
        id="singular_matrix",
        says="A matrix that is to be inverted or solved is singular.",
        types=("_LinAlgError", "LinAlgError", "RuntimeError"),
        today=(r"singular",),
        sample="torch.linalg.inv(torch.zeros(2, 2))",
    ),
    ErrorFamily(
        id="matrix_kind",
        says="A function of linear algebra is given a matrix that is not of the kind it takes.",
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
        types=("RuntimeError", "IndexError", "ValueError"),
        today=(
            r"Expected reduction dim to be specified for input\.numel\(\) == 0"
            r"|cannot perform reduction function \w+ on a tensor with no elements|zero elements",
        ),
        sample="torch.ones(0).max()",
    ),
)
