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
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from executor.inside import constructs, definitions, imports_apart, remarks
from executor.inside.cut import StepLimit, TrainingCut
from executor.inside.ending import Ending
from executor.inside.interpreter import (
    Anything,
    Interpreter,
    setprofile,
    settrace,
)
from executor.inside.libraries import after_import, silent
from executor.inside.outside import Outside
from executor.inside.placeholders import imports
from executor.inside.placeholders.names import undefined_names
from executor.inside.placeholders.run_placeholders import RunPlaceholders
from executor.inside.probes import exceptions
from executor.inside.probes.caught import CaughtProbe, looks_at_itself
from executor.inside.probes.run_probes import RunProbes, uses_compile
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.statements import StatementsProbe
from executor.inside.probes.warned import WarnedProbe
from executor.inside.readable import readable_tree
from executor.inside.rebuild import glue as rebuild_glue
from executor.inside.run_report import flush, report_text
from executor.inside.scripts import Script
from executor.inside.seeds import seed
from executor.jail.import_time import ImportTime
from executor.protocol import (
    FIGURES,
    REPORT,
    SNIPPET,
    Construct,
    Explanation,
    Finding,
    Job,
    Probe,
    Remark,
)

_NAMES = 50  # undefined names in a report, at most


class _Counting(io.FileIO):
    """stdout's lowest layer, which counts the bytes written."""

    written = 0

    def write(self, data: Any) -> int:
        n = super().write(data)
        self.written += n
        return n


class Run:
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
        self.ending = Ending(self)
        self.tree: ast.Module | None = None
        self.assumptions: tuple[str, ...] = ()
        self.placeholders: RunPlaceholders | None = None
        self.undefined: tuple[str, ...] = ()
        self.probes = RunProbes(self.source, self.guard)
        self.simulated: Any = None
        self.step_limit = StepLimit(job.wall_s, import_time)
        self.script = Script(job, self.filename)
        self.outside = Outside(self.source)
        self.only_definitions = False
        self.supplied: frozenset[str] = frozenset()  # names of imports that were left out
        self.only_made: tuple[str, ...] = ()
        self.constructs: tuple[Construct, ...] = ()
        self.remarks: tuple[Remark, ...] = ()
        self.read: tuple[Finding, ...] = ()  # what the text shows, with its edits
        self.statements: StatementsProbe | None = None

    def _printed(self) -> int:
        flush(self.out)
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
            self.supplied = frozenset(supplied)
            names.update(supplied)
            unbound = undefined_names(self.job.code, self.filename) - supplied.keys()
            self.placeholders = RunPlaceholders(self.job, tree, self.filename)
            names.update(self.placeholders.supply(unbound))
            self.undefined = tuple(sorted(unbound - self.placeholders.names))[:_NAMES]
            tree = self.placeholders.without_imports()
            glue, module = self.job.glue, self.interpreter.main
            if glue is not None and module is not None:
                rebuild_glue.install(module, rebuild_glue.make_of(glue), glue.modules)
                rebuild_glue.run_statements(glue.first, module)
            if Probe.STATEMENTS in self.job.probes and self._may_be_traced(tree):
                self.statements = StatementsProbe(tree, self.filename, self._printed)
            if Probe.NONE not in self.job.probes:
                self._listen(tree)
                tree = self.caught.instrument(tree, compiles=uses_compile(tree))
                if not looks_at_itself(tree):
                    tree = imports_apart.marked(tree, self.import_time)
            if self.job.simulate:
                self._simulate()
            self.guard("resources", self._supply_resources)
            self.script.start(tree)
            self.outside.listen(tree)
            if self.job.cut and "torch" in sys.modules and not uses_compile(tree):
                self.step_limit.start()
            self.import_time.snippet_begins()
            compiled = compile(tree, self.filename, "exec", dont_inherit=True)
            if self.statements is not None:
                self.statements.start()
            exec(compiled, names)
            if self.statements is None:
                settrace(None)
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
        self.guard("resources", self._stop_supplying)
        try:
            setprofile(None)
        except Anything:  # the profile function heard of this very call, and raised
            setprofile(None)
        code = 0
        if error is None and self.tree is not None:
            self.guard("definitions", self._look_at_definitions)
        if error is not None:
            with self.interpreter.restored:
                code = self.ending.ended_by(error)
        with self.interpreter.restored:
            self._stop_listening(names)
        return code

    @staticmethod
    def _may_be_traced(tree: ast.Module) -> bool:
        return not uses_compile(tree) and not looks_at_itself(tree)

    def _look_at_the_text(self, tree: ast.Module | None) -> None:
        """Say what the text shows by itself: all of it, or the lines that Python takes."""
        if tree is None:
            return
        if self.job.remarks:
            self.guard("remarks", partial(self._list_remarks, tree))
        if self.job.mends:
            self.guard("mends", partial(self._list_mends, tree))
        if self.job.constructs:
            self.guard("constructs", partial(self._list_constructs, tree))

    def _list_remarks(self, tree: ast.Module) -> None:
        self.remarks = remarks.remarks(tree, self.job.code)

    def _list_mends(self, tree: ast.Module) -> None:
        told = remarks.remarks(tree, self.job.code)
        self.read = tuple(
            Finding(
                kind=seen.kind,
                line=seen.line,
                name="",
                message=seen.message,
                facts={"ways": list(ways)},
                mistake=True,
                by_text=True,
            )
            for seen, ways in remarks.mended(tree, self.job.code, told)
        )

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
        if self.tree is not None:
            self.only_definitions = definitions.are_all(self.tree, self.supplied)
            self.only_made = definitions.only_made(self.tree)

    def _listen(self, tree: ast.Module) -> None:
        self.caught.start()
        self.warned.start()
        self.probes.start(self.job, tree)

    def _simulate(self) -> None:
        import torch  # noqa: F401  (a cold run has not yet: the snippet would be too late)

        from executor.inside.simulated.cuda import SimulatedCuda

        self.simulated = SimulatedCuda(self.source, self.job.seed, self.job.gpus)
        self.simulated.start()
        self.caught.also = self.ending.see_devices

    def _stop_listening(self, names: dict[str, Any]) -> None:
        self.step_limit.stop()
        if self.simulated is not None:
            self.guard("SimulatedCuda", self.simulated.stop)
        self.probes.stop(names, self.ending.error, tuple(self.warned.seen))

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

    def guard(self, what: str, do: Callable[[], Any]) -> None:
        """A probe that fails is a note in the report, never the snippet's failure."""
        try:
            do()
        except BaseException as e:
            self.notes.append(f"{what}: {type(e).__name__}: {exceptions.message_of(e)}"[:500])

    def keep_figures(self) -> None:
        """Save the figures that are still open, if matplotlib was used at all."""
        figures = sys.modules.get("executor.inside.figures")
        if figures is not None:
            self.guard("figures", figures.keep_open_figures)


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
    one = Run(job, work, import_time)
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
        flush(stream)
    with one.interpreter.restored:
        _write(report / REPORT, report_text(one), errors)
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
                flush(errors)
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
