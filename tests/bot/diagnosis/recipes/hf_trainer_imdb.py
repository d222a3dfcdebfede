import numpy as np
from datasets import load_dataset
from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding,
                          Trainer, TrainingArguments)

imdb = load_dataset("imdb")
tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")


def preprocess_function(examples):
    return tokenizer(examples["text"], truncation=True, max_length=32)


small_train = imdb["train"].shuffle(seed=42).select(range(32)).map(preprocess_function, batched=True)
small_test = imdb["test"].shuffle(seed=42).select(range(16)).map(preprocess_function, batched=True)
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)


def compute_metrics(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": (np.argmax(logits, axis=-1) == labels).mean()}


args = TrainingArguments(output_dir="results", learning_rate=2e-5, per_device_train_batch_size=8,
                         per_device_eval_batch_size=8, num_train_epochs=1, weight_decay=0.01,
                         eval_strategy="epoch", save_strategy="no", report_to="none")
trainer = Trainer(model=model, args=args, train_dataset=small_train, eval_dataset=small_test,
                  data_collator=DataCollatorWithPadding(tokenizer), compute_metrics=compute_metrics)
trainer.train()
print(trainer.evaluate())
