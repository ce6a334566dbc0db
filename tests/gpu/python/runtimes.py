# SPDX-License-Identifier: MIT
"""CUDA runtimes in one process, none of them visible to the others, and a
libcupti of its own, loaded before: runtimes.py [--cupti LIBCUPTI] LIBCUDART..."""
import argparse
import ctypes
import os

SIZE = 1 << 20
TIMES = 10


def check(result):
    if result:
        raise SystemExit(f"error {result}")


def load_cupti(path):
    cupti = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
    version = ctypes.c_uint32()
    check(cupti.cuptiGetVersion(ctypes.byref(version)))
    print(f"its own CUPTI: {version.value}")


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


parser = argparse.ArgumentParser()
parser.add_argument("--cupti")
parser.add_argument("cudarts", nargs="+")
args = parser.parse_args()
if args.cupti:
    load_cupti(args.cupti)
for cudart_path in args.cudarts:
    print(work(cudart_path))
moved = len(args.cudarts) * TIMES * SIZE
print(f"expect ops={2 * len(args.cudarts) * TIMES} h2d={moved} d2h={moved}")
