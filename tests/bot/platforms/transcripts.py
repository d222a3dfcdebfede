"""Write docs/transcripts.md: ten stories on each platform, as people see them, from runs.

python -m tests.bot.platforms.transcripts docs/transcripts.md
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.diagnosis.assemble import open_pipeline
from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from bot.service.welcome import PROMPTS
from bot.settings import Settings
from executor.exceptions import ExecutorGoneError
from tests.bot.platforms.rooms import DiscordRoom, Files, Room, Shown, SlackRoom, Where

IN_PLACE = """\
why does backward fail?
```python
import torch

x = torch.ones(3, requires_grad=True)
y = x.exp()
y += 1
print("so far so good")
y.sum().backward()
```"""
SHAPES = """\
what comes out of this?
```python
import torch

batch_size = 4
layer = torch.nn.Linear(3, 2)
print(layer(torch.ones(batch_size, 3)).shape)
```"""
WRONG_SIZE = """\
```python
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(32, 2))
print(model(torch.randn(4, 8)).shape)
```"""
SCRIPT = b"""\
import torch

rows = [line.split(",") for line in open("data.csv").read().split()]
table = torch.tensor([[float(x) for x in row] for row in rows])
print(table.mean(dim=0))
"""


class Story:
    """One transcript while it is written: who said what, and what then stood there."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._lines: list[str] = []
        self._known: dict[str, str] = {}

    async def open(self, medic: Pipeline | None = None, **settings: Any) -> None:
        """Start the bot."""
        await self.room.open(medic, **settings)

    async def say(
        self, who: str, text: str, where: Where = "channel", files: Files = (), *, call: bool = True
    ) -> None:
        """Somebody writes."""
        at = {"channel": "", "thread": " in the thread", "direct": " in a direct message"}[where]
        called = "@torchmedic " if call and where == "channel" else ""
        attached = "".join(f"\n📎 {name}" for name, _ in files)
        self._lines.append(f"**{who}**{at}:\n\n{_quoted(f'{called}{text}{attached}'.strip())}")
        await self.room.say(who, text, where, files, call=call)
        await self.look()

    async def command(self, who: str, text: str) -> None:
        """Somebody uses the command."""
        self._lines.append(f"**{who}**:\n\n{_quoted(f'/torchmedic {text}'.strip())}")
        await self.room.command(who, text)
        await self.look()

    async def press(self, who: str, label: str) -> None:
        """Somebody presses a button."""
        self._lines.append(f"**{who}** presses `[{label}]`.")
        await self.room.press(who, label)
        await self.look()

    def tell(self, text: str) -> None:
        """What happens around it."""
        self._lines.append(f"*{text}*")

    async def look(self) -> None:
        """Write down what is new."""
        await self.room.settle()
        shown = {s.key: s for s in self.room.shown()}
        for key, message in shown.items():
            if self._known.get(key) != message.text:
                self._lines.append(_as_seen(message, self._known.get(key)))
        for key in [*self._known]:
            if key not in shown:
                self._lines.append("*The bot's message is gone.*")
                del self._known[key]
        self._known |= {key: s.text for key, s in shown.items()}

    @property
    def text(self) -> str:
        """All of it."""
        return "\n\n".join(self._lines)


def _as_seen(message: Shown, before: str | None) -> str:
    """A message, or of one that was changed the lines that are new."""
    if before is not None:
        known = before.splitlines()
        fresh = [line for line in message.text.splitlines() if line not in known]
        return "**torchmedic** changes its message:\n\n" + _quoted("\n".join(fresh))
    first = message.states[0].splitlines()[0] if message.states else ""
    at_once = f"; at once: {first}" if len(message.states) > 1 else ""
    return f"**torchmedic** ({message.where}{at_once}):\n\n{_quoted(message.text)}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _spaced(text).splitlines())


def _spaced(text: str) -> str:
    """With an empty line between what stands on lines of its own, as a chat shows it."""
    out: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside
            if inside:
                out.append("")
        out.append(line if inside or line.startswith(("```", "• ")) else f"{line}\n")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n")


# -- the stories -----------------------------------------------------------------------------


async def welcome(story: Story, medic: Pipeline) -> None:
    """Newcomers · The first word"""
    await story.open()
    await story.say("maya", "hi!", "direct")
    await story.press("maya", PROMPTS[2].label)


async def broken_snippet(story: Story, medic: Pipeline) -> None:
    """Newcomers · Code that fails"""
    await story.open()
    await story.say("maya", IN_PLACE)
    await story.press("maya", "Details")
    await story.press("maya", "Solved")


async def error_only(story: Story, medic: Pipeline) -> None:
    """Newcomers · Only an error, no code"""
    await story.open()
    await story.say(
        "maya",
        "what is this?\n```\nRuntimeError: mat1 and mat2 shapes cannot be multiplied "
        "(32x400 and 120x84)\n```",
    )


async def words_below(story: Story, medic: Pipeline) -> None:
    """Threads · Words below the code"""
    await story.open()
    await story.say("otto", WRONG_SIZE, call=False)
    await story.say("maya", "what is wrong here?", "thread")


async def edits(story: Story, medic: Pipeline) -> None:
    """Follow-ups · Small edits"""
    await story.open()
    await story.say("maya", SHAPES)
    await story.say("maya", "what about batch size 1?", "thread", call=False)
    await story.say("maya", "try again with torch.float64", "thread", call=False)
    await story.say("maya", "use 5 instead of 3", "thread", call=False)
    await story.say("maya", "use 5 instead of 3 everywhere", "thread", call=False)
    await story.say("maya", "on GPU", "thread", call=False)


async def questions(story: Story, medic: Pipeline) -> None:
    """Follow-ups · Why, and the same again"""
    await story.open()
    await story.say("maya", IN_PLACE)
    await story.say("maya", "but why?", "thread", call=False)
    await story.say("maya", "what does it print?", "thread", call=False)
    await story.say("maya", "does it fail on every computer?", "thread", call=False)
    await story.say("maya", "it still fails", "thread", call=False)


async def files(story: Story, medic: Pipeline) -> None:
    """Attachments · A script, its data and a picture"""
    await story.open()
    await story.say(
        "maya",
        "what comes out?",
        files=(("mean.py", SCRIPT), ("data.csv", b"1,2\n3,4\n"), ("screen.png", b"\x89PNG")),
    )
    await story.say("maya", "", "direct", files=(("screenshot.png", b"\x89PNG"),))


async def private_and_people(story: Story, medic: Pipeline) -> None:
    """People · For my eyes only, then for all, then for a human"""
    await story.open(humans=("CHELP",))
    await story.command("maya", IN_PLACE)
    await story.press("maya", "Share with the channel")
    await story.press("maya", "Ask a human")


class _Away:
    """An executor that is gone for a while."""

    def __init__(self, executor: Any, seconds: float) -> None:
        self._executor, self._back = executor, time.monotonic() + seconds

    async def run(self, job: Any, ahead: Any = None) -> Any:
        """Run a job, unless gone."""
        if time.monotonic() < self._back:
            raise ExecutorGoneError("the executor is not there; start it")
        return await self._executor.run(job, ahead)


async def executor_away(story: Story, medic: Pipeline) -> None:
    """Outages · The place that runs code is away for three seconds"""
    await story.open(replace(medic, executor=_Away(medic.executor, 3)))  # type: ignore[arg-type]
    story.tell("The executor is being restarted.")
    await story.say("maya", "what does this print?\n```python\nprint(6 * 7)\n```")
    states = next(s.states for s in story.room.shown() if "42" in s.text)
    waiting = [s.splitlines()[0] for s in states if "does not answer" in s]
    story.tell(f"Meanwhile it said: {waiting[0] if waiting else 'nothing'}")


async def token_dies(story: Story, medic: Pipeline) -> None:
    """Outages · A token dies, and what was deleted stays deleted"""
    await story.open()
    story.room.revoke()
    story.tell("The operator has reset the token; the bot still runs with the old one.")
    waits = "what does this print?\n```python\nprint('I have waited')\n```"
    await story.room.say("maya", waits)
    story._lines.append(f"**maya**:\n\n{_quoted(f'@torchmedic {waits}')}")
    await asyncio.sleep(2)
    story.tell("Nothing can be posted. The operator starts it again with the new token.")
    await story.room.close()
    await story.open()
    await story.look()
    story.tell("maya deletes her message.")
    await story.room.remove_last()
    await story.look()


STORIES: tuple[Callable[[Story, Pipeline], Awaitable[None]], ...] = (
    welcome,
    broken_snippet,
    error_only,
    words_below,
    edits,
    questions,
    files,
    private_and_people,
    executor_away,
    token_dies,
)
ROOMS: tuple[type[SlackRoom] | type[DiscordRoom], ...] = (SlackRoom, DiscordRoom)


# -- the document ----------------------------------------------------------------------------

HEAD = """\
# Transcripts

Ten conversations on each platform, as people see them. They are written by runs against the local
servers that the tests use: `python -m tests.bot.platforms.transcripts docs/transcripts.md`.
`[…]` is a button, `[⋯ …]` a menu. Times differ from run to run; the words do not. How long people
wait is measured by `python -m benchmarks.chat`.
"""


async def document(state: str = "") -> str:
    """Run every story on every platform; the document that comes of it.

    Args:
        state: a state folder with an index, to be copied; empty: one is made.
    """
    parts = [HEAD]
    with tempfile.TemporaryDirectory(prefix="torchmedic-transcripts-") as folder:
        if state:
            shutil.copytree(state, f"{folder}/state")
        async with open_pipeline(Settings(state=f"{folder}/state"), print, ahead=True) as medic:
            await medic.warm(read_message(PROMPTS[0].text))
            for number, kind in enumerate(ROOMS):
                parts.append(f"## {kind.title}\n")
                for n, tell in enumerate(STORIES, 1):
                    home = Path(folder) / f"{number}-{n}"
                    home.mkdir()
                    async with kind.at(medic, home) as room:
                        story = Story(room)
                        await tell(story, medic)
                        parts.append(f"### {n}. {(tell.__doc__ or '').strip()}\n\n{story.text}\n")
                        print(kind.title, n, flush=True)
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(asyncio.run(document(*sys.argv[2:3])), encoding="utf-8")
