/* SPDX-License-Identifier: MIT */
/*
 * The table of strategies. Each strategy is one file, strategy_<name>.c, which
 * defines the descriptor xs_strategy_<name>, and one row of the list in
 * strategies.c. The descriptor holds all that the rest of the program has to
 * know about the strategy.
 */
#pragma once

#include "model/formulas/estimates.h"
#include "model/machine/machine.h"

struct xs_batch_way;
struct xs_strategy_case;

/* What a strategy needs of the trace and of the machine profile. Without it
 * the strategy abstains and says why. */
enum xs_strategy_need {
	XS_NEEDS_STEPS = 1,	 /* the phase has recorded steps */
	XS_NEEDS_COPIES = 2,	 /* between host and device */
	XS_NEEDS_GPU_TIMES = 4,	 /* of all copies and kernels */
	XS_NEEDS_UNMANAGED = 8,	 /* no managed memory */
	XS_NEEDS_KERNEL = 16,	 /* at least one kernel */
	XS_NEEDS_ONE_STAGE = 32, /* no kernel uses another one's results */
	/* the machine's L+o and G in both directions */
	XS_NEEDS_COPY_RATES = 64,
	/* all that a strategy which changes copies usually needs */
	XS_NEEDS_TIMED_COPIES =
	    XS_NEEDS_COPIES | XS_NEEDS_GPU_TIMES | XS_NEEDS_UNMANAGED,
};

/* What rows need that change copies of memory of an unknown kind. */
#define XS_NEEDS_PINNED                                                        \
	"the host memory is pinned, which the trace does not tell"

/* What a strategy changes. A strategy that changes all that another one does
 * includes it. */
enum xs_strategy_change {
	XS_CHANGES_PINNING = 1,	    /* copies use pinned memory */
	XS_CHANGES_ORDER = 2,	    /* copies overlap kernels */
	XS_CHANGES_SIZES = 4,	    /* fewer, larger copies */
	XS_CHANGES_TRAFFIC = 8,	    /* data stays on the device */
	XS_CHANGES_ALLOCATION = 16, /* no allocations in rounds */
	XS_CHANGES_HOST = 32,	    /* the host works while it would wait */
	XS_CHANGES_LAUNCHES = 64,   /* fewer launches */
	/* changes that are of no use where data stays on the device */
	XS_CHANGES_COPIES =
	    XS_CHANGES_PINNING | XS_CHANGES_ORDER | XS_CHANGES_SIZES,
};

/* Languages of the lines in xs_strategy.code. */
enum xs_language {
	XS_LANGUAGE_CUDA,
	XS_LANGUAGE_PYTORCH,
	XS_LANGUAGE_JAX,
	XS_LANGUAGE_CUPY,
	XS_LANGUAGE_NUMBA,
	XS_LANGUAGE_OPENMP, /* or OpenACC, where the runtime copies */
	XS_LANGUAGES
};

/* Which self-check of the machine profile shows the error of the strategy's
 * replay: XS_CHECK_NONE, or XS_CHECK_<family>. */
#define XS_CHECK_ID(family) XS_CHECK_##family,
enum xs_check_family { XS_CHECK_NONE, XS_MACHINE_FAMILIES(XS_CHECK_ID) };
#undef XS_CHECK_ID

struct xs_strategy {
	const char *id;	       /* stable: it stands in every output */
	enum xs_effort effort; /* what it asks of the programmer */
	unsigned needs;	       /* enum xs_strategy_need, or-ed */
	unsigned changes;      /* enum xs_strategy_change, or-ed */
	unsigned spares;       /* changes that it makes needless, or-ed */
	enum xs_check_family check;
	/* How far its time is off between programs, relative to the round:
	 * between_programs.h. */
	double error;
	bool keeps_allocations; /* its rounds still allocate and free */
	bool keeps_copies; /* pageable copies remain in its plan, which has them
			    * by xs_another_run() */
	bool changes_allocations; /* the call sites to change are those that
				   * allocate and free, not those that copy */
	bool changes_launches;	  /* ... those that copy or launch */
	bool changes_inputs;	  /* ... those that copy to the device */
	/* ... those of a direction with so many copies in a round */
	unsigned least_copies;
	/* How xs_batch_direct_build() merges copies; of its strategies alone */
	const struct xs_batch_way *batch_way;
	/* Appends the strategy's rows. */
	void (*build)(const struct xs_strategy_case *c,
		      struct xs_estimates *out);
	/*
	 * What the programmer should do, in one sentence. The report replaces
	 * each {name} that value_of() in report/plan/advice_text.c knows.
	 */
	const char *advice;
	/* The same in a few words, as an imperative; NULL: none. */
	const char *first;
	/* Used instead of advice and first by estimates that say so; NULL:
	 * none. */
	const char *other_advice, *other_first;
	/* Used instead of advice if the round already works in another number
	 * of pieces; NULL: none. */
	const char *advice_if_in_pieces;
	/* At most three lines to write there, by language; NULL: none. A line
	 * that begins with {apart} or {joined} is of parts that are apart in
	 * host memory, or that follow each other, and one
	 * that begins with {in} or {out} is left out unless pageable memory is
	 * copied that way. */
	const char *code[XS_LANGUAGES];
};

/* The strategies in the order of the report. The first is as-is. */
extern const struct xs_strategy *const xs_strategies[];
extern const size_t xs_strategy_count;

/* Returns the strategy of a row by its id, such as "pinned" or
 * "machine:h200"; NULL when there is none. */
const struct xs_strategy *xs_strategy_find(const char *id);

/* Returns whether the outer change has all of the inner one, or makes it
 * needless. */
bool xs_strategy_includes(const struct xs_strategy *outer,
			  const struct xs_strategy *inner);

/* Returns whether the changes have nothing to do with each other, so that each
 * saves beside the other what it saves alone. */
bool xs_strategy_are_apart(const struct xs_strategy *a,
			   const struct xs_strategy *b);
