import torch

x = torch.rand(2, 3, 64, 96)


def to_patches(x, p):
    b, c, h, w = x.shape
    x = x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(b, (h // p) * (w // p), c, p, p)


def to_image(patches, h, w):
    b, _, c, p, _ = patches.shape
    x = patches.reshape(b, h // p, w // p, c, p, p).permute(0, 3, 1, 4, 2, 5)
    return x.reshape(b, c, h, w)


patches = to_patches(x, 16)
assert torch.equal(to_image(patches, 64, 96), x)
assert torch.equal(patches[:, 1], x[:, :, :16, 16:32]), "the second patch is right of the first"
