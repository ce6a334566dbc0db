/* SPDX-License-Identifier: MIT */
/* Files that are found from the place of the running program, so that an
 * installation can be moved as a whole. */
#pragma once

#include <stddef.h>

/* Stores "FOLDER/relative", where FOLDER holds the running program. Returns 0
 * or -errno. */
int xs_program_path(const char *relative, char *path, size_t size);
