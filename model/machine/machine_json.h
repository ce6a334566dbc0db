/* SPDX-License-Identifier: MIT */
/* A machine profile's JSON form: one table of keys reads and writes it. */
#ifndef XS_MODEL_MACHINE_MACHINE_JSON_H
#define XS_MODEL_MACHINE_MACHINE_JSON_H

#include "model/machine/machine.h"

#define XS_PROFILE_SCHEMA 1

/* One line a member: M(member). In the order in which they are written. */
#define XS_MACHINE_TEXTS(M)                                                    \
	M(name) M(source) M(gpu) M(cpu) M(driver) M(date) M(notes)
#define XS_MACHINE_INTS(M)                                                     \
	M(copy_engines)                                                        \
	M(pcie_gen)                                                            \
	M(pcie_width)                                                          \
	M(sm_count)                                                            \
	M(max_threads_per_sm)                                                  \
	M(max_blocks_per_sm)                                                   \
	M(registers_per_sm) M(shared_per_sm_bytes) M(passes)
#define XS_MACHINE_REALS(M)                                                    \
	M(clock_khz) M(memory_bytes) M(memory_bandwidth) M(peak_flops)

/*
 * Reads the file into *machine, which xs_machine_init has been called on.
 * Keys that are not known are passed over; a key that is missing or null is
 * unknown. 0 or -errno; error (of error_size bytes) says what, why and what
 * to do.
 */
int xs_machine_read_json(const char *path, struct xs_machine *machine,
			 char *error, size_t error_size);

#endif
