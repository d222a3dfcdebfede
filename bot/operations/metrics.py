"""The bot's counters for Prometheus; they hold nothing that a person wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    start_http_server,
)

from bot.errors import SettingsError
from bot.models import Answer, Status
from bot.service.counters import Counters
from bot.settings import MetricsSettings

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160)
_STEPS = ("parse", "run", "search", "fix", "total")


class Metrics(Counters):
    """What a question service counts.

    metrics = Metrics()
    with metrics.serving(settings.metrics):   # a port of its own, where one is set
        ...
    """

    def __init__(self) -> None:
        """Make all counters at zero."""
        self._registry = registry = CollectorRegistry()

        def counter(name: str, help_text: str, *labels: str) -> Counter:
            return Counter(f"torchmedic_bot_{name}", help_text, labels, registry=registry)

        self._asked = counter("asked", "Questions taken in, by door.", "platform", "door")
        self._answered = counter("questions", "Questions answered.", "platform", "status")
        self._refused = counter("refused_fixes", "Fixes that ran and failed a check.", "platform")
        self._silent = counter("abstentions", "Nothing found above the threshold.", "platform")
        self._clicks = counter("clicks", "Buttons pressed.", "platform", "verb")
        self._taken_up = counter("taken_up", "Questions another process left.", "platform")
        self._failures = counter("platform_failures", "Things a platform did not do.", "platform")
        self._steps = Histogram(
            "torchmedic_bot_step_seconds",
            "Time of each step of an answer.",
            ("step",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._waits = Histogram(
            "torchmedic_bot_answer_seconds",
            "From the question kept to its answer shown.",
            ("platform",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._waiting = Gauge("torchmedic_bot_waiting", "Questions in the line.", registry=registry)
        self._working = Gauge(
            "torchmedic_bot_working", "Questions being worked on.", registry=registry
        )

    def watch(self, platform: str, waiting: Callable[[], int], working: Callable[[], int]) -> None:
        """Read the queue's length from these functions, and start a platform's counters at 0."""
        self._waiting.set_function(waiting)
        self._working.set_function(working)
        for status in get_args(Status):
            self._answered.labels(platform, status)
        for by_platform in (self._refused, self._silent, self._taken_up, self._failures):
            by_platform.labels(platform)

    def asked(self, platform: str, door: str) -> None:
        """Count a question that was taken."""
        self._asked.labels(platform, door).inc()

    def answered(self, platform: str, answer: Answer, *, unasked: bool) -> None:
        """Count an answer, whether or not it will be shown."""
        self._refused.labels(platform).inc(len(answer.refused))
        if answer.status == "unsure":
            self._silent.labels(platform).inc()
        if not unasked or answer.status != "unsure":
            self._answered.labels(platform, answer.status).inc()
        for step in _STEPS:
            if took_ms := getattr(answer.timings_ms, step):
                self._steps.labels(step).observe(took_ms / 1000)

    def shown(self, platform: str, seconds: float) -> None:
        """Count an answer shown in its card, so many seconds after the question was stored."""
        self._waits.labels(platform).observe(seconds)

    def clicked(self, platform: str, verb: str) -> None:
        """Count a permitted press of a button."""
        self._clicks.labels(platform, verb).inc()

    def taken_up(self, platform: str, questions: int) -> None:
        """Count questions taken over from a process that is gone."""
        self._taken_up.labels(platform).inc(questions)

    def failed(self, platform: str) -> None:
        """Count a failed call of a platform."""
        self._failures.labels(platform).inc()

    def text(self) -> str:
        """All counters in Prometheus' text format."""
        return generate_latest(self._registry).decode()

    @contextmanager
    def serving(self, settings: MetricsSettings) -> Iterator[None]:
        """Answer `GET /metrics` while the block runs, if a port is set.

        Raises:
            SettingsError: the port cannot be used.
        """
        if not settings.port:
            yield
            return
        try:
            server, thread = start_http_server(settings.port, settings.host, self._registry)
        except OSError as e:
            raise SettingsError(
                f"metrics.port {settings.port} on {settings.host} cannot be used ({e.strerror}); "
                "choose another, or 0 for none"
            ) from e
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
