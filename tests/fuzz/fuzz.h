/* SPDX-License-Identifier: MIT */
/* The entries for libFuzzer, one in each fuzz_*.c, and what they share. */
#pragma once

#include "analyzer/import/import.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Feeds data to what the file tests. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct xs_result;

/* Prints a report in all formats, and aborts if a terminal must not get what is
 * printed. */
void xs_fuzz_render(struct xs_result *result);

/* Imports data and decodes what comes of it, which must have no defect. */
void xs_fuzz_import(xs_importer *importer, const uint8_t *data, size_t size);

/* Aborts unless the text is safe for a terminal. */
void xs_fuzz_check_safe(const char *text, size_t size);
