import torch

losses = [torch.tensor([2.0, 2.0, 2.0, 2.0]), torch.tensor([6.0])]  # of the tokens of two batches
perplexity = torch.stack([batch.mean().exp() for batch in losses]).mean()
whole = torch.cat(losses).mean().exp()
assert torch.allclose(perplexity, whole), f"{perplexity:.1f} instead of {whole:.1f}"
