/* SPDX-License-Identifier: MIT */
/*
 * The interposed functions: one for each row of functions.h, and its twin. Each
 * starts a call, calls the real function, and ends the call. They are exported
 * without a symbol version, so they match callers of every major version of the
 * runtime.
 */
#include "preload/api/arguments.h"
#include "preload/hooks/call.h"
#include "preload/util/export.h"

/* The macro generates f() and not f(void) for a function without arguments. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define XS_PARAMETER(type, name) type name
#define XS_TYPE(type, name)	 type
#define XS_PASS(type, name)	 name
#define XS_COMMA()		 ,

/* clang-format off */
#define XS_SYMBOL(symbol, name, class)                                         \
	XS_EXPORT cudaError_t symbol(XS_ARGS_##name(XS_PARAMETER, XS_COMMA));  \
	cudaError_t symbol(XS_ARGS_##name(XS_PARAMETER, XS_COMMA))             \
	{                                                                      \
		struct xs_open_call call;                                      \
		const struct xs_args_##name arguments = {                      \
			XS_ARGS_##name(XS_PASS, XS_COMMA)};                    \
		cudaError_t (*real)(XS_ARGS_##name(XS_TYPE, XS_COMMA)) =       \
			(__typeof__(real))xs_call_begin(                       \
				&call, XS_FN_##symbol,                         \
				__builtin_return_address(0), &arguments);      \
		cudaError_t error = real(XS_ARGS_##name(XS_PASS, XS_COMMA));   \
		if (call.thread)                                               \
			xs_call_end(&call, error, &arguments);                 \
		return error;                                                  \
	}
/* clang-format on */

XS_FUNCTIONS(XS_SYMBOLS_ROW)
