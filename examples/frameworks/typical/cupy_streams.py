# SPDX-License-Identifier: MIT
"""CuPy: chunks in pinned memory on three streams, in and out at the same time."""
import cupy as cp
import cupyx
import numpy as np

CHUNKS, SIZE, STREAMS = 16, 1 << 21, 3
data = cupyx.empty_pinned((CHUNKS, SIZE), np.float32)
results = cupyx.empty_pinned((CHUNKS, SIZE), np.float32)
data[:] = np.random.default_rng(0).random((CHUNKS, SIZE), np.float32)
streams = [cp.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
buffers = [cp.empty(SIZE, np.float32) for _ in range(STREAMS)]
square = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * x + 1", "square")
for epoch in range(10):
    for i in range(CHUNKS):
        with streams[i % STREAMS] as stream:
            buffer = buffers[i % STREAMS]
            buffer.set(data[i], stream=stream)
            square(buffer, buffer)
            buffer.get(stream=stream, out=results[i], blocking=False)
    cp.cuda.Device().synchronize()
print(float(results.sum()))
