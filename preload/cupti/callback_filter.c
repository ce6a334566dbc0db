/* SPDX-License-Identifier: MIT */
/* Selects the callbacks of CUPTI that are enabled. */
#include "preload/api/functions.h"
#include "preload/cupti/cupti_api.h"
#include "preload/cupti/cupti_share.h"
#include "preload/sampling/capture_mode.h"
#include "preload/util/config.h"
#include "preload/util/cudart_objects.h"

#include <string.h>

/* By CUPTI's callback id: our function + 1, or 0 if not wanted. Runtime
 * functions that are wanted but not recorded are XS_FN_COUNT + 1. */
static uint16_t runtime_calls[XS_CUPTI_MOST_CALLBACKS];
static uint16_t driver_calls[XS_CUPTI_MOST_CALLBACKS];
uint16_t xs_cupti_driver_issuing[XS_CUPTI_MOST_CALLBACKS];

/*
 * For hooked runtime calls a callback only provides the correlation id. The
 * driver's callback provides it too, and costs less: the runtime takes a lock
 * around each call that has a callback. So the functions that issue most of the
 * work have only driver callbacks if the runtime is hooked. If such a process
 * also contains a statically linked runtime, its calls of these functions are
 * seen through the driver calls that they make.
 */
bool xs_cupti_driver_stays;

static bool is_left_to_driver(enum xs_function fn)
{
	return xs_functions[fn].call_class == XS_CALL_LAUNCH ||
	       xs_functions[fn].call_class == XS_CALL_GRAPH_LAUNCH ||
	       fn == XS_FN_cudaMemcpyAsync ||
	       fn == XS_FN_cudaMemcpyAsync_ptsz ||
	       fn == XS_FN_cudaMemsetAsync || fn == XS_FN_cudaMemsetAsync_ptsz;
}

/*
 * Runtime functions that are not recorded but may call driver functions that
 * are, by the start of their names. The list is limited, because some other
 * functions are called at every launch, such as __cudaPushCallConfiguration.
 */
static const char *const guarded[] = {
    "cudaFree",	  "cudaGraph",	"cudaInitDevice",   "cudaIpc",
    "cudaLaunch", "cudaMalloc", "cudaMemDiscard",   "cudaMemPoolTrim",
    "cudaMemcpy", "cudaMemset", "cudaStreamAttach", NULL};

static bool is_guarded(CUpti_CallbackDomain domain, const char *name)
{
	if (domain != CUPTI_CB_DOMAIN_RUNTIME_API)
		return false;
	for (const char *const *begin = guarded; *begin; begin++)
		if (strncmp(name, *begin, strlen(*begin)) == 0)
			return true;
	return false;
}

/*
 * Callbacks are found by name, not by the header's ids. So a function that only
 * a newer CUPTI has is found, and one that an older CUPTI lacks is not
 * requested.
 */
static void find_calls(CUpti_CallbackDomain domain, uint16_t *calls)
{
	const char *name;

	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++) {
		name = NULL;
		if (xs_cupti_api.cuptiGetCallbackName(domain, id, &name) !=
			CUPTI_SUCCESS ||
		    !name)
			continue;
		enum xs_function fn = xs_function_by_cupti_name(name);
		if (fn != XS_FN_COUNT || is_guarded(domain, name))
			calls[id] = (uint16_t)(fn + 1);
	}
}

static bool matches_all(enum xs_function fn)
{
	(void)fn;
	return true;
}

/* Returns whether a driver callback is disabled when the driver is no longer
 * watched. Range marks stay: they are rare and must not be missed. */
static bool is_given_up(enum xs_function fn)
{
	return !xs_function_marks_range(fn) &&
	       !(xs_cupti_driver_stays && xs_function_issues(fn));
}

static bool has_runtime_callback(enum xs_function fn)
{
	return fn == XS_FN_COUNT || !xs_cupti_driver_stays ||
	       !is_left_to_driver(fn);
}

/* Switches the callbacks of `calls` that match `which`; returns how many. */
static unsigned enable(CUpti_CallbackDomain domain, const uint16_t *calls,
		       bool (*which)(enum xs_function), bool on)
{
	unsigned done = 0;

	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++)
		if (calls[id] && which((enum xs_function)(calls[id] - 1)))
			done += xs_share_callback(XS_SHARE_US, on, domain,
						  id) == CUPTI_SUCCESS;
	return done;
}

unsigned xs_cupti_wanted(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		return runtime_calls[id];
	return domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver_calls[id] : 0;
}

static void find_issuing_calls(void)
{
	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++)
		if (driver_calls[id] && xs_function_issues((enum xs_function)(
					    driver_calls[id] - 1)))
			xs_cupti_driver_issuing[id] = driver_calls[id];
}

static bool is_launch(enum xs_function fn)
{
	return xs_functions[fn].call_class == XS_CALL_LAUNCH;
}

/* Device code goes with its module or its context. */
static void switch_unloads(bool on)
{
	xs_share_callback(XS_SHARE_US, on, CUPTI_CB_DOMAIN_RESOURCE,
			  CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
	xs_share_callback(XS_SHARE_US, on, CUPTI_CB_DOMAIN_RESOURCE,
			  CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

/* A launch of the runtime names its function only to the driver. */
static void enable_dataflow(void)
{
	switch_unloads(true);
	enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls, is_launch, true);
}

unsigned xs_cupti_enable_calls(bool counters)
{
	/* the start of CUDA ends there */
	xs_share_callback(XS_SHARE_US, true, CUPTI_CB_DOMAIN_RESOURCE,
			  CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
	find_calls(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls);
	find_calls(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls);
	if (xs_config_dataflow() != XS_DATAFLOW_OFF && xs_capture_mode_is_whole)
		enable_dataflow();
	xs_cupti_driver_stays = xs_cudart_objects_are_hooked();
	if (!counters)
		find_issuing_calls();
	enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls,
	       xs_function_marks_range, true);
	return enable(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls,
		      has_runtime_callback, true);
}

void xs_cupti_switch_calls_off(void)
{
	/* CUPTI adds overhead to calls while any callback is enabled */
	xs_share_callback(XS_SHARE_US, false, CUPTI_CB_DOMAIN_RESOURCE,
			  CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
	switch_unloads(false);
	enable(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_calls, matches_all, false);
	enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls, matches_all, false);
}

unsigned xs_cupti_enable_driver(bool on)
{
	return enable(CUPTI_CB_DOMAIN_DRIVER_API, driver_calls,
		      on ? matches_all : is_given_up, on);
}
