import torch
import torch.nn as nn
import torch.nn.functional as F
from torchaudio.datasets import SPEECHCOMMANDS
from torchaudio.transforms import Resample

train_set = SPEECHCOMMANDS("./", download=True, subset="training")
waveform, sample_rate, label, speaker_id, utterance_number = train_set[0]
labels = ["yes", "no", "up", "down"]
transform = Resample(orig_freq=sample_rate, new_freq=8000)


def collate_fn(batch):
    tensors, targets = [], []
    for waveform, _, label, *_ in batch:
        tensors.append(waveform.t())
        targets.append(torch.tensor(labels.index(label) if label in labels else 0))
    tensors = nn.utils.rnn.pad_sequence(tensors, batch_first=True).permute(0, 2, 1)
    return tensors, torch.stack(targets)


loader = torch.utils.data.DataLoader(train_set, batch_size=16, shuffle=True, collate_fn=collate_fn)
model = nn.Sequential(nn.Conv1d(1, 32, 80, stride=16), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(4),
                      nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, len(labels)))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for data, target in loader:
    loss = F.cross_entropy(model(transform(data)), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
