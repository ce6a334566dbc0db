/* SPDX-License-Identifier: MIT */
/* What calibrate has to say to who has run it: how far to trust the profile. */
#include "report/calibrate_bench.h"

#include <math.h>

static void tell_check(const char *family, const struct xs_check *check,
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

static void tell_disagreements(const struct xs_machine *machine, FILE *out)
{
	const char *before = "The passes disagree on ";

	for (int id = 0; id < XS_PARAM_IDS; id++)
		if (machine->disagrees[id]) {
			fprintf(out, "%s%s", before, xs_param_name(id));
			before = ", ";
		}
	fputs(before[0] == ','
		  ? ": by more than 2 %\non the link or 10 % elsewhere. Was "
		    "the machine idle?\n"
		  : "The passes agree on every parameter.\n",
	      out);
}

void xs_bench_summarize(const struct xs_machine *machine, FILE *out)
{
	fprintf(out,
		"%s, measured in %d passes. Rounds run here against what "
		"replay predicts, 9 of 10:\n",
		machine->gpu, machine->passes);
#define XS_TELL(family) tell_check(#family, &machine->self_check.family, out);
	XS_MACHINE_FAMILIES(XS_TELL)
#undef XS_TELL
	tell_disagreements(machine, out);
}
