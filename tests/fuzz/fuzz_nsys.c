/* SPDX-License-Identifier: MIT */
/* An SQLite export of Nsight Systems. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xs_fuzz_import(xs_import_nsys, data, size);
	return 0;
}
