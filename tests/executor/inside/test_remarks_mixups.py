"""executor/inside/remarks/: names that were mixed up, and figures that say something else."""

from __future__ import annotations

from tests.executor.inside.test_remarks import module, said_and_left_alone

TRAIN = "opt.zero_grad()\nloss.backward()\nopt.step()\n"
CLOCK = "import time\nimport torch\nmodel.to('cuda')\nt = time.time()\ny = model(x)\n"
COUNT = "for x, y in loader:\n    right += (model(x).argmax(1) == y).sum().item()\n"
PAIR = """\
class Pairs(Dataset):
    def __init__(self):
        self.transform = T.Compose([T.RandomCrop(8)])
    def __getitem__(self, i):
        image, {name} = self.read(i)
        {first}
        return self.transform(image), self.transform({name})
"""
NET = module("self.fc = nn.Linear(8, 1)", "return self.fc(x)")
EPOCHS = """\
sched = {kind}(opt, 10)
for epoch in range(9):
    for x in loader:
        loss.backward()
        {inner}
    {outer}
"""
BOTH = "self.rnn = nn.LSTM(2, 3, batch_first=True, bidirectional=True)"
LAST = "out, _ = self.rnn(x)\nreturn out[:, -1]"

GUARDED = """\
import torch
loader = DataLoader(data, num_workers={n})
{loop}
"""

SHOWN = {
    "misnamed_init": [
        "class Net(nn.Module):\n    def _init_(self):\n        super(Net, self)._init_()",
        "class Data(Dataset):\n    def __int__(self, rows):\n        self.rows = rows",
        "class Data(Dataset):\n    def __Init__(self, rows):\n        self.rows = rows",
    ],
    "no_main_guard": [
        GUARDED.format(n=2, loop="for x in loader:\n    print(x)"),
        GUARDED.format(n=2, loop="for i, x in enumerate(loader):\n    print(x)"),
        GUARDED.format(n=2, loop="print(next(iter(loader)))"),
        "for x in DataLoader(data, num_workers=4):\n    print(x)",
    ],
    "seeded_and_timed": [
        "torch.manual_seed(0)\ntorch.backends.cudnn.benchmark = True",
        "torch.manual_seed(0)\nfrom torch.backends import cudnn\ncudnn.deterministic = False",
    ],
    "misspelled": ["for p in m.parameters():\n    p.require_grad = False"],
    "exchanged": [
        "loss = nn.CrossEntropyLoss()\nl = loss(labels, outputs)",
        "l = F.cross_entropy(y, logits)",
        "l = nn.BCELoss()(target, pred)",
    ],
    "one_object": [f"{NET}\npolicy = Net()\ntarget_net = policy"],
    "drawn_twice": [PAIR.format(name="mask", first="pass")],
    "backward_half": [module(BOTH, LAST), module(BOTH, LAST.replace("-1]", "-1, :]"))],
    "all_zero": [
        "nn.init.zeros_(layer.weight)",
        "layer.weight.data.fill_(0)",
        "nn.init.constant_(self.fc1.weight, 0.0)",
    ],
    "same_weights": [
        f"a = m.state_dict()\n{TRAIN}b = m.state_dict()\nprint(torch.equal(a['w'], b['w']))",
        f"a = list(m.parameters())\n{TRAIN}b = list(m.parameters())\nprint(a == b)",
        f"a = m.fc.weight.data\n{TRAIN}b = m.fc.weight.data\nprint((a - b).sum())",
    ],
    "gpu_time": [
        f"{CLOCK}print(time.time() - t)",
        f"def act(x):\n    return model(x)\n{CLOCK}act(x)\nprint(time.time() - t)",
        f"{CLOCK}u = time.time()\ny = y.cpu()\nprint(u - t)",
        f"{CLOCK}m = torch.load(path)\nprint(time.time() - t)",
    ],
    "picks_samples": [
        COUNT.replace("argmax(1)", "argmax(0)"),
        COUNT.replace("argmax(1)", "argmax(dim=0)"),
        "for x, y in data:\n    out = m(x)\n    pred = torch.argmax(out, dim=0)\n"
        "    right += (y == pred).sum()\n    n += len(y)\n",
    ],
    "over_batches": [
        f"{COUNT}print(right / len(loader))",
        f"{COUNT}print(100 * right / len(test_loader))",
        f"data = DataLoader(d, batch_size=n)\n{COUNT}print(right / len(data))",
    ],
    "counts_batches": [
        EPOCHS.format(kind="StepLR", inner="sched.step()", outer="pass"),
        EPOCHS.format(kind="CosineAnnealingLR", inner="sched.step()", outer="pass").replace(
            "epoch in range(9)", "e in range(10)"
        ),
    ],
}
SOUND = {
    "its own name": "class Net(nn.Module):\n    def __init__(self):\n        pass\n"
    "    def _init_(self):\n        pass",
    "a method of one's own": "class Net(nn.Module):\n    def _init_(self):\n        pass\n"
    "    def forward(self, x):\n        self._init_()\n        return x",
    "a class that is a whole number": "class Id:\n    def __int__(self):\n        return 3",
    "no workers": GUARDED.format(n=0, loop="for x in loader:\n    print(x)"),
    "workers in a function": GUARDED.format(
        n=2, loop="def main():\n    for x in loader:\n        print(x)"
    ),
    "a guard": GUARDED.format(
        n=2, loop="if __name__ == '__main__':\n    for x in loader:\n        print(x)"
    ),
    "a loader that nobody goes through": GUARDED.format(n=2, loop="print(len(loader))"),
    "timed, and nothing seeded": "torch.backends.cudnn.benchmark = True",
    "seeded and not timed": "torch.manual_seed(0)\ntorch.backends.cudnn.benchmark = False\n"
    "torch.backends.cudnn.deterministic = True",
    "another benchmark": "torch.manual_seed(0)\nargs.benchmark = True",
    "biases of zero": "self.fc.bias.data.zero_()\nself.fc.running.data.fill_(0)",
    "the only layer of a program": f"{NET}\nnn.init.zeros_(self.fc.weight)",
    "a schedule in batches": EPOCHS.format(
        kind="StepLR", inner="sched.step()", outer="pass"
    ).replace("StepLR(opt", "StepLR(opt, 1000"),
    "a shift that begins with no effect": "self.fc = nn.Linear(4, 4)\n"
    "self.gamma = nn.Linear(4, 4)\nnn.init.zeros_(self.gamma.weight)",
    "zeros of what a loop goes through": "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
    "for e in (u, v):\n    nn.init.zeros_(e.weight)",
    "a table of zeros": "self.b = nn.Embedding(9, 4)\nnn.init.zeros_(self.b.weight)\n"
    "self.c = nn.EmbeddingBag(9, 4)\nself.c.weight.data.zero_()",
    "the attribute's own name": "p.requires_grad = False",
    "the right order": "loss = nn.CrossEntropyLoss()\nl = loss(outputs, labels)",
    "a function of one's own": "def cross_entropy(labels, outputs):\n    return labels\n"
    "l = cross_entropy(labels, outputs)",
    "a loss without an order": "l = nn.MSELoss()(target, pred)",
    "other names": "l = F.cross_entropy(y, targets)",
    "two classes": NET.replace("8, 1", "8, 2") + "\nc = nn.CrossEntropyLoss()",
    "one score, another loss": f"{NET}\nc = nn.BCEWithLogitsLoss()",
    "something behind the last layer": module("self.fc = nn.Linear(8, 1)", "return cat(self.fc(x))")
    + "\nc = nn.CrossEntropyLoss()",
    "a copy": f"{NET}\npolicy = Net()\ntarget_net = copy.deepcopy(policy)",
    "a name for short": f"{NET}\npolicy = Net()\nmodel = policy",
    "a target that is a number": PAIR.format(name="other", first="pass"),
    "one seed for both": PAIR.format(name="mask", first="torch.manual_seed(i)"),
    "one direction": module(BOTH.replace(", bidirectional=True", ""), LAST),
    "all steps": module(BOTH, "out, _ = self.rnn(x)\nreturn out[:, -1, :3]"),
    "a bias": "nn.init.zeros_(layer.bias)",
    "a scale that begins at 0": "nn.init.zeros_(block.bn2.weight)",
    "the end of a residual branch": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(9, 9)\n        nn.init.zeros_(self.fc.weight)\n"
        "    def forward(self, x):\n        return torch.eye(3) + self.fc(x).view(-1, 3, 3)"
    ),
    "another value": "nn.init.constant_(layer.weight, 0.1)",
    "switched on again": f"torch.set_grad_enabled(False)\n{TRAIN}torch.set_grad_enabled(True)",
    "nothing trains": "torch.set_grad_enabled(False)\ny = model(x)",
    "copies": f"a = m.fc.weight.clone()\n{TRAIN}b = m.fc.weight.clone()\nprint(a - b)",
    "no step between": "a = m.fc.weight\nb = m.fc.weight\nprint(a - b)",
    "not compared": f"a = m.fc.weight\n{TRAIN}b = m.fc.weight\nprint(a)",
    "waited for by the copy": f"{CLOCK}y = y.cpu()\nu = time.time()\nprint(u - t)",
    "threads that are waited for": f"{CLOCK}thread.join()\nprint(time.time() - t)",
    "waited for": f"{CLOCK}torch.cuda.synchronize()\nprint(time.time() - t)",
    "waited for by a function": "def act(x):\n    return step(x)\ndef step(x):\n"
    f"    return model(x).cpu()\n{CLOCK}for _ in range(9):\n    act(x)\nprint(time.time() - t)",
    "nothing that the GPU computes": f"{CLOCK}".replace("y = model(x)", "m = torch.load(path)")
    + "print(time.time() - t)",
    "a copy, which waits for its end": f"{CLOCK}".replace("y = model(x)", "model.to('cuda')")
    + "print(time.time() - t)",
    "on the CPU": CLOCK.replace("'cuda'", "'cpu'") + "print(time.time() - t)",
    "over samples": f"{COUNT}print(right / len(loader.dataset))",
    "one sample at a time": "for x, y in data:\n    r += m(x).argmax(0) == y\n",
    "samples are wanted": COUNT.replace("argmax(1) == y", "argmax(0) == best"),
    "turned outputs": COUNT.replace("argmax(1)", "T.argmax(0)"),
    "a mean of shares": COUNT.replace("item()", "item() / len(y)") + "print(right / len(loader))",
    "one sample in a batch": f"data = DataLoader(d)\n{COUNT}print(right / len(data))",
    "once an epoch": EPOCHS.format(kind="StepLR", inner="opt.step()", outer="sched.step()"),
    "a schedule of steps": EPOCHS.format(kind="OneCycleLR", inner="sched.step()", outer="pass"),
}

test_what_is_mixed_up_is_said, test_sound_code_is_left_alone = said_and_left_alone(SHOWN, SOUND)
