import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, get_scheduler

accelerator = Accelerator(cpu=True)
raw = load_dataset("glue", "mrpc")
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def tokenize(batch):
    return tokenizer(batch["sentence1"], batch["sentence2"], truncation=True, padding="max_length", max_length=32)


tokenized = raw["train"].select(range(16)).map(tokenize, batched=True)
tokenized = tokenized.remove_columns(["sentence1", "sentence2", "idx"]).rename_column("label", "labels")
tokenized.set_format("torch")
loader = DataLoader(tokenized, shuffle=True, batch_size=4)
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
scheduler = get_scheduler("linear", optimizer=optimizer, num_warmup_steps=0, num_training_steps=len(loader))
model.train()
for batch in loader:
    loss = model(**batch).loss
    accelerator.backward(loss)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
print(loss.item())
