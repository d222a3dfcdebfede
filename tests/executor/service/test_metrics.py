"""executor/service/metrics.py: what Prometheus reads of an executor, and of a cluster's front."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from executor.protocol import Outcome
from executor.service import metrics
from executor.service.supervisor import Supervisor, SupervisorSettings


def read(text: str) -> dict[tuple[str, str], tuple[str, float]]:
    """(name, label's value) → (type, value), read by the library's own parser."""
    return {
        (sample.name, *sample.labels.values(), "")[:2]: (family.type, sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_names_labels_and_types() -> None:
    """Dashboards and alarms of others go by these."""
    supervisor = Supervisor(SupervisorSettings(slots=3))
    supervisor.outcomes["error"] = 2
    supervisor.busy_seconds = 1.25

    assert read(metrics.text(supervisor)) == {
        **{("torchmedic_executor_runs_total", str(o)): ("counter", 0) for o in Outcome},
        ("torchmedic_executor_runs_total", "error"): ("counter", 2),
        ("torchmedic_executor_run_seconds_total", ""): ("counter", 1.25),
        ("torchmedic_executor_server_starts_total", ""): ("counter", 0),
        ("torchmedic_executor_branch_starts_total", ""): ("counter", 0),
        ("torchmedic_executor_queue_length", ""): ("gauge", 0),
        ("torchmedic_executor_running", ""): ("gauge", 0),
        ("torchmedic_executor_slots", "cpu"): ("gauge", 3),
        ("torchmedic_executor_slots", "cuda"): ("gauge", len(supervisor.gpus.numbers)),
        ("torchmedic_executor_unhealthy_slots", ""): ("gauge", 0),
        ("torchmedic_executor_up", ""): ("gauge", 0),
    }


def test_counters_go_on_behind_a_million() -> None:
    """Written with six digits, 1,000,001 runs read as 1e+06, and the rate as none."""
    supervisor = Supervisor(SupervisorSettings())
    seen = []
    for runs in (999_999, 1_000_000, 1_000_001, 12_345_678_901):
        supervisor.outcomes["ok"] = runs
        supervisor.busy_seconds = runs + 0.5
        found = read(metrics.text(supervisor))
        seen.append(found["torchmedic_executor_runs_total", "ok"][1])
        assert found["torchmedic_executor_run_seconds_total", ""][1] == runs + 0.5

    assert seen == [999_999, 1_000_000, 1_000_001, 12_345_678_901]


def test_the_front_of_a_cluster_counts_what_it_answers() -> None:
    """Ray has metrics of replicas and nodes; the front's names are those of one machine."""
    found = read(metrics.cluster_text({"ok": 1_000_001}, again=2, pending=3, up=True))

    assert found == {
        **{("torchmedic_executor_runs_total", str(o)): ("counter", 0) for o in Outcome},
        ("torchmedic_executor_runs_total", "ok"): ("counter", 1_000_001),
        ("torchmedic_executor_again_total", ""): ("counter", 2),
        ("torchmedic_executor_queue_length", ""): ("gauge", 3),
        ("torchmedic_executor_up", ""): ("gauge", 1),
    }
