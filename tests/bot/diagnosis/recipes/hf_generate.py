import torch
from transformers import GPT2LMHeadModel, GPT2Tokenizer

tokenizer = GPT2Tokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
model = GPT2LMHeadModel.from_pretrained("gpt2")
model.eval()
inputs = tokenizer("Once upon a time", return_tensors="pt")
with torch.no_grad():
    output = model.generate(**inputs, max_length=20, do_sample=True, top_k=50, pad_token_id=tokenizer.eos_token_id)
print(tokenizer.decode(output[0], skip_special_tokens=True))
outputs = model(**inputs, labels=inputs["input_ids"])
print("perplexity", torch.exp(outputs.loss).item())
