# SPDX-License-Identifier: MIT
"""A function compiled by JAX, on data from the host."""
import jax
import numpy

assert jax.default_backend() == "gpu"
a = numpy.arange(1 << 18, dtype=numpy.int32)
double = jax.jit(lambda values: values + values)
for _ in range(10):
    doubled = numpy.asarray(double(jax.device_put(a)))
print("jax:", bool((doubled == 2 * a).all()))
print(f"expect h2d_at_least={10 * a.nbytes} d2h_at_least={10 * a.nbytes} "
      "kernels_at_least=10")
