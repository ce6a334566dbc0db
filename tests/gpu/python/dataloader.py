# SPDX-License-Identifier: MIT
"""PyTorch with forked DataLoader workers, after CUDA has started."""
import os

import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.full((1024,), float(index * index))


def main():
    device = torch.zeros(1, device="cuda")
    loader = DataLoader(Squares(), batch_size=8, num_workers=3,
                        multiprocessing_context="fork", pin_memory=True)
    for _ in range(2):
        for batch in loader:
            device += batch.to("cuda", non_blocking=True).sum()
    child = os.fork()
    if child == 0:
        os._exit(5)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(f"sum {device.item()}, child left with {code}")
    print(f"expect h2d_at_least={2 * 64 * 1024 * 4}")


if __name__ == "__main__":
    main()
