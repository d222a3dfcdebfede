"""executor/inside/remarks/frozen.py: what moves although it is frozen."""

from __future__ import annotations

from tests.executor.inside.test_remarks import said_and_left_alone

NET = "net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))\n"
LOOP = "for p in net.parameters():\n    p.requires_grad = False\n"
TRAINED = "model.train()\nfor x in data:\n    loss(head(net(x))).backward()\n"

MODE = "class A(nn.Module):\n    def train(self, mode=True):\n        return super().train(mode)\n"

SHOWN = {
    "frozen_averages": [
        NET + LOOP + TRAINED,
        NET + LOOP.replace("p.requires_grad = False", "p.requires_grad_(False)") + TRAINED,
        NET + "net.requires_grad_(False)\n" + TRAINED,
        "net = torchvision.models.resnet18()\n" + LOOP + TRAINED,
        NET + LOOP + TRAINED + "model.eval()\n",
    ],
}

SOUND = {
    "kept in evaluation mode": NET + LOOP + TRAINED.replace("n()\n", "n()\nnet.eval()\n"),
    "kept so by train": NET + LOOP + TRAINED.replace("n()\n", "n()\nnet.train(False)\n"),
    "never back from evaluation": NET + LOOP + "model.eval()\n" + TRAINED.partition("\n")[2],
    "nothing that keeps averages": NET.replace("Batch", "Layer") + LOOP + TRAINED,
    "thawed later": NET + LOOP + LOOP.replace("False", "True") + TRAINED,
    "trained in part": NET + LOOP + TRAINED.replace("model.train", "net.train"),
    "an average of other weights": NET
    + LOOP
    + TRAINED
    + "    for a, b in zip(model.parameters(), net.parameters()):\n        b.data.lerp_(a, 0.1)\n",
    "not trained": NET + LOOP + "print(head(net(x)))\n",
    "the layers are chosen": NET + LOOP + "isinstance(m, nn.BatchNorm2d)\n" + TRAINED,
    "a class with a train of its own": NET + LOOP + MODE + TRAINED,
}

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)
