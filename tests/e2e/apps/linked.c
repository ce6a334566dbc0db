/* SPDX-License-Identifier: MIT */
/* Makes a program import a copy of the driver, as one does that calls it. */
#include <cuda.h>

CUresult (*xs_linked)(CUdeviceptr to, const void *from,
		      size_t bytes) = cuMemcpyHtoD;
