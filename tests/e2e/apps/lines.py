# SPDX-License-Identifier: MIT
"""Calls CUDA from lines that python.sh finds by their comments: "at NAME".

lines.py WRAPPER: by ctypes, straight into the runtime, which only CUPTI's
callbacks see, and through a library that calls it, which hooks see.
"""
import ctypes
import os
import sys
import threading

import package  # a module in site-packages

cuda = ctypes.CDLL(os.environ["XS_CUDART"])
wrapper = ctypes.CDLL(sys.argv[1])
SIZE = ctypes.c_size_t(65536)
host = ctypes.create_string_buffer(65536)
device = ctypes.c_void_p()


def upload():
    return cuda.cudaMemcpy(device, host, SIZE, 1)  # at upload


def two_lines():
    first = cuda.cudaMemset(device, 0, SIZE)  # at first
    second = cuda.cudaMemset(device, 0, SIZE)  # at second
    return first + second


def download():
    return cuda.cudaMemcpy(  # at download
        host,
        device, SIZE,
        2)  # at last


def by_hook():
    return wrapper.wrapped_upload(device, host, SIZE)  # at hooked


class Model:
    def steps(self):
        for _ in range(3):
            yield upload() + two_lines()  # at step

    def forward(self):
        return sum(self.steps())


def nothing_but_lock():
    # PyDLL holds the GIL during the call.
    locked = ctypes.PyDLL(os.environ["XS_CUDART"])
    return locked.cudaMemcpy(device, host, SIZE, 1)  # at locked


def recurse(depth):
    return recurse(depth - 1) if depth else upload()


def run():
    failed = Model().forward() + download() + by_hook() + nothing_but_lock()
    failed += recurse(100)
    failed += package.call(upload, cuda, device, SIZE)  # at package
    exec("cuda.cudaMemcpy(device, host, SIZE, 1)")  # at string
    # A code object at the address of one that was freed.
    for i in range(3):
        code = "\n" * i + "f = cuda.cudaStreamCreate(ctypes.byref(stream))"
        scope = {"cuda": cuda, "ctypes": ctypes, "stream": ctypes.c_void_p()}
        exec(compile(code, "<cell %d>" % i, "exec"), scope)
        failed += scope["f"]
    if failed:
        sys.exit("a call failed")


cuda.cudaMalloc(ctypes.byref(device), SIZE)
run()
threads = [threading.Thread(target=run) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
