# SPDX-License-Identifier: MIT
"""Paging of a key-value cache: 128 blocks that are scattered in host memory are
copied in, used once, and changed blocks are copied out."""
import torch

from steps import main

BLOCKS, ELEMENTS = 128, 16 * 1024  # 32 KiB of half


def paging(batched):
    pool = torch.randn(BLOCKS * 8, ELEMENTS).half().pin_memory()
    cache = torch.zeros(BLOCKS, ELEMENTS, dtype=torch.half, device="cuda")
    staging = torch.empty(BLOCKS, ELEMENTS, dtype=torch.half, pin_memory=True)
    query = torch.randn(ELEMENTS, 64, device="cuda").half()
    order = torch.randperm(BLOCKS * 8).reshape(8, BLOCKS)

    def step(i):
        chosen = order[i % 8]
        if batched:
            torch.index_select(pool, 0, chosen, out=staging)
            cache.copy_(staging, non_blocking=True)
        else:
            for slot, block in enumerate(chosen.tolist()):
                cache[slot].copy_(pool[block], non_blocking=True)
        scores = torch.softmax((cache @ query).float(), 0)
        scores.sum().item()
    return step, torch.cuda.synchronize


main({"blocks": lambda: paging(False), "batched": lambda: paging(True)})
