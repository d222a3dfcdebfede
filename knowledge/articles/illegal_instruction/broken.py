import torch

flags = "fp asimd evtstrm crc32 cpuid"  # of lscpu, on a Raspberry Pi 4
version = "2.10"
newer = "atomics" in flags
assert newer or version not in ("2.0", "2.4", "2.10"), "this wheel needs more than ARMv8.0"
