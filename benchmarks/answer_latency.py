"""Time from question to verified answer, compared with running, editing and rerunning by hand.

    python -m benchmarks.answer_latency [ROUNDS]
    python -m benchmarks.answer_latency --corpus DIR --runs runs.jsonl.xz [--blocks 40]

Three cold `python` runs of the same snippet (see the error, try a fix, check it) are timed in turn
with the second question of one session, the way `torchmedic chat` answers it. Both figures and
their ratio come from the same run on the same machine.

With a corpus: failing blocks are drawn until so many got a fix. Their three cold runs are fresh
interpreters inside the jail, without probes, since strangers' blocks may do anything.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.corpus import read_blocks
from bot.diagnosis.assemble import open_pipeline
from bot.messages.question import read_message
from bot.models import Answer, Question, Snippet
from bot.platforms.plugins import load_settings
from executor.protocol import Job, Probe

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
    async with open_pipeline(load_settings()) as medic:

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


async def over_blocks(corpus: Path, runs: Path, wanted: int, seed: int) -> int:
    """The same over a corpus's failing blocks that get a fix; 0 if the median is fast enough."""
    blocks = [b for b in read_blocks(corpus, runs) if b.record["group"] == "real"]
    random.Random(seed).shuffle(blocks)
    ratios: list[float] = []
    answers: list[float] = []
    asked = 0
    async with open_pipeline(load_settings()) as medic:

        async def ask(code: str) -> Answer:
            question = Question(text="", snippets=(Snippet(code=code),))
            said = [thing async for thing in medic.answer(question)]
            assert isinstance(said[-1], Answer)
            return said[-1]

        await ask(SNIPPET)  # the first question of the session: starts executor and model
        for block in blocks:
            if len(ratios) == wanted:
                break
            asked += 1
            began = time.perf_counter()
            answer = await ask(block.code)
            seconds = time.perf_counter() - began
            if answer.fix is None and not answer.alternatives:
                continue
            began = time.perf_counter()
            for _ in range(COLD_RUNS):
                job = Job(code=block.code, cold=True, probes=(Probe.NONE,), wall_s=60)
                await medic.executor.run(job)
            answers.append(seconds)
            ratios.append((time.perf_counter() - began) / seconds)
    ratio = statistics.median(ratios)
    low, high = statistics.quantiles(ratios, n=10)[0], statistics.quantiles(ratios, n=10)[-1]
    print(f"failing blocks asked about            {asked:5}, of which {len(ratios)} got a fix")
    print(f"question to verified answer, median   {statistics.median(answers):5.2f} s")
    print(f"three cold runs against it, median    {ratio:5.1f}    (tenths {low:.1f} to {high:.1f})")
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("--corpus", type=Path, help="the folder of documents")
    parser.add_argument("--runs", type=Path, help="what their blocks did")
    parser.add_argument("--blocks", type=int, default=40, help="with a fix, at most")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.corpus:
        sys.exit(asyncio.run(over_blocks(given.corpus, given.runs, given.blocks, given.seed)))
    sys.exit(asyncio.run(main(given.rounds)))
