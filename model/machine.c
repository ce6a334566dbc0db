/* SPDX-License-Identifier: MIT */
/* Machine profiles: defaults, the search for a name, pageable curves. */
#include "model/machine.h"

#include "model/machine_json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void xs_machine_init(struct xs_machine *machine)
{
	const struct xs_param unknown = {NAN, NAN, NAN};

	memset(machine, 0, sizeof(*machine));
	machine->implicit_sync = -1;
#define XS_UNKNOWN(name, unit, what) machine->name = unknown;
	XS_MACHINE_PARAMS(XS_UNKNOWN)
#undef XS_UNKNOWN
}

const char *xs_param_name(enum xs_param_id id)
{
	static const char *const names[] = {
	    [XS_PARAM_pageable_h2d] = "pageable_h2d",
	    [XS_PARAM_pageable_d2h] = "pageable_d2h",
#define XS_NAME(name, unit, what) [XS_PARAM_##name] = #name,
	    XS_MACHINE_PARAMS(XS_NAME)
#undef XS_NAME
	};

	return names[id];
}

static bool is_path(const char *name)
{
	const size_t length = strlen(name);

	return strchr(name, '/') ||
	       (length > 5 && !strcmp(name + length - 5, ".json"));
}

/* The first <dir>/<name>.json that exists, into path. */
static bool find_by_name(const char *name, char path[PATH_MAX])
{
	const char *dirs[] = {getenv("XFERSPY_MACHINES"), XS_MACHINE_DIR,
			      XS_SOURCE_MACHINE_DIR};
	size_t i;
	int length;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (!dirs[i] || !dirs[i][0])
			continue;
		length = snprintf(path, PATH_MAX, "%s/%s.json", dirs[i], name);
		if (length > 0 && length < PATH_MAX && !access(path, R_OK))
			return true;
	}
	return false;
}

int xs_machine_load(const char *name_or_path, struct xs_machine *machine,
		    char *error, size_t error_size)
{
	char path[PATH_MAX];

	xs_machine_init(machine);
	if (is_path(name_or_path))
		return xs_machine_read_json(name_or_path, machine, error,
					    error_size);
	if (!find_by_name(name_or_path, path)) {
		snprintf(
		    error, error_size,
		    "machine profile %s: no such name in "
		    "$XFERSPY_MACHINES, %s or %s; give a file (with a / or "
		    ".json), or measure one with `xferspy calibrate -o "
		    "%s.json`",
		    name_or_path, XS_MACHINE_DIR, XS_SOURCE_MACHINE_DIR,
		    name_or_path);
		return -ENOENT;
	}
	return xs_machine_read_json(path, machine, error, error_size);
}

/*
 * Linear between the points. Before the first the time of the first stands
 * (it is latency there); after the last the last rate goes on.
 */
double xs_curve_ns(const struct xs_curve *curve, double bytes)
{
	const size_t n = curve->count;
	double part;
	size_t i;

	if (!n)
		return NAN;
	if (bytes <= curve->bytes[0])
		return curve->ns[0];
	if (bytes >= curve->bytes[n - 1])
		return curve->ns[n - 1] * (bytes / curve->bytes[n - 1]);
	for (i = 1; bytes > curve->bytes[i]; i++)
		;
	part = (bytes - curve->bytes[i - 1]) /
	       (curve->bytes[i] - curve->bytes[i - 1]);
	return curve->ns[i - 1] + part * (curve->ns[i] - curve->ns[i - 1]);
}
