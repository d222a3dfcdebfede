"""Give a call one operand in the form that this very error asks for.

Which form that is the error's family says; on which operand, and by what name, the live values.
"""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, call, operand
from knowledge.repair.toolkit.flow import root
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import Operand, evaluates, operands, works
from knowledge.repair.toolkit.sites import assignment, given_to, scope_of, with_argument
from knowledge.repair.toolkit.statements import last_name

_NUMBER = (r", *(?:value ?= ?)?-?[\d.]+(?:e[+-]?\d+)?\)$", "")  # the one that had no room
_CHOSEN = (r"^.*\b(?:masked_fill_?|nan_to_num)\(.*$", "torch.where(")
KEEPS = (computed(allowed=("expand", "size", "["), instead=[_NUMBER, _CHOSEN]),)
_FRAMES = 2
_IN_VMAP, _DEVICE = "inplace_under_vmap", "device_unknown"
_WHOLE = (_IN_VMAP, _DEVICE, "conv_dimensions", "resize_dimensions", "pool_dimensions")
_GPU = re.compile(r"(?i)gpu(?::\d{1,2})?")
_SIZE = re.compile(r"[A-Za-z_][\w.]{0,60}\.(?:size\(-?\d\)|shape\[-?\d\])")
_FILLS = re.compile(r"(?:\w{1,20}\.)?(?:zeros|ones|full|rand|randn|tensor|IntTensor|LongTensor)\(")
_OF_COMPLEX = re.compile(r"(?:mse|l1|huber)\w{0,30}\" not [\w ]{1,30}'Complex")
_OF_PICTURES = ("conv2d", "interpolate", "max_pool2d", "avg_pool2d")
_MAKES = re.compile(r"(?:^|\.)(zeros|ones|empty|full)$")


class _Form(NamedTuple):
    text: str  # with {} for the operand
    told: str  # what becomes of it, with {} for its name
    supposes: bool = False


_Forms = Callable[[Failure, Place, Operand, list[Any]], Iterator[_Form]]


def applies(result: JobResult) -> bool:
    """The error is one of those whose form is known."""
    if result.error is None:
        return False
    seen = _OF_COMPLEX.search(result.error.message) or is_a(result.error, *_WHOLE)
    return bool(seen or _asked(result.error))


def _asked(error: Any) -> list[_Forms]:
    return [f for family, words, f in _FORMS
            if (not family or is_a(error, family)) and re.search(words, error.message)]  # fmt: skip


def edits(failure: Failure) -> Rewrites:
    """Each operand in each form with which the failing expression has a value."""
    yield from _made_of_a_sample(failure)
    yield from _device_there_is(failure)
    yield from _turned_sizes(failure)
    yield from _in_parts(failure)
    yield from _one_picture(failure)
    for place in failure.places[:_FRAMES]:
        found = list(_at(failure, place))
        yield from found
        if found:
            return  # further out the same operands have other names


def _at(failure: Failure, place: Place) -> Rewrites:
    given = operands(failure, place)
    for one in (*given, Operand(place.node, None, place.frame)):
        others = [o.value for o in given if o is not one]
        for forms in _asked(failure.error):
            for form in forms(failure, place, one, others):
                text = failure.text(operand(one.node))
                new = cst.parse_expression(form.text.format(text, text))
                told = form.told.format(f"`{failure.text(one.node)}`")
                if one.node is place.node or works(failure, place, one.node, new):
                    yield failure.edit({one.node: new}, told, supposes=form.supposes)


def _largest_there_is(
    failure: Failure, place: Place, one: Operand, others: list[Any]
) -> Iterator[_Form]:
    """`torch.finfo(scores.dtype).min` for -1e9, which half has no room for."""
    floats = [v for v in others if isinstance(v, torch.Tensor) and v.is_floating_point()]
    if type(one.value) not in (int, float) or not floats or not isinstance(place.node, cst.Call):
        return
    function, info = place.node.func, torch.finfo(floats[0].dtype)
    if isinstance(function, cst.Attribute) and abs(one.value) > info.max:
        owner, end = failure.text(function.value), "min" if one.value < 0 else "max"
        finfo = failure.name_of("torch", "finfo")
        told = f"{{}} is the {'lowest' if one.value < 0 else 'largest'} number of `{owner}`'s dtype"
        yield _Form(f"{finfo}({owner}.dtype).{end}", told)


def _complex(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """The two parts of a spectrum, side by side in its last dimension, or in two channels."""
    value = one.value
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dim() < 3:
        return
    told = "the two parts in {} are one complex number"
    if value.shape[-1] == 2:
        whole = "" if value.stride(-1) == 1 else ".contiguous()"
        yield _Form(f"{failure.name_of('torch', 'view_as_complex')}({{}}{whole})", told)
    if value.shape[-3] == 2:
        last = ".movedim(-3, -1).contiguous()"
        yield _Form(f"{failure.name_of('torch', 'view_as_complex')}({{}}{last})", told)


def _same_rows(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """A nested tensor with the very offsets of another one, whose rows are as long as its own."""
    given = [o for o in operands(failure, place) if getattr(o.value, "is_nested", False)]
    if len(given) != 2 or one.node is not given[1].node:
        return
    ends = [o.value.offsets() for o in given if o.value.layout is torch.jagged]
    if len(ends) == 2 and torch.equal(*ends):
        new = failure.name_of("torch.nested", "nested_tensor_from_jagged")
        text = f"{new}({{}}.values(), {failure.text(given[0].node)}.offsets())"
        yield _Form(
            text, f"{{}} has the offsets of `{failure.text(given[0].node)}`, which are equal"
        )


def _as_it_gave(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """`torch.view_as_real(torch.stft(…, return_complex=True))`, which `stft` gave before."""
    if one.node is place.node and isinstance(place.node, cst.Call):
        if not failure.text(place.node.func).endswith("stft"):
            return
        whole = with_argument(place.node, 99, "return_complex", cst.Name("True"))
        text = failure.module.code_for_node(whole).replace("{", "{{").replace("}", "}}")
        new = failure.name_of("torch", "view_as_real")
        yield _Form(f"{new}({text})", "the two parts of the spectrum stay side by side, as before")


def _of_its_class(
    failure: Failure, place: Place, one: Operand, others: list[Any]
) -> Iterator[_Form]:
    """`alpha[labels] * losses` for `alpha * losses`: a weight for each class, losses by sample."""
    rows = [v for v in others if isinstance(v, torch.Tensor) and v.dim() == 1]
    weights = one.value
    if not isinstance(weights, torch.Tensor) or weights.dim() != 1 or len(rows) != 1:
        return
    for name, held in failure.live.names[place.frame].items():
        is_label = isinstance(held, torch.Tensor) and held.dtype == torch.int64
        if (
            is_label
            and held.shape == rows[0].shape
            and 0 <= held.min() <= held.max() < len(weights)
        ):
            yield _Form(f"{{}}[{name}]", f"each sample has the one of {{}} of its class, `{name}`")


def _where(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """`torch.where(mask, values, x)` for `x.masked_fill(mask, values)` of several values."""
    node = place.node
    if one.node is not node or not isinstance(node, cst.Call):
        return
    texts = [failure.text(a.value) for a in node.args]
    if isinstance(node.func, cst.Attribute) and failure.text(node.func.value) != "torch":
        texts.insert(0, failure.text(node.func.value))
    name, where = last_name(failure, node.func), failure.name_of("torch", "where")
    if name == "nan_to_num" and len(texts) == 2:
        texts.insert(1, f"{failure.name_of('torch', 'isnan')}({texts[0]})")
    if name not in ("nan_to_num", "masked_fill") or len(texts) != 3:
        return
    new = f"{where}({texts[1]}, {texts[2]}, {texts[0]})"
    if evaluates(failure, place, cst.parse_expression(new)):
        yield _Form(new.replace("{", "{{").replace("}", "}}"), f"each gets its own of `{texts[2]}`")


def _for_each(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """The one length that is given, for each sequence of the batch."""
    if not isinstance(one.value, torch.Tensor) or tuple(one.value.shape) != (1,):
        return
    for other in operands(failure, place):
        value = other.value
        if isinstance(value, torch.Tensor) and value.dim() == 1 and len(value) > 1:
            name = failure.text(other.node)
            yield _Form(f"{{}}.expand_as({name})", "each sequence of the batch has the length {}")


def _in_steps(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """`widths // 4`: the lengths of what came in, for a network that makes one step of four."""
    said = read(failure.error, "ctc_steps")
    lengths = one.value
    if said is None or not isinstance(lengths, torch.Tensor) or lengths.dim() != 1:
        return
    most, got = said.numbers("steps", "told")
    alive = [v for names in failure.live.names for v in names.values()]
    came_in = any(isinstance(v, torch.Tensor) and got in v.shape for v in alive)
    if not most or got % most or not came_in or lengths.max() != got:
        return
    told = f"each step of the network is {got // most} of what {{}} counts"
    yield _Form(f"{{}} // {got // most}", told, True)


def _turned(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """`tuple(one.t() for one in spectra)`: `pad_sequence` fills up the first dimension of each.

    Not against what counts the other one; and lengths that cut off what they do not count, as they
    do where it is packed, have to be these.
    """
    function = failure.text(place.node.func) if isinstance(place.node, cst.Call) else ""
    pads = function.endswith("pad_sequence") and isinstance(one.value, (list, tuple))
    rows = one.value if pads else ()
    sizes = [tuple(r.shape) for r in rows if isinstance(r, torch.Tensor) and r.dim() == 2]
    alike, lengths = ([size[n] for size in sizes] for n in (0, 1))
    if len(sizes) != len(rows) or not len({*alike}) == 1 < len({*lengths}):
        return
    known = list(_counts(failure, place, failure.text(one.node)))
    packs = "pack_padded_sequence(" in failure.module.code
    if alike not in known and (lengths in known or not packs):
        told = "the lengths of {}, which differ, come first"
        yield _Form("tuple(one.t() for one in {})", told, True)


def _counts(failure: Failure, place: Place, rows: str) -> Iterator[list[Any]]:
    """The rows of numbers that are alive, written out, or computed of each of some rows."""
    alive = [v for names in failure.live.names for v in names.values()]
    each = [n for n in failure.all(cst.ListComp) if failure.text(n.for_in.iter) == rows]
    alive += [failure.value(n, place.frame) for n in (*each, *failure.all(cst.List))]
    for value in alive:
        counted = value.tolist() if isinstance(value, torch.Tensor) and value.dim() == 1 else value
        if isinstance(counted, (list, tuple)) and all(type(n) is int for n in counted):
            yield list(counted)


def _firm(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """A matrix that rounding, or few samples, left without full rank: something on its diagonal."""
    value = one.value
    if not isinstance(value, torch.Tensor) or value.dim() != 2 or not value.is_floating_point():
        return
    matrix = value.detach()
    if not torch.isfinite(matrix).all() or not torch.allclose(matrix, matrix.mT, atol=1e-6):
        return
    roots = torch.linalg.eigvalsh(matrix.double())
    noise = float(len(matrix) * torch.finfo(value.dtype).eps * roots[-1])
    if roots[-1] <= 0 or roots[0] < -max(10 * noise, 1e-4 * float(roots[-1])):
        return  # it is none by its numbers
    least = 10.0 ** math.ceil(math.log10(max(noise, -10 * float(roots[0]))))
    text = f"{{}} + {least:g} * {failure.name_of('torch', 'eye')}(len({{}}))"
    yield _Form(text, f"{{}} has an eigenvalue of 0 but for rounding: {least:g} is added", True)


def _greys(failure: Failure, place: Place, one: Operand, others: list[Any]) -> Iterator[_Form]:
    """Shares from 0 to 1 for what is 0 or 1: cut in the middle, or drawn by them."""
    if not isinstance(one.value, torch.Tensor) or not one.value.is_floating_point():
        return
    if bool(((one.value >= 0) & (one.value <= 1)).all()):
        yield _Form("({} > 0.5).float()", "each of {} counts as 0 or 1, whichever is nearer", True)
        yield _Form("{}.bernoulli()", "0 or 1 is drawn for each of {}, by its value", True)


def _for_the_batch(
    failure: Failure, place: Place, one: Operand, others: list[Any]
) -> Iterator[_Form]:
    """`queries.expand(-1, x.size(0), -1)`: a weight that is there once, for each of the batch."""
    value, made = one.value, one.node
    while isinstance(made, cst.Call) and isinstance(made.func, cst.Attribute):
        made = made.func.value
    weight = failure.value(made, place.frame)
    if not isinstance(value, torch.Tensor) or not isinstance(weight, torch.Tensor):
        return
    if weight.is_leaf and weight.requires_grad:  # or of one sample, and not meant for the others
        yield from _for_the_partner(failure, place, one, others)


def _for_the_partner(
    failure: Failure, place: Place, one: Operand, others: list[Any]
) -> Iterator[_Form]:
    """The same for a grid or a matrix that is there once, in a call that does not broadcast."""
    dim = one.value.dim() if isinstance(one.value, torch.Tensor) else 0
    shapes = [v.shape for v in others if isinstance(v, torch.Tensor) and v.dim() == dim]
    for d in range(min(2, dim)):
        sizes = {shape[d] for shape in shapes} - {1}
        if one.value.shape[d] != 1 or len(sizes) != 1:
            continue
        counted = _counted(failure, place, sizes.pop(), d)
        kept = ", ".join(counted if n == d else "-1" for n in range(dim))
        if counted:
            yield _Form(f"{{}}.expand({kept})", "{} is the same for each sample of the batch", True)


def _counted(failure: Failure, place: Place, size: int, dim: int) -> str:
    """`x.size(0)` for the size of a batch: of what a function was given, or of an operand."""
    function = failure.up(place.node, cst.FunctionDef)
    names = [p.name.value for p in function.params.params] if function is not None else []
    held = failure.live.names[place.frame]
    found = (n for n in names if isinstance(held.get(n), torch.Tensor) and held[n].dim())
    whole = (failure.text(o.node) for o in operands(failure, place) if isinstance(o.node, cst.Name)
             and getattr(o.value, "shape", ())[dim : dim + 1] == (size,))  # fmt: skip
    counted = [f"{n}.size(0)" for n in found if held[n].shape[0] == size]
    return next(iter((*counted, *(f"{n}.size({dim})" for n in whole))), "")


def _in_parts(failure: Failure) -> Rewrites:
    """`loss(torch.view_as_real(out), torch.view_as_real(y))` for a loss of complex numbers."""
    for place in failure.places[:1] if _OF_COMPLEX.search(failure.error.message) else ():
        given = [o for o in operands(failure, place) if isinstance(o.value, torch.Tensor)]
        if len(given) == 2 and all(o.value.is_complex() for o in given):
            real = failure.name_of("torch", "view_as_real")
            new: Edits = {o.node: call(real, cst.Arg(o.node)) for o in given}
            told = "the loss is that of the real and the imaginary parts, as numbers"
            yield failure.edit(new, told, as_one=True, supposes=True)


def _one_picture(failure: Failure) -> Rewrites:
    """`F.conv2d(x[None, None], kernel[None, None])[0, 0]` of a picture without its channels."""
    for place in failure.places[:1]:
        node, given = place.node, operands(failure, place)
        flat = [o for o in given if isinstance(o.value, torch.Tensor) and o.value.dim() == 2]
        if not isinstance(node, cst.Call) or last_name(failure, node.func) not in _OF_PICTURES:
            continue
        wide = {o.node: cst.parse_expression(f"{failure.text(operand(o.node))}[None, None]")
                for o in flat}  # fmt: skip
        args = [a.with_changes(value=wide.get(a.value, a.value)) for a in node.args]
        text = failure.module.code_for_node(node.with_changes(args=args))
        if flat and len(getattr(failure.tried(text, place.frame), "shape", ())) == 4:
            told = "one picture with one channel goes through, and is taken out again"
            yield failure.edit({node: cst.parse_expression(f"{text}[0, 0]")}, told)


def _turned_sizes(failure: Failure) -> Rewrites:
    """`torch.full((x.size(1),), x.size(0))`: two sizes of one tensor, each in the other's place."""
    for place in failure.places[:1]:
        for one in operands(failure, place):
            made = given_to(failure, one.node)
            text = failure.text(made.value) if made is not None else ""
            sizes = list(dict.fromkeys(m[0] for m in _SIZE.finditer(text)))
            owners = {size.rpartition(".")[0] for size in sizes}
            if made is None or len(sizes) != 2 or len(owners) > 1 or not _FILLS.match(text):
                continue
            turned = _SIZE.sub(lambda m, s=sizes: s[1 - s.index(m[0])], text)  # type: ignore[misc]
            new = cst.parse_expression(turned)
            if works(failure, place, one.node, new):
                told = f"`{sizes[0]}` and `{sizes[1]}` change places"
                yield failure.edit({made.value: new}, told, at=made)


def _device_there_is(failure: Failure) -> Rewrites:
    """`"cuda" if torch.cuda.is_available() else "cpu"` for `"gpu"`."""
    if not is_a(failure.error, _DEVICE):
        return
    written = [s for s in failure.all(cst.SimpleString) if _GPU.fullmatch(s.raw_value)]
    if len(written) == 1:
        asked = failure.name_of("torch.cuda", "is_available")
        new = cst.parse_expression(f'"cuda" if {asked}() else "cpu"')
        told = f"the device is called `cuda`, and not `{written[0].raw_value}`"
        yield failure.edit({written[0]: new}, told, cost=COST.SAID)


def _made_of_a_sample(failure: Failure) -> Rewrites:
    """`x.new_zeros(n)` for `torch.zeros(n)`, into which `vmap` writes what differs by sample."""
    statement = failure.statement
    if not is_a(failure.error, _IN_VMAP) or statement is None:
        return
    target = getattr(statement.body[0], "target", None) or getattr(
        next(iter(getattr(statement.body[0], "targets", ())), None), "target", None
    )
    if isinstance(target, cst.Tuple):
        target = target.elements[0].value
    name = root(target) if target is not None else None
    made = assignment(failure, name.value, statement) if isinstance(name, cst.Name) else None
    function = scope_of(failure, statement)
    maker = made.value if made is not None else None
    if not isinstance(maker, cst.Call) or not isinstance(function, cst.FunctionDef):
        return
    kind = _MAKES.search(failure.text(maker.func))
    cost = COST.SURE
    for param in [p.name for p in function.params.params] if kind is not None else ():
        if kind is not None and isinstance(failure.value(param), torch.Tensor):
            func = cst.parse_expression(f"{param.value}.new_{kind[1]}")
            told = f"it is made for each sample by itself, as `{param.value}` is"
            yield failure.edit({maker.func: func}, told, cost=cost)
            cost = COST.LIKELY  # no more than where the first is none that vmap splits


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Of complex numbers no part is left out."""
    said = before.error is not None and _OF_COMPLEX.search(before.error.message)
    kept = not said or "view_as_real(" in proposal.code
    return [Check.of("both parts", kept, "both parts count", "a part of the numbers is left out")]


_FORMS: tuple[tuple[str, str, _Forms], ...] = (
    ("value_overflow", "", _largest_there_is),
    ("istft_of_real_numbers", "", _complex),
    ("", r"\Acannot call binary pointwise .*\bj\d", _same_rows),
    ("stft_wants_return_complex", "", _as_it_gave),
    ("", "lengths must be of size batch_size", _for_each),
    ("distribution_value", r"support \(Boolean\(\)\)", _greys),
    ("ctc_steps", "", _in_steps),
    ("broadcast_sizes", "must match", _turned),
    ("broadcast_sizes", "must match", _of_its_class),
    ("", "only supports a 0-dimensional value|'nan' must be float, not Tensor", _where),
    ("matrix_kind", "positive-definite", _firm),
    ("distribution_parameter", "PositiveDefinite", _firm),
    ("cat_sizes", "", _for_the_batch),
    ("attention", "batch number", _for_the_batch),
    ("", r"same batch size, but got input|batch dimensions do not match", _for_the_partner),
    ("bmm_sizes", "", _for_the_partner),
)
