/* SPDX-License-Identifier: MIT */
/* What the trace says about its process. */
#include "analyzer/read/trace.h"
#include "analyzer/rounds/connections.h"
#include "analyzer/symbols/symbols.h"
#include "report/build/build.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *utc(struct xs_arena *arena, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char text[32];
	struct tm tm;

	if (!realtime_ns || !gmtime_r(&seconds, &tm))
		return NULL;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xs_arena_copy(arena, text);
}

/*
 * "13.0" of "130000 /usr/lib/libcupti.so.13". Versions before 13 are plain
 * numbers and stay as they are.
 */
static const char *cupti_version(struct xs_arena *arena, const char *info)
{
	unsigned long number;
	char *end;

	if (!info)
		return NULL;
	number = strtoul(info, &end, 10);
	if (number >= 100000 && (*end == ' ' || *end == '\0'))
		return xs_print(arena, "%lu.%lu", number / 10000,
				number % 10000 / 100);
	return xs_print(arena, "%.*s", (int)strcspn(info, " "), info);
}

static bool has_module_in(const struct xs_trace *trace, const char *folder)
{
	for (size_t i = 0; i < trace->module_count; i++)
		if (trace->modules[i].path < trace->string_count &&
		    strstr(trace->strings[trace->modules[i].path], folder))
			return true;
	return false;
}

static bool has_string_with(const struct xs_trace *trace, const char *part)
{
	for (size_t i = 0; i < trace->string_count; i++)
		if (trace->strings[i] && strstr(trace->strings[i], part))
			return true;
	return false;
}

/* The framework of Python whose libraries are among the callers of CUDA. Those
 * of CuPy and numba are called from functions in Python. */
static enum xs_language python_of(const struct xs_trace *trace)
{
	static const struct {
		const char *folder;
		enum xs_language language;
	} frameworks[] = {
	    {"/torch/lib/", XS_LANGUAGE_PYTORCH},
	    {"/jax_plugins/", XS_LANGUAGE_JAX},
	};

	const char *named = xs_trace_find_info(trace, "framework");

	if (named)
		return strcmp(named, "jax") == 0 ? XS_LANGUAGE_JAX
						 : XS_LANGUAGE_PYTORCH;
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(*frameworks); i++)
		if (has_module_in(trace, frameworks[i].folder))
			return frameworks[i].language;
	/* PyTorch's kernels, in traces without callers: mangled or not */
	if (has_string_with(trace, "N2at6native") ||
	    has_string_with(trace, "at::native::"))
		return XS_LANGUAGE_PYTORCH;
	return has_string_with(trace, "/cupy/")		? XS_LANGUAGE_CUPY
	       : has_string_with(trace, "/numba/cuda/") ? XS_LANGUAGE_NUMBA
							: XS_LANGUAGES;
}

static bool has_python_frames(const struct xs_trace *trace)
{
	for (size_t i = 0; i < trace->site_count; i++)
		if (xs_symbols_is_python(&trace->sites[i]))
			return true;
	return false;
}

int64_t xs_build_info_number(const struct xs_trace *trace, const char *key)
{
	const char *text = xs_trace_find_info(trace, key);

	return text && *text && !text[strspn(text, "0123456789")]
		   ? xs_number_bounded(strtoull(text, NULL, 10))
		   : XS_UNKNOWN;
}

void xs_build_run(struct xs_result *result, const struct xs_trace *trace,
		  const char *path)
{
	const struct xs_connections asked = xs_connections_asked(trace);
	struct xs_arena *arena = &result->arena;
	struct xs_result_run *run = &result->run;

	run->path = xs_arena_copy(arena, path);
	run->app = xs_arena_copy(arena, xs_trace_find_info(trace, "app"));
	run->host = xs_arena_copy(arena, xs_trace_find_info(trace, "host"));
	run->ignored_ns = xs_number_bounded(trace->ignored_ns);
	run->range = xs_arena_copy(arena, xs_trace_find_info(trace, "range"));
	run->pid = xs_number_known(trace->header.pid);
	run->ranks = xs_build_info_number(trace, "ranks");
	run->rank = run->ranks == XS_UNKNOWN
			? XS_UNKNOWN
			: xs_build_info_number(trace, "rank");
	run->job = xs_arena_copy(arena, xs_trace_find_info(trace, "job"));
	run->numa_node = xs_build_info_number(trace, "numa_node");
	run->recorder =
	    xs_arena_copy(arena, xs_trace_find_info(trace, "xferspy"));
	run->started_utc = utc(arena, xs_trace_started_ns(trace));
	run->start_us = xs_number_known(trace->header.start_realtime_ns / 1000);
	run->cupti_version =
	    cupti_version(arena, xs_trace_find_info(trace, "cupti"));
	run->driver_version =
	    xs_arena_copy(arena, xs_trace_find_info(trace, "driver"));
	run->max_connections = xs_number_known(asked.all);
	run->max_copy_connections = xs_number_known(asked.copy);
	run->python = python_of(trace);
	run->python_frames = has_python_frames(trace);
}
