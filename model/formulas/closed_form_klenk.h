/* SPDX-License-Identifier: MIT */
/* Who starts a transfer on a machine: Klenk, Oden and Froening 2014. */
#pragma once

#include "model/formulas/klenk.h"
#include "model/machine/machine.h"

#include <stdbool.h>

/* Messages in one direction. */
struct xs_control_question {
	double bytes;	    /* of a message */
	double connections; /* blocks; 0: as many as each way is best by */
	bool to_host;
	bool peer; /* between two GPUs: to_host is a put, else a get */
};

/* One control in one direction. Times are ns, NAN if unknown is set. */
struct xs_control_estimate {
	enum xs_control control;
	const char *name;   /* "host", "assisted", "direct"; static */
	const char *model;  /* "klenk2014-eq1", ...; static */
	const char *polled; /* memory that the GPU polls: "system", "device";
			     * NULL: it does not poll */
	bool to_host;
	double blocks;		    /* that move one message */
	double ns, low_ns, high_ns; /* of one message; 90 % range */
	double rate_blocks;	    /* that send messages, each its own */
	double rate; /* messages per second; INFINITY: no limit */
	struct xs_klenk_term terms[XS_KLENK_TERMS];
	size_t term_count;
	const char *unknown; /* the parameter that the machine lacks, or NULL */
};

/* The most blocks that the equations were compared with measurements for. */
#define XS_CONTROL_MEASURED 32

/* Times and rates that differ by less are equal. */
#define XS_CONTROL_EQUAL 1.03

/* Returns how many blocks the GPU holds at once, XS_CONTROL_MEASURED if the
 * profile does not tell: blocks that wait for an answer leave no room for
 * others. */
double xs_closed_form_klenk_blocks(const struct xs_machine *machine);

/* Returns the path of flags alone between a kernel and the host, which
 * device-initiated has, too. Times are NAN where unknown. */
struct xs_klenk_path xs_closed_form_klenk_flags(const struct xs_machine *m);

#define XS_CONTROL_ROWS 4 /* host, assisted, direct polling either memory */

/* Fills the rows of one direction, by effort. ns is from the host's answer to
 * the last message until it has seen the next; rate is of messages one after
 * the other. Without connections each is of the fewest of 1, 2, 4 to 32 blocks
 * that are equal to the best. */
void xs_closed_form_klenk(const struct xs_machine *machine,
			  const struct xs_control_question *question,
			  struct xs_control_estimate rows[XS_CONTROL_ROWS]);

/* Whether a way takes less time than another one, by more than what of their
 * ranges has causes of one of them alone: equal terms of both are the same. */
bool xs_control_is_faster(const struct xs_control_estimate *way,
			  const struct xs_control_estimate *than);
