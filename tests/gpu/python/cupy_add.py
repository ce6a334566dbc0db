# SPDX-License-Identifier: MIT
"""CuPy arrays from the host, and back."""
import cupy
import numpy

a = numpy.arange(1 << 18, dtype=numpy.int64)
for _ in range(10):
    doubled = cupy.asnumpy(cupy.asarray(a) + cupy.asarray(a))
print("cupy:", bool((doubled == 2 * a).all()))
print(f"expect h2d_at_least={20 * a.nbytes} d2h_at_least={10 * a.nbytes} "
      "kernels_at_least=10")
