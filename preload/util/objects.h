/* SPDX-License-Identifier: MIT */
/* Which of the process's loaded objects bring a CUDA runtime. */
#ifndef XS_PRELOAD_UTIL_OBJECTS_H
#define XS_PRELOAD_UTIL_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Calls `write` with a line for each object that brings one: "dynamic:PATH" of
 * a libcudart, "static:PATH" of an object that has one linked into it. Reads
 * the objects' section names from their files.
 */
void xs_objects_list_cudart(void (*write)(const char *line));

/* The loader's list of objects, the program first. Others may change it: with
 * the loader's lock held, or as objects.c has it. */
const struct link_map *xs_objects_first(void);

/* The path of its file. */
const char *xs_objects_path(const struct link_map *map);

/* The strings that its dynamic section and symbols are named by; NULL: its
 * tables are not to be read in memory. */
const char *xs_objects_strings(const struct link_map *map);

/* Whether the file, of an object, has code for GPUs in it. */
bool xs_objects_has_device_code(const char *path);

/* Whether an object has a runtime linked into it, if its file has code for
 * GPUs: it needs no libcudart, and registers its code with nobody else's
 * runtime. */
bool xs_objects_may_bring_cudart(const struct link_map *map);

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

/* Whether a libcudart is loaded, and calls of it come to our hooks first. */
bool xs_objects_are_hooked(void);

/* Whether the program itself brings a runtime, linked statically. Reads its
 * file. */
bool xs_objects_program_brings_cudart(void);

/* The same, and no other object seems to bring one. Reads all their files. */
bool xs_objects_program_alone_brings_cudart(void);

/* The path of each `library` that is loaded, to `visit`, until that returns
 * true. */
void xs_objects_each(const char *library,
		     bool (*visit)(const char *path, void *data), void *data);

#endif
