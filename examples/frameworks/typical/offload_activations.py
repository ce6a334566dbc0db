# SPDX-License-Identifier: MIT
"""What the backward pass needs is kept in the host's memory (save_on_cpu)."""
import torch
from torch import nn

torch.backends.cuda.matmul.allow_tf32 = True
model = nn.Sequential(*[layer for _ in range(3) for layer in
                        (nn.Linear(4096, 4096), nn.GELU())]).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.01)
x = torch.randn(2048, 4096, device="cuda")
for i in range(24):
    optimizer.zero_grad()
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
print(loss.item())
