"""Find steps of a sequence that are looked for along the batch, or behind its end."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, moved, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    bare,
    dotted,
    inside,
    is_read,
    is_true,
    last_along_one,
    loops,
    method_calls,
    methods_named,
    tail,
    walk,
    words,
)

_POSITIONS = re.compile(r"(?i)^(pe|pos\w*|positional\w*)$")


def positions_of_samples(tree: ast.Module) -> Found:
    """Positions by the first size of an input whose first dimension is the batch."""
    yield from _one_for_all(tree)
    batch_first = any(
        isinstance(n, ast.keyword) and n.arg == "batch_first" and is_true(n.value)
        for n in walk(tree)
    )
    if not batch_first or {"transpose", "permute", "swapaxes"} & words(tree):
        return
    for node in walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Attribute(attr=name) as table, slice=ast.Slice(lower=None, upper=upper)
            ) if _POSITIONS.match(name) and upper is not None:
                pass
            case _:
                continue
        match upper:
            case (
                ast.Call(func=ast.Attribute(attr="size", value=of), args=[ast.Constant(value=0)])
                | ast.Subscript(
                    value=ast.Attribute(attr="shape", value=of), slice=ast.Constant(value=0)
                )
            ):
                told = "each step has a position"
                ends = (
                    (table, "[:", of, ".size(1)].transpose(0, 1)"),
                    (table, "[:", of, ".size(1)]"),
                    (table, "[:, :", of, ".size(1)]"),
                )
                yield Told(
                    "positions_of_samples",
                    node,
                    f"`{ast.unparse(node)}` counts along dimension 0, and with `batch_first=True` "
                    "that is the batch: each sample gets one position for all of its steps; take "
                    "the positions along dimension 1",
                    tuple(way(told, put(node, *end)) for end in ends),
                )


def _one_for_all(tree: ast.Module) -> Found:
    """`self.pe[:, x.size(1)]` without a colon: one position, which all steps get."""
    for node in walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Attribute(attr=name),
                slice=ast.Tuple(elts=[ast.Slice(lower=None, upper=None), at]),
                ctx=ast.Load(),
            ) if _POSITIONS.match(name) and _is_size(at):
                yield Told(
                    "positions_of_samples",
                    node,
                    f"`{ast.unparse(node)}` is the one row behind the last step, which is then "
                    "added to all of them: no step can be told from another; write "
                    f"`:{ast.unparse(at)}`",
                    (way("each step has a position", put(at, ":", at)),),
                )


def _is_size(node: ast.expr) -> bool:
    """`x.size(1)`, `x.shape[1]`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0 | 1)]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0 | 1)):
            return True
    return False


def last_of_padded(tree: ast.Module) -> Found:
    """`out[:, -1]` of what pad_packed_sequence gives: padding, for all but the longest."""
    for scope in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
        below = inside(scope)
        padded: set[str] = set()
        for node in below:
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=ast.Call() as call
                ) if tail(call) == "pad_packed_sequence" and any(
                    k.arg == "batch_first" for k in call.keywords
                ):
                    padded.add(name)
        for node in below:
            name, _ = last_along_one(node)
            if name not in padded:
                continue
            yield (
                "last_of_padded",
                node,
                f"`{name}` is padded with zeros behind the end of each shorter sequence, so "
                "that its last step is a zero for all but the longest: the state at the end of "
                "each is the `h_n` that the layer returns (`h_n[-1]`)",
            )


def layers_as_rows(tree: ast.Module) -> Found:
    """`h.view(-1, hidden)` of the last state of a recurrent layer that may have several layers."""
    given = {n.arg for n in walk(tree) if isinstance(n, ast.keyword)}
    if not (words(tree) | given) & {"num_layers", "bidirectional"}:
        return
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        states: set[str] = set()
        for node in inside(function):
            match node:
                case ast.Assign(
                    targets=[
                        ast.Tuple(
                            elts=[_, ast.Tuple(elts=[ast.Name(id=name), _]) | ast.Name(id=name)]
                        )
                    ],
                    value=ast.Call(func=called),
                ) if re.search(r"(?i)lstm|gru|rnn", ast.unparse(called)[:80]):
                    states.add(name)
        for node in inside(function):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="view" | "reshape", value=ast.Name(id=name)),
                    args=[ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), _],
                ) if name in states:
                    yield (
                        "layers_as_rows",
                        node,
                        f"`{name}` is [layers and directions, batch, size], so with more than one "
                        "of the first this gives as many rows for each sample; the state of the "
                        f"last layer is `{name}[-1]`",
                    )


def lengths_unread(tree: ast.Module) -> Found:
    """A forward that is given the lengths of its sequences, and reads the last step of each."""
    for forward in methods_named(tree, "forward"):
        given = [a.arg for a in forward.args.args if _LENGTHS.fullmatch(a.arg)]
        if len(given) != 1 or is_read(given[0], forward):
            continue
        for node in walk(forward):
            name, rest = last_along_one(node)
            if name and all(ast.unparse(r) == ":" for r in rest):
                last = f"{name}[torch.arange(len({given[0]})), {given[0]} - 1]"
                yield Told(
                    "lengths_unread",
                    node,
                    f"`{given[0]}` is handed over and never read, and `{name}[:, -1]` is the last "
                    "step of the padded sequences: for all but the longest it has run through "
                    f"padding; take the last step of each: `{last}`",
                    (way("the last step that is no padding", put(node, last)),),
                )
                return


def unshifted(tree: ast.Module) -> Found:
    """A decoder that is given, unshifted, the very sequence that it is to say."""
    shifts = any(isinstance(n, ast.Slice) for n in walk(tree))
    if shifts or words(tree) & {"shift", "shift_right", "roll", "shift_tokens_right", "narrow"}:
        return
    fed: dict[str, tuple[ast.Call, str]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=answer)],
                value=ast.Call(func=called, args=[ast.Name(), ast.Name(id=target), *_]) as call,
            ) if _DECODED.fullmatch(target) and not LOSS_CALL.search(tail(called)):
                fed[answer] = call, target
    for node in walk(tree):
        if not (isinstance(node, ast.Call) and len(node.args) == 2):
            continue
        answer, target = (dotted(bare(a)) for a in node.args)
        if answer in fed and fed[answer][1] == target and LOSS_CALL.search(tail(node)):
            call = fed[answer][0]
            yield (
                "unshifted",
                call,
                f"`{target}` goes into the decoder and is its target too, without a shift: at each "
                "step it sees the token that it is to say (a causal mask leaves a position to "
                "itself), so the loss falls to 0 by copying, with or without a mask, and at "
                f"inference it repeats its last token. Unless the model shifts them itself: give "
                f"it `{target}` without the last step and compare with `{target}` without the "
                f"first (`{target}[:-1]` and `{target}[1:]`; with the batch first "
                f"`{target}[:, :-1]` and `{target}[:, 1:]`)",
            )
            return


_DECODED = re.compile(r"(?i)(?:trg|tgt|targets?|decoder_inputs?|dec_in\w*|\w+_(?:trg|tgt))")
_LENGTHS = re.compile(r"(?i)(\w+_)?(lengths?|lens?|seq_?lens?|n_tokens)")

BY_TEXT = (unshifted,)


def state_cut(tree: ast.Module) -> Found:
    """`h = h.detach()` at each step of a loop over the time: no gradient goes back through it."""
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        if method_calls(function, "backward") or method_calls(function, "step"):
            continue
        for loop in (n for n in loops(function) if isinstance(n, ast.For)):
            for cut in loop.body:
                names = _detached(cut)
                goes_on = [
                    s for s in loop.body
                    if isinstance(s, ast.Assign) and s is not cut and names & _bound_by(s)
                    and any(isinstance(c, ast.Call) and names & words(c) for c in walk(s.value))
                ]  # fmt: skip
                if not goes_on or not _is_of_time(loop, goes_on[0]):
                    continue
                name = min(names)
                yield Told(
                    "state_cut",
                    cut,
                    f"`{name}` is cut off at every step: what the step before learned of gets no "
                    "gradient, so that nothing is learned over more than one step; cut once for "
                    "each piece of a sequence, before this loop",
                    (moved("gradients go back through the steps", cut, by=loop),),
                )
                return


def _detached(statement: ast.stmt) -> set[str]:
    """The variables that a statement replaces by themselves, cut off."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=to)], value=ast.Tuple(elts=of)):
            pairs = [*zip(to, of, strict=False)]
        case ast.Assign(targets=[to_one], value=of_one):
            pairs = [(to_one, of_one)]
        case _:
            return set()
    found = {
        dotted(t) for t, v in pairs
        if isinstance(v, ast.Call) and isinstance(v.func, ast.Attribute) and tail(v) == "detach"
        and dotted(v.func.value) == dotted(t) != ""
    }  # fmt: skip
    return found if len(found) == len(pairs) else set()


def _bound_by(statement: ast.Assign) -> set[str]:
    return {dotted(n) for t in statement.targets for n in walk(t)} - {""}


def _is_of_time(loop: ast.For, step: ast.Assign) -> bool:
    """Whether the loop goes through steps of a sequence: `x[:, t]`, `x[t]`, or an unbound input."""
    at = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    return any(
        (isinstance(n, ast.Subscript) and at & words(n.slice)) or dotted(n) in at
        for n in walk(step.value)
    )


RULES = (lengths_unread, positions_of_samples, last_of_padded, layers_as_rows, state_cut)
