/* SPDX-License-Identifier: MIT */
/* One struct for each function: its arguments in order, as CUPTI passes them to
 * a callback and as the hooks pack their own. */
#ifndef XS_PRELOAD_API_ARGUMENTS_H
#define XS_PRELOAD_API_ARGUMENTS_H

#include "preload/api/functions.h"

#define XS_ARG_MEMBER(type, name) type name;
#define XS_ARG_NOTHING()
#define XS_ARGS_ROW(name, twin, class, ...)                                    \
	struct xs_args_##name {                                                \
		XS_ARGS_##name(XS_ARG_MEMBER, XS_ARG_NOTHING)                  \
	};
XS_FUNCTIONS(XS_ARGS_ROW)
#undef XS_ARGS_ROW
#undef XS_ARG_NOTHING
#undef XS_ARG_MEMBER

#endif
