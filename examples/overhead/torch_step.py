#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times training steps of many small kernels: one JSON line.

A stack of small layers with a loss and an optimiser that updates each
parameter by itself: hundreds of kernels of a few microseconds a step, so that
the host's calls are what a step takes.
"""
import json
import statistics
import sys
import time

import torch

LAYERS = 24
WIDTH = 64
WARM_UP = 60  # light mode has detached CUPTI by then


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    torch.manual_seed(1)
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(WIDTH, WIDTH), torch.nn.LayerNorm(WIDTH),
                   torch.nn.GELU()]
    model = torch.nn.Sequential(*layers).to("cuda")
    optimiser = torch.optim.Adam(model.parameters(), foreach=False)
    inputs = torch.randn(32, WIDTH).pin_memory()
    wanted = torch.randn(32, WIDTH, device="cuda")

    times = []
    for _ in range(WARM_UP + steps):
        begin = time.perf_counter()
        optimiser.zero_grad(set_to_none=False)
        outputs = model(inputs.to("cuda", non_blocking=True))
        torch.nn.functional.mse_loss(outputs, wanted).backward()
        optimiser.step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    step_ns = statistics.median(times[WARM_UP:]) * 1e9
    print(json.dumps({"torch": {"calls": steps, "call_ns": step_ns},
                      "version": torch.__version__}))


if __name__ == "__main__":
    main()
