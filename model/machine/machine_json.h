/* SPDX-License-Identifier: MIT */
/* The JSON form of a machine profile. One table of keys serves reading and
 * writing. */
#pragma once

#include "model/machine/machine.h"

#include <jansson.h>

#define XS_PROFILE_SCHEMA 1

/* M(member) for each member, in the order of the file. */
#define XS_MACHINE_TEXTS(M)                                                    \
	M(name)                                                                \
	M(source) M(gpu) M(cpu) M(driver) M(uuid) M(host) M(date) M(notes)
#define XS_MACHINE_INTS(M)                                                     \
	M(copy_engines)                                                        \
	M(pcie_gen)                                                            \
	M(pcie_width)                                                          \
	M(sm_count)                                                            \
	M(max_threads_per_sm)                                                  \
	M(max_blocks_per_sm)                                                   \
	M(registers_per_sm) M(shared_per_sm_bytes) M(l2_bytes) M(passes)
#define XS_MACHINE_REALS(M)                                                    \
	M(clock_khz) M(memory_bytes) M(memory_bandwidth) M(peak_flops)

/*
 * Reads the file into *machine, which xs_machine_init() has initialised.
 * Ignores unknown keys; a missing or null key is unknown. Returns 0 or -errno;
 * error (of error_size bytes) says what is wrong and what to do.
 */
int xs_machine_read_json(const char *path, struct xs_machine *machine,
			 char *error, size_t error_size);

/* Returns the profile as an object, which the caller owns. */
json_t *xs_machine_json(const struct xs_machine *machine);
