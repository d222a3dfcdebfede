import torch
import torch.nn as nn

with open('input.txt', 'r', encoding='utf-8') as f:
    text = f.read()
chars = sorted(list(set(text)))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: ''.join([itos[i] for i in l])
data = torch.tensor(encode(text), dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]
block_size, batch_size = 32, 16


def get_batch(split):
    d = train_data if split == 'train' else val_data
    ix = torch.randint(len(d) - block_size, (batch_size,))
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + block_size + 1] for i in ix])
    return x, y


class CharRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, 32)
        self.rnn = nn.GRU(32, 64, batch_first=True)
        self.out = nn.Linear(64, vocab_size)

    def forward(self, x, h=None):
        o, h = self.rnn(self.emb(x), h)
        return self.out(o), h


model = CharRNN()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(10):
    xb, yb = get_batch('train')
    logits, _ = model(xb)
    loss = nn.functional.cross_entropy(logits.view(-1, vocab_size), yb.view(-1))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
x, h, out = torch.zeros(1, 1, dtype=torch.long), None, []
for _ in range(20):
    logits, h = model(x, h)
    x = torch.multinomial(logits[:, -1].softmax(-1), 1)
    out.append(x.item())
print(loss.item(), decode(out))
