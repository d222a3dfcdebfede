"""A CUDA device that is only pretended: real values on the CPU, PyTorch's own device errors."""
