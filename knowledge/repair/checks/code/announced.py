"""What the code announces of a line is still what it does: `# detach it`, `x_detached = …`.

What a comment calls wrong (`# Incorrect: just stacking`) it does not announce.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from executor.errors import is_a
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.checks.code.called_wrong import calls_wrong
from knowledge.repair.toolkit.comments import about, commented
from knowledge.repair.toolkit.comparison import called, expressions, names, statements, text

# What a line may do → the calls that do it, and the words that announce it. Not transposing: which
# way a tensor has to lie is what the sizes of the run say.
_FEATURES = (
    ("detaches", {"detach", "detach_"}, r"detach"),
    ("records no gradients", {"no_grad", "inference_mode", "set_grad_enabled"},
     r"no_grad|inference_mode|(?:without|no|disabl\w+|prevent\w*|stop\w*|block\w*|avoid\w*)\s+"
     r"(?:\w+\s+){0,2}(?:gradients?|autograd)"),
    ("repeats", {"expand", "expand_as", "repeat", "tile", "broadcast_to", "repeat_interleave"},
     r"expand|repeat|tile|broadcast|replicat"),
    ("stacks", {"stack", "vstack", "hstack", "dstack", "row_stack"}, r"stack"),
    ("joins", {"cat", "concat", "concatenate"}, r"concat|\bcat\b"),
    ("makes a NumPy array", {"array", "asarray", "numpy"},
     r"(?:numpy|np)[ _](?:\w+[ _]){0,2}array"),
    ("copies", {"clone", "deepcopy", "copy"}, r"clon(?:e|ing)|deep ?copy"),
    ("gathers", {"gather", "index_select", "take_along_dim"}, r"gather|index_select"),
    ("scatters", {"scatter", "scatter_", "scatter_add", "scatter_add_"}, r"scatter"),
    ("pads", {"pad", "pad_sequence"}, r"\bpad(?:s|ded|ding)?\b|pad_sequence"),
    ("masks", {"masked_fill", "masked_fill_", "masked_select", "where"}, r"\bmask(?:s|ed|ing)?\b"),
    ("keeps the graph", {"retain_graph", "create_graph"}, r"retain_graph|create_graph"),
)  # fmt: skip
_MOST_BELOW = 3  # lines below a change, on which a label may speak of it
_SHORTEST = 4  # letters of a call that a label names
_IN_PLACE = re.compile(r"in[- _]?place", re.IGNORECASE)


@refusing("announced", "what the code announces is still done")
def check(change: Change) -> Said:
    """A change takes nothing away that a comment, a printed label or a name announces there."""
    found = change.compared
    if _is_no_name(change):  # what is announced does not exist under that name
        yield Passes("what the code announces was called wrongly")
    pairs: list[tuple[ast.stmt, Iterable[ast.stmt]]] = [(old, [new]) for old, new in found.changed]
    pairs += [(old, ()) for old in found.gone]
    for old, instead in pairs:
        now = [*instead, *found.come]
        said = "\n".join(_announced(old, change))
        for what, word in _lost(old, now):
            if what == "detaches" and _is_trained(change):
                continue
            if m := re.search(word, said, re.IGNORECASE):
                yield f"line {old.lineno} {what} no more, and the code announces “{m[0]}”"
    for old, new in found.changed:
        said = "\n".join(_announced(old, change))
        for keyword in _keywords_lost(old, new):
            if change.result.error is not None and f"'{keyword}'" in change.result.error.message:
                continue  # the error says that there is none of this name
            first = keyword.partition("_")[0]
            word = first if len(first) >= _SHORTEST else keyword
            if m := re.search(rf"\b{re.escape(word)}\w*", said, re.IGNORECASE):
                yield f"line {old.lineno} loses `{keyword}`, and the code announces “{m[0]}”"
    for new, call, label in _denied(change):
        yield f"line {new.lineno} calls `{call}`, and the code announces “{label}”"


def _keywords_lost(old: ast.stmt, new: ast.stmt) -> list[str]:
    """The keywords whose value is given under no other name now, nor by its place.

    Not those of a call that went as a whole, and for which no other came.
    """
    were, are = ({called(n) for n in expressions(s)} for s in (old, new))
    went = were - are if are <= were else set()
    had = {
        k.arg: text(k.value)
        for n in expressions(old)
        if isinstance(n, ast.Call) and called(n) not in went
        for k in n.keywords
        if k.arg
    }
    has = [n for n in expressions(new) if isinstance(n, ast.keyword) and n.arg not in had]
    kept = {n.arg for n in expressions(new) if isinstance(n, ast.keyword)}
    values = {text(n.value) for n in has} | (_by_place(new) - _by_place(old))
    return sorted(k for k, value in had.items() if k not in kept and value not in values)


def _by_place(statement: ast.stmt) -> set[str]:
    calls = [n for n in expressions(statement) if isinstance(n, ast.Call)]
    return {text(given) for call in calls for given in call.args}


def _denied(change: Change) -> Iterator[tuple[ast.stmt, str, str]]:
    """Calls that are new, where a comment or label right there says that there are none."""
    found = change.compared
    new_calls = [(new, _acts(new) - _acts(old)) for old, new in found.changed]
    new_calls += [(new, _acts(new)) for new in found.come]
    comments = commented(change.fixed)
    for new, calls in new_calls:
        near = [
            s for s in statements(found.new) if new.lineno <= s.lineno <= new.lineno + _MOST_BELOW
        ]
        said = [label for s in near for label in about(s, comments, change.fixed)]
        said += [t for s in near for t in _texts(s)]
        for call in sorted(c for c in calls if len(c) >= _SHORTEST):
            # As it is written in code: "without model parameters" speaks of no call.
            as_code = rf"`?{re.escape(call)}" + (r"\b" if "_" in call else r"(?:\(|`)")
            denied = rf"\b(?:no|without|not)\s+(?:\w+\s+)?(?:\w+\.)?{as_code}"
            for label in said:
                if m := re.search(denied, label, re.IGNORECASE):
                    yield new, call, m[0]


def _texts(statement: ast.stmt) -> Iterator[str]:
    for node in expressions(statement):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _is_no_name(change: Change) -> bool:
    error = change.result.error
    return error is not None and error.type in ("AttributeError", "ImportError", "NameError")


def _is_trained(change: Change) -> bool:
    """Whether an optimizer is to step behind a `backward()` that reached nothing for a detach."""
    error = change.result.error
    if error is None or error.demonstrated or not is_a(error, "no_graph"):
        return False
    return re.search(r"\.step\(\)", change.original) is not None


def _lost(old: ast.stmt, now: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """What a statement did that none of those in its place does: in words, and its announcement."""
    had, has = _acts(old), {a for s in now for a in _acts(s)}
    for what, calls, word in _FEATURES:
        if had & calls and not has & calls:
            yield what, word
    if _writes_in_place(old) and not any(_writes_in_place(s) for s in now):
        yield "writes in place", _IN_PLACE.pattern


def _acts(statement: ast.stmt) -> set[str]:
    """The functions, properties and keywords that a statement uses."""
    found: set[str] = set()
    for node in expressions(statement):
        found.add(called(node))
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword):
            found.add(node.arg or "")
    return found


def _writes_in_place(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.AugAssign):
        return True
    if isinstance(statement, ast.Assign) and any(
        isinstance(t, ast.Subscript) for t in statement.targets
    ):
        return True
    return any(
        (called(n).endswith("_") and not called(n).endswith("__"))
        or (isinstance(n, ast.keyword) and n.arg == "inplace" and text(n.value) == "True")
        for n in expressions(statement)
    )


def _announced(old: ast.stmt, change: Change) -> Iterator[str]:
    """Comments about a statement, the names that it makes, and the labels they are printed with."""
    said = about(old, commented(change.original), change.original)
    yield from (comment for comment in said if not calls_wrong(comment))
    made = {n for t in _targets(old) for n in names(t)}
    yield from made
    for statement in statements(change.compared.old):
        if statement is old or _prints_one_of(statement, made):
            yield from _texts(statement)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        return [statement.target]
    return []


def _prints_one_of(statement: ast.stmt, made: set[str]) -> bool:
    is_print = isinstance(statement, ast.Expr) and called(statement.value) == "print"
    return is_print and any(
        isinstance(n, ast.Name) and n.id in made for n in expressions(statement)
    )
