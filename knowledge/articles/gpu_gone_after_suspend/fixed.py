loaded = {"nvidia"}  # what nvidia-smi needs
loaded |= {"nvidia_uvm"}  # modprobe
assert {"nvidia", "nvidia_uvm"} <= loaded, "CUDA cannot be started"
