/* SPDX-License-Identifier: MIT */
/* Runs whole processes with the preloaded library, on a CUDA runtime whose
 * functions only return: checks the application's results and the trace. */
#include "tests/unit.h"

#include "records.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWERS "0 1 0 1 0 0 0 2 1\n"

/* What a program left, and the records of a trace of it. */
static struct outcome {
	int status;
	char out[4096], err[4096];
	glob_t traces;
} o;
static struct records r;

static void remove_traces(void)
{
	glob_t traces;

	if (glob("test_process.*.xspy*", 0, NULL, &traces) == 0)
		for (size_t i = 0; i < traces.gl_pathc; i++)
			unlink(traces.gl_pathv[i]);
	globfree(&traces);
}

static void read_all(const char *path, char *text, size_t bytes)
{
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(text, 1, bytes - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
}

static void start(const char *command)
{
	memset(&o, 0, sizeof(o));
	o.status = system(command);
	read_all("test_process.out", o.out, sizeof(o.out));
	read_all("test_process.err", o.err, sizeof(o.err));
	glob("test_process.*.xspy*", 0, NULL, &o.traces);
}

/* Runs the program with the library, without CUPTI, and with additional
 * `environment` ("A=b C=d"). */
static void run(const char *environment, const char *how)
{
	char command[2048];

	remove_traces();
	snprintf(command, sizeof(command),
		 "env LD_PRELOAD=%s XFERSPY_CUPTI=/no/libcupti "
		 "XFERSPY_OUTPUT=test_process.%%p.xspy %s %s %s "
		 ">test_process.out 2>test_process.err",
		 XS_TEST_LIBRARY, environment, XS_TEST_APP, how);
	start(command);
}

static void expect_trace(size_t n, uint32_t state)
{
	assert_true(o.traces.gl_pathc > n);
	records_read(&r, o.traces.gl_pathv[n]);
	assert_int_equal(r.damaged, 0);
	assert_int_equal(r.header.state, state);
	assert_int_equal(r.header.lost_calls, 0);
}

/* The calls of use_cuda() in app.c. */
static void expect_calls(size_t times)
{
	assert_int_equal(records_of(&r, XS_REC_memcall), 3 * times);
	assert_int_equal(records_of(&r, XS_REC_copycall), 2 * times);
	assert_int_equal(records_of(&r, XS_REC_call), 1 * times);
	assert_int_equal(records_of(&r, XS_REC_waitcall), 1 * times);
}

TEST(application_results_are_unchanged)
{
	run("", "");
	assert_string_equal(o.out, ANSWERS);
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_int_equal(o.traces.gl_pathc, 1);
	expect_trace(0, XS_FILE_CLOSED);
	expect_calls(1);

	const struct xs_rec_memcall *memory =
	    records_get(&r, XS_REC_memcall, 0)->at;
	assert_int_equal(memory->bytes, 64);
	assert_int_equal(memory->address, 0x7000000 + 64);
	memory = records_get(&r, XS_REC_memcall, 2)->at;
	assert_int_equal(memory->error, 2); /* out of memory */
	const struct xs_rec_copycall *copy =
	    records_get(&r, XS_REC_copycall, 0)->at;
	assert_int_equal(copy->bytes, 64);
	assert_int_equal(copy->direction, 1);
	assert_int_equal(copy->dst, 0x7000000 + 64);
	copy = records_get(&r, XS_REC_copycall, 1)->at;
	assert_int_equal(copy->error, 1);
}

TEST(summary_is_one_line)
{
	char expected[1024];

	run("", "");
	assert_int_equal(o.traces.gl_pathc, 1);
	snprintf(expected, sizeof(expected),
		 "xferspy: wrote %s (12 KiB). Next: xferspy report %s\n",
		 o.traces.gl_pathv[0], o.traces.gl_pathv[0]);
	assert_string_equal(o.err, expected);
	run("XFERSPY_SUMMARY=0", "");
	assert_string_equal(o.err, "");
	assert_int_equal(o.traces.gl_pathc, 1);
}

/* A pipe without a reader, as after `./app 2>&1 | head -1`. */
TEST(summary_into_a_closed_pipe_is_harmless)
{
	remove_traces();
	signal(SIGPIPE, SIG_DFL);
	int status =
	    system("rm -f test_process.fifo; mkfifo test_process.fifo; "
		   "exec 3<>test_process.fifo 4>test_process.fifo 3<&-; "
		   "LD_PRELOAD=" XS_TEST_LIBRARY
		   " XFERSPY_LOG=1 XFERSPY_CUPTI=/no/libcupti "
		   "XFERSPY_OUTPUT=test_process.%p.xspy " XS_TEST_APP
		   " >test_process.out 2>&4");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
}

TEST(file_on_descriptor_2_is_unchanged)
{
	char own[64] = "";

	run("", "own-file");
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_int_equal(o.traces.gl_pathc, 1);
	read_all("test_process.own", own, sizeof(own));
	assert_string_equal(own, "");
}

TEST(process_without_cuda_leaves_nothing)
{
	run("", "nothing");
	assert_int_equal(o.status, 0);
	assert_string_equal(o.err, "");
	assert_int_equal(o.traces.gl_pathc, 0);
}

TEST(mode_off_leaves_nothing)
{
	run("XFERSPY_MODE=off", "");
	assert_string_equal(o.out, ANSWERS);
	assert_string_equal(o.err, "");
	assert_int_equal(o.traces.gl_pathc, 0);
}

TEST(uncreatable_output_is_reported)
{
	run("XFERSPY_OUTPUT=/no/such/folder/x", "");
	assert_string_equal(o.out, ANSWERS);
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_has(o.err, "xferspy: no trace: cannot create /no/such/folder/x: "
			  "No such file or directory; set XFERSPY_OUTPUT");
}

TEST(every_exit_closes_the_trace)
{
	static const struct {
		const char *how;
		int code;
	} ways[] = {{"_exit", 7}, {"_Exit", 8}, {"quick_exit", 9}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		run("", ways[i].how);
		assert_int_equal(WEXITSTATUS(o.status), ways[i].code);
		assert_string_equal(o.out, ANSWERS);
		assert_int_equal(o.traces.gl_pathc, 1);
		expect_trace(0, XS_FILE_CLOSED);
		expect_calls(1);
		records_free(&r);
	}
}

TEST(killed_process_leaves_a_readable_trace)
{
	run("", "kill");
	assert_string_equal(o.out, ANSWERS);
	assert_int_equal(o.traces.gl_pathc, 1);
	expect_trace(0, XS_FILE_RUNNING);
	expect_calls(1);
}

TEST(children_of_a_traced_process_write_nothing)
{
	run("", "fork-after");
	assert_string_equal(o.out, ANSWERS ANSWERS);
	assert_int_equal(WEXITSTATUS(o.status), 6);
	assert_int_equal(o.traces.gl_pathc, 1);
	expect_trace(0, XS_FILE_CLOSED);
	expect_calls(1);
}

/* Even though xferspy asks the loader for the objects of new call sites
 * meanwhile. */
TEST(child_forked_during_look_ups_can_load_libraries)
{
#ifdef __SANITIZE_THREAD__
	skip(); /* its own dlopen() takes a lock that forks do not wait for */
#endif
	run("", "fork-beside");
	assert_int_equal(WEXITSTATUS(o.status), 0);
	assert_int_equal(o.traces.gl_pathc, 1);
	expect_trace(0, XS_FILE_CLOSED);
	/* one more without optimisation */
	assert_in_range(records_of(&r, XS_REC_site), 1024 + 8, 1024 + 9);
}

TEST(child_forked_before_cuda_is_traced)
{
	run("", "fork-before");
	assert_string_equal(o.out, ANSWERS ANSWERS);
	assert_int_equal(o.traces.gl_pathc, 2);
	for (size_t i = 0; i < 2; i++) {
		char name[64];
		expect_trace(i, XS_FILE_CLOSED);
		expect_calls(1);
		snprintf(name, sizeof(name), "test_process.%u.xspy",
			 r.header.pid);
		assert_string_equal(o.traces.gl_pathv[i], name);
		records_free(&r);
	}
}

TEST(threads_lose_nothing)
{
	run("", "threads");
	assert_int_equal(o.status, 0);
	expect_trace(0, XS_FILE_CLOSED);
	assert_int_equal(records_of(&r, XS_REC_copycall), 8000);
	assert_int_equal(records_of(&r, XS_REC_site), 1);
	assert_true(records_of(&r, XS_REC_thread) >= 8);
}

/* Changes the trace $t with the shell command `change` in the middle of the
 * run; the program must not notice. Returns the file's final size. */
static off_t change_trace(const char *change)
{
	struct stat st;
	char command[2048];

	remove_traces();
	snprintf(
	    command, sizeof(command),
	    "rm -f test_process.out; { until grep -q ready test_process.out; "
	    "do sleep 0.02; done 2>/dev/null; t=$(echo test_process.*.xspy); "
	    "%s; echo; } | env LD_PRELOAD=%s XFERSPY_CUPTI=/no/libcupti "
	    "XFERSPY_OUTPUT=test_process.%%p.xspy %s interrupted "
	    ">test_process.out 2>test_process.err",
	    change, XS_TEST_LIBRARY, XS_TEST_APP);
	start(command);
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_string_equal(o.out, "ready\n" ANSWERS);
	assert_has(o.err, "was truncated or overwritten");
	assert_int_equal(o.traces.gl_pathc, 1);
	assert_int_equal(stat(o.traces.gl_pathv[0], &st), 0);
	return st.st_size;
}

TEST(overwritten_trace_is_harmless)
{
	assert_true(change_trace("head -c 4096 /dev/zero 1<>$t") >= 4096);
}

TEST(call_after_the_end_still_works)
{
	run("", "late");
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_string_equal(o.out, ANSWERS);
	assert_int_equal(o.traces.gl_pathc, 1);
}

static const char *info_of(const char *begin)
{
	static char text[XS_RECORD_MAX_BYTES + 1];
	const struct record *record;

	for (size_t i = 0; (record = records_get(&r, XS_REC_info, i)); i++) {
		const struct xs_rec_info *info = record->at;
		size_t bytes = info->words * 4u - sizeof(*info);
		memcpy(text, info + 1, bytes);
		text[bytes] = '\0';
		if (strncmp(text, begin, strlen(begin)) == 0)
			return text;
	}
	return NULL;
}

/* Runs a program that loads the library itself, as CUDA would, with this owner
 * and mode. Returns the number of traces. */
static size_t run_with_rights(const char *owner, const char *mode)
{
	char command[2048];

	remove_traces();
	unlink("test_process.log");
	snprintf(command, sizeof(command),
		 "cp %s test_process.copy && chown %s test_process.copy && "
		 "chmod %s test_process.copy && umask 0 && chmod 777 . && env "
		 "XFERSPY_OUTPUT=test_process.%%p.xspy XFERSPY_CUPTI=/no/lib "
		 "XFERSPY_LOG=test_process.log ./test_process.copy load %s "
		 ">test_process.out 2>&1; status=$?; rm test_process.copy; "
		 "chmod 755 .; exit $status",
		 XS_TEST_APP, owner, mode, XS_TEST_LIBRARY);
	start(command);
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_has(o.out, ANSWERS);
	return o.traces.gl_pathc;
}

static bool others_see_the_library(void)
{
	assert_int_equal(seteuid(65534), 0);
	bool seen = faccessat(AT_FDCWD, XS_TEST_LIBRARY, R_OK, AT_EACCESS) == 0;
	assert_int_equal(seteuid(0), 0);
	return seen;
}

TEST(setuid_program_is_not_traced)
{
#ifdef __SANITIZE_ADDRESS__
	skip(); /* a library with this sanitizer must be loaded at the start */
#endif
	if (geteuid() != 0)
		skip(); /* only root can change a file's owner */
	if (!others_see_the_library())
		skip(); /* a program of theirs could not load it */
	assert_int_equal(run_with_rights("root", "755"), 1);
	assert_int_equal(access("test_process.log", F_OK), 0);
	assert_int_equal(run_with_rights("nobody", "4755"), 0);
	assert_int_not_equal(access("test_process.log", F_OK), 0);
}

TEST(trace_states_its_coverage)
{
	setenv("XFERSPY_HASHES", "secret", 1);
	run("XFERSPY_MODE=wrong", "a b");
	unsetenv("XFERSPY_HASHES");
	expect_trace(0, XS_FILE_CLOSED);
	const char *app = info_of("app=");
	assert_non_null(app);
	assert_string_equal(app, "app=" XS_TEST_APP " a b");
	assert_non_null(info_of("host="));
	assert_non_null(info_of("mode=trace"));
	assert_non_null(
	    info_of("note=XFERSPY_MODE=wrong is not valid (trace, "));
	assert_non_null(info_of("note=XFERSPY_HASHES is no variable of "));
	assert_non_null(info_of("note=libcupti was not found"));
	const char *cudart = info_of("cudart=dynamic:/");
	assert_non_null(cudart);
	assert_has(cudart, "/libcudart.so.13");
}

/* Polls are merged, and written with the call after them or at the exit. They
 * belong to one record only if they follow each other within 0.1 s. */
TEST(last_polls_are_written_at_exit)
{
	uint64_t polls = 0;

	run("", "polls");
	assert_int_equal(WEXITSTATUS(o.status), 3);
	expect_trace(0, XS_FILE_CLOSED);
	expect_calls(1);
	for (size_t i = 0; i < records_of(&r, XS_REC_pollcall); i++) {
		const struct record *record =
		    records_get(&r, XS_REC_pollcall, i);
		struct xs_rec_pollcall poll;

		memcpy(&poll, record->at, sizeof(poll));
		assert_int_equal(poll.ready, 0);
		polls += poll.polls;
	}
	assert_int_equal(polls, 5);
}

/* Returns the seconds that the run takes. */
static time_t run_timed(const char *environment)
{
	struct timespec before, after;

	clock_gettime(CLOCK_MONOTONIC, &before);
	run(environment, "");
	clock_gettime(CLOCK_MONOTONIC, &after);
	return after.tv_sec - before.tv_sec;
}

/* A GPU that hangs delays the exit by at most 2 seconds, and the trace states
 * what it lacks. The bound grows with the time of a run without it. */
TEST(hanging_gpu_delays_exit_by_two_seconds)
{
	time_t usual, took;

	usual = run_timed("");
	/* an old CUPTI has no counters, nor has a build without them */
	took = run_timed("XFERSPY_MODE=counters XFERSPY_CUPTI=" XS_TEST_CUPTI);
	assert_int_equal(WEXITSTATUS(o.status), 3);
	assert_string_equal(o.out, ANSWERS);
	assert_true(took < 60 + 5 * usual);
	expect_trace(0, XS_FILE_CLOSED);
	expect_calls(1);
	assert_non_null(info_of("cupti=130000 " XS_TEST_CUPTI));
	assert_non_null(info_of("note=another tool has CUPTI's callbacks"));
	assert_non_null(info_of("mode=counters"));
	assert_non_null(info_of("note=kernels are not counted: this lib"));
	assert_non_null(info_of("note=the GPU did not answer in the 2 s"));
}

FIXTURE(drop)
{
	records_free(&r);
	return 0;
}

RUN_TESTS(NULL, drop)
