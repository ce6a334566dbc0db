/* SPDX-License-Identifier: MIT */
/* A machine profile's JSON form: one table of keys reads and writes it. */
#ifndef XS_MACHINE_JSON_H
#define XS_MACHINE_JSON_H

#include "model/machine.h"

/*
 * Reads the file into *machine, which xs_machine_init has been called on.
 * Keys that are not known are passed over; a key that is missing or null is
 * unknown. 0 or -errno; error (of error_size bytes) says what, why and what
 * to do.
 */
int xs_machine_read_json(const char *path, struct xs_machine *machine,
			 char *error, size_t error_size);

#endif
