/* SPDX-License-Identifier: MIT */
/* The device's timeline: start and duration of operations. */
#pragma once

#include "tests/sim/internal.h"

enum xs_sim_engine_id {
	XS_SIM_ENGINE_H2D,
	XS_SIM_ENGINE_D2H,
	XS_SIM_ENGINE_SM,
	XS_SIM_ENGINES,
	XS_SIM_ENGINE_NONE, /* waits for its stream only */
};

/* One interval of continuous work, as far as known. */
struct xs_sim_engine {
	uint64_t busy_from_ns, free_ns;
};

struct xs_sim_model {
	struct xs_sim_engine engines[XS_SIM_ENGINES];
	uint64_t end_ns;	  /* end of everything placed so far */
	uint64_t blocking_end_ns; /* the same for blocking streams */
	uint64_t legacy_end_ns;
	uint64_t kernel_end_ns; /* end of all kernels */
};

struct xs_sim_span {
	uint64_t start_ns, end_ns;
};

/* Places an operation that was performed in spent_ns; work: what a kernel did.
 * Call in issue order. Updates the model and the operation's stream. */
struct xs_sim_span xs_sim_place(struct xs_sim_model *model,
				const struct xs_sim_op *op, uint64_t spent_ns,
				struct xs_sim_work work);
