"""The simulated CUDA device: real values on the CPU, PyTorch's own device errors."""
