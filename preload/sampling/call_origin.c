/* SPDX-License-Identifier: MIT */
#include "preload/sampling/call_origin.h"
#include "preload/util/hot.h"

/* This file is linked first: the hot data of the other files follow, in the
 * same cache line. */
XS_HOT_DATA _Alignas(64) struct xs_call_origin xs_call_origin;

bool xs_call_origin_all_hooked(void)
{
	return atomic_load(&xs_call_origin.hooked) &&
	       !atomic_load(&xs_call_origin.by_callback);
}
