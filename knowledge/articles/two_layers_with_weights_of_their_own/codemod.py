"""Give the second of two layers the weights of the first, where their outputs are to be equal."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop
from knowledge.repair.toolkit.keeps import asked, computed, layers, written
from knowledge.repair.toolkit.shapes import sizes, uses_loaded_weights
from knowledge.repair.toolkit.sites import assignment, variables

ERRORS, CODE = ("not_close",), r"assert_close\("
_TOLD = "the weights are those of the first", "the weights are made up"
_CONSTANT = r"\.(fill_|zero_|zeros_|ones_|constant_)"
KEEPS = (computed(), asked, layers, written("weights", *_TOLD, lacks=_CONSTANT))
_OF_WEIGHTS = ("in_channels", "out_channels", "kernel_size", "in_features", "out_features",
               "num_embeddings", "embedding_dim")  # fmt: skip
_WITH_WEIGHTS = re.compile(r"(^|\.)(Linear|Conv[123]d|ConvTranspose[123]d|Embedding)$")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Copy weight and bias right after the second layer is made."""
    node = program.node
    if not isinstance(node, cst.Call) or len(node.args) < 2 or uses_loaded_weights(program):
        return
    layers = [_layer(program, a.value) for a in node.args[:2]]
    first, second = layers
    if first is None or second is None or in_loop(program, node):
        return
    a, b = sorted((first, second), key=program.line)
    names = [program.text(x.targets[0].target) for x in (a, b)]
    if names[0] == names[1] or _copied(program, names):
        return
    reprs = [_sizes(program.text(x.value), result, program) for x in (a, b)]
    if reprs[0] is None or reprs[0] != reprs[1]:
        return
    statement = program.up(b, cst.SimpleStatementLine)
    kinds = [program.text(x.value.func) for x in (a, b) if isinstance(x.value, cst.Call)]
    if statement is None or len(statement.body) != 1:
        return
    has_bias = "bias=False" not in "".join(program.text(x.value) for x in (a, b)).replace(" ", "")
    view = "" if kinds[0] == kinds[1] else f".view_as({names[1]}.weight)"
    lines = [f"    {names[1]}.weight.copy_({names[0]}.weight{view})"]
    if has_bias and not any(kind.endswith("Embedding") for kind in kinds):
        lines.append(f"    {names[1]}.bias.copy_({names[0]}.bias)")
    block = cst.parse_statement("with torch.no_grad():\n" + "\n".join(lines) + "\n")
    told = "each layer draws weights of its own, so the second gets those of the first"
    yield program.edit(
        {statement: cst.FlattenSentinel([statement, block])}, told, at=b, subjects=tuple(names)
    )


def _layer(program: Failed, value: cst.BaseExpression) -> cst.Assign | None:
    """Where the one layer was made that a value came out of."""
    found: list[cst.Assign] = []
    for _ in range(4):
        for call in program.inside(value, cst.Call):
            if isinstance(call.func, cst.Name):
                made = assignment(program, call.func.value, call)
                layer = made.value if made is not None else None
                if (
                    made is not None
                    and isinstance(layer, cst.Call)
                    and _WITH_WEIGHTS.search(program.text(layer.func))
                ):
                    found.append(made)
        if found:
            return found[0] if len(found) == 1 else None
        names = program.inside(value, cst.Name)
        owners = [n for n in names if assignment(program, n.value, n) is not None]
        if len({n.value for n in owners}) != 1:
            return None
        before = assignment(program, owners[0].value, owners[0])
        assert before is not None
        value = before.value
    return None


def _sizes(made: str, result: JobResult, program: Failed) -> tuple[int, ...] | None:
    """The sizes that say how many weights there are: channels and kernel, ones left out."""
    known = variables(result)
    kind, _, text = made.partition("(")
    count = 3 if "Conv" in kind else 2  # arguments that may come without their names
    kept = []
    for place, part in enumerate(re.split(r",\s*(?![^(]*\))", text.strip()[:-1])):
        key = part.partition("=")[0].strip() if "=" in part else ""
        if key not in _OF_WEIGHTS if key else place >= count:
            continue
        for word in re.findall(r"[A-Za-z_]\w*|\d+", part.partition("=")[2] or part):
            facts = known.get(word)
            number = sizes(word) if word.isdigit() else sizes((facts and facts.repr) or "")
            if len(number) != 1:
                return None
            kept += [n for n in number if n != 1]
    return tuple(kept) or None


def _copied(program: Failed, names: list[str]) -> bool:
    """Whether the snippet shares weights already, in its own way."""
    pattern = rf"\b({names[0]}|{names[1]})\.(weight|bias|load_state_dict|state_dict|parameters)\b"
    return re.search(pattern, program.module.code) is not None
