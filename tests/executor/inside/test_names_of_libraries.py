"""Names that are gone from a library: where they are today, from the installed package itself."""

from __future__ import annotations

import pytest

from executor.protocol import Job
from executor.service.client import ExecutorClient
from tests.executor.service.test_packages import needs_whole_set
from tests.rows import some

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("from torchvision.transforms.functional_tensor import rgb_to_grayscale",
         "`rgb_to_grayscale` is in `torchvision.transforms.functional`"),
        ("from torchvision.models.utils import load_state_dict_from_url",
         "has no module `torchvision.models.utils`"),
        ("from torch._six import inf", "`inf` is in `torch`"),
        ("import torchvision\ntorchvision.RandomCrop(3)",
         "there is `torchvision.transforms.RandomCrop`"),
        ("from torchvision import RandomCrop", "there is `torchvision.transforms.RandomCrop`"),
        ("import torchvision\ntorchvision.transforms.Scale(3)", "has no `Scale`"),
    ],
)  # fmt: skip
async def test_a_name_that_moved_is_named_where_it_is(
    executor: ExecutorClient, code: str, told: str
) -> None:
    """The package's own namespaces are looked through, nothing is listed."""
    run = await executor.run(Job(code=f"import torch\n{code}"))
    assert run.explanation is not None, run.error
    assert told in run.explanation.text


async def test_a_namespace_package_says_nothing(executor: ExecutorClient) -> None:
    """Parts of a namespace are installed one by one: what is not here may be there."""
    run = await executor.run(Job(code="import google.colab"))
    assert run.explanation is None


_TRAINER = "import pytorch_lightning as pl\npl.Trainer("
_TOKENIZER = (
    "from transformers import BertTokenizer\n"
    "tok = BertTokenizer.from_pretrained('bert-base-uncased')\n"
)
_SCALER = "from sklearn.preprocessing import StandardScaler\nStandardScaler()"
_OWN_MODULE = "import pytorch_lightning as pl\nclass M(pl.LightningModule):\n"


@needs_whole_set
@pytest.mark.parametrize(
    ("code", "told"),
    some(
        [
            (f"{_TRAINER}gpus=1)", 'today that is `accelerator="auto", devices=1`'),
            (f"{_TRAINER}resume_from_checkpoint='a')", "`trainer.fit(model, ckpt_path=path)`"),
            (
                "import pytorch_lightning as pl\ntrainer = pl.Trainer()\ntrainer.tune(None)",
                "`Tuner(trainer).lr_find(model)`",
            ),
            ("from transformers import AdamW", "today that is `torch.optim.AdamW`"),
            ("from transformers import ViTFeatureExtractor", "`ViTImageProcessor`"),
            ("from transformers import AutoModelWithLMHead", "`AutoModelForCausalLM`"),
            (
                "from transformers.modeling_bert import BertModel",
                "`BertModel` is in `transformers`",
            ),
            (f"{_TOKENIZER}tok.encode_plus('a')", "`tokenizer(text, …)`"),
            ("from torchmetrics import F1", "today that is `torchmetrics.F1Score`"),
            ("from torchmetrics.functional import iou", "functional.jaccard_index`"),
            ("from datasets import load_metric", "`import evaluate"),
            ("from torchvision.models.resnet import model_urls", "`ResNet18_Weights.DEFAULT.url`"),
            ("from sklearn.externals import joblib", "`import joblib` by itself"),
            ("import pandas\npandas.DataFrame({'a': [1]}).append({'a': 2})", "`pd.concat("),
            ("from PIL import Image\nImage.ANTIALIAS", "today that is `PIL.Image.LANCZOS`"),
        ],
        6,
    ),
)
async def test_what_took_the_place_of_a_name_is_told(
    executor: ExecutorClient, code: str, told: str
) -> None:
    """Where the package itself does not show it."""
    run = await executor.run(Job(code=f"import torch\n{code}", stand_ins="from_pre" in code))
    assert run.explanation is not None, run.error
    assert told in run.explanation.text


@needs_whole_set
@pytest.mark.parametrize(
    ("code", "family"),
    some(
        [
            ("import pandas as pd\npd.DataFrame({'a': [1]})[['b']]", "columns_missing"),
            (
                "from torchvision import transforms as t\n"
                "t.Normalize([0.5], [0.5])(torch.zeros(784))",
                "image_without_channels",
            ),
            (
                "from torchvision import transforms as t\n"
                "t.Normalize([0.5], [0.5])(torch.zeros(1, 4, 4, dtype=torch.uint8))",
                "image_not_float",
            ),
            (
                "from torchvision import transforms as t\nt.RandomCrop(32)(torch.zeros(1, 28, 28))",
                "crop_larger_than_image",
            ),
            (
                "import torchvision\ntorchvision.models.vit_b_32()(torch.zeros(1, 3, 32, 32))",
                "image_size_of_the_model",
            ),
            ("import torchvision\ntorchvision.models.get_model('resnet99')", "model_unknown"),
            ("import timm\ntimm.create_model('resnet99')", "model_unknown"),
            (
                "import torchvision\n"
                "net = torchvision.models.detection.ssdlite320_mobilenet_v3_large("
                "weights=None, weights_backbone=None)\nnet([torch.zeros(3, 32, 32)])",
                "detection_targets",
            ),
            (
                "import torchvision\n"
                "net = torchvision.models.detection.ssdlite320_mobilenet_v3_large("
                "weights=None, weights_backbone=None).eval()\nnet(torch.zeros(1, 1, 3, 32, 32))",
                "detection_images",
            ),
            ("import cv2, numpy as np\ncv2.cvtColor(None, cv2.COLOR_BGR2RGB)", "cv2_empty_image"),
            (
                "import io\nfrom PIL import Image\nImage.open(io.BytesIO(b'<html>'))",
                "image_unreadable",
            ),
            (
                "import io\nfrom PIL import Image\n"
                "Image.new('RGBA', (2, 2)).save(io.BytesIO(), 'JPEG')",
                "image_mode_not_written",
            ),
            (
                "from sklearn.metrics import accuracy_score\naccuracy_score([1, 0], [1])",
                "inconsistent_samples",
            ),
            (
                "from sklearn.metrics import accuracy_score\naccuracy_score([1, 0], [0.2, 0.7])",
                "classes_and_scores",
            ),
            (
                f"{_SCALER}.fit([1.0, 2.0])",
                "one_dimension_where_two_are_needed",
            ),
            (
                f"{_SCALER}.transform([[1.0]])",
                "not_fitted",
            ),
            (
                "from sklearn.preprocessing import StandardScaler\n"
                "StandardScaler().fit([[1.0, 2.0]]).transform([[1.0]])",
                "other_number_of_features",
            ),
            (
                "from sklearn.linear_model import LinearRegression\n"
                "LinearRegression().fit([[float('nan')], [1.0]], [1, 2])",
                "nan_among_the_features",
            ),
            (
                "from sklearn.preprocessing import LabelEncoder\n"
                "LabelEncoder().fit(['a']).transform(['c'])",
                "unseen_labels",
            ),
            (
                "from sklearn.model_selection import train_test_split\n"
                "train_test_split([], test_size=0.2)",
                "split_of_nothing",
            ),
            ("from sklearn.datasets import load_boston", "name_removed"),
            (
                "import torchmetrics\ntorchmetrics.Accuracy(task='binary')"
                "(torch.zeros(4, 2), torch.zeros(4))",
                "metric_shapes",
            ),
            (
                "import torchmetrics\ntorchmetrics.Accuracy(task='binary')"
                "(torch.zeros(3), torch.tensor([0, 1, 2]))",
                "metric_values",
            ),
            ("import torchmetrics\ntorchmetrics.Accuracy(task='multiclass')", "metric_option"),
            (
                "import pytorch_lightning as pl\nclass M(pl.LightningModule):\n    pass\n"
                "pl.Trainer(logger=False).fit(M(), [1])",
                "lightning_hook_missing",
            ),
            (
                "import pytorch_lightning as pl\n"
                "pl.Trainer(logger=False).fit(torch.nn.Sequential(), [1])",
                "not_a_lightning_module",
            ),
            ("import pytorch_lightning as pl\npl.Trainer(accelerator='ddp')", "accelerator_name"),
            (
                f"{_OWN_MODULE}    def __init__(self):\n        super().__init__()\n"
                "        self.hparams = {}\nM()",
                "property_without_setter",
            ),
            (
                "import pytorch_lightning as pl\nclass M(pl.LightningModule):\n    pass\n"
                "M().trainer",
                "module_without_trainer",
            ),
            (
                "from transformers import GPT2Config, GPT2Model\n"
                "GPT2Model(GPT2Config(n_layer=1, n_embd=8, n_head=1, vocab_size=9))()",
                "no_input_ids",
            ),
            (
                "from transformers import AutoTokenizer\n"
                "AutoTokenizer.from_pretrained('gpt2')(['a', 'b c'], padding=True)",
                "no_padding_token",
            ),
            (
                "from transformers import AutoTokenizer\n"
                "AutoTokenizer.from_pretrained('gpt2')([1.5])",
                "tokenizer_input",
            ),
            ("from transformers import pipeline\npipeline('sentiment')", "pipeline_task"),
            (
                "from transformers import AutoModelForCausalLM, T5Config\n"
                "AutoModelForCausalLM.from_config(T5Config())",
                "no_head_for_architecture",
            ),
            (
                "from einops import rearrange\nrearrange(torch.zeros(2, 3), 'b c h -> b (h c)')",
                "einops_pattern",
            ),
        ],
        18,
    ),
)
async def test_an_error_of_a_library_has_its_family(
    executor: ExecutorClient, code: str, family: str
) -> None:
    """Raised by the installed library, and told with what helps against it."""
    run = await executor.run(Job(code=f"import torch\n{code}", stand_ins="gpt2" in code))
    assert run.error is not None
    assert run.error.family == family, (run.error.type, run.error.message)
