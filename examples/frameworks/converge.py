# SPDX-License-Identifier: MIT
"""1,000 rounds of twenty small kernels, and one test of their result on the host."""
import torch

from steps import main

KERNELS = 20


def eager():
    x = torch.zeros(1 << 16, device="cuda")

    def step(_):
        nonlocal x
        for _ in range(KERNELS):
            x += 1
        if bool((x < 0).any()):
            raise StopIteration
    return step, torch.cuda.synchronize


def graph():
    x = torch.zeros(1 << 16, device="cuda")
    (x < 0).any()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(KERNELS):
            x.add_(1)
        done = (x < 0).any()

    def step(_):
        captured.replay()
        if bool(done):
            raise StopIteration
    return step, torch.cuda.synchronize


main({"eager": eager, "graph": graph}, steps=1000)
