"""Reset the gradients before each backward, by the optimizer that steps on them."""

from knowledge.repair.by_finding import codemod_of
from knowledge.repair.findings import missing_calls

applies, rewrite, checks = codemod_of(missing_calls, "gradients_accumulate")
