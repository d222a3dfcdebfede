"""Ask once whether there is a GPU, and use what comes out wherever CUDA was asked for."""

import re
from itertools import pairwise

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.flow import is_free
from knowledge.repair.toolkit.imports import last_import
from knowledge.repair.toolkit.keeps import written

ERRORS = ("cuda_not_compiled", "gpu_missing")
_TOLD = "where there is a GPU it is used", "a GPU is used no more"
KEEPS = (written("guard", *_TOLD, has=r"is_available\(\)"),)
_CUDA = re.compile(r"""['"]cuda(?::0)?['"]""")
_ANOTHER_GPU = re.compile(r"""['"]cuda:[1-9]|\.cuda\(\s*[1-9]|DataParallel|\bnccl\b""")
_CUDA_TEXT = '"cuda"'


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """One device for all places; a line that sets it, where the snippet has none."""
    if _ANOTHER_GPU.search(program.module.code):
        return
    device = _own_device(program)
    new = "" if device else "device" if is_free(program, "device") else "cuda_or_cpu"
    moves = [c for c in program.all(cst.Call) if _is_move(c)]
    edits: Edits = {}
    places = len(moves)
    for text in program.all(cst.SimpleString):
        if not _CUDA.fullmatch(text.value) or _is_guarded(program, text):
            continue
        if _sets_a_device(program, text):
            edits[text] = cst.parse_expression(_guarded(text.value))
        elif _is_place(program, text):
            edits[text] = cst.Name(device or new)
            places += 1
    if not edits and not moves:
        return
    line: cst.BaseStatement | None = None
    if places and not device:
        last = last_import(program)
        if last is None:
            return
        line = cst.parse_statement(f"{new} = {_guarded(_CUDA_TEXT)}")
        assert isinstance(line, cst.SimpleStatementLine)
        edits[last] = cst.FlattenSentinel([last, line])
    module = program.replace(edits).visit(_Moves(device or new, line))
    yield Rewrite(
        module,
        'this torch has no CUDA: the device is "cuda" only where there is one, and else "cpu"',
        as_one=True,  # with one place left it would still ask for CUDA, or mix two devices
    )


class _Moves(cst.CSTTransformer):
    """`x.cuda()` becomes `x.to(device)`."""

    def __init__(self, device: str, inserted: cst.BaseStatement | None) -> None:
        super().__init__()
        self._device = device
        self._inserted = inserted

    def leave_Module(  # noqa: N802  (LibCST's name)
        self, original_node: cst.Module, updated_node: cst.Module
    ) -> cst.Module:
        """Put the blank lines below the imports above the line that now comes first."""
        body = list(updated_node.body)
        for n, (line, after) in enumerate(pairwise(body)):
            if original_node.body[n] is not self._inserted:
                continue
            if isinstance(after, cst.SimpleStatementLine) and all(
                empty.comment is None for empty in after.leading_lines
            ):
                body[n] = line.with_changes(leading_lines=after.leading_lines)
                body[n + 1] = after.with_changes(leading_lines=())
        return updated_node.with_changes(body=body)

    def leave_Call(  # noqa: N802  (LibCST's name)
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.Call:
        """Rename the call, and give it the device."""
        if not _is_move(original_node) or not isinstance(updated_node.func, cst.Attribute):
            return updated_node
        kept = [a for a in updated_node.args if a.keyword and a.keyword.value == "non_blocking"]
        return method(updated_node.func.value, "to", cst.Arg(cst.Name(self._device)), *kept)


def _guarded(cuda: str) -> str:
    return f'{cuda} if torch.cuda.is_available() else "cpu"'


def _own_device(program: Program) -> str:
    """The variable in which the snippet keeps its device, made outside of functions; or ""."""
    for statement in program.module.body:
        for part in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if not isinstance(part, cst.Assign) or len(part.targets) != 1:
                continue
            target, text = part.targets[0].target, program.text(part.value)
            made = "is_available()" in text or re.fullmatch(
                rf"(?:torch\.)?device\({_CUDA.pattern}\)|{_CUDA.pattern}", text
            )
            if isinstance(target, cst.Name) and made and "cuda" in text:
                return target.value
    return ""


def _is_move(call: cst.Call) -> bool:
    function = call.func
    return (
        isinstance(function, cst.Attribute)
        and function.attr.value == "cuda"
        and not (isinstance(function.value, cst.Name) and function.value.value == "torch")
    )


def _is_guarded(program: Program, text: cst.SimpleString) -> bool:
    around = program.up(text, cst.IfExp)
    return around is not None and "is_available" in program.text(around.test)


def _sets_a_device(program: Program, text: cst.SimpleString) -> bool:
    """Whether the text is what a variable is set to: `device = "cuda"`, `torch.device("cuda")`."""
    parent = program.parent(text)
    if isinstance(parent, cst.Assign):
        return True
    call = program.up(text, cst.Call)
    return call is not None and program.text(call.func) in ("torch.device", "device")


def _is_place(program: Program, text: cst.SimpleString) -> bool:
    """Whether the text is where something is moved to, or made."""
    argument = program.parent(text)
    if not isinstance(argument, cst.Arg):
        return False
    if argument.keyword is not None:
        return argument.keyword.value in ("device", "map_location")
    call = program.parent(argument)
    function = program.text(call.func) if isinstance(call, cst.Call) else ""
    return function.rpartition(".")[2] in ("to", "set_default_device")
