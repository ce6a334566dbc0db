# SPDX-License-Identifier: MIT
"""A Numba kernel on data from the host."""
import hashlib

import numpy

# Numba 0.68 still asks for what NumPy 2.5 no longer has.
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack

from numba import cuda


@cuda.jit
def add(a, b, out):
    at = cuda.grid(1)
    if at < out.size:
        out[at] = a[at] + b[at]


count = 1 << 18
a = numpy.arange(count, dtype=numpy.int64)
device_a = cuda.to_device(a)  # line: h2d
device_b = cuda.to_device(a)  # line: h2d
out = cuda.device_array_like(a)
for _ in range(20):
    add[count // 256, 256](device_a, device_b, out)  # line: kernel
total = out.copy_to_host()  # line: d2h
print("numba:", hashlib.sha256(total.tobytes()).hexdigest(),
      bool((total == 2 * a).all()))
print(f"expect h2d_at_least={2 * a.nbytes} d2h_at_least={a.nbytes} "
      "kernels_at_least=20")
