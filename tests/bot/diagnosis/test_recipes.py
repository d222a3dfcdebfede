"""Programs as people write them, with data, files and weights that are not here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from bot.models import Answer
from tests.conftest import Ask
from tests.executor.service.test_packages import needs_whole_set
from tests.rows import some

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECIPES = Path(__file__).parent / "recipes"

# program → status, what is told as assumed
RUNS: dict[str, tuple[str, list[str]]] = {
    "argparse_mnist": ("runs", ["MNIST", "started with"]),
    "audio_melspec": ("not_run", ["audio/speech.wav"]),
    "bert_classifier": ("runs", ["bert-base-uncased"]),
    "california_housing": ("runs", ["fetch_california_housing"]),
    "celeba_dcgan": ("runs", ["CelebA"]),
    "char_rnn": ("not_run", ["input.txt"]),
    "cifar_resnet": ("runs", ["CIFAR10"]),
    "classify_image": (
        "not_run",
        ["resnet50-11ad3fa6.pth", "images/dog.jpg", "imagenet_classes.txt"],
    ),
    "colab_drive": (
        "not_run",
        ["/content/drive/MyDrive/plants/train", "resnet18-f37072fd.pth", "google.colab"],
    ),
    "confusion_matrix": ("runs", []),
    "csv_images": ("not_run", ["data/labels.csv", "data/images"]),
    "csv_regression": ("not_run", ["housing.csv"]),
    "ddp_mnist": ("runs", ["MNIST", "started as"]),
    "distillation": ("not_run", ["CIFAR10", "resnet34-b627a593.pth", "teacher_cifar10.pth"]),
    "efficientnet_weights": ("not_run", ["efficientnet_b0_rwightman-7f5810bc.pth", "test.jpg"]),
    "einops_vit": ("runs", []),
    "fasterrcnn_custom": ("runs", ["fasterrcnn_resnet50_fpn_coco-258fb6c6.pth"]),
    "feature_extractor": ("runs", ["resnet50-11ad3fa6.pth"]),
    "finetune_folder": (
        "not_run",
        ["data/hymenoptera_data/train", "data/hymenoptera_data/val", "resnet18-f37072fd.pth"],
    ),
    "gcn_cora": ("runs", ["Planetoid(Cora)"]),
    "gnn_mutag": ("runs", ["TUDataset(MUTAG)"]),
    "grad_cam": ("not_run", ["resnet18-f37072fd.pth", "cat_dog.png"]),
    "graph_link_prediction": ("runs", []),
    "hf_accelerate": ("not_run", ["glue/mrpc", "bert-base-uncased"]),
    "hf_clip": (
        "not_run",
        ["openai/clip-vit-base-patch32", "http://images.cocodataset.org/val2017/000000039769.jpg"],
    ),
    "hf_embeddings": ("not_run", ["sentence-transformers/all-MiniLM-L6-v2"]),
    "hf_fill_mask": ("runs", ["roberta-base"]),
    "hf_generate": ("runs", ["gpt2"]),
    "hf_gpt2_finetune": ("not_run", ["gpt2", "stories.txt"]),
    "hf_ner": ("runs", ["bert-base-cased"]),
    "hf_pipeline": ("runs", ["distilbert-base-uncased-finetuned-sst-2-english"]),
    "hf_qa": ("runs", ["bert-base-uncased"]),
    "hf_t5_summary": ("runs", ["t5-small"]),
    "hf_trainer_imdb": ("not_run", ["imdb", "distilbert-base-uncased"]),
    "hf_vit": ("not_run", ["google/vit-base-patch16-224", "000000039769.jpg"]),
    "lightning_datamodule": ("not_run", ["titanic.csv"]),
    "lightning_metrics": ("runs", ["CIFAR10"]),
    "lightning_mnist": ("runs", ["MNIST"]),
    "maskrcnn_folder": (
        "not_run",
        [
            "maskrcnn_resnet50_fpn_coco-bf2d0c1e.pth",
            "data/PennFudanPed/PNGImages",
            "data/PennFudanPed/PedMasks",
        ],
    ),
    "mnist_autoencoder": ("runs", ["MNIST"]),
    "mnist_cnn": ("runs", ["MNIST"]),
    "mnist_gan": ("runs", ["MNIST"]),
    "mnist_vae": ("runs", ["MNIST"]),
    "mobilenet_split": ("not_run", ["./dataset/flowers", "mobilenet_v2-7ebf99e0.pth"]),
    "onnx_export": ("runs", ["resnet18-f37072fd.pth"]),
    "resume_checkpoint": ("not_run", ["checkpoints/model_best.pth.tar"]),
    "siamese": ("runs", ["MNIST"]),
    "speech_commands": ("not_run", ["SPEECHCOMMANDS"]),
    "ssd_inference": (
        "not_run",
        ["street.jpg", "ssdlite320_mobilenet_v3_large_coco-a79551df.pth"],
    ),
    "stock_lstm": ("not_run", ["AMZN.csv"]),
    "style_transfer": ("not_run", ["annahathaway.png", "style.jpg", "vgg19-dcbb9e9d.pth"]),
    "tensorboard_logging": ("runs", ["FashionMNIST"]),
    "text_csv_vocab": ("not_run", ["tweets.csv"]),
    "timm_backbone": ("runs", ["resnet18"]),
    "timm_finetune": ("not_run", ["efficientnet_b0", "cats_vs_dogs/train"]),
    "torchscript_trace": ("runs", ["mobilenet_v3_small-047dcff4.pth"]),
    "transforms_v2_mixup": ("runs", ["CIFAR10"]),
    "unet_masks": ("not_run", ["data/train_images/", "data/train_masks"]),
    "vgg_cifar100": ("runs", ["CIFAR100", "vgg11-8a719046.pth"]),
    "vit_finetune": ("runs", ["OxfordIIITPet", "vit_b_16-c867db91.pth"]),
    "voc_segmentation": ("runs", ["VOCSegmentation", "resnet50-0676ba61.pth"]),
    "wandb_logging": ("runs", ["KMNIST", "wandb"]),
    "weighted_sampler": ("not_run", ["chest_xray/train", "densenet121-a639ec97.pth"]),
}
# program → a line of it, what stands there instead, what is said of it
MISTAKES = {
    "mnist_cnn": ("nn.Linear(9216, 128)", "nn.Linear(4608, 128)", "9216"),
    "finetune_folder": ("num_ftrs = model_ft.fc.in_features", "num_ftrs = 1024", "512"),
    "csv_regression": ("loss.backward()", "loss.item().backward()", "float"),
    "resume_checkpoint": ("torch.randn(3, 20)", "torch.randn(3, 25)", "25"),
    "bert_classifier": ("nn.Linear(768, 3)", "nn.Linear(512, 3)", "768"),
    "lightning_mnist": ('accelerator="auto"', "gpus=1", "accelerator"),
    "lightning_metrics": ('Accuracy(task="multiclass", num', "Accuracy(num", "task"),
    "hf_trainer_imdb": ("eval_strategy=", "evaluation_strategy=", "eval_strategy"),
    "cifar_resnet": ("opt.zero_grad()", "pass", "gradients that still held"),
    "wandb_logging": ("nn.Linear(784, 100)", "nn.Linear(768, 100)", "784"),
    "hf_vit": ("ViTImageProcessor", "ViTFeatureExtractor", "ViTImageProcessor"),
}
FIXED = {
    "mnist_cnn", "csv_regression", "bert_classifier", "lightning_mnist",
    "cifar_resnet", "wandb_logging",
}  # fmt: skip


def program(name: str) -> str:
    """A recipe's text."""
    return (RECIPES / f"{name}.py").read_text()


async def posted(ask: Ask, code: str) -> Answer:
    """The answer to a post of it."""
    return await ask(f"What is wrong here?\n```python\n{code}```")


# What `make snippets` brings and `make demo` does not.
_OF_WHOLE_SET = re.compile(
    r"^(?:from|import) (?:pandas|sklearn|seaborn|cv2|tqdm|einops|transformers|datasets|accelerate"
    r"|lightning|pytorch_lightning|torchmetrics|torch_geometric|torchaudio|timm|torchinfo|onnx)\b"
    r"|tensorboard|jit\.trace",
    re.MULTILINE,
)
_QUICK = ("mnist_cnn",)  # the others once a day


def _named(names: Iterable[str]) -> list[ParameterSet]:
    rows = [
        pytest.param(name, marks=needs_whole_set if _OF_WHOLE_SET.search(program(name)) else ())
        for name in sorted(names, key=lambda name: name not in _QUICK)
    ]
    return some(rows, 33)


@pytest.mark.parametrize("name", _named(RUNS))
async def test_a_recipe_runs_to_its_end(ask: Ask, name: str) -> None:
    """It runs unchanged, what was assumed is listed, and nothing is called a mistake."""
    answer = await posted(ask, program(name))
    status, assumed = RUNS[name]
    assert answer.run is not None and answer.run.outcome == "ok", answer.headline
    assert answer.status == status, answer.headline
    for words in assumed:
        assert any(words in said for said in answer.assumptions), answer.assumptions
    assert not [f for f in answer.findings if f.mistake], answer.findings


@pytest.mark.parametrize("name", _named(MISTAKES))
async def test_a_mistake_in_a_recipe_is_found(ask: Ask, name: str) -> None:
    """The person's mistake is told as theirs, and mended where that can be done."""
    right, wrong, told = MISTAKES[name]
    # Small batches: how fast this machine trains is not what is tested.
    code = re.sub(r"batch_size=\d+", "batch_size=8", program(name))
    assert right in code
    answer = await posted(ask, code.replace(right, wrong, 1))
    assert answer.status in ("fixed", "reproduced"), answer.headline
    words = f"{answer.headline} {answer.explanation} {[f.message for f in answer.findings]}"
    assert told in words, words
    assert answer.fix is not None or name not in FIXED, answer.headline


async def test_what_depends_on_the_values_is_not_said(ask: Ask) -> None:
    """An assertion on an accuracy says nothing about made-up data."""
    code = program("mnist_cnn").replace(
        'torch.save(model.state_dict(), "mnist_cnn.pt")',
        "assert correct / len(test_loader.dataset) > 0.9",
    )
    answer = await posted(ask, code)
    assert answer.status not in ("reproduced", "fixed"), answer.headline


async def test_a_missing_file_that_is_asked_about_stays_missing(ask: Ask) -> None:
    """Who asks why a file is not found is not given one."""
    answer = await ask(
        "Why?\n```python\nimport torch\nstate = torch.load('model.pt')\nprint(state['epoch'])\n"
        "```\n```\nFileNotFoundError: [Errno 2] No such file or directory: 'model.pt'\n```"
    )
    assert not any("model.pt" in said for said in answer.assumptions), answer.assumptions
