/* SPDX-License-Identifier: MIT */
#include "preload/cupti/graph_trace.h"
#include "preload/cupti/cupti_share.h"
#include "preload/sampling/capture_mode.h"
#include "preload/trace/info.h"
#include "preload/trace/session.h"
#include "preload/util/config.h"
#include "preload/util/guard.h"

#include <pthread.h>
#include <string.h>

#define VERSION_12_9 27u

/*
 * Number of launches of an executable graph that are recorded node by node. The
 * report uses the one of median length. Two of them should not decide which one
 * that is: the first, which may upload the graph, and the last, in which CUPTI
 * may give a node a wrong end. Recording them costs about as much as
 * instantiating the graph.
 */
#define LAUNCHES_BY_NODE 16u

/* Later, now and then, so many launches by node again, since nodes may come to
 * take longer or shorter: at each power of two of the number of launches. */
#define AGAIN_BY_NODE  4u
#define LEAST_LAUNCHES 1024u

#define MAX_EXECS  4096u
#define MAX_PROBES 64u
#define FREED	   1u /* never a handle of CUDA */

/* An executable graph whose launches may be recorded as one. */
struct exec {
	_Atomic uintptr_t handle; /* 0: free, and the end of its probe chain */
	_Atomic uint32_t launches;
	_Atomic uint32_t by_node; /* launches still to be recorded by node */
};

enum meaning { NONE, INSTANTIATES, UPDATES, DESTROYS };

atomic_bool xs_graph_trace_is_on;

static struct exec execs[MAX_EXECS];
static uint8_t meanings[XS_CUPTI_MOST_CALLBACKS]; /* by callback id */

/* Held while the kind is switched, which is a call of CUPTI of 2 to 4 us, and
 * while executable graphs are added. Never taken in a buffer callback. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool kind_is_on, has_begun;
static unsigned instantiating; /* calls under way, under the lock */

static size_t slot_of(uintptr_t handle)
{
	return (handle * 0x9e3779b97f4a7c15u >> 32) % MAX_EXECS;
}

static struct exec *find(uintptr_t handle)
{
	const size_t slot = slot_of(handle);

	for (size_t i = 0; i < MAX_PROBES; i++) {
		struct exec *exec = &execs[(slot + i) % MAX_EXECS];
		const uintptr_t found = atomic_load(&exec->handle);

		if (found == handle)
			return exec;
		if (!found)
			break;
	}
	return NULL;
}

/* Returns the first free slot for a new handle, or NULL. Caller holds the
 * lock. */
static struct exec *find_free(uintptr_t handle)
{
	const size_t slot = slot_of(handle);

	for (size_t i = 0; i < MAX_PROBES; i++) {
		struct exec *exec = &execs[(slot + i) % MAX_EXECS];

		if (atomic_load(&exec->handle) <= FREED)
			return exec;
	}
	return NULL;
}

/* If there is no slot, the executable graph counts as one whose instantiation
 * was not seen. Caller holds the lock. */
static void add(uintptr_t handle)
{
	struct exec *exec = find(handle);

	if (!exec)
		exec = find_free(handle);
	if (!exec)
		return;
	atomic_store(&exec->launches, 0);
	atomic_store(&exec->by_node, LAUNCHES_BY_NODE);
	atomic_store(&exec->handle, handle);
}

/* Caller holds the lock. */
static void end_for_good(const char *why)
{
	if (!atomic_exchange(&xs_graph_trace_is_on, false))
		return;
	if (atomic_exchange(&kind_is_on, false))
		xs_share_our_kind(false, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	xs_trace_info("note",
		      "all launches of CUDA graphs were recorded node by node "
		      "from some moment on, because %s",
		      why);
}

/* Caller holds the lock. */
static void switch_kind(bool on)
{
	if (!atomic_load(&xs_graph_trace_is_on) ||
	    atomic_load(&kind_is_on) == on)
		return;
	if (xs_share_our_kind(on, CUPTI_ACTIVITY_KIND_GRAPH_TRACE) ==
	    CUPTI_SUCCESS)
		atomic_store(&kind_is_on, on);
	else
		end_for_good("CUPTI could not record them as one");
}

static void take_lock(struct xs_guard *guard)
{
	xs_guard_begin(guard);
	pthread_mutex_lock(&lock);
}

static void free_lock(const struct xs_guard *guard)
{
	pthread_mutex_unlock(&lock);
	xs_guard_end(guard);
}

static void locked_end_for_good(const char *why)
{
	struct xs_guard guard;

	take_lock(&guard);
	end_for_good(why);
	free_lock(&guard);
}

/* If the lock is held, the launch is recorded as its holder chose. It cannot
 * wait: this thread may hold the lock itself, if it runs a signal handler. */
static void try_to_switch_kind(bool on)
{
	struct xs_guard guard;

	xs_guard_begin(&guard);
	if (pthread_mutex_trylock(&lock)) {
		xs_guard_end(&guard);
		return;
	}
	if (on || !instantiating)
		switch_kind(on);
	free_lock(&guard);
}

/* Counts a launch; returns how many are still to be recorded by node. Launches
 * at the same moment may count as one. */
static uint32_t count_launch(struct exec *exec)
{
	const uint32_t launches = xs_relaxed(&exec->launches) + 1;

	xs_relaxed_set(&exec->launches, launches);
	if (launches >= LEAST_LAUNCHES && !(launches & (launches - 1)) &&
	    xs_relaxed(&exec->by_node) < AGAIN_BY_NODE)
		xs_relaxed_set(&exec->by_node, AGAIN_BY_NODE);
	return xs_relaxed(&exec->by_node);
}

void xs_graph_trace_choose(void *handle)
{
	struct exec *exec = find((uintptr_t)handle);
	const uint32_t by_node = exec ? count_launch(exec) : 0;

	if (!xs_session_is_recording())
		return;
	if (xs_share_client_recorded()) {
		locked_end_for_good(
		    "another profiler of the process needs the nodes");
	} else if (!exec) {
		locked_end_for_good(
		    "CUPTI did not report when one was instantiated");
	} else {
		if (atomic_load(&kind_is_on) != (by_node == 0))
			try_to_switch_kind(by_node == 0);
		if (by_node && !atomic_load(&kind_is_on))
			xs_relaxed_set(&exec->by_node, by_node - 1);
	}
}

static void begin_instantiation(void)
{
	struct xs_guard guard;

	take_lock(&guard);
	instantiating++;
	switch_kind(true);
	free_lock(&guard);
}

static void end_instantiation(const CUpti_CallbackData *data)
{
	/* all functions return it through their first parameter */
	const cuGraphInstantiate_params *params = data->functionParams;
	const CUresult *result = data->functionReturnValue;
	struct xs_guard guard;

	take_lock(&guard);
	if (instantiating)
		instantiating--;
	if (atomic_load(&kind_is_on) && result && *result == CUDA_SUCCESS &&
	    params && params->phGraphExec)
		add((uintptr_t)*params->phGraphExec);
	free_lock(&guard);
}

/* The nodes of an executable graph were changed, or it was destroyed. */
static void note_change(enum meaning meaning, const CUpti_CallbackData *data)
{
	const cuGraphExecDestroy_params *params = data->functionParams;
	struct exec *exec = find((uintptr_t)params->hGraphExec);

	if (!exec)
		return;
	if (meaning == UPDATES)
		atomic_store(&exec->by_node, LAUNCHES_BY_NODE);
	else
		atomic_store(&exec->handle, FREED);
}

void xs_graph_trace_note_call(uint32_t id, const void *callback_data)
{
	const CUpti_CallbackData *data = callback_data;
	const bool enter = data->callbackSite == CUPTI_API_ENTER;
	const enum meaning meaning =
	    id < XS_CUPTI_MOST_CALLBACKS ? meanings[id] : NONE;

	if (meaning == INSTANTIATES && enter)
		begin_instantiation();
	else if (meaning == INSTANTIATES)
		end_instantiation(data);
	else if (meaning != NONE && enter)
		note_change(meaning, data);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Finds functions by name, like callback_filter.c. The first parameter of all
 * functions that change an executable graph is this graph. */
static enum meaning meaning_of(const char *name)
{
	if (begins(name, "cuGraphInstantiate"))
		return INSTANTIATES;
	if (begins(name, "cuGraphExecDestroy"))
		return DESTROYS;
	if (begins(name, "cuGraphExecUpdate") ||
	    begins(name, "cuGraphNodeSetEnabled") ||
	    (begins(name, "cuGraphExec") && strstr(name, "SetParams")))
		return UPDATES;
	return NONE;
}

/* Returns whether all callbacks were enabled. */
static bool enable_callbacks(void)
{
	bool found = false, all = true;

	for (uint32_t id = 1; id < XS_CUPTI_MOST_CALLBACKS; id++) {
		const char *name = NULL;

		if (xs_cupti_api.cuptiGetCallbackName(
			CUPTI_CB_DOMAIN_DRIVER_API, id, &name) !=
			CUPTI_SUCCESS ||
		    !name)
			continue;
		meanings[id] = (uint8_t)meaning_of(name);
		if (meanings[id] == NONE)
			continue;
		found |= meanings[id] == INSTANTIATES;
		all &= xs_share_callback(XS_SHARE_US, true,
					 CUPTI_CB_DOMAIN_DRIVER_API,
					 id) == CUPTI_SUCCESS;
	}
	return found && all;
}

bool xs_graph_trace_has_begun(void)
{
	return xs_relaxed(&has_begun);
}

void xs_graph_trace_start(void)
{
	if (xs_config_graphs_by_node() || !xs_capture_mode_is_whole ||
	    xs_cupti_api.version < VERSION_12_9 || !enable_callbacks())
		return;
	atomic_store(&has_begun, true);
	atomic_store(&xs_graph_trace_is_on, true);
}
