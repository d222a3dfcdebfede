import pytorch_lightning as pl
import torch
import torch.nn.functional as F
import torchmetrics
import torchvision
from pytorch_lightning.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from torch.utils.data import DataLoader
from torchvision import transforms


class LitResnet(pl.LightningModule):
    def __init__(self, num_classes=10):
        super().__init__()
        self.model = torchvision.models.resnet18(weights=None, num_classes=num_classes)
        self.train_acc = torchmetrics.Accuracy(task="multiclass", num_classes=num_classes)
        self.val_acc = torchmetrics.Accuracy(task="multiclass", num_classes=num_classes)

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.train_acc(logits, y)
        self.log_dict({"train_loss": loss, "train_acc": self.train_acc}, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.val_acc(logits, y)
        self.log("val_loss", F.cross_entropy(logits, y), prog_bar=True)
        self.log("val_acc", self.val_acc, prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1)}


transform = transforms.ToTensor()
train = torchvision.datasets.CIFAR10("./data", train=True, download=True, transform=transform)
test = torchvision.datasets.CIFAR10("./data", train=False, download=True, transform=transform)
callbacks = [ModelCheckpoint(monitor="val_acc", mode="max"), EarlyStopping("val_loss", patience=3), LearningRateMonitor()]
trainer = pl.Trainer(max_epochs=1, callbacks=callbacks, enable_progress_bar=False)
trainer.fit(LitResnet(), DataLoader(train, batch_size=64, shuffle=True), DataLoader(test, batch_size=64))
