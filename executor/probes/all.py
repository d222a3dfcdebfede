"""Every probe that needs torch, imported before the fork so that no run pays for it."""

import executor.simulated.cuda  # noqa: F401  (it changes nothing before it is started)
from executor.probes import device, gradients, inplace, layer, training

__all__ = ["device", "gradients", "inplace", "layer", "training"]
