"""Uses of autograd that cannot work."""

import re
from collections.abc import Mapping

from executor.errors.around import IN_TURNS
from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect
from executor.errors.several_outputs import GIVES_TWO, TWO_OUTPUTS

# Derivatives of derivatives.
_SECOND = (
    r"\b(?:second|2nd|higher|third)[ -](?:order )?(?:derivative|gradient|order)s?\b"
    r"|\bhessian|laplac|gradient penalty"
    r"|autograd\.grad\([^\n]{0,80}(?:first|grad|dy|d?u_?x|u_t)\w*\s*,"
)
# That it came up after steps that went well.
_WENT_WELL = (
    r"\b(?:after|at|until) (?:the )?(?:about |around |epoch |step |iteration )?"
    r"(?:[2-9]|\d{2,})(?:st|nd|rd|th)? ?(?:epochs?|iterations?|iters?|steps?|batches)\b"
    r"|\bafter (?:some|a few|several) (?:epochs|iterations|steps|batches)\b"
)
# That a person has put a `detach` in: not that it was left out, nor asked about.
_CUT_HERE = (
    r"\b(?:add(?:ed)?|put|alter(?:ed)?|chang(?:e|ed|ing)|insert(?:ed)?|call(?:ed)?)\b"
    r"[^?!\n]{0,60}\bdetach\("
)
# A decorator that records nothing is named, and not as one that was taken off.
_DECORATES = (
    r"(?is)\A(?!.{0,20000}?\b(?:remov|delet|comment|without|took)\w*[^?!\n]{0,60}"
    r"(?:inference_mode|no_grad)).{0,20000}?@(?:torch\.)?(?:inference_mode|no_grad)\b"
)
# Gradient checkpointing, whose older kind records nothing of inputs without a gradient.
_CHECKPOINTED = (
    r"\bgradient[ _]checkpointing(?!\w* ?= ?False)|\buse_reentrant\b|\butils\.checkpoint\b"
)
_FREEZES = r"\brequires_grad(?:_\(| ?= ?)False|\bfr(?:ee|o)z(?:e|en|ing)\b"
# The function that `@torch.no_grad()` makes; an optimizer's own step is one too.
_DECORATED = r"(?s)^(?!.*\b(?:sgd|\w*adam\w*|lbfgs|optimizer)\.py ).*\bdecorate_context\b"
_EVALUATES = r"\b(?:validation|test|predict)_step\b"
_NOT_BACKWARD = r"(?s)^(?!.*\.backward\()"
_TAKES_GRAD = (
    {"line": r"autograd\.grad\("},
    {"code": rf"{_NOT_BACKWARD}(?=.*autograd\.grad\()"},
)
# PyTorch's own operations end in a number, a class of somebody's does not.
_BUILT_IN = r"\w+Backward\d+|CompiledFunction"
_STATE = r"\b(?:LSTM|GRU|RNN)\b|\bhidden[ _]?state|\bh_?state\b"


def _metadata(seen: SeenError, message: str) -> Mapping[str, str]:
    """In what the first of the tensors that a checkpoint computed again differs from before."""
    pattern = r"'shape': torch\.Size\(([^)\n]{0,80})\), 'dtype': torch\.(\w{1,20})"
    found = re.findall(pattern, message)
    if len(found) < 2 or len(found) % 2:
        return {}
    (shape, dtype), (again, dtype_again) = found[:2]
    if shape == again and dtype != dtype_again:
        return {"first_dtype": dtype, "second_dtype": dtype_again}
    return {"emptied": shape} if again == "[0]" != shape else {}


FAMILIES = (
    ErrorFamily(
        id="no_graph",
        says="backward or grad starts at a tensor that was computed without a graph.",
        means=(
            *(
                Sentence(
                    "A derivative is taken of a value without a graph; what `torch.autograd.grad` "
                    "returns has one only where it was called with `create_graph=True`",
                    {where: _SECOND},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "backward() was called on a value without a graph, and you put in a `detach`, "
                "which cuts what it is called on from the graph",
                {"words": _CUT_HERE},
            ),
            Sentence(
                "backward() was called on a value without a graph: under `@torch.inference_mode()` "
                "or `@torch.no_grad()` nothing is recorded, whatever `requires_grad` and `train()` "
                "say",
                {"words": _DECORATES},
            ),
            *(
                Sentence(
                    "backward() was called on a value without a graph. The older kind of gradient "
                    "checkpointing (`use_reentrant=True`) records nothing of a part whose inputs "
                    "require no gradient, even if its weights do: so it is where the embeddings "
                    "are frozen, as with LoRA",
                    {where: _CHECKPOINTED},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "backward() was called on a value without a graph, in a step of Lightning's "
                "evaluation, which runs without gradients",
                {"frames": _EVALUATES},
            ),
            Sentence(
                "backward() was called on a value without a graph, inside a function under a "
                "decorator that switches gradients (`decorate_context` in the traceback), such as "
                "`@torch.no_grad()`",
                {"frames": _DECORATED},
            ),
            Sentence(
                "backward() was called on a value without a graph, after steps in which it had one "
                "| a branch that is taken only now: `requires_grad = False` or no_grad by the "
                "epoch, gradients left switched off behind an evaluation, or a batch for which the "
                "loss is made of nothing (a mask or selection that is empty, a constant in its "
                "place)",
                {"words": _WENT_WELL},
            ),
            (
                "backward() was called on a value without a graph | nothing it was computed from "
                "requires grad, or the graph was cut on the way (no_grad, detach, "
                ".item(), numpy, argmax or a comparison, a new tensor made from values)"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Keep the graph of every derivative but the last: `first = "
                    "torch.autograd.grad(y.sum(), x, create_graph=True)[0]`, then "
                    "`torch.autograd.grad(first.sum(), x)`, with `x.requires_grad_(True)` before "
                    "the forward pass. If it is there already, the function may be linear in x: "
                    "its derivative is a constant, and the second one is 0",
                    {where: _SECOND},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "If the loss is computed from what is detached, leave the `detach` out there; it "
                "belongs where a value is only printed, kept or turned into numbers. Where it was "
                "put in to mend shapes, `squeeze(1)` or `view` alone does that and keeps the "
                "graph. Making the loss require a gradient only hides the error: then nothing is "
                "trained",
                {"words": _CUT_HERE},
            ),
            Sentence(
                "Take that line off the function that training calls, and put it above the one "
                "that only generates or evaluates. What was written for generating alone may also "
                "keep values from call to call (a cache of keys and values): training has to leave "
                "those out",
                {"words": _DECORATES},
            ),
            *(
                Sentence(
                    "If a checkpointed part gets frozen inputs: "
                    "`model.enable_input_require_grads()` of transformers, or the newer kind, "
                    "`checkpoint(…, use_reentrant=False)` (in a Trainer's arguments "
                    "`gradient_checkpointing_kwargs={{'use_reentrant': False}}`). If not, see "
                    "whether anything is to be trained: `[n for n, p in "
                    "model.named_parameters() if p.requires_grad]`",
                    {where: _CHECKPOINTED},
                )
                for where in ("words", "code")
            ),
            Sentence(
                "Put what is differentiated under `with torch.enable_grad():`, and give "
                "`Trainer(inference_mode=False)`: what is made in inference mode takes no gradient "
                "at all",
                {"frames": _EVALUATES},
            ),
            Sentence(
                "If it is `@torch.no_grad()` or inference_mode, take it away from what is "
                "differentiated, or put that part under `with torch.enable_grad():` (in "
                "inference_mode the tensors have to be made outside of it)",
                {"frames": _DECORATED},
            ),
            Sentence(
                "Print `loss.requires_grad` and `torch.is_grad_enabled()` in each step, and at the "
                "first False look at what that step does otherwise: its branch, the sizes of what "
                "it selects, how many parameters require a gradient. `loss.requires_grad_(True)` "
                "only hides it: then nothing is trained",
                {"words": _WENT_WELL},
            ),
            *(
                Sentence(
                    "Print `[n for n, p in model.named_parameters() if p.requires_grad]` right "
                    "before the forward pass. If it is empty, all is frozen: a layer that is put "
                    "in before the others are frozen is frozen with them, one that comes after is "
                    "not. If it is not, the graph ends on the way: print `x.requires_grad` after "
                    "each step up to the loss, and look at the first False",
                    {where: _FREEZES},
                )
                for where in ("code", "words")
            ),
            (
                "Find where the graph ends: print `x.requires_grad` after each step from "
                "the model's output to the loss; the first False is the place. Check also "
                "that not all parameters are frozen: `[n for n, p in "
                "model.named_parameters() if p.requires_grad]`. "
                "`loss.requires_grad_(True)` or `Variable(loss, requires_grad=True)` only "
                "hides the error: then nothing is trained"
            ),
        ),
        suspects=(
            Suspect(
                r"detach|detach_|numpy|argmax|no_grad|inference_mode|tolist|set_grad_enabled",
                "cuts the graph",
            ),
            Suspect(r"data", "cuts the graph", kinds=("read",)),
            Suspect(r"requires_grad", "freezes", {0: "False"}, kinds=("attribute",)),
            Suspect(
                r"tensor|Tensor|FloatTensor|from_numpy|Variable",
                "makes a new tensor without a history",
            ),
        ),
        types=("RuntimeError",),
        today=(
            r"element (?P<element>\d+) of (?:tensors|variables) does not require grad and does not "
            r"have a grad_fn",
            r"does not require grad and does not have a grad_fn",
        ),
        older=(
            r"element \d+ of (?:tensors|variables) does not require grad",
            r"there are no graph nodes that require computing gradients",
        ),
        values={"element": "its number among the tensors given, from 0"},
        sample="torch.ones(3).sum().backward()",
        examples=(
            "RuntimeError: element 0 of tensors does not require grad",
            "RuntimeError: element 0 of variables does not require grad and does not have a "
            "grad_fn",
            "RuntimeError: there are no graph nodes that require computing gradients",
        ),
    ),
    ErrorFamily(
        id="input_without_grad",
        says="A gradient is asked for a tensor that does not require one.",
        means=("A gradient is asked for a tensor that does not require one",),
        remedy=(
            "Print `x.requires_grad` of each. If it is an input: `x.requires_grad_(True)` before "
            "the forward pass that uses it; if it is a parameter, it is frozen: leave it out, `[p "
            "for p in model.parameters() if p.requires_grad]`; if it is computed, something before "
            "it cut the graph (detach, no_grad, numpy, a new tensor made from values)",
        ),
        suspects=(Suspect(r"grad"),),
        types=("RuntimeError",),
        today=(r"One of the differentiated (?:Tensors|Variables) does not require grad",),
        sample=(
            "x = torch.ones(3, requires_grad=True)\ntorch.autograd.grad(x.sum(), torch.ones(3))"
        ),
    ),
    ErrorFamily(
        id="recomputed_differs",
        says="A checkpointed part of the model computes something else when it runs again.",
        derive=_metadata,
        means=(
            Sentence(
                "torch.utils.checkpoint ran a part of forward a second time, and a tensor that was "
                "{first_dtype} the first time was {second_dtype} then | autocast was on in one of "
                "the two, or the weights were cast in between",
                {"first_dtype": r".+"},
            ),
            Sentence(
                "torch.utils.checkpoint ran a part of forward a second time, and a tensor of shape "
                "{emptied} was empty then | a weight of which each process holds its part (FSDP, "
                "ZeRO-3 of DeepSpeed), and which was given back before the part ran again",
                {"emptied": r".+"},
            ),
            "torch.utils.checkpoint ran a part of forward a second time, and it computed other "
            "tensors than the first time | an `if` on something that changed in between, random "
            "shapes, a cache that is filled the first time, or another autocast",
        ),
        remedy=(
            Sentence(
                "If autocast is used, put forward and loss under one `with torch.autocast(…):`, "
                "and not a part of it; change no dtype between forward and backward()",
                {"first_dtype": r".+"},
            ),
            Sentence(
                "Where the weights are spread over processes: `use_reentrant=True` for the "
                "checkpoint, or checkpoint the same modules that are wrapped, by the wrapper's own "
                "setting (`activation_checkpointing`)",
                {"emptied": r".+"},
            ),
            "Give `checkpoint(…, debug=True)` to see where the two part. What forward does must "
            "not depend on anything that it changes itself, and no cache (`use_cache=False` in "
            "transformers) may be used there; torch's random numbers are replayed only while "
            "`preserve_rng_state=True`, those of `random` and NumPy never: decide by "
            "`torch.rand(())`",
        ),
        suspects=(Suspect(r"checkpoint\w*|gradient_checkpointing\w*"),),
        types=("CheckpointError",),
        today=(r"torch\.utils\.checkpoint: (?:Recomputed values|A different number of tensors)",),
        sample=(
            "from torch.utils.checkpoint import checkpoint\n"
            "seen = []\n\n"
            "def part(x):\n"
            "    seen.append(1)\n"
            "    return (x * 2)[: len(seen)].exp()\n\n"
            "x = torch.ones(3, requires_grad=True)\n"
            "checkpoint(part, x, use_reentrant=False).sum().backward()"
        ),
        examples=tuple(
            "CheckpointError: torch.utils.checkpoint: Recomputed values for the following tensors "
            "have different metadata than during the forward pass.\ntensor at position 9:\n"
            "saved metadata: {'shape': torch.Size([8, 4]), 'dtype': torch.float32, 'device': "
            f"device(type='cpu')}}\nrecomputed metadata: {{'shape': torch.Size({shape}), 'dtype': "
            f"torch.{dtype}, 'device': device(type='cpu')}}"
            for shape, dtype in (("[8, 4]", "bfloat16"), ("[0]", "float32"))
        ),
    ),
    ErrorFamily(
        id="hook_without_grad",
        says="A hook is registered on a tensor that does not require a gradient.",
        means=("A hook is registered on a tensor that does not require a gradient",),
        remedy=(
            "If x is an input: `x.requires_grad_(True)` before the forward pass. If it is "
            "computed, see that it is not under no_grad and that something it comes from requires "
            "a gradient: of a model that is frozen altogether, its input",
        ),
        suspects=(Suspect(r"register_hook"),),
        types=("RuntimeError",),
        today=(r"cannot register a hook on a (?:tensor|variable) that doesn't require gradient",),
        sample="torch.ones(3).register_hook(print)",
    ),
    ErrorFamily(
        id="grad_kept_without_graph",
        says="retain_grad is called on a tensor that requires no gradient.",
        means=(
            "retain_grad() is called on a tensor that requires no gradient: none of what it was "
            "computed from does, or the graph was cut on the way | it comes from data alone, from "
            "under no_grad(), or from detach(), item(), numpy() or a new torch.tensor(…)",
        ),
        remedy=(
            "Print `x.requires_grad` step by step up to the line. Where the gradient of data "
            "itself is wanted, `x.requires_grad_()` before it is used",
        ),
        suspects=(Suspect(r"retain_grad"),),
        types=("RuntimeError",),
        today=(r"can't retain_grad on (?:Tensor|Variable) that has requires_grad=False",),
        sample="torch.ones(3).retain_grad()",
    ),
    ErrorFamily(
        id="grad_of_many",
        says="backward or grad is called on a tensor with more than one element.",
        means=(
            *(
                Sentence(
                    "autograd.grad was given a tensor with more than one value to differentiate; "
                    "it needs one number, such as a sum or an entry",
                    {"line": _NOT_BACKWARD, **where},
                )
                for where in _TAKES_GRAD
            ),
            (
                "backward() was called on a tensor with more than one value; it needs one "
                "number, such as the mean or the sum"
            ),
        ),
        remedy=(
            *(
                Sentence(
                    "Give `autograd.grad` one number, `torch.autograd.grad(y.sum(), x)` (or the "
                    "entry whose gradient is meant, `y[0, k]`), or say how much each entry counts: "
                    "`torch.autograd.grad(y, x, grad_outputs=torch.ones_like(y))`",
                    {"line": _NOT_BACKWARD, **where},
                )
                for where in _TAKES_GRAD
            ),
            "If it is a loss: `loss.mean().backward()` (or `.sum()`), or make it with its default "
            "reduction; with DataParallel a loss computed inside forward comes once for each GPU, "
            "so take its mean. If the gradient of each value is meant: "
            "`y.backward(torch.ones_like(y))`",
        ),
        suspects=(
            Suspect(
                r".*", "gives one loss for each sample", {"reduction": "'none'", "reduce": "False"}
            ),
            Suspect(r"backward"),
        ),
        types=("RuntimeError",),
        today=(r"grad can be implicitly created only for scalar outputs",),
        older=(r"backward should be called only on a scalar",),
        sample="(torch.ones(3, requires_grad=True) * 2).backward()",
        examples=(
            "RuntimeError: backward should be called only on a scalar (i.e. 1-element tensor) or "
            "with gradient w.r.t. the variable",
        ),
    ),
    ErrorFamily(
        id="grad_of_complex",
        says="backward or grad is called on a complex number.",
        means=("backward starts at a complex number",),
        remedy=(
            "Make it real before the mean: of the distance between complex numbers `(a - "
            "b).abs()`; `.real` only where the imaginary part is nothing but rounding",
        ),
        types=("RuntimeError",),
        today=(
            r"grad can be implicitly created only for real scalar outputs(?: but got "
            r"(?P<dtype>[\w.]+))?",
        ),
        values={"dtype": "of the tensor"},
        sample="torch.ones(1, dtype=torch.cfloat, requires_grad=True).sum().backward()",
    ),
    ErrorFamily(
        id="grad_output_shape",
        says="A gradient is given for an output of another shape.",
        decides=True,
        means=(("The gradient that is given has the shape {gradient} and the output {output}"),),
        remedy=(
            "Give backward a tensor of the output's shape. Where it is made of ones, "
            "`torch.ones_like(y)` has it for a smaller last batch too; where it is computed, see "
            "what it is the gradient of, and bring it to that shape (`g.view_as(y)` if the numbers "
            "of values agree)",
        ),
        suspects=(Suspect(r"backward|grad"),),
        types=("RuntimeError",),
        today=(
            r"Mismatch in shape: grad_output\[(?P<number>\d+)\] has a shape of "
            r"torch\.Size\((?P<gradient>\[[\d, ]*\])\) and output\[\d+\] has a shape of "
            r"torch\.Size\((?P<output>\[[\d, ]*\])\)",
        ),
        values={
            "number": "of the output, from 0",
            "gradient": "shape of the gradient",
            "output": "shape of the output",
        },
        sample="(torch.ones(3, requires_grad=True) * 2).backward(torch.ones(2))",
    ),
    ErrorFamily(
        id="grad_output_not_batched",
        says="Several gradients at once are asked for, and one is given.",
        decides=True,
        means=(
            "With `is_grads_batched=True` the first dimension of `grad_outputs` counts several "
            "gradients of one output, and not the samples: of {gradient} is left for each, and the "
            "output is {output}",
        ),
        remedy=(
            "Leave `is_grads_batched` out where each sample of the output depends on its own input "
            "alone: with ones for `grad_outputs` the gradient of the sum over the batch has each "
            "sample's own in its row. One for each component, put "
            "together by `torch.stack(rows, dim=1)`, are the Jacobians [batch, out, in]; of a "
            "function, `torch.func.vmap(torch.func.jacrev(f))(x)` gives them",
        ),
        suspects=(Suspect(r"grad"),),
        types=("RuntimeError",),
        today=(
            r"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
            r"the batch dimension.*?grad_output\[(?P<number>\d+)\] has a shape of "
            r"torch\.Size\((?P<gradient>\[[\d, ]*\])\) and output\[\d+\] has a shape of "
            r"torch\.Size\((?P<output>\[[\d, ]*\])\)",
        ),
        values={
            "number": "of the output, from 0",
            "gradient": "shape of each gradient that is given",
            "output": "shape of the output",
        },
        sample=(
            "x = torch.ones(3, requires_grad=True)\ntorch.autograd.grad(x * 2, x, torch.ones(3), "
            "is_grads_batched=True)"
        ),
    ),
    ErrorFamily(
        id="freed_graph",
        says="backward goes through a graph that an earlier one has freed.",
        means=(
            "backward() went through a graph that an earlier backward() has already freed | "
            "something computed before is used again (a hidden state, a tensor made once outside "
            "of the loop, the part that two losses share, a loss that is added up over the steps), "
            "or backward() is called twice on one loss",
        ),
        remedy=(
            Sentence(
                "LBFGS calls its closure several times in one step, and each call needs a graph of "
                "its own: compute what the model gives inside of it, `def closure(): "
                "optimizer.zero_grad(); loss = criterion(model(x), y); loss.backward(); return "
                "loss`. `retain_graph=True` does not help: at best each call would see the same "
                "loss again, and mostly the next error is that the step has changed the "
                "parameters in place",
                {"code": r"\bLBFGS\("},
            ),
            *(
                Sentence(
                    "If the loss of the one network was computed through what the other made, cut "
                    "it there, `D(fake.detach())`, and compute `D(fake)` anew for the generator's "
                    "loss, after the discriminator's step. If a tensor is made once, before the "
                    "loop, make it inside. `retain_graph=True` would keep the graph, and gradients "
                    "of the one loss would go into the other network",
                    {where: IN_TURNS},
                )
                for where in ("code", "line", "words")
            ),
            *(
                Sentence(
                    "If the state is carried from one step to the next, cut it before it is used "
                    "again: `h = h.detach()` (for an LSTM both states), or begin with a new one. "
                    "If not, see what else is used in each step and made only once: before the "
                    "loop, on the module, in a notebook's cell of its own. `retain_graph=True` "
                    "would go on through all steps before, slower and larger with each",
                    {where: _STATE},
                )
                for where in ("code", "words")
            ),
            "If something is carried from one step to the next, cut it before it is used again: "
            "`h = h.detach()`; if it is computed once before the loop, compute it inside; if "
            "losses are added up over the steps, call backward() on this step's loss alone; if two "
            "losses share a forward pass, add them and call backward() once. In a notebook, a cell "
            "with backward() that is run twice needs the forward pass again. `retain_graph=True` "
            "is right only where one graph really is needed twice",
        ),
        suspects=(
            Suspect(r"backward", "without the graph kept", without=("retain_graph",)),
            Suspect(r"backward"),
        ),
        types=("RuntimeError",),
        today=(r"backward through the graph a second time",),
        older=(r"backward through the graph second time",),
        sample=(
            "loss = torch.ones(3, requires_grad=True).exp().sum()\nloss.backward()\nloss.backward()"
        ),
        examples=(
            "RuntimeError: Trying to backward through the graph second time, but the buffers have "
            "already been freed. Please specify retain_variables=True when calling backward for "
            "the first time.",
            "RuntimeError: Trying to backward through the graph a second time, but the buffers "
            "have already been freed. Specify retain_graph=True when calling backward the first "
            "time.",
        ),
    ),
    ErrorFamily(
        id="grad_of_result",
        says="The gradient of a result is read, which backward does not keep (a warning).",
        means=(
            (
                "The .grad of a result is read; backward keeps gradients only of leaves, "
                "such as parameters"
            ),
        ),
        remedy=(
            (
                "Call `x.retain_grad()` before backward, or read the gradient of the leaf: "
                "`x = x.to(device)` makes a result of a leaf, so set requires_grad after it"
            ),
        ),
        suspects=(Suspect(r"grad", kinds=("read",)),),
        types=("UserWarning",),
        today=(r"is not a leaf Tensor is being accessed",),
        sample=(
            "import warnings\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    (torch.ones(2, requires_grad=True) * 2).grad"
        ),
    ),
    ErrorFamily(
        id="checkpointed_without_grad",
        says="A checkpointed part is given nothing that requires a gradient (a warning).",
        decides=True,
        means=(
            "Reentrant activation checkpointing records nothing where no input of the part "
            "requires a gradient, so what is trained inside of it gets none",
        ),
        remedy=(
            "`checkpoint(…, use_reentrant=False)` looks at the weights inside, too (in "
            "transformers `gradient_checkpointing_kwargs=dict(use_reentrant=False)`). Or let what "
            "comes in require a gradient, though nothing before it is trained: with frozen "
            "embeddings `model.enable_input_require_grads()`, or `x.requires_grad_()`",
        ),
        suspects=(Suspect(r"checkpoint\w*|\w*gradient_checkpointing\w*"),),
        types=("UserWarning",),
        today=(r"None of the inputs have requires_grad=True",),
        sample=(
            "import warnings\nfrom torch.utils.checkpoint import checkpoint\n"
            "with warnings.catch_warnings():\n"
            '    warnings.simplefilter("error")\n'
            "    checkpoint(nn.Linear(2, 2), torch.ones(1, 2), use_reentrant=True)"
        ),
    ),
    ErrorFamily(
        id="integers_require_grad",
        says="Whole numbers are to require a gradient.",
        decides=True,
        means=("Whole numbers cannot require a gradient; only floating point tensors can",),
        remedy=(
            "If it is to be trained, make it floating point: `torch.tensor([1., 2.], "
            "requires_grad=True)`, or `.float()`. Class labels, indices and quantized weights need "
            "no gradient: leave requires_grad out (`nn.Parameter(x, requires_grad=False)`)",
        ),
        suspects=(Suspect(r".*", "", {"requires_grad": "True"}),),
        types=("RuntimeError",),
        today=(
            r"[Oo]nly Tensors of floating point (?:and complex )?dtype can require(?P<wording> "
            r"gradients)?",
        ),
        values={"wording": "` gradients` in today's wording"},
        sample="torch.tensor([1, 2], requires_grad=True)",
    ),
    ErrorFamily(
        id="integers_as_data",
        says="Whole numbers are put into a tensor that requires grad.",
        decides=True,
        means=("Whole numbers are put into a tensor that requires grad",),
        remedy=(
            "Convert them to floating point first; weights that are quantized are no longer "
            "trained, so `requires_grad_(False)` before it",
        ),
        types=("RuntimeError",),
        today=(r"data set to a tensor that requires gradients must be floating",),
        sample="x = torch.ones(2, requires_grad=True)\nx.data = torch.ones(2, dtype=torch.long)",
    ),
    ErrorFamily(
        id="unused_in_graph",
        says="A gradient is asked for a tensor that the result was not computed from.",
        means=("A gradient is asked for a tensor that the result was not computed from",),
        remedy=(
            "Check that the very tensor takes part, and no copy of it: a slice (`xy[:, :1]`) or "
            "`x.to(device)` is another tensor than what it was taken from, so cut first, and give "
            "the model `torch.cat([x, y], 1)` of the parts; `.data` and `detach()` cut it off. "
            "`allow_unused=True` gives None for it, if it is right that it takes no part",
        ),
        suspects=(Suspect(r"grad"),),
        types=("RuntimeError",),
        today=(r"appears to not have been used in the graph",),
        sample=(
            "x = torch.ones(2, requires_grad=True)\ny = torch.ones(2, requires_grad=True)\n"
            "torch.autograd.grad(x.sum(), y)"
        ),
        examples=(
            "RuntimeError: One of the differentiated Tensors appears to not have been used in the "
            "graph. Set allow_unused=True if this is the desired behavior.",
        ),
    ),
    ErrorFamily(
        id="saved_no_tensor",
        says="save_for_backward is given something that is no tensor.",
        decides=True,
        means=("save_for_backward takes tensors only, and is given something else",),
        remedy=("Keep other values as attributes: `ctx.k = k`",),
        suspects=(Suspect(r"save_for_backward"),),
        types=("TypeError",),
        today=(
            r"save_for_backward can only save (?:variables|input or output tensors)(?:, but "
            r"argument (?P<argument>\d+) is of type (?P<given>[\w.]+))?",
        ),
        values={"argument": "its number, from 0", "given": "its type"},
        sample=(
            "class Scale(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x, n):\n"
            "        ctx.save_for_backward(x, n)\n"
            "        return x * n\n\n"
            "Scale.apply(torch.ones(2, requires_grad=True), 3)"
        ),
    ),
    ErrorFamily(
        id="captured_in_place",
        says="A function of torch.func changes a tensor in place that was not handed to it.",
        decides=True,
        means=(
            "Inside of a function of torch.func (grad, vmap) a tensor is changed in place that "
            "was not handed to it | a BatchNorm in training mode, which writes its running "
            "statistics",
        ),
        remedy=(
            "If it is a BatchNorm: `model.eval()` before, which takes the statistics that are "
            "stored; to take those of the batch and write none, set `track_running_stats = False` "
            "on these layers for the call alone. If it is a line of yours, write it without the "
            "underscore or `+=`, or hand the tensor over as an argument",
        ),
        types=("RuntimeError",),
        today=(
            r"During a grad \(vjp, jvp, grad, etc\) transform, the function provided attempted to "
            r"call in-place operation",
            r"Batch norm got a batched tensor as input while the running_mean or running_var",
        ),
        sample=(
            "kept = torch.zeros(2)\ntorch.func.grad(lambda w: kept.add_(w).sum())(torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="derivative_of_several",
        says="A function of which a second derivative or a product is taken gives several values.",
        decides=True,
        means=(
            "{function} is of a function that gives a single number, and this one gives a tensor "
            "of several",
        ),
        remedy=(
            "Let the function return the loss itself, one number (`.mean()` or `.sum()` of it, "
            "with the target inside). For each of several outputs there is "
            "`torch.func.jacrev(torch.func.jacrev(f))`, which is another, larger thing",
        ),
        suspects=(Suspect(r"{function}"),),
        types=("RuntimeError",),
        today=(
            r"The Tensor returned by the function given to (?P<function>\w+) should contain a "
            r"single element",
        ),
        values={"function": "of torch.autograd.functional"},
        sample="torch.autograd.functional.hessian(lambda x: x * x, torch.ones(2))",
    ),
    ErrorFamily(
        id="backward_count",
        says="A custom backward returns another number of gradients than its forward has inputs.",
        decides=True,
        means=(
            ("backward of {function} returns {given} gradients, and forward has {expected} inputs"),
        ),
        remedy=(
            "Return one value for each input of forward, in their order, None for those that need "
            "no gradient; without a `return` at its end backward gives a single None",
        ),
        types=("RuntimeError",),
        today=(
            r"[Ff]unction (?P<function>\w+?)(?:Backward)? returned an incorrect number of "
            r"gradients \(expected (?P<expected>\d+), got (?P<given>\d+)\)",
        ),
        values={
            "function": "the class",
            "expected": "inputs of its forward",
            "given": "gradients that its backward returned",
        },
        sample=(
            "class Scale(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x, n):\n"
            "        return x * n\n\n"
            "    @staticmethod\n"
            "    def backward(ctx, g):\n"
            "        return g\n\n"
            "Scale.apply(torch.ones(2, requires_grad=True), 3).sum().backward()"
        ),
    ),
    ErrorFamily(
        id="backward_shape",
        says="A custom backward returns a gradient of another shape than its input.",
        decides=True,
        means=(
            Sentence(
                "The backward of {function}, an operation of PyTorch's own, gives a gradient of "
                "shape {given} where {expected} is needed | the tensor had another shape in the "
                "forward pass: `.data = …`, `resize_` or pruning changed it before backward()",
                {"function": _BUILT_IN},
            ),
            (
                "backward of {function} returns a gradient of shape {given} where "
                "{expected} is needed"
            ),
        ),
        remedy=(
            Sentence(
                "Look for what changes the shape of a weight between the forward pass and "
                "backward(), and do it before the forward pass. If nothing does, and it runs "
                "under torch.compile, run it without",
                {"function": _BUILT_IN},
            ),
            "Gradient {index} is that of input {index} of forward, counted from 0 without `ctx`, "
            "and has its shape. Where forward broadcast it, sum over what was added, `grad.sum(0)` "
            "or `grad.sum_to_size(x.shape)`; where the sizes have changed places, it is the other "
            "product: for `y = x @ w` it is `x.t() @ grad`",
        ),
        types=("RuntimeError",),
        today=(
            r"Function (?P<function>\w+?)(?:Backward)? returned an invalid gradient at index "
            r"(?P<index>\d+) - got (?P<given>\[[\d, ]*\]) but expected shape compatible with "
            r"(?P<expected>\[[\d, ]*\])",
        ),
        values={
            "function": "the class",
            "index": "number of the gradient, from 0",
            "given": "shape of the gradient",
            "expected": "shape of the input",
        },
        sample=(
            "class Double(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        return x * 2\n\n"
            "    @staticmethod\n"
            "    def backward(ctx, g):\n"
            "        return g[:1].reshape(1, 1).expand(1, 4)\n\n"
            "Double.apply(torch.ones(2, requires_grad=True)).sum().backward()"
        ),
    ),
    ErrorFamily(
        id="deepcopy_of_result",
        says="Something that holds the result of an operation is copied deeply.",
        means=(
            (
                "Something that holds the result of an operation is copied deeply; only "
                "leaves can be"
            ),
        ),
        remedy=(
            "If an object keeps a result (a hidden state, a loss), detach it: `self.x = "
            "x.detach()`. If its layers are under `weight_norm` or pruned, their weight is such a "
            "result: `torch.nn.utils.parametrizations.weight_norm` in its place can be copied, and "
            "loads checkpoints of the older one too. A second model with the same weights needs no "
            "deep copy: make it anew, and `copied.load_state_dict(model.state_dict())`",
        ),
        suspects=(Suspect(r"deepcopy"),),
        types=("RuntimeError",),
        today=(
            r"Only (?:Tensors|Variables) created explicitly by the user [^\n]{0,40}?support the "
            r"deepcopy(?P<wording> protocol at the moment)?",
        ),
        values={"wording": "of today"},
        sample="import copy\ncopy.deepcopy(torch.ones(2, requires_grad=True) * 2)",
    ),
    ErrorFamily(
        id="numpy_of_graph",
        says="A tensor that is part of a graph is turned into a NumPy array.",
        means=("A tensor that is part of the graph is turned into numpy",),
        remedy=(
            Sentence(
                "detach() gives a new tensor and leaves the one that it is called on as it is, so "
                "it has to stand in the very expression that the traceback's line turns into "
                "numpy: `x.detach().cpu().numpy()`. If that line has it already, look whether the "
                "message now comes from another line, or from a notebook cell that was not run "
                "again",
                {
                    "words": r"detach\(\)?[^\n]{0,60}(?:same|still|also|not|n't|一样|还是|仍|也)"
                    r"|(?:tried|after|even with|added|增加|加了)[^\n]{0,40}detach"
                },
            ),
            "Write `x.detach().cpu().numpy()` where it is only shown or measured (of a list of "
            "losses, append `loss.item()`); in a loss stay with torch's functions, since numpy "
            "cuts the gradient",
        ),
        suspects=(Suspect(r"numpy|plot|scatter|imshow|array|asarray|hist"),),
        types=("RuntimeError",),
        today=(r"Can't call `?numpy\(\)`? on (?P<kind>Tensor|Variable) that requires grad",),
        values={"kind": "Tensor; Variable before torch 0.4"},
        sample="torch.ones(2, requires_grad=True).numpy()",
        examples=(
            "RuntimeError: Can't call numpy() on Variable that requires grad. Use "
            "var.detach().numpy() instead.",
        ),
    ),
    ErrorFamily(
        id="saved_tensor_hooks",
        says="A transform of torch.func does not go together with hooks on saved tensors.",
        means=(
            (
                "A transform of torch.func does not go together with hooks on saved "
                "tensors (checkpointing, offloading)"
            ),
        ),
        remedy=("Use one of the two at this place",),
        types=("RuntimeError",),
        today=(r"support saved tensor hooks",),
        sample=(
            "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):\n"
            "    torch.func.grad(lambda x: x.exp().sum())(torch.ones(2))"
        ),
    ),
    ErrorFamily(
        id="requires_grad_of_result",
        says="The requires_grad of a result is set, which only a leaf allows.",
        decides=True,
        means=(
            Sentence(
                "requires_grad is set to False on the result of an operation; only leaves can be "
                "changed so",
                {"off": r".+"},
            ),
            "requires_grad is set on the result of an operation; only leaves can be changed so",
        ),
        remedy=(
            Sentence(
                "To leave it out of the gradient: `x = x.detach()`. If it is a layer's weight "
                "under `weight_norm` or pruning, freeze what it is computed from: "
                "`module.parameters()`",
                {"off": r".+"},
            ),
            "To leave it out of the gradient: `x = x.detach()`. To switch it on: a result requires "
            "grad by itself as soon as what it was computed from does, so set it there; to begin "
            "anew from its values: `x = x.detach().requires_grad_(True)`",
        ),
        types=("RuntimeError",),
        today=(r"you can only change requires_grad flags of leaf variables",),
        details=(r"(?P<off>If you want to use a computed variable)",),
        values={"off": "what the message adds where it is set to False"},
        sample="x = torch.ones(2, requires_grad=True) * 2\nx.requires_grad = False",
    ),
    ErrorFamily(
        id="target_requires_grad",
        says="A loss is to be differentiated by its target, for which it has no derivative.",
        means=(
            Sentence(
                "A loss is to be differentiated by its class weights, for which it has no "
                "derivative: they require grad",
                {"argument": r"weight"},
            ),
            "A loss is to be differentiated by its target, for which it has no derivative: what is "
            "given as the target requires grad",
        ),
        remedy=(
            Sentence("`weight.detach()` for the loss", {"argument": r"weight"}),
            "If the two are swapped: predictions first, `criterion(output, target)`. If the target "
            "is computed by a network (a teacher, a value of the next step): `target.detach()`",
        ),
        suspects=(Suspect(r"\w*[Ll]oss\w*|criterion|\w*cross_entropy\w*"),),
        types=("RuntimeError", "AssertionError"),
        today=(r"the derivative for '(?P<argument>target|weight)' is not implemented",),
        older=(r"nn criterions don't compute the gradient w\.r\.t\. targets",),
        values={"argument": "without a derivative"},
        needs="torch before 2.0: losses have more derivatives today",
        examples=(
            "RuntimeError: the derivative for 'target' is not implemented",
            "AssertionError: nn criterions don't compute the gradient w.r.t. targets - please mark "
            "these variables as volatile or not requiring gradients",
        ),
    ),
    ErrorFamily(
        id="assigned_gradient",
        says="A gradient of another shape than its tensor's is put into .grad.",
        means=(
            "A gradient of shape {gradient} is put into `.grad` of a tensor of shape {tensor}; "
            "the two have to agree",
        ),
        types=("RuntimeError",),
        today=(
            r"attempting to assign a gradient of size '(?P<gradient>\[[\d, ]*\])' to a tensor of "
            r"size '(?P<tensor>\[[\d, ]*\])'",
        ),
        older=(r"assigned grad has data of a different size",),
        values={"gradient": "shape of the gradient", "tensor": "shape of the tensor"},
        sample="torch.ones(3, requires_grad=True).grad = torch.ones(2)",
        examples=("RuntimeError: assigned grad has data of a different size",),
    ),
    ErrorFamily(
        id="backward_returns",
        says="The backward of an own Function returns something else than gradients.",
        decides=True,
        means=(
            Sentence("A {given} is handed on where one tensor is wanted", {"words": GIVES_TWO}),
            "The `backward` of a `torch.autograd.Function` returned a {given} where the gradient "
            "of one argument belongs: a tensor or None for each argument of `forward`",
        ),
        remedy=(
            Sentence(TWO_OUTPUTS, {"given": r"tuple|list", "words": GIVES_TWO}),
            Sentence(
                "Return the tensors themselves, side by side. `torch.autograd.grad(…)` gives a "
                "tuple of one also for one input: take `grad(…)[0]`",
                {"given": r"tuple|list"},
            ),
            "Return tensors, `torch.tensor(x)` of a number, or None where no gradient is wanted",
        ),
        types=("RuntimeError", "TypeError"),
        today=(r"expected Variable or None \(got (?P<given>[\w.]+)\)",),
        values={"given": "type of what it returned"},
        sample=(
            "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
            "        return 2 * x\n\n    @staticmethod\n    def backward(ctx, g):\n"
            "        return ((2 * g,),)\n\n"
            "Twice.apply(torch.ones(2, requires_grad=True)).sum().backward()"
        ),
    ),
)
