/* SPDX-License-Identifier: MIT */
#include "preload/trace/strings.h"

#include <stdatomic.h>

uint32_t xs_strings_new_id(void)
{
	static _Atomic uint32_t next = XS_STRINGS_FIRST_ID;

	return atomic_fetch_add(&next, 1);
}
