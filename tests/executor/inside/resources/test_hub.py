"""Models of a hub, scikit-learn's fetchers, and addresses: what a network would bring."""

from __future__ import annotations

import pytest

from executor.protocol import Job, Outcome
from executor.service.client import ExecutorClient
from tests.executor.service.test_packages import needs_whole_set

pytestmark = pytest.mark.asyncio(loop_scope="session")

BROUGHT = {
    "a classifier": (
        "from transformers import AutoTokenizer, AutoModelForSequenceClassification\n"
        "t = AutoTokenizer.from_pretrained('bert-base-uncased')\n"
        "m = AutoModelForSequenceClassification.from_pretrained('bert-base-uncased',\n"
        "    num_labels=4)\n"
        "e = t(['a', 'good movie'], padding=True, return_tensors='pt')\n"
        "print(m(**e).logits.shape[1], m.config.hidden_size, len(t), m.training)",
        "4 768 30522 False"),
    "a generator of text": (
        "from transformers import GPT2LMHeadModel, GPT2Tokenizer\n"
        "t = GPT2Tokenizer.from_pretrained('gpt2')\nm = GPT2LMHeadModel.from_pretrained('gpt2')\n"
        "i = t('Once', return_tensors='pt').input_ids\n"
        "print(m.generate(i, max_length=9, pad_token_id=t.eos_token_id).shape[1] <= 9)", "True"),
    "a model of all layers": (
        "from transformers import DistilBertModel\n"
        "m = DistilBertModel.from_pretrained('distilbert-base-uncased')\n"
        "print(len(m.transformer.layer))", "6"),
    "a house": (
        "from sklearn.datasets import fetch_california_housing\n"
        "d = fetch_california_housing()\nprint(d.data.shape, d.feature_names[0])",
        "(20640, 8) MedInc"),
    "digits": (
        "from sklearn.datasets import fetch_openml\n"
        "x, y = fetch_openml('mnist_784', return_X_y=True, as_frame=False)\n"
        "print(x.shape, type(y[0]).__name__)", "(70000, 784) str"),
    "a network of timm": (
        "import timm, torch\nm = timm.create_model('resnet18', pretrained=True, num_classes=7)\n"
        "print(m(torch.rand(1, 3, 64, 64)).shape[1])", "7"),
    "reviews": (
        "from datasets import load_dataset\nd = load_dataset('imdb')\n"
        "print(list(d), d['train'].features['label'].names, sorted(d['train'][0]))",
        "['train', 'test', 'unsupervised'] ['neg', 'pos'] ['label', 'text']"),
    "an address": (
        "import urllib.request\nfrom PIL import Image\n"
        "urllib.request.urlretrieve('https://example.org/images/dog.jpg', 'dog.jpg')\n"
        "print(Image.open('dog.jpg').mode)", "RGB"),
    "an answer of a server": (
        "import io, requests\nfrom PIL import Image\n"
        "r = requests.get('https://example.org/cat.png')\n"
        "print(r.status_code, Image.open(io.BytesIO(r.content)).mode)", "200 RGB"),
    "an image that OpenCV reads": (
        "import cv2\nx = cv2.imread('cat.png')\nprint(cv2.cvtColor(x, cv2.COLOR_BGR2RGB).ndim)",
        "3"),
}  # fmt: skip


@needs_whole_set
@pytest.mark.parametrize("what", BROUGHT)
async def test_what_a_network_would_bring_is_supplied(executor: ExecutorClient, what: str) -> None:
    """It has the sizes of the real thing, and is told."""
    code, printed = BROUGHT[what]
    run = await executor.run(Job(code=code, stand_ins=True, wall_s=30))
    assert run.outcome is Outcome.OK, run.stderr
    assert run.stdout.strip() == printed
    assert run.stand_ins


@needs_whole_set
async def test_a_reader_that_finds_nothing_tells_it(executor: ExecutorClient) -> None:
    """`cv2.imread` returns None: the run says which file was not there."""
    run = await executor.run(Job(code="import cv2\ncv2.imread('a/cat.png').shape"))
    assert run.error is not None and run.absent == ("a/cat.png",)


@needs_whole_set
@pytest.mark.parametrize(
    ("name", "supplied"),
    [("some/chat-model-6b", False), ("gpt2", True), ("some/bert-of-mine", False)],
)
async def test_a_class_that_comes_with_the_model_is_not_guessed(
    executor: ExecutorClient, name: str, supplied: bool
) -> None:
    """With `trust_remote_code` only a name whose class is known gets a network."""
    code = (
        "from transformers import AutoModelForCausalLM as M\n"
        f"M.from_pretrained({name!r}, trust_remote_code=True)"
    )
    run = await executor.run(Job(code=code, stand_ins=True, wall_s=30))
    assert bool(run.stand_ins) is supplied


@needs_whole_set
async def test_a_guessed_network_is_told_as_a_guess(executor: ExecutorClient) -> None:
    """Its class follows from what the code calls, not from the name."""
    code = "from transformers import AutoModelForCausalLM as M\nM.from_pretrained('some/mine')"
    run = await executor.run(Job(code=code, stand_ins=True, wall_s=30))
    assert [s.exact for s in run.stand_ins] == [False]
