/* SPDX-License-Identifier: MIT */
/* Events in the format of Chrome, plain or compressed. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xs_fuzz_import(xs_import_chrome, data, size);
	return 0;
}
