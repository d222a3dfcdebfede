import torch
from transformers import BertForQuestionAnswering, BertTokenizerFast

tokenizer = BertTokenizerFast.from_pretrained("bert-base-uncased")
model = BertForQuestionAnswering.from_pretrained("bert-base-uncased")
question, text = "Who was Jim Henson?", "Jim Henson was a nice puppet"
inputs = tokenizer(question, text, return_tensors="pt", return_offsets_mapping=True)
offsets = inputs.pop("offset_mapping")
with torch.no_grad():
    outputs = model(**inputs)
start, end = outputs.start_logits.argmax(), outputs.end_logits.argmax()
answer = tokenizer.decode(inputs["input_ids"][0, start:end + 1])
loss = model(**inputs, start_positions=torch.tensor([9]), end_positions=torch.tensor([10])).loss
loss.backward()
print(repr(answer), loss.item(), offsets.shape)
