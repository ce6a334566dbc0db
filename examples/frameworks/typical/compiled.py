# SPDX-License-Identifier: MIT
"""A compiled model (torch.compile) predicts for batches that come from the host."""
import torch
from torch import nn


class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(1024, 1024) for _ in range(6))

    def forward(self, x):
        for layer in self.layers:
            x = x + nn.functional.silu(layer(x))
        return x


torch.set_float32_matmul_precision("high")
model = torch.compile(Predictor().cuda().eval())
batches = [torch.randn(2048, 1024) for _ in range(8)]
results = []
with torch.inference_mode():
    for i in range(48):
        x = batches[i % 8].to("cuda")
        results.append(model(x).mean(1).cpu())
print(torch.stack(results).sum().item())
