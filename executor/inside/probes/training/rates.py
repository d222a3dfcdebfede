"""Find learning rates that die, schedulers that are not stepped, and optimizers made anew."""

from __future__ import annotations

import ast
import gc
import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, ReduceLROnPlateau
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils.data import DataLoader, IterableDataset

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import Heard
from executor.inside.probes.training.idle import is_used, line_of, made
from executor.inside.probes.training.loading import Loads
from executor.inside.probes.training.schedule_edits import of_what_steps, once_an_epoch
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.watched import Record
from executor.inside.remarks.edits import moved, put, way
from executor.inside.walking import walk
from executor.protocol import WarningSeen

_DEAD = 1e-5  # of the highest rate there was
_SHARE = 0.3  # of all steps
_RISEN = 10  # times the first rate
_LEAST = 20  # steps of an optimizer of which that is said
_WAITS, _WAITING = 3, 0.1  # steps at a rate of 0 to begin with, and their share
_SMALL, _REACHED = 0.2, 0.3  # rates whose square is another one; the share of it that came up
_NEARLY, _FEW = 0.1, 4  # of a schedule's length; times as many steps as it made
_ANEW = 4  # optimizers of one step each
_SWINGS = {"CosineAnnealingLR"}  # that go up again behind their end
_TURNS, _OFTEN = 2, 3  # times its length: it is back where it began, and down once more
_LONG = 10  # times as many steps as a schedule has, that all fell in the first tenth
_TRIALS = 1  # rounds through a loader beside those that train
_LENGTHS = ("T_max", "step_size", "milestones")
_OTHERWISE = re.compile(r"len\(|step|batch|iter|cycle|period|restart|warm")
_TOO_EARLY = "Detected call of `lr_scheduler.step()` before `optimizer.step()`"


@dataclass
class _Course:
    """How the learning rate of one optimizer went."""

    steps: int = 0
    first: float = 0.0
    fell: bool = False  # whether it ever did
    top: float = 0.0
    zeros: int = 0  # steps before the rate was first above 0
    dead: int = 0  # steps since the highest rate at nearly none
    since: int | None = None  # the first of them
    last: float = 0.0
    began: int = 0  # its first step among those of all optimizers
    until: int = 0  # its last one
    then: float | None = None  # the rate that it had when a later optimizer began
    turned: bool = False  # whether it was as far below 0 as above: uphill on purpose


class Rates:
    """The learning rate at every step."""

    def __init__(self, tree: ast.Module, steps: Steps, loads: Loads) -> None:
        """Args: tree: the snippet; steps, loads: what else was heard of in this run."""
        self._tree = tree
        self._steps = steps
        self._loads = loads
        words = {_word(n) for n in walk(tree)}
        self._changes = bool(words & {"lr_scheduler", "param_groups"})  # the text can change a rate
        self._courses: dict[int, _Course] = {}
        self._kept: list[tuple[str, dict[str, Any]]] = []
        # Through a loader of so many batches; an id would come again when its loader is gone.
        self._rounds: Counter[tuple[ref[DataLoader[Any]] | None, int]] = Counter()
        self._count = 0  # steps of all optimizers

    def start(self) -> None:
        """Listen."""
        if self._changes:
            self._handle = register_optimizer_step_pre_hook(self._step)
            self._iter = DataLoader.__iter__
            DataLoader.__iter__ = Heard(self._iter, self._drawn)  # type: ignore[assignment]

    def stop(self) -> None:
        """Stop listening."""
        if self._changes:
            self._handle.remove()
            DataLoader.__iter__ = self._iter  # type: ignore[method-assign]

    def _step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        course = self._courses.get(id(optimizer))
        if course is None:
            self._another_begins()
            course = self._courses[id(optimizer)] = _Course(began=self._count)
        self._count += 1
        course.until = self._count
        course.steps += 1
        if course.steps == _LEAST:
            for scheduler in self._schedulers():  # what it holds, for it may be a function's own
                self._kept.append((type(scheduler).__name__, vars(scheduler)))
        rate = _highest(optimizer)
        if rate == course.last == course.top > 0 and not course.dead:
            return  # as nearly always: it stays where it is
        before, course.last = course.last, rate
        course.fell |= rate < before
        if course.steps == 1:
            course.first = rate
        course.zeros += rate == course.top == 0
        if rate >= course.top:
            course.top, course.dead, course.since = rate, 0, None
        elif 0 < course.top <= min(2 * before, -2 * rate):
            course.turned = True  # a schedule that runs on comes to 0 first
        elif rate < _DEAD * course.top:
            course.dead += 1
            if course.since is None:
                course.since = course.steps

    def _another_begins(self) -> None:
        for record in self._steps.records.values():
            if (course := self._courses.get(id(record.optimizer))) is not None:
                course.then = _highest(record.optimizer)

    def report(
        self, collector: FindingCollector, warnings: tuple[WarningSeen, ...], *, worse: bool
    ) -> None:
        """Add the findings, after a run without an error.

        Args:
            collector: takes them.
            warnings: what PyTorch said in this run.
            worse: whether a loss ended above its first value, or was none at all.
        """
        records = list(self._steps.records.values())
        for record in records:
            course = self._courses.get(id(record.optimizer))
            if course is not None:
                _report_dead(collector, record, course, by_batch=self._is_stepped_within())
                _report_zeros(collector, record, course)
                if worse:
                    _report_rising(collector, record, course)
            _report_aside(collector, self._tree, record)
        self._report_anew(collector, records)
        schedulers = self._schedulers()
        self._report_waiting(collector, schedulers)
        self._report_squared(collector, schedulers)
        self._report_begun(collector)
        self._report_by_batches(collector)
        # One that a function made is gone by now, and what it held is not.
        held = {id(vars(s)): (type(s).__name__, vars(s)) for s in schedulers}
        held |= {id(kept): (cls, kept) for cls, kept in self._kept}
        self._report_other(collector, [*held.values()], records)
        # One that wraps another optimizer is never stepped itself.
        if all(id(kept["optimizer"]) in self._steps.records for _, kept in held.values()):
            self._report_early(collector, warnings)

    def _schedulers(self) -> list[Any]:
        """Those that are alive, if the text has one at all."""
        if not self._changes:
            return []
        kinds = (LRScheduler, ReduceLROnPlateau)
        return [s for s in gc.get_objects() if issubclass(type(s), kinds)]

    def _report_anew(self, collector: FindingCollector, records: list[Record]) -> None:
        """An optimizer for each step: what it has averaged so far is lost."""
        alike: dict[tuple[Any, ...], list[Record]] = {}
        for record in records:
            alike.setdefault((type(record.optimizer), *record.ids), []).append(record)
        for found in alike.values():
            averaging = all(r.steps == 1 and _has_averages(r.optimizer) for r in found)
            if len(found) < _ANEW or not averaging or len(self._loads.seen) >= len(found):
                continue
            cls, line = type(found[0].optimizer).__name__, line_of(self._tree, found[0].name)
            collector.add(
                "optimizer_made_anew",
                line or found[0].line,
                found[0].name,
                f"{len(found)} times an {cls} was made for the same parameters, and each made one "
                f"step: what {cls} averages over the steps starts anew every time; make it once, "
                "before the loop, and hand it over",
            )

    def _report_squared(self, collector: FindingCollector, schedulers: list[Any]) -> None:
        """A LambdaLR whose function says the rate itself, where a factor of it is wanted."""
        for scheduler in schedulers:
            course = self._courses.get(id(scheduler.optimizer))
            record = self._steps.records.get(id(scheduler.optimizer))
            if not isinstance(scheduler, LambdaLR) or course is None or record is None:
                continue
            base = max(scheduler.base_lrs)
            names = made(self._tree).get("LambdaLR", set())
            if not 0 < base < _SMALL or course.steps < _LEAST or course.top > base * base * 1.01:
                continue
            if course.top < base * base * _REACHED:
                continue  # the factor is small for another reason
            collector.add(
                "rate_squared",
                next((line_of(self._tree, n) for n in sorted(names)), record.line),
                record.name,
                f"the learning rate was never above {course.top:.2g}, and lr={base:g}: LambdaLR "
                "multiplies lr by what the function returns, and the largest that it returned is "
                f"about lr itself, so that the rate is its square; return a factor (divide by "
                f"{base:g}), or make the optimizer with lr=1.0",
            )
            return

    def _report_begun(self, collector: FindingCollector) -> None:
        """A schedule as long as the training has steps, stepped once for many of them."""
        for cls, kept in self._kept:
            course = self._courses.get(id(kept.get("optimizer")))
            record = self._steps.records.get(id(kept.get("optimizer")))
            whole = kept.get("total_steps", kept.get("T_max"))
            if course is None or record is None or type(whole) is not int or whole < _LEAST:
                continue
            taken = int(kept.get("last_epoch", 0))
            is_length = abs(course.steps - whole) <= _NEARLY * whole
            if not is_length or not 0 < taken * _FEW <= whole:
                continue
            names = made(self._tree).get(cls, set())
            collector.add(
                "schedule_barely_begun",
                next((line_of(self._tree, n) for n in sorted(names)), record.line),
                min(names, default=""),
                f"this {cls} is {whole} steps long, as many as its optimizer made, and was stepped "
                f"{taken} times: the learning rate is still near the start of its way; step it "
                "behind each `optimizer.step()`",
                ways=self._stepped_with(min(names, default="")),
            )
            return

    def _drawn(self, loader: DataLoader[Any]) -> None:
        """Note that somebody begins to go through a loader."""
        if isinstance(loader.dataset, IterableDataset):
            return
        with suppress(Exception):  # a data set without a length, or one whose method fails
            n = len(loader)
            self._rounds[ref(loader), n] += 1
            self._rounds[None, n] += 1  # by whichever loader: one may be made for each epoch

    def _epochs(self, steps: int) -> set[int]:
        """How often a loader was gone through, with a step for each of its batches."""
        return {
            steps // n
            for (_, n), times in self._rounds.items()
            if n > 1 and steps % n == 0 and 0 <= times - steps // n <= _TRIALS
        }

    def _report_by_batches(self, collector: FindingCollector) -> None:
        """A schedule as long as there are epochs, that is stepped after each batch."""
        for cls, kept in self._kept:
            course = self._courses.get(id(kept.get("optimizer")))
            record = self._steps.records.get(id(kept.get("optimizer")))
            taken, end = int(kept.get("last_epoch", 0)), _ends(cls, kept)
            if course is None or record is None or taken < (1 - _NEARLY) * course.steps:
                continue
            if end is None or end < _WAITS or taken < _TURNS * end:
                continue
            epochs = self._epochs(course.steps)
            said, swings = self._said_of_epochs(cls), cls in _SWINGS
            # Whoever counts batches has more of them.
            soon = said or (cls == "MultiStepLR" and taken >= _LONG * end)
            by_loader = end in epochs if swings else soon and any(end <= n for n in epochs)
            if not by_loader and not (swings and said and taken >= _OFTEN * end):
                continue
            names = made(self._tree).get(cls, set())
            went = "has come to its least" if swings else "has fallen"
            since = ", and swings up and down since" if swings else ""
            collector.add(
                "schedule_by_batches",
                next((line_of(self._tree, n) for n in sorted(names)), record.line),
                min(names, default=""),
                f"this {cls} counts epochs, and was stepped after each of the {taken} batches: the "
                f"learning rate {went} after {end} of them{since}; step it once at the end of each "
                "epoch, or make it as long as all batches: `epochs * len(loader)`",
                ways=once_an_epoch(self._tree, names),
            )
            return

    def _said_of_epochs(self, cls: str) -> bool:
        """Whether the text says how long a schedule is in epochs, and in nothing else."""
        for node in walk(self._tree):
            if not isinstance(node, ast.Call) or _word(node.func) != cls:
                continue
            told = [*node.args[1:2], *(k.value for k in node.keywords if k.arg in _LENGTHS)]
            said = " ".join(map(ast.unparse, told)).lower()
            whole = cls not in _SWINGS or all(
                isinstance(t, ast.Name | ast.Attribute | ast.Subscript) for t in told
            )
            return bool(whole and "epoch" in said and not _OTHERWISE.search(said))
        return False

    def _stepped_with(self, name: str) -> list[dict[str, Any]]:
        """The schedule's step, moved behind the optimizer's, where there is one of each."""
        steps = [
            n for n in walk(self._tree)
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
            and isinstance(n.value.func, ast.Attribute) and n.value.func.attr == "step"
        ]  # fmt: skip
        own = [s for s in steps if ast.unparse(s) == f"{name}.step()"]
        others = [s for s in steps if s not in own]
        if len(own) != 1 or len(others) != 1:
            return []
        return [moved("a step of the schedule for each step", own[0], by=others[0], after=True)]

    def _report_waiting(self, collector: FindingCollector, schedulers: list[Any]) -> None:
        """A scheduler that nothing steps."""
        for cls, names in made(self._tree).items():
            waiting = [s for s in schedulers if type(s).__name__ == cls]
            if len(names) != 1 or len(waiting) != 1 or is_used(self._tree, min(names)):
                continue
            record = self._steps.records.get(id(waiting[0].optimizer))
            if record is None or record.steps < _LEAST or _stepped(waiting[0]):
                continue
            if getattr(waiting[0], "gamma", None) == 1:
                continue  # it would change nothing
            name = min(names)
            collector.add(
                "scheduler_never_stepped",
                line_of(self._tree, name),
                name,
                f"`{name}` ({cls}) is never stepped, in {record.steps} steps of its optimizer: the "
                f"learning rate stays at {_rate(waiting[0].optimizer):g}; call "
                + (
                    f"`{name}.step(loss)` after each epoch, with the value that it watches"
                    if cls == "ReduceLROnPlateau"
                    else f"`{name}.step()`, for most schedulers once after each epoch"
                ),
            )

    def _report_other(
        self,
        collector: FindingCollector,
        schedulers: list[tuple[str, dict[str, Any]]],
        records: list[Record],
    ) -> None:
        """A scheduler of an optimizer that makes no steps, while another one does."""
        for cls, kept in schedulers:
            own = kept["optimizer"]
            left = self._courses.get(id(own))
            stays = left is not None and left.then in (None, _highest(own))
            if stays or int(kept.get("last_epoch", 1)) <= 0:
                continue
            ids = {id(p) for group in own.param_groups for p in group["params"]}
            shared = {id(group) for group in own.param_groups}  # by who wraps another optimizer
            others = [
                r
                for r in records
                if ids & set(r.ids)
                and not shared & set(map(id, r.optimizer.param_groups))
                and (left is None or self._follows(left, r))
            ]
            if others:
                collector.add(
                    "scheduler_of_another",
                    others[-1].line,
                    others[-1].name,
                    f"{cls} changes the learning rate of another {type(own).__name__} than the one "
                    f"that steps: `{others[-1].name}` keeps its own; make the scheduler with the "
                    "optimizer that is stepped",
                    ways=of_what_steps(self._tree, cls, others[-1].name),
                )

    def _follows(self, left: _Course, record: Record) -> bool:
        """Whether an optimizer took the place of one that has made its last step."""
        course = self._courses.get(id(record.optimizer))
        return course is not None and course.began >= left.until and course.steps >= _LEAST

    def _in_training(self, line: int | None) -> bool:
        """Whether the line is in a loop that trains: who goes on with a run steps it before."""
        for loop in walk(self._tree):
            if isinstance(loop, (ast.For, ast.While)) and line is not None:
                calls = {_word(n) for n in walk(loop) if isinstance(n, ast.Attribute)}
                if loop.lineno <= line <= (loop.end_lineno or 0) and "backward" in calls:
                    return True
        return False

    def _is_stepped_within(self) -> bool:
        """Whether a scheduler is stepped in a loop that stands in another one."""
        loops = [n for n in walk(self._tree) if isinstance(n, (ast.For, ast.While))]
        inner = [n for outer in loops for n in loops if n is not outer and n in walk(outer)]
        return any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "step"
            and "sched" in ast.unparse(n.func.value).lower()
            for loop in inner
            for n in walk(loop)
        )

    def _report_early(self, collector: FindingCollector, warnings: tuple[WarningSeen, ...]) -> None:
        """PyTorch says that a scheduler was stepped first; a scaler may have left out a step."""
        scales = any(isinstance(n, ast.Attribute) and n.attr == "scale" for n in walk(self._tree))
        for warning in warnings:
            told = warning.message.startswith(_TOO_EARLY) and self._in_training(warning.line)
            if told and self._steps.trained and not scales:
                collector.add(
                    "scheduler_first",
                    warning.line,
                    "",
                    "the scheduler is stepped before the optimizer has made a step, so the first "
                    "value of its schedule is skipped; call `scheduler.step()` after "
                    "`optimizer.step()`, for most schedulers at the end of each epoch",
                )
                return


def _ends(cls: str, kept: dict[str, Any]) -> int | None:
    """The step at which a schedule has come to its least, or falls."""
    match cls:
        case "CosineAnnealingLR":
            end = kept.get("T_max")
        case "StepLR":
            end = kept.get("step_size")
        case "MultiStepLR":
            end = max(kept.get("milestones") or (), default=None)
        case _:
            return None
    return end if type(end) is int else None


def _report_dead(
    collector: FindingCollector, record: Record, course: _Course, *, by_batch: bool
) -> None:
    if course.steps < _LEAST or course.dead < _SHARE * course.steps or course.since is None:
        return
    if course.turned or not course.top > 0:
        return
    if course.last >= 0 and not any(w.moved for w in record.watched):
        return  # it is not the rate that keeps them where they are
    went = (
        f"fell below 0, to {course.last:.2g}: from step {course.since} of {course.steps} on the "
        "steps go uphill"
        if course.last < 0
        else f"fell from {course.top:g} to {course.last:.2g}: from step {course.since} of "
        f"{course.steps} on the weights stand still"
    )
    hint = (
        "a scheduler that counts epochs is stepped once per epoch, behind the loop over the batches"
        if by_batch
        else "choose a schedule that is as long as the training, or that falls more slowly"
    )
    collector.add(
        "rate_died",
        record.line,
        record.name,
        f"the learning rate of `{record.name}` {went}; {hint}",
    )


def _report_rising(collector: FindingCollector, record: Record, course: _Course) -> None:
    """A rate that rose to the very end, while the loss became worse: no warm-up rises that far."""
    if course.fell or course.steps < _LEAST or not 0 < _RISEN * course.first <= course.last:
        return
    collector.add(
        "rate_rose",
        record.line,
        record.name,
        f"the learning rate of `{record.name}` rose with the training, from {course.first:.3g} at "
        f"the first step to {course.last:.3g} at step {course.steps}, and the loss became worse: "
        "what it is multiplied by is above 1; below 1 it falls, as most schedules do",
    )


def _report_zeros(collector: FindingCollector, record: Record, course: _Course) -> None:
    """A warm-up whose factor is 0 for more than its first step."""
    if course.zeros < _WAITS or course.zeros < _WAITING * course.steps or course.top == 0:
        return
    collector.add(
        "rate_starts_at_zero",
        record.line,
        record.name,
        f"the learning rate of `{record.name}` was exactly 0 at its first {course.zeros} of "
        f"{course.steps} steps: nothing was learned in them; a warm-up's factor is 0 where whole "
        "numbers are divided by `//`, and for a whole epoch where it counts epochs from 0: write "
        "`(step + 1) / warmup`",
        steps=course.zeros,
    )


def _report_aside(collector: FindingCollector, tree: ast.Module, record: Record) -> None:
    """A learning rate that was written beside the ones that the optimizer reads."""
    groups = record.optimizer.param_groups
    kept = vars(record.optimizer)
    for attribute in ("lr", "learning_rate"):
        new = kept.get(attribute)
        if not isinstance(new, float) or any(group.get("lr") == new for group in groups):
            continue
        if not type(record.optimizer).__module__.startswith("torch.optim"):
            return  # a class of the snippet's may read it
        targets = [
            (node, target)
            for node in walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Attribute) and target.attr == attribute
        ]
        if not targets or any(
            isinstance(n, ast.Attribute) and n.attr == attribute and isinstance(n.ctx, ast.Load)
            for n in walk(tree)
        ):
            continue
        node, target = targets[-1]
        name = ast.unparse(target.value)
        ways = (
            [
                way(
                    "each group of parameters gets the rate",
                    put(
                        node,
                        "[group.update(lr=",
                        node.value,
                        ") for group in ",
                        target.value,
                        ".param_groups]",
                    ),
                )
            ]
            if len(targets) == 1
            else []
        )
        collector.add(
            "rate_set_aside",
            node.lineno,
            f"{name}.{attribute}",
            f"`{name}.{attribute} = …` makes a new attribute that no optimizer reads: the steps go "
            f"on with {_rate(record.optimizer):g}; write it into the groups: `for group in "
            f'{name}.param_groups: group["lr"] = …`',
            ways=ways,
        )
        return


def _word(node: ast.AST) -> str:
    match node:
        case ast.Attribute(attr=word) | ast.Name(id=word):
            return word
        case ast.ImportFrom(module=str() as word) | ast.alias(name=word):
            return word.rpartition(".")[2]
    return ""


def _has_averages(optimizer: torch.optim.Optimizer) -> bool:
    return any(
        isinstance(v, torch.Tensor) and v.dim() > 0
        for state in optimizer.state.values()
        for v in state.values()
    )


def _stepped(scheduler: Any) -> bool:
    return int(getattr(scheduler, "last_epoch", 1)) > 0


def _highest(optimizer: torch.optim.Optimizer) -> float:
    """The highest rate of its groups; infinite if one is a tensor.

    A tensor is not asked for its value: somebody may be capturing the graph of it.
    """
    groups = optimizer.param_groups
    if len(groups) == 1 and type(rate := groups[0].get("lr")) is float:  # nearly always
        return rate
    rates = [group.get("lr") for group in groups]
    numbers = [rate for rate in rates if isinstance(rate, (int, float))]
    return max(numbers, default=-math.inf) if len(numbers) == len(rates) else math.inf


def _rate(optimizer: torch.optim.Optimizer) -> float:
    return max(float(group.get("lr", 0)) for group in optimizer.param_groups)
