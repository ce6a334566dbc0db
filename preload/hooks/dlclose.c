/* SPDX-License-Identifier: MIT */
/* Interposed dlclose(): detects that a library was unloaded that may have
 * called CUDA (sites/module_generation.h). */
#include "preload/sites/module_generation.h"
#include "preload/trace/session.h"
#include "preload/util/export.h"
#include "preload/util/guard.h"
#include "preload/util/phdr_iterate.h"

#include <dlfcn.h>
#include <errno.h>

static int read_unloaded(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)size;
	*(unsigned long long *)count = info->dlpi_subs;
	return 1;
}

static unsigned long long unloaded(void)
{
	unsigned long long count = 0;

	xs_phdr_iterate(read_unloaded, &count);
	return count;
}

struct closing {
	int (*real)(void *handle);
	unsigned long long before; /* unloaded before */
};

static void begin(void *data)
{
	struct closing *closing = data;

	*(void **)&closing->real = dlsym(RTLD_NEXT, "dlclose");
	closing->before = unloaded();
}

static void end(void *data)
{
	const struct closing *closing = data;

	if (unloaded() != closing->before)
		xs_module_generation_update();
}

XS_EXPORT int dlclose(void *handle)
{
	const bool recording = xs_session_is_recording();
	struct closing closing;
	int result, kept_errno;

	if (!recording) {
		*(void **)&closing.real = dlsym(RTLD_NEXT, "dlclose");
		return closing.real(handle);
	}
	xs_guard_run(begin, &closing);
	result = closing.real(handle);
	kept_errno = errno;
	xs_guard_run(end, &closing);
	errno = kept_errno;
	return result;
}
