import torch
from transformers import RobertaForMaskedLM, RobertaTokenizer, DataCollatorForLanguageModeling

tokenizer = RobertaTokenizer.from_pretrained("roberta-base")
model = RobertaForMaskedLM.from_pretrained("roberta-base")
inputs = tokenizer(f"The capital of France is {tokenizer.mask_token}.", return_tensors="pt")
with torch.no_grad():
    logits = model(**inputs).logits
mask_index = (inputs["input_ids"] == tokenizer.mask_token_id).nonzero(as_tuple=True)[1]
top = logits[0, mask_index].topk(5, dim=-1).indices[0].tolist()
print([tokenizer.decode([t]) for t in top])
collator = DataCollatorForLanguageModeling(tokenizer=tokenizer, mlm=True, mlm_probability=0.15)
batch = collator([tokenizer("hello world, this is a sentence"), tokenizer("another one")])
print(model(**batch).loss)
