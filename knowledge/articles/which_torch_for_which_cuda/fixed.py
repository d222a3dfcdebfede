driver, toolkit = (12, 2), (12, 6)  # of nvidia-smi, of nvcc
builds = [(11, 8), (12, 1), (12, 4)]
chosen = max(build for build in builds if build <= driver)
assert chosen <= driver, "the driver is older than the build"
