import torch
from torch.utils.data import Dataset, DataLoader
from transformers import GPT2Tokenizer, GPT2LMHeadModel, get_linear_schedule_with_warmup

tokenizer = GPT2Tokenizer.from_pretrained('gpt2', bos_token='<|startoftext|>', pad_token='<|pad|>')
model = GPT2LMHeadModel.from_pretrained('gpt2')
model.resize_token_embeddings(len(tokenizer))


class TextDataset(Dataset):
    def __init__(self, path, max_length=32):
        with open(path, encoding='utf-8') as f:
            lines = [l.strip() for l in f if l.strip()]
        self.items = [tokenizer('<|startoftext|>' + l, truncation=True, max_length=max_length,
                                padding='max_length', return_tensors='pt') for l in lines]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]['input_ids'][0], self.items[i]['attention_mask'][0]


loader = DataLoader(TextDataset('stories.txt'), batch_size=2, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, eps=1e-8)
scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=2, num_training_steps=len(loader))
model.train()
for step, (ids, mask) in enumerate(loader):
    model.zero_grad()
    loss = model(ids, labels=ids, attention_mask=mask)[0]
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step == 2:
        break
model.save_pretrained('./model_save')
tokenizer.save_pretrained('./model_save')
print(loss.item())
