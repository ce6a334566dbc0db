/* SPDX-License-Identifier: MIT */
/* Interposed dlclose(): detects that a library was unloaded that may have
 * called CUDA (sites/module_generation.h). */
#include "preload/sites/module_generation.h"
#include "preload/trace/session.h"
#include "preload/util/export.h"
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

XS_EXPORT int dlclose(void *handle)
{
	int (*real)(void *);
	const bool recording = xs_session_is_recording();
	const unsigned long long before = recording ? unloaded() : 0;
	int result, kept_errno;

	*(void **)&real = dlsym(RTLD_NEXT, "dlclose");
	result = real(handle);
	kept_errno = errno;
	if (recording && unloaded() != before)
		xs_module_generation_update();
	errno = kept_errno;
	return result;
}
