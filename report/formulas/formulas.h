/* SPDX-License-Identifier: MIT */
/*
 * Results of `xferspy model`: the published equations evaluated from numbers.
 * Times are in ns, sizes in bytes; XS_UNKNOWN or NAN means unknown.
 */
#pragma once

#include "model/formulas/closed_form_klenk.h"
#include "model/strategies/model.h"
#include "report/result/result.h"

#include <math.h>

/* The input. NAN: not given. */
struct xs_formulas_input {
	struct xs_workload work;
	double flops, memory_bytes; /* of the kernel */
	double blocks, operations;  /* ATGPU's k, and t of one block */
	double shared_bytes;	    /* of one block */
	unsigned streams;	    /* also this n; 0: the best n only */
	bool control;		    /* who starts the transfers, only */
	bool peer;		    /* control: between two GPUs */
	unsigned connections;	    /* control: blocks; 0: the best */
	const struct xs_machine *machine;
};

/* Upper bounds of van Werkhoven 2014, section III-A, in flops per second. */
struct xs_formulas_bounds {
	double data_intensity;	      /* flops per byte over the link */
	double operational_intensity; /* flops per byte of device memory */
	double zero_overlap, full_overlap, mapped;
};

/* The alternatives and their times. */
struct xs_formulas_choice {
	int64_t explicit_ns; /* one copy each way */
	int64_t best_ns;     /* with copies: explicit_ns, or streams */
	int64_t streams;     /* of best_ns; XS_UNKNOWN: no streams */
	const char *model;   /* of best_ns; static */
	int64_t mapped_ns;   /* if each byte crosses the link as often as
			      * given, else once */
	bool crossings_given;
	bool mapped_measured; /* at mapped rates, not at copy rates */
	double crossings;     /* per byte, for mapped to take best_ns */
	int64_t hybrid_ns;    /* copies in, mapped writes out */
};

#define XS_FORMULAS_NO_CHOICE                                                  \
	((struct xs_formulas_choice){.explicit_ns = XS_UNKNOWN,                \
				     .best_ns = XS_UNKNOWN,                    \
				     .streams = XS_UNKNOWN,                    \
				     .mapped_ns = XS_UNKNOWN,                  \
				     .crossings = NAN,                         \
				     .hybrid_ns = XS_UNKNOWN})

struct xs_formulas_result {
	struct xs_machine machine;
	/* of one round; bytes are XS_UNKNOWN if not given, times are computed
	 * from G if not given and XS_UNKNOWN without G */
	int64_t h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
	bool kernel_from_atgpu; /* kernel_ns is from ATGPU */
	struct xs_result_estimate *estimates;
	size_t estimate_count;
	struct xs_formulas_choice choice;
	int64_t few_streams;	/* fewest streams within 1 % of best_ns */
	int64_t faster_link_ns; /* best_ns with a link twice as fast */
	int64_t faster_gpu_ns;	/* best_ns with a kernel twice as fast */
	bool has_bounds;
	struct xs_formulas_bounds bounds;
	/* who starts the transfers, for each direction with bytes */
	struct xs_control_estimate control[2 * XS_CONTROL_ROWS];
	size_t control_count;
	bool peer;	      /* of control: between two GPUs */
	unsigned connections; /* of control; 0: the best of each way */
	const char **answers; /* sentences */
	size_t answer_count;
	struct xs_result base; /* its arena owns everything above */
};
