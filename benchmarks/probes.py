"""Measure the cost of the probes: training loops of 200 steps with and without them.

python benchmarks/probes.py [ROUNDS]

The plain run is `Probe.NONE`: the same fork, walls and runner, without probes. Plain and
probed runs take turns; what is compared is the processor time of the fastest of each, because a
busy machine only ever adds to it. For the simulated device the loop's model and data are moved to
"cuda"; the plain run beside it stays on the CPU. (`NONE` is a value of the public `Job.probes`, no
hidden switch: that the probes change nothing a snippet prints is tested the same way, by anyone.)
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping

from executor.protocol import Job, Outcome, Probe
from executor.service.client import ExecutorClient

STEPS = 200
MOVE = 'model, x, y = model.to("cuda"), x.to("cuda"), y.to("cuda")'
LOOP = """
import time, torch
from torch import nn
{model}
{move}
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
def step():
    opt.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    opt.step()
    return loss.item()
step()
began = time.process_time()
for _ in range({steps}):
    step()
print(time.process_time() - began)
"""
MODELS = {
    "MLP 20-64-3, batch 32": """
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
x, y = torch.randn(32, 20), torch.randint(0, 3, (32,))
""",
    "the same with a view and a schedule": """
from torch.optim import lr_scheduler  # the text decides what is listened to
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 3))
    def forward(self, x):
        return self.net(x.view(len(x), 4, 5).flatten(1))
model = Net()
x, y = torch.randn(32, 20), torch.randint(0, 3, (32,))
""",
    "MLP of 8 layers, batch 64": """
layers = [m for _ in range(7) for m in (nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1))]
model = nn.Sequential(*layers, nn.Linear(64, 3))
x, y = torch.randn(64, 64), torch.randint(0, 3, (64,))
""",
    "CNN, batch 16 of 16x16": """
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(2048, 3),
)
x, y = torch.randn(16, 3, 16, 16), torch.randint(0, 3, (16,))
""",
    "LSTM, 20 tokens, batch 16": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, 3)
    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0][:, -1])
model = Net()
x, y = torch.randint(0, 50, (16, 20)), torch.randint(0, 3, (16,))
""",
    "Transformer, 12 tokens, batch 8": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.out = nn.Linear(32, 3)
    def forward(self, x):
        return self.out(self.layer(x).mean(1))
model = Net()
x, y = torch.randn(8, 12, 32), torch.randint(0, 3, (8,))
""",
}
# Models that a run calls again when their training is over: what must not change is changed.
CALLED_AGAIN = {
    "GRU that predicts its next token": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.gru = nn.Embedding(50, 16), nn.GRU(16, 32, batch_first=True)
        self.out = nn.Linear(32, 50)
    def forward(self, x):
        return self.out(self.gru(self.embed(x))[0]).transpose(1, 2)
model, tokens = Net(), torch.randint(0, 50, (16, 21))
x, y = tokens[:, :-1], tokens[:, 1:]
""",
    "LSTM that takes time first": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(8, 32), nn.Linear(32, 3)
    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])
model = Net()
x, y = torch.randn(16, 20, 8), torch.randint(0, 3, (16,))
""",
}
RUNS: Mapping[str, Job] = {
    "plain": Job(code="", probes=(Probe.NONE,)),
    "always on": Job(code=""),
    "in-place": Job(code="", probes=(Probe.INPLACE,)),
    "gradients": Job(code="", probes=(Probe.GRADIENTS,)),
    "oracle": Job(code="", probes=(Probe.ORACLE,)),
    "influence": Job(code="", probes=(Probe.INFLUENCE,)),
    "simulated": Job(code="", simulate="cuda"),
}
TARGETS = {
    "always on": 1.3, "in-place": 5, "gradients": 5, "oracle": 5, "influence": 5, "simulated": 5
}  # fmt: skip


async def seconds(executor: ExecutorClient, model: str, run: Job) -> float:
    """The loop's own processor time, as the snippet measures it."""
    code = LOOP.format(model=model, steps=STEPS, move=MOVE if run.simulate else "")
    result = await executor.run(run.model_copy(update={"code": code, "wall_s": 120}))
    assert result.outcome is Outcome.OK, (result.error, result.stderr)
    return float(result.stdout)


async def whole(executor: ExecutorClient, model: str, run: Job) -> float:
    """The time until the run's result is there, with what is done after its training."""
    code = LOOP.format(model=model, steps=STEPS, move="")
    began = time.perf_counter()
    result = await executor.run(run.model_copy(update={"code": code, "wall_s": 120}))
    assert result.outcome is Outcome.OK, (result.error, result.stderr)
    return time.perf_counter() - began


async def main(rounds: int) -> None:
    """Measure and print."""
    ratios: dict[str, list[float]] = {name: [] for name in TARGETS}
    async with ExecutorClient.embedded() as executor:
        here = await executor.capabilities()
        print(f"tier {here['tier']}, torch {here['torch']}; {STEPS} Adam steps, {rounds} rounds")
        print(f"  {'':34}{'plain ms/step':>14}" + "".join(f"{n:>12}" for n in TARGETS))
        for model, make in MODELS.items():
            times: dict[str, list[float]] = {name: [] for name in RUNS}
            for _ in range(rounds):
                for name, run in RUNS.items():
                    times[name].append(await seconds(executor, make, run))
            best = {name: min(t) for name, t in times.items()}
            for name in TARGETS:
                ratios[name].append(best[name] / best["plain"])
            cells = "".join(f"{ratios[name][-1]:12.2f}" for name in TARGETS)
            print(f"  {model:34}{best['plain'] / STEPS * 1000:14.2f}{cells}", flush=True)
        for model, make in CALLED_AGAIN.items():
            times = {name: [] for name in ("plain", "always on")}
            for _ in range(rounds):
                for name, taken in times.items():
                    taken.append(await whole(executor, make, RUNS[name]))
            plain, seen = min(times["plain"]), min(times["always on"])
            print(f"  {model:34}{plain:10.2f} s  the whole run, called again: {seen / plain:.2f}")
    for name, target in TARGETS.items():
        worst = max(ratios[name])
        verdict = "holds" if worst <= target else "MISSED"
        print(f"  {name}: at most {worst:.2f} times the plain run, target {target}: {verdict}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
