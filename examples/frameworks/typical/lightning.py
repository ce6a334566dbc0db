# SPDX-License-Identifier: MIT
"""A classifier of small images, trained by PyTorch Lightning."""
import logging

import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(),
                                   nn.Linear(256, 128), nn.ReLU(),
                                   nn.Linear(128, 10))

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.cross_entropy(self.model(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
data = TensorDataset(torch.randn(64 * 64, 784), torch.randint(10, (64 * 64,)))
trainer = pl.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False,
                     enable_checkpointing=False, enable_progress_bar=False,
                     enable_model_summary=False)
trainer.fit(Classifier(), DataLoader(data, batch_size=64, shuffle=True))
print("steps", trainer.global_step)
