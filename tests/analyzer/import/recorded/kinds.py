# SPDX-License-Identifier: MIT
"""Rounds of pageable, then of pinned memory, with a memset of 256 MiB and a copy on the GPU.

    kinds.py [--trace FILE.json.gz]
"""
import argparse
import contextlib
import ctypes

import torch

ROWS, COLUMNS, ROUNDS = 4096, 2048, 24


CUDART = ctypes.CDLL("libcudart.so." + torch.version.cuda.split(".")[0])


def loop(weights, tensors, result, scratch, wide, asynchronous):
    for i in range(ROUNDS):
        x = tensors[i % 4].to("cuda", non_blocking=asynchronous)
        if CUDART.cudaMemsetAsync(ctypes.c_void_p(wide.data_ptr()), 0,
                                  ctypes.c_size_t(wide.numel()), ctypes.c_void_p(0)):
            raise SystemExit("cudaMemsetAsync failed")
        y = torch.relu(x @ weights)
        scratch.copy_(y)
        result.copy_(scratch, non_blocking=asynchronous)
        torch.cuda.synchronize()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace")
    given = parser.parse_args()
    torch.cuda.init()
    warm = torch.ones(8, 8, device="cuda")
    (warm @ warm).sum().item()
    profile = contextlib.nullcontext()
    if given.trace:
        kinds = torch.profiler.ProfilerActivity
        profile = torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA])
    with profile as recorded:
        weights = torch.randn(COLUMNS, COLUMNS, device="cuda") / 64
        scratch = torch.empty(ROWS, COLUMNS, device="cuda")
        wide = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        data = [torch.randn(ROWS, COLUMNS) for _ in range(4)]
        loop(weights, data, torch.zeros(ROWS, COLUMNS), scratch, wide, False)
        pinned = [tensor.pin_memory() for tensor in data]
        loop(weights, pinned, torch.zeros(ROWS, COLUMNS).pin_memory(), scratch,
             wide, True)
    if given.trace:
        recorded.export_chrome_trace(given.trace)


main()
