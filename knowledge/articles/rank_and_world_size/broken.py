gpus_per_machine = 8
rank = 11  # of 16 processes on two machines: the fourth one of the second machine
device = rank
assert device < gpus_per_machine, f"there is no GPU {device} on a machine"
