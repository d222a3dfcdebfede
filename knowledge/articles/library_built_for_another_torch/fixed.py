import torch

torch.library.define("detection::nms", "(Tensor boxes, Tensor scores, float threshold) -> Tensor")


@torch.library.register_fake("detection::nms")
def nms(boxes, scores, threshold):
    return boxes.new_empty(len(boxes), dtype=torch.long)
