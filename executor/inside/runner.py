"""Run the snippet as `python snippet.py` would, with the probes on, and write their report.

Everything here happens behind the walls, in the run's own process. The report is a file that the
supervisor collects afterwards; it holds what the probes saw, never how the run ended.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import io
import json
import linecache
import os
import re
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from executor.inside import constructs, definitions, imports_apart, remarks
from executor.inside.cut import StepLimit, TrainingCut
from executor.inside.interpreter import (
    Anything,
    Interpreter,
    setprofile,
    settrace,
    without_surrogates,
)
from executor.inside.libraries import after_import, silent
from executor.inside.placeholders import imports
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.run_placeholders import RunPlaceholders
from executor.inside.probes import exceptions
from executor.inside.probes.caught import CaughtProbe, looks_at_itself
from executor.inside.probes.kinds import rank
from executor.inside.probes.run_probes import RunProbes, uses_compile
from executor.inside.probes.source import SnippetSource, attribute_lines
from executor.inside.probes.warned import WarnedProbe
from executor.inside.readable import readable_tree
from executor.inside.rebuild import glue as rebuild_glue
from executor.inside.scripts import Script
from executor.inside.seeds import seed
from executor.jail.import_time import ImportTime
from executor.protocol import (
    FIGURES,
    REPORT,
    SNIPPET,
    Construct,
    DeviceSeen,
    Environment,
    ErrorSeen,
    Explanation,
    Finding,
    Frame,
    Job,
    Layer,
    Operand,
    Probe,
    Remark,
    RunReport,
)

_NAMES = 50  # undefined names in a report, at most


class _Counting(io.FileIO):
    """stdout's lowest layer, which counts the bytes written."""

    written = 0

    def write(self, data: Any) -> int:
        n = super().write(data)
        self.written += n
        return n


class _Run:
    """One run of one snippet: its probes, its namespace, its report."""

    def __init__(self, job: Job, work: Path, import_time: ImportTime) -> None:
        self.job = job
        self.work = work
        self.import_time = import_time
        self.filename = str(work / SNIPPET)
        self.source = SnippetSource(job.code, self.filename)
        self.raw = _Counting(1, "w", closefd=False)
        self.out = io.TextIOWrapper(
            io.BufferedWriter(self.raw), encoding="utf-8", errors="strict", write_through=False
        )
        silent.for_snippet(work)
        self.interpreter = Interpreter()
        self.caught = CaughtProbe(self.source, self._printed, self._explain_caught)
        self.warned = WarnedProbe(self.source)
        self.notes: list[str] = []
        self.error: ErrorSeen | None = None
        self.explanation: Explanation | None = None
        self.operands: tuple[Operand, ...] = ()
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.frames: tuple[Frame, ...] = ()
        self.layer: Layer | None = None
        self.tree: ast.Module | None = None
        self.assumptions: tuple[str, ...] = ()
        self.placeholders: RunPlaceholders | None = None
        self.undefined: tuple[str, ...] = ()
        self.absent: tuple[str, ...] = ()
        self.probes = RunProbes(self.source, self._guard)
        self.simulated: Any = None
        self.devices: tuple[DeviceSeen, ...] = ()
        self.step_limit = StepLimit(job.wall_s, import_time)
        self.script = Script(job, self.filename)
        self.only_definitions = False
        self.constructs: tuple[Construct, ...] = ()
        self.remarks: tuple[Remark, ...] = ()

    def _printed(self) -> int:
        _flush(self.out)
        return self.raw.written

    def namespace(self) -> dict[str, Any]:
        """A fresh `__main__`, so that pickling, inspect and tracebacks work as in a script."""
        module = types.ModuleType("__main__")
        module.__file__ = self.filename
        module.__builtins__ = builtins  # type: ignore[attr-defined]
        sys.modules["__main__"] = self.interpreter.main = module
        sys.argv = [SNIPPET]
        sys.path[0:0] = [str(self.work)]
        return module.__dict__

    def execute(self) -> int:
        """Run the snippet to its end; return its exit code."""
        names = self.namespace()
        sys.stdout = self.out
        Path(self.filename).write_text(self.job.code, encoding="utf-8", errors="surrogatepass")
        linecache.checkcache(self.filename)
        try:
            try:
                self.tree = tree = self._parsed()
            except SyntaxError:
                self._look_at_the_text(readable_tree(self.job.code, self.filename))
                raise
            self._look_at_the_text(tree)
            supplied, self.assumptions = imports.supply(self.job.code, self.filename)
            names.update(supplied)
            unbound = undefined_names(self.job.code, self.filename) - supplied.keys()
            self.placeholders = RunPlaceholders(self.job, tree)
            names.update(self.placeholders.supply(unbound))
            self.undefined = tuple(sorted(unbound - self.placeholders.names))[:_NAMES]
            tree = self.placeholders.without_imports(tree)
            glue, module = self.job.glue, self.interpreter.main
            if glue is not None and module is not None:
                rebuild_glue.install(module, rebuild_glue.make_of(glue), glue.modules)
                rebuild_glue.run_statements(glue.first, module)
            if Probe.NONE not in self.job.probes:
                self._listen(tree)
                tree = self.caught.instrument(tree, compiles=uses_compile(tree))
                if not looks_at_itself(tree):
                    tree = imports_apart.marked(tree, self.import_time)
            if self.job.simulate:
                self._simulate()
            self._guard("resources", self._supply_resources)
            self.script.start(tree)
            if self.job.cut and "torch" in sys.modules and not uses_compile(tree):
                self.step_limit.start()
            self.import_time.snippet_begins()
            exec(compile(tree, self.filename, "exec", dont_inherit=True), names)
            if glue is not None and module is not None:
                rebuild_glue.run_statements(glue.after, module)
            error: BaseException | None = None
        except TrainingCut:
            settrace(None)
            error = None
        except Anything as e:
            settrace(None)  # here, before any call that a tracer of the snippet's could hear
            error = e  # and nothing of `builtins`: it may be empty by now
        settrace(None)
        self._guard("resources", self._stop_supplying)
        try:
            setprofile(None)
        except Anything:  # the profile function heard of this very call, and raised
            setprofile(None)
        code = 0
        if error is None and self.tree is not None:
            self._guard("definitions", self._look_at_definitions)
        if error is not None:
            with self.interpreter.restored:
                code = self._ended_by(error)
        with self.interpreter.restored:
            self._stop_listening(names)
        return code

    def _look_at_the_text(self, tree: ast.Module | None) -> None:
        """Say what the text shows by itself: all of it, or the lines that Python takes."""
        if tree is None:
            return
        if self.job.remarks:
            self._guard("remarks", partial(self._list_remarks, tree))
        if self.job.constructs:
            self._guard("constructs", partial(self._list_constructs, tree))

    def _list_remarks(self, tree: ast.Module) -> None:
        self.remarks = remarks.remarks(tree, self.job.code)

    def _list_constructs(self, tree: ast.Module) -> None:
        self.constructs = constructs.constructs(tree, self.job.code)

    def _parsed(self) -> ast.Module:
        tree = ast.parse(self.job.code, self.filename)
        glue = self.job.glue
        return rebuild_glue.with_header(tree, glue.header) if glue is not None else tree

    def _supply_resources(self) -> None:
        if self.placeholders is not None:
            self.placeholders.supply_resources(self.filename, self.work)

    def _stop_supplying(self) -> None:
        if self.placeholders is not None:
            self.placeholders.stop()

    def _look_at_definitions(self) -> None:
        if self.job.glue is not None and self.job.glue.after:
            return  # what is only defined was called
        self.only_definitions = definitions.are_all(self.tree) if self.tree is not None else False

    def _listen(self, tree: ast.Module) -> None:
        self.caught.start()
        self.warned.start()
        self.probes.start(self.job, tree)

    def _simulate(self) -> None:
        import torch  # noqa: F401  (a cold run has not yet: the snippet would be too late)

        from executor.inside.simulated.cuda import SimulatedCuda

        self.simulated = SimulatedCuda(self.source, self.job.seed)
        self.simulated.start()
        self.caught.also = self._see_devices

    def _see_devices(self, error: BaseException) -> None:
        """Note the operands' devices of the final error, else of the first caught one."""
        self.devices = self.simulated.devices_of(error, self.source) or self.devices

    def _stop_listening(self, names: dict[str, Any]) -> None:
        self.step_limit.stop()
        if self.simulated is not None:
            self._guard("SimulatedCuda", self.simulated.stop)
        self.probes.stop(names, self.error, tuple(self.warned.seen))

    def _ended_by(self, error: BaseException) -> int:
        """Describe what ended the run; the exit code it has."""
        if issubclass(type(error), SystemExit):  # isinstance would ask its `__class__` too
            return self._exit_code(error)
        self._failed(error)
        return 1

    def _failed(self, error: BaseException) -> None:
        self._guard("exception", lambda: self._describe(error))
        self._guard("exception", lambda: exceptions.without_ours(error, self.source))
        try:
            if sys.excepthook is not sys.__excepthook__:
                sys.excepthook(type(error), error, error.__traceback__)
            else:
                sys.stderr.write(exceptions.text_of(error, self.source))
        except BaseException:
            pass  # a broken hook or stream of the snippet's own
        try:
            # The report is written from the error's frames, and stdio is still in use: keep both.
            sys.last_value = error
        except Exception:
            pass

    def _describe(self, error: BaseException) -> None:
        self.error = exceptions.describe_at_least(error, self.source)
        self.error = exceptions.describe(error, self.source)
        self.frames = exceptions.frames(error, self.source)
        self._guard("demonstrated", self._ask_whether_meant)
        if self.placeholders is not None:
            self._guard("placeholders", lambda: self._judge(error))
            self._guard("resources", self._list_absent)
        if self.tree is not None and "torch" in sys.modules:
            from executor.inside.probes import layer

            self.layer = layer.failing_layer(error, self.source, attribute_lines(self.tree))
            self._guard("explain", lambda: self._explain(error))
        if self.simulated is not None:
            self._see_devices(error)

    def _list_absent(self) -> None:
        from executor.inside.resources import uses

        self.absent = uses.absent(self.tree) if self.tree is not None else ()

    def _ask_whether_meant(self) -> None:
        if self.error is None:
            return
        how = self.caught.demonstrated([self.error.line, *(f.line for f in self.frames)])
        self.error = self.error.model_copy(update={"demonstrated": how})

    def _judge(self, error: BaseException) -> None:
        if self.placeholders is not None and self.error is not None:
            self.placeholders.judge(error, self.error, exceptions.innermost(error, self.source))

    def _explain(self, error: BaseException) -> None:
        from executor.inside.explain import explain

        if self.tree is not None:
            explained = explain.explain(error, self.source, self.tree)
            self.explanation, self.operands = explained.explanation, explained.operands
            self.shapes = explained.shapes

    def _explain_caught(self, error: BaseException) -> Explanation | None:
        """Explain a caught error, unless the snippet calls `locals()`: its result would change."""
        if self.tree is None or "torch" not in sys.modules or "locals(" in self.job.code:
            return None
        from executor.inside.explain import explain

        try:
            explained = explain.explain(error, self.source, self.tree)
            explain.forget(error, self.source)
        except Exception as e:
            self.notes.append(f"explain (caught): {type(e).__name__}: {e}"[:500])
            return None
        return explained.explanation

    def _exit_code(self, error: BaseException) -> int:
        code = getattr(error, "code", 1)
        if code is None or code == 0:
            return 0
        self._guard("exception", lambda: self._describe(error))
        if isinstance(code, int):
            return code & 0xFF
        self._guard("exit", lambda: print(code, file=sys.stderr))
        return 1

    def _guard(self, what: str, do: Callable[[], Any]) -> None:
        """A probe that fails is a note in the report, never the snippet's failure."""
        try:
            do()
        except BaseException as e:
            self.notes.append(f"{what}: {type(e).__name__}: {exceptions.message_of(e)}"[:500])

    def keep_figures(self) -> None:
        """Save the figures that are still open, if matplotlib was used at all."""
        figures = sys.modules.get("executor.inside.figures")
        if figures is not None:
            self._guard("figures", figures.keep_open_figures)

    def _findings(self) -> tuple[Finding, ...]:
        found = self.probes.findings
        return found if self.placeholders is None else self.placeholders.without_own(found)

    def report_text(self) -> str:
        """The report as JSON; where a part of it cannot be written, the rest without it."""
        makers: tuple[Callable[[], RunReport], ...] = (self._whole_report, self._least_report)
        for make in makers:
            try:
                return _as_json(make())
            except BaseException as e:
                self.notes.append(f"report: {type(e).__name__}: {exceptions.message_of(e)}"[:500])
        return _as_json(RunReport(notes=self._noted()))

    def _whole_report(self) -> RunReport:
        assert self.interpreter.main is not None
        report = self.report(vars(self.interpreter.main))
        if not self.probes.tries_again:
            return report
        # It calls the snippet's modules again, so all that the run did is written down before.
        try:
            with _silence():
                influence, found = self.probes.look_again()
            findings = tuple(sorted((*report.findings, *found), key=rank))
            return report.model_copy(update={"influence": influence, "findings": findings})
        except Exception as e:
            note = f"influence: {type(e).__name__}: {e}"[:500]
            return report.model_copy(update={"notes": (*report.notes, note)})

    def _least_report(self) -> RunReport:
        simulated = self.simulated is not None
        env = _environment(simulated=simulated)
        return RunReport(error=self.error, env=env, notes=self._noted())

    def _noted(self) -> tuple[str, ...]:
        return tuple(self.notes)

    def report(self, names: dict[str, Any]) -> RunReport:
        """The report of what the probes saw."""
        return RunReport(
            error=self.error,
            explanation=self.explanation,
            operands=self.operands,
            shapes=self.shapes,
            caught=tuple(self.caught.seen),
            handlers=self.caught.handlers,
            warnings=tuple(self.warned.seen),
            frames=self.frames,
            layer=self.layer,
            findings=self._findings(),
            assumptions=(
                *self.assumptions,
                *(self.placeholders.assumptions if self.placeholders is not None else ()),
                *(self.simulated.limits if self.simulated else ()),
                *silent.assumptions(),
                *self.script.assumptions,
            ),
            cut=self.step_limit.cut(self.probes.losses),
            undefined=self.undefined,
            absent=self.absent,
            **(self.placeholders.facts() if self.placeholders is not None else {}),
            **self.probes.facts(names),
            only_definitions=self.only_definitions,
            constructs=self.constructs,
            remarks=self.remarks,
            devices=self.devices,
            env=_environment(simulated=self.simulated is not None),
            gpu_peak_memory_bytes=_gpu_peak_memory_bytes(),
            notes=self._noted(),
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
            _flush(stream)
        for n, own in zip((1, 2), kept, strict=True):
            os.dup2(own, n)


def _flush(stream: Any) -> None:
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
    from executor.jail.gpu import found

    has_torch = "executor.inside.probes.device" in sys.modules and not simulated
    gpu = device.name() if has_torch else None
    nothing = "simulated cuda:0" if simulated else "cpu"
    return Environment(
        torch=torch.__version__,
        python=sys.version.split()[0],
        cuda=torch.version.cuda,
        device=f"cuda:0 {gpu}" if gpu else nothing,
        driver=found().driver if gpu else None,
    )


def _gpu_peak_memory_bytes() -> int:
    device = sys.modules.get("executor.inside.probes.device")
    if "executor.inside.simulated.surface" in sys.modules:
        return 0
    return int(device.peak_memory_bytes()) if device is not None else 0


def run(words: dict[str, Any], cell: Any, page: int) -> NoReturn:
    """Run the job behind the walls that already stand, write the report, end this process.

    Args:
        words: the job.
        cell: the walls.
        page: descriptor of the page for the time of its imports.
    """
    if words.get("cold"):
        order = cell.report / "order.json"
        folders = {"work": str(cell.work), "report": str(cell.report)}
        order.write_text(json.dumps({"job": words, "page": page, **folders}))
        os.set_inheritable(page, True)
        os.execv(sys.executable, [sys.executable, "-P", "-m", "executor.inside.runner", str(order)])
    _run_here(words, cell.work, cell.report, ImportTime(page))


def _run_here(words: dict[str, Any], work: Path, report: Path, import_time: ImportTime) -> NoReturn:
    (report / FIGURES).mkdir()
    os.environ["TORCHMEDIC_FIGURES"] = str(report / FIGURES)
    tempfile.tempdir = None  # cached by the server's imports, for another user
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False),
        encoding="utf-8",
        errors="backslashreplace",
        write_through=True,
    )
    sys.stdin = io.TextIOWrapper(io.FileIO(0, "r", closefd=False), encoding="utf-8")
    job = Job.model_validate(words)
    # Python skips a byte order mark at the head of a file, but not of a string.
    job = job.model_copy(update={"code": job.code.removeprefix("\ufeff")})
    seed(job.seed)
    one = _Run(job, work, import_time)
    errors = sys.stderr
    code = one.execute()
    with one.interpreter.restored:
        one.keep_figures()
    for finish in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]
        try:
            finish()
        except Anything as e:
            with one.interpreter.restored:
                if issubclass(type(e), SystemExit):
                    asked = getattr(e, "code", 1)
                    code = asked if isinstance(asked, int) else 1
                else:
                    errors.write(exceptions.text_of(e, one.source))
    settrace(None)
    theirs = vars(sys)
    for stream in (theirs.get("stdout"), theirs.get("stderr"), one.out, errors):
        _flush(stream)
    with one.interpreter.restored:
        _write(report / REPORT, one.report_text(), errors)
        os._exit(code)


def _write(path: Path, text: str, errors: io.TextIOWrapper) -> None:
    """Write the report, even where the snippet has used up every descriptor that it may have."""
    for last in (False, True):
        try:
            path.write_text(text)
            return
        except OSError as e:
            path.unlink(missing_ok=True)  # half a report is none
            if last:
                print(f"(the probes' report could not be written: {e.strerror})", file=errors)
                _flush(errors)
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # nothing of the snippet's runs any more


def _cold() -> NoReturn:
    """Entry point of a cold run's fresh interpreter: only the standard library is imported."""
    after_import.install()
    silent.install()
    order = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[1]).unlink()
    job, import_time = order["job"], ImportTime(order["page"])
    if job.get("seed") is not None and re.search(r"\b(import|from) torch\b", job["code"]):
        import torch  # noqa: F401  (its generator can be seeded only once it is there)
    _run_here(job | {"cold": False}, Path(order["work"]), Path(order["report"]), import_time)


if __name__ == "__main__":
    _cold()
