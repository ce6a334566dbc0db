/* SPDX-License-Identifier: MIT */
#include "model/machine/choice.h"

#include "model/machine/machine_json.h"
#include "model/machine/usual.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* At most so many shipped profiles are searched. */
#define PROFILES_MAX 256

static bool is_known(const char *text)
{
	return text && text[0];
}

static bool is_measured(const struct xs_machine *machine)
{
	return strcmp(machine->source, "calibrated") == 0;
}

/* Copies a name of a trace as a part of a file name. */
static void copy_safely(char *to, const char *from, size_t size)
{
	size_t i;

	for (i = 0; from[i] && i + 1 < size; i++)
		to[i] = isalnum((unsigned char)from[i]) || from[i] == '.'
			    ? from[i]
			    : '-';
	to[i] = '\0';
}

int xs_machine_own_path(const char *uuid, const char *host, char *path,
			size_t size)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	char gpu_part[64], host_part[96];
	int length;

	if (!is_known(uuid) || !is_known(host))
		return -ENOENT;
	copy_safely(gpu_part, uuid, sizeof(gpu_part));
	copy_safely(host_part, host, sizeof(host_part));
	/* the specification of XDG ignores relative paths */
	if (data && data[0] == '/')
		length = snprintf(path, size, "%s/xferspy/%s@%s.json", data,
				  gpu_part, host_part);
	else if (is_known(home))
		length =
		    snprintf(path, size, "%s/.local/share/xferspy/%s@%s.json",
			     home, gpu_part, host_part);
	else
		return -ENOENT;
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

bool xs_machine_is_of_gpu(const struct xs_machine *machine, const char *gpu)
{
	const size_t a = strlen(machine->gpu), b = gpu ? strlen(gpu) : 0;

	if (!a || !b)
		return true;
	return a < b ? !strcasecmp(gpu + b - a, machine->gpu)
		     : !strcasecmp(machine->gpu + a - b, gpu);
}

static bool has_other_link(const struct xs_machine *profile,
			   const struct xs_machine_identity *machine)
{
	return (profile->pcie_gen && machine->pcie_gen &&
		profile->pcie_gen != machine->pcie_gen) ||
	       (profile->pcie_width && machine->pcie_width &&
		profile->pcie_width != machine->pcie_width);
}

/* Returns NULL if the stored profile is of that machine. */
static const char *find_mismatch(const struct xs_machine *own,
				 const struct xs_machine_identity *machine)
{
	if (!is_measured(own))
		return "it is no calibration";
	if (strcmp(own->uuid, machine->uuid) != 0 ||
	    !xs_machine_is_of_gpu(own, machine->gpu))
		return "it is of another GPU";
	if (strcmp(own->host, machine->host) != 0)
		return "it is of another host";
	if (has_other_link(own, machine))
		return "it was measured on another PCIe link";
	if (!(own->G_h2d.value > 0) || !(own->G_d2h.value > 0))
		return "it has no rates of copies";
	return NULL;
}

/* Returns whether the user's calibration is taken. */
static bool choose_own(const struct xs_machine_identity *machine,
		       struct xs_machine *out, char *why, size_t size)
{
	struct xs_machine own;
	const char *mismatch;
	char path[PATH_MAX], error[512];
	int err;

	if (xs_machine_own_path(machine->uuid, machine->host, path,
				sizeof(path))) {
		snprintf(why, size,
			 "the trace has no UUID of its GPU to find a "
			 "calibration by");
		return false;
	}
	if (access(path, F_OK) != 0) {
		snprintf(why, size, "no calibration is stored");
		return false;
	}
	xs_machine_init(&own);
	err = xs_machine_read_json(path, &own, error, sizeof(error));
	if (err) {
		snprintf(why, size, "the stored calibration is refused: %s",
			 error);
		return false;
	}
	mismatch = find_mismatch(&own, machine);
	if (mismatch) {
		snprintf(why, size, "the stored calibration %s is refused: %s",
			 path, mismatch);
		return false;
	}
	*out = own;
	xs_machine_usual_host(out);
	snprintf(why, size, "measured on this GPU and host on %.10s", own.date);
	return true;
}

/* Published profiles have no host costs and few rates: what they lack comes
 * from a fit, which a mixture would hide. */
static bool is_complete(const struct xs_machine *m)
{
	return is_measured(m) && m->G_h2d.value > 0 && m->G_d2h.value > 0;
}

/* Returns whether a shipped profile is taken. */
static bool choose_shipped(const struct xs_machine_identity *machine,
			   struct xs_machine *out)
{
	char names[PROFILES_MAX][XS_MACHINE_NAME_MAX], error[512];
	const int count =
	    is_known(machine->gpu) ? xs_machine_names(names, PROFILES_MAX) : 0;
	struct xs_machine shipped;

	for (int i = 0; i < count; i++) {
		if (xs_machine_load(names[i], &shipped, error, sizeof(error)) ||
		    !is_complete(&shipped) || !shipped.gpu[0] ||
		    !xs_machine_is_of_gpu(&shipped, machine->gpu) ||
		    has_other_link(&shipped, machine))
			continue;
		*out = shipped;
		return true;
	}
	return false;
}

enum xs_machine_origin
xs_machine_origin_of(const struct xs_machine *given,
		     const struct xs_machine_identity *machine,
		     const char **mismatch)
{
	*mismatch = NULL;
	if (given->shipped)
		return is_measured(given) ? XS_MACHINE_SHIPPED
					  : XS_MACHINE_GIVEN;
	if (!is_known(given->uuid) || !is_known(machine->uuid) ||
	    !is_known(machine->host))
		return XS_MACHINE_GIVEN;
	*mismatch = find_mismatch(given, machine);
	return *mismatch ? XS_MACHINE_GIVEN : XS_MACHINE_CALIBRATED;
}

enum xs_machine_origin
xs_machine_choose(const struct xs_machine_identity *machine,
		  struct xs_machine *out, char *why, size_t size)
{
	size_t used;

	if (choose_own(machine, out, why, size))
		return XS_MACHINE_CALIBRATED;
	if (choose_shipped(machine, out))
		return XS_MACHINE_SHIPPED;
	used = strlen(why);
	snprintf(why + used, size - used,
		 ", and no profile of this GPU model and link is shipped");
	return XS_MACHINE_FITTED;
}

/*
 * How much machines of one model differ, as factors to both sides. Rates of the
 * link: 0.6 % between five calibrations of H200s. Times of calls, latencies and
 * host memory: 24 runs on H200 hosts took 1.05 to 1.39 times the time of a
 * launch of one host's calibration, and 1.12 to 1.89 times that of an
 * asynchronous copy.
 */
#define LINK_FACTOR 1.02
#define HOST_FACTOR 1.5

static void widen(struct xs_param *param, double factor)
{
	param->low /= factor;
	param->high *= factor;
}

static void widen_curve(struct xs_curve *curve)
{
	for (size_t i = 0; i < curve->count; i++) {
		const bool has_range = curve->high_ns[i] > 0;

		curve->low_ns[i] =
		    (has_range ? curve->low_ns[i] : curve->ns[i]) / HOST_FACTOR;
		curve->high_ns[i] =
		    (has_range ? curve->high_ns[i] : curve->ns[i]) *
		    HOST_FACTOR;
	}
}

void xs_machine_widen(struct xs_machine *machine)
{
#define XS_WIDEN(name, unit, what)                                             \
	widen(&machine->name,                                                  \
	      xs_param_is_of_link(#name, unit) ? LINK_FACTOR : HOST_FACTOR);
	XS_MACHINE_PARAMS(XS_WIDEN)
#undef XS_WIDEN
	widen_curve(&machine->pageable_h2d);
	widen_curve(&machine->pageable_d2h);
}
