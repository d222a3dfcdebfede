"""REPL, notebook and several-block pastes, from the message to the error at its own line."""

from __future__ import annotations

import pytest

from bot.messages.snippets import clean_paste
from tests.conftest import Ask

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASTES = {
    "a session with its output and its error": (
        """why?
```
>>> import torch
>>> def double(x):
...     y = x * 2
...     return y
...
>>> double(torch.ones(2))
tensor([2., 2.])
>>> for i in range(2):
...     print(i)
...
0
1
>>> double(torch.ones(2)).view(3)
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
RuntimeError: shape '[3]' is invalid for input of size 2
>>>
```""",
        "shape '[3]' is invalid for input of size 2", 13,
    ),
    "a session with `...` in it": (
        """```python
>>> x = [
...     1,
...     ...,
... ]
>>> x
[1, Ellipsis]
>>> import torch
>>> t = torch.ones(2, 3)
>>> t[..., 0]
tensor([1., 1.])
>>> class A:
...     def f(self):
...         ...
...
>>> A().f()
>>> t.view(7)
```""",
        "shape '[7]' is invalid", 16,
    ),
    "a session without a fence": (
        """Hi, I get this
>>> import torch
>>> a = torch.ones(2, 3)
>>> a @ a
Traceback (most recent call last):
  File "<stdin>", line 1, in <module>
RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
what is wrong?""",
        "mat1 and mat2", 3,
    ),
    "numbered cells with a notebook's traceback": (
        """In [1]: import torch

In [2]: x = torch.randn(3, 4)
   ...: y = x @ x
   ...: print(y)
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
<ipython-input-2-abc> in <module>
      1 x = torch.randn(3, 4)
----> 2 y = x @ x
      3 print(y)

RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 3x4)

In [3]: x.shape
Out[3]: torch.Size([3, 4])
""",
        "mat1 and mat2", 4,
    ),
    "cells with a loop's output below": (
        """```
In [5]: for i in range(3):
   ...:     print(i)
   ...:
0
1
2

In [6]: torch.ones(2).view(3)
```""",
        "shape '[3]' is invalid", 8,
    ),
    "magics of every kind": (
        """```python
!pip install torch torchvision
%matplotlib inline
%load_ext autoreload
import torch
%%time
!nvidia-smi
out = !ls
get_ipython().system('ls')
get_ipython().run_line_magic('matplotlib', 'inline')
?torch.ones
torch.ones?
%env CUDA_VISIBLE_DEVICES=0
torch.ones(2).view(3)
```""",
        "shape '[3]' is invalid", 13,
    ),
    "three blocks that are one program": (
        """First
```python
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 4)
    def forward(self, x):
        return self.layer(x)
```
then
```python
net = Net()
x = torch.randn(2, 5)
```
and finally
```
net(x)
```
which says
```
RuntimeError: mat1 and mat2 shapes cannot be multiplied
```""",
        "(2x5 and 3x4)", 7,
    ),
    "a loop whose model is in another block, and whose data is nowhere": (
        """My net:
```python
import torch
from torch import nn
net = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(4, 3))
```
and how I train it
```python
for x, y in train_loader:
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
```""",
        "(8x5 and 4x3)", 5,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("message", "error", "line"), PASTES.values(), ids=PASTES)
async def test_a_paste_is_run_as_it_was_meant(
    message: str, error: str, line: int, ask: Ask
) -> None:
    """The real error, at the line where the person sees it."""
    answer = await ask(message)

    assert answer.error is not None, answer.headline
    assert error in answer.error.message
    assert answer.error.line == line


async def test_blocks_out_of_order_are_no_mistake_of_the_code(ask: Ask) -> None:
    """People show the call first and the function after it; a NameError would be ours."""
    answer = await ask(
        "It dies here:\n```python\nprint(area(3))\n```\nwith\n```python\ndef area(r):\n"
        "    return 3 * r * r\n```"
    )

    assert answer.status == "runs", answer.headline
    assert any("was put before it" in assumed for assumed in answer.assumptions)


async def test_the_line_that_is_asked_about_is_left_out_where_the_program_follows(ask: Ask) -> None:
    """Joined with the program it would use what only the program makes."""
    answer = await ask(
        "Why does this fail?\n```python\ny = scale * torch.ones(2)\n```\nThe program:\n```python\n"
        "import torch\nscale = torch.ones(3)\ny = scale * torch.ones(2)\n```"
    )

    assert answer.error is not None, answer.headline
    assert "must match" in answer.error.message
    assert answer.error.line == 3  # as the program has it


async def test_a_formula_between_the_blocks_is_no_code(ask: Ask) -> None:
    answer = await ask(
        "```python\nimport torch\nh = torch.zeros(2)\n```\nso\n\n"
        "h_t = tanh(w_{ih} * x_t + b_{ih})\n\nand then\n```python\nprint(h @ torch.ones(3))\n```"
    )

    assert answer.error is not None, answer.headline
    assert answer.error.line == 3


async def test_a_main_that_nothing_calls_is_called(ask: Ask) -> None:
    """As the last line of a script does, which people leave out."""
    code = "import torch\ndef main():\n    print(torch.ones(2) @ torch.ones(3))\n"
    answer = await ask(f"It raises an error:\n```python\n{code}```")

    assert answer.error is not None, answer.headline
    assert "added behind it: `main()`" in answer.assumptions


async def test_a_name_used_too_early_within_one_block_is_a_matter_of_the_paste(ask: Ask) -> None:
    """It is said, and the block is not put into another order."""
    answer = await ask("?\n```python\nprint(area)\narea = 3\n```\nand\n```python\narea = 4\n```")

    assert answer.status == "not_run", answer.headline
    assert "`area` (line 1) is used before line 2" in answer.headline


@pytest.mark.parametrize(
    ("posted", "read"),
    [
        ("def __init__(...):", "def __init__(*args, **kwargs):"),
        ("    def forward(self, x, ...):", "    def forward(self, x, *args, **kwargs):"),
        ("def f(x, …) -> int: return 1", "def f(x, *args, **kwargs) -> int: return 1"),
        ("class Net(...):", "class Net():"),
        ("class Net(nn.Module, ...): pass", "class Net(nn.Module, ...): pass"),  # a dot: not read
        ("def f(x: Tuple[int, ...]): pass", "def f(x: Tuple[int, ...]): pass"),
        ("def f(x, y=...): pass", "def f(x, y=...): pass"),  # Python takes it
        ("f(x, ...)", "f(x, ...)"),
    ],
)
async def test_parameters_that_were_left_out_are_taken_as_any(posted: str, read: str):
    """A definition says what it does without them; the line stays where it is."""
    cleaned = clean_paste([posted])

    assert cleaned.code == read.strip().replace("…", "...")
    assert bool(cleaned.notes) is ("args" in read or read == "class Net():")
