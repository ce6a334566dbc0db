/* SPDX-License-Identifier: MIT */
/* Reads device properties from the driver that the process has loaded. */
#pragma once

#include <stdint.h>

/* Writes the device records of a set of devices (one bit each) with the shared
 * writer. Returns those that were written: none before the driver is
 * initialised. Do not call in CUPTI callbacks. */
uint64_t xs_device_write(uint64_t devices);

/* Returns the driver's devices as a set, 0 before it is initialised. */
uint64_t xs_device_all(void);

/* Returns how many bytes of device memory there are from an address to the end
 * of its allocation, 0 if the current context has none there. */
uint64_t xs_device_memory_bytes(uint64_t address);

/* Returns the driver's version, 13000 for 13.0; 0 if unknown. */
int xs_device_driver_version(void);
