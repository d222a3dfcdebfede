"""The executor's counters in Prometheus' text format."""

from __future__ import annotations

from executor.protocol import Outcome
from executor.service.supervisor import Supervisor


def text(supervisor: Supervisor) -> str:
    """One exposition of everything.

    Source:
        https://prometheus.io/docs/instrumenting/exposition_formats/
    """
    lines: list[str] = []

    def tell(name: str, kind: str, help_text: str, values: dict[str, float]) -> None:
        full = f"torchmedic_executor_{name}"
        lines.extend((f"# HELP {full} {help_text}", f"# TYPE {full} {kind}"))
        lines.extend(f"{full}{labels} {value:g}" for labels, value in values.items())

    runs = {f'{{outcome="{o}"}}': float(supervisor.outcomes.get(o, 0)) for o in Outcome}
    tell("runs_total", "counter", "Jobs answered, by outcome.", runs)
    tell("run_seconds_total", "counter", "Wall seconds of all runs.",
         {"": supervisor.busy_seconds})  # fmt: skip
    tell("server_starts_total", "counter", "Warm servers started, the first and each fresh one.",
         {"": supervisor.server_starts})  # fmt: skip
    tell("queue_length", "gauge", "Jobs that wait for a slot.", {"": supervisor.waiting})
    tell("running", "gauge", "Jobs that run now.", {"": supervisor.running})
    tell("slots", "gauge", "Runs that can go side by side, by device.",
         {'{device="cpu"}': supervisor.settings.slots,
          '{device="cuda"}': len(supervisor.gpus.numbers)})  # fmt: skip
    tell("unhealthy_slots", "gauge", "Slots that take no more jobs.",
         {"": len(supervisor.unhealthy_slots)})  # fmt: skip
    tell("up", "gauge", "1 while jobs are taken.", {"": float(supervisor.takes_jobs)})
    return "\n".join(lines) + "\n"
