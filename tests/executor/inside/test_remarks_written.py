"""executor/inside/remarks/: more forms in which people write what a rule knows."""

from __future__ import annotations

import ast

from executor.inside.remarks import epochs
from tests.executor.inside.test_remarks import said_and_left_alone

NET = (
    "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.fc = nn.Linear(4, 3)\n        self.drop = nn.Dropout(0.5)\n"
    "    def forward(self, x):\n        return self.fc(self.drop(x))\n"
)
MODEL = NET + "model = Net()\noptimizer = torch.optim.Adam(model.parameters())\n"
TRAIN = (
    "for epoch in range(9):\n    for xb, yb in loader:\n        optimizer.zero_grad()\n"
    "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
    "        optimizer.step()\n"
)
M = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
LOOP = "for x, y in loader:\n"

BATCHES = (
    "SEED = 3\ndef set_seed(s=42):\n    torch.manual_seed(s)\n"
    "def noisy_batch(n=8, seed=42):\n    {}\n    return torch.randn(n, 4)\n"
    "for i in range(9):\n    x = {}\n    loss = net(x).mean()\n    loss.backward()\n"
)

SHOWN = {
    "softmax_twice": [
        "logits = model(x)\nloss = F.cross_entropy(input=F.softmax(logits, dim=-1), target=y)",
        "def train(model, loader, criterion):\n    for x, y in loader:\n"
        "        out = torch.softmax(model(x), dim=1)\n        loss = criterion(out, y)\n"
        "train(net, dl, nn.CrossEntropyLoss())",
        "crit = nn.CrossEntropyLoss()\ndef train(model, loader, criterion):\n"
        "    for x, y in loader:\n        out = torch.softmax(model(x), dim=1)\n"
        "        loss = criterion(out, y)\ntrain(net, dl, crit)",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 3)\n        self.act = nn.Softmax(dim=1)\n"
        "    def forward(self, x):\n        x = self.fc(x)\n        return self.act(x)\n"
        "crit = nn.CrossEntropyLoss()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 3)\n    def forward(self, x):\n"
        "        x = self.fc(x)\n        x = x.softmax(dim=1)\n        print(x.shape)\n"
        "        return x\ncrit = nn.CrossEntropyLoss()",
        "model = nn.Sequential(OrderedDict([('fc', nn.Linear(4, 3)), ('sm', nn.So"
        "ftmax(dim=1))]))\ncrit = nn.CrossEntropyLoss()",
        "layers = [nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1)]\n"
        "model = nn.Sequential(*layers)\ncrit = nn.CrossEntropyLoss()",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 3)\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n"
        "        out: torch.Tensor = F.softmax(self.fc(x), dim=1)\n        return out\n"
        "crit = nn.CrossEntropyLoss()",
    ],
    "sigmoid_twice": [
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 1)\n        self.sig = nn.Sigmoid()\n"
        "    def forward(self, x):\n        return self.sig(self.fc(x))\n"
        "crit = nn.BCEWithLogitsLoss()",
        "loss_fn = torch.nn.BCEWithLogitsLoss(pos_weight=w)\nfor x, y in loader:\n"
        "    probs = model(x).sigmoid()\n    loss = loss_fn(probs[:, 0], y)",
    ],
    "nll_without_log": [
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 3)\n        self.out = nn.Softmax(dim=1)\n"
        "    def forward(self, x):\n        return self.out(self.fc(x))\n"
        "criterion = nn.NLLLoss()",
        "out = model(x)\nloss = F.nll_loss(input=torch.softmax(out, 1), target=y)",
    ],
    "never_zeroed": [
        "scaler = GradScaler()\nfor x, y in loader:\n    with autocast():\n"
        "        loss = crit(net(x), y)\n    scaler.scale(loss).backward()\n"
        "    scaler.step(optimizer)\n    scaler.update()",
        "def train_step(model, optimizer, x, y):\n    loss = F.mse_loss(model(x), y)\n"
        "    loss.backward()\n    optimizer.step()\n    return loss.item()\n"
        "for x, y in loader:\n    train_step(model, optimizer, x, y)",
    ],
    "zeroed_outside": [
        "def train_epoch(model, loader, optimizer):\n    model.train()\n"
        "    optimizer.zero_grad()\n    for x, y in loader:\n"
        "        loss = crit(model(x), y)\n        loss.backward()\n        optimizer.step()",
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\noptimizer.zero_grad()\n"
        "for x, y in loader:\n    loss = crit(net(x), y)\n    loss.backward()\n"
        "    optimizer.step()",
    ],
    "thrown_away": [
        LOOP
        + (
            "    loss = crit(model(x), y)\n    scaler.scale(loss).backward()\n"
            "    optimizer.zero_grad(set_to_none=True)\n    scaler.step(optimizer)\n"
            "    scaler.update()"
        ),
        LOOP
        + (
            "    loss = crit(model(x), y)\n    loss.backward()\n"
            "    for p in model.parameters():\n        p.grad = None\n    optimizer.step()"
        ),
    ],
    "clipped_late": [
        LOOP
        + (
            "    optimizer.zero_grad()\n    loss = crit(model(x), y)\n    loss.backward()\n"
            "    optimizer.step()\n"
            "    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
        ),
        LOOP
        + (
            "    optimizer.zero_grad()\n    loss = crit(model(x), y)\n    loss.backward()\n"
            "    optimizer.step()\n    if args.clip:\n"
            "        clip_grad_norm_(model.parameters(), args.clip)"
        ),
        LOOP
        + (
            "    optimizer.zero_grad()\n    loss = crit(model(x), y)\n    loss.backward()\n"
            "    optimizer.step()\n    for p in model.parameters():\n"
            "        p.grad.data.clamp_(-1, 1)"
        ),
    ],
    "clipped_scaled": [
        "amp = torch.cuda.amp.GradScaler()\nfor x, y in loader:\n    with autocast():\n"
        "        loss = crit(model(x), y)\n    amp.scale(loss).backward()\n"
        "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
        "    amp.step(optimizer)\n    amp.update()",
    ],
    "never_stepped": [
        "optimizer = torch.optim.Adam(model.parameters())\nscheduler = StepLR(optimizer, 3)\n"
        "for e in range(9):\n    for x, y in loader:\n        optimizer.zero_grad()\n"
        "        loss = crit(model(x), y)\n        loss.backward()\n    scheduler.step()",
    ],
    "step_outside": [
        "def train_epoch(model, loader, optimizer):\n    for x, y in loader:\n"
        "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
        "        loss.backward()\n    optimizer.step()",
        "class T:\n    def epoch(self):\n        for x, y in self.loader:\n"
        "            self.optimizer.zero_grad()\n"
        "            loss = self.crit(self.model(x), y)\n            loss.backward()\n"
        "        self.optimizer.step()",
    ],
    "made_after_optimizer": [
        "model = models.vgg16()\noptimizer = torch.optim.Adam(model.parameters(), lr=1e-3)\n"
        "model.classifier[6] = nn.Linear(4096, 10)\nfor epoch in range(9):\n"
        "    for xb, yb in loader:\n        optimizer.zero_grad()\n"
        "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
        "        optimizer.step()\n",
        "def main():\n    model = models.resnet18()\n"
        "    params = [p for p in model.parameters() if p.requires_grad]\n"
        "    optimizer = torch.optim.Adam(params, lr=1e-3)\n"
        "    model.fc = nn.Linear(512, 10)\n    train(model, optimizer)\n"
        "def train(model, optimizer):\n    loss.backward()",
    ],
    "rate_unread": [
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor e in range(9):\n"
        "    if e % 3 == 0:\n        optimizer.lr = 0.01\n    for x, y in loader:\n"
        "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
        "        loss.backward()\n        optimizer.step()",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor e in range(9):\n"
        "    optimizer.defaults['lr'] = 0.1 * 0.9 ** e\n    for x, y in loader:\n"
        "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
        "        loss.backward()\n        optimizer.step()",
    ],
    "accumulation_cleared": [
        "for i, batch in enumerate(loader):\n    model.zero_grad(set_to_none=True)\n"
        "    with autocast():\n        loss = model(**batch).loss / 4\n"
        "    scaler.scale(loss).backward()\n    if (i + 1) % 4 == 0:\n"
        "        scaler.step(optimizer)\n        scaler.update()",
        "step = 0\nfor x, y in loader:\n    optimizer.zero_grad()\n"
        "    loss = crit(model(x), y) / 4\n    loss.backward()\n    step += 1\n"
        "    if step == 4:\n        optimizer.step()\n        step = 0",
    ],
    "validated_in_training": [
        MODEL
        + (
            "for epoch in range(9):\n    for xb, yb in loader:\n        optimizer.zero_grad()\n"
            "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
            "        optimizer.step()\ndef evaluate(net, loader):\n    correct = 0\n"
            "    with torch.no_grad():\n        for x, y in loader:\n"
            "            correct += (net(x).argmax(1) == y).sum().item()\n    return correct\n"
            "evaluate(net=model, loader=val)\n"
        ),
        NET
        + (
            "model = Net()\nparams = [p for p in model.parameters() if p.requires_grad]\n"
            "optimizer = torch.optim.Adam(params)\nfor epoch in range(9):\n"
            "    for xb, yb in loader:\n        optimizer.zero_grad()\n"
            "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
            "        optimizer.step()\n    with torch.no_grad():\n"
            "        for x, y in val_loader:\n"
            "            correct += (model(x).argmax(1) == y).sum().item()\n"
        ),
        NET
        + (
            "model = Net()\noptimizer = torch.optim.Adam([{'params': model.parameters()}])\n"
            "for epoch in range(9):\n    for xb, yb in loader:\n        optimizer.zero_grad()\n"
            "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
            "        optimizer.step()\n    with torch.set_grad_enabled(False):\n"
            "        for x, y in val_loader:\n"
            "            correct += (model(x).argmax(1) == y).sum().item()\n"
        ),
        MODEL
        + (
            "for epoch in range(9):\n    for xb, yb in loader:\n        optimizer.zero_grad()\n"
            "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
            "        optimizer.step()\nacc = (model(x_test).argmax(1) == y_test).float().mean()\n"
            "print(acc)\n"
        ),
    ],
    "stays_in_eval": [
        MODEL
        + (
            "model.train()\nfor epoch in range(9):\n    for xb, yb in loader:\n"
            "        optimizer.zero_grad()\n        loss = criterion(model(xb), yb)\n"
            "        loss.backward()\n        optimizer.step()\n    model.eval()\n"
            "    with torch.no_grad():\n        out = model(xv)\n"
        ),
        MODEL
        + (
            "for epoch in range(9):\n    for xb, yb in loader:\n        optimizer.zero_grad()\n"
            "        loss = criterion(model(xb), yb)\n        loss.backward()\n"
            "        optimizer.step()\n    model.train(False)\n    with torch.no_grad():\n"
            "        out = model(xv)\n"
        ),
        MODEL
        + (
            "def train_epoch(model, loader, optimizer):\n    for x, y in loader:\n"
            "        optimizer.zero_grad()\n        loss = F.cross_entropy(model(x), y)\n"
            "        loss.backward()\n        optimizer.step()\ndef validate(model, loader):\n"
            "    model.eval()\n    with torch.no_grad():\n"
            "        return sum((model(x).argmax(1) == y).sum() for x, y in loader)\n"
            "for e in range(9):\n    train_epoch(model, dl, optimizer)\n"
            "    validate(model, vdl)\n"
        ),
    ],
    "phases_in_training": [
        "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nfor e in range(9):\n"
        "    for phase in ('train', 'valid'):\n        net.train(True)\n"
        "        for x, y in loaders[phase]:\n            loss = crit(net(x), y)\n",
        "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nfor e in range(9):\n"
        "    net.train()\n    for phase in ['train', 'val']:\n"
        "        for x, y in loaders[phase]:\n"
        "            with torch.set_grad_enabled(phase == 'train'):\n"
        "                loss = crit(net(x), y)\n            if phase == 'train':\n"
        "                loss.backward()\n",
        "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nfor e in range(9):\n"
        "    for phase, loader in [('train', a), ('val', b)]:\n        net.train()\n"
        "        for x, y in loader:\n            loss = crit(net(x), y)\n",
        "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nfor e in range(9):\n"
        "    for phase, loader in loaders.items():\n        net.train()\n"
        "        for x, y in loader:\n            loss = crit(net(x), y)\n"
        "            if phase == 'train':\n                loss.backward()\n",
    ],
    "always_drops": [
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        x = torch.nn.functional.dropout(x, 0.5)\n        return self.fc(x)",
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        x = F.dropout(input=self.fc(x), p=0.2)\n        return x",
        "class M(nn.Module):\n    def forward(self, x):\n        drop = nn.Dropout(0.5)\n"
        "        return self.fc(drop(x))",
    ],
    "threshold": [
        "crit = nn.BCEWithLogitsLoss()\ncrit(net(x).squeeze(1), y).backward()\n"
        "probs = net(v)\nprint((probs > 0.5).float().mean())",
        "z = net(x)\nF.binary_cross_entropy_with_logits(z, y).backward()\n"
        "sure = self_check(net(v).view(-1).round())",
        "crit = nn.BCEWithLogitsLoss()\nfor x, y in loader:\n    z = tagger(x)\n"
        "    loss = crit(z.view(-1), y)\n    hits = torch.ge(z[:, 0], 0.5)",
        "crit = nn.BCEWithLogitsLoss()\nfor x, y in loader:\n    out = model(x)\n"
        "    pred = out.gt(0.5).float()",
        "crit = nn.BCEWithLogitsLoss()\nTH = 0.5\nfor x, y in loader:\n"
        "    preds = (model(x) > TH).float()",
        "crit = nn.BCEWithLogitsLoss()\ndef acc(out, y, threshold=0.5):\n"
        "    return ((out > threshold) == y).float().mean()\nacc(model(x), y)",
        "def binary_acc(y_pred, y):\n    return (torch.round(y_pred) == y).float().mean()\n"
        "crit = nn.BCEWithLogitsLoss()\nacc = binary_acc(model(x), y)",
    ],
    "over_batches": [
        "def evaluate(model, loader):\n    hits = 0\n    for x, y in loader:\n"
        "        hits = hits + (model(x).argmax(1) == y).sum().item()\n"
        "    return hits / len(loader)",
        "n_batches = len(test_loader)\nfor x, y in test_loader:\n"
        "    correct += (model(x).argmax(1) == y).type(torch.float).sum().item()\n"
        "correct /= n_batches",
    ],
    "picks_samples": [
        LOOP
        + (
            "    out = model(x)\n    _, pred = torch.max(out, 0)\n"
            "    correct += (pred == y).sum().item()\n    n += len(y)"
        ),
        LOOP + "    pred = model(x).max(0)[1]\n    correct += (pred == y).sum()",
        LOOP + "    pred = model(x).max(dim=0).indices\n    correct += pred.eq(y).sum()",
        "for batch in loader:\n    x, y = batch\n    pred = torch.argmax(model(x), dim=0)\n"
        "    correct += (pred == y).sum()",
        "for i, (x, y) in enumerate(loader):\n    pred = torch.argmax(model(x), axis=0)\n"
        "    correct += (y == pred).sum()",
        LOOP
        + (
            "    x, y = x.to(device), y.to(device)\n    out = model(x)\n"
            "    pred = np.argmax(out.cpu().numpy(), axis=0)\n"
            "    correct += (pred == y.cpu().numpy()).sum()"
        ),
    ],
    "values_as_classes": [
        "pred = model(x).max(1)[0]\ncorrect = pred.eq(labels).sum()",
        "top, idx = model(x).topk(1, dim=1)\ncorrect = (top.squeeze() == y).sum()",
    ],
    "returns_early": [
        "def evaluate(model, loader):\n    correct = 0\n    for x, y in loader:\n"
        "        correct = correct + (model(x).argmax(1) == y).sum().item()\n"
        "        return correct",
    ],
    "shuffled_apart": [
        "X = sklearn.utils.shuffle(X)\ny = sklearn.utils.shuffle(y)",
        "X = shuffle(X, random_state=None)\ny = shuffle(y)",
        "X_s = X[torch.randperm(n)]\ny_s = y[torch.randperm(n)]",
    ],
    "drawn_apart": [
        "for _ in range(9):\n    xb = X[torch.randint(0, len(X), (32,))]\n"
        "    yb = y[torch.randint(0, len(y), (32,))]\n    loss = crit(model(xb), yb)",
        "out = model(x[idx])\nloss = crit(out, y[torch.randperm(len(y))[:32]])",
        "xb = X[np.random.choice(len(X), 32)]\nyb = y[np.random.choice(len(y), 32)]\n"
        "pred = model(xb)\nloss = F.mse_loss(pred, yb)",
    ],
    "augmented_in_place": [
        "class D(Dataset):\n    def __getitem__(self, i):\n"
        "        self.data[i] += torch.randn(3)\n        return self.data[i], self.y[i]",
    ],
    "target_noisy": [
        "x_noisy = x + torch.randn(x.shape) * 0.3\nx_noisy = x_noisy.clamp(0, 1)\n"
        "out = model(x_noisy)\nloss = F.mse_loss(input=out, target=x_noisy)",
        "noise = torch.randn_like(img) * 0.3\nnoisy = img + noise\nrecon = net(noisy)\n"
        "loss = loss_fn(recon, noisy)",
        "def add_noise(x):\n    return x + 0.2 * torch.randn_like(x)\n"
        "noisy = add_noise(img)\nrecon = net(noisy)\nloss = loss_fn(recon, noisy)",
    ],
    "split_unused": [
        "train_ds, val_ds = torch.utils.data.random_split(ds, [80, 20])\n"
        "val_loader = DataLoader(ds, batch_size=8)",
    ],
    "fitted_on_test": [
        "X_train = StandardScaler().fit_transform(X_train)\n"
        "X_test = StandardScaler().fit_transform(X_test)",
        "sc = StandardScaler()\nsc.fit(X_train)\nX_train = sc.transform(X_train)\n"
        "sc.fit(X_test)\nX_test = sc.transform(X_test)",
        "s1 = StandardScaler()\ns2 = StandardScaler()\nX_train = s1.fit_transform(X_train)\n"
        "X_test = s2.fit_transform(X_test)",
        "X_train = (X_train - X_train.mean(0)) / X_train.std(0)\n"
        "X_test = (X_test - X_test.mean(0)) / X_test.std(0)",
    ],
    "precedence": [
        "x -= mean / std",
        "img = img - self.mean[:, None, None] / self.std[:, None, None]",
    ],
    "pixels_floored": [
        "img //= 255",
        "x = np.floor_divide(img, 255)",
        "x = torch.div(img, 255, rounding_mode='floor')",
    ],
    "test_augmented": [
        "tf = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.T"
        "oTensor()])\ntest = datasets.CIFAR10('.', False, tf)",
        "train_tf = transforms.Compose([transforms.RandomHorizontalFlip(), transf"
        "orms.ToTensor()])\nval_ds = datasets.ImageFolder('data/val', transform=train_tf)",
        "tf = {'train': transforms.Compose([transforms.RandomHorizontalFlip()]), "
        "'val': transforms.Compose([transforms.RandomHorizontalFlip(), transforms"
        ".ToTensor()])}",
    ],
    "plateau_mode": [
        "sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, 'max', patience=3)\n"
        "sched.step(metrics=val_loss)",
        "sched = ReduceLROnPlateau(opt, mode='max')\nsched.step(val_loss / len(loader))",
        "sched = ReduceLROnPlateau(opt, mode='min')\nsched.step(metrics['val_f1'])",
        "sched = ReduceLROnPlateau(optimizer=opt, mode='max')\nsched.step(np.mean(losses))",
        "sched = ReduceLROnPlateau(opt, mode='max')\nsched.step(loss.item())",
        "sched = ReduceLROnPlateau(opt, mode='max')\nsched.step(evaluate_loss(model))",
    ],
    "best_is_worst": [
        "if best_loss < val_loss:\n    best_loss = val_loss\n"
        "    torch.save(model.state_dict(), 'b.pt')",
        "is_best = val_loss > best_loss\nbest_loss = max(val_loss, best_loss)",
        "best_loss = max(best_loss, val_loss)",
        "if val_loss > min_val_loss:\n    min_val_loss = val_loss\n"
        "    torch.save(model.state_dict(), 'b.pt')",
        "if best is None or val_loss > best_loss:\n    best_loss = val_loss\n    save(model)",
        "if history['val_loss'][-1] > best_loss:\n    best_loss = history['val_loss'][-1]\n"
        "    save(model)",
        "is_best = acc < best_acc\nif is_best:\n    best_acc = acc",
    ],
    "state_not_copied": [
        "for e in range(9):\n    for x, y in loader:\n        optimizer.step()\n"
        "    if val_loss < best_loss:\n        best_w = model.state_dict().copy()\n"
        "model.load_state_dict(best_w)",
        "for e in range(9):\n    for x, y in loader:\n        optimizer.step()\n"
        "    if val_loss < best_loss:\n"
        "        best = {'model': model.state_dict(), 'epoch': e}\n"
        "model.load_state_dict(best['model'])",
        "for e in range(9):\n    for x, y in loader:\n        optimizer.step()\n"
        "    if val_loss < best_loss:\n        best_w = dict(model.state_dict())\n"
        "model.load_state_dict(best_w)",
        "for e in range(9):\n    for x, y in loader:\n        optimizer.step()\n"
        "    if val_loss < best_loss:\n"
        "        best_w = {k: v for k, v in model.state_dict().items()}\n"
        "model.load_state_dict(best_w)",
    ],
    "average_inverted": [
        "class E:\n    def __init__(self, model, decay=0.999):\n        self.decay = decay\n"
        "        self.ema = copy.deepcopy(model)\n    def update(self, model):\n"
        "        for e, p in zip(self.ema.parameters(), model.parameters()):\n"
        "            e.data.mul_(1 - self.decay).add_(p.data, alpha=self.decay)",
        "for k, v in model.state_dict().items():\n    ema[k] = 0.001 * ema[k] + 0.999 * v",
        "class EMA:\n    def __init__(self, model, decay=0.999):\n"
        "        self.decay = decay\n    def update(self):\n"
        "        for name, param in self.model.named_parameters():\n"
        "            new = self.decay * param.data + (1 - self.decay) * self.shadow[name]\n"
        "            self.shadow[name] = new.clone()",
        "@dataclass\nclass A:\n    tau: float = 0.995\n"
        "for t, s in zip(target.parameters(), online.parameters()):\n"
        "    t.data.copy_(args.tau * s.data + (1.0 - args.tau) * t.data)",
        "for (n, t), (m, s) in zip(target.named_parameters(), online.named_parameters()):\n"
        "    t.data = t.data * 0.01 + s.data * 0.99",
    ],
    "sign_of_kl": [
        "kld = torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) * 0.5\nloss = rec + kld",
        "kld = torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / 2\nloss = rec + kld",
        "kl = (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean() * 0.5\nloss = rec + kl",
        "kl = -0.5 * torch.sum(mu.pow(2) + logvar.exp() - logvar - 1)\nloss = rec + kl",
    ],
    "deviation_of_log": [
        "def reparameterize(self, mu, logvar):\n    eps = torch.randn_like(mu)\n"
        "    return eps.mul(logvar.exp()).add(mu)",
        "std = logvar.exp_()\nz = eps.mul(std).add_(mu)",
        "q = Normal(mu, logvar.exp())\nz = q.rsample()",
        "z = torch.normal(mu, logvar.exp())",
    ],
    "sum_beside_mean": [
        "mse = nn.MSELoss()\ndef loss_of(recon, x, mu, logvar):\n"
        "    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())\n"
        "    return mse(recon, x) + kld",
        "def loss_of(recon, x, mu, logvar):\n"
        "    return F.mse_loss(recon, x) - 0.5 * torch.sum(1 + logvar - mu.pow(2)"
        " - logvar.exp())",
        "def loss_of(recon, x, mu, logvar):\n"
        "    bce = F.binary_cross_entropy(recon, x, reduction='mean')\n"
        "    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()\n"
        "    loss = bce + kld\n    return loss",
        "for x, _ in loader:\n    recon, mu, logvar = model(x)\n"
        "    rec = F.mse_loss(input=recon, target=x)\n"
        "    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())\n"
        "    loss = rec + kl\n    loss.backward()",
    ],
    "gain_as_loss": [
        "policy_loss = []\nfor log_prob, R in zip(saved_log_probs, returns):\n"
        "    policy_loss.append(log_prob * R)\nloss = torch.cat(policy_loss).sum()\n"
        "loss.backward()",
        "def loss_of(dist, a, returns):\n    return (dist.log_prob(a) * returns).mean()\n"
        "loss = loss_of(d, a, r)\nloss.backward()",
        "actor_loss = torch.mean(torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1"
        ".2) * adv))\nactor_loss.backward()",
        "surr1 = ratio * advantages\n"
        "surr2 = torch.clamp(ratio, 1 - eps, 1 + eps) * advantages\n"
        "policy_loss = torch.min(surr1, surr2).mean()\npolicy_loss.backward()",
        "actor_loss = critic(state, actor(state)).mean()\nactor_loss.backward()\nactor_opt.step()",
    ],
    "penalty_rewarded": [
        "loss = criterion(out, y)\nloss -= 0.01 * l2_reg\nloss.backward()",
        "loss = criterion(out, y)\nfor p in model.parameters():\n"
        "    loss -= 1e-4 * p.abs().sum()\nloss.backward()",
    ],
    "score_as_loss": [
        "def dice(p, t):\n    return 2 * (p * t).sum() / (p.sum() + t.sum())\n"
        "loss = bce(out, y) + dice(out, y)\nloss.backward()",
        "class DiceLoss(nn.Module):\n    def forward(self, p, t):\n"
        "        inter = (p * t).sum()\n"
        "        dice = (2 * inter + 1) / (p.sum() + t.sum() + 1)\n        return dice\n"
        "criterion = DiceLoss()\nloss = criterion(out, y)\nloss.backward()",
        "def dice_loss(p, t):\n    inter = (p * t).sum()\n"
        "    return (2. * inter + 1) / (p.sum() + t.sum() + 1)\nloss = dice_loss(out, y)\n"
        "loss.backward()",
    ],
    "adversaries_agree": [
        "d_loss = torch.mean(D(fake.detach())) - torch.mean(D(real))\nd_loss.backward()\n"
        "g_loss = torch.mean(D(fake))\ng_loss.backward()",
    ],
    "terminal_kept": [
        "td_target = data.rewards.flatten() + args.gamma * target_max * data.dones.flatten()",
        "td_target = data.rewards.flatten() + args.gamma * target_max * (data.dones.flatten())",
    ],
    "end_left_out": [
        "for s, a, r, s2, done in batch:\n    y = r + gamma * net(s2).max()",
        "batch = memory.sample(64)\nrewards = batch['reward']\ndones = batch['done']\n"
        "y = rewards + gamma * net(batch['next']).max(1)[0]",
        "s, a, r, s2, done = batch\ny = gamma * target(s2).max(1)[0] + r",
        "s, r, s2, done = batch\ndone = torch.tensor(done).float()\ny = r + gamma * v(s2)",
    ],
    "returns_forwards": [
        "R = 0\nreturns = []\nfor r in self.rewards:\n    R = r + self.gamma * R\n"
        "    returns.insert(0, R)",
    ],
    "returns_backwards": [
        "R = 0\nreturns = []\nfor r, d in zip(reversed(rewards), reversed(dones)):\n"
        "    R = r + gamma * R * (1 - d)\n    returns.append(R)",
    ],
    "ratio_inverted": [
        "logratio = old_logprob - newlogprob\nratio = logratio.exp()\ns = ratio.clamp(0.8, 1.2)",
        "ratio = torch.exp(old_logprobs.detach() - logprobs)\ns = ratio.clamp(0.8, 1.2)",
    ],
    "mask_inverted": [
        "enc = nn.TransformerEncoder(layer, 2)\ndef forward(self, tokens):\n"
        "    pad_mask = tokens.ne(self.pad_idx)\n"
        "    return enc(x, src_key_padding_mask=pad_mask)",
        "def make_mask(src):\n    return src != PAD_IDX\n"
        "enc = nn.TransformerEncoder(layer, 2)\n"
        "out = enc(x, src_key_padding_mask=make_mask(src))",
        "class M(nn.Module):\n    def __init__(self):\n"
        "        self.enc = nn.TransformerEncoder(layer, 2)\n"
        "        self.register_buffer('mask', torch.tril(torch.ones(9, 9)).bool())\n"
        "    def forward(self, x):\n        return self.enc(x, mask=self.mask)",
    ],
    "mask_left_out": [
        "for e in range(9):\n    opt.zero_grad()\n    out = model(data)\n"
        "    loss = F.nll_loss(out, data.y)\n    loss.backward()\n    opt.step()\n"
        "pred = model(data).argmax(1)\n"
        "acc = (pred[data.test_mask] == data.y[data.test_mask]).sum()\n"
        "print(data.train_mask.sum())",
    ],
    "graph_left_out": [
        "def derivative(y, x):\n    return torch.autograd.grad(y, x, torch.ones_like(y))[0]\n"
        "ux = derivative(u, x)\nloss = (ux - f).pow(2).mean()\nloss.backward()",
    ],
    "step_uphill": [
        "loss.backward()\nw.data = w.data + lr * w.grad",
        "loss.backward()\nfor p in model.parameters():\n    p.data.add_(p.grad.data, alpha=lr)",
        "loss.backward()\nwith torch.no_grad():\n    w.add_(w.grad, alpha=0.1)",
    ],
    "same_input": [
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        for i, layer in enumerate(self.layers):\n            h = F.relu(layer(x))\n"
        "        return h",
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        for i in range(len(self.layers)):\n            h = self.layers[i](x)\n"
        "        return h",
        "class M(nn.Module):\n    def forward(self, x):\n        for layer in self.hidden:\n"
        "            h = layer(x)\n            h = torch.relu(h)\n        return self.out(h)",
        "class M(nn.Module):\n    def forward(self, x, mask):\n"
        "        for block in self.encoder_blocks:\n            out = block(x, mask)\n"
        "        return out",
    ],
    "used_up": [
        "params = filter(lambda p: p.requires_grad, model.parameters())\n"
        "opt = torch.optim.Adam(params)\nfor x in loader:\n    loss.backward()\n"
        "    clip_grad_norm_(params, 1.0)\n    opt.step()",
        "params = (p for p in model.parameters() if p.requires_grad)\n"
        "opt = torch.optim.Adam(params)\nfor x in loader:\n    loss.backward()\n"
        "    clip_grad_norm_(params, 1.0)\n    opt.step()",
        "params = itertools.chain(a.parameters(), b.parameters())\n"
        "opt = torch.optim.Adam(params)\nfor x in loader:\n    loss.backward()\n"
        "    clip_grad_norm_(params, 1.0)\n    opt.step()",
        "params = model.parameters()\nfor x in loader:\n"
        "    loss = crit(model(x), y) + 0.1 * sum(p.pow(2).sum() for p in params)\n"
        "    loss.backward()",
        "params = model.parameters()\nfor x in loader:\n    loss.backward()\n"
        "    for p in params:\n        p.data -= lr * p.grad",
    ],
    "seeded_each_epoch": [
        "SEED = 42\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(9):\n"
        "    torch.manual_seed(SEED)\n    for x in dl:\n        loss.backward()\n"
        "        opt.step()",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(9):\n"
        "    torch.manual_seed(args.seed)\n    for x in dl:\n        loss.backward()\n"
        "        opt.step()",
    ],
    "made_each_epoch": [
        "class Net(nn.Module):\n    pass\nfor epoch in range(9):\n"
        "    model = Net().to(device)\n"
        "    opt = torch.optim.SGD(model.parameters(), lr=0.1)\n    for x in dl:\n"
        "        loss.backward()\n        opt.step()",
        "class Net(nn.Module):\n    pass\nfor ep in range(n_epochs):\n    model = Net()\n"
        "    opt = torch.optim.SGD(model.parameters(), lr=0.1)\n    for x in dl:\n"
        "        loss.backward()\n        opt.step()",
    ],
    "optimizer_each_epoch": [
        "for epoch in range(9):\n    opt = torch.optim.Adam(net.parameters())\n"
        "    train(net, dl, opt)\ndef train(net, dl, opt):\n    for x in dl:\n"
        "        loss.backward()\n        opt.step()",
        "for ep in range(n_epochs):\n    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)\n"
        "    for x in dl:\n        loss.backward()\n        opt.step()",
    ],
    "seeded_each_sample": [
        BATCHES.format("torch.manual_seed(seed)", "noisy_batch()"),
        BATCHES.format("set_seed(seed)", "noisy_batch(n=9)"),
        BATCHES.format("set_seed()", "noisy_batch(9, seed=i)"),
        BATCHES.format("np.random.seed(seed)", "noisy_batch(9, 3)"),
        BATCHES.format("g = torch.Generator().manual_seed(SEED)", "noisy_batch(9, i)"),
        "class D(Dataset):\n    def __getitem__(self, i):\n"
        "        rng = np.random.RandomState(0)\n        return self.x[i] + rng.randn(3)",
        "class D(Dataset):\n    def __getitem__(self, i):\n"
        "        g = torch.Generator().manual_seed(0)\n"
        "        return self.x[i] + torch.randn(3, generator=g)",
        "class D(Dataset):\n    def __getitem__(self, i):\n"
        "        rng = np.random.default_rng(seed=42)\n"
        "        return self.x[i] + rng.normal(size=3)",
    ],
    "graph_kept": [
        "for x in dl:\n    loss.backward()\n    running = running + loss",
        "for x in dl:\n    loss.backward()\n    total += loss * x.size(0)",
    ],
    "scheduler_idle": [
        "from torch.optim.lr_scheduler import CosineAnnealingLR\n"
        "scheduler = CosineAnnealingLR(optimizer, 3)\nfor x in dl:\n    loss.backward()\n"
        "    optimizer.step()",
    ],
}
SOUND = {
    "scores that were made probabilities under their name": "crit = nn.BCEWithLogitsLoss()\n"
    "crit(net(x), y)\np = net(v)\np = 1 / (1 + torch.exp(-p))\nprint(p > 0.5)",
    "what another model gives": "crit = nn.BCEWithLogitsLoss()\ncrit(net(x), y)\n"
    "far = distance(v)\nprint(far > 0.5)",
    "targets of such a loss": "crit = nn.BCEWithLogitsLoss()\ncrit(net(x), y)\nprint(y > 0.5)",
    "scores of another loss": "F.mse_loss(far(x), y)\nF.binary_cross_entropy_with_logits(d(x), y)"
    "\nprint(far(v) > 0.5)",
    "a seed of each batch": BATCHES.format("torch.manual_seed(seed)", "noisy_batch(9, i)"),
    "a seed of each batch, by name": BATCHES.format("set_seed(seed)", "noisy_batch(seed=SEED + i)"),
    "no seed in it": BATCHES.format("n = n + 0", "noisy_batch()"),
    "the same data each time": BATCHES.format("set_seed(seed)", "noisy_batch()").replace(
        "noisy_batch", "make_dataset"
    ),
    "a batch to test on": BATCHES.format("set_seed(seed)", "noisy_batch()").replace(
        "    loss.backward()\n", "fit(x)\n"
    ),
    "data that each trial draws alike": BATCHES.format("set_seed(seed)", "noisy_batch()").replace(
        "    loss.backward()\n", "    for e in range(3):\n        loss.backward()\n"
    ),
    "a generator that is put back": BATCHES.format(
        "with torch.random.fork_rng():\n        pass\n    set_seed(seed)", "noisy_batch()"
    ),
    "a projection": BATCHES.format("set_seed(seed)", "noisy_batch()").replace(
        "return torch", "return n @ torch"
    ),
    "scores in training, probabilities after it": (
        "class N(nn.Module):\n    def forward(self, x):\n        out = self.fc(x)\n"
        "        if self.training:\n            return out\n"
        "        return F.softmax(out, dim=1)\ncrit = nn.CrossEntropyLoss()"
    ),
    "one class of two": (
        "p = F.softmax(model(x), dim=1)[:, 1]\nloss = F.binary_cross_entropy(p, y)"
    ),
    "a loss that is handed over, of two kinds": (
        "def run(crit):\n    loss = crit(torch.sigmoid(model(x)), y)\nrun(nn.BCELoss())\n"
        "run(nn.BCEWithLogitsLoss())"
    ),
    "probabilities for a loss of probabilities": (
        "def run(crit):\n    loss = crit(torch.sigmoid(model(x)), y)\nrun(nn.BCELoss())"
    ),
    "a list that gets another layer": (
        "layers = [nn.Linear(4, 3), nn.Softmax(1)]\nlayers.append(nn.Linear(3, 3))\n"
        "model = nn.Sequential(*layers)\ncrit = nn.CrossEntropyLoss()"
    ),
    "a model of itself": (
        "model = nn.Sequential(nn.Linear(3, 3))\n"
        "model = nn.Sequential(model, nn.Softmax(1), model)\ncrit = nn.MSELoss()"
    ),
    "gradients zeroed in a function": (
        "def step(x, y):\n    optimizer.zero_grad()\n    loss = crit(model(x), y)\n"
        "    loss.backward()\n    optimizer.step()\nfor x, y in dl:\n    step(x, y)\n"
    ),
    "weights clipped after the step": (
        "for x in dl:\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
        "    for p in critic.parameters():\n        p.data.clamp_(-0.01, 0.01)\n"
    ),
    "clipped under a condition": (
        "for x in dl:\n    optimizer.zero_grad()\n    loss.backward()\n    if args.clip:\n"
        "        clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()\n"
    ),
    "none for each round": (
        "optimizer.zero_grad()\nfor x in dl:\n    loss.backward()\n    optimizer.step()\n"
        "    for p in model.parameters():\n        p.grad = None\n"
    ),
    "an inner loop of another optimizer": (
        "for task in tasks:\n    for x in task:\n        inner.zero_grad()\n"
        "        loss.backward()\n    meta_optimizer.step()\n"
    ),
    "gradients added up for one step": (
        "optimizer.zero_grad()\nfor x in dl:\n    loss = crit(model(x), y) / n\n"
        "    loss.backward()\noptimizer.step()\n"
    ),
    "unscaled before it is clipped": (
        "amp = GradScaler()\nfor x in dl:\n    optimizer.zero_grad()\n"
        "    amp.scale(loss).backward()\n    amp.unscale_(optimizer)\n"
        "    clip_grad_norm_(model.parameters(), 1.0)\n    amp.step(optimizer)\n"
        "    amp.update()\n"
    ),
    "a rate written into the groups": (
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\noptimizer.lr = 0.01\n"
        "for g in optimizer.param_groups:\n    g['lr'] = optimizer.lr\n"
    ),
    "a head before the optimizer": (
        "model = models.resnet18()\nmodel.fc[1] = nn.Linear(512, 10)\n"
        "optimizer = torch.optim.Adam(model.parameters())\nloss.backward()\n"
    ),
    "cleared after the rare step": (
        "n = 0\nfor x in dl:\n    loss = crit(model(x), y) / 4\n    loss.backward()\n"
        "    n += 1\n    if n == 4:\n        optimizer.step()\n"
        "        optimizer.zero_grad()\n        n = 0\n"
    ),
    "evaluated in eval mode by a function": (
        MODEL
        + (
            "def evaluate(net, dl):\n    net.eval()\n    with torch.no_grad():\n"
            "        n = sum((net(x).argmax(1) == y).sum() for x, y in dl)\n    net.train()\n"
            "    return n\nfor e in range(9):\n    for x, y in dl:\n"
            "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
            "        loss.backward()\n        optimizer.step()\n    evaluate(model, val)\n"
        )
    ),
    "train() at the start of each epoch": (
        MODEL
        + (
            "def train_epoch(net, dl):\n    net.train()\n    for x, y in dl:\n"
            "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
            "        loss.backward()\n        optimizer.step()\ndef validate(net, dl):\n"
            "    net.eval()\n    return sum((net(x).argmax(1) == y).sum() for x, y in dl)\n"
            "for e in range(9):\n    train_epoch(model, dl)\n    validate(model, val)\n"
        )
    ),
    "the mode that it was in": (
        MODEL
        + (
            "def validate(net, dl):\n    was = net.training\n    net.eval()\n"
            "    n = sum((net(x).argmax(1) == y).sum() for x, y in dl)\n    net.train(was)\n"
            "    return n\nfor e in range(9):\n    for x, y in dl:\n"
            "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
            "        loss.backward()\n        optimizer.step()\n    validate(model, val)\n"
        )
    ),
    "evaluated once it is trained": (
        MODEL
        + (
            "model.train()\nfor e in range(9):\n    for x, y in dl:\n"
            "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
            "        loss.backward()\n        optimizer.step()\nmodel.eval()\n"
            "pred = model(x_test)\n"
        )
    ),
    "held-out data that are trained on": (
        MODEL
        + (
            "for e in range(9):\n    for x, y in dl:\n        optimizer.zero_grad()\n"
            "        loss = crit(model(x), y)\n        loss.backward()\n"
            "        optimizer.step()\n    out = model(x_test)\n    adapt = entropy(out)\n"
            "    adapt.backward()\n"
        )
    ),
    "phases with a mode each": (
        "net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\n"
        "for phase, dl in loaders.items():\n    net.train(phase == 'train')\n"
        "    for x, y in dl:\n        if phase == 'train':\n            loss.backward()\n"
    ),
    "sampled at the test on purpose": (
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        return F.dropout(self.fc(x), 0.5, True)\n"
    ),
    "told what to do by position": (
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        return F.dropout(self.fc(x), 0.5, self.training)\n"
    ),
    "a layer made for later": (
        "class M(nn.Module):\n    def build(self):\n        drop = nn.Dropout(0.5)\n"
        "        return nn.Sequential(self.fc, drop)\n"
    ),
    "a limit of scores": ("crit = nn.BCEWithLogitsLoss()\nT = 0.0\npred = model(x) > T\n"),
    "a limit of other things": (
        "crit = nn.BCEWithLogitsLoss()\ndef keep(p, limit=0.5):\n    return torch.rand(3) > limit\n"
    ),
    "a share by the samples": (
        "for x, y in test_loader:\n"
        "    right = right + (model(x).argmax(1) == y).sum().item()\n"
        "n = len(test_loader.dataset)\nacc = right / n\n"
    ),
    "a mean by the batches": (
        "for x, y in test_loader:\n"
        "    acc = acc + (model(x).argmax(1) == y).float().mean().item()\n"
        "acc /= len(test_loader)\n"
    ),
    "the largest of each sample": (
        "for batch in loader:\n    x, y = batch\n    _, pred = torch.max(model(x), 1)\n"
        "    right += pred.eq(y).sum()\n"
    ),
    "the places of the largest": ("_, pred = torch.max(model(x), 1)\nn = pred.eq(labels).sum()\n"),
    "the places of the five largest": (
        "_, pred = model(x).topk(5, 1)\nn = pred.eq(labels).sum()\n"
    ),
    "set to 0 in each epoch": (
        "right = 0\nfor e in range(9):\n    right = 0\n    for x in dl:\n"
        "        loss.backward()\n        right = right + 1\n"
        "    print(100 * right / len(ds))\n"
    ),
    "one seed for both orders": (
        "X = shuffle(X, random_state=0)\ny = shuffle(y, random_state=0)\n"
    ),
    "shuffled together": ("X, y = shuffle(X, y)\n"),
    "samples of what is to be independent": (
        "x_m = x[torch.randperm(n)]\ny_m = y[torch.randperm(n)]\n"
        "mutual_information = bound(x_m, y_m)\n"
    ),
    "one draw for both": (
        "i = torch.randint(0, n, (8,))\nxb = X[i]\nyb = y[i]\nloss = crit(model(xb), yb)\n"
    ),
    "two samples of what is alike": (
        "a = X[torch.randint(0, n, (8,))]\nreal = X[torch.randint(0, n, (8,))]\n"
        "loss = mmd_loss(net(a), real)\n"
    ),
    "noise that is asked for": (
        "noise = torch.randn_like(x)\nnoisy = x + noise\n"
        "loss = F.mse_loss(input=net(noisy), target=noise)\n"
    ),
    "the part that was put aside": (
        "a, val_ds = random_split(ds, [8, 2])\nval_loader = DataLoader(val_ds)\n"
        "all_loader = DataLoader(ds)\n"
    ),
    "the scale of the training data": (
        "sc = StandardScaler()\nsc.fit(X_train)\nX_test = sc.transform(X_test)\n"
    ),
    "two scalers for two things": (
        "sx, sy = StandardScaler(), StandardScaler()\nX_train = sx.fit_transform(X_train)\n"
        "y_train = sy.fit_transform(y_train)\nX_test = sx.transform(X_test)\n"
    ),
    "each sample by its own mean": (
        "x_train = (x_train - x_train.mean(1)) / x_train.std(1)\n"
        "x_test = (x_test - x_test.mean(1)) / x_test.std(1)\n"
    ),
    "brackets around it": ("x = (x - self.mean[:, None]) / self.std[:, None]\n"),
    "indices by rows": ("row = index // 255\ncol = torch.floor_divide(index, 255)\n"),
    "augmented for training alone": (
        "tf = {'train': T.Compose([T.RandomCrop(8), T.ToTensor()]), 'val': T.Comp"
        "ose([T.CenterCrop(8), T.ToTensor()])}\nds = ImageFolder('data/val', tf['val'])\n"
    ),
    "a loss turned round": ("sched = ReduceLROnPlateau(opt, mode='max')\nsched.step(-val_loss)\n"),
    "a step of patience": (
        "if val_loss > best_loss:\n    waited += 1\nelse:\n    best_loss = val_loss\n"
    ),
    "patience, the other way round": (
        "if best_loss < val_loss:\n    waited += 1\nelse:\n    best_loss, waited = val_loss, 0\n"
    ),
    "the largest loss as it is called": ("if loss > max_loss:\n    max_loss = loss\n"),
    "the best of an accuracy": ("is_best = acc > best_acc\nbest_acc = max(acc, best_acc)\n"),
    "the smallest loss": ("best_loss = min(best_loss, val_loss)\n"),
    "a copy of each tensor": (
        "for e in range(9):\n    optimizer.step()\n    if val_loss < best_loss:\n"
        "        best = {k: v.clone() for k, v in model.state_dict().items()}\n"
        "model.load_state_dict(best)\n"
    ),
    "saved at once": (
        "for e in range(9):\n    optimizer.step()\n    if val_loss < best_loss:\n"
        "        best = {'model': model.state_dict()}\n        save_checkpoint(best)\n"
    ),
    "a model for each trial": (
        "for lr in rates:\n    model = Net()\n"
        "    optimizer = torch.optim.Adam(model.parameters())\n    for x in dl:\n"
        "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n"
        "    if acc > best_acc:\n        best_acc = acc\n        best_model = model\n"
    ),
    "an average by names": (
        "class E:\n    def __init__(self, net, decay=0.999):\n        self.decay = decay\n"
        "    def update(self, net):\n        for name, p in net.named_parameters():\n"
        "            self.shadow[name] = self.decay * self.shadow[name] + (1 - se"
        "lf.decay) * p.data\n"
    ),
    "a small share by a setting": (
        "@dataclass\nclass A:\n    tau: float = 0.005\n"
        "for t, s in zip(target.parameters(), online.parameters()):\n"
        "    t.data.copy_(args.tau * s.data + (1 - args.tau) * t.data)\n"
    ),
    "a divergence with its minus": (
        "kl = torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) * -0.5\nloss = rec + kl\n"
    ),
    "a divergence written the other way": (
        "kl = 0.5 * torch.sum(mu.pow(2) + logvar.exp() - logvar - 1)\nloss = rec + kl\n"
    ),
    "a divergence that is taken off": (
        "kl = torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / 2\nloss = rec - kl\n"
    ),
    "half of the logarithm": ("q = Normal(mu, (0.5 * logvar).exp())\nz = q.rsample()\n"),
    "two means": (
        "def f(out, x, mu, logvar):\n"
        "    return F.mse_loss(out, x, reduction='mean') - 0.5 * torch.mean(1 + l"
        "ogvar - mu ** 2 - logvar.exp())\n"
    ),
    "what pays, with its minus": (
        "losses = []\nfor lp, R in zip(log_probs, returns):\n    losses.append(-lp * R)\n"
        "loss = torch.stack(losses).sum()\nloss.backward()\n"
    ),
    "a minus around the sum": (
        "losses = []\nfor lp, R in zip(log_probs, returns):\n    losses.append(lp * R)\n"
        "loss = -torch.stack(losses).sum()\nloss.backward()\n"
    ),
    "the larger of two losses": (
        "loss = torch.max(-adv * ratio, -adv * ratio.clamp(0.8, 1.2)).mean()\nloss.backward()\n"
    ),
    "a clipped surrogate with its minus": (
        "s1 = ratio * adv\ns2 = ratio.clamp(1 - e, 1 + e) * adv\n"
        "loss = -torch.min(s1, s2).mean()\nloss.backward()\n"
    ),
    "an actor that goes up": ("actor_loss = -critic(s, actor(s)).mean()\nactor_loss.backward()\n"),
    "a bonus that is taken off": ("loss = crit(out, y)\nloss -= 0.01 * entropy\nloss.backward()\n"),
    "a penalty that is added": (
        "loss = crit(out, y)\nfor p in model.parameters():\n"
        "    loss += 1e-4 * p.abs().sum()\nloss.backward()\n"
    ),
    "one less a score": (
        "def dice_loss(p, t):\n    dice = 2 * (p * t).sum() / (p.sum() + t.sum())\n"
        "    return 1 - dice\nloss = dice_loss(out, y)\nloss.backward()\n"
    ),
    "a score taken off": (
        "def dice(p, t):\n    return 2 * (p * t).sum() / (p.sum() + t.sum())\n"
        "loss = bce(out, y) + 1 - dice(out, y)\nloss.backward()\n"
    ),
    "judge and judged apart": (
        "d_loss = torch.mean(D(fake.detach())) - torch.mean(D(real))\nd_loss.backward()\n"
        "g_loss = -torch.mean(D(fake))\ng_loss.backward()\n"
    ),
    "the end that is left out": ("y = rewards + gamma * q * (1 - dones.float())\n"),
    "the end of a batch, read": ("done = batch['done']\ny = r + gamma * q * (1 - done)\n"),
    "from the last reward on, in front": (
        "for t in range(len(rewards))[::-1]:\n    R = rewards[t] + gamma * R\n    returns[t] = R\n"
    ),
    "zipped from behind, and turned": (
        "R = 0\nreturns = []\nfor r, d in zip(reversed(rewards), reversed(dones)):\n"
        "    R = r + gamma * R * (1 - d)\n    returns.append(R)\nreturns.reverse()\n"
    ),
    "new over old": (
        "logratio = new_logprob - old_logprob.detach()\nratio = logratio.exp().clamp(0.8, 1.2)\n"
    ),
    "padding is True": (
        "def make(src):\n    return src == PAD\nenc = nn.TransformerEncoder(layer, 2)\n"
        "out = enc(x, src_key_padding_mask=make(src))\n"
    ),
    "the mask of the training": (
        "for e in range(9):\n    optimizer.zero_grad()\n"
        "    loss = F.nll_loss(model(data)[data.train_mask], data.y[data.train_mask])\n"
        "    loss.backward()\n    optimizer.step()\n"
        "n = (pred[data.test_mask] == data.y[data.test_mask]).sum()\n"
    ),
    "a derivative with its graph": (
        "def d(y, x):\n"
        "    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]\n"
        "ux = d(u, x)\nloss = (ux - f).pow(2).mean()\nloss.backward()\n"
    ),
    "a derivative by a function of that name": (
        "def grad(y, x):\n"
        "    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]\n"
        "ux = grad(u, x)\nloss = (ux - f).pow(2).mean()\nloss.backward()\n"
    ),
    "a posterior that no network gives": (
        "class Arm:\n    def draw(self):\n        cov = torch.linalg.inv(self.P)\n"
        "        cov = (cov + cov.t()) / 2\n        return torch.distributions."
        "MultivariateNormal(cov @ self.b, cov).sample()\nloss.backward()\n"
    ),
    "against the gradient": (
        "loss.backward()\nfor p in model.parameters():\n    p.data.add_(p.grad, alpha=-0.1)\n"
        "    p.data = p.data - lr * p.grad\n"
    ),
    "heads side by side": (
        "class M(nn.Module):\n    def forward(self, x):\n        outs = []\n"
        "        for i, layer in enumerate(self.layers):\n            h = layer(x)\n"
        "            outs.append(h)\n        return outs\n"
    ),
    "each layer gets the last one's": (
        "class M(nn.Module):\n    def forward(self, x):\n"
        "        for i in range(len(self.layers)):\n            x = self.layers[i](x)\n"
        "        return x\n"
    ),
    "a generator used once": (
        "params = filter(lambda p: p.requires_grad, model.parameters())\n"
        "optimizer = torch.optim.Adam(params)\nfor x in dl:\n    optimizer.zero_grad()\n"
        "    loss.backward()\n    optimizer.step()\n"
    ),
    "pairs made in each round": (
        "for e in range(9):\n    pairs = zip(xs, ys)\n    for x, y in pairs:\n"
        "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
        "        loss.backward()\n        optimizer.step()\n"
    ),
    "a seed of the epoch": (
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nfor epoch in range(9):\n"
        "    torch.manual_seed(args.seed + epoch)\n    for x in dl:\n"
        "        optimizer.zero_grad()\n        loss = crit(model(x), y)\n"
        "        loss.backward()\n        optimizer.step()\n"
    ),
    "a model for each number of epochs": (
        "class Net(nn.Module):\n    pass\nfor n_epochs in [5, 10]:\n    model = Net()\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    for e in range(n_epochs):\n        for x, y in dl:\n"
        "            optimizer.zero_grad()\n            loss = crit(model(x), y)\n"
        "            loss.backward()\n            optimizer.step()\n"
    ),
    "numbers added up": (
        "for x in dl:\n    loss.backward()\n    total = total + loss.item() * len(x)\n"
    ),
    "means added up and gone back through": (
        "for x in dl:\n    total = total + loss * 0.5\ntotal.backward()\n"
    ),
    "losses of several heads, returned": (
        "def f(outs, ys):\n    total = 0\n    for i, (o, y) in enumerate(zip(outs, ys)):\n"
        "        loss = crit(o, y)\n        total += w[i] * loss\n    return total\n"
    ),
    "a schedule that moves": (
        "sched = CosineAnnealingLR(optimizer, 9)\nfor x in dl:\n    optimizer.zero_grad()\n"
        "    loss.backward()\n    optimizer.step()\n    sched.step()\n"
    ),
    "a schedule that is handed over": (
        "sched = StepLR(optimizer, 9)\ntrain(model, optimizer, sched)\noptimizer.step()\n"
    ),
    "roots of the shares": (
        "ab = torch.cumprod(alphas, 0)\nb = 1 - ab[t]\nx_t = ab[t].sqrt() * x0 + b.sqrt() * noise\n"
    ),
}

test_it_is_said, test_what_comes_close_is_left_alone = said_and_left_alone(SHOWN, SOUND)


def test_a_schedule_moves_with_its_optimizer() -> None:
    """Left where it is, it would begin anew in each epoch all the same."""
    tree = ast.parse(
        "for epoch in range(9):\n    opt = SGD(net.parameters(), lr=0.1, momentum=0.9)\n"
        "    sched = lr_scheduler.StepLR(opt, 3)\n    other = lr_scheduler.StepLR(far, 3)\n"
        "    for x in dl:\n        loss.backward()\n        opt.step()\n    sched.step()"
    )

    (told,) = epochs.each_epoch(tree)

    assert [move[0] for move in told[3][0]["moves"]] == [2, 3]
