# SPDX-License-Identifier: MIT
"""Two CUDA runtimes in one process, neither visible to the other:
two_runtimes.py LIBCUDART LIBCUDART"""
import ctypes
import os
import sys

SIZE = 1 << 20
TIMES = 10


def check(result):
    if result:
        raise SystemExit(f"error {result}")


def work(path):
    cudart = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    source, target = os.urandom(SIZE), ctypes.create_string_buffer(SIZE)
    device = ctypes.c_void_p()
    check(cudart.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(SIZE)))
    for _ in range(TIMES):
        check(cudart.cudaMemcpy(device, source, ctypes.c_size_t(SIZE), 1))
        check(cudart.cudaMemcpy(target, device, ctypes.c_size_t(SIZE), 2))
    check(cudart.cudaFree(device))
    return target.raw == source


for path in sys.argv[1:]:
    print(work(path))
runtimes = len(sys.argv) - 1
print(f"expect h2d={runtimes * TIMES * SIZE} d2h={runtimes * TIMES * SIZE}")
