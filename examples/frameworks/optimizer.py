# SPDX-License-Identifier: MIT
"""The optimizer's state is on the host: gradients are copied out, the update
runs on the CPU, and the weights are copied in."""
import torch
from torch import nn

from steps import main


def train(pinned):
    model = nn.Sequential(*[nn.Linear(2048, 2048, bias=False)
                            for _ in range(4)]).cuda()
    x = torch.randn(1024, 2048, device="cuda")
    like = [torch.zeros(p.shape, pin_memory=pinned)
            for p in model.parameters()]
    masters = [torch.zeros(p.shape, pin_memory=pinned)
               for p in model.parameters()]
    for master, p in zip(masters, model.parameters()):
        master.copy_(p.detach())

    def step(_):
        model(x).square().mean().backward()
        for grad, p in zip(like, model.parameters()):
            grad.copy_(p.grad, non_blocking=pinned)
            p.grad = None
        torch.cuda.synchronize()
        for master, grad, p in zip(masters, like, model.parameters()):
            master.sub_(grad, alpha=0.001)
            p.data.copy_(master, non_blocking=pinned)
    return step, torch.cuda.synchronize


main({"pageable": lambda: train(False), "pinned": lambda: train(True)})
