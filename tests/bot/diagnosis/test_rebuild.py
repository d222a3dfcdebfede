"""bot/diagnosis/rebuild.py: posted errors come up again, with what the post lacks."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.diagnosis.rebuild import (
    _is_called_of_added,
    _is_of_added_values,
    is_changed_elsewhere,
    read,
)
from executor.errors import same_family, same_numbers
from executor.protocol import REBUILT, Bound, ErrorSeen, File, Glue
from tests.built import ran
from tests.conftest import Ask
from tests.rows import some


@dataclass(frozen=True)
class Post:
    """A post that lacks something, and the line at which its error comes."""

    code: str
    error: str
    line: int | None
    frames: str = ""

    @property
    def message(self) -> str:
        """As people write it."""
        above = f"Traceback (most recent call last):\n{self.frames}" if self.frames else ""
        return (
            f"My training stops, what is wrong?\n```python\n{self.code}```\n"
            f"```\n{above}{self.error}\n```\n"
        )

    @property
    def posted(self) -> ErrorSeen:
        """The error."""
        kind, _, message = self.error.partition(": ")
        return ErrorSeen(type=kind, message=message)


LOSS_FRAMES = (
    '  File "fit.py", line 88, in <module>\n    cost = objective(scores, wanted)\n'
    '  File "/usr/lib/python3/site-packages/torch/nn/functional.py", line 3, in cross_entropy\n'
    "    return torch._C._nn.cross_entropy_loss(input, target)\n"
)

POSTS = {
    "a class, and sizes that follow from the message": Post(
        "class Eye(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.see = nn.Conv2d(1, 4, 3)\n        self.say = nn.Linear(4 * 10 * 10, 3)\n"
        "    def forward(self, image):\n        seen = self.see(image)\n"
        "        return self.say(seen.flatten(1))\n",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x2704 and 400x3)", 8,
    ),
    "methods without their class": Post(
        "def __init__(self, width):\n    super(Tower, self).__init__()\n"
        "    self.low = nn.Linear(7, width)\n\ndef forward(self, v):\n    return self.low(v)\n",
        "RuntimeError: size mismatch, m1: [5 x 9], m2: [7 x 32] at /x/THTensorMath.cpp:197", 6,
    ),
    "a batch of one": Post(
        "class Eye(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.see = nn.Conv2d(1, 4, 3)\n        self.say = nn.Linear(4 * 10 * 10, 3)\n"
        "    def forward(self, image):\n        seen = self.see(image)\n"
        "        seen.flatten(1)\n        return self.say(seen)\n",
        "RuntimeError: size mismatch, m1: [40 x 10], m2: [400 x 3] at x/THTensorMath.cpp:41", 9,
    ),
    "a picture of a data set, in a wrong shape": Post(
        "eye = nn.Conv2d(3, 8, 5)\npicture, name = sets['left'][k]\npicture.unsqueeze_(1)\n"
        "print(eye(picture))\n",
        "RuntimeError: Given groups=1, weight of size [8, 3, 5, 5], expected input[3, 1, 40, 30] "
        "to have 3 channels, but got 1 channels instead", 4,
    ),
    "an optimizer of a class without parameters": Post(
        "class Eye(nn.Module):\n    def _init_(self):\n        self.see = nn.Linear(3, 2)\n"
        "    def forward(self, x):\n        return self.see(x)\n",
        "ValueError: optimizer got an empty parameter list", None,
    ),
    "a loop over what is not posted": Post(
        "for item, wanted in feed:\n    scores = brain(item)\n"
        "    cost = objective(scores, wanted)\n    cost.backward()\n",
        "RuntimeError: 0D or 1D target tensor expected, multi-target not supported", 3, LOSS_FRAMES,
    ),
    "a leaf that is changed in place": Post(
        "cost.backward()\nweight -= rate * weight.grad\n",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
        2,
    ),
    "samples of two sizes": Post(
        "def join(batch):\n    pages = [b[0] for b in batch]\n    return torch.stack(pages)\n",
        "RuntimeError: stack expects each tensor to be equal size, but got [3, 50, 60] at entry 0 "
        "and [3, 40, 60] at entry 1", 3,
    ),
    "weights of a file": Post(
        "saved = torch.load(weights_file)\nmodel.load_state_dict(saved)\n",
        "RuntimeError: Error(s) in loading state_dict for Brain:\n\tsize mismatch for out.weight: "
        "copying a param with shape torch.Size([9, 4]) from checkpoint, the shape in current "
        "model is torch.Size([5, 4]).", 2,
    ),
    "data on the wrong device": Post(
        "gpu = torch.device('cuda')\nmodel = nn.Linear(6, 2).to(gpu)\nout = model(readings)\n",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two "
        "devices, cuda:0 and cpu!", 3,
    ),
    "what the lines above the failing one need was not posted": Post(
        "def show(picture):\n    plain = picture.squeeze().permute(1, 2, 0)\n"
        "    return plain * torch.ones(3)\n\nparts = look(scene, towers['big'].layers)\n"
        "low = parts['low']\nshow(low)\n",
        "RuntimeError: The size of tensor a (48) must match the size of tensor b (3) at "
        "non-singleton dimension 2", 3,
        '  File "a.py", line 9, in <module>\n    show(low)\n'
        '  File "a.py", line 3, in show\n    return plain * torch.ones(3)\n',
    ),
    "weights that are read under a key": Post(
        "kept = torch.load('{}_best.pth'.format(args.run), map_location='cpu')\n"
        "brain.load_state_dict(kept['net'])\n",
        'RuntimeError: Error(s) in loading state_dict for Brain:\n\tMissing key(s) in state_dict: '
        '"out.weight". \n\tUnexpected key(s) in state_dict: "module.out.weight". ', 2,
    ),
    "samples of a posted data set that differ": Post(
        "class Words(Dataset):\n    def __init__(self, words):\n        self.words = words\n"
        "    def __len__(self):\n        return len(self.words)\n"
        "    def __getitem__(self, n):\n        return torch.ones(len(self.words[n]))\n\n"
        "words = ['one', 'three', 'four']\nfor lot in feed:\n    print(lot)\n",
        "RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [5] "
        "at entry 1", 10,
        '  File "a.py", line 10, in <module>\n    for lot in feed:\n'
        '  File "/usr/lib/python3/site-packages/torch/utils/data/_utils/collate.py", line 3, in '
        "default_collate\n    return collate(batch)\n",
    ),
    "a graph that the posted code cuts": Post(
        "best = torch.stack([torch.argmax(left, dim=2), torch.argmax(right, dim=2)])\n"
        "place = 2.0 * best.float() / cfg.grid.bins - 1\n",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
        None,
    ),
    "a function of a library that is not installed": Post(
        "import veryown_images as vi\npicture = vi.open('a')\nnet = nn.Conv2d(3, 8, 3)\n"
        "net(torch.from_numpy(pixels))\n",
        "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
        "size: [30, 20]", 4,
    ),
}  # fmt: skip


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", some(POSTS, 3))
async def test_the_posted_error_comes_up_again(kind: str, ask: Ask):
    """Its family, its numbers and its line, in a run; and all that was assumed is listed."""
    post = POSTS[kind]
    answer = await ask(post.message)
    assert answer.error is not None, answer.headline
    assert same_family(post.posted, answer.error), answer.error.message
    assert same_numbers(post.posted, answer.error), answer.error.message
    assert answer.error.line == post.line
    assert answer.status in ("reproduced", "fixed")
    assert answer.run is not None
    assert all(
        any(f"`{s.name}`" in assumption for assumption in answer.assumptions)
        for s in answer.run.stand_ins
    )


@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_no_python_is_left_out_and_told(ask: Ask):
    """The rest raises the posted error, and nothing is mended: a part of it is missing."""
    post = Post(
        "tower = nn.Linear(7, 3)\nwide = tower.weight.t()\nprint wide\n"
        "out = torch.relu(tower(pages))\nreturn out\n",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x9 and 7x3)", 4,
    )  # fmt: skip
    answer = await ask(post.message)
    assert answer.error is not None, answer.headline
    assert (answer.error.line, answer.fix) == (4, None)
    assert same_numbers(post.posted, answer.error)
    assert any("line 3 (`print wide`) is no Python" in said for said in answer.assumptions)


QUOTED = Post(
    "",
    "RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 9 but got "
    "size 7 for tensor number 1 in the list.", 1,
    '  File "net.py", line 51, in forward\n    both = torch.cat([skip, deep], dim=1)\n',
)  # fmt: skip


@pytest.mark.asyncio(loop_scope="session")
async def test_a_traceback_without_code_is_rebuilt_from_the_line_that_it_quotes(ask: Ask):
    """The message is explained as before; the run is told of with what it assumed, and no fix."""
    answer = await ask(QUOTED.message.replace("```python\n```\n", ""))
    assert answer.status == "advice"
    assert answer.error is not None
    assert same_numbers(QUOTED.posted, answer.error), answer.error.message
    assert answer.error.code == "torch.cat([skip, deep], dim=1)"
    assert answer.fix is None
    assert not answer.alternatives
    told = " ".join(answer.assumptions)
    assert all(name in told for name in ("`skip`", "`deep`", "the traceback quotes"))
    assert not answer.not_rebuilt


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_that_prints_values_nobody_posted_is_not_shown(ask: Ask):
    """The line was run with values of the search's own, and what it printed is none of theirs."""
    message = (
        "ValueError: Expected parameter scale (Tensor of shape (64, 3)) of distribution "
        "Normal(loc: torch.Size([64, 3]), scale: torch.Size([64, 3])) to satisfy the constraint "
        "GreaterThan(lower_bound=0.0), but found invalid values:\ntensor([[ 0.2113, -0.0007],\n"
    )
    answer = await ask(
        'It dies:\n```\n  File "a.py", line 58, in dist\n    return Normal(mu, self.sigma)\n'
        f"{message}```\n"
    )

    assert answer.status == "advice" and answer.error is None
    assert not any("stands for" in said for said in answer.assumptions)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("size", "found"), [(3, True), (5, False)])
async def test_a_line_alone_beside_code_counts_with_the_posted_numbers(
    size: int, found: bool, ask: Ask
):
    """None of the posted code was run then, so nothing is mended."""
    post = Post(
        "import torch\nexit()\n",
        f"RuntimeError: The size of tensor a ({size}) must match the size of tensor b (2) at "
        "non-singleton dimension 0", 4,
        '  File "fit.py", line 9, in <module>\n    both = torch.ones(3) + torch.ones(2)\n',
    )  # fmt: skip
    answer = await ask(post.message)
    assert (answer.status == "reproduced") is found, answer.headline
    assert answer.fix is None
    if found:
        assert any("it was run alone" in said for said in answer.assumptions)


@pytest.mark.asyncio(loop_scope="session")
async def test_of_two_programs_in_a_post_the_failing_one_is_rebuilt(ask: Ask):
    """Its lines keep their numbers, and that it ran alone is an assumption."""
    answer = await ask(
        "This works:\n```python\nweight = torch.ones(3)\nweight -= rate\nexit()\n```\n"
        "I also tried\n```python\nweight = torch.ones(3, requires_grad=True)\nweight -= rate\n```\n"
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.\n"
    )
    assert answer.error is not None, answer.headline
    assert answer.error.line == 5
    assert any("only the block that begins at line 4" in said for said in answer.assumptions)


@pytest.mark.asyncio(loop_scope="session")
async def test_what_was_made_up_is_not_mended(ask: Ask):
    """A target may have a dimension too many in several ways: the message says not in which."""
    answer = await ask(POSTS["a loop over what is not posted"].message)
    assert answer.status == "reproduced"
    assert answer.fix is None
    assert not answer.alternatives


NOT_OURS = {
    # Any plain tensor would raise it: that says nothing of their code.
    "a graph that placeholders cut": Post(
        "cost = objective(scores, wanted)\ncost.backward()\n",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn", 2,
    ),
    # The loss is made up, so it reaches no parameter of theirs.
    "gradients after the backward of a loss that nobody posted": Post(
        "cost.backward()\nfor w in tower.parameters():\n    print(w.grad.data)\n",
        "AttributeError: 'NoneType' object has no attribute 'data'", 3,
    ),
    "a value of another kind": Post(
        "sizes = measure(page)\nfor size in sizes.rows:\n    print(size)\n",
        "TypeError: 'PageTable' object is not iterable", 2,
    ),
    "more memory than a GPU has": Post(
        "out = model(pages)\n", "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", 1
    ),
}  # fmt: skip


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("kind", NOT_OURS)
async def test_what_only_a_placeholder_raises_is_not_theirs(kind: str, ask: Ask):
    """Then it is said why the error was not rebuilt, and nothing is called reproduced."""
    answer = await ask(NOT_OURS[kind].message)
    assert answer.status not in ("reproduced", "fixed"), answer.headline
    assert answer.not_rebuilt


@given(st.binary())
def test_what_a_search_wrote_may_be_anything(words: bytes):
    """A stranger's code ran in it: what is no result is none."""
    file = File(name=REBUILT, base64=base64.b64encode(words).decode())
    assert read(ran(files=(file,))).glue is None


def test_a_search_that_wrote_nothing_failed():
    """And says so."""
    assert read(ran()).why_not == "search_failed"


async def test_code_that_lacks_names_is_run_to_its_end(ask: Ask):
    """Without a posted error values are searched for; what runs with them is not called theirs."""
    code = (
        "import torch\nfrom torch import nn\ntarget = torch.ones(2, 3, 4, 5)\n"
        "loss = nn.BCEWithLogitsLoss()(guesses, target * torch.ones(2, 3, 4, 5))\nprint(loss)\n"
    )
    answer = await ask(f"What does this print?\n```python\n{code}```\n")

    assert answer.status == "not_run"
    assert answer.run is not None and answer.run.outcome == "ok"
    assert [s.name for s in answer.run.stand_ins] == ["guesses"]
    assert all("posted error" not in said for said in answer.assumptions)


async def test_a_function_that_nobody_posted_is_asked_for(ask: Ask):
    """A run without what it does would show nothing of the code."""
    answer = await ask("What does this print?\n```python\nprint(blend(2, 3))\n```\n")

    assert answer.status == "not_run"
    assert "`blend` (line 1) is used but never defined" in answer.headline


@pytest.mark.parametrize("second", ["Full_layer(84, 10)", "nn.Linear(84, 10)"])
async def test_no_edit_fits_their_layers_to_a_call_that_was_added(second: str, ask: Ask):
    """How the second classifier is called is a guess, and the first one's size may be right."""
    post = (
        "```python\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.see = nn.Conv2d(3, 8, 5)\n        self.pool = nn.MaxPool2d(4)\n"
        "        self.hidden = nn.Linear(8 * 7 * 7, 84)\n        self.out = nn.Linear(84, 10)\n\n"
        "    def forward(self, x):\n        x = self.pool(self.see(x)).view(-1, 8 * 7 * 7)\n"
        "        return self.out(torch.relu(self.hidden(x)))\n\n"
        f"net = Net()\nbatch_size = 4\nfc = {second}\n```\n"
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x10 and 84x10)\n"
    )
    answer = await ask(post)

    assert answer.headline.startswith("Rebuilt with assumptions about")
    assert answer.error is not None and answer.error.line is None
    offered = [fix.diff for fix in answer.alternatives]
    assert answer.fix is None and len(offered) == 1
    assert "+net.out = nn.Identity()" in offered[0], "the head that is there twice goes"


async def test_a_view_that_cuts_samples_is_mended_however_the_model_is_called(ask: Ask):
    """As many rows as the message counts come of as many samples as it has targets."""
    answer = await ask(
        "```python\nclass Rate(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.see = nn.Conv2d(1, 4, 3)\n        self.say = nn.Linear(72, 1)\n\n"
        "    def forward(self, x):\n        x = F.relu(self.see(x)).view(-1, 72)\n"
        "        return self.say(x)\n```\n"
        "It says `ValueError: input and target shapes do not match: input [40 x 1], "
        "target [20 x 1]`.\n"
    )

    diffs = [fix.diff for fix in (answer.fix, *answer.alternatives) if fix is not None]
    assert len(diffs) == 1, answer.headline
    assert "nn.Linear(144, 1)" in diffs[0] and ".flatten(1)" in diffs[0]


@pytest.mark.parametrize(
    ("code", "added", "expected"),
    [
        ("targets * outputs", "targets outputs", True),
        ("torch.sum(targets * outputs.view(-1))", "targets outputs", True),
        ("targets * outputs", "targets", False),  # theirs computed the other one
        ("self.fc(x)", "x", False),
        ("fc(x)", "fc x", True),
        ("1 / 0", "x", False),
    ],
)
def test_an_error_of_added_values_alone_is_none_of_their_code(
    code: str, added: str, expected: bool
) -> None:
    """With numbers of its own it would show what two made-up tensors do."""
    glue = Glue(
        before=tuple(
            Bound(name=name, expression="0", what="a number", evidence="use")
            for name in added.split()
        )
    )
    error = ErrorSeen(type="RuntimeError", message="", code=code)

    assert _is_of_added_values(error, glue) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("criterion(y_pred, labels)", True),
        ("F.mse_loss(y_pred, labels)", False),  # which function it is was posted
        ("labels -= rate * labels.grad", False),
        ("labels.view(criterion)", False),
    ],
)
def test_whether_what_is_called_was_added_too(code: str, expected: bool) -> None:
    names = ("criterion", "y_pred", "labels", "rate")
    bound = (Bound(name=n, expression="0", what="a number", evidence="use") for n in names)
    error = ErrorSeen(type="RuntimeError", message="", code=code)

    assert _is_called_of_added(error, Glue(before=tuple(bound))) is expected


@pytest.mark.parametrize(
    ("posted", "code", "expected"),
    [
        ("y = y.view(8)\nloss = c(y, t)", "\nloss = c(y, t)", True),
        ("loss = c(y, t)\n    y=y.squeeze()", "loss = c(y, t)", True),
        ("y = y.view(8)\nloss = c(y, t)", "y = y.view(8)\nloss = c(y, t)", False),  # it was run
        ("y = net(x)\nloss = c(y, t)", "\nloss = c(y, t)", False),  # made there, and not turned
        ("t = t.float()\nloss = c(y, t)", "\nloss = c(y, t)", False),  # that is no placeholder
        ("y = yes.view(8)\nloss = c(y, t)", "\nloss = c(y, t)", False),
        ("", "", False),
    ],
)
def test_whether_what_was_left_out_turns_a_value_that_was_added(
    posted: str, code: str, expected: bool
) -> None:
    """An edit would be to what the person has no longer."""
    bound = Bound(name="y", expression="0", what="a number", evidence="use")

    assert is_changed_elsewhere(posted, code, Glue(before=(bound,))) is expected
    assert is_changed_elsewhere(posted, code, Glue()) is False


async def test_of_values_that_were_added_only_what_the_message_says_is_mended(ask: Ask):
    """Which loss it is was chosen: an edit would be to that. Both sizes were posted."""
    answer = await ask(
        "The sizes differ, why?\n```python\nloss = criterion(y_pred, labels)\n```\n```\n"
        "ValueError: Using a target size (torch.Size([32])) that is different to the input size "
        "(torch.Size([32, 1])) is deprecated. Please ensure they have the same size.\n```"
    )

    diffs = [fix.diff for fix in (answer.fix, *answer.alternatives) if fix is not None]
    assert [d.splitlines()[-1] for d in diffs] == [
        "+loss = criterion(y_pred, labels.unsqueeze(1))",
        "+loss = criterion(y_pred.squeeze(-1), labels)",
    ], answer.headline
    answer = await ask(
        "Why?\n```python\nloss = criterion(y_pred, labels)\n```\n```\n"
        "RuntimeError: 0D or 1D target tensor expected, multi-target not supported\n```"
    )

    assert answer.fix is None and not answer.alternatives, answer.headline
