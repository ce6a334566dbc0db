/* SPDX-License-Identifier: MIT */
#include "preload/util/config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define MIN_MAX_BYTES	(2u << 20)
#define DEFAULT_FRAMES	8u
#define MAX_CONNECTIONS 32u /* the maximum of NVIDIA's driver */

static const char *const mode_names[XS_MODES] = {
    [XS_MODE_TRACE] = "trace",	     [XS_MODE_LIGHT] = "light",
    [XS_MODE_COUNTERS] = "counters", [XS_MODE_EVENTS] = "events",
    [XS_MODE_CALLS] = "calls",	     [XS_MODE_OFF] = "off",
};

bool xs_config_is_off(void)
{
	const char *mode = getenv("XFERSPY_MODE");

	/* A setuid program must not write files for us. */
	return getauxval(AT_SECURE) || (mode && strcmp(mode, "off") == 0);
}

bool xs_config_is_started_by_run(pid_t pid)
{
	const char *started = getenv("XFERSPY_RUN_PID");

	return started && strtol(started, NULL, 10) == pid;
}

enum xs_mode xs_config_mode(void)
{
	const char *mode = getenv("XFERSPY_MODE");

	if (xs_config_is_off())
		return XS_MODE_OFF;
	for (int i = 0; mode && i < XS_MODES; i++)
		if (strcmp(mode, mode_names[i]) == 0)
			return (enum xs_mode)i;
	return XS_MODE_TRACE;
}

const char *xs_config_mode_name(enum xs_mode mode)
{
	return mode_names[mode];
}

const char *xs_config_unknown_mode(void)
{
	const char *mode = getenv("XFERSPY_MODE");

	if (!mode || !mode[0])
		return NULL;
	for (size_t i = 0; i < XS_MODES; i++)
		if (strcmp(mode, mode_names[i]) == 0)
			return NULL;
	return mode;
}

bool xs_config_summary(void)
{
	const char *summary = getenv("XFERSPY_SUMMARY");

	return !summary || strcmp(summary, "0") != 0;
}

uint64_t xs_config_max_bytes(const char **unknown)
{
	static const char units[] = "KMG";
	const char *text = getenv("XFERSPY_MAX_SIZE"), *unit;
	unsigned long long value;
	unsigned shift = 0;
	char *end;

	if (!text || !text[0])
		return 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (!isdigit((unsigned char)text[0]) || *end ||
	    value > UINT64_MAX >> 32 || value << shift < MIN_MAX_BYTES) {
		*unknown = text;
		return 0;
	}
	return value << shift;
}

/* Reads seconds at *text and advances it. Returns false if there is no
 * number. */
static bool take_seconds(const char **text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(*text, &end);

	if (end == *text || !(seconds >= 0 && seconds < 1e9))
		return false;
	*text = end;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

const char *xs_config_range(struct xs_config_range *range)
{
	const char *text = getenv("XFERSPY_RANGE"), *at = text;

	*range = (struct xs_config_range){.for_ns = UINT64_MAX, .text = text};
	if (!text || !text[0])
		return NULL;
	if (strcmp(text, "profiler") == 0)
		range->kind = XS_RANGE_PROFILER;
	else if (strcmp(text, "signal") == 0)
		range->kind = XS_RANGE_SIGNAL;
	else if (take_seconds(&at, &range->from_ns) &&
		 (*at != '+' || (at++, take_seconds(&at, &range->for_ns))) &&
		 !*at)
		range->kind = XS_RANGE_TIMED;
	else
		return text;
	return NULL;
}

bool xs_config_graphs_by_node(const char **unknown)
{
	const char *text = getenv("XFERSPY_GRAPHS");
	const bool by_node = text && strcmp(text, "nodes") == 0;

	*unknown = NULL;
	if (text && text[0] && !by_node && strcmp(text, "launch") != 0)
		*unknown = text;
	return by_node;
}

enum xs_hash_mode xs_config_hash(void)
{
	const char *hash = getenv("XFERSPY_HASH");

	if (!hash || !hash[0] || strcmp(hash, "0") == 0)
		return XS_HASH_OFF;
	return strcmp(hash, "full") == 0 ? XS_HASH_FULL : XS_HASH_SAMPLED;
}

const char *xs_config_stack(struct xs_config_stack *stack)
{
	const char *text = getenv("XFERSPY_STACK");
	unsigned long frames;
	char *end;

	*stack = (struct xs_config_stack){.frames = DEFAULT_FRAMES};
	if (!text || !text[0])
		return NULL;
	if (strcmp(text, "off") == 0) {
		stack->frames = 0;
	} else if (strcmp(text, "leaf") == 0) {
		stack->frames = 1;
	} else {
		frames = strtoul(text, &end, 10);
		if (!isdigit((unsigned char)text[0]) || *end ||
		    frames > XS_STACK_MAX_FRAMES)
			return text;
		stack->frames = (unsigned)frames;
		stack->hooked = frames > 1;
	}
	return NULL;
}

unsigned xs_config_connections(const char *variable)
{
	const char *text = getenv(variable);
	unsigned long number;
	char *end;

	if (!text || !isdigit((unsigned char)text[0]))
		return 0;
	number = strtoul(text, &end, 10);
	return *end || number > MAX_CONNECTIONS ? 0 : (unsigned)number;
}
