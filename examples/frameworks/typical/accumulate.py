# SPDX-License-Identifier: MIT
"""Gradients of four small batches are accumulated; the loss of each is added up
with .item()."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[layer for _ in range(8) for layer in
                        (nn.Linear(256, 256), nn.LayerNorm(256), nn.GELU())],
                      nn.Linear(256, 1)).cuda()
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
x = torch.randn(16, 128, 256).to("cuda")
y = torch.randn(16, 128, 1).to("cuda")
for epoch in range(2):
    total = 0.0
    for i in range(16):
        loss = (model(x[i]) - y[i]).square().mean() / 4
        loss.backward()
        total += loss.item()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, total)
