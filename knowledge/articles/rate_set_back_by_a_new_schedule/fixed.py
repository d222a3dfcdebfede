import torch

optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
saved = {**optimizer.state_dict()}
saved["param_groups"] = [{**saved["param_groups"][0], "lr": 0.05, "initial_lr": 0.1}]
torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 - epoch / 10)
optimizer.load_state_dict(saved)
assert optimizer.param_groups[0]["lr"] == 0.05, "the rate of epoch 5 is gone"
