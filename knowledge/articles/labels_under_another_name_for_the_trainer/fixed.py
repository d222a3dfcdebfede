import inspect

from torch import nn


class Player(nn.Module):
    def forward(self, frames, labels=None):
        return frames


named = [name for name in inspect.signature(Player.forward).parameters if "label" in name]
assert named, "no argument is taken for labels"
