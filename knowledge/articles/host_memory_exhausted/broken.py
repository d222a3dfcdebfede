import torch

points = torch.rand(1_000_000, 2)
distances = torch.cdist(points, points)  # error: RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory
