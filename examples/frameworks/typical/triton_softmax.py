# SPDX-License-Identifier: MIT
"""A Triton kernel (softmax of rows) for batches of the host."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(rows + row * columns + at, mask=at < columns, other=-float("inf"))
    x = tl.exp(x - tl.max(x, 0))
    tl.store(out + row * columns + at, x / tl.sum(x, 0), mask=at < columns)


def softmax(x):
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](out, x, x.shape[1],
                                  BLOCK=triton.next_power_of_2(x.shape[1]))
    return out


if __name__ == "__main__":
    batches = torch.randn(6, 4096, 1000)
    total = 0.0
    for i in range(36):
        result = softmax(batches[i % 6].cuda()).cpu()
        total += result[0, 0].item()
    print(total)
