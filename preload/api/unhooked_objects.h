/* SPDX-License-Identifier: MIT */
/*
 * Objects that may call CUDA past our hooks: CUPTI's callbacks alone see these
 * calls, and while it is detached, or they are off, nobody does.
 */
#ifndef XS_PRELOAD_API_UNHOOKED_OBJECTS_H
#define XS_PRELOAD_API_UNHOOKED_OBJECTS_H

/*
 * The path of an object that was loaded by now and has a CUDA runtime linked
 * into it, or imports functions that hooks do not see; NULL: there was none.
 * Reads the files of objects that are new. Our own thread only, and none of the
 * others may wait for it: it takes the loader's lock.
 *
 * Not found: who takes the driver's functions from dlsym() or
 * cudaGetDriverEntryPoint(), a runtime that is linked into an object without
 * device code, and what lies in other namespaces of the loader.
 */
const char *xs_unhooked_objects_find(void);

#endif
