"""Every probe that needs torch, imported before the fork so that no run pays for it."""

from executor.probes import device, gradients, inplace, layer, training

__all__ = ["device", "gradients", "inplace", "layer", "training"]
