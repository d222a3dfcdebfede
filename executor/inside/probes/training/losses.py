"""Find mistakes in a loss when `backward()` is called on it.

A descriptor replaces `Tensor.backward`: it notes that the method is looked up on a loss, and
returns PyTorch's own function, so no frame of ours is in a traceback.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training import dimensions, graph, not_finite
from executor.inside.probes.training.calls import Calls
from executor.inside.probes.training.class_counts import ClassCounts
from executor.inside.probes.training.course import Course
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import Heard
from executor.inside.probes.training.loss_edits import of_the_loss
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.nodes import Pattern
from executor.inside.probes.training.quiet import number, quietly
from executor.inside.probes.training.steep import Steep, steep
from executor.protocol import LossSeen

_LOOKS = 2  # how often the graph of one line's loss is read
_LOSSES = 2000
_ROUNDS = 50  # backwards after which a loss has begun to fall
# At the end of a training that works: the loss, and its share of the first one, which inputs that
# are not scaled make large.
_LEARNED = 0.3
_LEFT = 0.9  # of the first loss, where it has not
_DRAWN = 8  # targets from a random generator that say something of the others


class LossProbe:
    """Every tensor that `backward()` was called on."""

    def __init__(
        self, names: SnippetNames, calls: Calls, begins: Callable[[torch.Tensor], None]
    ) -> None:
        """Args: names and calls of this run; `begins` is called before every backward."""
        self.names = names
        self.calls = calls
        self.count = 0
        self.problem = ""
        self.largest = 0.0  # loss so far, by its absolute value
        self.scored: set[int] = set()  # parameters of layers whose output is the loss itself
        self._begins = begins
        self._looks: dict[int | None, int] = {}
        self._patterns: dict[tuple[str, int | None], tuple[str, Pattern]] = {}
        self._leaves: list[tuple[torch.Tensor, str, int | None]] = []
        self._not_finite: tuple[int, int | None, str, float, bool | None, str] | None = None
        self._steep: Steep | None = None
        self._infinite_slope: Steep | None = None  # one that a gradient has borne out
        self._courses: dict[int | None, Course] = {}  # line of backward() → its losses
        self._classes = ClassCounts()
        self._names: dict[int | None, str] = {}  # … and what the variable is called
        self._known: dict[int, weakref.ref[torch.Tensor]] = {}

    def start(self) -> None:
        """Listen."""
        self._original = torch.Tensor.backward
        torch.Tensor.backward = Heard(self._original, self._hear)  # type: ignore

    def stop(self) -> None:
        """Stop listening."""
        torch.Tensor.backward = self._original  # type: ignore[method-assign]

    def is_one(self, thing: object) -> bool:
        """Whether backward() was called on this very tensor."""
        known = self._known.get(id(thing))
        return known is not None and known() is thing

    @property
    def seen(self) -> tuple[LossSeen, ...]:
        """How the losses went, line by line."""
        seen = (course.seen(line) for line, course in self._courses.items())
        return tuple(one for one in seen if one is not None)[:_LOSSES]

    @property
    def broken(self) -> bool:
        """Whether a loss was NaN or infinite."""
        return self._not_finite is not None

    @property
    def worse(self) -> bool:
        """Whether one was, or ended above its first value."""
        courses = self._courses.values()
        return self.broken or any(c.last > max(c.first or 0, 0) for c in courses if c.rounds > 1)

    @property
    def leaves(self) -> set[int]:
        """The ids of the losses that had no graph."""
        return {id(tensor) for tensor, _, _ in self._leaves}

    def _hear(self, loss: torch.Tensor) -> None:
        try:
            if type(loss) is torch.Tensor and not private.function_modes():
                self._look(loss)
            else:  # a mode or a subclass of the snippet's would hear every question
                with private.DisableTorchFunction():
                    self._look(loss)
        except private.SavedGoneError:
            pass  # this backward will say it itself
        except Exception as e:  # ours, and no reason to stop the snippet's backward
            self.problem = self.problem or f"{type(e).__name__}: {e}"[:200]

    def _look(self, loss: torch.Tensor) -> None:
        self.count += 1
        self._begins(loss)
        line = self.names.source.line_above(3)  # _hear, __get__, and who looked it up
        if self.count <= _LOSSES:
            self._known[id(loss)] = weakref.ref(loss)
        if self._not_finite is None and loss.numel() == 1 and loss.is_floating_point():
            value = number(loss)
            self.largest = max(self.largest, abs(value))
            course = self._courses.get(line)
            if course is None:
                course = self._courses[line] = Course()
                self._names[line] = self.names.of(loss)
            course.add(value)
            if not math.isfinite(value):
                known = self.calls.inputs_finite()
                made = "" if known is False else not_finite.origin(loss)
                self._not_finite = self.count, line, self.names.of(loss), value, known, made
        self.calls.given.clear()
        if self._steep is not None:
            self._bear_out()
        if loss.grad_fn is None:
            if loss.requires_grad and not any(known is loss for known, _, _ in self._leaves):
                self._leaves.append((loss, self.names.of(loss), line))
            return
        if self._classes.wants(line):
            with quietly():
                self._classes.add(loss, line)
        looks = self._looks.get(line, 0)
        if looks < _LOOKS:
            self._looks[line] = looks + 1
            if loss.numel() == 1 and not self.broken and self._infinite_slope is None:
                self._steep = steep(loss, self.names.of(loss), line)
            self.scored |= graph.scored(loss)
            in_sight = [value for _, value in self.names.variables()]
            anywhere = dimensions.patterns(loss) if not looks else []
            for pattern in (*graph.patterns(loss, in_sight), *anywhere):
                self._patterns.setdefault((pattern.kind, line), (self.names.of(loss), pattern))

    def _bear_out(self) -> None:
        """See whether the backward() of the loss before made a gradient of NaN or infinity."""
        if self._steep is not None and self._infinite_slope is None and self._steep.is_borne_out():
            self._infinite_slope = self._steep
        self._steep = None

    # -- reporting ---------------------------------------------------------------------------

    def report(
        self,
        collector: FindingCollector,
        optimized: set[int],
        *,
        trained: bool,
        implicit: bool = False,
    ) -> None:
        """Add the findings, after the run.

        Args:
            collector: takes them.
            optimized: ids of the optimizers' parameters.
            trained: an optimizer stepped.
            implicit: PyTorch warned that a softmax was not told its dimension.
        """
        for line, pattern in self._classes.patterns():
            self._patterns[pattern.kind, line] = self._names.get(line, ""), pattern
        for (_, line), (name, pattern) in self._patterns.items():
            if pattern.kind == "softmax_over_samples" and not implicit:
                continue  # who writes the dimension may mean it
            if pattern.kind == "target_not_detached" and not (
                pattern.facts["best"] or self.names.is_of_rewards
            ):
                continue  # a step of a differential equation, say
            if pattern.kind == "advantage_not_detached" and not self.names.is_of_rewards:
                continue
            if pattern.kind == "attention_wrong_dim" and not (
                pattern.facts.pop("square") or self.names.attends
            ):
                continue  # each key is assigned to one of the queries
            if pattern.kind == "pixels_ignored" and (self.names.leaves_out or self.names.pads):
                continue
            if pattern.kind == "kl_div_arguments" and not self.names.calls_kl_div:
                continue
            course = self._courses.get(line, Course())
            first, last = course.first or 0.0, course.last
            if pattern.kind == "inputs_unscaled" and last < _LEARNED * min(first, 1):
                continue  # its rate is small enough for them
            if pattern.kind == "targets_unscaled":
                if pattern.term or course.rounds < _ROUNDS or not last > _LEFT * first > 0:
                    continue  # it gets there
                pattern.facts.update(rounds=course.rounds, left=last / first)
            if pattern.kind == "targets_out_of_reach":
                drawn = self.names.draws
                if drawn and pattern.facts["values"] < _DRAWN:
                    continue  # a single draw says nothing of the next one
                pattern.facts["drawn"] = drawn
                pattern.facts["written"] = self._written(pattern.facts["activation"].lower())
            made = self.names.line_of(name, line) or line
            self._report_pattern(collector, pattern, name, made)
        if trained:
            for tensor, name, line in self._leaves:
                if id(tensor) not in optimized and not isinstance(tensor, torch.nn.Parameter):
                    collector.add(
                        "loss_without_graph",
                        self.names.line_of(name, line) or line,
                        name or "loss",
                        f"{_called(name)} has no graph when line {line} calls backward(): it was "
                        "made anew from values, so no gradient reaches any parameter",
                    )
        self._bear_out()
        if (found := self._infinite_slope) is not None:
            collector.add(
                "infinite_slope",
                self.names.line_of(found.name, found.line) or found.line,
                found.name or "loss",
                f"{_called(found.name)} is a number, and its gradient is NaN or infinite: "
                f"{found.told}",
            )
        if self._not_finite is not None:
            self._report_not_finite(collector, *self._not_finite)
        else:
            self._report_ran_away(collector)

    def _report_ran_away(self, collector: FindingCollector) -> None:
        """A loss that is still a number, and far from any that is wanted."""
        for line, course in self._courses.items():
            if course.ran_away:
                name = self._names.get(line, "")
                told = f"{_called(name)} {course.words}"
                collector.add("loss_ran_away", line, name or "loss", told, ran_away=True)
                return

    def _report_not_finite(
        self,
        collector: FindingCollector,
        n: int,
        line: int | None,
        name: str,
        value: float,
        inputs: bool | None,
        made: str,
    ) -> None:
        when = (
            "already at the first backward()"
            if n == 1
            else (
                f"at backward() number {n}; the {n - 1} before it were finite"
                if n > 2
                else "at the second backward(); the first was finite"
            )
        )
        fed = {None: "", True: "; the model's inputs were finite"}.get(
            inputs, "; the model's inputs held NaN or infinity themselves"
        )
        course = self._courses.get(line, Course())
        runs_away = course.runs_away and inputs is not False
        if runs_away:
            fed += f". Before that it {course.words}"
        elif made:
            fed += f"; {made}"
        collector.add(
            "loss_not_finite",
            line,
            name or "loss",
            f"{_called(name)} was {value} {when}{fed}",
            backward=n,
            inputs_finite=inputs,
            ran_away=runs_away,
        )

    def _report_pattern(
        self, collector: FindingCollector, pattern: Pattern, name: str, line: int | None
    ) -> None:
        loss, facts = _called(name), pattern.facts
        if pattern.term:
            loss = f"a term of {loss}"
        softmax, sigmoid = (self._written("softmax"), self._written("sigmoid"))
        words = {
            "softmax_before_cross_entropy": (
                f"{loss} is the cross-entropy of a softmax{softmax}: cross-entropy applies softmax "
                "itself, so it is applied twice here"
            ),
            "log_softmax_before_cross_entropy": (
                f"{loss} is the cross-entropy of a log_softmax: cross-entropy applies it itself; "
                "the second one changes no value"
            ),
            "sigmoid_before_cross_entropy": (
                f"{loss} is the cross-entropy of a sigmoid{sigmoid}: cross-entropy expects raw "
                "scores, and these are squeezed between 0 and 1"
            ),
            "sigmoid_before_bce_with_logits": (
                f"{loss} is binary_cross_entropy_with_logits of a sigmoid{sigmoid}: this loss "
                "applies sigmoid itself, so it is applied twice here"
            ),
            "raw_scores_to_bce": (
                f"{loss} is a binary_cross_entropy of what a layer gives as it is: it expects "
                "probabilities, and stops as soon as one score is not between 0 and 1; take "
                "binary_cross_entropy_with_logits (BCEWithLogitsLoss), or a sigmoid before it"
            ),
            "one_class": (
                f"{loss} is a cross-entropy over one class (its input is {facts.get('input')}): it "
                "is 0 whatever the model says"
            ),
        }
        if pattern.kind == "raw_scores_to_nll":
            kind = "probabilities" if facts["softmax"] else "values"
            words[pattern.kind] = (
                f"{loss} is an nll_loss of {kind} up to {facts['largest']:.3g}: it expects "
                "log-probabilities, which are never above 0"
            )
        if pattern.kind == "loss_broadcasts":
            target = f"a target {facts['target']}" if facts["target"] else "a target"
            words[pattern.kind] = (
                f"{loss} compares a prediction {facts['input']} with {target} as "
                f"{facts['result']}: every prediction with every target; bring both to one shape "
                "first (`target.view_as(prediction)`)"
            )
        if pattern.kind not in words:
            words[pattern.kind] = f"{loss} {_SAID[pattern.kind](facts)}"
        edits = of_the_loss(self.names.tree, pattern.kind, facts)
        collector.add(pattern.kind, line, name or "loss", words[pattern.kind], **facts, **edits)

    def _written(self, function: str) -> str:
        line = self.names.only_line_of(function)
        return f" (line {line})" if line else ""


def _out_of_reach(facts: dict[str, Any]) -> str:
    activation = {"Relu": "ReLU"}.get(facts["activation"], facts["activation"].lower())
    below, above = facts["low"], facts["high"]
    span = f"of {below:g} and more" if above is None else f"from {below or 0:g} to {above:g}"
    if below is None:
        span = f"of {above:g} and less"
    return (
        f"compares the output of a {activation}{facts['written']}, values {span}, with targets of "
        f"which {facts['share']:.0%} lie outside: the model can never give them; leave the "
        f"{activation} out, or scale the targets into that range"
        + (
            "; if they only stand in for others, draw them as those are (`torch.rand`: 0 to 1)"
            if facts["drawn"]
            else ""
        )
    )


_KL_DIV = {
    "probabilities": (
        "is a kl_div of probabilities: its first argument has to be their logarithms, else the "
        "result is no divergence and can be negative; give it `F.log_softmax(scores, dim)`"
    ),
    "scores": (
        "is a kl_div of what a layer gives as it is: its first argument has to be "
        "log-probabilities, else the result is no divergence and has no lower end; give it "
        "`F.log_softmax(scores, dim)`"
    ),
    "log_target": (
        "is a kl_div whose target holds log-probabilities: without `log_target=True` it has to be "
        "probabilities, and their logarithm is taken once more (NaN); pass `log_target=True`"
    ),
}

# What is said of a loss after its name, by the kind of the pattern.
_SAID: dict[str, Callable[[dict[str, Any]], str]] = {
    "pairs_with_itself": lambda f: (
        f"is a cross-entropy over the similarities of {f['samples']} samples in which each is "
        "most like itself, and that is never the target: a wrong answer that nothing can push "
        "away, so that the loss stays high; leave the diagonal out before it "
        "(`sim.fill_diagonal_(float('-inf'))`)"
    ),
    "softmax_wrong_dim": lambda f: (
        f"reads the classes along dimension {f['read']} of {f['input']}, and the softmax before it "
        f"was taken over dimension {f['used']}: the values of one sample do not add up to 1; write "
        f"`dim={f['read']}`"
    ),
    "softmax_one_column": lambda f: (
        f"goes through weights {f['input']} whose softmax was taken over a dimension of one value: "
        "each weight is then 1, whatever the model says, and the sum with them is a plain sum; "
        f"write `dim={f['summed']}`, as they are added up"
        if "summed" in f
        else f"is computed from a softmax over one value {f['input']}: that is always 1, whatever "
        "the model says; for a yes or no use a sigmoid (BCEWithLogitsLoss), for classes as many "
        "outputs as classes"
    ),
    "relu_before_loss": lambda f: (
        f"is the {f['loss']} of what a {f['activation']} cut off: outputs below the limit have no "
        "gradient of their own; give the loss the values of the last layer as they are"
        + (" (BCEWithLogitsLoss)" if f["loss"].startswith("binary") else "")
    ),
    "bce_targets": lambda f: (
        f"is binary_cross_entropy_with_logits with targets {f['target']} from {f['smallest']:.3g} "
        f"to {f['largest']:.3g}: they have to be between 0 and 1, or it has no lower end; for "
        "labels of yes and no use 1 and 0, for numbers of any size a regression's loss (MSELoss)"
    ),
    "several_classes": lambda f: (
        f"is the cross-entropy with targets of up to {f['most']} ones in a row: its softmax lets "
        "the classes share one probability of 1; for labels that do not exclude each other use "
        "BCEWithLogitsLoss"
    ),
    "targets_out_of_reach": _out_of_reach,
    "attention_wrong_dim": lambda f: (
        f"goes through {'' if f.get('gate') else 'attention '}weights {f['weights']} whose softmax "
        f"was taken over dimension {f['used']}, while the product with the values adds up along "
        f"dimension {f['summed']}: the weights of one {'sample' if f.get('gate') else 'query'} do "
        f"not add up to 1; write `dim={f['summed'] - len(f['weights'])}`"
    ),
    "mean_of_normed": lambda f: (
        f"goes through the mean over the last dimension of what a LayerNorm gives {f['input']}: it "
        "has just brought each of these means to 0, so that next to nothing is left of the "
        "features; for a mean over the steps write "
        + ("`dim=1`" if len(f["input"]) == 3 else f"another dimension than {len(f['input']) - 1}")
    ),
    "softmax_over_samples": lambda f: (
        f"goes through a softmax of {f['input']} that was not told its dimension: of three "
        "dimensions PyTorch then takes the first, so that the values add up to 1 over the samples "
        "of the batch; write `dim=-1`"
    ),
    "target_not_detached": lambda f: (
        "compares a value with a target `reward + factor * value` that the same weights compute, "
        "and the gradient goes into the target too: both are moved towards each other; compute the "
        "target under `torch.no_grad()` (or `.detach()` it), best with a copy of the network"
    ),
    "normalised_wrong_dim": lambda f: (
        f"adds up the products of two {f['input']} along dimension "
        f"{f['summed'] + len(f['input'])}, and they were normalised along dimension "
        f"{f['used'] + len(f['input'])}: that gives no cosines, and each depends on other rows; "
        f"write `dim={f['summed']}` where they are normalised"
    ),
    "inputs_unscaled": lambda f: (
        f"comes from a first layer that got numbers up to {f['largest']:.3g} {f['input']}: "
        f"{f['at_ends']:.0%} of its units are at the ends of their range, where next to no "
        "gradient comes through, so that it hardly learns from them; bring each column to mean 0 "
        "and deviation 1 first, by the training data"
        if "at_ends" in f
        else f"comes from a first layer that got whole numbers up to {f['largest']:g} "
        f"{f['input']}, as pixels are stored: the gradients of its weights are as many times "
        "larger than with inputs about 1, so that most learning rates are too large for them; "
        "scale them first (`x.float() / 255`, or to mean 0 and deviation 1)"
    ),
    "targets_unscaled": lambda f: (
        f"compares outputs of about {f['output']:.2g} with targets of about {f['target']:.3g}, and "
        f"after {f['rounds']} rounds is still {f['left']:.0%} of what it was at first: steps of a "
        "usual size never get there; scale the targets (take their mean off, divide by their "
        "deviation), and what the model predicts back"
    ),
    "view_not_permute": lambda f: (
        f"is the cross-entropy of scores {f['input']} that a view made {f['rows']}: the classes "
        "are along dimension 1, and the values stay in the order in which they lie in memory, so "
        "that no row holds the scores of one place; turn the dimensions first: "
        f"`.permute({', '.join(map(str, f['order']))}).reshape(-1, {f['rows'][1]})`, or give "
        "cross-entropy the scores as they are, with targets of the same places"
    ),
    "weights_inverted": lambda f: (
        "is a cross-entropy that weighs a class the more, the more often it comes: class "
        f"{f['often']} ({f['counts'][1]} of the targets) weighs {f['weights'][1]:.3g}, class "
        f"{f['rare']} ({f['counts'][0]}) {f['weights'][0]:.3g}, so that the rare ones count even "
        "less; to balance them take the inverse (`1 / counts`; for `pos_weight` the number of "
        "negatives by that of positives)"
    ),
    "advantage_not_detached": lambda f: (
        "multiplies log-probabilities with an advantage that still has the graph of the value "
        "network: the policy's loss moves the values too, to make what was done look better; write "
        "`advantage.detach()` there"
    ),
    "class_ignored": lambda f: (
        f"is a cross-entropy with `ignore_index={f['ignored']}`, and class {f['ignored']} is "
        f"{f['share']:.0%} of the targets: these samples have no part in the loss, and the model "
        "never learns when to say this class; leave `ignore_index` out, if none of them is padding"
    ),
    "pixels_ignored": lambda f: (
        f"is a cross-entropy with `ignore_index={f['ignored']}`, and {f['share']:.0%} of the "
        f"targets are {f['ignored']}: they have no part in the loss, and the model never learns "
        f"when to say class {f['ignored']}; leave `ignore_index` out, unless {f['ignored']} "
        "stands for what has no class"
    ),
    "counted_from_one": lambda f: (
        f"is a cross-entropy in which none of {f['targets']} targets is class 0, and each class "
        f"from 1 to {f['last']} is: classes count from 0, so that one output stands for nothing; "
        f"subtract 1 from the labels and give the model {f['last']} outputs, unless class 0 is "
        "kept for something else (background, padding)"
    ),
    "blank_in_targets": lambda f: (
        f"is a ctc_loss whose targets hold {f['blank']}, the index of the blank: it stands for no "
        "symbol and cannot be a part of what is to be read; number the symbols from 1 on, and give "
        "the model one output more than there are symbols"
    ),
    "raw_scores_to_ctc": lambda f: (
        f"is a ctc_loss of values whose powers add up to {f['sum']:.3g} at a step: it expects "
        "log-probabilities, which add up to 1; give it `scores.log_softmax(-1)`"
    ),
    "mask_without_effect": lambda f: (
        "goes through a softmax with a mask that hides nothing: "
        + (
            "the value that masked_fill puts in is a score like others"
            if f["fills"]
            else "a score times 0 is 0, and a score like others"
        )
        + f", so that a masked place gets {f['share']:.0%} of the weight of one that is not; fill "
        'in minus infinity, `float("-inf")`, at the same places'
    ),
    "mask_of_queries": lambda f: (
        f"goes through a softmax of {f['weights']} whose mask fills whole rows: those are of the "
        "positions that look, so that a padded position looks at all alike, and every real one "
        "still looks at the padding; a mask of the positions that are looked at is [batch, 1, 1, "
        "length]: `mask.unsqueeze(1).unsqueeze(2)`"
    ),
    "weights_broadcast": lambda f: (
        f"multiplies {f['values']} values by a table {f['table']}, which is a column and a row "
        "taken together: each value is weighed with those of all others; bring the column and the "
        "row to one shape before they are added or subtracted (`values.squeeze(-1)`)"
    ),
    "kl_div_arguments": lambda f: _KL_DIV[f["given"]],
    "loss_arguments_swapped": lambda f: (
        "is a binary cross-entropy whose two arguments are swapped: the prediction stands where "
        "the target belongs, and it computes another loss; write `loss(prediction, target)`"
    ),
}


def _called(name: str) -> str:
    return f"`{name}`" if name else "the loss"
