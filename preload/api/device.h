/* SPDX-License-Identifier: MIT */
/* What the driver, already loaded by the process, says of its devices. */
#ifndef XS_PRELOAD_API_DEVICE_H
#define XS_PRELOAD_API_DEVICE_H

#include <stdint.h>

/*
 * Writes the device record of each device of the set (a bit each) to the GPU
 * writer. Returns those that were written: none before the driver was
 * initialised. Not for callbacks.
 */
uint64_t xs_device_write(uint64_t devices);

/* The driver's devices as a set, 0 before it was initialised. */
uint64_t xs_device_all(void);

/* 13000 for 13.0; 0 when it is not known. */
int xs_device_driver_version(void);

#endif
