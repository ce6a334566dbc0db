/* SPDX-License-Identifier: MIT */
/* The entry point of CUDA_INJECTION64_PATH: CUDA calls it when it starts. */
#include "preload/core/lifecycle.h"
#include "preload/hooks/cupti_callback.h"
#include "preload/util/export.h"

#include <errno.h>

XS_EXPORT int InitializeInjection(void);

int InitializeInjection(void)
{
	struct xs_thread *thread = xs_thread_get();
	int kept_errno = errno;

	/* Must not wait: the caller holds the driver's locks. */
	if (!thread->busy && atomic_load(&xs_session_state) == XS_SESSION_NEW)
		xs_lifecycle_start(thread, xs_cupti_callback_get());
	errno = kept_errno;
	return 1;
}
