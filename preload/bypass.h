/* SPDX-License-Identifier: MIT */
/*
 * Objects that may call CUDA past our hooks: CUPTI's callbacks alone see these
 * calls, and while it is detached, or they are off, nobody does.
 */
#ifndef XS_BYPASS_H
#define XS_BYPASS_H

/*
 * The path of an object that is loaded and has a CUDA runtime linked into it,
 * or imports functions of the driver that are recorded; NULL: there is none.
 * Valid until the next call. Reads the files of all objects, and again when
 * others were loaded; takes the loader's lock. Our own thread only.
 *
 * Not found: who takes the driver's functions from dlsym() or
 * cudaGetDriverEntryPoint().
 */
const char *xs_bypass_object(void);

#endif
