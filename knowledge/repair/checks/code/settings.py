"""A training's settings are the person's: batch size, learning rate, rounds, seed, dropout."""

import ast
import re
from collections.abc import Iterator

from executor.errors import is_a
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Replaced, called, same_code, text

_SETTINGS = re.compile(
    r"(?i)^(self\.|args\.|cfg\.|config\.)?(batch_?size|bs|lr|learning_?rate|momentum|weight_?decay"
    r"|betas|dropout|drop_?prob|(n|num|max)?_?(epochs?|iters?|iterations|steps)"
    r"|(random_?)?seed|shuffle|(n|num)_?(samples|batches|examples|points)|(train|val|test)_size"
    r"|gamma|temperature|patience|clip(_value)?|max_norm)$"
)
_RATE = re.compile(r"(?i)^(self\.|args\.|cfg\.|config\.)?(lr|learning_?rate)$")
# Where a call takes a setting by its place.
_PLACES = {"DataLoader": (1, 2), "Dropout": (0,), "Dropout2d": (0,), "manual_seed": (0,),
           "seed": (0,), "clip_grad_norm_": (1,)}  # fmt: skip
_EPOCHS = re.compile(r"(?i)epoch|iteration")
# What makes data of some size.
_DATA = frozenset({"randn", "rand", "randint", "normal", "linspace"})
_SIZE, _MADE_UP = "the size of the data", "made up for as many samples"
_OPTIMIZER = re.compile(r"^(SGD|Adam\w*|RMSprop|Adagrad|Adadelta|RAdam|NAdam|Rprop|ASGD|AdamW)$")


@refusing("settings", "every setting is as it was")
def check(change: Change) -> Iterator[str]:
    """No setting has another value than before."""
    error = change.result.error.message if change.result.error is not None else ""
    both = "loader_options_exclude_each_other"
    excluded = change.result.error is not None and is_a(change.result.error, both)
    ran_away = any(f.facts.get("ran_away") for f in change.result.findings)
    for part in change.compared.replaced:
        for what in _settings(part):
            if f"'{what}'" in error:
                continue  # the error says that there is none of this name
            if what == "shuffle" and excluded:
                continue  # the sampler beside it stays, and decides the order
            if _is_smaller_rate(what, part) and ran_away:
                continue  # the run shows that this is what has to change
            if what == _SIZE and _MADE_UP in change.said:
                continue  # the fix says so, and that it takes this for granted
            yield (
                f"line {part.line}: {what} was `{text(part.old)}` and is"
                f" `{text(part.new) or 'left out'}` now"
            )


def _is_smaller_rate(what: str, part: Replaced) -> bool:
    """Whether a learning rate is a smaller one now."""
    if not (_RATE.match(what) or _OPTIMIZER.match(what.removeprefix("what `").partition("`")[0])):
        return False
    values = [v.value for v in (part.old, part.new) if isinstance(v, ast.Constant)]
    old, new, *_ = (*(v for v in values if isinstance(v, (int, float))), 0, 0)
    return 0 < new < old


def _settings(part: Replaced) -> Iterator[str]:
    """The setting that a part of the change says, if it is one."""
    around = part.within[-1] if part.within else None
    if part.old is None or around is None or _is_converted(part):
        return
    if part.keyword:
        if part.keyword == "batch_size" and text(part.new) == "None":
            return  # the samples are batches already
        if _SETTINGS.match(part.keyword) and not _is_renamed(part):
            yield part.keyword
    elif isinstance(around, ast.Call):
        name = called(around)
        places = (1,) if _OPTIMIZER.match(name) else _PLACES.get(name, ())
        if any(i < len(around.args) and around.args[i] is part.old for i in places):
            yield f"what `{name}` is given"
    statement = part.within[0]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if len(targets) == 1 and _SETTINGS.match(text(targets[0])) and _is_number(part.old):
        yield text(targets[0])
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and _is_number(part.old):
        yield from _default(statement, part)
    is_data = any(called(n) in _DATA for n in part.within) and not _is_state(statement)
    if is_data and _is_number(part.old) and part.keyword in ("", "size", "low", "high"):
        yield _SIZE
    rounds = isinstance(statement, ast.For) and any(called(n) == "range" for n in part.within)
    if rounds and (_trains(statement) or _EPOCHS.search(text(getattr(statement, "target", None)))):
        yield "the number of rounds"


def _default(function: ast.FunctionDef | ast.AsyncFunctionDef, part: Replaced) -> Iterator[str]:
    """The parameter whose default value was changed."""
    parameters = [*function.args.posonlyargs, *function.args.args]
    with_default = parameters[len(parameters) - len(function.args.defaults) :]
    pairs = [
        *zip(with_default, function.args.defaults, strict=True),
        *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True),
    ]
    for parameter, default in pairs:
        if default is part.old and _SETTINGS.match(parameter.arg):
            yield parameter.arg


def _is_converted(part: Replaced) -> bool:
    """`int(batch_size)` for `batch_size`: the same setting, as another type."""
    new = part.new
    if not isinstance(new, ast.Call) or called(new) not in ("int", "float", "tuple", "list"):
        return False
    return any(same_code(given, part.old) for given in new.args)


def _is_state(statement: ast.AST) -> bool:
    """Whether a statement makes a layer's weight or first state: their sizes follow the layer's."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    made = " ".join(text(t) for t in targets)
    weights = any(called(n) == "Parameter" for n in ast.walk(statement))
    return weights or bool(
        re.search(r"self\.|state|hidden|weight|bias|mask|^\(?[hc]\w?\d*\b", made)
    )


def _is_renamed(part: Replaced) -> bool:
    """Whether the call says the same by another name now: `max_iter=300` for `n_iter=300`."""
    before, after = (getattr(p[-1], "keywords", []) for p in (part.within, part.within_new))
    known = {k.arg for k in before}
    return part.new is None and any(
        same_code(k.value, part.old) for k in after if k.arg not in known
    )


def _is_number(value: ast.expr) -> bool:
    return all(isinstance(n, (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop))
               for n in ast.walk(value))  # fmt: skip


def _trains(loop: ast.AST) -> bool:
    return any(called(n) in ("backward", "step") for n in ast.walk(loop))
