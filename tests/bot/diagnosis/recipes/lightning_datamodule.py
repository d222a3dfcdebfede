import pandas as pd
import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TitanicDataModule(pl.LightningDataModule):
    def __init__(self, path="titanic.csv", batch_size=16):
        super().__init__()
        self.path, self.batch_size = path, batch_size

    def setup(self, stage=None):
        df = pd.read_csv(self.path)
        x = torch.tensor(df[["Age", "Fare", "Pclass"]].fillna(0).values, dtype=torch.float32)
        y = torch.tensor(df["Survived"].values, dtype=torch.float32)
        split = int(0.8 * len(x))
        self.train = TensorDataset(x[:split], y[:split])
        self.val = TensorDataset(x[split:], y[split:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=self.batch_size)


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
        self.loss = nn.BCEWithLogitsLoss()

    def training_step(self, batch, _):
        x, y = batch
        loss = self.loss(self.layers(x).squeeze(1), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        self.log("val_loss", self.loss(self.layers(x).squeeze(1), y))

    def on_validation_epoch_end(self):
        print("val_loss", self.trainer.callback_metrics["val_loss"])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


pl.seed_everything(0)
trainer = pl.Trainer(max_epochs=3, logger=False, enable_checkpointing=False)
trainer.fit(Net(), datamodule=TitanicDataModule())
