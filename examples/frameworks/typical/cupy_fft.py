# SPDX-License-Identifier: MIT
"""CuPy: filters recordings in the frequency domain, one after the other."""
import cupy as cp
import numpy as np

rng = np.random.default_rng(0)
recordings = [rng.random((64, 32768), np.float32) for _ in range(6)]
keep = cp.asarray(np.linspace(1, 0, 16385, dtype=np.float32))
filtered = []
for i in range(36):
    spectrum = cp.fft.rfft(cp.asarray(recordings[i % 6]), axis=1)
    filtered.append(cp.asnumpy(cp.fft.irfft(spectrum * keep, axis=1)))
print(sum(float(part[0, 0]) for part in filtered))
