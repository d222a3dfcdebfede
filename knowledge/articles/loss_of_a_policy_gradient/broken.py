import torch

torch.manual_seed(0)
logits = torch.zeros(3, requires_grad=True)
policy = torch.distributions.Categorical(logits=logits)
action = policy.sample()
loss = -action * torch.tensor(1.0)
assert loss.requires_grad, "nothing leads back to the policy"
