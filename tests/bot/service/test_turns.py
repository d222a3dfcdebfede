"""bot/service/turns.py: so many at a time, one a person, first come first served."""

from __future__ import annotations

import asyncio

from bot.service.turns import Turns


async def quiet(_: int) -> None:
    """Nobody listens."""


async def test_one_a_person_first_come_first_served():
    """A person's second question lets others pass; nobody waits for nothing."""
    turns = Turns(at_once=2)
    order: list[str] = []
    gates = {name: asyncio.Event() for name in ("a1", "a2", "b1", "c1")}

    async def ask(name: str) -> None:
        turn = turns.join(name[0])
        async with turns.wait(turn, quiet):
            order.append(name)
            await gates[name].wait()

    tasks = [asyncio.create_task(ask(name)) for name in gates]
    await asyncio.sleep(0)
    await asyncio.sleep(0.01)
    first = [*order]
    gates["b1"].set()
    await asyncio.sleep(0.01)
    second = [*order]
    gates["a1"].set()
    await asyncio.sleep(0.01)

    assert first == ["a1", "b1"]  # a2 waits for a1, although there was room for two
    assert second == ["a1", "b1", "c1"]
    assert order == ["a1", "b1", "c1", "a2"]
    for gate in gates.values():
        gate.set()
    await asyncio.gather(*tasks)


async def test_how_many_come_first():
    """Those being served included; 0 is: it is served."""
    turns = Turns(at_once=1)
    served, second, third = turns.join("a"), turns.join("b"), turns.join("c")

    assert [turns.ahead(t) for t in (served, second, third)] == [0, 1, 2]
    turns.leave(second)  # given up
    assert [turns.ahead(t) for t in (served, third)] == [0, 1]
    turns.leave(served)
    turns.leave(served)  # twice is once
    assert turns.ahead(third) == 0 and third.called.is_set()
