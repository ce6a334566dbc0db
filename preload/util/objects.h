/* SPDX-License-Identifier: MIT */
/* Objects that the process has loaded, from the loader's list. */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns the loader's entry of the executable. The entries after it may change
 * unless the loader's lock is held. */
const struct link_map *xs_objects_program(void);

/* Path of the executable. */
#define XS_OBJECTS_PROGRAM "/proc/self/exe"

/* Returns the string table of the object's dynamic section and symbols; NULL if
 * its tables cannot be read in memory. */
const char *xs_objects_strings(const struct link_map *map);

/* Libraries of any version: the prefixes of their file names. */
#define XS_CUDART_LIBRARY "libcudart.so"
#define XS_CUPTI_LIBRARY  "libcupti.so"
#define XS_DRIVER	  "libcuda.so.1"

/* Returns whether the file name of `path` begins with `library`. */
bool xs_objects_is_library(const char *path, const char *library);

/* Returns whether the object's path or soname is `name`. */
bool xs_objects_has_name(const struct link_map *map, const char *name);

/* Returns the soname of the `library` that the object itself needs, or NULL.
 * Points into the object. */
const char *xs_objects_needed(const struct link_map *map, const char *library);

/* Returns whether any loaded object needs the `library`. Takes the loader's
 * lock. */
bool xs_objects_any_needs(const char *library);

/*
 * Returns the loader's entry of the object that contains the address, NULL if
 * there is none. From glibc 2.35 on this takes no lock and reads no symbols.
 * Older glibc uses dladdr(), which compares all symbols of the object and waits
 * for the constructors of a library that another thread loads.
 */
const struct link_map *xs_objects_at(const void *address);

/*
 * Returns a handle of CUDA's driver with a reference to it; NULL if it is not
 * loaded yet. Does not call dlopen() in that case: dlopen() would read the
 * loader's cache of files, and a child that another thread forks meanwhile
 * crashes in its own next dlopen() (glibc 2.36). Takes the loader's lock.
 */
void *xs_objects_driver(void);

/* A symbol, and the pointer that gets its address. */
struct xs_symbol {
	void *slot; /* stays as it is if there is no such symbol */
	const char *name;
	bool is_optional;
};

/* Looks up symbols of a handle of dlopen(). Returns the name of the first one
 * that is missing and not optional, or NULL. Takes the loader's lock. */
const char *xs_objects_symbols(void *library, const struct xs_symbol *symbols,
			       size_t count);

/* A loaded object. Another thread may unload it at any time. */
struct xs_loaded_object {
	const struct link_map *map; /* identifies it; do not read it */
	const char *path;	    /* a copy */
};

/* Calls `visit` with each loaded `library`, or with each object if that is
 * NULL, until it returns true. The executable comes first. The loader's list is
 * copied before, so `visit` may load libraries and read files. */
void xs_objects_each(const char *library,
		     bool (*visit)(const struct xs_loaded_object *object,
				   void *data),
		     void *data);

/* Returns ask() of the object, false if it was unloaded. ask() is called with
 * the loader's lock held. */
bool xs_objects_ask(const struct xs_loaded_object *object,
		    bool (*ask)(const struct link_map *map));
