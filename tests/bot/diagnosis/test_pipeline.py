"""bot/diagnosis/pipeline.py: what people believe about PyTorch, and what really happens.

The first eighteen messages do what the eighteen programs of the five founding documents do, in
programs of our own. Half of what those documents claim is not so on today's torch.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.diagnosis.pipeline import Pipeline
from bot.messages.question import read_message
from bot.platforms.card import sheet
from bot.service.seam import Answered
from executor.protocol import Job, JobResult, Probe
from knowledge.documents.verdict import Verdict
from knowledge.search.search import Hit, SearchResult, SourceMatch
from tests.conftest import Ask, last_of

RELU = "Why does torch.relu_() fail with 'unknown parameter type' on my tensor?"
GAMMA = "Can a torch.cuda.FloatTensor be my layer's gamma parameter?"
UNPACKED = "Errors when I modify a tensor that I unpacked from another one"
NON_LEAF = "non-leaf tensor error: optimise the model together with an extra learnable tensor"
IN_PLACE = "What makes PyTorch complain about in-place operations?"

TRAIN = """
model = Scaled()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(2):
    optimizer.zero_grad()
    loss = (model(torch.randn(6, 4)) - 1).pow(2).mean()
    loss.backward()
    optimizer.step()
"""


def module(attribute: str, use: str = "self.gain") -> str:
    """A module with one extra attribute, and its training."""
    return (
        "import torch\nfrom torch import nn\n\n"
        "class Scaled(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.linear = nn.Linear(4, 4)\n"
        f"        self.gain = {attribute}\n\n"
        "    def forward(self, x):\n"
        f"        return self.linear(x) * {use}\n" + TRAIN
    )


CUDA_GAIN = "torch.cuda.FloatTensor([2.0])"

RUNS = {
    "relu_ on an int tensor inside try": (
        RELU,
        "import torch\ntry:\n    counts = torch.tensor([[-3, 4], [5, -6]], dtype=torch.int32)\n"
        "    counts.relu_()\n    print(counts)\nexcept Exception as e:\n    print('failed', e)\n",
    ),
    "relu_ on a detached tensor inside try": (
        RELU,
        "import torch\nfrom torch import nn\nout = nn.Linear(3, 3)(torch.randn(2, 3)).detach()\n"
        "try:\n    out.relu_()\nexcept RuntimeError as e:\n    print('failed', e)\nprint(out)\n",
    ),
    "relu_ on uint8 batches from a loader": (
        RELU,
        "import numpy as np\nimport torch\nfrom torch.utils.data import DataLoader\n"
        "pixels = [np.array([1, 200, 7], dtype=np.uint8)] * 4\n"
        "for batch in DataLoader(pixels, batch_size=2):\n    try:\n        batch.relu_()\n"
        "    except Exception as e:\n        print('failed', e)\n",
    ),
    "normalised into a new tensor": (
        UNPACKED,
        "import torch\ndef scaled(picture):\n    rows = []\n    for row in picture:\n"
        "        rows.append((row - row.min()) / (row.max() - row.min()))\n"
        "    return torch.stack(rows)\np = torch.rand(3, 5, requires_grad=True)\n"
        "scaled(p).pow(2).sum().backward()\nprint('done')\n",
    ),
    "thresholded element by element on a clone": (
        UNPACKED,
        "import torch\nt = torch.randn(3, 3, requires_grad=True)\nu = t.clone()\n"
        "for i in range(3):\n    for j in range(3):\n        if u[i, j] < 0.2:\n"
        "            u[i, j] = 0\ntry:\n    u.sum().backward()\nexcept RuntimeError as e:\n"
        "    print(e)\n",
    ),
    "thresholded with masked_fill": (
        UNPACKED,
        "import torch\nt = torch.randn(3, 3, requires_grad=True)\n"
        "t.masked_fill(t < 0.2, 0).sum().backward()\nprint(t.grad)\n",
    ),
    "the extra tensor is a Parameter": (NON_LEAF, module("nn.Parameter(torch.ones(4))")),
    "a Parameter raised through .data in forward": (
        NON_LEAF,
        module("nn.Parameter(torch.ones(4))").replace(
            "        return", "        self.gain.data += 0.1\n        return"
        ),
    ),
    "a Parameter whose .data is replaced after use": (
        NON_LEAF,
        module("nn.Parameter(torch.ones(4))").replace(
            "        return self.linear(x) * self.gain",
            "        grown = self.gain + 0.1\n        out = self.linear(x) * grown\n"
            "        self.gain.data = grown.data\n        return out",
        ),
    ),
    "add_ before sum": (
        IN_PLACE,
        "import torch\na = torch.ones(3, requires_grad=True)\nb = a * 3\nb.add_(5)\n"
        "b.sum().backward()\nprint(a.grad)\n",
    ),
    "masked assignment into plain data": (
        IN_PLACE,
        "import torch\nx = torch.randn(20, 3)\nx[x > 1] = 0\n"
        "print(torch.nn.Linear(3, 2)(x).sum())\n",
    ),
    "masked assignment into a clone, then backward": (
        IN_PLACE,
        "import torch\nx = torch.randn(20, 3)\ny = x.clone()\ny[x > 1] = 0\n"
        "torch.nn.Linear(3, 2)(y).sum().backward()\n",
    ),
}


def posted(text: str, code: str) -> str:
    """A message with a fenced snippet."""
    return f"{text}\n\n```python\n{code}```\n"


@pytest.mark.parametrize("name", RUNS)
async def test_what_is_believed_to_fail_and_does_not(ask: Ask, name: str):
    """It runs on this torch: nothing raised, nothing caught, and the answer says so."""
    text, code = RUNS[name]
    answer = await ask(posted(text, code))

    assert answer.status == "runs", answer.headline
    assert answer.error is None and answer.fix is None
    assert answer.run is not None and answer.run.caught == ()
    if "except" in code:
        assert "never entered" in answer.headline


@pytest.mark.parametrize(
    "attribute",
    [CUDA_GAIN, f"{CUDA_GAIN}.requires_grad_(True)", f"nn.Parameter({CUDA_GAIN})"],
)
async def test_a_cuda_tensor_without_a_gpu_meets_a_simulated_one(ask: Ask, attribute: str):
    """The CPU's own error (no CUDA here) says nothing about the code; the device error does."""
    answer = await ask(posted(GAMMA, module(attribute)))

    assert answer.status == "reproduced", answer.headline
    assert "simulated device" in answer.headline and "GPU" not in answer.headline
    assert answer.error is not None and "found at least two devices" in answer.error.message
    assert "`self.gain` is on cuda:0 (line 8)" in answer.headline
    assert answer.evidence is not None and answer.evidence.device == "simulated cuda:0"


async def test_an_error_the_snippet_swallows_is_found_and_fixed(ask: Ask):
    """The in-place error ends in the snippet's own except; it is real all the same."""
    code = (
        "import torch\n"
        "def stretch(picture):\n"
        "    for k in range(picture.shape[0]):\n"
        "        plane = picture[k]\n"
        "        lowest = plane.min()\n"
        "        highest = plane.max()\n"
        "        for r in range(plane.shape[0]):\n"
        "            plane[r] = (plane[r] - lowest) / (highest - lowest)\n"
        "    return picture\n"
        "p = torch.rand(2, 4, 4, requires_grad=True)\n"
        "total = stretch(p.clone()).sum() ** 2\n"
        "try:\n"
        "    total.backward()\n"
        "except RuntimeError as e:\n"
        "    print('hm', e)\n"
    )
    answer = await ask(posted(UNPACKED, code))

    assert answer.status == "fixed", answer.headline
    assert answer.error is not None and answer.error.caught
    assert (answer.error.type, answer.error.line) == ("RuntimeError", 13)
    assert answer.culprit is not None
    assert (answer.culprit.saved_line, answer.culprit.modified_line) == (6, 8)
    assert answer.fix is not None and "plane.clone().min()" in answer.fix.code


async def test_a_constant_attribute_never_trains(ask: Ask):
    """No error, and yet `gain` stays where it is: the finding names it, its line and why."""
    answer = await ask(posted("odd results", module("torch.zeros(4)", "(1 + self.gain)")))

    found = {(f.kind, f.name, f.line) for f in answer.findings}
    assert found == {("unregistered_tensor", "gain", 8)}
    assert answer.status == "reproduced" and answer.fix is None
    assert {f.intent for f in answer.alternatives} == {"it should learn", "it is a constant"}
    assert all(f.verified for f in answer.alternatives)


@pytest.mark.parametrize(
    "text",
    [
        "why does gain never learn?",
        "my gain isn't updated",
        "one learnable tensor beside the model",
    ],
)
async def test_the_askers_words_say_which_meaning_is_theirs(ask: Ask, text: str):
    """Whoever says that it should learn gets the Parameter as the fix."""
    answer = await ask(posted(text, module("torch.ones(4)")))

    assert answer.status == "fixed" and answer.fix is not None
    assert "nn.Parameter(torch.ones(4))" in answer.fix.code


@pytest.mark.parametrize("text", ["my training is odd", "why is the loss so high after training?"])
async def test_training_alone_is_not_a_meaning(ask: Ask, text: str):
    """A constant may be right: nobody is told to train it for saying "training"."""
    answer = await ask(posted(text, module("torch.ones(4)")))

    assert answer.fix is None and len(answer.alternatives) == 2


async def test_a_detached_parameter_gets_its_gradient_back(ask: Ask):
    """It is in the optimizer and stays where it is, because forward cuts it off: no longer."""
    code = module("nn.Parameter(torch.ones(4))", "self.gain.clone().detach()")
    answer = await ask(posted(NON_LEAF, code))

    assert [(f.kind, f.name) for f in answer.findings] == [("no_gradient", "model.gain")]
    assert answer.status == "fixed" and answer.fix is not None
    assert "self.gain.clone()" in answer.fix.code and "detach" not in answer.fix.code


# -- around the eighteen ---------------------------------------------------------------------


async def test_a_write_that_pytorch_does_not_notice_is_told_with_both_lines(ask: Ask):
    """It runs and computes wrong gradients: only a second run with the listener shows it."""
    code = (
        "import torch\nw = torch.ones(4, requires_grad=True)\n"
        "x = torch.ones(4, requires_grad=True)\nloss = (w * x).sum()\nw.data.mul_(2)\n"
        "loss.backward()\nprint(x.grad)\n"
    )
    answer = await ask(posted("why is the gradient twice what I expect?", code))

    assert answer.status == "reproduced"
    assert answer.headline.startswith("It runs, but line 5 writes into `w` through .data")
    assert answer.culprit is not None
    assert (answer.culprit.saved_line, answer.culprit.modified_line) == (4, 5)
    assert answer.culprit.needed_line == 6 and "does not notice" in answer.culprit.note


async def test_a_question_without_code_gets_the_explanation(ask: Ask):
    """Advice comes from an article, and says nothing about code it has not seen."""
    answer = await ask("can't optimize a non-leaf Tensor — what does that mean?")

    assert answer.status == "advice" and answer.run is None and answer.evidence is None
    assert answer.why is not None and answer.why.article == "non-leaf-tensor-in-optimizer"


async def test_an_explanation_carries_the_run_that_proves_it(ask: Ask):
    """The article's own programs were run, here and on this torch, before it is quoted."""
    answer = await ask("relu_ says unknown parameter type")

    assert answer.why is not None and answer.why.proof is not None
    assert answer.why.proof.holds is True
    assert answer.why.proof.torch.startswith("2.")


async def test_a_traceback_alone_is_looked_up_and_said_to_be_alone(ask: Ask):
    """No code, no claim about code."""
    answer = await ask(
        "help\n```\nTraceback (most recent call last):\n"
        '  File "train.py", line 12, in <module>\n    loss.backward()\n'
        "RuntimeError: one of the variables needed for gradient computation has been modified by "
        "an inplace operation: [torch.FloatTensor [64, 3]], which is output 0 of ReluBackward0, "
        "is at version 1; expected version 0 instead.\n```"
    )

    assert answer.status == "advice" and answer.run is None
    assert answer.headline.startswith(
        "A computed tensor of shape [64, 3], the result of ReluBackward0, was changed"
    )
    assert sheet(Answered(answer)).headline.startswith("● Explained, nothing was run: A computed")


async def test_nothing_known_is_said_to_be_unknown(ask: Ask):
    """Off topic: not sure, with what is missing and how near the nearest was."""
    answer = await ask("how do I merge two data frames on a date column?")

    assert answer.status == "unsure" and answer.why is None
    assert "needed" in answer.headline or "Not sure" in answer.headline


@pytest.mark.parametrize(
    "question",
    [
        "how do I centre a div",
        "what is a transformer in electrical engineering",
        "my sourdough does not rise, is the starter dead?",
        "which tyres for a gravel bike in winter",
        "git rebase or merge for a long-lived branch?",
        "what does the torch of the Statue of Liberty weigh",
        "how to write a cover letter for a museum job",
        "SELECT is slow on a table with ten million rows",
        "best time of the year to visit Kyoto",
        "how can I install printer drivers on Ubuntu",
    ],
)
async def test_off_topic_is_unsure(ask: Ask, question: str):
    """No article is stretched to fit."""
    answer = await ask(question)

    assert answer.status == "unsure" and answer.why is None and answer.sources == ()


@pytest.mark.parametrize(
    ("question", "article"),
    [
        (RELU, "relu-inplace-integer"),
        (GAMMA, "plain-tensor-attribute-not-a-parameter"),
        (UNPACKED, "in-place-write-to-a-view-saved-for-backward"),
        (NON_LEAF, "non-leaf-tensor-in-optimizer"),
        (IN_PLACE, "in-place-overwrites-saved"),
    ],
)
async def test_each_subject_finds_its_article(ask: Ask, question: str, article: str):
    """Asked without code, each subject of the founding documents has an explanation."""
    answer = await ask(question)

    assert answer.status == "advice", answer.headline
    assert answer.why is not None and answer.why.article == article
    assert answer.why.text and answer.why.remedy


FOREIGN = {
    "a step before backward": (
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))\n"
        "best = torch.optim.SGD(net.parameters(), lr=0.1)\nfirst = net(torch.ones(5, 3)).mean()\n"
        "second = net(torch.ones(5, 3)).pow(2).mean()\nfirst.backward()\nbest.step()\n"
        "second.backward()",
        "is a view: it has no memory",
    ),
}


@pytest.mark.parametrize(("code", "reason"), FOREIGN.values(), ids=FOREIGN)
async def test_an_error_that_an_article_only_quotes_gets_no_reason_of_another(
    ask: Ask, code: str, reason: str
):
    """Only what the article says of this error; its fix is for another mistake."""
    answer = await ask(f"```python\n{code}\n```")

    assert answer.status == "reproduced", answer.headline
    assert answer.why is None or (reason not in answer.why.text and answer.why.remedy == "")


async def test_an_error_without_a_message_ends_the_sentence(ask: Ask):
    """No colon with nothing behind it."""
    answer = await ask("```python\nimport torch\nraise NotImplementedError\n```")

    assert "NotImplementedError at line 2." in answer.headline


async def test_an_overwritten_value_is_told_in_the_headline_by_its_lines(ask: Ask):
    """Both lines, in place of a tensor without a name."""
    answer = await ask(f"```python\n{FOREIGN['a step before backward'][0]}\n```")

    assert "overwrites the values that line" in answer.headline


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import torchvision_of_tomorrow as t\nt.go()\n", "torchvision_of_tomorrow"),
        ("import torch\nrows = gather(cells)\n", "never defined"),
        ("import torch\nloss = criterion(model(x), y)\n", "needs your `criterion`, `model`"),
        ("rows = open('measurements.csv').read()\n", "measurements.csv"),
        ("n = int(input('how many? '))\n", "nobody can type"),
        ("while True:\n    pass\n", "was stopped after"),
        ("while True:\n    print('x' * 5000)\n", "printed more than"),
    ],
)
async def test_what_cannot_be_run_is_said_with_the_next_step(medic: Pipeline, code: str, says: str):
    """Not run is not an error of theirs: it says what was missing and what to post."""
    answer = await last_of(replace(medic, wall_s=2).answer(read_message(posted("why?", code))))

    assert answer.status == "not_run", answer.headline
    assert says in answer.headline and answer.fix is None


async def test_a_refuted_document_is_not_quoted_without_saying_so(medic: Pipeline):
    """What an audit refuted is told before the passage, wherever the passage goes."""
    passage = "Clipping happens by itself."
    seen = SourceMatch(meaning=0.9, meaning_rank=1, words=0.9, words_rank=1)
    hit = Hit("clip", "document", "Clipping", passage, 0.9, "meaning", seen, Verdict.REFUTED)
    found = SearchResult((hit,), confidence=0.9, threshold=0.5)
    told = await last_of(replace(medic, look=lambda *_: found).answer(read_message("clip?")))

    assert told.why is not None and passage in told.why.text
    assert "refuted" in told.why.text.partition(passage)[0]


GUARDED = """\
import torch
from torch import nn
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 3).to(device)
labels = torch.tensor([0, 1])
inputs = torch.randn(2, 4).to(device)
outputs = model(inputs)
loss = nn.CrossEntropyLoss()(outputs, labels)
"""


async def test_a_guard_against_no_gpu_does_not_hide_what_is_not_moved(ask: Ask):
    """It runs on the CPU, as the guard wants; on a simulated device the labels are left behind."""
    answer = await ask(posted("device error on my machine", GUARDED))

    assert answer.status == "reproduced", answer.headline
    assert answer.headline.startswith("Reproduced (simulated device): RuntimeError at line 8.")
    told = "`outputs` (line 7) is on cuda:0 and `labels` (line 5) is on cpu."
    assert answer.explanation.startswith(told)
    assert [fix.shown for fix in answer.alternatives] == ["verified"]
    assert answer.headline.endswith("On the CPU it runs.")
    assert answer.culprit is None and answer.error is not None and answer.error.line == 8


async def test_a_device_error_that_the_snippet_swallows_names_its_tensors(ask: Ask):
    """The except hides it twice: on the CPU nothing is raised, on a GPU it is caught."""
    lines = GUARDED.splitlines()
    code = "\n".join([*lines[:-1], "try:", f"    {lines[-1]}", "except RuntimeError:", "    pass"])
    answer = await ask(posted("?", code))

    assert answer.status == "reproduced", answer.headline
    assert "`labels` stays on the CPU (from line 5)" in answer.headline
    assert "which your own except takes" in answer.headline


async def test_a_second_gpu_is_not_called_a_mistake(ask: Ask):
    """The simulated device is one; their machine may have more."""
    answer = await ask(posted("?", "import torch\nx = torch.ones(2).to('cuda:1')\n"))

    assert answer.status == "not_run", answer.headline
    assert "second GPU (line 2)" in answer.headline and answer.error is None


@pytest.mark.parametrize(
    "code",
    [
        "n = torch.cuda.device_count()\nassert n >= 2, f'{n} are too few'",
        "x = torch.ones(2).cuda()\nif torch.cuda.get_device_capability()[0] < 9:\n"
        "    raise RuntimeError('too old')",
    ],
)
async def test_what_only_other_gpus_allow_is_not_called_a_mistake(ask: Ask, code: str):
    """Whether there is none here, or a simulated one of another kind."""
    answer = await ask(posted("?", f"import torch\n{code}\n"))

    assert answer.status == "not_run", answer.headline
    assert "of the GPUs that it finds" in answer.headline and answer.error is None


async def test_an_error_with_any_gpus_is_a_mistake(ask: Ask):
    """Though the program asks how many there are."""
    code = "n = torch.cuda.device_count()\nx = torch.ones(2).cuda()\nx @ torch.ones(3).cuda()"
    answer = await ask(posted("?", f"import torch\n{code}\n"))

    assert answer.status == "reproduced", answer.headline
    assert answer.error is not None and answer.error.line == 4


async def test_code_that_needs_a_gpu_runs_on_a_simulated_one(ask: Ask):
    """Nothing is wrong with it; where it ran is said, and it is never called a GPU."""
    code = GUARDED.replace("1])", "1]).cuda()").replace(
        ' if torch.cuda.is_available() else "cpu"', ""
    )
    answer = await ask(posted("?", code))

    assert answer.status == "runs", answer.headline
    assert "a simulated CUDA device" in answer.headline
    assert any("simulated CUDA device" in a for a in answer.assumptions)


async def test_a_crash_of_the_interpreter_is_a_result(ask: Ask):
    """A segmentation fault has no Python exception; the signal is named."""
    answer = await ask(posted("dies", "import ctypes\nctypes.string_at(0)\n"))

    assert answer.status == "reproduced" and "segmentation fault" in answer.headline


async def test_missing_imports_are_supplied_and_said(ask: Ask):
    """Everyone leaves out `import torch.nn as nn`; the answer lists what was assumed."""
    answer = await ask(posted("?", "print(nn.Linear(2, 3)(torch.ones(1, 2)).shape)\n"))

    assert answer.status == "runs"
    assert {"import torch", "import torch.nn as nn"} <= set(answer.assumptions)


async def test_several_blocks_are_one_program(ask: Ask):
    """The second block uses what the first defines; the answer says that they were joined."""
    answer = await ask(
        "first\n```python\nimport torch\nw = torch.ones(2)\n```\nthen\n```python\nprint(w + v)\n```"
    )

    assert answer.status == "not_run" and "`v`" in answer.headline
    assert any("2 blocks are one program" in a for a in answer.assumptions)


async def test_a_failure_only_a_fresh_interpreter_shows(ask: Ask):
    """The warm server has imported what the snippet forgot; a posted traceback asks for more."""
    answer = await ask(
        "```python\nimport concurrent\nprint(concurrent.futures.ThreadPoolExecutor)\n```\n"
        '```\nTraceback (most recent call last):\n  File "a.py", line 2, in <module>\n'
        "AttributeError: module 'concurrent' has no attribute 'futures'\n```"
    )

    assert answer.status == "reproduced" and answer.error is not None
    assert answer.error.type == "AttributeError" and answer.error.line == 2


async def test_a_failing_layer_is_named_with_its_line_and_its_input(ask: Ask):
    """The traceback ends in torch's code; the answer says which layer, made where, gets what."""
    answer = await ask(
        posted(
            "crashes",
            "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n"
            "    def __init__(self):\n        super().__init__()\n"
            "        self.head = nn.Sequential(nn.ReLU(), nn.Linear(12, 3))\n\n"
            "    def forward(self, x):\n        return self.head(x.flatten(1))\n\n"
            "Net()(torch.randn(5, 2, 4))\n",
        )
    )

    assert answer.status == "fixed" and answer.explanation is not None
    told = answer.explanation
    assert "`self.head.1` is Linear(in_features=12, out_features=3, bias=True)" in told
    assert "made at line 7; its input here is float32 [5, 8]" in told


async def test_a_swallowed_error_is_explained_from_live_values(ask: Ask):
    """What clashes is told although the snippet caught the error and goes on."""
    answer = await ask(
        posted(
            "wrong output",
            "import torch\n\ndef score(a, b):\n    try:\n        return a @ b\n"
            "    except RuntimeError:\n        return None\n\n"
            "queries = torch.randn(4, 8)\nkeys = torch.randn(6, 8)\nprint(score(queries, keys))\n",
        )
    )

    assert answer.status == "fixed" and answer.error is not None and answer.error.caught
    assert answer.explanation is not None
    assert "`a` [4, 8] (passed in at line 11) gives rows of 8 values" in answer.explanation
    assert "`a @ b.T` would fit" in answer.explanation


async def test_what_the_text_shows_is_asked_of_the_first_run_alone(medic: Pipeline) -> None:
    """The runs of candidates are spared it."""
    asked: list[Job] = []

    class Heard:
        async def run(self, job: Job) -> JobResult:
            asked.append(job)
            return await medic.executor.run(job)

    heard = replace(medic, executor=Heard())  # type: ignore[arg-type]
    code = "import torch\ny = torch.ones(2, requires_grad=True).exp()\ny += 1\ny.sum().backward()\n"
    answer = await last_of(heard.answer(read_message(posted("why?", code))))

    assert answer.status == "fixed"
    first, *later = asked
    runs = [j for j in later if j.code != first.code and j.code.startswith("import torch\n")]
    assert first.remarks and runs
    assert not any(job.remarks or job.constructs for job in runs)
    assert Probe.NONE in next(job for job in asked if "propose" in job.code).probes


async def test_a_posted_name_that_stands_nowhere_in_the_code_is_not_asked_for(ask: Ask):
    """It was raised in somebody else's code: what the run shows is said, and no "define it"."""
    answer = await ask(
        "It says NameError: name 'nowhere' is not defined\n"
        "```python\nimport torch\ntorch.ones(2, 3) @ torch.ones(2, 3)\n```"
    )
    assert "nothing defines it" not in answer.headline and answer.posted is None
    assert "RuntimeError at line 2" in answer.headline
