/* SPDX-License-Identifier: MIT */
/* Chooses the profile of a traced machine: the user's calibration of it, or the
 * shipped profile of its GPU model. */
#pragma once

#include "model/machine/machine.h"

/* The machine of a trace. NULL or 0: unknown. */
struct xs_machine_identity {
	const char *gpu, *uuid, *host;
	int pcie_gen, pcie_width;
};

enum xs_machine_origin {
	XS_MACHINE_GIVEN,      /* by --machine, not known to be of this one */
	XS_MACHINE_CALIBRATED, /* by the user, on this GPU and host */
	XS_MACHINE_SHIPPED,    /* for this GPU model and link */
	XS_MACHINE_FITTED      /* to the trace */
};

/*
 * Stores in path where the user's calibration of that GPU on that host is kept:
 * in $XDG_DATA_HOME/xferspy or ~/.local/share/xferspy. Returns 0, -ENOENT if
 * the UUID, the host or the home folder is unknown, or -ENAMETOOLONG.
 */
int xs_machine_own_path(const char *uuid, const char *host, char *path,
			size_t size);

/*
 * Loads the best profile for the machine into *out: the user's calibration, or
 * else the shipped profile. If there is neither, *out is unchanged and the
 * result is XS_MACHINE_FITTED. why (of size bytes) says why the choices before
 * it were not taken. Returns the origin.
 */
enum xs_machine_origin
xs_machine_choose(const struct xs_machine_identity *machine,
		  struct xs_machine *out, char *why, size_t size);

/*
 * Returns where a profile of --machine is from: XS_MACHINE_SHIPPED if it was
 * measured and named, XS_MACHINE_CALIBRATED if it was measured on this machine,
 * otherwise XS_MACHINE_GIVEN. *mismatch: why it is of another machine; NULL if
 * that is not known.
 */
enum xs_machine_origin
xs_machine_origin_of(const struct xs_machine *given,
		     const struct xs_machine_identity *machine,
		     const char **mismatch);

/* Widens the ranges of another machine's calibration by the measured
 * differences between machines of one model (docs/models.md). */
void xs_machine_widen(struct xs_machine *machine);

/* Returns whether the profile may belong to that GPU; true if either name is
 * unknown. Profiles may omit the vendor. */
bool xs_machine_is_of_gpu(const struct xs_machine *machine, const char *gpu);
