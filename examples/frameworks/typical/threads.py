# SPDX-License-Identifier: MIT
"""Requests are answered by a pool of four threads, which share a model."""
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

model = nn.Sequential(nn.Linear(2048, 4096), nn.ReLU(),
                      nn.Linear(4096, 2048)).cuda().eval()


@torch.inference_mode()
def answer(request):
    return model(request.to("cuda")).cpu()


requests = [torch.randn(512, 2048) for _ in range(96)]
with ThreadPoolExecutor(4) as pool:
    answers = list(pool.map(answer, requests))
print(len(answers), sum(part[0, 0].item() for part in answers))
