# SPDX-License-Identifier: MIT
"""Copies and kernels of PyTorch whose lines the report has to name."""
import hashlib

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(512, 512)

    def forward(self, batch):
        return self.layer(batch).relu()  # line: kernel


def upload(batch):
    return batch.to("cuda")  # line: h2d


def download(result):
    return result.cpu()  # line: d2h


torch.manual_seed(1)
model = Model().cuda()
batch = torch.ones(512, 512)
with torch.no_grad():
    for _ in range(20):
        result = download(model(upload(batch)))
print("torch lines:", hashlib.sha256(result.numpy().tobytes()).hexdigest(),
      bool(torch.isfinite(result).all()))
print(f"expect h2d_at_least={20 * batch.nbytes} "
      f"d2h_at_least={20 * batch.nbytes} kernels_at_least=20")
