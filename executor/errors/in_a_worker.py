"""Find the error that a loader's worker raised in the message with which it is raised again."""

from __future__ import annotations

from dataclasses import dataclass

from executor.errors.catalogue import HasMessage, read


@dataclass(frozen=True)
class WorkersError:
    """What a worker raised."""

    type: str
    message: str


def raised_by_a_worker(error: HasMessage) -> HasMessage:
    """The error that stands at the end of such a message; any other error as it is."""
    seen = read(error, "worker_error")
    if seen is None:
        return error
    _, opening, message = error.message.rpartition(f"\n{seen['type']}: ")
    return WorkersError(seen["type"], message.rstrip()) if opening else error
