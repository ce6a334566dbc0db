/* SPDX-License-Identifier: MIT */
/* Finds objects that may call CUDA without passing our hooks. Only CUPTI's
 * callbacks see such calls; while CUPTI is detached or its callbacks are off,
 * they are missed. */
#ifndef XS_PRELOAD_API_UNHOOKED_OBJECTS_H
#define XS_PRELOAD_API_UNHOOKED_OBJECTS_H

/*
 * Returns the path of a loaded object that has a CUDA runtime linked into it,
 * or imports functions that hooks do not see; NULL if there is none. Reads the
 * files of new objects. Call from the collector thread only, while no other
 * thread waits for it: it takes the loader's lock.
 *
 * Not detected: programs that get driver functions from dlsym() or
 * cudaGetDriverEntryPoint(), a runtime linked into an object without device
 * code, and objects in other namespaces of the loader.
 */
const char *xs_unhooked_objects_find(void);

#endif
