# SPDX-License-Identifier: MIT
"""A Triton kernel on data from the host."""
import hashlib

import torch
import triton
import triton.language as tl


@triton.jit
def add(a, b, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.store(out + at, tl.load(a + at, mask) + tl.load(b + at, mask), mask)


count = 1 << 20
a = torch.arange(count).cuda()  # line: h2d
b = torch.arange(count).cuda()  # line: h2d
out = torch.empty_like(a)
for _ in range(20):
    add[(count // 1024,)](a, b, out, count, BLOCK=1024)  # line: kernel
total = out.cpu()  # line: d2h
print("triton:", hashlib.sha256(total.numpy().tobytes()).hexdigest(),
      torch.equal(total, 2 * torch.arange(count)))
print(f"expect h2d_at_least={2 * count * 8} d2h_at_least={count * 8} "
      "kernels_at_least=20")
