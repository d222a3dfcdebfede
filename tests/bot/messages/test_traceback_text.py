"""Every way in which people paste an error is read to the same facts."""

from __future__ import annotations

import pytest

from bot.messages.question import read_message, user_frames
from bot.messages.traceback_text import (
    find_bare_errors,
    find_tracebacks,
    find_warnings,
    longest_wording,
    only_type_named,
)
from bot.models import PastedTraceback


def pasted(text: str) -> PastedTraceback:
    """The traceback of a message that holds one, in a fence and in the open alike."""
    fenced = read_message(f"```\n{text}\n```")
    bare = read_message(f"This happens:\n\n{text}")
    assert fenced.snippets == bare.snippets == ()
    assert fenced.traceback is not None
    assert bare.traceback is not None
    assert (fenced.traceback.type, fenced.traceback.frames) == (
        bare.traceback.type,
        bare.traceback.frames,
    )
    assert fenced.traceback.message == bare.traceback.message
    return fenced.traceback


def places(traceback: PastedTraceback) -> list[tuple[str, int, str, str]]:
    return [(f.file, f.line, f.function, f.code) for f in traceback.frames]


def test_cpython_with_carets():
    """Frames, their code, and a message; carets are no code."""
    found = pasted(
        """Traceback (most recent call last):
  File "train.py", line 9, in <module>
    y = net(x)
        ^^^^^^
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 114, in forward
    return F.linear(input, self.weight, self.bias)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"""
    )

    assert (found.type, found.message) == (
        "RuntimeError",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
    )
    assert places(found)[0] == ("train.py", 9, "<module>", "y = net(x)")
    assert [frame.file for frame in user_frames(found)] == ["train.py"]


def test_message_over_several_lines():
    """load_state_dict lists what is wrong on indented lines of its message."""
    found = pasted(
        """Traceback (most recent call last):
  File "a.py", line 3, in <module>
    m.load_state_dict(s)
RuntimeError: Error(s) in loading state_dict for Net:
\tMissing key(s) in state_dict: "fc.weight".
\tsize mismatch for fc.bias: copying a param with shape torch.Size([3])."""
    )

    assert found.message.count("\n") == 2
    assert "size mismatch for fc.bias" in found.message


def test_a_message_whose_lines_lost_their_indentation():
    """load_state_dict's lines stand at the margin here, and prose below them is prose."""
    found = read_message(
        """It says
RuntimeError: Error(s) in loading state_dict for Net:
        Missing key(s) in state_dict: "fc.weight", "fc.bias".
Unexpected key(s) in state_dict: "head.weight", "head.bias".
size mismatch for out.weight: copying a param with shape torch.Size([3]) from checkpoint,
the shape in current model is torch.Size([4]).
Missing anything else? I do not know."""
    ).traceback

    assert found is not None and found.message.endswith("torch.Size([4]).")
    assert '"head.bias"' in found.message


def test_cuda_advice_belongs_to_the_message():
    """CUDA's advice is not indented, and still no prose of the author's."""
    found = pasted(
        """Traceback (most recent call last):
  File "a.py", line 3, in <module>
    loss.item()
RuntimeError: CUDA error: device-side assert triggered
CUDA kernel errors might be asynchronously reported at some other API call.
For debugging consider passing CUDA_LAUNCH_BLOCKING=1
Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."""
    )

    assert found.message.endswith("device-side assertions.")


@pytest.mark.parametrize(
    "link",
    [
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
    ],
)
def test_chained_errors(link: str):
    """The last error is the one; the text keeps the first."""
    found = pasted(
        f"""Traceback (most recent call last):
  File "a.py", line 3, in f
    d["x"]
KeyError: 'x'

{link}

Traceback (most recent call last):
  File "a.py", line 5, in <module>
    f()
ValueError: no x"""
    )

    assert (found.type, found.message) == ("ValueError", "no x")
    assert places(found) == [("a.py", 5, "<module>", "f()")]
    assert "KeyError" in found.text


def test_dataloader_worker():
    """The error in the worker is the one; the outer one only carries it."""
    found = pasted(
        """Traceback (most recent call last):
  File "main.py", line 20, in <module>
    for batch in loader:
  File "/usr/lib/python3/dist-packages/torch/_utils.py", line 705, in reraise
    raise exception
RuntimeError: Caught RuntimeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/torch/utils/data/_utils/worker.py", line 309, in _worker_loop
    data = fetcher.fetch(index)
  File "main.py", line 8, in __getitem__
    return self.x[i]
RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0"""
    )

    assert found.message.startswith("stack expects each tensor")
    assert [frame.line for frame in user_frames(found)] == [8]
    assert "Caught RuntimeError" in found.text


IPYTHON = """---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
{first}
      3 loss = net(x).sum()
      4 y.add_(1)
----> 5 loss.backward()

{second}
    512     )
--> 522 torch.autograd.backward(
    523     self, gradient
    524 )

RuntimeError: one of the variables needed for gradient computation has been modified"""


@pytest.mark.parametrize(
    ("first", "second", "file"),
    [
        (
            "Cell In[3], line 5",
            "File ~/venv/lib/python3.11/site-packages/torch/_tensor.py:522, in "
            "Tensor.backward(self, gradient)",
            "Cell In[3]",
        ),
        (
            "Input In [3], in <cell line: 5>()",
            "File /opt/conda/lib/python3.9/site-packages/torch/_tensor.py:522, in "
            "Tensor.backward(self, gradient)",
            "Input In [3]",
        ),
        (
            "<ipython-input-3-0123abc> in <module>",
            "/usr/local/lib/python3.7/dist-packages/torch/tensor.py in Tensor.backward(self)",
            "<ipython-input-3-0123abc>",
        ),
        (
            "/tmp/ipython-input-3-99.py in <cell line: 0>()",
            "/usr/local/lib/python3.12/dist-packages/torch/_tensor.py in Tensor.backward(self)",
            "/tmp/ipython-input-3-99.py",
        ),
    ],
)
def test_ipython(first: str, second: str, file: str):
    """IPython of every age: the arrow marks the line and its code."""
    found = pasted(IPYTHON.format(first=first, second=second))

    assert found.type == "RuntimeError"
    assert found.message.startswith("one of the variables")
    assert [(f.line, f.code) for f in found.frames] == [
        (5, "loss.backward()"),
        (522, "torch.autograd.backward("),
    ]
    assert found.frames[1].function == "Tensor.backward"
    assert [frame.file for frame in user_frames(found)] == [file]


def test_dynamo_names_the_users_line_below_the_message():
    """torch.compile hides the author's frame under "from user code"."""
    found = pasted(
        """Traceback (most recent call last):
  File "/v/lib/python3.11/site-packages/torch/_dynamo/exc.py", line 212, in unimplemented
    raise Unsupported(msg)
torch._dynamo.exc.Unsupported: call_function BuiltinVariable(print) [ConstantVariable(str)] {}

from user code:
   File "model.py", line 7, in forward
    print("hi")

Set TORCH_LOGS="+dynamo" and TORCHDYNAMO_VERBOSE=1 for more information"""
    )

    assert found.type == "torch._dynamo.exc.Unsupported"
    assert "from user code" not in found.message
    assert [(f.line, f.code) for f in user_frames(found)] == [(7, 'print("hi")')]


SCRIPT = """\
RuntimeError:
Expected integer literal for index. Enumeration is supported:
  File "layer.py", line 146
        x = []
        for i in range(3):
            x.append(self.conv[i](y))
                     ~~~~~~~~~~~~ <--- HERE
        return x
"""


@pytest.mark.parametrize(
    "above", ["", 'Traceback (most recent call last):\n  File "a.py", line 3\n']
)
@pytest.mark.parametrize("whole_block", [False, True])
def test_torchscript_marks_its_line_below_the_message(above: str, whole_block: bool):
    lines = f"Help\n{above}{SCRIPT}Thanks!".splitlines()

    [found] = find_tracebacks(lines, whole_block=whole_block)

    assert found.traceback.message.startswith("Expected integer literal for index.")
    last = found.traceback.frames[-1]
    assert (last.file, last.line, last.code) == ("layer.py", 146, "x.append(self.conv[i](y))")
    assert lines[found.end] == "Thanks!"


def test_torchscript_marks_its_line_behind_the_ranks_of_processes():
    """With no line `RuntimeError:` in front, as the marked line is below any message."""
    text = "\n".join(f"[rank0]: {line}" for line in SCRIPT.splitlines()[1:])

    [found] = find_tracebacks(text.splitlines(), whole_block=False)

    last = found.traceback.frames[-1]
    assert (last.line, last.code) == (146, "x.append(self.conv[i](y))")


def test_without_the_mark_the_line_is_not_known_to_be_another():
    [found] = find_tracebacks(SCRIPT.replace("<--- HERE", "").splitlines(), whole_block=True)

    assert (found.traceback.message, found.traceback.frames[0].code) == ("", "x = []")


def test_torchrun_prefixes_every_line():
    """[rank0]: is torchrun's."""
    found = pasted(
        """[rank0]: Traceback (most recent call last):
[rank0]:   File "a.py", line 3, in <module>
[rank0]:     dist.all_reduce(x)
[rank0]: torch.distributed.DistBackendError: NCCL error in: x.cpp:1970"""
    )

    assert found.type == "torch.distributed.DistBackendError"
    assert places(found) == [("a.py", 3, "<module>", "dist.all_reduce(x)")]


def test_lost_indentation():
    """Some chats strip the blanks at the start of each line."""
    found = pasted(
        """Traceback (most recent call last):
File "a.py", line 3, in <module>
loss.backward()
RuntimeError: element 0 of tensors does not require grad"""
    )

    assert places(found) == [("a.py", 3, "<module>", "loss.backward()")]
    assert found.type == "RuntimeError"


def test_only_the_end_was_pasted():
    """Without the header the frames still say what this is."""
    found = pasted('  File "a.py", line 3, in f\n    g()\ntorch.cuda.OutOfMemoryError: CUDA out of')

    assert (found.type, found.message) == ("torch.cuda.OutOfMemoryError", "CUDA out of")
    assert len(found.frames) == 1


@pytest.mark.parametrize(
    ("last", "type_"),
    [
        ("    AttributeError: no such", "AttributeError"),  # all lines were indented alike
        ("  AttributeError: no such", "AttributeError"),
        ("    else: no such", ""),  # code, and no error
        ("    AttributeError", ""),
    ],
)
def test_the_error_stands_in_the_column_of_its_frames(last: str, type_: str):
    """As where a whole traceback without its header was moved to the right."""
    found = pasted(f'    File "a.py", line 3, in f\n      g()\n{last}')

    assert found.type == type_ and len(found.frames) == 1


def test_the_end_was_cut_off():
    """Without an error line there are only frames."""
    found = pasted('Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()')

    assert found.type == ""
    assert len(found.frames) == 1


def test_syntax_error():
    """A syntax error's frame has no function."""
    found = pasted('  File "a.py", line 3\n    x = = 3\n        ^\nSyntaxError: invalid syntax')

    assert found.type == "SyntaxError"
    assert places(found) == [("a.py", 3, "", "x = = 3")]


def test_repeated_lines_are_elided():
    """Deep recursion is shortened by Python, long tracebacks by their authors."""
    found = pasted(
        """Traceback (most recent call last):
  File "a.py", line 3, in f
    f()
  [Previous line repeated 996 more times]
...
  File "a.py", line 2, in f
    g()
RecursionError: maximum recursion depth exceeded"""
    )

    assert [frame.line for frame in found.frames] == [3, 2]


@pytest.mark.parametrize(
    ("line", "type_", "message"),
    [
        (
            "RuntimeError: mat1 and mat2 (2x3 and 4x5)",
            "RuntimeError",
            "mat1 and mat2 (2x3 and 4x5)",
        ),
        ("`ValueError: too many values`", "ValueError", "too many values"),
        ("**TypeError: 'int' is not iterable**", "TypeError", "'int' is not iterable"),
        ("> KeyError: 'x'", "KeyError", "'x'"),
        ("torch.cuda.OutOfMemoryError: CUDA out.", "torch.cuda.OutOfMemoryError", "CUDA out."),
    ],
)
def test_error_line_alone(line: str, type_: str, message: str):
    """A last line without frames says enough to search for."""
    question = read_message(f"Hi,\n{line}\nWhat is that?")

    assert question.traceback is not None
    assert question.traceback.type == type_
    assert question.traceback.message == message
    assert question.traceback.frames == ()
    assert question.text == "Hi,\nWhat is that?"


def test_prose_below_an_error_is_prose():
    """The question asked right below an error is no part of its message."""
    question = read_message(
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\n'
        "ValueError: bad\nWhy does this happen? I use torch 2.1."
    )

    assert question.traceback is not None
    assert question.traceback.message == "bad"
    assert question.text == "Why does this happen? I use torch 2.1."


def test_two_tracebacks():
    """Of two separate errors the later one counts; the text has both."""
    one = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n{}: no'
    question = read_message(
        f"First\n{one.format('KeyError')}\n\nthen\n```\n{one.format('OSError')}\n```"
    )

    assert question.traceback is not None
    assert question.traceback.type == "OSError"
    assert "KeyError" in question.traceback.text


@pytest.mark.parametrize(
    "file",
    [
        "/home/me/lib/train.py",
        "train.py",
        "Cell In[3]",
        "C:\\Users\\me\\net.py",
        "<stdin>",
        "/home/me/torch_project/model.py",
        "~/project/a.py",
    ],
)
def test_frames_of_the_user(file: str):
    """The author's own files are what the answer points at."""
    found = read_message(
        f'Traceback (most recent call last):\n  File "{file}", line 3, in f\nValueError: x'
    ).traceback

    assert found is not None
    assert len(user_frames(found)) == 1


@pytest.mark.parametrize(
    "file",
    [
        "/usr/lib/python3.11/runpy.py",
        "/v/lib64/python3.9/site-packages/torch/x.py",
        "C:\\Users\\me\\anaconda3\\envs\\dl\\lib\\site-packages\\torch\\x.py",
        "C:\\Python310\\lib\\multiprocessing\\spawn.py",
        "C:\\Users\\me\\anaconda3\\envs\\dl\\lib\\threading.py",
        "<frozen importlib._bootstrap>",
        "/usr/local/lib/python3.7/dist-packages/torch/x.py",
    ],
)
def test_frames_of_libraries(file: str):
    """Installed packages and Python itself are not."""
    found = read_message(
        f'Traceback (most recent call last):\n  File "{file}", line 3, in f\nValueError: x'
    ).traceback

    assert found is not None
    assert len(found.frames) == 1
    assert user_frames(found) == ()


# --- Errors without a traceback, as people quote them -------------------------------------------

BARE = {
    "ValueError:expected 2D": ("ValueError", "expected 2D"),
    "I get RuntimeError : bad shape": ("RuntimeError", "bad shape"),
    "Runtime error: bad shape": ("RuntimeError", "bad shape"),
    "TypeError：坏": ("TypeError", "坏"),
    "f(x) -> TypeError('must be real, not str')": ("TypeError", "must be real, not str"),
    "`RuntimeError\n  Message=bad shape\n`": ("RuntimeError", "bad shape"),
    "RuntimeError: needs 4-\ndimensional input": ("RuntimeError", "needs 4-dimensional input"),
    "RuntimeError: bad\n\nIn full: RuntimeError: bad shape": ("RuntimeError", "bad shape"),
    "RuntimeError: bad\n\nThen ValueError: other": ("RuntimeError", "bad"),
    "RuntimeError: Error(s) in loading state_dict for Net:\n\n    size mismatch for fc": (
        "RuntimeError",
        "Error(s) in loading state_dict for Net:\n    size mismatch for fc",
    ),
}


@pytest.mark.parametrize(("text", "error"), BARE.items())
def test_an_error_line_is_read_however_it_is_typed(text: str, error: tuple[str, str]):
    """A blank before the colon, a missing one after it, a repr: the type is the type."""
    found = read_message(f"Hello.\n{text}").traceback

    assert found is not None
    assert (found.type, found.message) == error


UNTYPED = {
    "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)": "RuntimeError",
    "Help: forward() missing 1 required positional argument: 'x'": "TypeError",
    'See "Dimension out of range (expected to be in range of [-1, 0], but got 1)".': "IndexError",
    "Hi.\nI see `Expected input batch_size (8) to match target batch_size (32)` now.": "ValueError",
    "Why do I get 'list index out of range' errors?": "IndexError",
    "Why 'CUDA error: device-side assert triggered' in 2.1?": "RuntimeError",
    "Hi.\n\n    name 'x' is not defined\n\nWhy?": "NameError",
    "Hi.\n```\nname 'x' is not defined\n```": "NameError",
}


def test_a_quote_that_ends_a_title_is_the_message_s_own():
    """What decorates a line is taken off, and nothing of a list of names."""
    found = read_message('Unexpected key(s) in state_dict: "epoch", "weights"\n\nWhy?').traceback

    assert found is not None
    assert found.message == 'Unexpected key(s) in state_dict: "epoch", "weights"'


@pytest.mark.parametrize(("text", "type_"), UNTYPED.items())
def test_a_message_without_its_type_is_known_by_its_wording(text: str, type_: str):
    """The catalogue knows what raises it; only the message is taken, not the words before it."""
    found = read_message(text).traceback

    assert found is not None
    assert found.type == type_
    assert not found.message.endswith(("?", "."))
    assert not found.message.startswith(("Help", "See", "Hi", "Why", "`", '"'))


@pytest.mark.parametrize(
    "text",
    [
        "How do I use retain_graph=True?",
        "Hi.\nThe shapes cannot be multiplied, I think.",
        "Why does nn.Linear have a bias?",
        "Hi.\nMy friend says name 'x' is not defined by the standard.",  # within a sentence
        "The empty one\n\n    has zero elements when it is read",
        'Hi.\nThey call it "a tensor" and "a matrix of numbers" there.',
        "```python\nprint(1)  # RuntimeError: no\n```",
        "```\nx.py:3: UserWarning: failed with a cudnnException: NO\n  return f()\n```",
    ],
)
def test_other_text_is_no_error(text: str):
    """Words about errors, comments in code and warnings are none."""
    assert read_message(text).traceback is None


def test_an_error_line_completes_a_traceback_without_its_end():
    """The title has what the paste lost."""
    found = read_message(
        "RuntimeError: bad shape\n\nTraceback (most recent call last):\n"
        '  File "a.py", line 3, in <module>\n    f(x)\n'
    ).traceback

    assert found is not None
    assert (found.type, found.message, len(found.frames)) == ("RuntimeError", "bad shape", 1)


LINKED = {
    "[<ipython-input-3-01>](https://localhost:8080/#) in <cell line: 1>()": "<ipython-input-3-01>",
    "[Cell In[3], line 5](vscode-notebook-cell:?execution_count=3&line=5)": "Cell In[3]",
    "File [~/env/lib/torch/x.py:15](file:///home/me/x.py#line=14), in f(x)": "~/env/lib/torch/x.py",
    '  File "[train.py](http://train.py)", line 3, in f': "train.py",
}


@pytest.mark.parametrize(("line", "file"), LINKED.items())
def test_a_link_does_not_break_a_frame(line: str, file: str):
    """Colab, VS Code and Jupyter link each frame to its file."""
    text = f"RuntimeError     Traceback (most recent call last)\n{line}\n----> 1 f(x)\n\n"
    found = read_message(f"```\n{text}5 frames\n{line}\n----> 1 f(x)\n\nRuntimeError: no\n```")

    assert found.traceback is not None
    assert [frame.file for frame in found.traceback.frames] == [file, file]
    assert found.traceback.message == "no"
    assert found.snippets == ()


def test_frames_without_their_header_are_a_traceback():
    """The first lines of an IPython traceback are often cut off."""
    frame = (
        "<ipython-input-7-ab> in forward(self, x)\n      3     def f(x):\n----> 4     return g(x)"
    )
    question = read_message(f"```\n{frame}\n\n[...]\n\n{frame}\n\nRuntimeError: no\n```")

    assert question.traceback is not None
    assert len(question.traceback.frames) == 2
    assert question.text == ""


@pytest.mark.parametrize("indent", ["", "  ", "    ", "\t"])
def test_a_block_that_is_indented_as_a_whole_ends_in_its_error(indent: str):
    """The last frame's line of code is often left out, and the error is none."""
    frames = ['  File "a.py", line 2, in f', "    g()", '  File "b.py", line 5, in g']
    lines = [f"{indent}{line}" for line in (*frames, "ValueError: no")]
    (found,) = find_tracebacks(lines, whole_block=True)

    assert (found.traceback.type, found.traceback.message) == ("ValueError", "no")
    assert [frame.code for frame in found.traceback.frames] == ["g()", ""]


def test_an_arrow_without_the_frame_above_it_begins_a_traceback():
    """People copy a notebook's traceback from the line that failed."""
    lines = [
        "import torch",
        "",
        "      5 import numpy as np",
        "----> 6 from torchtext.legacy import data",
        "      7 ",
        "",
        "ModuleNotFoundError: No module named 'torchtext.legacy'",
    ]
    (found,) = find_tracebacks(lines, whole_block=True)

    assert (found.start, found.end) == (2, 7)
    assert found.traceback.type == "ModuleNotFoundError"
    (frame,) = found.traceback.frames
    assert (frame.line, frame.code) == (6, "from torchtext.legacy import data")


def test_an_arrow_without_an_error_is_no_traceback():
    lines = ["--> 3 steps to do it", "first this", "then that"]

    assert find_tracebacks(lines, whole_block=True) == []


def test_a_paste_that_begins_within_a_frame_of_torch_is_all_traceback():
    """The line of torch's own that stands above the first frame is no code of theirs."""
    lines = [
        "It stops with",
        "  result = self.forward(*input, **kwargs)",
        '  File "fit.py", line 3, in forward',
        "    y = y.view(-1, 40)",
        "RuntimeError: shape '[-1, 40]' is invalid for input of size 90",
    ]
    (found,) = find_tracebacks(lines, whole_block=False)

    assert (found.start, found.end) == (1, 5)
    assert [frame.line for frame in found.traceback.frames] == [3]


@pytest.mark.parametrize(
    ("prose", "named"),
    [
        (["BrokenPipeError on Windows with 4 workers"], "BrokenPipeError"),
        (["A `RuntimeError` here", "the same RuntimeError there"], "RuntimeError"),
        (["a ValueError or a TypeError"], ""),
        (["MyOwnError is raised"], ""),
        (["an error"], ""),
    ],
)
def test_a_traceback_without_its_end_is_of_the_one_type_that_is_named(prose: list[str], named: str):
    """Of two nobody knows which; only Python's own types are taken."""
    assert only_type_named(prose) == named


def test_the_type_of_a_cut_traceback_stands_in_the_title():
    """Its frames stay; the message is not made up."""
    frames = (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 3, in <module>\n    f(x)\n  File "E:'
    )
    question = read_message(f"BrokenPipeError on Windows\n\n{frames}")

    assert question.traceback is not None
    assert (question.traceback.type, question.traceback.message) == ("BrokenPipeError", "")
    assert question.traceback.frames[0].line == 3


SIZES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (
            "I got `OddError: no way in`, changed it, and then `ValueError: b is not a`",
            [("OddError", "no way in"), ("ValueError", "b is not a")],
        ),
        (
            "OddError: no way in and then ValueError: b",
            [("OddError", "no way in and then ValueError: b")],
        ),
        ("it says `OddError: no way in` and so on", [("OddError", "no way in")]),
        ("it stops (OddError: no (way) in). What is right?", [("OddError", "no (way) in")]),
        ("here OddError: no way in. With a key I get another. How?", [("OddError", "no way in.")]),
        ("here OddError: no way in. Set it to 3", [("OddError", "no way in. Set it to 3")]),
        ("导出报 OddError: no way in。需要重新训练吗？", [("OddError", "no way in")]),
        (
            " ".join(f"`E{n}Error: is number {n}`" for n in range(9)),
            [(f"E{n}Error", f"is number {n}") for n in range(4)],  # no more are looked for
        ),
    ],
)
def test_a_sentence_may_quote_several_errors(line: str, found: list[tuple[str, str]]) -> None:
    """Each in quotes of its own; else the first takes the rest of the line."""
    seen = [one.traceback for one in find_bare_errors([f"So: {line}"])]
    assert [(one.type, one.message) for one in seen] == found


def test_the_error_that_the_catalogue_knows_goes_before_one_that_it_does_not() -> None:
    """Of the first nothing could be said."""
    odd = PastedTraceback(type="OddError", message="no way in")
    known = PastedTraceback(type="RuntimeError", message=SIZES)
    more = PastedTraceback(type="RuntimeError", message=f"{SIZES} at line 3")

    assert longest_wording([odd, known]) == known
    assert longest_wording([known, odd, more]) == more
    assert longest_wording([odd, odd]) == odd
    assert longest_wording([]) is None


WARNED = "/home/a/torch/jit/__init__.py:642: TracerWarning: Output 1 does not match. Error:"


@pytest.mark.parametrize(
    ("below", "end"),
    [
        (["Not within tolerance at [0, 7]", "  _check([x], f)", "y = f(x)"], 3),
        (["  _check([x], f)", "y = f(x)"], 2),
        (["y = f(x)", "  _check([x], f)"], 1),  # code, and no words of the message
    ],
)
def test_a_warning_ends_with_the_code_that_python_prints_below(below: list[str], end: int):
    """Also where its message goes on for a line or more; it is no part of the program."""
    (found,) = find_warnings([WARNED, *below])

    assert (found.start, found.end) == (0, end)
