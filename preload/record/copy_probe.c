/* SPDX-License-Identifier: MIT */
#include "preload/record/copy_probe.h"
#include "preload/util/hot.h"

#include <sys/resource.h>

bool xs_ahead_is_of_range(enum xs_function fn)
{
#define BOTH(name, twin)                                                       \
	case XS_FN_##name:                                                     \
	case XS_FN_##name##_##twin:
	switch (fn) {
		BOTH(cudaMemcpy, ptds)
		BOTH(cudaMemcpyAsync, ptsz)
		BOTH(cuMemcpy, ptds)
		BOTH(cuMemcpyAsync, ptsz)
		BOTH(cuMemcpyHtoD_v2, ptds)
		BOTH(cuMemcpyHtoDAsync_v2, ptsz)
		BOTH(cuMemcpyDtoH_v2, ptds)
		BOTH(cuMemcpyDtoHAsync_v2, ptsz)
		return true;
	default:
		return false;
	}
#undef BOTH
}

static bool count_faults(uint32_t *minor, uint32_t *major)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return false;
	*minor = (uint32_t)usage.ru_minflt;
	*major = (uint32_t)usage.ru_majflt;
	return true;
}

XS_HOT void xs_ahead_look(struct xs_ahead *ahead, enum xs_function fn,
			  const void *arguments)
{
	struct xs_event copy;

	if (!xs_ahead_is_of_range(fn))
		return;
	xs_functions[fn].fill(arguments, &copy);
	ahead->hashes = xs_ahead_hashes();
	if (copy.direction == cudaMemcpyDeviceToDevice ||
	    (copy.bytes < XS_AHEAD_LEAST_BYTES && !ahead->hashes))
		return;
	ahead->bytes = copy.bytes;
	ahead->hashed_bytes = 0;
	if (ahead->hashes && copy.direction != cudaMemcpyDeviceToHost &&
	    !xs_content_hash(copy.src, copy.bytes, &ahead->hash,
			     &ahead->hashed_bytes))
		ahead->hashed_bytes = 0;
	/* last: the hash may touch pages, too */
	ahead->faults = copy.bytes >= XS_AHEAD_LEAST_BYTES &&
			count_faults(&ahead->minor, &ahead->major);
}

void xs_ahead_count_faults(struct xs_ahead *ahead)
{
	uint32_t minor, major;
	bool counted = ahead->faults && count_faults(&minor, &major);

	ahead->minor = counted ? minor - ahead->minor : 0;
	ahead->major = counted ? major - ahead->major : 0;
}

bool xs_ahead_content(struct xs_ahead *ahead, enum xs_function fn,
		      const struct xs_event *event)
{
	if (!ahead->bytes || !ahead->hashes)
		return false;
	if (ahead->hashed_bytes)
		return true;
	return xs_functions[fn].call_class == XS_CALL_COPY &&
	       xs_content_hash(event->dst, event->bytes, &ahead->hash,
			       &ahead->hashed_bytes);
}
