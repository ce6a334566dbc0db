# SPDX-License-Identifier: MIT
"""CuPy arrays from the host, and back."""
import hashlib

import cupy
import numpy

a = numpy.arange(1 << 18, dtype=numpy.int64)
for _ in range(10):
    device_a = cupy.asarray(a)  # line: h2d
    device_b = cupy.asarray(a)  # line: h2d
    total = device_a + device_b  # line: kernel
    doubled = cupy.asnumpy(total)  # line: d2h
print("cupy:", hashlib.sha256(doubled.tobytes()).hexdigest(),
      bool((doubled == 2 * a).all()))
print(f"expect h2d_at_least={20 * a.nbytes} d2h_at_least={10 * a.nbytes} "
      "kernels_at_least=10")
