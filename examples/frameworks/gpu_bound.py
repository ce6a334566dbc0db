# SPDX-License-Identifier: MIT
"""A training loop with pinned batches and non_blocking copies that never waits for
the GPU, which is what limits it; the same with .item() in each step; and with the
next batch copied on a side stream, and .item() in its step or one step later."""
import torch
from torch import nn

from steps import main

ROWS, SIZE = 2048, 2048


def parts():
    model = nn.Sequential(*[layer for _ in range(4)
                            for layer in (nn.Linear(SIZE, SIZE), nn.GELU())]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.001)
    batches = [torch.randn(ROWS, SIZE).pin_memory() for _ in range(4)]
    return model, optimizer, batches


def train(reads_each):
    model, optimizer, batches = parts()

    def step(i):
        x = batches[i % 4].to("cuda", non_blocking=True)
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        if reads_each:
            loss.item()
    return step, torch.cuda.synchronize


def prefetch(reads_each, later=False):
    """later: the loss of a step is read behind the launches of the next one."""
    model, optimizer, batches = parts()
    side = torch.cuda.Stream()
    last = [torch.zeros((), device="cuda")]

    def copy(i):
        with torch.cuda.stream(side):
            return batches[i % 4].to("cuda", non_blocking=True)
    following = [copy(0)]

    def step(i):
        torch.cuda.current_stream().wait_stream(side)
        x = following[0]
        x.record_stream(torch.cuda.current_stream())
        following[0] = copy(i + 1)
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        if reads_each:
            (last[0] if later else loss).item()
            last[0] = loss.detach()
    return step, torch.cuda.synchronize


main({"async": lambda: train(False), "item": lambda: train(True),
      "async-prefetch": lambda: prefetch(False),
      "item-prefetch": lambda: prefetch(True),
      "item-later": lambda: prefetch(True, later=True)}, steps=60)
