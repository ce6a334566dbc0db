/* SPDX-License-Identifier: MIT */
#include "model/link.h"

#include <math.h>

/* The rate of use against each user of the other direction. */
struct against {
	double alone, copy, mapped;
	enum xs_link_use same, other_copy, other_mapped;
};

static struct against rates(const struct xs_machine *m, enum xs_link_use use)
{
	switch (use) {
	case XS_LINK_COPY_IN:
		return (struct against){m->G_h2d.value,
					m->G_both_h2d.value,
					m->h2d_vs_mapped_write.value,
					XS_LINK_READ,
					XS_LINK_COPY_OUT,
					XS_LINK_WRITE};
	case XS_LINK_COPY_OUT:
		return (struct against){m->G_d2h.value,
					m->G_both_d2h.value,
					m->d2h_vs_mapped_read.value,
					XS_LINK_WRITE,
					XS_LINK_COPY_IN,
					XS_LINK_READ};
	case XS_LINK_READ:
		return (struct against){
		    m->mapped_read.value,      m->mapped_read_vs_d2h.value,
		    m->mapped_both_read.value, XS_LINK_COPY_IN,
		    XS_LINK_COPY_OUT,	       XS_LINK_WRITE};
	default:
		return (struct against){m->mapped_write.value,
					m->mapped_write_vs_h2d.value,
					m->mapped_both_write.value,
					XS_LINK_COPY_OUT,
					XS_LINK_COPY_IN,
					XS_LINK_READ};
	}
}

double xs_link_rate(const struct xs_machine *machine, enum xs_link_use use,
		    const unsigned active[XS_LINK_USES])
{
	const struct against a = rates(machine, use);
	double rate = a.alone;

	/* A comparison with NAN is false: what is not known changes nothing. */
	if (active[a.other_copy] && a.copy > rate)
		rate = a.copy;
	if (active[a.other_mapped] && a.mapped > rate)
		rate = a.mapped;
	return rate * (active[use] + active[a.same]);
}
