loaded = {"nvidia"}  # what nvidia-smi needs
assert {"nvidia", "nvidia_uvm"} <= loaded, "CUDA cannot be started"
