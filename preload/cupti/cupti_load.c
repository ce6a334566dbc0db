/* SPDX-License-Identifier: MIT */
/* Finds and loads CUPTI at run time; it is never linked. */
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_find.h"
#include "preload/trace/info.h"
#include "preload/util/injection.h"
#include "preload/util/objects.h"

#include <stdlib.h>
#include <string.h>

#define VERSION_11_8 18u

struct xs_cupti_api xs_cupti_api;

#define ROW_required(name) {&xs_cupti_api.name, #name, false},
#define ROW_other(name)	   {&xs_cupti_api.name, #name, true},
static const struct xs_symbol symbols[] = {XS_CUPTI_REQUIRED(ROW_required)
					       XS_CUPTI_OTHER(ROW_other)};

const char *xs_cupti_text(CUptiResult result)
{
	const char *text = NULL;

	if (xs_cupti_api.cuptiGetResultString)
		xs_cupti_api.cuptiGetResultString(result, &text);
	return text ? text : "unknown error";
}

void *xs_cupti_load(char *path, size_t bytes, bool *ours)
{
	const char *given = getenv("XFERSPY_CUPTI");
	void *library;

	if (given && strcmp(given, "none") == 0) {
		xs_trace_info("note",
			      "CUPTI is not used (XFERSPY_CUPTI=none); unset "
			      "XFERSPY_CUPTI for complete GPU times");
		return NULL;
	}
	if (!(given && given[0]) && xs_injection_other_will_load()) {
		xs_trace_info(
		    "note", "CUPTI is left to the other tool, which could not "
			    "use it at the same time; for complete GPU times "
			    "run without the other tool, or set XFERSPY_CUPTI "
			    "to the path of libcupti to use it anyway");
		return NULL;
	}
	library = xs_cupti_find(path, bytes, ours);
	if (!library) {
		xs_trace_info("note",
			      "libcupti was not found; for complete GPU times "
			      "install it (it comes with the CUDA toolkit) or "
			      "set XFERSPY_CUPTI to its path");
		return NULL;
	}
	if (xs_objects_symbols(library, symbols,
			       sizeof(symbols) / sizeof(*symbols)) ||
	    xs_cupti_api.cuptiGetVersion(&xs_cupti_api.version) !=
		CUPTI_SUCCESS ||
	    xs_cupti_api.version < VERSION_11_8) {
		xs_trace_info("note",
			      "%s is too old: CUPTI 11.8 or newer is "
			      "needed; set XFERSPY_CUPTI to its path",
			      path);
		return NULL;
	}
	return library;
}
