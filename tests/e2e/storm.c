/* SPDX-License-Identifier: MIT */
/*
 * Kills a traced program at random moments, many at once, and checks each
 * trace: it has every call that had returned, and all GPU work that had
 * finished before the collector's last flush. The collector flushes in each
 * interval: a trace lacks at most the work of one, as far as the machine is not
 * busy. storm_driver APP PRELOAD XFERSPY KILLS
 */
#include "tests/e2e/storm.h"
#include "analyzer/read/trace.h"
#include "analyzer/timeline/load_trace.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE	      8
#define INTERVAL_NS   100000000u
#define SLACK_NS      50000000u
#define LOOK_US	      5000u
#define START_WAIT_NS 4000000000u

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct paths {
	const char *app, *preload, *command;
};

/* Totals of all runs, shared by the processes that do them. */
static struct totals {
	unsigned runs, empty, calls, rounds, checked;
	uint64_t missing_ns[]; /* by checked run */
} * totals;

struct run {
	const struct paths *paths;
	char progress_path[64], trace_path[64];
	struct storm_progress *progress;
};

static void __attribute__((noreturn, format(printf, 2, 3)))
fail(const struct run *run, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "storm: %s: ", run->trace_path);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void open_progress(struct run *run)
{
	int file = open(run->progress_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *memory = MAP_FAILED;

	if (file >= 0 && ftruncate(file, sizeof(*run->progress)) == 0)
		memory = mmap(NULL, sizeof(*run->progress),
			      PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (memory == MAP_FAILED)
		fail(run, "no progress file");
	close(file);
	run->progress = memory;
}

/* since: "start", or "call": after the first call returned. */
static void start_app(const struct run *run, const char *abort_us,
		      const char *since)
{
	const struct rlimit no_core = {0, 0};

	setrlimit(RLIMIT_CORE, &no_core);
	setenv("XFERSPY_OUTPUT", run->trace_path, 1);
	setenv("XS_SIM_CUPTI_FLUSHED", run->progress_path, 1);
	setenv("LD_PRELOAD", run->paths->preload, 1);
	execl(run->paths->app, run->paths->app, run->progress_path, abort_us,
	      since, NULL);
	_exit(127);
}

static bool nothing_was_done(const struct run *run)
{
	for (int i = 0; i < STORM_THREADS; i++)
		if (run->progress->threads[i].calls)
			return false;
	return true;
}

/* CUDA may take seconds to start. */
static void wait_for_call(const struct run *run, pid_t pid)
{
	siginfo_t info = {0};

	while (nothing_was_done(run) && info.si_pid == 0) {
		usleep(LOOK_US);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
	}
}

/* Half of the kills happen during the start, half during work. */
static void live_and_die(const struct run *run, unsigned number)
{
	static const int signals[] = {SIGKILL, SIGTERM, SIGABRT};
	int signal = signals[number % 3], status = 0;
	const bool early = number % 2;
	useconds_t us = (useconds_t)(random() % (early ? 60000 : 700000));
	char text[16];
	pid_t pid;

	snprintf(text, sizeof(text), "%u", us);
	pid = fork();
	if (pid == 0)
		start_app(run, signal == SIGABRT ? text : NULL,
			  early ? "start" : "call");
	if (signal != SIGABRT) {
		if (!early)
			wait_for_call(run, pid);
		usleep(us);
		kill(pid, signal);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) ||
	    WTERMSIG(status) != signal)
		fail(run, "the program ended with %#x, not by signal %d",
		     status, signal);
}

/* Returns the time of its last progress: nothing after it can be missed. */
static uint64_t death_ns(const struct run *run)
{
	uint64_t last_ns = 0;

	for (int i = 0; i < STORM_THREADS; i++) {
		const struct storm_thread *t = &run->progress->threads[i];

		if (t->rounds && t->done[t->rounds - 1] > last_ns)
			last_ns = t->done[t->rounds - 1];
	}
	return last_ns;
}

static void check_command(const struct run *run, const char *what)
{
	char command[1024];

	snprintf(command, sizeof(command), "'%s' %s %s >/dev/null",
		 run->paths->command, what, run->trace_path);
	if (system(command))
		fail(run, "%s", command);
}

static bool is_of_round(uint8_t call_class)
{
	return call_class == XS_CALL_COPY_ASYNC ||
	       call_class == XS_CALL_LAUNCH ||
	       call_class == XS_CALL_SYNC_STREAM;
}

/* The call during which the thread was killed may be recorded or not. */
static void check_calls(const struct run *run, const struct xs_trace *trace,
			const struct storm_thread *thread)
{
	uint32_t calls = 0;

	for (size_t i = 0; i < trace->call_count; i++)
		calls += trace->calls[i].thread == thread->tid &&
			 is_of_round(trace->calls[i].call_class);
	if (calls < thread->calls || calls > thread->calls + 1)
		fail(run, "%u calls are recorded, %u returned", calls,
		     thread->calls);
	__atomic_fetch_add(&totals->calls, calls, __ATOMIC_RELAXED);
}

static uint32_t rounds_recorded(const struct xs_trace *trace, uint32_t tid)
{
	uint32_t kernels = 0, copies = 0;

	for (size_t i = 0; i < trace->op_count; i++) {
		const struct xs_op *op = &trace->ops[i];

		if (op->call == XS_NONE || trace->calls[op->call].thread != tid)
			continue;
		kernels += op->kind == XS_OP_KERNEL;
		copies += op->kind == XS_OP_D2H;
	}
	return kernels < copies ? kernels : copies;
}

/* Returns the age of the oldest work that is missing, at the process's end. */
static uint64_t check_rounds(const struct run *run,
			     const struct xs_trace *trace,
			     const struct storm_thread *thread)
{
	const uint64_t flushed_ns = run->progress->flushed_ns;
	uint32_t rounds = rounds_recorded(trace, thread->tid);

	__atomic_fetch_add(&totals->rounds, rounds, __ATOMIC_RELAXED);
	if (rounds >= thread->rounds)
		return 0;
	if (thread->done[rounds] < flushed_ns)
		fail(run,
		     "a round is missing that ended %u us before the flush",
		     (unsigned)((flushed_ns - thread->done[rounds]) / 1000));
	return death_ns(run) - thread->done[rounds];
}

/* Threads wait 5 s for the one that starts the library, and then go on without
 * it: on a machine whose disk does not answer for so long. */
static bool started_late(const struct xs_trace *trace)
{
	const char *began = xs_trace_find_info(trace, "began");

	return began && strtoull(began, NULL, 10) >
			    trace->header.start_realtime_ns + START_WAIT_NS;
}

static void check_trace(const struct run *run)
{
	struct xs_trace *trace;
	uint64_t missing_ns, most_ns = 0;
	const char *error;

	if (xs_trace_read(run->trace_path, &trace, &error))
		fail(run, "%s", error ? error : "cannot be read");
	if (trace->defect_count)
		fail(run, "damaged: %s", trace->defects[0].text);
	if (trace->lost_ops || (trace->lost_calls && !started_late(trace)))
		fail(run, "records were lost");
	for (int i = 0; i < STORM_THREADS && !trace->lost_calls; i++) {
		check_calls(run, trace, &run->progress->threads[i]);
		missing_ns =
		    check_rounds(run, trace, &run->progress->threads[i]);
		most_ns = missing_ns > most_ns ? missing_ns : most_ns;
	}
	totals->missing_ns[__atomic_fetch_add(&totals->checked, 1,
					      __ATOMIC_RELAXED)] = most_ns;
	xs_trace_free(trace);
	check_command(run, "dump");
	check_command(run, "report");
}

/* A process that is killed before its first call returned may have no trace. */
static void one_run(const struct paths *paths, unsigned number)
{
	struct run run = {.paths = paths};
	struct stat st;

	snprintf(run.progress_path, sizeof(run.progress_path), "progress.%u",
		 number);
	snprintf(run.trace_path, sizeof(run.trace_path), "%u.xspy", number);
	open_progress(&run);
	live_and_die(&run, number);
	__atomic_fetch_add(&totals->runs, 1, __ATOMIC_RELAXED);
	if (nothing_was_done(&run) &&
	    (stat(run.trace_path, &st) || st.st_size == 0))
		__atomic_fetch_add(&totals->empty, 1, __ATOMIC_RELAXED);
	else
		check_trace(&run);
	munmap(run.progress, sizeof(*run.progress));
	unlink(run.progress_path);
	unlink(run.trace_path);
}

static void run_share(const struct paths *paths, unsigned share, unsigned kills)
{
	srandom(share + 1);
	for (unsigned i = share; i < kills; i += AT_ONCE)
		one_run(paths, i);
	exit(0);
}

/* Waits for all children. *late_ns: the longest delay of this process, which
 * does nothing, due to other load on the machine. */
static bool wait_for_all(uint64_t *late_ns)
{
	bool failed = false;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) >= 0) {
		uint64_t begin_ns = now_ns(), took_ns;

		failed |= pid > 0 && status != 0;
		usleep(LOOK_US);
		took_ns = now_ns() - begin_ns - LOOK_US * 1000u;
		if (took_ns > *late_ns)
			*late_ns = took_ns;
	}
	return failed;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns what half of the runs miss at most. Others may have been killed
 * while the machine, busy with other things, delayed the collector. */
static uint64_t usual_missing_ns(void)
{
	qsort(totals->missing_ns, totals->checked, sizeof(uint64_t), by_value);
	return totals->checked ? totals->missing_ns[totals->checked / 2] : 0;
}

int main(int argc, char **argv)
{
	const struct paths paths = {argc > 1 ? argv[1] : "",
				    argc > 2 ? argv[2] : "",
				    argc > 3 ? argv[3] : ""};
	unsigned kills = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	uint64_t late_ns = 0;
	bool failed;

	totals =
	    mmap(NULL, sizeof(*totals) + kills * sizeof(uint64_t),
		 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (totals == MAP_FAILED)
		return 1;
	for (unsigned share = 0; share < AT_ONCE; share++)
		if (fork() == 0)
			run_share(&paths, share, kills);
	failed = wait_for_all(&late_ns);
	printf(
	    "%u kills, %u before the trace began; %u calls, %u rounds of "
	    "the GPU; usually %u ms of them missing, the machine %u ms late\n",
	    totals->runs, totals->empty, totals->calls, totals->rounds,
	    (unsigned)(usual_missing_ns() / 1000000),
	    (unsigned)(late_ns / 1000000));
	return failed || totals->rounds == 0 ||
	       totals->empty > totals->runs / 2 ||
	       usual_missing_ns() > INTERVAL_NS + SLACK_NS + late_ns;
}
