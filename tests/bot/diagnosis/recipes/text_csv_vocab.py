from collections import Counter
import pandas as pd
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

df = pd.read_csv("tweets.csv")
counter = Counter(word for text in df["text"] for word in text.lower().split())
vocab = {w: i + 2 for i, (w, _) in enumerate(counter.most_common(5000))}


def encode(text):
    return torch.tensor([vocab.get(w, 1) for w in text.lower().split()])


def collate(batch):
    texts, labels = zip(*batch)
    return pad_sequence([encode(t) for t in texts], batch_first=True), torch.tensor(labels)


loader = DataLoader(list(zip(df["text"], df["label"])), batch_size=16, shuffle=True, collate_fn=collate)


class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 64, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(128, classes)

    def forward(self, x):
        _, (h, _) = self.lstm(self.embedding(x))
        return self.fc(torch.cat((h[-2], h[-1]), dim=1))


model = LSTMClassifier(len(vocab) + 2, df["label"].nunique())
optimizer = torch.optim.Adam(model.parameters())
for x, y in loader:
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(loss.item())
