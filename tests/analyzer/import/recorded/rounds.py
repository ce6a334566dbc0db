# SPDX-License-Identifier: MIT
"""Two loops of PyTorch: batches of numpy that go to the device and back from
pageable memory, then from pinned memory with one synchronisation a round.

    rounds.py [--trace FILE.json.gz] [--stack]

With --trace, torch.profiler records all of it; with --stack, Python's stack too.
"""
import argparse
import contextlib
import time

import numpy
import torch

ROWS, COLUMNS, ROUNDS = 4096, 2048, 16


def pageable(weights, data):
    for i in range(ROUNDS):
        x = torch.from_numpy(data[i % 4]).to("cuda")
        y = torch.relu(x @ weights)
        y.cpu()


def pinned(weights, tensors, result):
    for i in range(ROUNDS):
        x = tensors[i % 4].to("cuda", non_blocking=True)
        y = torch.tanh(x @ weights)
        result.copy_(y, non_blocking=True)
        torch.cuda.synchronize()


def work():
    weights = torch.randn(COLUMNS, COLUMNS, device="cuda") / 64
    data = [numpy.random.rand(ROWS, COLUMNS).astype(numpy.float32)
            for _ in range(4)]
    tensors = [torch.from_numpy(array).pin_memory() for array in data]
    result = torch.empty(ROWS, COLUMNS, pin_memory=True)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    pageable(weights, data)
    middle = time.perf_counter()
    pinned(weights, tensors, result)
    return middle - begin, time.perf_counter() - middle


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace")
    parser.add_argument("--stack", action="store_true")
    given = parser.parse_args()
    torch.cuda.init()
    warm = torch.ones(8, 8, device="cuda")
    (warm @ warm).sum().item()
    profile = contextlib.nullcontext()
    if given.trace:
        kinds = torch.profiler.ProfilerActivity
        profile = torch.profiler.profile(
            activities=[kinds.CPU, kinds.CUDA], record_shapes=False,
            with_stack=given.stack)
    with profile as recorded:
        first, second = work()
    if given.trace:
        recorded.export_chrome_trace(given.trace)
    print(f'{{"pageable_ms": {first * 1e3:.2f}, "pinned_ms": {second * 1e3:.2f}}}')


main()
