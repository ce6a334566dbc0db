/* SPDX-License-Identifier: MIT */
/* The objects that the process has loaded, from the loader's list. */
#ifndef XS_PRELOAD_UTIL_OBJECTS_H
#define XS_PRELOAD_UTIL_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* The loader's list of objects, the program first. Others may change it: with
 * the loader's lock held, or as objects.c has it. */
const struct link_map *xs_objects_first(void);

/* The path of its file. */
const char *xs_objects_path(const struct link_map *map);

/* The strings that its dynamic section and symbols are named by; NULL: its
 * tables are not to be read in memory. */
const char *xs_objects_strings(const struct link_map *map);

/* Libraries of any version, by how the names of their files begin. */
#define XS_CUDART_LIBRARY "libcudart.so"
#define XS_CUPTI_LIBRARY  "libcupti.so"
#define XS_DRIVER	  "libcuda.so.1"

/* Whether the file is one of `library`. */
bool xs_objects_is(const char *path, const char *library);

/* The soname of the `library` that an object needs by itself, or NULL. Points
 * into the object. */
const char *xs_objects_needed(const struct link_map *map, const char *library);

/* Whether any object that is loaded needs the `library`. Takes the loader's
 * lock. */
bool xs_objects_any_needs(const char *library);

/*
 * The loader's entry of the object that has the address; NULL: in none. From
 * glibc 2.35 on without a lock, and without a look at symbols: dladdr(), which
 * it is elsewhere, compares all of the object's, and waits for the constructors
 * of a library that another thread loads.
 */
const struct link_map *xs_objects_at(const void *address);

/*
 * A handle of CUDA's driver, with a reference to it; NULL: it is not loaded,
 * and may come later. There dlopen() would look into the loader's cache of
 * files, and a child that is forked by another thread meanwhile crash in its
 * own next dlopen() (glibc 2.36). Takes the loader's lock.
 */
void *xs_objects_driver(void);

/* The path of each `library` that is loaded, to `visit`, until that returns
 * true. */
void xs_objects_each(const char *library,
		     bool (*visit)(const char *path, void *data), void *data);

#endif
