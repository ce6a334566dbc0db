/* SPDX-License-Identifier: MIT */
#include "report/commands/report_machines.h"

#include "model/strategies/model.h"
#include "report/commands/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows use the profile's name, so names must differ. */
static int add_other(const char *given, struct xs_report_machines *out)
{
	struct xs_other_machine *other = &out->others[out->other_count];
	struct xs_machine machine;
	int code = xs_cli_machine(given, &machine);

	if (code)
		return code;
	xs_other_machine_set(other, &machine);
	for (size_t i = 0; i < out->other_count; i++)
		if (strcmp(out->others[i].strategy, other->strategy) == 0)
			return xs_cli_misuse(given,
					     "two profiles have this name",
					     "change \"name\" in the file");
	out->other_count++;
	return 0;
}

int xs_report_machines_load(const char *const *names, size_t count,
			    struct xs_report_machines *out,
			    struct xs_result_options *how)
{
	int code = 0;

	if (!count)
		return 0;
	how->fitted = strcmp(names[0], "fitted") == 0;
	if (!how->fitted) {
		code = xs_cli_machine(names[0], &out->first);
		how->machine = &out->first;
	}
	out->others = xs_calloc(count, sizeof(*out->others));
	for (size_t i = 1; i < count && !code; i++)
		code = add_other(names[i], out);
	how->elsewhere = out->others;
	how->elsewhere_count = out->other_count;
	return code;
}
