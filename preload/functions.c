/* SPDX-License-Identifier: MIT */
#include "preload/functions.h"
#include "preload/arguments.h"

#include <string.h>

/* One fill function a row: fill_cudaMemcpy(arguments, event), and so on. */
#define XS_FILL_ROW(name, twin, class, ...)                                    \
	static void fill_##name(const void *arguments, struct xs_event *event) \
	{                                                                      \
		const struct xs_args_##name *a = arguments;                    \
		(void)a;                                                       \
		*event = (struct xs_event){__VA_ARGS__};                       \
	}
XS_FUNCTIONS(XS_FILL_ROW)

#define XS_SYMBOL(symbol, function, class)                                     \
	[XS_FN_##symbol] = {                                                   \
	    .name = #symbol,                                                   \
	    .fill = fill_##function,                                           \
	    .call_class = XS_CALL_##class,                                     \
	    .per_thread = sizeof(#symbol) != sizeof(#function),                \
	},
const struct xs_function_row xs_functions[XS_FN_COUNT] = {
    XS_FUNCTIONS(XS_SYMBOLS_ROW)};
#undef XS_SYMBOL

enum xs_function xs_function_by_cupti_name(const char *name)
{
	/* CUPTI ends the name with the version that brought it, "_v3020". */
	const char *version = strstr(name, "_v");
	size_t length = version ? (size_t)(version - name) : strlen(name);

	for (int fn = 0; fn < XS_FN_COUNT; fn++)
		if (strncmp(xs_functions[fn].name, name, length) == 0 &&
		    xs_functions[fn].name[length] == '\0')
			return fn;
	return XS_FN_COUNT;
}
