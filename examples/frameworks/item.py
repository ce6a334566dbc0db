# SPDX-License-Identifier: MIT
"""A training loop that reads the loss in each step with .item(): as it is, with one
CUDA graph a step, or read after the loop."""
import torch
from torch import nn

from steps import main


def parts():
    model = nn.Sequential(*[nn.Linear(512, 512) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.001)
    x = torch.randn(256, 512, device="cuda")
    return model, optimizer, x


def train(reads_each):
    model, optimizer, x = parts()
    losses = []

    def step(_):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item() if reads_each else loss.detach())

    def finish():
        if not reads_each:
            torch.stack(losses).tolist()
        losses.clear()
    return step, finish


def graph():
    model, optimizer, x = parts()

    def work():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        loss = work()

    def step(_):
        captured.replay()
        loss.item()
    return step, torch.cuda.synchronize


main({"item": lambda: train(True), "graph": graph, "kept": lambda: train(False)})
