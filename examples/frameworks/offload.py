# SPDX-License-Identifier: MIT
"""Layer-wise offload: the weights of 16 layers are on the host; each layer's are
copied in before it runs."""
import torch

from steps import main

LAYERS, SIZE, BATCH = 16, 4096, 2048


def weights_on_host(pinned):
    weights = [torch.randn(SIZE, SIZE) / 64 for _ in range(LAYERS)]
    return [w.pin_memory() for w in weights] if pinned else weights


def offload(pinned):
    weights = weights_on_host(pinned)
    buffer = torch.empty(SIZE, SIZE, device="cuda")
    start = torch.randn(BATCH, SIZE, device="cuda")

    def step(_):
        x = start
        for w in weights:
            buffer.copy_(w, non_blocking=pinned)
            x = torch.relu(x @ buffer)
        torch.cuda.synchronize()
    return step, torch.cuda.synchronize


def prefetch():
    weights = weights_on_host(True)
    buffers = [torch.empty(SIZE, SIZE, device="cuda") for _ in range(2)]
    start = torch.randn(BATCH, SIZE, device="cuda")
    side = torch.cuda.Stream()
    copied = [torch.cuda.Event() for _ in range(2)]
    used = [torch.cuda.Event() for _ in range(2)]

    def copy(i):
        with torch.cuda.stream(side):
            side.wait_event(used[i % 2])
            buffers[i % 2].copy_(weights[i], non_blocking=True)
            copied[i % 2].record(side)

    def step(_):
        x = start
        copy(0)
        for i in range(LAYERS):
            if i + 1 < LAYERS:
                copy(i + 1)
            torch.cuda.current_stream().wait_event(copied[i % 2])
            x = torch.relu(x @ buffers[i % 2])
            used[i % 2].record()
        torch.cuda.synchronize()
    return step, torch.cuda.synchronize


main({"pageable": lambda: offload(False), "pinned": lambda: offload(True),
      "prefetch": prefetch}, steps=10)
