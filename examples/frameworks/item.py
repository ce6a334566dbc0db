# SPDX-License-Identifier: MIT
"""A training loop that reads the loss in each step with .item()."""
import torch
from torch import nn

from steps import main


def train(reads_each):
    model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.001)
    x = torch.randn(256, 512, device="cuda")
    losses = []

    def step(_):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item() if reads_each else loss.detach())

    def finish():
        if not reads_each:
            torch.stack(losses).tolist()
        losses.clear()
    return step, finish


main({"item": lambda: train(True), "kept": lambda: train(False)})
