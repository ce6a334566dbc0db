# SPDX-License-Identifier: MIT
"""A training loop over a DataLoader: the batch is copied to the GPU in each
step."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from steps import main

BATCH = 64


class Images(Dataset):
    def __init__(self):
        self.data = torch.randn(BATCH, 3, 224, 224)

    def __len__(self):
        return 1 << 20

    def __getitems__(self, indices):
        return self.data


def whole(batch):
    return batch.clone()


def train(pin, non_blocking):
    model = nn.Sequential(nn.Conv2d(3, 32, 7, 4), nn.ReLU(),
                          nn.Conv2d(32, 64, 3, 2), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                          nn.Linear(64, 100)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    target = torch.zeros(BATCH, dtype=torch.long, device="cuda")
    loader = iter(DataLoader(Images(), BATCH, collate_fn=whole,
                             pin_memory=pin))

    def step(_):
        images = next(loader).to("cuda", non_blocking=non_blocking)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), target).backward()
        optimizer.step()
    return step, torch.cuda.synchronize


main({"pageable": lambda: train(False, False),
      "pinned": lambda: train(True, True)})
