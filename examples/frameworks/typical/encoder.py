# SPDX-License-Identifier: MIT
"""A transformer encoder that learns to classify recordings of a sensor."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.TransformerEncoder(
        nn.TransformerEncoderLayer(512, 8, 1024, batch_first=True), 2),
    nn.Flatten(), nn.Linear(128 * 512, 10)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
criterion = nn.CrossEntropyLoss()
signals = torch.randn(512, 128, 512)
labels = torch.randint(10, (512,))

for epoch in range(2):
    order = torch.randperm(len(signals))
    for first in range(0, len(signals), 64):
        chosen = order[first:first + 64]
        x = signals[chosen].to("cuda")
        y = labels[chosen].to("cuda")
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
