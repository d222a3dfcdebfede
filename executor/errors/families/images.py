"""Images on their way to a tensor, as torchvision's transforms refuse them."""

from executor.errors.family import ErrorFamily, Sentence, Suspect

_NEEDS = "torchvision"

FAMILIES = (
    ErrorFamily(
        id="image_type",
        says="A transform gets a tensor where it takes an image, or the other way round.",
        means=("A transform expects {expected} and gets {given}",),
        remedy=(
            Sentence(
                "ToTensor() takes PIL images and arrays: leave it out where the image is a "
                "tensor already, and put it after the transforms that work on PIL images",
                {"given": r".*Tensor.*"},
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
            r"Input (?P<name>\w+) should be a (?P<expected>torch tensor)\. "
            r"Got (?P<given><[^\n]{1,100}?>)",
            r"[Uu]nexpected type (?P<given><[^\n]{1,100}?>)",
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
        means=(
            ("An image has another number of dimensions or channels than a picture has: {given}"),
            "An image has another number of dimensions or channels than a picture has",
        ),
        remedy=(
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
        says="A picture is drawn whose channels come first, where matplotlib wants them last.",
        types=("TypeError",),
        today=(r"Invalid (?:shape|dimensions) (?P<given>\([\d, ]{1,60}\) )?for image data",),
        values={"given": "sizes of the picture"},
        sample="import matplotlib.pyplot as plt\nplt.imshow(torch.ones(3, 28, 28))",
        examples=("TypeError: Invalid dimensions for image data",),
    ),
)
