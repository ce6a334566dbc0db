# SPDX-License-Identifier: MIT
"""Triton: an array of the host is scaled in chunks, which are copied in, used
and copied out in one stream; or in two streams with buffers of their own."""
import torch
import triton
import triton.language as tl

from steps import main

CHUNKS, ELEMENTS, BLOCK = 8, 1 << 21, 1024


@triton.jit
def scale(src, dst, count, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    mask = at < count
    tl.store(dst + at, 2 * tl.load(src + at, mask), mask)


def chunks(count):
    src = torch.rand(CHUNKS, ELEMENTS).pin_memory()
    dst = torch.empty(CHUNKS, ELEMENTS, pin_memory=True)
    buffers = [(torch.cuda.Stream() if count > 1 else
                torch.cuda.current_stream(),
                torch.empty(ELEMENTS, device="cuda"),
                torch.empty(ELEMENTS, device="cuda")) for _ in range(count)]

    def step(_):
        for i in range(CHUNKS):
            stream, x, y = buffers[i % count]
            with torch.cuda.stream(stream):
                x.copy_(src[i], non_blocking=True)
                scale[(ELEMENTS // BLOCK,)](x, y, ELEMENTS, BLOCK)
                dst[i].copy_(y, non_blocking=True)
        torch.cuda.synchronize()
    return step, torch.cuda.synchronize


main({"one-stream": lambda: chunks(1), "streams": lambda: chunks(2)})
