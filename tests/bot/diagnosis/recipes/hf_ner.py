import torch
from transformers import AutoTokenizer, AutoModelForTokenClassification

label_list = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
model = AutoModelForTokenClassification.from_pretrained("bert-base-cased", num_labels=len(label_list))
words = [["John", "lives", "in", "Paris"], ["Mary", "visits", "London"]]
tags = [[1, 0, 0, 3], [1, 0, 3]]
enc = tokenizer(words, is_split_into_words=True, padding=True, truncation=True, return_tensors="pt")
labels = []
for i, tag in enumerate(tags):
    previous, ids = None, []
    for word_id in enc.word_ids(batch_index=i):
        if word_id is None or word_id == previous:
            ids.append(-100)
        else:
            ids.append(tag[word_id])
        previous = word_id
    labels.append(ids)
labels = torch.tensor(labels)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
for _ in range(2):
    out = model(**enc, labels=labels)
    out.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(out.logits.shape, out.loss.item())
