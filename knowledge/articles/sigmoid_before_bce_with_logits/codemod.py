"""Let the model hand on its scores: the loss applies sigmoid itself."""

from knowledge.repair.by_finding import codemod_of
from knowledge.repair.findings import last_activation

applies, rewrite, checks = codemod_of(last_activation, "sigmoid_before_bce_with_logits")
