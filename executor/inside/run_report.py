"""Write down what the probes saw of a run: the report, which never says how the run ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from executor.inside.interpreter import Anything, without_surrogates
from executor.inside.libraries import silent
from executor.inside.probes import exceptions
from executor.protocol import Environment, Finding, RunReport

if TYPE_CHECKING:
    from executor.inside.runner import Run


def _findings(run: Run) -> tuple[Finding, ...]:
    seen = run.probes.findings
    own = seen if run.placeholders is None else run.placeholders.without_own(seen)
    return (*run.read, *own)  # no placeholder has a part in what the text shows


def report_text(run: Run) -> str:
    """The report of a run as JSON; where a part of it cannot be written, the rest without it."""
    makers: tuple[Callable[[Run], RunReport], ...] = (_whole_report, _least_report)
    for make in makers:
        try:
            return _as_json(make(run))
        except BaseException as e:
            run.notes.append(f"report: {type(e).__name__}: {exceptions.message_of(e)}"[:500])
    return _as_json(RunReport(notes=_noted(run)))


def _whole_report(run: Run) -> RunReport:
    assert run.interpreter.main is not None
    report = _seen(run, vars(run.interpreter.main))
    if not run.probes.tries_again:
        return report
    # It calls the snippet's modules again, so all that the run did is written down before.
    try:
        with _silence():
            influence, found, witnessed = run.probes.look_again()
        from executor.inside.probes.training.findings import ordered

        findings = tuple(ordered([*report.findings, *found]))
        more = {"influence": influence, "findings": findings}
        return report.model_copy(update={**more, "witnessed": (*report.witnessed, *witnessed)})
    except Exception as e:
        note = f"influence: {type(e).__name__}: {e}"[:500]
        return report.model_copy(update={"notes": (*report.notes, note)})


def _least_report(run: Run) -> RunReport:
    simulated = run.simulated is not None
    env = _environment(simulated=simulated)
    return RunReport(error=run.ending.error, env=env, notes=_noted(run))


def _noted(run: Run) -> tuple[str, ...]:
    return tuple(run.notes)


def _seen(run: Run, names: dict[str, Any]) -> RunReport:
    """The report of what the probes saw."""
    return RunReport(
        error=run.ending.error,
        explanation=run.ending.explanation,
        operands=run.ending.operands,
        shapes=run.ending.shapes,
        caught=tuple(run.caught.seen),
        handlers=run.caught.handlers,
        warnings=tuple(run.warned.seen),
        frames=run.ending.frames,
        layer=run.ending.layer,
        findings=_findings(run),
        assumptions=(
            *run.assumptions,
            *(run.placeholders.assumptions if run.placeholders is not None else ()),
            *(run.simulated.limits if run.simulated else ()),
            *silent.assumptions(),
            *run.script.assumptions,
            *run.outside.assumptions(run.ending.error.line if run.ending.error else None),
        ),
        cut=run.step_limit.cut(run.probes.losses),
        undefined=run.undefined,
        absent=run.ending.absent,
        **(run.placeholders.facts() if run.placeholders is not None else {}),
        **run.probes.facts(names),
        only_definitions=run.only_definitions,
        only_made=run.only_made,
        constructs=run.constructs,
        remarks=run.remarks,
        statements=run.statements.seen() if run.statements is not None else (),
        devices=run.ending.devices,
        env=_environment(simulated=run.simulated is not None),
        gpu_peak_memory_bytes=0 if run.simulated is not None else _gpu_peak_memory_bytes(),
        notes=_noted(run),
    )


def _as_json(report: RunReport) -> str:
    try:
        return report.model_dump_json(exclude_defaults=True)
    except ValueError:  # half of a character, in whatever the snippet named or printed
        words = report.model_dump(mode="python", exclude_defaults=True)
        cleaned = RunReport.model_validate(without_surrogates(words))
        return cleaned.model_dump_json(exclude_defaults=True)


@contextmanager
def _silence() -> Iterator[None]:
    """Let nothing be printed, by whatever way."""
    kept = [os.dup(n) for n in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for n in (1, 2):
            os.dup2(nowhere, n)
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            flush(stream)
        for n, own in zip((1, 2), kept, strict=True):
            os.dup2(own, n)


def flush(stream: Any) -> None:
    """Flush a stream of the snippet's, which may be closed, broken or no stream at all."""
    try:
        stream.flush()
    except Anything:
        pass


def _environment(*, simulated: bool = False) -> Environment:
    torch = sys.modules.get("torch")
    if torch is None:
        return Environment(python=sys.version.split()[0])
    from executor.inside.probes import device
    from executor.jail.gpu import release

    has_torch = "executor.inside.probes.device" in sys.modules and not simulated
    gpu = device.name() if has_torch else None
    nothing = "simulated cuda:0" if simulated else "cpu"
    return Environment(
        torch=torch.__version__,
        python=sys.version.split()[0],
        cuda=torch.version.cuda,
        device=f"cuda:0 {gpu}" if gpu else nothing,
        driver=release() if gpu else None,
    )


def _gpu_peak_memory_bytes() -> int:
    device = sys.modules.get("executor.inside.probes.device")
    return int(device.peak_memory_bytes()) if device is not None else 0
