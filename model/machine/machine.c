/* SPDX-License-Identifier: MIT */
/* Machine profiles: defaults, parameter names, pageable curves. */
#include "model/machine/machine.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void xs_machine_init(struct xs_machine *machine)
{
	const struct xs_param unknown = {NAN, NAN, NAN};

	memset(machine, 0, sizeof(*machine));
	machine->implicit_sync = -1;
#define XS_SET_UNKNOWN(name, unit, what) machine->name = unknown;
	XS_MACHINE_PARAMS(XS_SET_UNKNOWN)
#undef XS_SET_UNKNOWN
}

static const struct {
	const char *name, *what;
	size_t offset;
} params[XS_PARAM_IDS] = {
#define XS_ROW(name, unit, what)                                               \
	[XS_PARAM_##name] = {#name, what, offsetof(struct xs_machine, name)},
    XS_MACHINE_PARAMS(XS_ROW)
#undef XS_ROW
};

bool xs_param_is_of_link(const char *name, const char *unit)
{
	return strcmp(unit, "ns/byte") == 0 && !strstr(name, "_byte_ns");
}

const char *xs_param_what(const char *name)
{
	for (size_t i = 0; i < XS_PARAM_IDS; i++)
		if (strcmp(params[i].name, name) == 0)
			return params[i].what;
	return NULL;
}

static bool has_param(const struct xs_machine *machine, enum xs_param_id id)
{
	const struct xs_param *param =
	    (const void *)((const char *)machine + params[id].offset);

	return !isnan(param->value);
}

const char *xs_machine_lacks(const struct xs_machine *machine,
			     const struct xs_machine *earlier)
{
	if (machine->pageable_h2d.count < earlier->pageable_h2d.count)
		return "pageable_h2d";
	if (machine->pageable_d2h.count < earlier->pageable_d2h.count)
		return "pageable_d2h";
	for (enum xs_param_id id = 0; id < XS_PARAM_IDS; id++)
		if (!has_param(machine, id) && has_param(earlier, id))
			return params[id].name;
	return NULL;
}

/* A point of fewer bytes is latency, and shows no rate. */
#define RATE_BYTES 65536.0

/*
 * Linear between the points. Smaller copies take the time of the first point,
 * which is latency; larger ones continue at the rate of the last point.
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
	if (bytes > curve->bytes[n - 1])
		return curve->bytes[n - 1] < RATE_BYTES
			   ? NAN
			   : curve->ns[n - 1] * (bytes / curve->bytes[n - 1]);
	for (i = 1; bytes > curve->bytes[i]; i++)
		;
	part = (bytes - curve->bytes[i - 1]) /
	       (curve->bytes[i] - curve->bytes[i - 1]);
	return curve->ns[i - 1] + part * (curve->ns[i] - curve->ns[i - 1]);
}
