/* SPDX-License-Identifier: MIT */
/*
 * The life of a traced process, and the reasons for its order.
 *
 * load   The constructor stores the time and points CUDA_INJECTION64_PATH at
 *        us, so that CUDA calls InitializeInjection() during its own start in
 *        a program with a statically linked runtime, and NVTX_INJECTION64_PATH,
 *        for the program's NVTX ranges. It does nothing else:
 *        most processes that inherit LD_PRELOAD, such as shells and compilers,
 *        never use CUDA, and must not pay for it or leave a file behind.
 * start  The first hook, or InitializeInjection() if that is earlier: CUDA is
 *        about to start in this process. The trace is opened first, since all
 *        other steps may write to it; then CUPTI, which must be ready before
 *        the first context; then the collector thread.
 * exit   Handlers of atexit() run in reverse order of registration. The driver
 *        registers its own when it is initialised, and after that handler has
 *        run CUPTI delivers nothing. So our handler is registered after the
 *        first CUDA call has returned. One is registered at the start too, for
 *        programs that exit before any call returns. The first one to run
 *        finishes the trace.
 * _exit  Runs no handlers, so it is interposed. quick_exit() has its own list.
 * death  SIGKILL, abort(): the trace is a shared mapping, so everything that
 *        was written is there, with GPU records up to the collector's last
 *        round.
 * fork   The child has our mappings, none of our threads, and no usable CUDA:
 *        it records nothing from then on. If CUDA had not started, the child
 *        is a process like any other. A child of vfork() shares our memory and
 *        runs no handler; _exit() recognises it (util/process.h). Forks wait
 *        while we hold the loader's lock (util/phdr_iterate.h).
 * exec   Nothing to do: mappings disappear, the descriptor is close-on-exec,
 *        and the new program begins at `load`.
 */
#include "preload/core/lifecycle.h"
#include "preload/api/param_info.h"
#include "preload/callstack/callstack.h"
#include "preload/core/capture_control.h"
#include "preload/core/collector.h"
#include "preload/core/run_info.h"
#include "preload/cupti/cupti.h"
#include "preload/events/timing.h"
#include "preload/record/abandoned_call.h"
#include "preload/record/content.h"
#include "preload/record/launch_pointers.h"
#include "preload/record/poll.h"
#include "preload/record/thread_end.h"
#include "preload/sampling/capture_mode.h"
#include "preload/sampling/range_signal.h"
#include "preload/trace/info.h"
#include "preload/trace/shared_writer.h"
#include "preload/trace/summary.h"
#include "preload/trace_name.h"
#include "preload/util/clock.h"
#include "preload/util/config.h"
#include "preload/util/export.h"
#include "preload/util/guard.h"
#include "preload/util/hot.h"
#include "preload/util/injection.h"
#include "preload/util/log.h"
#include "preload/util/phdr_iterate.h"
#include "preload/util/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FINISH_DEADLINE_NS 2000000000u
#define START_WAIT_NS	   5000000000u
#define OTHER_FINISH_NS	   3000000000u

XS_HOT_DATA atomic_bool xs_late_exit_registered;

static struct xs_trace_file_start process_start;
static struct xs_process loader;    /* the process that loaded the library */
static struct xs_process owner;	    /* the process that started tracing */
static _Atomic uint64_t early_lost; /* calls lost during the start */
static int open_error;
static char wanted_path[PATH_MAX];
static bool has_callbacks;  /* all calls are seen */
static bool started_by_run; /* by xferspy run, which waits for a trace */

static void note_process_start(void)
{
	process_start = (struct xs_trace_file_start){
	    .pid = getpid(),
	    .realtime_ns = xs_clock_realtime_ns(),
	    .monotonic_ns = xs_clock_monotonic_ns(),
	};
}

static void child_of_fork(void)
{
	int state = atomic_load(&xs_session_state);

	xs_phdr_iterate_in_child();
	note_process_start();
	started_by_run = false;
	xs_summary_drop_stderr();
	if (state == XS_SESSION_NEW)
		return;
	atomic_store(&xs_session_state, XS_SESSION_OFF);
	/* CUPTI's callbacks still come if the fork interrupted a call */
	xs_trace_file_disown(&xs_session_trace);
	xs_shared_writer_in_child();
	xs_thread_forked();
}

static void load_once(void *unused)
{
	static atomic_bool loaded;

	(void)unused;
	if (atomic_exchange(&loaded, true))
		return;
	/* before anything that may call the program's malloc(), which may call
	 * CUDA */
	note_process_start();
	loader = xs_process_self();
	if (xs_config_is_off() || !xs_injection_claim()) {
		atomic_store(&xs_session_state, XS_SESSION_OFF);
		return;
	}
	xs_range_signal_prepare();
	xs_summary_prepare();
	started_by_run = xs_config_is_started_by_run(process_start.pid);
	if (started_by_run) {
		xs_summary_read_config();
		xs_summary_keep_stderr();
	}
	pthread_atfork(xs_phdr_iterate_before_fork, xs_phdr_iterate_after_fork,
		       child_of_fork);
}

/* The constructor. The first hook calls it, too, since a library's constructor
 * that uses CUDA may run earlier. */
__attribute__((constructor)) static void load(void)
{
	xs_guard_run(load_once, NULL);
}

static int open_trace(void)
{
	int err =
	    xs_trace_name_expand(getenv("XFERSPY_OUTPUT"), process_start.pid,
				 wanted_path, sizeof(wanted_path));

	if (!err)
		err = xs_trace_file_open(&xs_session_trace, wanted_path,
					 &process_start);
	if (err)
		return err;
	xs_log("writing %s", xs_session_trace.path);
	xs_shared_writer_open(&xs_session_trace);
	xs_run_info_write();
	atomic_store(&xs_hash_mode, xs_config_hash());
	return 0;
}

/* Starts the best timing source that is available. Returns its name as the
 * trace states it. */
static const char *find_timing_source(enum xs_mode mode,
				      xs_cupti_callback *callback)
{
	enum xs_cupti_gives cupti = XS_CUPTI_NOTHING;

	if (mode == XS_MODE_CALLS)
		return "calls";
	if (mode != XS_MODE_EVENTS)
		cupti = xs_cupti_start(mode == XS_MODE_COUNTERS, callback);
	if (cupti == XS_CUPTI_RECORDS_AND_CALLBACKS)
		return "callbacks";
	if (cupti == XS_CUPTI_RECORDS)
		return "activity";
	xs_timing_start();
	return "events";
}

/* Following all allocations takes callbacks, and a trace of the whole run. */
static void start_dataflow(void)
{
	const enum xs_dataflow_mode mode = xs_config_dataflow();

	if (mode != XS_DATAFLOW_OFF && has_callbacks &&
	    xs_capture_mode_is_whole && xs_param_info_start())
		atomic_store(&xs_launch_pointers_mode, mode);
}

static void start_collecting(xs_cupti_callback *callback)
{
	enum xs_mode mode = xs_config_mode();
	const char *source;
	int err;

	xs_callstack_start();
	source = find_timing_source(mode, callback);
	xs_trace_info("rung", "%s", source);
	has_callbacks = strcmp(source, "callbacks") == 0;
	start_dataflow();
	err =
	    xs_collector_start(mode != XS_MODE_CALLS, xs_capture_control_tick);
	if (err)
		xs_trace_info("note",
			      "cannot create the collector thread (%s): GPU "
			      "records are incomplete",
			      strerror(-err));
}

/*
 * Waits while another thread starts, so that CUPTI misses none of this thread's
 * calls. Waits at most START_WAIT_NS, since the other thread may need a lock
 * that this one holds, such as the loader's; and after one timeout never again,
 * since the situation will not change.
 */
static bool wait_for_start(void)
{
	static atomic_bool timed_out;
	uint64_t until_ns = xs_clock_monotonic_ns() + START_WAIT_NS;
	int cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	while (atomic_load(&xs_session_state) == XS_SESSION_STARTING &&
	       !atomic_load(&timed_out)) {
		nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
		if (xs_clock_monotonic_ns() > until_ns)
			atomic_store(&timed_out, true);
	}
	pthread_setcancelstate(cancel_state, NULL);
	if (atomic_load(&xs_session_state) == XS_SESSION_STARTING)
		atomic_fetch_add(&early_lost, 1);
	return atomic_load(&xs_session_state) == XS_SESSION_RECORDING;
}

static void finish(void);

struct start {
	struct xs_thread *thread;
	xs_cupti_callback *callback;
	bool is_ours; /* this thread starts tracing */
	bool recording;
};

static void start(void *data)
{
	struct start *start = data;
	int expected = XS_SESSION_NEW;

	xs_guard_let_default_signals(); /* CUDA starts: it may take seconds */
	load();
	start->is_ours = atomic_compare_exchange_strong(
	    &xs_session_state, &expected, XS_SESSION_STARTING);
	if (!start->is_ours)
		return;
	start->thread->busy = true;
	owner = xs_process_self();
	if (owner.id !=
	    process_start.pid) /* child of clone() without fork handlers */
		note_process_start();
	xs_summary_read_config();
	xs_thread_prepare(xs_thread_end);
	if (atexit(finish) || at_quick_exit(finish))
		xs_log("no handler at exit: the trace will not be closed");
	open_error = open_trace();
	if (!open_error) {
		xs_capture_control_open();
		start_collecting(start->callback);
		xs_trace_file_lose(&xs_session_trace, XS_LOSS_CALLS,
				   atomic_load(&early_lost));
	}
	/* Do not overwrite a change made by a fork or an exit. */
	expected = XS_SESSION_STARTING;
	atomic_compare_exchange_strong(&xs_session_state, &expected,
				       open_error ? XS_SESSION_OFF
						  : XS_SESSION_RECORDING);
	start->thread->busy = false;
	start->recording = !open_error;
}

bool xs_lifecycle_start(struct xs_thread *thread, xs_cupti_callback *callback)
{
	struct start this = {.thread = thread, .callback = callback};

	xs_guard_run_deep(start, &this);
	return this.is_ours ? this.recording : wait_for_start();
}

static void register_late_exit(void *unused)
{
	(void)unused;
	if (!atomic_exchange(&xs_late_exit_registered, true))
		atexit(finish);
}

void xs_lifecycle_register_late_exit(void)
{
	xs_guard_run(register_late_exit, NULL);
}

/* Waits while another thread finishes, so that the process does not end
 * before. */
static void wait_for_other(void)
{
	uint64_t until_ns = xs_clock_monotonic_ns() + OTHER_FINISH_NS;

	while (atomic_load(&xs_session_state) == XS_SESSION_FINISHING &&
	       xs_clock_monotonic_ns() < until_ns)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void finish_now(void *unused)
{
	struct xs_thread *thread = xs_thread_get();
	int expected = XS_SESSION_RECORDING;
	uint64_t file_bytes;
	bool all_seen;

	(void)unused;
	xs_guard_let_default_signals(); /* waits for the GPU */
	if (open_error) {
		xs_summary_print_error(wanted_path, -open_error);
		open_error = 0;
	}
	if (!atomic_compare_exchange_strong(&xs_session_state, &expected,
					    XS_SESSION_FINISHING)) {
		if (expected == XS_SESSION_FINISHING)
			wait_for_other();
		return;
	}
	/* Not if a signal handler that exits interrupted this thread's write.
	 */
	if (!thread->busy)
		xs_poll_write(thread);
	all_seen = has_callbacks && xs_capture_mode_now == XS_CAPTURE_RECORDED;
	if (xs_collector_finish(FINISH_DEADLINE_NS))
		xs_capture_control_close();
	else
		xs_trace_info("note",
			      "the GPU did not answer in the 2 s that exit "
			      "waits: its last records are missing");
	file_bytes =
	    xs_trace_file_close(&xs_session_trace, xs_clock_realtime_ns());
	atomic_store(&xs_session_state, XS_SESSION_OFF);
	if (!all_seen || !xs_summary_drop_empty(&xs_session_trace, file_bytes))
		xs_summary_print(&xs_session_trace, file_bytes);
	else if (started_by_run)
		xs_summary_print_unused();
}

/* In a guard: a pending cancellation of the thread that exits must not end the
 * thread instead of the process, and _exit() may be called in a signal handler
 * on a small stack. */
static void finish(void)
{
	struct xs_thread *thread = xs_thread_get();
	const int kept_errno = errno;

	if (!xs_process_is_current(&owner))
		return;
	if (xs_session_is_recording() && xs_thread_is_inside(thread) &&
	    !xs_abandoned_call_drop(thread, __builtin_frame_address(0)) &&
	    thread->busy)
		xs_writer_recover(&thread->writer); /* it is not resumed */
	xs_guard_run_deep(finish_now, NULL);
	errno = kept_errno;
}

/* At exit: says that there is no trace, where the user waits for one. A child
 * of vfork() has another process id. */
static void print_unused(void *unused)
{
	(void)unused;
	if (!xs_process_is_current(&loader))
		return;
	started_by_run = false;
	xs_summary_print_unused();
}

__attribute__((destructor)) static void unload(void)
{
	if (started_by_run && atomic_load(&xs_session_state) == XS_SESSION_NEW)
		xs_guard_run(print_unused, NULL);
}

/* Uses the system call and not the function that RTLD_NEXT would find: a child
 * of vfork() and signal handlers call _exit(), and must not look up symbols. */
XS_EXPORT void _exit(int status)
{
	finish();
	unload();
	for (;;)
		syscall(SYS_exit_group, status);
}

XS_EXPORT void _Exit(int status)
{
	_exit(status);
}
