/* SPDX-License-Identifier: MIT */
/* What calibrate has to say to who has run it: how far to trust the profile. */
#include "report/calibrate/bench.h"

#include <math.h>
#include <string.h>

#define LINE_WIDTH 76

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

/* As many names on a line as it has room for. */
static void tell_disagreements(const struct xs_machine *machine, FILE *out)
{
	size_t column = 0;

	for (int id = 0; id < XS_PARAM_IDS; id++) {
		const char *name = xs_param_name(id);

		if (!machine->disagrees[id])
			continue;
		if (column == 0) {
			fputs("The passes differ by more than 2 % (link) or 10 "
			      "% (others) in\n"
			      " ",
			      out);
		} else if (column + strlen(name) > LINE_WIDTH) {
			fputs(",\n ", out);
			column = 0;
		} else {
			fputc(',', out);
		}
		fprintf(out, " %s", name);
		column += strlen(name) + 2;
	}
	fputs(column > 0 ? "\n"
			   "Check that the machine was idle.\n"
			 : "The passes agree on every parameter.\n",
	      out);
}

void xs_bench_summarize(const struct xs_machine *machine, FILE *out)
{
	fprintf(out,
		"%s, measured in %d passes. Error of replay against measured "
		"rounds (90 %% of them):\n",
		machine->gpu, machine->passes);
#define XS_TELL(family) tell_check(#family, &machine->self_check.family, out);
	XS_MACHINE_FAMILIES(XS_TELL)
#undef XS_TELL
	tell_disagreements(machine, out);
}
