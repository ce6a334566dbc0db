/* SPDX-License-Identifier: MIT */
/* The section on waits of the host. */
#include "report/render/text/parts.h"

/* Waits printed, if they are long enough; JSON has all. */
#define WAITS_MAX 4

static bool is_shown(const struct xs_result *result, size_t index)
{
	return index < WAITS_MAX && result->run.wall_ns != XS_UNKNOWN &&
	       result->waits[index].waited_ns >=
		   result->run.wall_ns / XS_RESULT_LEAST_PART &&
	       result->waits[index].waited_ns > 0;
}

static void put_rest(const struct xs_terminal *terminal,
		     const struct xs_result *result, size_t places,
		     int64_t waited_ns)
{
	char lead[80], text[80];

	snprintf(lead, sizeof(lead), "  %7s  %7s  ", xs_units_ns(waited_ns).s,
		 xs_units_share(waited_ns, result->run.wall_ns).s);
	snprintf(text, sizeof(text), "at %zu more call site%s (--format json)",
		 places, places == 1 ? "" : "s");
	xs_terminal_wrap(terminal, XS_PLAIN, lead, text);
}

void xs_render_text_waits(const struct xs_terminal *terminal,
			  const struct xs_result *result)
{
	char lead[80];
	int64_t rest_ns = 0;
	size_t i = 0;

	if (!result->wait_count || !is_shown(result, 0))
		return;
	xs_terminal_heading(terminal, "What the host waited for",
			    "by call site, longest first; all threads");
	for (; i < result->wait_count && is_shown(result, i); i++) {
		const struct xs_result_wait *wait = &result->waits[i];

		snprintf(
		    lead, sizeof(lead), "  %7s  %7s  ",
		    xs_units_ns(wait->waited_ns).s,
		    xs_units_share(wait->waited_ns, result->run.wall_ns).s);
		xs_terminal_wrap(terminal, XS_PLAIN, lead, wait->text);
	}
	for (size_t next = i; next < result->wait_count; next++)
		if (__builtin_add_overflow(
			rest_ns, result->waits[next].waited_ns, &rest_ns))
			rest_ns = INT64_MAX;
	if (result->run.wall_ns != XS_UNKNOWN &&
	    rest_ns >= result->run.wall_ns / XS_RESULT_LEAST_PART)
		put_rest(terminal, result, result->wait_count - i, rest_ns);
}
