"""Find one thing that two parts of a program use as if each had its own."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, way
from executor.inside.remarks.followers import followed
from executor.inside.remarks.parts import HELD, TRAINING
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    bound,
    constant,
    dotted,
    functions,
    handed,
    inside,
    is_optimizer,
    loops,
    made_of,
    tail,
    walk,
    words,
)

_TRANSFORM = re.compile(r"(?i)_?(transforms?|augment(ation)?s?|aug|tfm?s?)")
_SEEDS = {"manual_seed", "seed", "seed_everything", "default_rng", "RandomState"}
_DRAWS = {
    "randn", "rand", "randint", "normal", "uniform", "random", "choice", "integers", "randperm",
    "standard_normal", "permutation", "shuffle",
}  # fmt: skip


def transform_shared(tree: ast.Module) -> Found:
    """`val_set.dataset.transform = …` of one part of a random_split: both have that data set."""
    parts = [
        {n.id for n in target.elts if isinstance(n, ast.Name)}
        for node in walk(tree)
        if isinstance(node, ast.Assign)
        and all(tail(made) == "random_split" for made in made_of(node.value, tree))
        for target in node.targets
        if isinstance(target, ast.Tuple)
    ]
    subsets: dict[str, set[str]] = {}
    for _, name, value in assigned(tree):
        if isinstance(value, ast.Call) and tail(value) == "Subset" and value.args:
            subsets.setdefault(ast.unparse(value.args[0]), set()).add(name)
    parts += [names for of, names in subsets.items() if "(" not in of]
    own = {name for _, name, _ in assigned(tree) if name.endswith(".dataset")}
    again = {n for loop in loops(tree) for n in inside(loop)}
    set_so: list[tuple[ast.Assign, ast.expr, str]] = []
    for node, name, value in assigned(tree):
        part, _, rest = name.partition(".")
        kind, _, attribute = rest.partition(".")
        if kind == "dataset" and _TRANSFORM.fullmatch(attribute):
            if node in again or f"{part}.dataset" in own:
                return  # switched for each phase, or a data set of its own
            set_so.append((node, value, part))
    if len({ast.unparse(value) for _, value, _ in set_so}) != len(set_so):
        return  # the same for both
    for node, _, part in set_so[-1:]:
        others = sorted({o for group in parts if part in group for o in group - {part, "_"}})
        if not others:
            continue
        copied = f"{part}.dataset = copy.copy({part}.dataset)"
        imported = "" if "copy" in bound(tree) else "import copy; "
        yield Told(
            "transform_shared",
            node,
            f"a split copies nothing: `{part}.dataset` is the very data set that "
            f"`{others[0]}` takes its samples from, so that this sets the transform of both; give "
            f"`{part}` a data set of its own first (`{copied}`)",
            (way("each part has its own transform", add=added(imported + copied, node)),),
        )


def same_draw(tree: ast.Module) -> Found:
    """Training and test data drawn by a function that seeds, with the same arguments."""
    own = {
        **functions(tree),
        **{c.name: m for c in walk(tree) if isinstance(c, ast.ClassDef) for m in c.body
           if isinstance(m, ast.FunctionDef) and m.name == "__init__"},
    }  # fmt: skip
    names_given = [name for _, name, _ in assigned(tree)]
    again = {n for n in names_given if names_given.count(n) > 1} | {
        dotted(n.target) for n in walk(tree) if isinstance(n, ast.AugAssign)
    }
    trained = {w for loop in loops(tree) if "backward" in words(loop) for w in words(loop)}
    drawn: dict[str, tuple[str, ast.Call]] = {}
    given = [(names, dotted(c.func), c) for names, value in _named(tree)
             for c in walk(value) if isinstance(c, ast.Call)]  # fmt: skip
    for names, name, call in given:
        function = own.get(name)
        if any(isinstance(n, ast.Name) and n.id in again for a in call.args for n in walk(a)):
            continue  # another value by now, perhaps
        if function is None or not _draws_alike(function):
            continue
        kind = "test" if any(map(HELD.search, names)) else ""
        kind = kind or ("train" if trained & {*names} or any(map(TRAINING.search, names)) else "")
        written = _with_numbers(call, function, tree)
        before = drawn.get(written)
        if kind and before is not None and before[0] != kind:
            yield (
                "same_draw",
                call,
                f"`{name}` seeds the random numbers anew at each call, so that this draws the very "
                f"samples of line {before[1].lineno} again: the test is one on what was trained "
                "on; seed once, outside of it, or draw all and split them",
            )
            return
        if kind:
            drawn.setdefault(written, (kind, call))


def _named(tree: ast.Module) -> list[tuple[list[str], ast.expr]]:
    """What variables, and keys of dictionaries, are given: their names, the value."""
    found = [
        ([n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)], node.value)
        for node in walk(tree) if isinstance(node, ast.Assign)
        and not isinstance(node.value, ast.Dict)
    ]  # fmt: skip
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            found += [([str(k.value)], v) for k, v in pairs if isinstance(k, ast.Constant)]
    return found


def _with_numbers(call: ast.Call, function: ast.FunctionDef, tree: ast.Module) -> str:
    """A call as it is written, with the numbers in the place of settings that hold one.

    How many samples are drawn, and what is done with them then, makes no others of them.
    """
    idle = {
        name for name, value in handed(call, function)
        if isinstance(constant(value, tree), ast.Constant) and _changes_no_draw(name, function)
    }  # fmt: skip
    given = [v for n, v in handed(call, function) if n not in idle]
    told = [v.value if isinstance(v := constant(g, tree), ast.Constant) else ast.unparse(g)
            for g in given]  # fmt: skip
    return f"{dotted(call.func)}({', '.join(map(str, told))})"


# What is drawn number after number: `torch.randn` draws fewer numbers in another order.
_IN_A_ROW = {"rand", "normal", "uniform", "random", "standard_normal"}


def _changes_no_draw(name: str, function: ast.FunctionDef) -> bool:
    """Whether an argument says only how many rows of the first draw there are."""
    asked: set[str] = set()
    for node in inside(function):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test):
                asked |= words(test)
            case ast.Compare():
                asked |= words(node)
            case ast.Subscript(slice=at):
                asked |= words(at)
            case ast.Call() if tail(node) in _SEEDS:
                asked |= words(node)
            case ast.Assign(value=value) if name in words(value):
                asked |= words(value) if not words(value) & _DRAWS else set()
    draws = [n for n in inside(function) if isinstance(n, ast.Call) and tail(n) in _DRAWS]
    first = min(draws, key=lambda n: (n.lineno, n.col_offset), default=None)
    if first is None or name in asked:
        return False
    sizes = [n for a in (*first.args, *(k.value for k in first.keywords)) for n in _sizes(a)]
    return bool(sizes) and dotted(sizes[0]) == name and tail(first) in _IN_A_ROW


def _sizes(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]


def _draws_alike(function: ast.FunctionDef) -> bool:
    """Whether it seeds and then draws: by a constant, or by what it is given."""
    given = {a.arg for a in function.args.args}
    seeds = [
        c for c in inside(function) if isinstance(c, ast.Call) and tail(c) in _SEEDS and c.args
    ]
    by = [c.args[0] for c in seeds]
    return (
        any(isinstance(a, ast.Constant) or dotted(a) in given for a in by)
        and bool(words(function) & _DRAWS)
        and not any(isinstance(a, ast.Call) for a in by)
    )


def one_network(tree: ast.Module) -> Found:
    """`target = net` beside what brings `target` up to date with `net`: one network, two names."""
    copied = {
        (f.follower, f.leader): f
        for f in followed(tree)
        if tail(f.by) not in ("parameters", "values", "items")  # the loop itself says so
    }
    for node, name, value in assigned(tree):
        pair = copied.get((name, dotted(value)))
        if pair is not None:
            other = dotted(value)
            yield (
                "one_network",
                node,
                f"after this line `{name}` and `{other}` are one network: what trains the one "
                f"trains the other, and line {pair.by.lineno} copies it onto itself; a second one "
                f"is `copy.deepcopy({other})`, and where that is made already, "
                f"`{name}.load_state_dict({other}.state_dict())` is enough",
            )


def groups_shared(tree: ast.Module) -> Found:
    """Two optimizers that are given the same dictionaries, with other settings."""
    for block in blocks(tree):
        given: dict[str, ast.Call] = {}
        made: dict[str, ast.List] = {}
        for statement in block:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() as groups):
                    made[name] = groups
                case ast.Assign(value=ast.Call(args=[ast.Name(id=name), *_]) as call) if (
                    name in made and is_optimizer(call) and _are_dicts(made[name])
                ):
                    first = given.setdefault(name, call)
                    keys = {ast.unparse(k) for d in made[name].elts for k in _keys(d)}
                    other = [k for k in call.keywords if _differs(k, first, keys)]
                    if first is call or not other:
                        continue
                    said = f"{other[0].arg}={ast.unparse(other[0].value)}"
                    yield (
                        "groups_shared",
                        call,
                        f"an optimizer writes its settings into the dictionaries that it is given: "
                        f"`{name}` has those of line {first.lineno} by now, and they count before "
                        f"`{said}` here; what one of the two changes later, the other has too. "
                        f"Make new dictionaries for each, by a function or as "
                        f"`[dict(g) for g in {name}]` before the first",
                    )
                    return


def _are_dicts(groups: ast.List) -> bool:
    return bool(groups.elts) and all(isinstance(e, ast.Dict) for e in groups.elts)


def _keys(group: ast.expr) -> list[ast.expr]:
    return [k for k in group.keys if k is not None] if isinstance(group, ast.Dict) else []


def _differs(setting: ast.keyword, first: ast.Call, keys: set[str]) -> bool:
    """Whether a setting is another one in the first optimizer, and no dictionary has its own."""
    if repr(setting.arg) in keys:
        return False
    said = {k.arg: ast.unparse(k.value) for k in first.keywords}
    return said.get(setting.arg) not in (None, ast.unparse(setting.value))


BY_TEXT = (groups_shared,)
RULES = (transform_shared, same_draw, one_network)
