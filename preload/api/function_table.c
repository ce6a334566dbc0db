/* SPDX-License-Identifier: MIT */
/* First, for the argument structs: it needs cuda.h's macros, which
 * seen_functions.h undefines. */
#include <cupti.h>

#include "preload/api/arguments.h"
#include "preload/api/device.h"
#include "preload/api/functions.h"
#include "preload/api/launch_arguments.h"

#include <string.h>

#define XS_SAME(type, member, name, field)                                     \
	_Static_assert(offsetof(struct xs_args_##type, member) ==              \
			   offsetof(name##_params, field),                     \
		       #name " and its copy differ")
XS_SAME(driver_launch, stream, cuLaunchKernel, hStream);
XS_SAME(driver_launch, params, cuLaunchKernel, kernelParams);
XS_SAME(driver_launch, extra, cuLaunchKernel, extra);
XS_SAME(driver_launch, params, cuLaunchCooperativeKernel, kernelParams);
XS_SAME(driver_launch_ex, function, cuLaunchKernelEx, f);
XS_SAME(driver_launch_ex, extra, cuLaunchKernelEx, extra);

/* One fill function for each row: fill_cudaMemcpy(arguments, event), and so
 * on. */
#define XS_FILL_ROW(name, twin, class, ...)                                    \
	static void fill_##name(const void *arguments, struct xs_event *event) \
	{                                                                      \
		const struct xs_args_##name *a = arguments;                    \
		(void)a;                                                       \
		*event = (struct xs_event){__VA_ARGS__};                       \
	}
XS_FUNCTIONS(XS_FILL_ROW)

#define XS_SEEN_FILL(name, type, ...)                                          \
	static void fill_##name(const void *arguments, struct xs_event *event) \
	{                                                                      \
		const type *a = arguments;                                     \
		(void)a;                                                       \
		*event = (struct xs_event){__VA_ARGS__};                       \
	}
#define XS_DRIVER_FILL(name, twin, class, ...)                                 \
	XS_SEEN_FILL(name, name##_params, __VA_ARGS__)
#define XS_NEWER_FILL(name, args, twin, class, ...)                            \
	XS_SEEN_FILL(name, struct args, __VA_ARGS__)
#define XS_LATE_FILL(name, version, args, twin, class, ...)                    \
	XS_SEEN_FILL(name##_##version, struct args, __VA_ARGS__)

static uint64_t sum_bytes(const size_t *sizes, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += sizes[i];
	return sum;
}
XS_DRIVER_FUNCTIONS(XS_DRIVER_FILL)
XS_NEWER_FUNCTIONS(XS_NEWER_FILL)
XS_LATE_FUNCTIONS(XS_LATE_FILL)

#define XS_SYMBOL(symbol, function, class)                                     \
	[XS_FN_##symbol] = {                                                   \
	    .name = #symbol,                                                   \
	    .fill = fill_##function,                                           \
	    .call_class = XS_CALL_##class,                                     \
	    .per_thread = sizeof(#symbol) != sizeof(#function),                \
	},
#define XS_SEEN_SYMBOL(symbol, cupti, args, class, own_stream)                 \
	[XS_FN_##cupti] = {                                                    \
	    .name = #symbol,                                                   \
	    .cupti_name = #cupti,                                              \
	    .fill = fill_##args,                                               \
	    .call_class = XS_CALL_##class,                                     \
	    .per_thread = (own_stream),                                        \
	},
const struct xs_function_row xs_functions[XS_FN_COUNT] = {
    XS_FUNCTIONS(XS_SYMBOLS_ROW) XS_DRIVER_FUNCTIONS(XS_DRIVER_SYMBOLS_ROW)
	XS_NEWER_FUNCTIONS(XS_NEWER_SYMBOLS_ROW)
	    XS_LATE_FUNCTIONS(XS_LATE_SYMBOLS_ROW)};
#undef XS_SEEN_SYMBOL
#undef XS_SYMBOL

bool xs_function_is_runtime(enum xs_function fn)
{
	return strstr(xs_functions[fn].name, "cuda") != NULL;
}

/* CUPTI appends to a runtime function's name the version that introduced it,
 * such as "_v3020". `length` excludes it. */
static bool is_called(const struct xs_function_row *row, const char *name,
		      size_t length)
{
	if (row->cupti_name)
		return strcmp(row->cupti_name, name) == 0;
	return strncmp(row->name, name, length) == 0 &&
	       row->name[length] == '\0';
}

enum xs_function xs_function_by_cupti_name(const char *name)
{
	const char *version = strstr(name, "_v");
	size_t length = version ? (size_t)(version - name) : strlen(name);

	for (int fn = 0; fn < XS_FN_COUNT; fn++)
		if (is_called(&xs_functions[fn], name, length))
			return fn;
	return XS_FN_COUNT;
}
