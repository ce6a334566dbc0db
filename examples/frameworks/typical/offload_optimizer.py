# SPDX-License-Identifier: MIT
"""Adam whose two moments are kept in pinned memory of the host: each parameter's
come to the GPU for its update and go back."""
import torch
from torch import nn

model = nn.Sequential(*[nn.Linear(2048, 2048, bias=False) for _ in range(8)]).cuda()
moments = [(torch.zeros(p.shape, pin_memory=True),
            torch.zeros(p.shape, pin_memory=True)) for p in model.parameters()]
x = torch.randn(256, 2048, device="cuda")


@torch.no_grad()
def update(parameter, first, second, rate=1e-4):
    m = first.to("cuda", non_blocking=True)
    v = second.to("cuda", non_blocking=True)
    m.lerp_(parameter.grad, 0.1)
    v.mul_(0.999).addcmul_(parameter.grad, parameter.grad, value=0.001)
    parameter.addcdiv_(m, v.sqrt().add_(1e-8), value=-rate)
    first.copy_(m, non_blocking=True)
    second.copy_(v, non_blocking=True)


for i in range(24):
    loss = model(x).square().mean()
    loss.backward()
    for parameter, (first, second) in zip(model.parameters(), moments):
        update(parameter, first, second)
    model.zero_grad()
    torch.cuda.synchronize()
print(loss.item())
