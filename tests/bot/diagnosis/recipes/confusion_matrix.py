import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
import torch
from sklearn.datasets import load_digits
from sklearn.metrics import classification_report, confusion_matrix
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
y = torch.tensor(digits.target)
loader = DataLoader(TensorDataset(X, y), batch_size=128, shuffle=True)
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
with torch.no_grad():
    pred = model(X).argmax(1)
cm = confusion_matrix(y.numpy(), pred.numpy())
df_cm = pd.DataFrame(cm, index=range(10), columns=range(10))
plt.figure(figsize=(8, 6))
sns.heatmap(df_cm, annot=True, fmt="d")
plt.savefig("confusion.png")
print(classification_report(y, pred, zero_division=0))
