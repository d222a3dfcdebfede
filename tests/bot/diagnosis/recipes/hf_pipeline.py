from transformers import pipeline

classifier = pipeline("sentiment-analysis", model="distilbert-base-uncased-finetuned-sst-2-english")
results = classifier(["I love this movie!", "This is the worst day ever."])
for result in results:
    print(f"label: {result['label']}, with score: {round(result['score'], 4)}")
