/* SPDX-License-Identifier: MIT */
#include "preload/record/copy_probe.h"
#include "preload/util/clock.h"
#include "preload/util/hot.h"

#include <sys/resource.h>

bool xs_copy_probe_is_linear(enum xs_function fn)
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

static bool hash_content(struct xs_copy_probe *probe, uint64_t address,
			 uint64_t bytes)
{
	/* not CLOCK_REALTIME, which may be set back */
	const uint64_t begin_ns = xs_clock_monotonic_ns();
	const bool hashed =
	    xs_content_hash(address, bytes, &probe->hash, &probe->hashed_bytes);
	const uint64_t ns = probe->hash_ns + xs_clock_monotonic_ns() - begin_ns;

	probe->hash_ns = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
	return hashed;
}

XS_HOT void xs_copy_probe_begin_copy(struct xs_copy_probe *probe,
				     enum xs_function fn, const void *arguments)
{
	struct xs_event copy;

	if (!xs_copy_probe_is_linear(fn))
		return;
	xs_functions[fn].fill(arguments, &copy);
	probe->hashes = xs_copy_probe_hashes();
	if (copy.direction == cudaMemcpyDeviceToDevice ||
	    (copy.bytes < XS_COPY_PROBE_MIN_BYTES && !probe->hashes))
		return;
	probe->bytes = copy.bytes;
	probe->hashed_bytes = 0;
	probe->hash_ns = 0;
	if (probe->hashes && copy.direction != cudaMemcpyDeviceToHost &&
	    !hash_content(probe, copy.src, copy.bytes))
		probe->hashed_bytes = 0;
	/* last, since hashing may cause page faults */
	probe->faults = copy.bytes >= XS_COPY_PROBE_MIN_BYTES &&
			count_faults(&probe->minor, &probe->major);
}

void xs_copy_probe_count_faults(struct xs_copy_probe *probe)
{
	uint32_t minor, major;
	bool counted = probe->faults && count_faults(&minor, &major);

	probe->minor = counted ? minor - probe->minor : 0;
	probe->major = counted ? major - probe->major : 0;
}

bool xs_copy_probe_content(struct xs_copy_probe *probe, enum xs_function fn,
			   const struct xs_event *event)
{
	if (!probe->bytes || !probe->hashes)
		return false;
	if (probe->hashed_bytes)
		return true;
	return xs_functions[fn].call_class == XS_CALL_COPY &&
	       hash_content(probe, event->dst, event->bytes);
}
