# SPDX-License-Identifier: MIT
"""CuPy: mean and largest value of an array too large for the device, in chunks."""
import cupy as cp
import numpy as np

data = np.random.default_rng(0).random(48 << 21, np.float32)
total, largest = 0.0, 0.0
for chunk in np.split(data, 48):
    x = cp.asarray(chunk)
    total += float((x * x).sum())
    largest = max(largest, float(x.max()))
print(total / data.size, largest)
