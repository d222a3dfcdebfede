"""From question to verified answer, against what a person would do: run it, edit it, run it again.

    python benchmarks/answer_latency.py [ROUNDS]

Three cold `python` runs of the same snippet (see the error, try a fix, check it) are timed in turn
with the second question of one session, the way `torchmedic chat` answers it. Both figures and
their ratio come from the same run on the same machine.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot.assemble import open_medic
from bot.models import Answer
from bot.question import read_message
from bot.settings import load_settings

SNIPPET = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(16, 8)

    def forward(self, x):
        gate = torch.sigmoid(self.score(x))
        gate *= 2
        return gate


net = Gate()
optimizer = torch.optim.Adam(net.parameters())
loss = (net(torch.randn(32, 16)) - 1).square().mean()
loss.backward()
optimizer.step()
"""
COLD_RUNS = 3
TARGET = 8


async def main(rounds: int) -> int:
    """Time both, print the parts and the ratio; 0 if the answer was right and fast enough."""
    question = f"why does backward fail?\n```python\n{SNIPPET}```"
    ratios, answers, colds = [], [], []
    async with open_medic(load_settings()) as medic:

        async def ask() -> Answer:
            said = [thing async for thing in medic.answer(read_message(question))]
            assert isinstance(said[-1], Answer)
            return said[-1]

        await ask()  # the first question of the session: starts executor and model
        for _ in range(rounds):
            began = time.perf_counter()
            answer = await ask()
            answers.append(time.perf_counter() - began)
            colds.append(await asyncio.to_thread(cold_runs))
            ratios.append(colds[-1] / answers[-1])
            if answer.status != "fixed":
                print(f"the answer was {answer.status}: {answer.headline}", file=sys.stderr)
                return 1
    parts = answer.timings_ms
    print(f"three cold python runs       {statistics.median(colds):7.2f} s  (median of {rounds})")
    print(f"question to verified answer  {statistics.median(answers):7.2f} s")
    print(
        f"  of which run {parts.run:.0f} ms, search {parts.search:.0f} ms, fix {parts.fix:.0f} ms"
    )
    ratio = statistics.median(ratios)
    spread = f"from {min(ratios):.1f} to {max(ratios):.1f}"
    print(f"ratio                        {ratio:7.1f}    ({spread})")
    return 0 if ratio >= TARGET else 1


def cold_runs() -> float:
    """Seconds that three runs in fresh interpreters take, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snippet.py"
        path.write_text(SNIPPET)
        began = time.perf_counter()
        for _ in range(COLD_RUNS):
            subprocess.run([sys.executable, str(path)], capture_output=True, check=False)
        return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)))
