/* SPDX-License-Identifier: MIT */
/* The device's timeline: where an operation goes and how long it lasts. */
#ifndef XS_SIM_MODEL_H
#define XS_SIM_MODEL_H

#include "tests/sim/internal.h"

enum xs_sim_engine_id {
	XS_SIM_ENGINE_H2D,
	XS_SIM_ENGINE_D2H,
	XS_SIM_ENGINE_SM,
	XS_SIM_ENGINES,
	XS_SIM_ENGINE_NONE, /* waits for its stream alone */
};

/* One stretch of work without a pause, as far as it is known. */
struct xs_sim_engine {
	uint64_t busy_from_ns, free_ns;
};

struct xs_sim_model {
	struct xs_sim_engine engines[XS_SIM_ENGINES];
	uint64_t end_ns;	  /* of everything placed so far */
	uint64_t blocking_end_ns; /* of streams that the legacy one waits for */
	uint64_t legacy_end_ns;
	uint64_t kernel_end_ns; /* of all kernels */
};

struct xs_sim_span {
	uint64_t start_ns, end_ns;
};

/*
 * Places an operation that has been performed in spent_ns; work is what a
 * kernel did. Calls must come in issue order. Updates the model and the
 * operation's stream.
 */
struct xs_sim_span xs_sim_place(struct xs_sim_model *model,
				const struct xs_sim_op *op, uint64_t spent_ns,
				struct xs_sim_work work);

#endif
