"""Every probe that needs torch, imported before the fork so that no run pays for it."""

import executor.inside.simulated.cuda  # noqa: F401  (it changes nothing before it is started)
from executor import errors
from executor.inside.explain import explain
from executor.inside.explain.family import known
from executor.inside.probes import device, gradients, influence, inplace, layer, training

known()  # imports every explanation
errors.prepare()

__all__ = ["device", "explain", "gradients", "influence", "inplace", "layer", "training"]
