/* SPDX-License-Identifier: MIT */
#include "preload/api/launch_arguments.h"
#include "preload/api/arguments.h"

static void read_driver(const void *arguments, bool has_extra,
			struct xs_launch_arguments *launch)
{
	const struct xs_args_driver_launch *a = arguments;

	*launch =
	    (struct xs_launch_arguments){.function = a->function,
					 .params = a->params,
					 .extra = has_extra ? a->extra : NULL};
}

static void read_driver_ex(const void *arguments,
			   struct xs_launch_arguments *launch)
{
	const struct xs_args_driver_launch_ex *a = arguments;

	*launch = (struct xs_launch_arguments){
	    .function = a->function, .params = a->params, .extra = a->extra};
}

static void read_runtime(const void *arguments,
			 struct xs_launch_arguments *launch)
{
	const struct xs_args_cudaLaunchKernel *a = arguments;

	*launch = (struct xs_launch_arguments){.params = a->params};
}

static void read_runtime_ex(const void *arguments,
			    struct xs_launch_arguments *launch)
{
	const struct xs_args_cudaLaunchKernelExC *a = arguments;

	*launch = (struct xs_launch_arguments){.params = a->params};
}

bool xs_launch_arguments_read(enum xs_function fn, const void *arguments,
			      struct xs_launch_arguments *launch)
{
#define BOTH(name)                                                             \
	case XS_FN_##name:                                                     \
	case XS_FN_##name##_ptsz:
	switch (fn) {
		BOTH(cuLaunchKernel)
		read_driver(arguments, true, launch);
		return true;
		BOTH(cuLaunchCooperativeKernel)
		read_driver(arguments, false, launch);
		return true;
		BOTH(cuLaunchKernelEx)
		read_driver_ex(arguments, launch);
		return true;
		BOTH(__cudaLaunchKernel)
		BOTH(cudaLaunchKernel)
		BOTH(cudaLaunchCooperativeKernel)
		read_runtime(arguments, launch);
		return true;
		BOTH(cudaLaunchKernelExC)
		read_runtime_ex(arguments, launch);
		return true;
	default:
		return false;
	}
#undef BOTH
}
