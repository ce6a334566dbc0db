/* SPDX-License-Identifier: MIT */
/* Prints how accurate the profile is. */
#include "report/calibrate/bench.h"

#include <math.h>

static void print_check(const char *family, const struct xs_check *check,
			FILE *out)
{
	if (check->cases == 0)
		fprintf(out, "  %-9s not checked\n", family);
	else
		fprintf(out,
			"  %-9s off by at most %.1f %% (%+.1f to %+.1f %%, "
			"median %+.1f %%; %d rounds)\n",
			family, 100 * fmax(fabs(check->low), fabs(check->high)),
			100 * check->low, 100 * check->high, 100 * check->value,
			check->cases);
}

static void print_peer(const char *way, double latency_ns, double byte_ns,
		       FILE *out)
{
	if (!isnan(latency_ns) && byte_ns > 0)
		fprintf(out,
			"Copies between two GPUs, %s: %.1f us and %.1f GB/s\n",
			way, latency_ns / 1e3, 1 / byte_ns);
}

void xs_bench_summarize(const struct xs_machine *machine, FILE *out)
{
	fprintf(out,
		"%s, measured in %d passes. Error of replay against measured "
		"rounds (90 %% of them):\n",
		machine->gpu, machine->passes);
#define XS_PRINT_CHECK(family)                                                 \
	print_check(#family, &machine->self_check.family, out);
	XS_MACHINE_FAMILIES(XS_PRINT_CHECK)
#undef XS_PRINT_CHECK
	print_peer("direct", machine->lo_peer_ns.value, machine->G_peer.value,
		   out);
	print_peer("through the host", machine->lo_staged_ns.value,
		   machine->G_staged.value, out);
}
