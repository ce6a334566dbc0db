# SPDX-License-Identifier: MIT
"""cuda-python: a kernel compiled by NVRTC, on blocks of an array of numpy."""
import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void scale(float *x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = a * x[i] + 1;
}
"""


def check(result):
    if int(result[0]):
        raise RuntimeError(result[0])
    return result[1] if len(result) == 2 else result[1:]


check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
context = check(driver.cuDevicePrimaryCtxRetain(device))
check(driver.cuCtxSetCurrent(context))
program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"scale.cu", 0, [], []))
check(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=compute_80"]))
ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
check(nvrtc.nvrtcGetPTX(program, ptx))
module = check(driver.cuModuleLoadData(np.char.array(ptx).ctypes.data))
kernel = check(driver.cuModuleGetFunction(module, b"scale"))
blocks = np.random.default_rng(0).random((12, 1 << 21), np.float32)
memory = check(driver.cuMemAlloc(blocks[0].nbytes))
arguments = [np.array([int(memory)], np.uint64), np.array([0.5], np.float32),
             np.array([blocks[0].size], np.int32)]
pointers = np.array([argument.ctypes.data for argument in arguments], np.uint64)
if __name__ == "__main__":
    for i in range(36):
        block = blocks[i % 12]
        check(driver.cuMemcpyHtoD(memory, block.ctypes.data, block.nbytes))
        check(driver.cuLaunchKernel(kernel, block.size // 256, 1, 1, 256, 1, 1, 0, 0,
                                    pointers.ctypes.data, 0))
        check(driver.cuMemcpyDtoH(block.ctypes.data, memory, block.nbytes))
    check(driver.cuMemFree(memory))
    print(float(blocks.mean()))
