/* SPDX-License-Identifier: MIT */
/* Files that are found from the place of the running program, so that an
 * installation can be moved as a whole. */
#ifndef XS_MODEL_MACHINE_PROGRAM_PATH_H
#define XS_MODEL_MACHINE_PROGRAM_PATH_H

#include <stddef.h>

/* Stores "FOLDER/relative", where FOLDER holds the running program. Returns 0
 * or -errno. */
int xs_program_path(const char *relative, char *path, size_t size);

#endif
