"""Decide how a run ended: from wait status, clock and kernel counters, never from its output."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from executor.protocol import (
    Environment,
    ErrorSeen,
    Exit,
    Isolation,
    JobResult,
    Limit,
    Observations,
    Outcome,
    RunReport,
)
from executor.service.memory import oom_kills
from executor.service.run import Run
from executor.service.warm import Ready


def result_of(run: Run, ready: Ready, isolation: Isolation) -> JobResult:
    """Make the JobResult: the outcome from kernel, clock and counters, the rest from the report."""
    ended = run.ended or {}
    how = Exit(code=ended.get("code"), signal=ended.get("signal"))
    outcome, limit = _outcome(run, how)
    report, notes = _report(run.collected.report)
    seen = {name: getattr(report, name) for name in _SEEN}
    env = report.env
    if not env.python:
        env = Environment(torch=ready.torch, python=ready.python, cuda=ready.cuda)
    return JobResult(
        **seen,
        outcome=outcome,
        exit=how,
        limit=limit,
        stdout=_text(run, run.stdout.text()),
        stderr=_text(run, run.stderr.text()),
        dropped_bytes=run.stdout.dropped + run.stderr.dropped,
        stdout_lines=run.stdout.lines if run.stdout.dropped else 0,
        error=_error(report, outcome),
        files=tuple(run.collected.files),
        skipped=tuple(run.collected.skipped),
        env=env,
        seconds=run.seconds,
        cpu_seconds=ended.get("cpu_seconds", 0.0),
        peak_memory_bytes=ended.get("peak_memory_bytes", 0),
        isolation=isolation,
        detail=run.setup_error or notes,
        reported=run.collected.report is not None,
    )


_SEEN = tuple(Observations.model_fields.keys() - {"error", "env"})


def _text(run: Run, text: str) -> str:
    return text.replace(f"{run.cell.work}/", "")


def _error(report: RunReport, outcome: Outcome) -> ErrorSeen | None:
    return report.error if outcome is Outcome.ERROR else None


def _outcome(run: Run, how: Exit) -> tuple[Outcome, Limit | None]:
    if run.setup_error:
        return Outcome.SETUP_ERROR, None
    if run.verdict is not None:
        return run.verdict, run.limit
    # Asked before the exit code: the kernel's memory killer ends a run with SIGKILL too.
    if how.signal == "SIGKILL" and oom_kills() > run.ooms:
        value = run.cell.limits.memory_bytes
        return Outcome.OUT_OF_MEMORY, Limit(name="machine_memory", value=value)
    if how.signal == "SIGXCPU":
        return Outcome.TIMEOUT, Limit(name="cpu_s", value=run.cpu_s)
    if how.signal is not None:
        return Outcome.KILLED, None
    return (Outcome.OK if how.code == 0 else Outcome.ERROR), None


def _report(data: bytes | None) -> tuple[RunReport, str]:
    if data is None:
        return RunReport(), ""
    try:
        report = RunReport.model_validate_json(data)
    except ValidationError as e:
        # Only a snippet that wrote its own report gets here.
        return RunReport(), f"the probes' report was unreadable ({e.error_count()} errors)"
    return report, "; ".join(report.notes)


def not_run(outcome: Outcome, detail: str, **more: Any) -> JobResult:
    """The result of a job that was not run."""
    return JobResult(outcome=outcome, detail=detail, **more)
