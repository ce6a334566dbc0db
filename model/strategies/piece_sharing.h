/* SPDX-License-Identifier: MIT */
/* What the pieces of a round need of each other's data. */
#pragma once

#include "model/replay/round_work.h"

/*
 * What the pieces share of their input, judged by how often the kernel reads
 * each byte past the L1 caches: nothing; the parts of their neighbours (a
 * stencil's halo); or all copies except one.
 */
enum xs_sharing { XS_SHARE_NOTHING, XS_SHARE_NEIGHBOURS, XS_SHARE_ALL };

/* Returns what pieces share of the copies in. shares: if that was not counted,
 * as much as possible. */
enum xs_sharing xs_sharing_of_input(const struct xs_round_work *work,
				    bool shares);

/* Returns what a piece of stage s > 0 uses of the previous stage. It may read
 * the copies in as well as the results of that stage. */
enum xs_sharing xs_sharing_of_stage(const struct xs_round_work *work,
				    unsigned s);
