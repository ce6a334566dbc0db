/* SPDX-License-Identifier: MIT */
/* Finds and loads CUPTI at run time; it is never linked. */
#include "preload/cupti/cupti_api.h"
#include "preload/trace/info.h"
#include "preload/util/injection.h"
#include "preload/util/log.h"
#include "preload/util/objects.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_11_8 18u

/* Newest first: a CUPTI supports older drivers and every runtime. */
static const char *const libraries[] = {"libcupti.so.13", "libcupti.so.12",
					"libcupti.so.11.8", "libcupti.so.11"};
#define LIBRARIES (sizeof(libraries) / sizeof(*libraries))

static void *load_from(const char *folder)
{
	char path[2 * PATH_MAX];
	void *handle = NULL;

	for (size_t i = 0; !handle && i < LIBRARIES; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, libraries[i]);
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle;
}

/* Relative to libcudart: the folders of a toolkit, and of Python wheels of CUDA
 * 12 and 13. */
static bool load_beside(const struct xs_loaded_object *cudart, void *data)
{
	static const char *const places[] = {"", "/../cuda_cupti/lib",
					     "/../../cuda_cupti/lib",
					     "/../extras/CUPTI/lib64"};
	void **handle = data;
	char folder[PATH_MAX], place[PATH_MAX + 32];
	char *slash;

	snprintf(folder, sizeof(folder), "%s", cudart->path);
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; !*handle && i < sizeof(places) / sizeof(*places);
	     i++) {
		snprintf(place, sizeof(place), "%s%s", folder, places[i]);
		*handle = load_from(place);
	}
	return *handle != NULL;
}

static void *load_cupti(void)
{
	static const char *const toolkits[] = {
	    "/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"};
	const char *given = getenv("XFERSPY_CUPTI");
	void *handle = NULL;

	if (given && given[0]) {
		handle = dlopen(given, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			xs_log("XFERSPY_CUPTI: %s", dlerror());
		/* if a path is given, no other library is tried */
		return handle;
	}
	xs_objects_each(XS_CUDART_LIBRARY, load_beside, &handle);
	/* LD_LIBRARY_PATH was set on purpose, so it goes before the toolkit. */
	for (size_t i = 0; !handle && i < LIBRARIES; i++)
		handle = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !handle && i < sizeof(toolkits) / sizeof(*toolkits);
	     i++)
		handle = load_from(toolkits[i]);
	return handle;
}

/*
 * Finds the libcupti that the process has already loaded, or else loads one:
 * that of XFERSPY_CUPTI, one next to the process's CUDA runtime, on the
 * loader's path, or in the toolkit. It never loads a second one. Returns a
 * handle of dlopen() and stores its path, or returns NULL. *ours: it was not
 * loaded before.
 */
static void *find_cupti(char *path, size_t bytes, bool *ours)
{
	struct link_map *map = NULL;
	void *handle = NULL;

	for (size_t i = 0; !handle && i < LIBRARIES; i++)
		handle = dlopen(libraries[i], RTLD_NOW | RTLD_NOLOAD);
	*ours = !handle;
	if (!handle)
		handle = load_cupti();
	if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
		snprintf(path, bytes, "%s", map->l_name);
	return handle;
}

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
	library = find_cupti(path, bytes, ours);
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
