/* SPDX-License-Identifier: MIT */
#ifndef XS_TESTS_FUZZ_FUZZ_READER_H
#define XS_TESTS_FUZZ_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* Reads data as a trace, binary or text, runs every stage after the reader,
 * dumps it and parses the dump. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
