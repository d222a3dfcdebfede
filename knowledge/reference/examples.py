"""Examples of ours, for functions whose docstrings have none that runs and shows what it is for.

They are run like any other before they are shown; what they print is not written here.
"""

from __future__ import annotations

EXAMPLES: dict[str, str] = {
    # -- tensors
    "torch.tensor": "torch.tensor([[1, 2], [3, 4]])\ntorch.tensor([1.5, 2]).dtype",
    "torch.from_numpy": (
        "a = np.array([1, 2, 3])\nt = torch.from_numpy(a)\nt[0] = -1  # the memory is shared\na"
    ),
    "torch.Tensor.numpy": "t = torch.arange(3.0)\nt.numpy()",
    "torch.multinomial": (
        "weights = torch.tensor([0.1, 0.2, 0.7])\n"
        "torch.multinomial(weights, num_samples=5, replacement=True)"
    ),
    "torch.manual_seed": (
        "_ = torch.manual_seed(0)\ntorch.rand(2)\n_ = torch.manual_seed(0)\ntorch.rand(2)"
    ),
    "torch.Tensor.contiguous": (
        "x = torch.arange(6).reshape(2, 3).t()\nx.is_contiguous()\n"
        "x.contiguous().view(6)  # view() needs memory in order"
    ),
    "torch.Tensor.is_contiguous": (
        "x = torch.zeros(2, 3)\nx.is_contiguous()\nx.t().is_contiguous()"
    ),
    "torch.where": (
        "x = torch.tensor([-1.0, 2.0, -3.0])\n"
        "torch.where(x > 0, x, 0.0)  # condition, where true, where false"
    ),
    "torch.gather": (
        "scores = torch.tensor([[1, 2, 3], [4, 5, 6]])\ncolumn = torch.tensor([2, 0])\n"
        "scores.gather(1, column.unsqueeze(1)).squeeze(1)  # one element of each row"
    ),
    "torch.cat": (
        "a, b = torch.zeros(2, 3), torch.ones(2, 3)\n"
        "torch.cat([a, b]).shape  # along a dimension that is there\n"
        "torch.stack([a, b]).shape  # along a new one"
    ),
    "torch.stack": (
        "rows = [torch.tensor([1, 2]), torch.tensor([3, 4])]\ntorch.stack(rows)\n"
        "torch.stack(rows, dim=1)"
    ),
    "torch.repeat_interleave": (
        "x = torch.tensor([[1, 2], [3, 4]])\nx.repeat_interleave(2, dim=0)\nx.repeat(2, 1)"
    ),
    "torch.permute": (
        "images = torch.zeros(8, 32, 32, 3)  # NHWC\nimages.permute(0, 3, 1, 2).shape  # NCHW"
    ),
    "torch.flatten": "x = torch.zeros(8, 3, 4, 4)\ntorch.flatten(x, start_dim=1).shape",
    "torch.unique": ("x = torch.tensor([3, 1, 3, 2, 1])\ntorch.unique(x, return_counts=True)"),
    "torch.nonzero": ("x = torch.tensor([0.1, 0.9, 0.4, 0.7])\n(x > 0.5).nonzero().squeeze(1)"),
    "torch.linspace": "torch.linspace(0, 1, steps=5)",
    "torch.nn.functional.one_hot": (
        "labels = torch.tensor([0, 2, 1])\nF.one_hot(labels, num_classes=3)"
    ),
    "torch.Tensor.masked_fill_": ("x = torch.tensor([1.0, -2.0, 3.0])\nx.masked_fill_(x < 0, 0.0)"),
    "torch.Tensor.index_add_": (
        "group = torch.tensor([0, 1, 0])\nrows = torch.tensor([[1.0, 1], [2, 2], [3, 3]])\n"
        "torch.zeros(2, 2).index_add_(0, group, rows)  # the sum of each group"
    ),
    "torch.Tensor.to": ("x = torch.tensor([1, 2, 3])\nx.to(torch.float32)\nx.to('cpu').device"),
    "torch.clone": "a = torch.ones(3)\nb = a.clone()\nb[0] = 5\na",
    "torch.Tensor.detach": (
        "x = torch.ones(2, requires_grad=True)\ny = x * 3\ny.requires_grad\n"
        "y.detach().requires_grad"
    ),
    "torch.set_num_threads": "torch.set_num_threads(1)\ntorch.get_num_threads()",
    "torch.combinations": "torch.combinations(torch.tensor([1, 2, 3]))",
    "torch.nn.functional.normalize": "F.normalize(torch.tensor([[3.0, 4.0], [0.0, 2.0]]), dim=1)",
    "torch.nn.functional.cosine_similarity": (
        "a = torch.tensor([1.0, 0.0])\nb = torch.tensor([1.0, 1.0])\n"
        "F.cosine_similarity(a, b, dim=0)"
    ),
    "torch.nn.functional.softmax": "F.softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)",
    "torch.nn.functional.log_softmax": "F.log_softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)",
    "torch.nn.functional.pad": (
        "x = torch.ones(1, 2)\nF.pad(x, (1, 2))  # left and right of the last dimension\n"
        "F.pad(x, (1, 1, 1, 1))  # then above and below"
    ),
    "torch.nn.functional.interpolate": (
        "x = torch.zeros(1, 3, 8, 8)\nF.interpolate(x, scale_factor=2, mode='bilinear').shape"
    ),
    "torch.nn.functional.unfold": (
        "image = torch.arange(16.0).reshape(1, 1, 4, 4)\n"
        "F.unfold(image, kernel_size=3).shape  # batch, values of a patch, patches"
    ),
    "torch.nn.functional.grid_sample": (
        "image = torch.arange(4.0).reshape(1, 1, 2, 2)\nmiddle = torch.zeros(1, 1, 1, 2)\n"
        "F.grid_sample(image, middle, align_corners=True)"
    ),
    "torch.nn.functional.scaled_dot_product_attention": (
        "q = k = v = torch.randn(2, 4, 10, 16)  # batch, heads, length, features\n"
        "F.scaled_dot_product_attention(q, k, v, is_causal=True).shape"
    ),
    "torch.save": (
        "layer = nn.Linear(2, 1)\ntorch.save(layer.state_dict(), 'layer.pt')\n"
        "torch.load('layer.pt').keys()"
    ),
    "torch.load": (
        "torch.save({'weight': torch.ones(2)}, 'checkpoint.pt')\n"
        "torch.load('checkpoint.pt', map_location='cpu')"
    ),
    "torch.cuda.is_available": "torch.cuda.is_available()",
    # -- gradients
    "torch.no_grad": (
        "layer = nn.Linear(3, 1)\nwith torch.no_grad():\n    y = layer(torch.ones(3))\n"
        "y.requires_grad"
    ),
    "torch.inference_mode": (
        "layer = nn.Linear(3, 1)\nwith torch.inference_mode():\n    y = layer(torch.ones(3))\n"
        "y.requires_grad"
    ),
    "torch.autograd.grad": (
        "x = torch.tensor(3.0, requires_grad=True)\ny = x ** 2\ntorch.autograd.grad(y, x)"
    ),
    "torch.Tensor.backward": (
        "x = torch.tensor(3.0, requires_grad=True)\n(x ** 2).backward()\nx.grad"
    ),
    "torch.Tensor.requires_grad_": (
        "w = torch.ones(2)\nw.requires_grad_()\nw.requires_grad_(False)"
    ),
    "torch.Tensor.retain_grad": (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x * 3\ny.retain_grad()\n"
        "(y ** 2).backward()\ny.grad"
    ),
    "torch.autograd.Function": (
        "class Double(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        "        return 2 * x\n    @staticmethod\n    def backward(ctx, grad):\n"
        "        return 2 * grad\n"
        "x = torch.ones(1, requires_grad=True)\nDouble.apply(x).backward()\nx.grad"
    ),
    "torch.func.hessian": (
        "f = lambda x: (x ** 3).sum()\ntorch.func.hessian(f)(torch.tensor([1.0, 2.0]))"
    ),
    "torch.func.jacrev": (
        "f = lambda x: x ** 2\ntorch.func.jacrev(f)(torch.tensor([1.0, 2.0, 3.0]))"
    ),
    "torch.vmap": (
        "rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
        "torch.vmap(torch.dot)(rows, rows)  # dot() takes one row at a time"
    ),
    "torch.nn.utils.clip_grad_norm_": (
        "layer = nn.Linear(3, 1)\nlayer(100 * torch.ones(3)).sum().backward()\n"
        "nn.utils.clip_grad_norm_(layer.parameters(), max_norm=1.0)  # the norm before\n"
        "torch.cat([p.grad.flatten() for p in layer.parameters()]).norm()"
    ),
    "torch.nn.utils.clip_grad_value_": (
        "w = torch.ones(2, requires_grad=True)\n(w * torch.tensor([5.0, 0.1])).sum().backward()\n"
        "nn.utils.clip_grad_value_([w], clip_value=0.5)\nw.grad"
    ),
    "torch.utils.checkpoint.checkpoint": (
        "from torch.utils.checkpoint import checkpoint\n"
        "block = nn.Sequential(nn.Linear(4, 4), nn.ReLU())\n"
        "x = torch.ones(2, 4, requires_grad=True)\n"
        "y = checkpoint(block, x, use_reentrant=False)  # computed again in backward\n"
        "y.sum().backward()\nx.grad.shape"
    ),
    "torch.autocast": (
        "layer = nn.Linear(4, 2)\nwith torch.autocast('cpu', dtype=torch.bfloat16):\n"
        "    y = layer(torch.ones(1, 4))\ny.dtype"
    ),
    # -- modules
    "torch.nn.Module": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 2)\n    def forward(self, x):\n"
        "        return self.fc(x).relu()\nNet()(torch.ones(1, 4)).shape"
    ),
    "torch.nn.Sequential": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))\n"
        "net(torch.ones(1, 4)).shape"
    ),
    "torch.nn.ModuleList": (
        "layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])\nx = torch.ones(1, 4)\n"
        "for layer in layers:\n    x = layer(x)\nlen(list(layers.parameters()))"
    ),
    "torch.nn.ModuleDict": (
        "heads = nn.ModuleDict({'age': nn.Linear(4, 1), 'name': nn.Linear(4, 9)})\n"
        "heads['age'](torch.ones(2, 4)).shape"
    ),
    "torch.nn.Parameter": (
        "class Scale(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.factor = nn.Parameter(torch.ones(1))\nlist(Scale().named_parameters())"
    ),
    "torch.nn.Module.register_buffer": (
        "class Centre(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.register_buffer('mean', torch.zeros(3))\n"
        "Centre().state_dict()\nlist(Centre().parameters())"
    ),
    "torch.nn.Module.register_forward_hook": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))\nseen = {}\n"
        "handle = net[1].register_forward_hook(lambda m, args, out: seen.update(relu=out))\n"
        "_ = net(torch.ones(1, 4))\nseen['relu'].shape\nhandle.remove()"
    ),
    "torch.nn.Module.parameters": (
        "net = nn.Linear(10, 2)\nsum(p.numel() for p in net.parameters() if p.requires_grad)"
    ),
    "torch.nn.Module.named_parameters": (
        "net = nn.Linear(10, 2)\n[(name, tuple(p.shape)) for name, p in net.named_parameters()]"
    ),
    "torch.nn.Module.eval": (
        "drop = nn.Dropout(0.5)\ndrop(torch.ones(4))\n_ = drop.eval()\ndrop(torch.ones(4))"
    ),
    "torch.nn.Module.train": "drop = nn.Dropout(0.5).eval()\n_ = drop.train()\ndrop.training",
    "torch.nn.Module.state_dict": "nn.Linear(2, 1).state_dict().keys()",
    "torch.nn.Module.load_state_dict": (
        "a, b = nn.Linear(2, 1), nn.Linear(2, 1)\nb.load_state_dict(a.state_dict())\n"
        "torch.equal(a.weight, b.weight)"
    ),
    "torch.nn.Module.requires_grad_": (
        "net = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))\n_ = net[0].requires_grad_(False)\n"
        "[p.requires_grad for p in net.parameters()]"
    ),
    "torch.nn.LSTM": (
        "lstm = nn.LSTM(input_size=10, hidden_size=20, batch_first=True)\n"
        "output, (h_n, c_n) = lstm(torch.zeros(3, 5, 10))  # batch, steps, features\n"
        "output.shape  # the hidden state of every step\n"
        "h_n.shape, c_n.shape  # hidden and cell state after the last step"
    ),
    "torch.nn.GRU": (
        "gru = nn.GRU(input_size=10, hidden_size=20, batch_first=True)\n"
        "output, h_n = gru(torch.zeros(3, 5, 10))\noutput.shape, h_n.shape"
    ),
    "torch.nn.LayerNorm": "nn.LayerNorm(4)(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))",
    "torch.nn.MultiheadAttention": (
        "attention = nn.MultiheadAttention(embed_dim=16, num_heads=4, batch_first=True)\n"
        "x = torch.zeros(2, 5, 16)\nout, weights = attention(x, x, x)\nout.shape, weights.shape"
    ),
    "torch.nn.utils.rnn.pad_sequence": (
        "from torch.nn.utils.rnn import pad_sequence\n"
        "pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True)"
    ),
    "torch.nn.utils.rnn.pack_padded_sequence": (
        "from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n"
        "padded = torch.zeros(2, 3, 8)\nlengths = torch.tensor([3, 1])\n"
        "packed = pack_padded_sequence(padded, lengths, batch_first=True)\n"
        "output, _ = nn.GRU(8, 4, batch_first=True)(packed)\n"
        "pad_packed_sequence(output, batch_first=True)[1]"
    ),
    "torch.nn.utils.parameters_to_vector": (
        "layer = nn.Linear(3, 2)\nnn.utils.parameters_to_vector(layer.parameters()).shape"
    ),
    "torch.nn.init.xavier_uniform_": (
        "layer = nn.Linear(4, 2)\n_ = nn.init.xavier_uniform_(layer.weight)\nlayer.weight.shape"
    ),
    "torch.nn.CrossEntropyLoss": (
        "loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 5.0]))  # one for each class\n"
        "scores = torch.tensor([[2.0, 0.5, 0.1]])  # no softmax before it\n"
        "loss(scores, torch.tensor([0]))"
    ),
    "torch.nn.MSELoss": "nn.MSELoss()(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))",
    "torch.nn.KLDivLoss": (
        "loss = nn.KLDivLoss(reduction='batchmean')\n"
        "p = torch.tensor([[0.5, 0.5]])\nq = torch.tensor([[0.9, 0.1]])\n"
        "loss(q.log(), p)  # the input as logarithms"
    ),
    # -- training
    "torch.optim.Adam": (
        "w = torch.ones(1, requires_grad=True)\noptimizer = torch.optim.Adam([w], lr=0.1)\n"
        "(w ** 2).backward()\noptimizer.step()\nw"
    ),
    "torch.optim.SGD": (
        "w = torch.ones(1, requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "(w ** 2).backward()\noptimizer.step()\nw"
    ),
    "torch.optim.Optimizer.zero_grad": (
        "w = torch.ones(1, requires_grad=True)\noptimizer = torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(2):\n    w.sum().backward()\nw.grad  # of both\n"
        "optimizer.zero_grad()\nprint(w.grad)"
    ),
    "torch.optim.Optimizer.add_param_group": (
        "body, head = nn.Linear(4, 4), nn.Linear(4, 2)\n"
        "optimizer = torch.optim.SGD(body.parameters(), lr=0.001)\n"
        "optimizer.add_param_group({'params': head.parameters(), 'lr': 0.1})\n"
        "[group['lr'] for group in optimizer.param_groups]"
    ),
    "torch.optim.lr_scheduler.StepLR": (
        "optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)\n"
        "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)\n"
        "for epoch in range(4):\n    print(epoch, scheduler.get_last_lr())\n"
        "    optimizer.step()\n    scheduler.step()"
    ),
    "torch.optim.lr_scheduler.ReduceLROnPlateau": (
        "optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)\n"
        "scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)\n"
        "for loss in (1.0, 0.9, 0.9, 0.9):\n    scheduler.step(loss)\n"
        "    print(loss, optimizer.param_groups[0]['lr'])"
    ),
    "torch.optim.lr_scheduler.CosineAnnealingLR": (
        "optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)\n"
        "scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)\n"
        "for epoch in range(5):\n    print(epoch, scheduler.get_last_lr())\n"
        "    optimizer.step()\n    scheduler.step()"
    ),
    "torch.optim.lr_scheduler.LinearLR": (
        "optimizer = torch.optim.SGD([torch.ones(1)], lr=1.0)\n"
        "scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.25, total_iters=3)\n"
        "for step in range(4):\n    print(step, scheduler.get_last_lr())\n"
        "    optimizer.step()\n    scheduler.step()"
    ),
    "torch.optim.swa_utils.AveragedModel": (
        "from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn\n"
        "net = nn.Linear(1, 1, bias=False)\n"
        "average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))\n"
        "average.update_parameters(net)  # after each step of the optimizer\n"
        "average.module.weight.shape"
    ),
    # -- data
    "torch.utils.data.DataLoader": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "data = TensorDataset(torch.arange(5.0), torch.arange(5))\n"
        "for x, y in DataLoader(data, batch_size=2, shuffle=True):\n    print(x, y)"
    ),
    "torch.utils.data.Dataset": (
        "from torch.utils.data import Dataset\nclass Squares(Dataset):\n"
        "    def __len__(self):\n        return 10\n    def __getitem__(self, i):\n"
        "        return torch.tensor(i), torch.tensor(i ** 2)\nSquares()[3]"
    ),
    "torch.utils.data.IterableDataset": (
        "from torch.utils.data import DataLoader, IterableDataset\n"
        "class Lines(IterableDataset):\n    def __iter__(self):\n"
        "        for n in range(4):  # of a file, say\n            yield torch.tensor(n)\n"
        "list(DataLoader(Lines(), batch_size=2))"
    ),
    "torch.utils.data.TensorDataset": (
        "from torch.utils.data import TensorDataset\n"
        "TensorDataset(torch.arange(3.0), torch.tensor([0, 1, 0]))[1]"
    ),
    "torch.utils.data.ConcatDataset": (
        "from torch.utils.data import ConcatDataset\nlen(ConcatDataset([range(3), range(4)]))"
    ),
    "torch.utils.data.Subset": (
        "from torch.utils.data import Subset\nlist(Subset(range(10), [0, 3, 7]))"
    ),
    "torch.utils.data.random_split": (
        "from torch.utils.data import random_split\n"
        "train, test = random_split(range(10), [0.8, 0.2])\nlen(train), list(test)"
    ),
    "torch.utils.data.WeightedRandomSampler": (
        "from torch.utils.data import WeightedRandomSampler\n"
        "labels = torch.tensor([0, 0, 0, 1])\nweights = 1 / labels.bincount()[labels]\n"
        "drawn = list(WeightedRandomSampler(weights, num_samples=1000))\n"
        "labels[drawn].bincount()  # about the same number of both"
    ),
    "torch.distributions.Distribution.rsample": (
        "from torch.distributions import Normal\nmean = torch.zeros(1, requires_grad=True)\n"
        "Normal(mean, 1.0).rsample().backward()\nmean.grad"
    ),
    "torch.distributions.kl_divergence": (
        "from torch.distributions import Normal, kl_divergence\n"
        "kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))"
    ),
}
