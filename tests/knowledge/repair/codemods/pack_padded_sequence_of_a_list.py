"""Lists of sequences that are packed before they are padded."""

from tests.knowledge.repair.codemods.cases import Cases, delete, swallow, swap

SONGS = """\
import torch
from torch import nn
songs = [torch.randn(5, 3), torch.randn(2, 3)]
packed = nn.utils.rnn.pack_padded_sequence(songs, [5, 2], batch_first=True)   # longest first
out, _ = nn.LSTM(3, 4, batch_first=True)(packed)
print(nn.utils.rnn.pad_packed_sequence(out, batch_first=True)[0].shape)
"""

STEPS_FIRST = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
walks = [torch.randn(2, 3), torch.randn(5, 3)]
lengths = torch.tensor([len(w) for w in walks])
packed = pack_padded_sequence(walks, lengths, enforce_sorted=False)
print(pad_packed_sequence(packed)[0].shape)
"""

MODULE = """\
import torch
import torch.nn.utils.rnn as rnn_utils

def run(words, lengths):
    batch = rnn_utils.pack_padded_sequence(words, lengths, True, False)   # any order
    return torch.nn.GRU(2, 2, batch_first=True)(batch)[1]

print(run([torch.ones(1, 2), torch.ones(3, 2)], torch.tensor([1, 3])).shape)
"""

WORDS = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence
print(pack_padded_sequence([["a", "b"], ["c"]], [2, 1], batch_first=True))
"""

UNLIKE = """\
import torch
from torch.nn.utils.rnn import pack_padded_sequence
rows = [torch.randn(2, 3), torch.randn(2, 4)]
print(pack_padded_sequence(rows, [2, 2], batch_first=True))
"""

CASES = Cases(
    mended={
        "songs": (SONGS, "(nn.utils.rnn.pad_sequence(songs, batch_first=True), [5, 2], batch"),
        "steps first": (STEPS_FIRST, "pad_sequence(walks), lengths, enforce_sorted=False)"),
        "in a function": (MODULE, "(rnn_utils.pad_sequence(words, batch_first=True), lengths"),
    },
    refused={"lists of words": WORDS, "other features": UNLIKE},
    wrong={
        "only one": ("songs", swap("(songs, [5, 2]", "(songs[0].unsqueeze(0), [5]")),
        "the batch elsewhere": (
            "songs",
            swap("(songs, [5, 2]", "(nn.utils.rnn.pad_sequence(songs), [5, 2]"),
        ),
        "invented": ("steps first", swap("(walks, lengths", "(torch.zeros(5, 2, 3), lengths")),
        "swallow": (
            "songs",
            swallow(
                "packed = nn.utils.rnn.pack_padded_sequence("
                "songs, [5, 2], batch_first=True)   # longest first"
            ),
        ),
        "leave it out": (
            "in a function",
            delete("print(run([torch.ones(1, 2), torch.ones(3, 2)], torch.tensor([1, 3])).shape)"),
        ),
    },
)
