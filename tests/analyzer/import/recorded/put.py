# SPDX-License-Identifier: MIT
"""JAX: a batch of numpy goes to the device in each round, and a sum comes back.

    put.py [--trace FOLDER]
"""
import argparse
import contextlib

import jax
import numpy

ROWS, COLUMNS, ROUNDS = 4096, 1024, 16


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trace")
    given = parser.parse_args()
    weights = jax.device_put(
        numpy.random.rand(COLUMNS, COLUMNS).astype(numpy.float32))
    compute = jax.jit(lambda x, w: jax.numpy.tanh(x @ w).sum())
    data = [numpy.random.rand(ROWS, COLUMNS).astype(numpy.float32)
            for _ in range(4)]
    float(compute(jax.device_put(data[0]), weights))
    with (jax.profiler.trace(given.trace) if given.trace
          else contextlib.nullcontext()):
        for i in range(ROUNDS):
            float(compute(jax.device_put(data[i % 4]), weights))


main()
