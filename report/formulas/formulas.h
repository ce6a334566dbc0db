/* SPDX-License-Identifier: MIT */
/*
 * What `xferspy model` works out: the published equations on numbers alone,
 * for one machine, with others beside it. Times are ns, sizes bytes;
 * XS_UNKNOWN or NAN is not known.
 */
#ifndef XS_REPORT_FORMULAS_FORMULAS_H
#define XS_REPORT_FORMULAS_FORMULAS_H

#include "model/model.h"
#include "report/result/result.h"

#include <math.h>

/* What was asked. NAN: not given. */
struct xs_formulas_input {
	struct xs_workload work;
	double flops, memory_bytes; /* of the kernel; bytes of device memory */
	double blocks, operations;  /* ATGPU's k, and t of one block */
	double shared_bytes;	    /* of one block */
	unsigned streams;	    /* also exactly this n; 0: the best alone */
	const struct xs_machine *machines; /* the first is the one */
	size_t machine_count;
};

/* The bounds of van Werkhoven 2014, section III-A, in flops a second. */
struct xs_formulas_bounds {
	double data_intensity;	      /* flops a byte over the link */
	double operational_intensity; /* flops a byte of device memory */
	double zero_overlap, full_overlap, mapped;
};

/* The times to choose between. */
struct xs_formulas_choice {
	int64_t explicit_ns;  /* one copy each way */
	int64_t best_ns;      /* with copies: that, or streams */
	int64_t streams;      /* of best_ns; XS_UNKNOWN: no streams */
	const char *model;    /* that gives best_ns; static */
	int64_t mapped_ns;    /* each byte crosses the link once */
	bool mapped_measured; /* by rates of mapped memory, not of copies */
	double crossings;     /* of each byte at which that takes best_ns */
	int64_t hybrid_ns;    /* copies in, mapped writes out; the same */
};

#define XS_FORMULAS_NO_CHOICE                                                  \
	((struct xs_formulas_choice){.explicit_ns = XS_UNKNOWN,                \
				     .best_ns = XS_UNKNOWN,                    \
				     .streams = XS_UNKNOWN,                    \
				     .mapped_ns = XS_UNKNOWN,                  \
				     .crossings = NAN,                         \
				     .hybrid_ns = XS_UNKNOWN})

/* The same workload on another machine. */
struct xs_formulas_comparison {
	const char *name;
	int64_t kernel_ns;	/* there */
	const char *kernel_why; /* how that follows from the first machine's */
	struct xs_formulas_choice choice;
	struct xs_result_estimate *estimates;
	size_t estimate_count;
};

struct xs_formulas_result {
	struct xs_machine machine;
	/* one round: bytes where given, else XS_UNKNOWN; times by G where not
	 * given, XS_UNKNOWN where G is not known either */
	int64_t h2d_bytes, d2h_bytes, h2d_ns, d2h_ns, kernel_ns;
	bool kernel_from_atgpu; /* kernel_ns is ATGPU's, none was given */
	struct xs_result_estimate *estimates;
	size_t estimate_count;
	struct xs_formulas_choice choice;
	int64_t few_streams;	/* the fewest within 1 % of best_ns */
	int64_t faster_link_ns; /* best_ns over a link twice as fast */
	int64_t faster_gpu_ns;	/* ... with a kernel twice as fast */
	bool has_bounds;
	struct xs_formulas_bounds bounds;
	struct xs_formulas_comparison *compared;
	size_t compared_count;
	const char **answers; /* sentences */
	size_t answer_count;
	struct xs_result base; /* of no trace; its arena owns what all of the
				* above points to */
};

#endif
