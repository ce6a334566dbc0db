/* SPDX-License-Identifier: MIT */
/* Which of the process's loaded objects bring a CUDA runtime. */
#ifndef XS_PRELOAD_UTIL_CUDART_OBJECTS_H
#define XS_PRELOAD_UTIL_CUDART_OBJECTS_H

#include <link.h>
#include <stdbool.h>

/*
 * Calls `write` with a line for each object that brings one: "dynamic:PATH" of
 * a libcudart, "static:PATH" of an object that has one linked into it. Reads
 * the objects' section names from their files.
 */
void xs_cudart_objects_list(void (*write)(const char *line));

/* Whether the file, of an object, has code for GPUs in it. */
bool xs_cudart_objects_has_device_code(const char *path);

/* Whether an object has a runtime linked into it, if its file has code for
 * GPUs: it needs no libcudart, and registers its code with nobody else's
 * runtime. */
bool xs_cudart_objects_may_bring(const struct link_map *map);

/* Whether a libcudart is loaded, and calls of it come to our hooks first. */
bool xs_cudart_objects_are_hooked(void);

/* Whether the program itself brings a runtime, linked statically. Reads its
 * file. */
bool xs_cudart_objects_program_brings(void);

#endif
