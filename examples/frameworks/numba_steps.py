# SPDX-License-Identifier: MIT
"""numba: arrays of numpy are given to a kernel in each step, which copies them
in and out; or stay on the device."""
import numpy

numpy.row_stack = numpy.vstack  # older numba asks for it
from numba import cuda

from steps import main

COUNT = 1 << 22


@cuda.jit
def relax(src, dst):
    i = cuda.grid(1)
    if 0 < i < src.size - 1:
        dst[i] = 0.25 * src[i - 1] + 0.5 * src[i] + 0.25 * src[i + 1]


def steps_of(resident):
    a = numpy.ones(COUNT, numpy.float32)
    b = numpy.ones(COUNT, numpy.float32)
    if resident:
        a, b = cuda.to_device(a), cuda.to_device(b)
    arrays = [a, b]

    def step(i):
        relax[COUNT // 256, 256](arrays[i % 2], arrays[1 - i % 2])
    return step, cuda.synchronize


main({"implicit": lambda: steps_of(False), "resident": lambda: steps_of(True)})
