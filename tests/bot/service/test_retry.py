"""bot/service/retry.py: how often something is tried again, and when."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest

from bot.errors import PlatformError
from bot.service import retry
from bot.service.retry import read_retry_after, retrying


class Flaky:
    """Fails with these errors, then succeeds; notes what was waited between."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.calls = 0
        self.waited: list[float] = []
        monkeypatch.setattr(retry, "sleep", self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def __call__(self) -> str:
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def errors(count: int) -> list[BaseException]:
    return [PlatformError(str(n)) for n in range(count)]


def is_platforms(error: Exception) -> bool:
    return isinstance(error, PlatformError)


def about(expected: list[float]) -> list[object]:
    """The same, and up to 0.2 s more: callers who were refused together spread out."""
    return [pytest.approx(s + 0.1, abs=0.1 + 1e-9) for s in expected]


@pytest.mark.parametrize(
    ("asked", "waits"),
    [
        ((None, None, None, None), [0.5, 1, 2, 4]),  # twice as long each time
        ((3.0, None, 7.5, 0.0), [3, 1, 7.5, 0]),  # as long as it asks for
        ((3600.0, None, None, None), [60, 1, 2, 4]),  # but not an hour
    ],
)
async def test_waits(
    monkeypatch: pytest.MonkeyPatch, asked: tuple[float | None, ...], waits: list[float]
):
    """`Retry-After` counts; where nobody says, each wait is longer."""
    flaky = Flaky(monkeypatch, *(PlatformError("later", s) for s in asked))

    assert await retrying(flaky, may_pass=is_platforms) == "done"
    assert flaky.waited == about(waits)


async def test_growing_waits_have_an_end(monkeypatch: pytest.MonkeyPatch):
    """The longest is a minute, or what the caller says."""
    flaky = Flaky(monkeypatch, *errors(9))
    await retrying(lambda: flaky(), may_pass=is_platforms, longest_s=5)

    assert flaky.waited == about([0.5, 1, 2, 4, 5, 5, 5, 5, 5])


async def test_waits_of_a_caller_s_own(monkeypatch: pytest.MonkeyPatch):
    """In their order, the last again and again; `Retry-After` goes before them."""
    flaky = Flaky(monkeypatch, *errors(2), PlatformError("later", 9.0), *errors(2))
    await retrying(flaky, may_pass=is_platforms, waits_s=(2, 300))

    assert flaky.waited == [2, 300, *about([9]), 300, 300]


@pytest.mark.parametrize(("tries", "failures", "calls"), [(3, 2, 3), (3, 3, 3), (1, 1, 1)])
async def test_the_last_attempt_s_own_error_comes_out(
    monkeypatch: pytest.MonkeyPatch, tries: int, failures: int, calls: int
):
    """So many tries and no more, and no wait behind the last; each failure is told."""
    flaky = Flaky(monkeypatch, *errors(failures))
    told: list[str] = []
    work = retrying(flaky, may_pass=is_platforms, tries=tries, failed=lambda e: told.append(str(e)))
    if failures < tries:
        assert await work == "done"
    else:
        with pytest.raises(PlatformError, match=str(failures - 1)):
            await work

    assert (flaky.calls, len(flaky.waited)) == (calls, calls - 1)
    assert told == [str(n) for n in range(failures)]


@pytest.mark.parametrize("error", [ValueError("no"), asyncio.CancelledError(), KeyboardInterrupt()])
async def test_what_will_not_pass_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
):
    """A refusal, a bug or a cancellation."""
    flaky = Flaky(monkeypatch, error)
    told: list[Exception] = []
    with pytest.raises(type(error)):
        await retrying(flaky, may_pass=is_platforms, failed=told.append)

    assert (flaky.calls, flaky.waited, told) == (1, [], [])


async def test_patience_depends_on_the_error():
    """A queue that is full deserves more of it than a machine that is gone."""
    began = time.monotonic()
    patience: dict[str, float] = {"full": 60, "gone": 0.2}
    answers = ["full", "gone", "gone", *["gone"] * 1000]

    async def attempt() -> None:
        raise PlatformError(answers.pop(0))

    with pytest.raises(PlatformError, match="gone"):
        await retrying(
            attempt, may_pass=is_platforms, patience_s=lambda e: patience[str(e)], waits_s=(0.01,)
        )

    assert 0.2 <= time.monotonic() - began < 20 and len(answers) < 1000


async def test_words_before_a_wait(monkeypatch: pytest.MonkeyPatch):
    """Said before each wait, not after the last failure; what they raise ends it all."""
    said: list[str] = []

    async def say(error: Exception) -> None:
        said.append(str(error))
        if str(error) == "1":
            raise LookupError

    flaky = Flaky(monkeypatch, *errors(5))
    with pytest.raises(LookupError):
        await retrying(flaky, may_pass=is_platforms, before_wait=say)
    once = Flaky(monkeypatch, *errors(1))
    with pytest.raises(PlatformError):
        await retrying(once, may_pass=is_platforms, tries=1, before_wait=say)

    assert said == ["0", "1"] and len(flaky.waited) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("30", 30),
        ("0.25", 0.25),  # Discord's
        ("-1", 0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),  # long ago
    ],
)
def test_retry_after_is_read(header: str | None, seconds: float | None):
    """What cannot be read says nothing."""
    assert read_retry_after(header) == seconds


def test_retry_after_may_be_a_date():
    """As RFC 9110 allows."""
    found = read_retry_after(formatdate(time.time() + 60, usegmt=True))

    assert found is not None and 50 < found <= 60
