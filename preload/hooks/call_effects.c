/* SPDX-License-Identifier: MIT */
#include "preload/hooks/call_effects.h"
#include "preload/core/capture_control.h"
#include "preload/cupti/cupti.h"
#include "preload/util/hot.h"

XS_HOT void xs_call_effects_after(enum xs_function fn)
{
	if (xs_function_marks_range(fn))
		xs_capture_control_mark(xs_functions[fn].call_class ==
					XS_CALL_RANGE_START);
	if (fn == XS_FN_cudaMallocManaged || fn == XS_FN_cuMemAllocManaged ||
	    xs_functions[fn].call_class == XS_CALL_PREFETCH)
		xs_cupti_watch_managed();
}
