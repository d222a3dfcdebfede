sizes = [400, 431, 433, 462, 517, 400, 590]
tried = {-(-size // 64) * 64 for size in sizes}  # padded
assert len(tried) <= 4, "nearly every image is tried anew"
