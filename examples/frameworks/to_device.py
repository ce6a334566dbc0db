# SPDX-License-Identifier: MIT
"""Inference on data of numpy: copied in by .to("cuda"), copied out by .cpu()."""
import numpy
import torch

from steps import main

ROWS, COLUMNS = 4096, 2048


def infer(pinned):
    weights = torch.randn(COLUMNS, COLUMNS, device="cuda") / 64
    data = [numpy.random.rand(ROWS, COLUMNS).astype(numpy.float32)
            for _ in range(4)]
    result = torch.empty(ROWS, COLUMNS, pin_memory=pinned)
    tensors = [torch.from_numpy(array) for array in data]
    if pinned:
        tensors = [tensor.pin_memory() for tensor in tensors]

    def step(i):
        x = tensors[i % 4].to("cuda", non_blocking=pinned)
        y = torch.relu(x @ weights)
        if pinned:
            result.copy_(y, non_blocking=True)
            torch.cuda.synchronize()
        else:
            y.cpu()
    return step, torch.cuda.synchronize


main({"pageable": lambda: infer(False), "pinned": lambda: infer(True)})
