# SPDX-License-Identifier: MIT
"""DistributedDataParallel with NCCL, on one GPU of one process."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29531")
dist.init_process_group("nccl", rank=0, world_size=1)
torch.cuda.set_device(0)
model = DistributedDataParallel(nn.Sequential(
    nn.Linear(512, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(),
    nn.Linear(4096, 10)).cuda(), device_ids=[0])
optimizer = torch.optim.SGD(model.parameters(), 0.01)
data = TensorDataset(torch.randn(40960, 512), torch.randint(10, (40960,)))
sampler = DistributedSampler(data, 1, 0)
loader = DataLoader(data, batch_size=2048, sampler=sampler, pin_memory=True)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for i, (x, y) in enumerate(loader):
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            print(epoch, i, f"{loss.item():.3f}")
dist.destroy_process_group()
