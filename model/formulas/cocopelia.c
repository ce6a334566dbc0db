/* SPDX-License-Identifier: MIT */
#include "model/formulas/cocopelia.h"

#include <math.h>

double xs_cocopelia_transfer_ns(const struct xs_cocopelia_link *link,
				double bytes)
{
	return bytes > 0 ? link->latency_ns + link->byte_ns * bytes : 0;
}

static double slowed_ns(const struct xs_cocopelia_link *link, double bytes)
{
	return link->latency_ns + link->byte_ns * bytes * link->slowdown;
}

double xs_cocopelia_over_ns(const struct xs_cocopelia_machine *machine,
			    double in_bytes, double out_bytes)
{
	const double in_ns = slowed_ns(&machine->in, in_bytes);
	const double out_ns = slowed_ns(&machine->out, out_bytes);

	if (in_bytes <= 0)
		return xs_cocopelia_transfer_ns(&machine->out, out_bytes);
	if (out_bytes <= 0)
		return xs_cocopelia_transfer_ns(&machine->in, in_bytes);
	if (in_ns < out_ns)
		return in_ns + (out_ns - in_ns) / machine->out.slowdown;
	return out_ns + (in_ns - out_ns) / machine->in.slowdown;
}

double xs_cocopelia_ns(const struct xs_cocopelia_machine *machine,
		       const struct xs_cocopelia_load *load, double k)
{
	const double in_bytes = load->in_bytes / k;
	const double out_bytes = load->out_bytes / k;
	const double kernel_ns = load->kernel_ns / k;
	const double over_ns =
	    xs_cocopelia_over_ns(machine, in_bytes, out_bytes);

	return fmax(kernel_ns, over_ns) * (k - 1) +
	       xs_cocopelia_transfer_ns(&machine->in, in_bytes) + kernel_ns +
	       xs_cocopelia_transfer_ns(&machine->out, out_bytes);
}
