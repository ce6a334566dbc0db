/* SPDX-License-Identifier: MIT */
/* Which of the process's loaded objects bring a CUDA runtime. */
#ifndef XS_OBJECTS_H
#define XS_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Calls `write` with a line for each object that brings one: "dynamic:PATH" of
 * a libcudart, "static:PATH" of an object that has device code and needs no
 * libcudart. Reads the objects' section names from their files.
 */
void xs_objects_list_cudart(void (*write)(const char *line));

/* The soname of the libcudart that an object needs by itself, or NULL. Points
 * into the object. */
const char *xs_objects_needed_cudart(const struct link_map *map);

/* The path of each loaded libcudart, to `visit`, until that returns true. */
void xs_objects_each_cudart(bool (*visit)(const char *path, void *data),
			    void *data);

#endif
