"""Names that are gone from a library: where they are today, from the installed package itself."""

from __future__ import annotations

import pytest

from executor.protocol import Job
from executor.service.client import ExecutorClient

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
