"""Try again what may pass: as late as whoever refused asks for (`Retry-After`), else ever later."""

from __future__ import annotations

import math
import time
from asyncio import sleep
from collections.abc import Awaitable, Callable, Sequence
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_chain,
    wait_exponential,
    wait_fixed,
    wait_random,
)

T = TypeVar("T")
LONGEST_WAIT_S = 60.0  # what a rate limit may make us wait at a time
_FIRST_WAIT_S = 0.5
_SPREAD_S = 0.2  # so that those who were refused together do not come back together


async def retrying(
    attempt: Callable[[], Awaitable[T]],
    *,
    may_pass: Callable[[Exception], bool],
    tries: int = 0,
    patience_s: Callable[[Exception], float] | None = None,
    waits_s: Sequence[float] = (),
    longest_s: float = LONGEST_WAIT_S,
    failed: Callable[[Exception], None] | None = None,
    before_wait: Callable[[Exception], Awaitable[None]] | None = None,
) -> T:
    """Make attempts until one succeeds.

    Args:
        attempt: makes one. An exception whose `retry_after_s` is a number says when to come back.
        may_pass: whether another attempt may succeed after this exception.
        tries: how many attempts at most; 0: any number.
        patience_s: after this exception, for how long since the first attempt; none: for ever.
        waits_s: what to wait where nobody says, the last again and again; empty: 0.5 s, then twice
            as long each time.
        longest_s: no single wait is longer, but for those in `waits_s`.
        failed: told of each exception that may pass, the last included.
        before_wait: awaited before each wait.

    Raises:
        Exception: the last attempt's own.
    """
    growing = wait_exponential(_FIRST_WAIT_S, max=longest_s) + wait_random(0, _SPREAD_S)
    unasked = wait_chain(*map(wait_fixed, waits_s)) if waits_s else growing
    spread = wait_random(0, _SPREAD_S)

    def wait(state: RetryCallState) -> float:
        asked = getattr(_error(state), "retry_after_s", None)
        return unasked(state) if asked is None else min(asked, longest_s) + spread(state)

    def stop(state: RetryCallState) -> bool:
        if tries and stop_after_attempt(tries)(state):
            return True
        since = state.seconds_since_start or 0.0
        return patience_s is not None and since >= patience_s(_error(state))

    def retry(error: BaseException) -> bool:
        return isinstance(error, Exception) and may_pass(error)  # a cancellation is no failure

    async def before_sleep(state: RetryCallState) -> None:
        if before_wait is not None:
            await before_wait(_error(state))

    def after(state: RetryCallState) -> None:
        if failed is not None:
            failed(_error(state))

    async def one() -> T:
        return await attempt()  # tenacity awaits what it knows as a coroutine, and no lambda

    return await AsyncRetrying(
        sleep=sleep,
        stop=stop,
        wait=wait,
        retry=retry_if_exception(retry),
        reraise=True,
        before_sleep=before_sleep,
        after=after,
    )(one)


def _error(state: RetryCallState) -> Exception:
    assert state.outcome is not None
    error = state.outcome.exception()
    assert isinstance(error, Exception)
    return error


def read_retry_after(value: str | None) -> float | None:
    """The seconds of a `Retry-After` header: a number, or a date; None where it says neither.

    Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
