/* SPDX-License-Identifier: MIT */
/* Callbacks of API calls, and CUPTI's small query functions. */
#include "tests/sim/cupti_sim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_IDS 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool wanted[CUPTI_CB_DOMAIN_SIZE][MOST_IDS];
static _Atomic(CUpti_CallbackFunc) callback;
static void *user;

/* Any value but NULL works as the only subscriber's handle. */
#define SUBSCRIBER ((CUpti_SubscriberHandle)(void *)&callback)

static const char *const runtime_names[MOST_IDS] = {
#define NAME(name, id) [id] = #name,
#include "cbid_runtime.h"
#undef NAME
};

static const char *const driver_names[MOST_IDS] = {
#define NAME(name, id) [id] = #name,
#include "cbid_driver.h"
#undef NAME
};

static _Atomic unsigned heard[CUPTI_CB_DOMAIN_SIZE], finalized;

/* XS_SIM_CUPTI_LEFT: at exit, prints how many callbacks are enabled, how many
 * calls made, and how often CUPTI was detached. */
__attribute__((destructor)) static void tell_left(void)
{
	unsigned left = 0;

	for (unsigned domain = 0; domain < CUPTI_CB_DOMAIN_SIZE; domain++)
		for (unsigned id = 0; id < MOST_IDS; id++)
			left += atomic_load(&wanted[domain][id]);
	if (getenv("XS_SIM_CUPTI_LEFT"))
		fprintf(stderr,
			"callbacks left: %u\n"
			"callbacks of the runtime: %u\n"
			"callbacks of the driver: %u\n"
			"finalized: %u\n",
			left, atomic_load(&heard[CUPTI_CB_DOMAIN_RUNTIME_API]),
			atomic_load(&heard[CUPTI_CB_DOMAIN_DRIVER_API]),
			atomic_load(&finalized));
}

bool xs_cu_is_subscribed(void)
{
	return atomic_load(&callback) != NULL;
}

static atomic_bool detached;
static _Thread_local bool at_end; /* in the callback at the end of a call */

static void stop(const char *function, const char *why)
{
	fprintf(stderr, "%s %s\n", function, why);
	abort();
}

void xs_cu_must_be_attached(const char *function)
{
	if (atomic_load(&detached) && getenv("XS_SIM_CUPTI_STRICT"))
		stop(function, "attaches CUPTI again");
}

/* CUPTI is used. */
static void note_attached(void)
{
	if (atomic_exchange(&detached, false))
		xs_sim_restart_ids();
}

/* Something of the current context is about to end. */
static void tell_resource(CUpti_CallbackIdResource id)
{
	CUpti_CallbackFunc function = atomic_load(&callback);
	CUpti_ResourceData data = {.context = xs_sim_context(xs_sim_device())};

	if (function && atomic_load(&wanted[CUPTI_CB_DOMAIN_RESOURCE][id]))
		function(user, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void tell_unloading(void)
{
	tell_resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
}

static void tell_context_ending(void)
{
	tell_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

void xs_cu_attach(void)
{
	static const struct xs_sim_hooks hooks = {
	    xs_cu_call,		  xs_cu_record,	  xs_cu_instantiated,
	    xs_cu_graph_launched, tell_unloading, tell_context_ending};

	xs_sim_set_hooks(&hooks);
}

/* A device's first call reports the creation of its context. */
static void tell_context(CUpti_CallbackFunc function)
{
	static atomic_bool told[XS_SIM_MAX_DEVICES];
	const int device = xs_sim_device();
	CUpti_ResourceData data = {.context = xs_sim_context(device)};

	if (function &&
	    atomic_load(&wanted[CUPTI_CB_DOMAIN_RESOURCE]
			       [CUPTI_CBID_RESOURCE_CONTEXT_CREATED]) &&
	    !atomic_exchange(&told[device], true))
		function(user, CUPTI_CB_DOMAIN_RESOURCE,
			 CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}

bool xs_cu_call(struct xs_sim_call *call, bool leaving)
{
	CUpti_CallbackFunc function = atomic_load(&callback);
	CUpti_CallbackData data = {
	    .callbackSite = leaving ? CUPTI_API_EXIT : CUPTI_API_ENTER,
	    .functionName = call->name,
	    .functionParams = call->params,
	    .functionReturnValue = leaving ? &call->result : NULL,
	    .symbolName = call->symbol,
	    .context = xs_sim_context(xs_sim_device()),
	    .contextUid = (uint32_t)xs_sim_device() + 1,
	    .correlationData = &call->correlation_data,
	    .correlationId = call->correlation,
	};

	bool calls = function && atomic_load(&wanted[call->domain][call->cbid]);

	tell_context(function);
	if (calls) {
		atomic_fetch_add(&heard[call->domain], 1);
		at_end = leaving;
		function(user, (CUpti_CallbackDomain)call->domain, call->cbid,
			 &data);
		at_end = false;
	}
	if (leaving)
		xs_cu_api_record(call);
	return calls;
}

/* XS_SIM_CUPTI_SUBSCRIBE_FAIL: as with a debugger or profiler. Takes the
 * loader's lock, like CUPTI 13.0, which opens the driver each time. */
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber,
			   CUpti_CallbackFunc function, void *data)
{
	CUptiResult result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	if (driver)
		dlclose(driver);
	if (!subscriber || !function)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	if (!getenv("XS_SIM_CUPTI_SUBSCRIBE_FAIL") && !atomic_load(&callback)) {
		user = data;
		note_attached();
		atomic_store(&callback, function);
		*subscriber = SUBSCRIBER;
		xs_cu_attach();
		result = CUPTI_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
	CUptiResult result = CUPTI_ERROR_INVALID_PARAMETER;

	pthread_mutex_lock(&lock);
	if (subscriber == SUBSCRIBER && atomic_load(&callback)) {
		atomic_store(&callback, NULL);
		memset(wanted, 0, sizeof(wanted));
		result = CUPTI_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

CUptiResult cuptiGetCallbackState(uint32_t *enable,
				  CUpti_SubscriberHandle subscriber,
				  CUpti_CallbackDomain domain,
				  CUpti_CallbackId id)
{
	if (!enable || subscriber != SUBSCRIBER ||
	    domain >= CUPTI_CB_DOMAIN_SIZE || id >= MOST_IDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*enable = atomic_load(&wanted[domain][id]);
	return CUPTI_SUCCESS;
}

/*
 * Afterwards the program's own work fails if a graph was launched with records
 * on and they were switched off since, and a new attach restarts ids at 1, as
 * in CUPTI 12.9 and 13.0.
 * XS_SIM_CUPTI_FINALIZE_FAIL: it refuses. XS_SIM_CUPTI_STRICT: no CUDA call may
 * be running, unless it is called at the end of one, as NVIDIA advises.
 */
CUptiResult cuptiFinalize(void)
{
	atomic_fetch_add(&finalized, 1);
	if (getenv("XS_SIM_CUPTI_FINALIZE_FAIL"))
		return CUPTI_ERROR_UNKNOWN;
	if (getenv("XS_SIM_CUPTI_STRICT") && !at_end && xs_sim_calls_inside())
		stop("cuptiFinalize", "during a call");
	atomic_store(&detached, true);
	cuptiUnsubscribe(SUBSCRIBER);
	xs_cu_forget_records();
	xs_cu_forget_graphs();
	xs_cu_forget_clock();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable,
				CUpti_SubscriberHandle subscriber,
				CUpti_CallbackDomain domain,
				CUpti_CallbackId id)
{
	xs_cu_must_be_attached(__func__);
	if (subscriber != SUBSCRIBER || domain >= CUPTI_CB_DOMAIN_SIZE ||
	    id >= MOST_IDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	atomic_store(&wanted[domain][id], enable != 0);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable,
			      CUpti_SubscriberHandle subscriber,
			      CUpti_CallbackDomain domain)
{
	CUptiResult result = CUPTI_SUCCESS;

	for (uint32_t id = 0; id < MOST_IDS && result == CUPTI_SUCCESS; id++)
		result = cuptiEnableCallback(enable, subscriber, domain, id);
	return result;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable,
				  CUpti_SubscriberHandle subscriber)
{
	CUptiResult result = CUPTI_SUCCESS;

	for (unsigned domain = CUPTI_CB_DOMAIN_INVALID + 1;
	     domain < CUPTI_CB_DOMAIN_SIZE && result == CUPTI_SUCCESS; domain++)
		result = cuptiEnableDomain(enable, subscriber,
					   (CUpti_CallbackDomain)domain);
	return result;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
				 const char **name)
{
	*name = NULL;
	if (id < MOST_IDS && domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		*name = runtime_names[id];
	if (id < MOST_IDS && domain == CUPTI_CB_DOMAIN_DRIVER_API)
		*name = driver_names[id];
	return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = CUPTI_API_VERSION;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	switch (result) {
	case CUPTI_SUCCESS:
		*text = "CUPTI_SUCCESS";
		break;
	case CUPTI_ERROR_INVALID_PARAMETER:
		*text = "CUPTI_ERROR_INVALID_PARAMETER";
		break;
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
		*text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
		break;
	case CUPTI_ERROR_NOT_SUPPORTED:
		*text = "CUPTI_ERROR_NOT_SUPPORTED";
		break;
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
		*text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		break;
	default:
		*text = "CUPTI_ERROR_UNKNOWN";
		break;
	}
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream,
			       uint8_t per_thread, uint32_t *id)
{
	const void *handle = stream;

	(void)context;
	if (!handle && per_thread)
		handle = CU_STREAM_PER_THREAD;
	*id = xs_sim_stream_get(handle)->id;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device)
{
	for (int i = 0; i < xs_sim_config.devices; i++) {
		if (context == xs_sim_context(i)) {
			*device = (uint32_t)i;
			return CUPTI_SUCCESS;
		}
	}
	return CUPTI_ERROR_INVALID_CONTEXT;
}
