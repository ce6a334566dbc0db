#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times the steady loop of a small framework program: one JSON line.

  framework_loop.py PROGRAM [SECONDS]

Runs steps for SECONDS (4) and prints the median time of the steps of the last
third, when nothing new comes. All programs are bound by the host's calls, so
that what tracing adds to a call shows in full.
"""
import json
import statistics
import sys
import time


def import_torch():
    import torch
    torch.manual_seed(1)
    return torch


class Decoder:
    """A transformer that decodes token by token with a KV cache, with either
    normalisation and activation."""

    def __init__(self, torch, layers, width, heads, norm, activation):
        self.torch, self.heads, self.width = torch, heads, width
        self.act = activation
        make = dict(device="cuda", dtype=torch.float16)
        self.embed = torch.nn.Embedding(5000, width, **make)
        self.blocks = [dict(
            norm1=norm(width, **make), norm2=norm(width, **make),
            qkv=torch.nn.Linear(width, 3 * width, **make),
            out=torch.nn.Linear(width, width, **make),
            up=torch.nn.Linear(width, 4 * width, **make),
            down=torch.nn.Linear(4 * width, width, **make))
            for _ in range(layers)]
        self.last = norm(width, **make)

    def step(self, token, cache):
        """Returns the next token; grows the cache of each layer."""
        x = self.embed(token)
        for i, b in enumerate(self.blocks):
            q, k, v = (t.view(1, 1, self.heads, -1).transpose(1, 2) for t in
                       b["qkv"](b["norm1"](x)).chunk(3, dim=-1))
            if cache[i] is not None:
                k = self.torch.cat((cache[i][0], k), dim=2)
                v = self.torch.cat((cache[i][1], v), dim=2)
            cache[i] = (k, v)
            y = self.torch.nn.functional.scaled_dot_product_attention(q, k, v)
            x = x + b["out"](y.transpose(1, 2).reshape(1, 1, self.width))
            x = x + b["down"](self.act(b["up"](b["norm2"](x))))
        logits = self.last(x) @ self.embed.weight.T
        return logits[:, -1].argmax(dim=-1, keepdim=True)


def decoding(torch, decoder, tokens):
    """A step generates a sequence from an empty cache."""
    def step():
        cache = [None] * len(decoder.blocks)
        token = torch.zeros((1, 1), dtype=torch.long, device="cuda")
        for _ in range(tokens):
            token = decoder.step(token, cache)
        return token.item()
    return step


def gpt2():
    torch = import_torch()
    gelu = torch.nn.functional.gelu
    return decoding(torch, Decoder(torch, 12, 768, 12, torch.nn.LayerNorm,
                                   gelu), 32)


def llama():
    torch = import_torch()
    silu = torch.nn.functional.silu
    return decoding(torch, Decoder(torch, 16, 1024, 16, torch.nn.RMSNorm,
                                   silu), 32)


def paging():
    """Pages of a KV cache are swapped out to pinned memory and back in."""
    torch = import_torch()
    pages = torch.randn(64, 16, 2, 8, 64, device="cuda", dtype=torch.float16)
    host = torch.empty(pages.shape, dtype=torch.float16, pin_memory=True)
    order = torch.randperm(64).tolist()

    def step():
        for i in order:
            host[i].copy_(pages[i], non_blocking=True)
        for i in order:
            pages[i].mul_(1.0)
            pages[i].copy_(host[i], non_blocking=True)
        torch.cuda.synchronize()
    return step


def gaussian():
    """Conjugate gradients of a Gaussian process' likelihood."""
    torch = import_torch()
    x = torch.rand(200, 3, device="cuda")
    y = torch.sin(x.sum(dim=1))
    scale = torch.ones(3, device="cuda", requires_grad=True)
    optimiser = torch.optim.Adam([scale], lr=0.001)
    tiny = 1e-10

    def step():
        optimiser.zero_grad()
        apart = (x[:, None] - x[None]) * scale
        k = torch.exp(-(apart * apart).sum(dim=2)) + \
            0.5 * torch.eye(len(x), device="cuda")
        a, r = torch.zeros_like(y), y.clone()
        p, rr = r, r @ r
        for _ in range(20):
            kp = k @ p
            alpha = rr / (p @ kp + tiny)
            a, r = a + alpha * p, r - alpha * kp
            before, rr = rr, r @ r
            p = r + rr / (before + tiny) * p
        loss = -(y @ a) + torch.linalg.cholesky(k).diagonal().log().sum()
        loss.backward()
        optimiser.step()
        return loss.item()
    return step


def items():
    torch = import_torch()
    values = torch.rand(500, device="cuda")

    def step():
        return sum(values[i].item() for i in range(100))
    return step


def replays():
    """Replays of a captured training-like step."""
    torch = import_torch()
    x = torch.randn(64, 64, device="cuda")
    w = torch.randn(64, 64, device="cuda")
    stream = torch.cuda.Stream()
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        (x @ w).relu()
    torch.cuda.synchronize()
    with torch.cuda.graph(captured):
        y = x
        for _ in range(20):
            y = (y @ w).relu()

    def step():
        for _ in range(50):
            captured.replay()
        torch.cuda.synchronize()
    return step


def managed():
    """Kernels on managed memory that the host touches between them."""
    import cupy
    cupy.cuda.set_allocator(cupy.cuda.MemoryPool(
        cupy.cuda.malloc_managed).malloc)
    import ctypes
    data = [cupy.zeros(4096, dtype=cupy.float32) for _ in range(8)]
    first = [ctypes.c_float.from_address(d.data.ptr) for d in data]

    def step():
        for d, f in zip(data, first):
            for _ in range(10):
                d += 1
            cupy.cuda.runtime.deviceSynchronize()
            f.value = 0.0
    return step


PROGRAMS = {f.__name__: f for f in (gpt2, llama, paging, gaussian, items, replays,
                                    managed)}


def main():
    name = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 4
    step = PROGRAMS[name]()
    times = []
    began = time.perf_counter()
    while not times or times[-1][1] < began + seconds:
        begin = time.perf_counter()
        step()
        times.append((begin, time.perf_counter()))
    steady = [end - begin for begin, end in times
              if begin >= began + seconds * 2 / 3] or [times[-1][1] -
                                                       times[-1][0]]
    print(json.dumps({f"loop_{name}": {
        "calls": len(steady), "call_ns": statistics.median(steady) * 1e9}}))


if __name__ == "__main__":
    main()
