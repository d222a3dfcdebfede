sizes = [400, 431, 433, 462, 517, 400, 590]
tried = {size for size in sizes}  # a trial of all algorithms for each
assert len(tried) <= 4, "nearly every image is tried anew"
