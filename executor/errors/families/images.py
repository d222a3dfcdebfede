"""Images on their way to a tensor, as torchvision's transforms refuse them."""

import re
from collections.abc import Mapping

from executor.errors.family import ErrorFamily, SeenError, Sentence, Suspect

_NEEDS = "torchvision"

_PILLOW = re.compile(r"\((?:\d+, )*(?P<last>\d+)\), (?P<kind>\S+)")


def _pillow(seen: SeenError, message: str) -> Mapping[str, str]:
    """What Pillow took for the number of channels, or which numbers it got for them."""
    found = _PILLOW.search(seen["given"])
    if found is None:
        return {}
    if found["last"] not in {"1", "2", "3", "4"}:
        return {"last": found["last"][:6]}
    kind = found["kind"].lstrip("<>|=")
    named = {"f4": "float32", "f8": "float64", "i8": "int64", "i4": "int32"}.get(kind)
    return {"pixels": named} if named and found["last"] in {"3", "4"} else {}


def _drawn(seen: SeenError, message: str) -> Mapping[str, str]:
    """What keeps a shape from being a picture's."""
    sizes = seen.sizes("given")
    if len(sizes) in (1, 4):
        return {"kind": "flat" if len(sizes) == 1 else "batch"}
    if len(sizes) != 3:
        return {}
    if 1 in (sizes[0], sizes[2]):
        return {"kind": "grey"}
    return {"kind": "first"} if sizes[0] in (3, 4) else {}


# The number in the message is the picture's place in its batch.
_FIND_BOXES = (
    "To find it, go through the data set by itself, without a loader: `for n in range(len(dataset"
    ")): b = dataset[n][1]['boxes']`, and print n where `((b[:, 2:] - b[:, :2]) <= 0).any()`. A "
    "box without an area can be left out with its label (and mask): `keep = (b[:, 2:] > "
    "b[:, :2]).all(1)`"
)


def _flat_sides(seen: SeenError, message: str) -> Mapping[str, str]:
    """Which sides of a box [x1, y1, x2, y2] are 0."""
    numbers = [float(n) for n in re.findall(r"[-+.\de]+", seen["box"]) if re.search(r"\d", n)]
    if len(numbers) != 4:
        return {}
    left, top, right, bottom = numbers
    if right < left or bottom < top:
        return {}
    flat = [side for side, zero in (("width", left == right), ("height", top == bottom)) if zero]
    return {"flat": " and no ".join(flat)} if flat else {}


FAMILIES = (
    ErrorFamily(
        id="image_type",
        says="A transform gets a tensor where it takes an image, or the other way round.",
        means=("A transform expects {expected} and gets {given}",),
        remedy=(
            Sentence(
                "The class is right and the dimensions are not: ToPILImage() takes [C, H, W] of a "
                "tensor and [H, W, C] of an array, and old torchvision nothing else. Print its "
                "shape: a grey picture [H, W] is made one by `x.unsqueeze(0)`, one picture is "
                "taken out of a batch by `x[0]`. Of floats it expects values from 0 to 1",
                {"expected": r"Tensor.*|torch\..*", "given": r".*(?:Tensor|ndarray).*"},
            ),
            Sentence(
                "These transforms work on arrays as OpenCV reads them: `np.asarray(image)`, or the "
                "transforms of torchvision, which take PIL images",
                {"expected": r"CV.*"},
            ),
            Sentence(
                "ToTensor() takes PIL images and arrays: leave it out where the image is a "
                "tensor already, and put it after the transforms that work on PIL images",
                {"given": r".*Tensor.*", "expected": r"PIL.*"},
            ),
            (
                "Bring it to the type first: `Image.open(path).convert('RGB')` or "
                "`transforms.ToPILImage()` before transforms of images, `ToTensor()` "
                "before Normalize"
            ),
        ),
        suspects=(Suspect(r"ToTensor|ToPILImage|Normalize|Resize|Compose"),),
        types=("TypeError",),
        today=(
            r"^(?P<name>pic|img) should be (?P<expected>[\w ]{1,40})\. Got "
            r"(?P<given><[^\n]{1,100}?>)",
            r"Input (?P<name>pic) must be a (?P<expected>torch\.Tensor) or NumPy ndarray, not "
            r"(?P<given><[^\n]{1,100}?>)",
            r"Input (?P<name>\w+) should be a (?P<expected>torch tensor)\. "
            r"Got (?P<given><[^\n]{1,100}?>)",
            r"[Uu]nexpected type (?P<given><[^\n]{1,100}?>)",
            r"^(?P<name>tensor) should be a (?P<expected>torch tensor)\. Got "
            r"(?P<given><[^\n]{1,100}?>)",
        ),
        values={
            "name": "of the argument",
            "expected": "what it takes",
            "given": "class of what it got",
        },
        needs=_NEEDS,
        examples=(
            "TypeError: pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>",
            "TypeError: img should be PIL Image. Got <class 'torch.Tensor'>",
            "TypeError: Input tensor should be a torch tensor. Got <class 'PIL.Image.Image'>.",
            "TypeError: Unexpected type <class 'numpy.ndarray'>",
        ),
    ),
    ErrorFamily(
        id="image_shape",
        says="An image has another number of dimensions or channels than a picture has.",
        derive=_pillow,
        means=(
            Sentence(
                "Pillow takes the last dimension for the channels, and it is {last} here: mostly "
                "the channels come first, as ToTensor leaves them",
                {"last": r"\d+"},
            ),
            Sentence(
                "Pillow makes a colour picture of whole numbers from 0 to 255, uint8, and gets "
                "{pixels}",
                {"pixels": r".+"},
            ),
            ("An image has another number of dimensions or channels than a picture has: {given}"),
            "An image has another number of dimensions or channels than a picture has",
        ),
        remedy=(
            Sentence(
                "`Image.fromarray((x.permute(1, 2, 0).cpu().numpy() * 255).astype('uint8'))` for a "
                "tensor x of [channels, height, width] between 0 and 1, or "
                "`torchvision.transforms.functional.to_pil_image(x)`; a batch gives one image by "
                "`x[0]`, and a grey one loses its channel by `squeeze(0)`",
                {"last": r"\d+"},
            ),
            Sentence(
                "`Image.fromarray((array * 255).round().astype('uint8'))` where the values lie "
                "between 0 and 1, `array.astype('uint8')` where they go to 255",
                {"pixels": r".+"},
            ),
            (
                "A picture is [height, width] or [height, width, channels] as a NumPy "
                "array of uint8, and [channels, height, width] as a tensor: take one image "
                "out of the batch (`x[0]`), `squeeze()` a dimension of 1, and bring the "
                "channels to their place"
            ),
        ),
        suspects=(Suspect(r"ToPILImage|to_pil_image|fromarray|imshow"),),
        types=("ValueError", "TypeError"),
        today=(
            r"pic should (?:be|not have)[^\n]{0,40}? (?P<expected>2/3 dimensional|> 4 channels)",
            r"Cannot handle this data type(?:: (?P<given>[^\n]{1,60}))?",
        ),
        values={"expected": "what a picture has", "given": "sizes and type of the pixels"},
        needs=_NEEDS,
        examples=(
            "ValueError: pic should be 2/3 dimensional. Got 4 dimensions.",
            "TypeError: Cannot handle this data type: (1, 1, 28), |u1",
        ),
    ),
    ErrorFamily(
        id="image_channels_first",
        says="A picture is drawn that is not [height, width] or [height, width, channels].",
        derive=_drawn,
        means=(
            "matplotlib draws [height, width], or [height, width, channels] with 3 or 4 of them, "
            "and gets {given}",
            "matplotlib draws [height, width], or [height, width, channels] with 3 or 4 of them",
        ),
        remedy=(
            Sentence(
                "The channels come first: `plt.imshow(x.permute(1, 2, 0))` (of an array "
                "`x.transpose(1, 2, 0)`)",
                {"kind": "first"},
            ),
            Sentence(
                "A grey picture is drawn without its channel: `plt.imshow(x.squeeze(), "
                "cmap='gray')`",
                {"kind": "grey"},
            ),
            Sentence(
                "Take one picture out of the batch first, `x[0]`, and bring its channels to the "
                "end, `x[0].permute(1, 2, 0)`, if they come first",
                {"kind": "batch"},
            ),
            Sentence("Give it back its sides: `x.reshape(height, width)`", {"kind": "flat"}),
            "Print its shape. If channels come first, `x.permute(1, 2, 0)`; if there is one of "
            "them, `x.squeeze()`; if it is a batch, `x[0]`; if it has more than 4 channels, choose "
            "one of them, `x[0]`",
        ),
        types=("TypeError",),
        today=(r"Invalid (?:shape|dimensions) (?P<given>\([\d, ]{1,60}\) )?for image data",),
        values={"given": "sizes of the picture"},
        sample="import matplotlib.pyplot as plt\nplt.imshow(torch.ones(3, 28, 28))",
        examples=("TypeError: Invalid dimensions for image data",),
    ),
    ErrorFamily(
        id="image_not_float",
        says="A tensor of whole numbers is normalized.",
        means=("The image is {dtype}, and its channels are to be shifted and scaled",),
        remedy=(
            "`transforms.ToTensor()` before `Normalize` makes floats from 0 to 1 of an image; of a "
            "tensor `x.float() / 255` does, or `v2.ToDtype(torch.float32, scale=True)`",
        ),
        suspects=(Suspect(r"Normalize|normalize|Compose"),),
        types=("TypeError",),
        today=(r"Input tensor should be a? ?float tensor\. Got (?P<dtype>torch\.\w+)",),
        values={"dtype": "of the image"},
        needs=_NEEDS,
        examples=("TypeError: Input tensor should be a float tensor. Got torch.uint8.",),
    ),
    ErrorFamily(
        id="image_without_channels",
        says="A transform of images gets a tensor that has no channels, height and width.",
        means=(
            "The tensor is {given}, and an image is [channels, height, width]",
            "The tensor has too few dimensions: an image is [channels, height, width]",
        ),
        remedy=(
            "Print its shape. If it is [height, width], `x.unsqueeze(0)` gives it its channel; if "
            "it was made flat, normalize before that, or give it back its sides (`x.view(1, 28, "
            "28)`)",
        ),
        suspects=(Suspect(r"Normalize|normalize|Compose"),),
        types=("ValueError", "TypeError"),
        today=(
            r"Tensor is not a torch image",
            r"Expected tensor to be a tensor image of size \(\.\.\., C, H, W\)\. Got "
            r"tensor\.size\(\) = torch\.Size\((?P<given>\[[\d, ]*\])\)",
        ),
        values={"given": "its sizes"},
        needs=_NEEDS,
        examples=(
            "ValueError: Expected tensor to be a tensor image of size (..., C, H, W). Got "
            "tensor.size() = torch.Size([784])",
        ),
    ),
    ErrorFamily(
        id="crop_larger_than_image",
        says="A piece is cut out of an image that is smaller.",
        means=("A crop of {wanted} is cut out of an image of {given}",),
        remedy=(
            "If the images may be enlarged, `Resize` before it; if not, `RandomCrop(size, "
            "pad_if_needed=True)` pads those that are smaller",
        ),
        suspects=(Suspect(r"RandomCrop|Compose"),),
        types=("ValueError",),
        today=(
            r"Required crop size (?P<wanted>\([\d, ]+\)) is larger than input image size "
            r"(?P<given>\([\d, ]+\))",
        ),
        values={"wanted": "its sizes", "given": "sizes of the image"},
        needs=_NEEDS,
        examples=(
            "ValueError: Required crop size (32, 32) is larger than input image size (28, 28)",
        ),
    ),
    ErrorFamily(
        id="image_size_of_the_model",
        says="A vision transformer gets images of another size than it was made for.",
        means=("The model takes images of {wanted}, and gets {given}",),
        remedy=(
            "`transforms.Resize((n, n))` to that size, or make the model with `image_size` "
            "(torchvision) or `img_size` (timm) of your images",
        ),
        suspects=(Suspect(r"model|net|vit\w*|create_model"),),
        types=("AssertionError",),
        today=(
            r"Wrong image (?:height|width)! Expected (?P<wanted>\d+) but got (?P<given>\d+)",
            r"Input (?:height|width|image size) \((?P<given>\d+)[^)]{0,12}\) doesn't match model "
            r"\((?P<wanted>\d+)",
        ),
        values={"wanted": "height or width", "given": "of the image"},
        needs=_NEEDS,
        examples=(
            "AssertionError: Wrong image height! Expected 224 but got 32!",
            "AssertionError: Input height (32) doesn't match model (224).",
        ),
    ),
    ErrorFamily(
        id="image_unreadable",
        says="A file is opened as an image and holds none, or only a part of one.",
        means=("The file holds no image that Pillow reads, or only a part of one",),
        remedy=(
            Sentence(
                "Look at the first bytes of what is opened. If it was written or read before, go "
                "back to its start, `buffer.seek(0)`; if it came from the web, print the status of "
                "the answer: a page that reports an error is no image",
                {"name": r".*BytesIO.*"},
            ),
            "Look at its size and first bytes: a web page that was saved under this name, a cut "
            "download, another kind of file in the folder. `Image.open(path).verify()` in a loop "
            "finds the bad ones: fetch them anew or leave them out. (If pictures whose rest is "
            "grey will do, `ImageFile.LOAD_TRUNCATED_IMAGES = True` takes cut ones)",
        ),
        suspects=(Suspect(r"open|ImageFolder"),),
        types=("UnidentifiedImageError", "OSError"),
        today=(
            r"cannot identify image file (?P<name>[^\n]{1,200})",
            r"image file is truncated",
        ),
        values={"name": "of the file"},
        needs="pillow, and such a file",
        examples=(
            "UnidentifiedImageError: cannot identify image file 'x.jpg'",
            "OSError: image file is truncated (1 bytes not processed)",
        ),
    ),
    ErrorFamily(
        id="image_mode_not_written",
        says="An image is saved in a format that has no such mode.",
        means=("{format} has no mode {mode}",),
        remedy=(
            Sentence(
                "Bring its values to 0 to 255 first (`(a - a.min()) / (a.max() - a.min()) * 255` "
                "as uint8), or save it as TIFF, which keeps them: `convert` alone cuts them off",
                {"mode": r"F|I.*"},
            ),
            "If transparency matters, save as PNG; if not, `image.convert('RGB').save(path)`",
        ),
        suspects=(Suspect(r"save"),),
        types=("OSError",),
        today=(r"cannot write mode (?P<mode>\w+) as (?P<format>\w+)",),
        values={"mode": "of the image", "format": "of the file"},
        needs="pillow",
        examples=("OSError: cannot write mode RGBA as JPEG",),
    ),
    ErrorFamily(
        id="cv2_no_array",
        says="OpenCV gets something that is no NumPy array of a kind that it takes.",
        means=(
            "OpenCV's `{function}` takes NumPy arrays, and gets something else | a tensor, a "
            "Pillow image, or numbers of a kind that it does not have",
            "OpenCV takes NumPy arrays, and gets something else | a tensor, a Pillow image, or "
            "numbers of a kind that it does not have",
        ),
        remedy=(
            "Of a tensor [channels, height, width]: `np.ascontiguousarray(x.permute(1, 2, "
            "0).cpu().numpy())`; of a Pillow image `np.array(image)`. It wants uint8 or float32, "
            "and blue first (`cv2.cvtColor(a, cv2.COLOR_RGB2BGR)`)",
        ),
        suspects=(
            Suspect(r"resize|cvtColor|imshow|imwrite|rectangle|putText|circle|line|warp\w*"),
        ),
        types=("error", "TypeError"),
        today=(
            r"\(-5:Bad argument\) in function '(?P<function>\w+)'",
            r"Expected Ptr<cv::UMat> for argument '(?P<argument>\w+)'",
            r"Layout of the output array \w+ is incompatible with cv::Mat",
            r"src is not a numpy array, neither a scalar",
        ),
        values={"function": "of OpenCV", "argument": "that does not fit"},
        needs="opencv",
        examples=(
            "error: OpenCV(4.8.0) :-1: error: (-5:Bad argument) in function 'resize'\n> Overload "
            "resolution failed:\n>  - src is not a numpy array, neither a scalar",
            "TypeError: Expected Ptr<cv::UMat> for argument 'img'",
        ),
    ),
    ErrorFamily(
        id="cv2_empty_image",
        says="OpenCV works on an image that is empty.",
        means=("`{function}` gets an empty image",),
        remedy=(
            "Print what it gets. If it is from `cv2.imread`, that gives None where it finds no "
            "image, and says nothing: print the path, `os.getcwd()` and `os.path.exists(path)`. If "
            "it is a video's, it has come to its end (`ok, frame = cap.read()`); if a piece was "
            "cut out, it lies outside of the image",
        ),
        suspects=(Suspect(r"imread|cvtColor|resize|read"),),
        types=("error",),
        today=(
            r"Assertion failed\) !(?:_src|ssize|src|buf)\.empty\(\) in function "
            r"'(?P<function>\w+)'",
        ),
        values={"function": "of OpenCV"},
        needs="opencv",
        examples=(
            "error: OpenCV(4.8.0) color.cpp:182: error: (-215:Assertion failed) !_src.empty() in "
            "function 'cvtColor'",
        ),
    ),
    ErrorFamily(
        id="model_unknown",
        says="A library of models is asked for one that it does not have.",
        decides=True,
        means=(
            "No model is registered as `{name}` | it came in a newer release, or the file that "
            "registers one's own was never imported",
        ),
        remedy=(
            "`torchvision.models.list_models()` and `timm.list_models('*part*')` list those there "
            "are; a newer one needs a newer release, one's own an import of its file before it is "
            "asked for",
        ),
        suspects=(Suspect(r"create_model|get_model|load"),),
        types=("RuntimeError", "ValueError", "KeyError"),
        today=(r"Unknown model \(?(?P<name>[\w./:-]{1,120})\)?",),
        values={"name": "that was asked for"},
        needs=_NEEDS,
        examples=(
            "ValueError: Unknown model resnet99",
            "RuntimeError: Unknown model (resnet99)",
        ),
        breadth=-11,  # otherwise `key_missing`
    ),
    ErrorFamily(
        id="no_weights_for_the_model",
        says="Trained weights are asked for where there are none.",
        means=("There are no trained weights of `{name}`",),
        remedy=("Make it without: `weights=None`; or take a size for which there are some",),
        suspects=(Suspect(r"{name}"),),
        types=("ValueError",),
        today=(r"No (?:weights|checkpoint is) available for model (?:type )?(?P<name>\w+)",),
        values={"name": "of the model"},
        needs=_NEEDS,
        examples=("ValueError: No weights available for model vit_h_14",),
    ),
    ErrorFamily(
        id="classes_of_the_weights",
        says="A model is made with trained weights and another number of classes than they have.",
        means=("The weights are for {wanted} classes, and {given} are asked for",),
        remedy=(
            "Make it with the classes of the weights and put a new last layer in its place: "
            "`model.fc = nn.Linear(model.fc.in_features, n)` of a ResNet, the last of "
            "`model.classifier` of others, and of a Faster R-CNN `model.roi_heads.box_predictor = "
            "FastRCNNPredictor(in_features, n)`",
        ),
        suspects=(Suspect(r"\w+"),),
        types=("ValueError",),
        today=(
            r"The parameter 'num_classes' expected value (?P<wanted>\d+) but got (?P<given>\d+)",
        ),
        values={"wanted": "classes of the weights", "given": "that were asked for"},
        needs=_NEEDS,
        examples=(
            "ValueError: The parameter 'num_classes' expected value 1000 but got 10 instead.",
        ),
    ),
    ErrorFamily(
        id="annotation_without_area",
        says="A box of the annotations has no width or height.",
        means=(
            "A box of the annotations has no width or no height, or its corners are in another "
            "order than the format says",
        ),
        remedy=(
            "Print the box that the message names. A point instead of a box is left out of the "
            "data (`min_area=1` in `A.BboxParams` leaves them out after a crop, not before). "
            "Corners in another order: name the format that the file has (`coco` is x, y, width, "
            "height; `pascal_voc` two corners; `yolo` center, width, height, from 0 to 1)",
        ),
        types=("ValueError",),
        today=(r"[xy]_max is less than or equal to [xy]_min for bbox",),
        needs="albumentations",
        examples=(
            "ValueError: x_max is less than or equal to x_min for bbox (0.3, 0.1, 0.3, 0.4)",
        ),
    ),
    ErrorFamily(
        id="detection_targets",
        says="A detection model gets targets that are missing, or are not as it takes them.",
        means=(
            "The boxes of one image have the shape {boxes} and not [N, 4]: where it is [0], an "
            "image without objects gave an empty list",
            Sentence("A box of the targets has no {flat}: {box}", {"flat": r".+"}),
            "A box of the targets ends before it begins: {box}",
            "A detection model in training mode takes a list of targets, one dictionary for each "
            "image, with `boxes` [N, 4] and `labels` [N]",
        ),
        remedy=(
            Sentence(
                "`boxes = torch.as_tensor(boxes, dtype=torch.float32).reshape(-1, 4)` and `labels "
                "= torch.as_tensor(labels, dtype=torch.int64)`; then an image without objects has "
                "[0, 4] and [0], as it should",
                {"boxes": r".+"},
            ),
            Sentence(
                "The box has no {flat}: a slip in the file, rounding, or a crop or resize of a "
                "small object. " + _FIND_BOXES,
                {"box": r".+", "flat": r".+"},
            ),
            Sentence(
                "It ends before it begins: mostly the file has [x, y, width, height], as COCO has: "
                "`torchvision.ops.box_convert(boxes, 'xywh', 'xyxy')`. " + _FIND_BOXES,
                {"box": r".+"},
            ),
            "Call `model(images, targets)` in training, and `model.eval()` before `model(images)` "
            "alone. A box is [x1, y1, x2, y2] with x1 < x2 and y1 < y2; an image without objects "
            "has boxes of shape [0, 4]",
        ),
        suspects=(Suspect(r"model|net|\w*rcnn\w*|ssd\w*|retinanet\w*"),),
        types=("AssertionError", "ValueError"),
        today=(
            r"[Tt]argets should not be none when in training mode",
            r"Expected target boxes to be a tensor of shape \[N, 4\], got "
            r"(?:torch\.Size\()?(?P<boxes>\[[\d, ]{0,40}\])",
            r"All bounding boxes should have positive height and width\. Found inval?id box "
            r"(?P<box>\[[\d., e+-]{1,120}\])",
        ),
        values={"box": "the first one", "boxes": "the shape of an image's boxes"},
        derive=_flat_sides,
        needs=_NEEDS,
        examples=(
            "AssertionError: targets should not be none when in training mode",
            "AssertionError: All bounding boxes should have positive height and width. Found "
            "invalid box [1.0, 2.0, 1.0, 2.0] for target at index 0.",
        ),
    ),
    ErrorFamily(
        id="detection_images",
        says="A detection model gets a batch where it takes a list of images.",
        decides=True,
        means=("It takes a list of images [C, H, W], and one of them is {given}",),
        remedy=(
            "Give the images as a list: `model(list(batch))`; one image is `model([image])`, "
            "without `unsqueeze(0)`",
        ),
        suspects=(Suspect(r"model|net|\w*rcnn\w*|ssd\w*|retinanet\w*"),),
        types=("ValueError",),
        today=(
            r"images is expected to be a list of 3d tensors of shape \[C, H, W\], got "
            r"torch\.Size\((?P<given>\[[\d, ]*\])\)",
        ),
        values={"given": "its sizes"},
        needs=_NEEDS,
        examples=(
            "ValueError: images is expected to be a list of 3d tensors of shape [C, H, W], got "
            "torch.Size([1, 3, 3, 3])",
        ),
    ),
    ErrorFamily(
        id="einops_pattern",
        says="A pattern of einops does not fit the tensor.",
        means=("The pattern {pattern} does not fit the tensor",),
        remedy=(
            "Count the dimensions of the tensor and the names on the left; of a group in brackets "
            "all but one size have to be given (`h=4`), and their product has to be the size",
        ),
        suspects=(Suspect(r"rearrange|reduce|repeat|Rearrange|Reduce"),),
        types=("EinopsError",),
        today=(r"Error while processing [\w -]{1,40} pattern (?P<pattern>\"[^\"\n]{1,200}\")",),
        values={"pattern": "the text of it"},
        needs="einops",
        examples=(
            'EinopsError:  Error while processing rearrange-reduction pattern "b c h -> b (h w)".',
        ),
    ),
)
