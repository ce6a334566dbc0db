# SPDX-License-Identifier: MIT
"""CuPy: an array of the host is summed up in chunks."""
import cupy
import numpy

from steps import main

CHUNKS, ELEMENTS = 8, 1 << 22


def on_host(pinned):
    count = CHUNKS * ELEMENTS
    if pinned:
        memory = cupy.cuda.alloc_pinned_memory(count * 4)
        data = numpy.frombuffer(memory, numpy.float32, count)
    else:
        data = numpy.empty(count, numpy.float32)
    data[:] = 1
    return data.reshape(CHUNKS, ELEMENTS)


def one_by_one(pinned):
    data = on_host(pinned)

    def step(_):
        total = 0.0
        for chunk in data:
            total += float(cupy.asarray(chunk).sum())
        assert total == CHUNKS * ELEMENTS
    return step, cupy.cuda.Device().synchronize


def streams():
    data = on_host(True)
    two = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    buffers = [cupy.empty(ELEMENTS, numpy.float32) for _ in range(2)]

    def step(_):
        sums = []
        for i, chunk in enumerate(data):
            with two[i % 2]:
                buffers[i % 2].set(chunk)
                sums.append(buffers[i % 2].sum())
        for stream in two:
            stream.synchronize()
        assert sum(float(s) for s in sums) == CHUNKS * ELEMENTS
    return step, cupy.cuda.Device().synchronize


main({"pageable": lambda: one_by_one(False),
      "pinned": lambda: one_by_one(True), "streams": streams})
