# SPDX-License-Identifier: MIT
"""Matrix products, which PyTorch has cuBLAS do."""
import hashlib

import torch

SIZE, TIMES = 256, 50

torch.manual_seed(1)
product = torch.rand(SIZE, SIZE).cuda()
factor = torch.rand(SIZE, SIZE).cuda() / SIZE
for _ in range(TIMES):
    product = product @ factor
print("torch products:",
      hashlib.sha256(product.cpu().numpy().tobytes()).hexdigest())
moved = SIZE * SIZE * 4
print(f"expect h2d={2 * moved} d2h={moved} kernels_at_least={TIMES}")
