"""Let the model hand on its scores: the loss applies softmax itself."""

from knowledge.repair.by_finding import codemod_of
from knowledge.repair.findings import last_activation

applies, rewrite, checks = codemod_of(last_activation, "softmax_before_cross_entropy")
