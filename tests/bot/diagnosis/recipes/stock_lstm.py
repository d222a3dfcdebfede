import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.preprocessing import MinMaxScaler

data = pd.read_csv('AMZN.csv')
data = data[['Date', 'Close']]
data['Date'] = pd.to_datetime(data['Date'])
data.set_index('Date', inplace=True)
lookback = 7
for i in range(1, lookback + 1):
    data[f'Close(t-{i})'] = data['Close'].shift(i)
data.dropna(inplace=True)
scaler = MinMaxScaler(feature_range=(-1, 1))
values = scaler.fit_transform(data.to_numpy())
X, y = np.flip(values[:, 1:], axis=1).copy(), values[:, 0]
split = int(len(X) * 0.9)
X_train = torch.tensor(X[:split].reshape((-1, lookback, 1))).float()
y_train = torch.tensor(y[:split].reshape((-1, 1))).float()


class LSTM(nn.Module):
    def __init__(self, input_size, hidden_size, num_stacked_layers):
        super().__init__()
        self.hidden_size, self.num_stacked_layers = hidden_size, num_stacked_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_stacked_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x):
        h0 = torch.zeros(self.num_stacked_layers, x.size(0), self.hidden_size)
        c0 = torch.zeros(self.num_stacked_layers, x.size(0), self.hidden_size)
        out, _ = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :])


model = LSTM(1, 4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
for epoch in range(3):
    loss = nn.functional.mse_loss(model(X_train), y_train)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
