/* SPDX-License-Identifier: MIT */
/* Who starts a transfer on a machine: Klenk, Oden and Froening 2014. */
#ifndef XS_MODEL_FORMULAS_CLOSED_FORM_KLENK_H
#define XS_MODEL_FORMULAS_CLOSED_FORM_KLENK_H

#include "model/formulas/klenk.h"
#include "model/machine/machine.h"

#include <stdbool.h>

/* One control in one direction. Times are ns, NAN if unknown is set. */
struct xs_control_estimate {
	enum xs_control control;
	const char *name;   /* "host", "assisted", "direct"; static */
	const char *model;  /* "klenk2014-eq1", ...; static */
	const char *polled; /* memory that the GPU polls: "system", "device";
			     * NULL: it does not poll */
	bool to_host;
	double ns, low_ns, high_ns; /* of one message; 90 % range */
	double rate; /* messages per second; INFINITY: no limit */
	struct xs_klenk_term terms[XS_KLENK_TERMS];
	size_t term_count;
	const char *unknown; /* the parameter that the machine lacks, or NULL */
};

/* The most blocks that the equations were compared with measurements for. */
#define XS_CONTROL_MEASURED 32

/* Returns how many blocks the GPU holds at once, XS_CONTROL_MEASURED if the
 * profile does not tell: blocks that wait for an answer leave no room for
 * others. */
double xs_closed_form_klenk_blocks(const struct xs_machine *machine);

#define XS_CONTROL_ROWS 4 /* host, assisted, direct polling either memory */

/* Fills the rows of one direction. ns is from the host's answer to the last
 * message until it has seen the next, which c blocks move together; rate is of
 * messages over c blocks, each with its own. */
void xs_closed_form_klenk(const struct xs_machine *machine, bool to_host,
			  double bytes, double connections,
			  struct xs_control_estimate rows[XS_CONTROL_ROWS]);

#endif
