# SPDX-License-Identifier: MIT
"""JAX: a batch of numpy goes to the device in each step, and the result comes
back; or the next batch is put while this one is computed."""
import jax
import numpy

from steps import main

ROWS, COLUMNS = 4096, 1024


def batches():
    return [numpy.random.rand(ROWS, COLUMNS).astype(numpy.float32)
            for _ in range(4)]


def prepare():
    weights = jax.device_put(
        numpy.random.rand(COLUMNS, COLUMNS).astype(numpy.float32))
    compute = jax.jit(lambda x, w: jax.numpy.tanh(x @ w).sum())
    return weights, compute


def wait():
    jax.numpy.zeros(()).block_until_ready()


def one_by_one():
    weights, compute = prepare()
    data = batches()

    def step(i):
        x = jax.device_put(data[i % 4])
        float(compute(x, weights))
    return step, wait


def prefetch():
    weights, compute = prepare()
    data = batches()
    following = [jax.device_put(data[0])]

    def step(i):
        result = compute(following[0], weights)
        following[0] = jax.device_put(data[(i + 1) % 4])
        float(result)
    return step, wait


main({"one-by-one": one_by_one, "prefetch": prefetch})
