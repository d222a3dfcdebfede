import torch
from transformers import T5ForConditionalGeneration, T5Tokenizer

tokenizer = T5Tokenizer.from_pretrained("t5-small")
model = T5ForConditionalGeneration.from_pretrained("t5-small")
article = "summarize: the model reads the first batch and computes a loss, then a gradient tells each weight how to change"
inputs = tokenizer(article, return_tensors="pt", max_length=128, truncation=True)
labels = tokenizer("the model learns", return_tensors="pt").input_ids
loss = model(input_ids=inputs.input_ids, attention_mask=inputs.attention_mask, labels=labels).loss
loss.backward()
torch.optim.AdamW(model.parameters(), lr=1e-4).step()
summary_ids = model.generate(inputs.input_ids, num_beams=2, max_length=20, early_stopping=True)
print(tokenizer.decode(summary_ids[0], skip_special_tokens=True))
