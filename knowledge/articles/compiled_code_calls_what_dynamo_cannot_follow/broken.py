import torch


@torch.compile(fullgraph=True, backend="eager")
def double(x):
    print("input", x)
    return 2 * x


double(torch.ones(3))  # error: Unsupported: Failed to trace builtin operator Explanation: Dynamo does not know how to trace builtin operator
