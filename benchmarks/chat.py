"""Measure how long a person waits in Slack and in Discord: first sign of life, verified answer.

    python -m benchmarks.chat [QUESTIONS]

One bot a platform, against the local servers of the tests, both in one run. Each question is a
mention with a broken program, each program a little different from the others; the first is not
counted. Beside it: the welcome, which needs no executor, and what a person would do instead, three
runs of the program in fresh interpreters, one after the other.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bot.diagnosis.assemble import open_pipeline
from bot.messages.question import read_message
from bot.service.welcome import PROMPTS
from bot.settings import Settings
from tests.bot.platforms.rooms import DiscordRoom, Room, Shown, SlackRoom

PROGRAM = """\
import torch

x = torch.ones({n}, requires_grad=True)
y = x.exp()
y += 1
print("so far so good")
y.sum().backward()
"""
COLD_RUNS = 3
LIFE_S, ANSWER_S = 0.2, 2.0


async def main(questions: int) -> int:
    """Measure both, print the medians; 0 if they are as promised."""
    medians: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory(prefix="torchmedic-chat-") as folder:
        async with open_pipeline(Settings(state=f"{folder}/state"), print, ahead=True) as medic:
            await medic.warm(read_message(PROMPTS[0].text))
            for kind in (SlackRoom, DiscordRoom):
                home = Path(folder) / kind.title
                home.mkdir()
                async with kind.at(medic, home) as room:
                    await room.open()
                    welcome = (await waited(room, "maya", "hi", lambda s: "Try one" in s.text))[0]
                    times = [await _asked(room, n) for n in range(questions + 1)][1:]
                life, answer = (statistics.median(part) for part in zip(*times, strict=True))
                medians.append((life, answer))
                print(f"{kind.title}: first sign of life {life:.2f} s, verified answer "
                      f"{answer:.2f} s, welcome {welcome:.2f} s")  # fmt: skip
    print(f"three cold python runs: {cold_runs():.2f} s")
    print(f"medians of {questions} questions")
    return 0 if all(life <= LIFE_S and answer <= ANSWER_S for life, answer in medians) else 1


async def _asked(room: Room, n: int) -> tuple[float, float]:
    text = f"why does backward fail?\n```python\n{PROGRAM.format(n=n + 2)}```"
    return await waited(room, f"person{n}", text, lambda s: "Fixed" in s.text)


async def waited(
    room: Room, who: str, text: str, is_answer: Callable[[Shown], bool]
) -> tuple[float, float]:
    """Seconds until something is shown, and until the answer is."""
    before = {s.key for s in room.shown()}
    began = time.perf_counter()
    asking = asyncio.ensure_future(room.say(who, text))
    life = 0.0
    while True:
        new = [s for s in room.shown() if s.key not in before]
        if new and not life:
            life = time.perf_counter() - began
        if any(map(is_answer, new)):
            break
        await asyncio.sleep(0.005)
    answer = time.perf_counter() - began
    await asking
    await room.settle()
    return life, answer


def cold_runs() -> float:
    """Seconds that three runs in fresh interpreters take, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(PROGRAM.format(n=3))
        began = time.perf_counter()
        for _ in range(COLD_RUNS):
            subprocess.run([sys.executable, str(path)], capture_output=True, check=False)
        return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)))
