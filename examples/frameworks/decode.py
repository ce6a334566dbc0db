# SPDX-License-Identifier: MIT
"""A decode loop: many small kernels a step, limited by the host's launches; or
one CUDA graph a step."""
import torch
from torch import nn

from steps import main

LAYERS, SIZE = 12, 512


def model_of():
    torch.manual_seed(0)
    return [nn.Sequential(nn.LayerNorm(SIZE), nn.Linear(SIZE, 4 * SIZE),
                          nn.GELU(), nn.Linear(4 * SIZE, SIZE)).cuda()
            for _ in range(LAYERS)]


def forward(layers, x):
    for layer in layers:
        x = x + layer(x)
    return x


@torch.no_grad()
def eager():
    layers = model_of()
    state = torch.randn(1, SIZE, device="cuda")

    @torch.no_grad()
    def step(_):
        forward(layers, state).argmax().item()
    return step, torch.cuda.synchronize


def graph():
    layers = model_of()
    state = torch.randn(1, SIZE, device="cuda")
    side = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(3):
            forward(layers, state).argmax()
    torch.cuda.synchronize()
    captured = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(captured):
        token = forward(layers, state).argmax()

    def step(_):
        captured.replay()
        token.item()
    return step, torch.cuda.synchronize


main({"eager": eager, "graph": graph})
