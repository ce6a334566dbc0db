# SPDX-License-Identifier: MIT
"""A function compiled by JAX, on data from the host."""
import hashlib

import jax
import numpy

assert jax.default_backend() == "gpu"
a = numpy.arange(1 << 18, dtype=numpy.int32)
double = jax.jit(lambda values: values + values)
for _ in range(10):
    device_a = jax.device_put(a)  # line: h2d
    total = double(device_a)  # line: kernel
    doubled = numpy.asarray(total)  # line: d2h
print("jax:", hashlib.sha256(doubled.tobytes()).hexdigest(),
      bool((doubled == 2 * a).all()))
print(f"expect h2d_at_least={10 * a.nbytes} d2h_at_least={10 * a.nbytes} "
      "kernels_at_least=10")
