/* SPDX-License-Identifier: MIT */
/* Lifecycle of the simulated driver, and the common part of API calls. */
#include "tests/sim/internal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct xs_sim_config xs_sim_config;

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static pid_t init_pid; /* the process of the worker threads */
static _Atomic(const struct xs_sim_hooks *) hooks;
static atomic_uint last_correlation, calls_inside;

static int call_times = -1; /* file; -1: none */

static _Thread_local int current_device;
static _Thread_local unsigned call_depth;
static _Thread_local uint32_t call_correlation;
static _Thread_local unsigned
    heard_depth; /* nested calls as CUPTI counts them */

static double env_number(const char *name, double fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtod(text, NULL) : fallback;
}

/* The defaults are about those of a mid-range card on eight lanes of PCIe 3,
 * except gips: its kernels run as fast as the interpreter can. */
static void read_config(struct xs_sim_config *c)
{
	c->devices = (int)env_number("XS_SIM_DEVICES", 1);
	if (c->devices < 0 || c->devices > XS_SIM_MAX_DEVICES)
		c->devices = XS_SIM_MAX_DEVICES;
	c->copy_engines = env_number("XS_SIM_COPY_ENGINES", 2) < 2 ? 1 : 2;
	c->copy_ends = (size_t)env_number("XS_SIM_COPY_ENDS", 0);
	c->implicit_sync = env_number("XS_SIM_IMPLICIT_SYNC", 0) != 0;
	c->h2d_gbs = env_number("XS_SIM_H2D_GBS", 6.0);
	c->d2h_gbs = env_number("XS_SIM_D2H_GBS", 6.0);
	c->bidir_gbs = env_number("XS_SIM_BIDIR_GBS", 5.0);
	c->pageable_gbs = env_number("XS_SIM_PAGEABLE_GBS", 3.0);
	c->mem_gbs = env_number("XS_SIM_MEM_GBS", 200);
	c->gips = env_number("XS_SIM_GIPS", 0.5);
	c->copy_ns = (uint64_t)env_number("XS_SIM_COPY_NS", 3000);
	c->launch_ns = (uint64_t)env_number("XS_SIM_LAUNCH_NS", 2000);
	c->latency_ns = (uint64_t)env_number("XS_SIM_LATENCY_NS", 5000);
	c->init_ns = (uint64_t)env_number("XS_SIM_INIT_NS", 0);
	c->call_ns = (uint64_t)env_number("XS_SIM_CALL_NS", 2000);
	c->call_signals = getenv("XS_SIM_CALL_SIGNALS") != NULL;
	c->memory_bytes = (uint64_t)env_number("XS_SIM_MEMORY_MB", 2048) << 20;
	c->hang = (uint64_t)env_number("XS_SIM_HANG", 0);
	c->fault = getenv("XS_SIM_FAULT");
	c->hold = (uint32_t)env_number("XS_SIM_HOLD", 0);
	c->own_ids = env_number("XS_SIM_CUPTI_OWN_IDS", 0) != 0;
	c->last_id = (uint32_t)env_number("XS_SIM_CUPTI_LAST_ID", 0);
}

static void init(void)
{
	const char *times = getenv("XS_SIM_CALL_TIMES");

	read_config(&xs_sim_config);
	atomic_store(&last_correlation, xs_sim_config.last_id);
	if (times)
		call_times = open(times, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (xs_sim_timeline_start())
		init_pid = getpid();
}

/* Like the real driver: the library is loaded during CUDA's initialisation, by
 * the initialising thread, and may itself call CUDA. */
static void load_injection(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
	int (*start)(void) = NULL;

	if (library)
		*(void **)&start = dlsym(library, "InitializeInjection");
	if (start)
		start();
}

/* Other threads wait meanwhile. */
static void inject(void)
{
	static atomic_flag begun = ATOMIC_FLAG_INIT;
	static atomic_bool done;
	static _Thread_local bool inside;
	int cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	if (!atomic_flag_test_and_set(&begun)) {
		inside = true;
		load_injection();
		usleep((useconds_t)(xs_sim_config.init_ns / 1000));
		inside = false;
		atomic_store(&done, true);
	}
	while (!inside && !atomic_load(&done))
		usleep(20);
	pthread_setcancelstate(cancel_state, NULL);
}

int xs_sim_init(void)
{
	pthread_once(&init_once, init);
	if (getpid() != init_pid)
		return XS_SIM_EINIT;
	inject();
	return XS_SIM_OK;
}

bool xs_sim_ready(void)
{
	return init_pid == getpid();
}

uint64_t xs_sim_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void xs_sim_set_hooks(const struct xs_sim_hooks *new_hooks)
{
	atomic_store(&hooks, new_hooks);
}

void xs_sim_emit(const struct xs_sim_record *record)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	if (h && h->record)
		h->record(record);
}

void xs_sim_unloading(void)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	if (h)
		h->unloading();
}

void xs_sim_context_ending(void)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	if (h)
		h->context_ending();
}

/* 0: without CUPTI. */
unsigned xs_sim_instantiated(void)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	return h ? h->instantiated() : 0;
}

bool xs_sim_graph_launched(unsigned instantiated, uint32_t exec)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	return h && h->graph_launched(instantiated, exec, call_correlation);
}

/* Ids are only numbers, also if threads have their own. */
static uint32_t next_correlation(void)
{
	static _Thread_local uint32_t last_own;

	return xs_sim_config.own_ids
		   ? ++last_own
		   : atomic_fetch_add(&last_correlation, 1) + 1;
}

unsigned xs_sim_calls_inside(void)
{
	return atomic_load(&calls_inside);
}

void xs_sim_restart_ids(void)
{
	atomic_store(&last_correlation, 0);
}

uint32_t xs_sim_correlation(void)
{
	return call_correlation;
}

/* Simulates a thread that is descheduled. */
static void hold_one(void)
{
	static atomic_flag held = ATOMIC_FLAG_INIT;
	const uint32_t from = xs_sim_config.hold;

	if (!from || atomic_load(&last_correlation) < from ||
	    atomic_flag_test_and_set(&held))
		return;
	while (atomic_load(&last_correlation) < 2 * from)
		usleep(20);
}

static void note_time(uint64_t now_ns)
{
	static atomic_uint calls;

	if (call_times >= 0 && atomic_fetch_add(&calls, 1) % 50 == 0)
		dprintf(call_times, "%" PRIu64 "\n", now_ns);
}

void xs_sim_enter(struct xs_sim_call *call)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	if (call_depth == 0)
		hold_one();
	call->outermost = call_depth++ == 0;
	if (call->outermost)
		atomic_fetch_add(&calls_inside, 1);
	if (call->outermost && heard_depth == 0)
		call_correlation = next_correlation();
	call->correlation = call_correlation;
	call->start_ns = xs_sim_now_ns();
	if (call->outermost)
		note_time(call->start_ns);
	if (h && h->call && h->call(call, false))
		heard_depth++;
}

/* Waits until the call has taken so long. */
static void take_time(const struct xs_sim_call *call, uint64_t took_ns)
{
	const bool signals = call->outermost && xs_sim_config.call_signals;
	sigset_t none, before;

	sigemptyset(&none);
	if (signals)
		pthread_sigmask(SIG_SETMASK, &none, &before);
	while (xs_sim_now_ns() - call->start_ns < took_ns)
		;
	if (signals)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int xs_sim_leave(struct xs_sim_call *call, int result)
{
	const struct xs_sim_hooks *h = atomic_load(&hooks);

	/* half of it in the driver call, if there is one */
	const uint64_t took_ns =
	    call->outermost ? xs_sim_config.call_ns : xs_sim_config.call_ns / 2;

	call->result = result;
	take_time(call, took_ns);
	if (h && h->call && h->call(call, true) && heard_depth > 0)
		heard_depth--;
	if (call->outermost)
		atomic_fetch_sub(&calls_inside, 1);
	if (--call_depth == 0 && heard_depth == 0)
		call_correlation = 0;
	return result;
}

int xs_sim_device(void)
{
	return current_device;
}

int xs_sim_set_device(int device)
{
	if (device < 0 || device >= xs_sim_config.devices)
		return XS_SIM_EDEVICE;
	current_device = device;
	return XS_SIM_OK;
}

void *xs_sim_context(int device)
{
	static char contexts[XS_SIM_MAX_DEVICES];

	return device >= 0 && device < XS_SIM_MAX_DEVICES ? &contexts[device]
							  : NULL;
}
