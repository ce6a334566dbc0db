# SPDX-License-Identifier: MIT
"""A training loop with torch.profiler around it, which records three steps."""
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 2048),
                      nn.ReLU(), nn.Linear(2048, 1024)).cuda()
optimizer = torch.optim.Adam(model.parameters())
inputs = torch.randn(32, 2048, 1024)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
             schedule=schedule(wait=5, warmup=2, active=3, repeat=1)) as profiler:
    for i in range(48):
        x = inputs[i % 32].cuda()
        optimizer.zero_grad()
        loss = (model(x) - x).square().mean()
        loss.backward()
        optimizer.step()
        profiler.step()
print(f"loss {loss.item():.3f}, {len(profiler.key_averages())} kinds of work")
