import torch


# The compiled part of a library declares its operators; this one was not loaded.
@torch.library.register_fake("detection::nms")  # error: RuntimeError: operator detection::nms does not exist
def nms(boxes, scores, threshold):
    return boxes.new_empty(len(boxes), dtype=torch.long)
