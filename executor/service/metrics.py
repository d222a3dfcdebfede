"""The executor's counters for Prometheus, in its text format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prometheus_client import generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from executor.protocol import Outcome
from executor.service.supervisor import Supervisor

_PREFIX = "torchmedic_executor_"


def text(supervisor: Supervisor) -> str:
    """One exposition of everything a supervisor counts."""
    slots = {"cpu": supervisor.settings.slots, "cuda": len(supervisor.gpus.numbers)}
    return _exposition(
        _runs(supervisor.outcomes),
        _counter("run_seconds", "Wall seconds of all runs.", supervisor.busy_seconds),
        _counter(
            "server_starts",
            "Warm servers started, the first and each fresh one.",
            supervisor.server_starts,
        ),
        _counter(
            "branch_starts",
            "Servers forked from a warm one, with libraries imported.",
            supervisor.branches.starts,
        ),
        _gauge("queue_length", "Jobs that wait for a slot.", supervisor.waiting),
        _gauge("running", "Jobs that run now.", supervisor.running),
        _by_device("slots", "Runs that can go side by side, by device.", slots),
        _gauge("unhealthy_slots", "Slots that take no more jobs.", len(supervisor.unhealthy_slots)),
        _gauge("up", "1 while jobs are taken.", supervisor.takes_jobs),
    )


def cluster_text(outcomes: Mapping[str, int], *, again: int, pending: int, up: bool) -> str:
    """One exposition of what the front of a cluster counts; Ray counts replicas and nodes."""
    return _exposition(
        _runs(outcomes),
        _counter("again", "Jobs run again because their slot died.", again),
        _gauge("queue_length", "Jobs that wait or run.", pending),
        _gauge("up", "1 while jobs are taken.", up),
    )


def _runs(outcomes: Mapping[str, int]) -> Metric:
    """Every outcome from the start, with 0: a rate begins there."""
    family = CounterMetricFamily(f"{_PREFIX}runs", "Jobs answered, by outcome.", labels=["outcome"])
    for outcome in Outcome:
        family.add_metric([outcome], outcomes.get(outcome, 0))
    return family


def _counter(name: str, help_text: str, value: float) -> Metric:
    return CounterMetricFamily(_PREFIX + name, help_text, value)


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(_PREFIX + name, help_text, value)


def _by_device(name: str, help_text: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(_PREFIX + name, help_text, labels=["device"])
    for device, value in values.items():
        family.add_metric([device], value)
    return family


class _Families(Collector):
    def __init__(self, families: tuple[Metric, ...]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _exposition(*families: Metric) -> str:
    return generate_latest(_Families(families)).decode()
