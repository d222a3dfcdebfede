"""executor/inside/simulated/: a pretended CUDA device does what a real one does.

One table of programs, each with the error or the output that PyTorch 2.13 gives on a GPU. It runs
simulated here, and (marked `gpu`) on the real device where there is one: that settles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import torch

from executor.jail import gpu
from executor.protocol import Job, JobResult, Outcome
from executor.service.supervisor import Supervisor, SupervisorSettings
from tests.executor.conftest import House

HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\n"
ADDMM = r"on cpu, different from other tensors on cuda:0 .*wrapper_CUDA_addmm\)"
MIXED = r"at least two devices, cuda:0 and cpu!"

# name: (program, type and message of its error); the error comes from the last line
ERRORS = {
    "input": (
        "m = nn.Linear(4, 1).cuda()\nm(torch.randn(2, 4))", "RuntimeError", f"got mat1 is {ADDMM}",
    ),
    "model": (
        "m = nn.Linear(4, 1)\nm(torch.randn(2, 4).cuda())", "RuntimeError",
        r"got mat1 is on cuda:0, different from other tensors on cpu .*wrapper_CUDA_addmm\)",
    ),
    "matrices": (
        "torch.ones(2, 2, device='cuda') @ torch.ones(2, 2)", "RuntimeError",
        r"got mat2 is on cpu, different from other tensors on cuda:0 .*wrapper_CUDA_mm\)",
    ),
    "target": (
        "o = nn.Linear(4, 3).cuda()(torch.randn(2, 4).cuda())\n"
        "nn.CrossEntropyLoss()(o, torch.tensor([0, 1]))", "RuntimeError",
        r"got target is on cpu.*wrapper_CUDA_nll_loss_forward\)",
    ),
    "regression target": (
        "F.mse_loss(torch.ones(2, device='cuda'), torch.zeros(2))", "RuntimeError", MIXED,
    ),
    "binary target": (
        "nn.BCEWithLogitsLoss()(torch.ones(2, device='cuda'), torch.zeros(2))", "RuntimeError",
        MIXED,
    ),
    "sum": ("torch.ones(2).cuda() + torch.ones(2)", "RuntimeError", MIXED),
    "in place": ("a = torch.ones(2)\na += torch.ones(2, device=0)", "RuntimeError", MIXED),
    "gpu number": ("torch.ones(2) + torch.tensor(1.0, device='cuda')", "RuntimeError", MIXED),
    "where": (
        "a = torch.ones(2).cuda()\ntorch.where(a > 0, a, torch.zeros(2))", "RuntimeError", MIXED,
    ),
    "cat": (
        "torch.cat([torch.ones(2).cuda(), torch.ones(2)])", "RuntimeError",
        r"got tensors is on cpu.*wrapper_CUDA_cat\)",
    ),
    "stack": (
        "torch.stack([torch.ones(2), torch.ones(2).cuda()])", "RuntimeError",
        r"got tensors is on cuda:0, different from other tensors on cpu .*wrapper_CUDA_cat\)",
    ),
    "token ids": (
        "e = nn.Embedding(4, 2).cuda()\ne(torch.tensor([1]))", "RuntimeError",
        r"got index is on cpu.*wrapper_CUDA__index_select\)",
    ),
    "gather": (
        "torch.ones(2, 2).cuda().gather(1, torch.zeros(2, 1, dtype=torch.long))", "RuntimeError",
        r"got index is on cpu.*wrapper_CUDA_gather\)",
    ),
    "gpu index of a cpu tensor": (
        "a = torch.arange(4)\na[torch.tensor([0]).cuda()]", "RuntimeError",
        r"indices should be either on cpu or on the same device as the indexed tensor \(cpu\)",
    ),
    "image": (
        "c = nn.Conv2d(3, 4, 3).cuda()\nc(torch.randn(2, 3, 8, 8))", "RuntimeError",
        r"Input type \(torch.FloatTensor\) and weight type \(torch.cuda.FloatTensor\) should be",
    ),
    "convolution": (
        "c = nn.Conv2d(3, 4, 3)\nc(torch.randn(2, 3, 8, 8).cuda())", "RuntimeError",
        r"Input type \(torch.cuda.FloatTensor\) and weight type \(torch.FloatTensor\) should be",
    ),
    "recurrent state": (
        "m = nn.LSTM(4, 5).cuda()\nh = torch.zeros(1, 2, 5), torch.zeros(1, 2, 5)\n"
        "m(torch.randn(3, 2, 4).cuda(), h)", "RuntimeError",
        "Input and hidden tensors are not at the same device, found input tensor at cuda:0 and "
        "hidden tensor at cpu",
    ),
    "recurrent weights": (
        "m = nn.GRU(4, 5)\nm(torch.randn(3, 2, 4).cuda())", "RuntimeError",
        "Input and parameter tensors are not at the same device",
    ),
    "packed lengths": (
        "from torch.nn.utils.rnn import pack_padded_sequence\nx = torch.randn(2, 3, 4).cuda()\n"
        "pack_padded_sequence(x, torch.tensor([3, 2]).cuda(), batch_first=True)", "RuntimeError",
        "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
    ),
    "made in forward": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 4)\n"
        "    def forward(self, x): return self.fc(x) + torch.zeros(4)\n"
        "Net().cuda()(torch.randn(2, 4).cuda())", "RuntimeError", MIXED,
    ),
    "unregistered": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.shift = torch.zeros(4)\n"
        "    def forward(self, x): return x + self.shift\n"
        "Net().to('cuda')(torch.randn(2, 4).to('cuda'))", "RuntimeError", MIXED,
    ),
    "layer made after the move": (
        "m = nn.Sequential(nn.Linear(2, 2)).to('cuda')\nm.append(nn.Linear(2, 2))\n"
        "m(torch.ones(1, 2).cuda())", "RuntimeError",
        r"got mat1 is on cuda:0, different from other tensors on cpu",
    ),
    "optimizer's state": (
        "m = nn.Linear(2, 1)\no = torch.optim.Adam(m.parameters())\n"
        "m(torch.ones(1, 2)).sum().backward()\no.step()\nm.cuda()\no.zero_grad()\n"
        "m(torch.ones(1, 2).cuda()).sum().backward()\no.step()", "RuntimeError",
        MIXED,
    ),
    "numpy": (
        "torch.ones(3, device='cuda').numpy()", "TypeError",
        "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()",
    ),
    "array": (
        "import numpy as np\nnp.asarray(torch.ones(3, device='cuda'))", "TypeError",
        "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()",
    ),
    "second gpu": ("torch.zeros(1, device='cuda:7')", "AcceleratorError", "invalid device ordinal"),
    "moved to a second gpu": (
        "torch.zeros(1).to('cuda:7')", "AcceleratorError", "invalid device ordinal",
    ),
    "generator": (
        "torch.randn(2, device='cuda', generator=torch.Generator())", "RuntimeError",
        "Expected a 'cuda' device type for generator but found 'cpu'",
    ),
    "shuffling under a default device": (
        "from torch.utils.data import DataLoader\ntorch.set_default_device('cuda')\n"
        "next(iter(DataLoader([1, 2], shuffle=True)))", "RuntimeError",
        "Expected a 'cuda' device type for generator but found 'cpu'",
    ),
    "gradient": (
        "x = torch.ones(2, requires_grad=True)\nx.grad = torch.ones(2).cuda()", "RuntimeError",
        "device type 'cuda' to a tensor with device type 'cpu'",
    ),
}  # fmt: skip

# name: (program, what it prints)
PRINTS = {
    "ways to the device": (
        "x = torch.ones(1)\n"
        "for t in (x.to('cuda'), x.cuda(), x.to(torch.device('cuda')), x.to(0),\n"
        "          x.to(x.cuda()), x.cuda(non_blocking=True), x.pin_memory().to('cuda:0'),\n"
        "          torch.tensor([1.0], device='cuda'), torch.cuda.FloatTensor([1.0])):\n"
        "    print(t.device, t.is_cuda, t.get_device(), t.item())",
        "cuda:0 True 0 1.0\n" * 9,
    ),
    "makers": (
        "c = torch.ones(2, device='cuda')\nfor t in (torch.zeros_like(c), torch.rand_like(c),\n"
        "          c.new_zeros(2), c.new_tensor([1]), torch.arange(2, device=0),\n"
        "          torch.full((2,), 1.0, device='cuda'), torch.as_tensor([1], device='cuda'),\n"
        "          F.one_hot(torch.tensor([0, 1]).cuda()), c[[0]], c.clone(), c.T, c.sum()):\n"
        "    print(t.device)\nprint(c.new_zeros(2, device='cpu').device, torch.zeros(1).device)",
        "cuda:0\n" * 12 + "cpu cpu\n",
    ),
    "repr": (
        "print(torch.arange(3).cuda(), torch.zeros(2, requires_grad=True, device='cuda'))\n"
        "c = torch.ones(()).cuda()\nprint(torch.ones(2).cuda().cpu(), c.type(), f'{c}')",
        "tensor([0, 1, 2], device='cuda:0') tensor([0., 0.], device='cuda:0', requires_grad=True)\n"
        "tensor([1., 1.]) torch.cuda.FloatTensor 1.0\n",
    ),
    "default device": (
        "torch.set_default_device('cuda')\n"
        "print(torch.zeros(1), torch.tensor([1]).device, nn.Linear(1, 1).weight.device)\n"
        "with torch.device('cpu'):\n    print(torch.zeros(1).device)\n"
        "torch.set_default_device('cpu')\nwith torch.device('cuda'):\n"
        "    print(nn.Linear(1, 1).bias.device)\nprint(torch.zeros(1).device)",
        "tensor([0.], device='cuda:0') cuda:0 cuda:0\ncpu\ncuda:0\ncpu\n",
    ),
    "numbers on the cpu mix": (
        "a = torch.ones(2).cuda()\n"
        "print(a + torch.tensor(1.0), torch.where(a > 0, a, torch.tensor(0.0)))\n"
        "a[0] = torch.tensor(3.0)\n"
        "a[torch.tensor([1])] = 5.0\na.copy_(a.cpu() + 1)\n"
        "print(a[torch.tensor([0, 1])], a.tolist())",
        "tensor([2., 2.], device='cuda:0') tensor([1., 1.], device='cuda:0')\n"
        "tensor([4., 6.], device='cuda:0') [4.0, 6.0]\n",
    ),
    "a module is told where by name": (
        "for m in (nn.Linear(2, 1).to(device='cuda'),\n"
        "          nn.Linear(2, 1).to(dtype=torch.float64, device='cuda'),\n"
        "          nn.Linear(2, 1).to('cuda').to(dtype=torch.float16),\n"
        "          nn.Linear(2, 1).cuda().to(device='cpu')):\n"
        "    print(m.weight.device, m.bias.device, m.weight.dtype)",
        "cuda:0 cuda:0 torch.float32\ncuda:0 cuda:0 torch.float64\n"
        "cuda:0 cuda:0 torch.float16\ncpu cpu torch.float32\n",
    ),
    "training": (
        "d = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        "m = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 1))\n"
        "m.to(d)\n"
        "for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop):\n"
        "    o = make(m.parameters(), lr=0.01)\n    for _ in range(2):\n        o.zero_grad()\n"
        "        l = m(torch.randn(5, 4, device=d)).pow(2).mean()\n        l.backward()\n"
        "        nn.utils.clip_grad_norm_(m.parameters(), 1.0)\n        o.step()\n"
        "    print(l.device, m[0].weight.grad.device, l.detach().cpu().numpy().shape)",
        "cuda:0 cuda:0 ()\n" * 4,
    ),
    "adam's steps": (
        "p = nn.Parameter(torch.ones(2).cuda())\no = torch.optim.Adam([p])\np.sum().backward()\n"
        "o.step()\nprint({k: str(v.device) for k, v in o.state[p].items()})",
        "{'step': 'cpu', 'exp_avg': 'cuda:0', 'exp_avg_sq': 'cuda:0'}\n",
    ),
    "leaves on the device": (
        "a = torch.tensor([1.0], device='cuda', requires_grad=True)\n"
        "b = torch.as_tensor(torch.ones(1, requires_grad=True), device='cuda')\n"
        "n = torch.ones(2).numpy()\nc = torch.as_tensor(n, device='cuda')\nn[0] = 5\n"
        "print(a.is_leaf, a.requires_grad, b.is_leaf, b.requires_grad, c.tolist())",
        "True True False True [1.0, 1.0]\n",
    ),
    "gradients go home": (
        "x = torch.ones(2, requires_grad=True)\ny = x.cuda()\n(y * 2).sum().backward()\n"
        "print(x.grad, y.is_leaf, torch.ones(2, requires_grad=True).cuda().is_leaf)",
        "tensor([2., 2.]) False False\n",
    ),
    "custom function": (
        "class Twice(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x):\n"
        "        return x * 2\n    @staticmethod\n    def backward(c, g):\n"
        "        print(g.device, torch.zeros_like(g).device)\n        return g * 2\n"
        "x = torch.ones(2, device='cuda', requires_grad=True)\nTwice.apply(x).sum().backward()\n"
        "print(x.grad)",
        "cuda:0 cuda:0\ntensor([2., 2.], device='cuda:0')\n",
    ),
    "mixed precision": (
        "m = nn.Linear(4, 4).cuda()\no = torch.optim.SGD(m.parameters(), 0.1)\n"
        "s = torch.amp.GradScaler('cuda')\nwith torch.autocast('cuda'):\n"
        "    l = m(torch.randn(2, 4, device='cuda')).float().pow(2).mean()\n"
        "s.scale(l).backward()\ns.unscale_(o)\ns.step(o)\ns.update()\n"
        "print(s.get_scale(), l.device)\n"
        "print(m.half()(torch.ones(1, 4, device='cuda').half()).dtype)",
        "65536.0 cuda:0\ntorch.float16\n",
    ),
    "recurrent": (
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        "x = torch.randn(2, 3, 4).cuda()\n"
        "p = pack_padded_sequence(x, torch.tensor([3, 2]), batch_first=True)\n"
        "o, (h, c) = nn.LSTM(4, 5, batch_first=True).cuda()(p)\n"
        "y, n = pad_packed_sequence(o, batch_first=True)\n"
        "print(p.data.device, p.batch_sizes.device, y.device, n.device, h.device)\n"
        "print(nn.GRU(4, 5).cuda()(x)[0].device)",
        "cuda:0 cpu cuda:0 cpu cuda:0\ncuda:0\n",
    ),
    "attention": (
        "x = torch.randn(2, 3, 8).cuda()\n"
        "l = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)\n"
        "m = nn.TransformerEncoder(l, 1).cuda()\n"
        "print(m(x).device, m.eval()(x).device)\n"
        "print(nn.MultiheadAttention(8, 2).cuda()(x, x, x)[0].device)",
        "cuda:0 cuda:0\ncuda:0\n",
    ),
    "files": (
        "import copy\nm = nn.Linear(2, 2).cuda()\ntorch.save(m.state_dict(), 'm.pt')\n"
        "print(torch.load('m.pt')['weight'].device)\n"
        "print(torch.load('m.pt', map_location='cpu')['weight'].device)\nn = nn.Linear(2, 2)\n"
        "n.load_state_dict(torch.load('m.pt'))\n"
        "print(n.weight.device, copy.deepcopy(m).bias.device)\n"
        "print(copy.deepcopy(torch.ones(1).cuda()).device)",
        "cuda:0\ncpu\ncpu cuda:0\ncuda:0\n",
    ),
    "batches": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "d = TensorDataset(torch.randn(4, 2), torch.arange(4))\n"
        "for x, y in DataLoader(d, 2, pin_memory=True):\n"
        "    print(x.is_pinned(), x.cuda(non_blocking=True).device, y.device)",
        "True cuda:0 cpu\n" * 2,
    ),
    "data parallel": (
        "m = nn.DataParallel(nn.Linear(2, 2), device_ids=[0]).cuda()\n"
        "print(m(torch.ones(3, 2)).device)",
        "cuda:0\n",
    ),
    "generators": (
        "g = torch.Generator(device='cuda').manual_seed(1)\nprint(g.device.type)\n"
        "a = torch.randn(2, device='cuda', generator=g)\ng.manual_seed(1)\n"
        "print(torch.equal(a, torch.randn(2, device='cuda', generator=g)))\n"
        "torch.manual_seed(0)\nb = torch.randn(2)\ntorch.manual_seed(0)\n"
        "torch.randn(9, device='cuda')\n"
        "print(torch.equal(b, torch.randn(2)))",
        "cuda\nTrue\nTrue\n",
    ),
    "questions": (
        "c = torch.cuda\nprint(c.is_available(), c.current_device(), type(c.get_device_name(0)))\n"
        "with c.stream(c.Stream()), c.device(0):\n    pass\nc.synchronize()\nc.empty_cache()\n"
        "before = c.memory_allocated()\nx = torch.ones(1000, device='cuda')\n"
        "print(c.memory_allocated() - before)\ndel x\nprint(c.memory_allocated() - before)\n"
        "print(isinstance(torch.ones(1).cuda(), torch.cuda.FloatTensor))",
        "True 0 <class 'str'>\n4096\n0\nTrue\n",
    ),
    "lengths of a CTC loss": (
        "p = torch.zeros(4, 1, 3).log_softmax(2).cuda()\nt = torch.tensor([[1, 2]]).cuda()\n"
        "print(F.ctc_loss(p, t, torch.tensor([4]), torch.tensor([2])).device)",
        "cuda:0\n",
    ),
    "targets of a CTC loss": (
        "p = torch.zeros(4, 1, 3).log_softmax(2).cuda()\nt = torch.tensor([[1, 2]])\n"
        "print(F.ctc_loss(p, t, torch.tensor([4]), torch.tensor([2])).device, t.device)",
        "cuda:0 cpu\n",
    ),
    "without autograd": (
        "x = torch.ones(2, 3, 4, dtype=torch.uint8)\nwith torch.inference_mode():\n"
        "    a = x.to('cuda')\n    b = a.permute(2, 0, 1)\n"
        "    print(a.float().device, b.reshape(-1).device, b.contiguous().device, a.cpu().device)\n"
        "    print((a.float() - torch.zeros(4).cuda()).device, x.float().device)",
        "cuda:0 cuda:0 cuda:0 cpu\ncuda:0 cpu\n",
    ),
    "threads": (
        "import threading\n"
        "def work():\n    x = torch.ones(2, device='cuda')\n    print((x + x).device)\n"
        "t = threading.Thread(target=work)\nt.start()\nt.join()",
        "cuda:0\n",
    ),
    "per-sample": (
        "x = torch.ones(3, 2, device='cuda')\nprint(torch.vmap(lambda a: a * 2)(x).device)\n"
        "print(torch.func.grad(lambda a: (a**2).sum())(x).device)",
        "cuda:0\ncuda:0\n",
    ),
}  # fmt: skip


def check_error(result: JobResult, code: str, kind: str, message: str) -> None:
    """The last line raised what a GPU raises."""
    assert result.outcome is Outcome.ERROR, result.stdout
    assert result.error is not None
    assert result.error.type == kind and re.search(message, result.error.message), result.error
    assert result.error.line == len((HEAD + code).splitlines()) or "forward" in code


@pytest.mark.parametrize("name", list(ERRORS))
def test_a_device_error_is_pytorchs_own(any_house: House, name: str) -> None:
    code, kind, message = ERRORS[name]
    result = any_house.run(HEAD + code, simulate="cuda")

    check_error(result, code, kind, message)
    assert "executor/" not in result.stderr  # nor does a frame of ours show
    assert result.env.device == "simulated cuda:0"


@pytest.mark.parametrize("name", list(PRINTS))
def test_what_runs_on_a_gpu_runs(any_house: House, name: str) -> None:
    code, printed = PRINTS[name]
    result = any_house.run(HEAD + code, simulate="cuda", wall_s=30)

    assert result.error is None, result.error
    assert (result.stdout, result.detail) == (printed, "")
    assert result.detail == ""  # no probe failed


def test_the_lines_that_put_the_operands_where_they_are(any_house: House) -> None:
    result = any_house.run(
        """\
        import torch
        from torch import nn
        net = nn.Linear(4, 3).to("cuda")
        inputs = torch.randn(2, 4)
        labels = torch.tensor([0, 1])
        inputs = inputs.to("cuda")
        outputs = net(inputs)
        nn.CrossEntropyLoss()(outputs, labels)
        """,
        simulate="cuda",
    )
    seen = {(d.name, d.device, d.line) for d in result.devices}

    assert ("labels", "cpu", 5) in seen
    assert ("outputs", "cuda:0", 7) in seen


def test_what_the_simulation_cannot_do_is_said(any_house: House) -> None:
    result = any_house.run(
        "import torch\ntorch.cuda.memory_allocated()\ntorch.cuda.Event().record()\n"
        "torch.randn(2, device='cuda')\nwith torch.autocast('cuda'):\n    pass\n"
        "torch.compile(torch.nn.Linear(1, 1))",
        simulate="cuda",
    )
    said = " ".join(result.assumptions)

    assert result.error is None
    for limit in (
        "simulated CUDA device",
        "memory numbers",
        "streams",
        "random",
        "autocast",
        "torch.compile",
    ):
        assert limit in said


def test_a_run_that_touches_no_limit_says_only_what_it_was(any_house: House) -> None:
    result = any_house.run("import torch\nprint(torch.ones(1).cuda())", simulate="cuda")

    assert len(result.assumptions) == 1 and "simulated" in result.assumptions[0]


def test_a_larger_machine_can_be_simulated_to_compare_with(any_house: House) -> None:
    """What a program asks of its GPUs is another; it computes on one, as torch itself hears."""
    code = (
        "import torch\n"
        "print(torch.cuda.device_count(), torch.cuda.get_device_capability()[0] >= 9)\n"
        "print(torch.cuda.get_device_name(7), torch.ones(1, device='cuda:7').device)\n"
        "net = torch.nn.DataParallel(torch.nn.Linear(2, 2)).cuda()\n"
        "print(net.device_ids, net(torch.ones(3, 2).cuda()).device)\n"
        "torch.ones(1).to('cuda:8')\n"
    )
    one = any_house.run(code, simulate="cuda")
    many = any_house.run(code, simulate="cuda", gpus=8)

    assert one.error is not None and (one.error.line, one.error.family) == (3, "cuda_ordinal")
    assert "one simulated CUDA device (compute capability 8.0, 16 GiB)" in one.assumptions[0]
    assert many.error is not None and (many.error.line, many.error.family) == (6, "cuda_ordinal")
    assert many.stdout.splitlines() == [
        "8 True",
        "Simulated CUDA device cuda:0",
        "[0] cuda:0",
    ]


def test_a_gpu_of_dataparallel_that_is_not_there(any_house: House) -> None:
    code = "import torch\ntorch.nn.DataParallel(torch.nn.Linear(2, 2), device_ids=[0, 1])"
    result = any_house.run(code, simulate="cuda")

    assert result.error is not None and result.error.family == "cuda_ordinal"


def test_nothing_is_simulated_unless_asked_for(any_house: House) -> None:
    result = any_house.run("import torch\nprint(torch.cuda.is_available())\ntorch.ones(1).cuda()")

    assert result.env.device == "cpu" and result.stdout == "False\n"
    assert result.error is not None and "not compiled with CUDA" in result.error.message


@pytest.mark.parametrize("cold", [False, True])
def test_it_works_in_a_fresh_interpreter_too(any_house: House, cold: bool) -> None:
    result = any_house.run(
        "import torch\nprint(torch.ones(2).cuda() + 1)", simulate="cuda", cold=cold, wall_s=60
    )

    assert result.stdout == "tensor([2., 2.], device='cuda:0')\n", result.error


# -- the same table on the real device -------------------------------------------------------

needs_gpu = pytest.mark.skipif(
    not gpu.found().any or torch.version.cuda is None,
    reason="the simulation is compared with a GPU only where there is one (and a CUDA torch)",
)


@pytest.fixture(scope="module")
def on_gpu() -> Iterator[Supervisor]:
    """A supervisor with a GPU slot."""
    supervisor = Supervisor(SupervisorSettings(slots=1))
    supervisor.start()
    yield supervisor
    supervisor.close()


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("name", list(ERRORS))
def test_gpu_raises_the_same(on_gpu: Supervisor, name: str) -> None:
    code, kind, message = ERRORS[name]
    result = on_gpu.run(Job(code=HEAD + code, device="cuda", wall_s=60))

    check_error(result, code, kind, message)
    assert result.detail == ""  # no probe of ours compared tensors of two devices either


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("name", list(PRINTS))
def test_gpu_prints_the_same(on_gpu: Supervisor, name: str) -> None:
    code, printed = PRINTS[name]
    result = on_gpu.run(Job(code=HEAD + code, device="cuda", wall_s=60))

    assert result.error is None, result.error
    assert (result.stdout, result.detail) == (printed, "")
