#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies 40 tensors to the GPU and back: 1 MiB each, from pageable memory.

The bytes that it moves are known, so that a trace of it can be checked.
"""
import torch

COUNT = 40
ELEMENTS = 1 << 18  # float32: 1 MiB


def main():
    tensors = [torch.full((ELEMENTS,), float(i)) for i in range(COUNT)]
    doubled = [tensor.to("cuda") * 2 for tensor in tensors]
    results = [tensor.to("cpu") for tensor in doubled]
    for i, result in enumerate(results):
        assert torch.equal(result, tensors[i] * 2), f"tensor {i} is wrong"
    print(f"{COUNT} tensors, {COUNT * ELEMENTS * 4} bytes each way: ok")


if __name__ == "__main__":
    main()
