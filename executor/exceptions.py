"""What can go wrong in executor/.

ExecutorError
├── JailError                  a wall could not be built; nothing ran
├── StartError                 the executor could not start
│   └── SelfTestError          an attack got through the jail, so no work is taken
├── ServerGoneError            the warm server, or a run it had built, is dead (retried inside)
├── ExecutorGoneError          it stopped answering, or was never there
├── VersionMismatchError       it is another version than its client
├── ExecutorBusyError          its queue is full; `retry_after_s` says when to come back
└── BadJobError                the executor refused the job as malformed

A snippet that crashes is none of these: it is a JobResult with an Outcome.
"""


class ExecutorError(Exception):
    """Base of everything executor/ raises; the message names the place and the next step."""


class JailError(ExecutorError):
    """A wall of the jail could not be built."""


class StartError(ExecutorError):
    """The executor could not start."""


class ServerGoneError(ExecutorError):
    """The warm server is dead, or a run that it had built."""


class ExecutorGoneError(ExecutorError):
    """The executor does not answer."""


class VersionMismatchError(ExecutorError):
    """The executor is another version than its client."""


class ExecutorBusyError(ExecutorError):
    """The queue is full."""

    def __init__(self, message: str, retry_after_s: float, waiting: int = 0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.waiting = waiting  # jobs that are in the queue


class BadJobError(ExecutorError):
    """The executor could not read the job."""
