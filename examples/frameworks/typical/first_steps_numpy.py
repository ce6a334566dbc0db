# SPDX-License-Identifier: MIT
"""Times the programs of numpy's arrays here as they are, and with the first step taken:
ms per step, of turns of each way."""
import json
import sys
import time

import numpy as np

from turns import measured


def compare(wait, steps, **ways):
    def timed(step, steps):
        begin = time.perf_counter()
        for i in range(steps):
            step(i)
        wait()
        return (time.perf_counter() - begin) / steps * 1e3
    for step in ways.values():
        timed(step, 5)
    return measured(ways, steps, timed)


def cupy_chunks():
    import cupy as cp
    import cupyx
    data = np.random.default_rng(0).random((16, 1 << 21), np.float32)
    pinned = cupyx.empty_pinned(data.shape, np.float32)
    pinned[:] = data
    device = cp.empty(data.shape[1], np.float32)

    def use(x):
        return float((x * x).sum()), float(x.max())

    def pinned_step(i):
        device.set(pinned[i % 16])
        use(device)
    return compare(cp.cuda.Device().synchronize, 48,
                   numpy=lambda i: use(cp.asarray(data[i % 16])),
                   pinned=pinned_step)


def cupy_fft():
    import cupy as cp
    import cupyx
    rng = np.random.default_rng(0)
    recordings = rng.random((6, 64, 32768), np.float32)
    pinned = cupyx.empty_pinned(recordings.shape, np.float32)
    pinned[:] = recordings
    out = cupyx.empty_pinned(recordings.shape[1:], np.float32)
    device = cp.empty(recordings.shape[1:], np.float32)
    keep = cp.asarray(np.linspace(1, 0, 16385, dtype=np.float32))
    kept = []

    def filtered(x):
        return cp.fft.irfft(cp.fft.rfft(x, axis=1) * keep, axis=1)

    def pinned_step(i):
        device.set(pinned[i % 6])
        filtered(device).get(out=out)

    def numpy_step(i):
        kept.append(cp.asnumpy(filtered(cp.asarray(recordings[i % 6]))))
    return compare(cp.cuda.Device().synchronize, 36, numpy=numpy_step,
                   pinned=pinned_step)


def jax_train():
    import jax
    import jax.numpy as jnp

    def loss_of(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        w, b = params[-1]
        return ((x @ w + b - y) ** 2).mean()

    @jax.jit
    def train_step(params, x, y):
        loss, grads = jax.value_and_grad(loss_of)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), loss

    rng = np.random.default_rng(0)
    sizes = [1024, 1024, 1024, 16]
    start = [(jnp.asarray(rng.normal(0, 0.03, (a, b)), jnp.float32), jnp.zeros(b))
             for a, b in zip(sizes, sizes[1:])]
    data = [(rng.random((2048, 1024), np.float32), rng.random((2048, 16), np.float32))
            for _ in range(8)]
    state = {"one": start, "next": start}

    def put(i):
        return [jax.device_put(part) for part in data[i % 8]]

    def one_by_one(i):
        state["one"], loss = train_step(state["one"], *put(i))
        loss.block_until_ready()
    following = [put(0)]

    def prefetch(i):
        state["next"], loss = train_step(state["next"], *following[0])
        following[0] = put(i + 1)
        loss.block_until_ready()
    return compare(lambda: None, 48, plain=one_by_one, prefetch=prefetch)


def cuda_python():
    from cuda.bindings import driver
    from cuda_python import check, kernel, memory, pointers
    plain = np.random.default_rng(0).random((12, 1 << 21), np.float32)
    pinned = plain.copy()
    check(driver.cuMemHostRegister(pinned.ctypes.data, pinned.nbytes, 0))

    def way(blocks):
        def step(i):
            block = blocks[i % 12]
            check(driver.cuMemcpyHtoD(memory, block.ctypes.data, block.nbytes))
            check(driver.cuLaunchKernel(kernel, block.size // 256, 1, 1, 256, 1, 1,
                                        0, 0, pointers.ctypes.data, 0))
            check(driver.cuMemcpyDtoH(block.ctypes.data, memory, block.nbytes))
        return step
    return compare(lambda: None, 36, pageable=way(plain), pinned=way(pinned))


PROGRAMS = {f.__name__: f for f in (cupy_chunks, cupy_fft, jax_train, cuda_python)}
for name in sys.argv[1:] or PROGRAMS:
    try:
        print(json.dumps({name: PROGRAMS[name]()}), flush=True)
    except Exception as error:  # the other programs are timed all the same
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
