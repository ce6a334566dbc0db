/* SPDX-License-Identifier: MIT */
/* xferspy calibrate: measures a machine profile. */
#include "model/machine/choice.h"
#include "model/machine/machine_json.h"
#include "report/calibrate/bench.h"
#include "report/commands/cli.h"
#include "report/commands/unfinished.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct calibrate_options {
	const char *output; /* NULL: the user's calibrations */
	const char *name;   /* NULL: named after the GPU */
	int device;
};

struct step {
	const char *what;
	xs_bench_step *measure;
};

static char late[160]; /* what is said then */

static void on_deadline(int number)
{
	(void)number, (void)!write(STDERR_FILENO, late, strlen(late));
	xs_unfinished_delete();
	_exit(XS_EXIT_INPUT);
}

/* No call of the driver has a deadline, and a launch may hang. */
static void set_deadline(const char *what)
{
	sigset_t deadline;

	alarm(0);
	snprintf(late, sizeof(late),
		 "xferspy: calibrate: %s: the GPU did not answer within %d s; "
		 "look at it with nvidia-smi and try again\n",
		 what, XS_BENCH_ANSWER_SECONDS);
	signal(SIGALRM, on_deadline);
	sigemptyset(&deadline);
	sigaddset(&deadline, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &deadline, NULL);
	xs_bench_expect_answer();
}

/* Before and after the passes. */
static const struct step describe = {"device", xs_bench_describe},
			 implicit_sync = {"implicit synchronisation",
					  xs_bench_implicit_sync},
			 self_check = {"self-check", xs_bench_check};

/* In each pass, in this order: blocking copies need L+o and G. */
static const struct step steps[] = {
    {"copy latency", xs_bench_latency},
    {"copy bandwidth", xs_bench_bandwidth},
    {"gap between copies", xs_bench_gap},
    {"copies in both directions", xs_bench_both_ways},
    {"mapped memory", xs_bench_mapped},
    {"partial lines in mapped memory", xs_bench_mapped_parts},
    {"mapped reads in flight", xs_bench_in_flight},
    {"mapped memory beside copies", xs_bench_mapped_against},
    {"partial sector writes", xs_bench_mapped_partial},
    {"mapped writes during copies", xs_bench_mapped_writes},
    {"copies that wait for kernels", xs_bench_pipeline},
    {"kernels that wait for copies", xs_bench_copy_to_kernel},
    {"pageable copies", xs_bench_pageable},
    {"calls", xs_bench_calls},
    {"blocking copies", xs_bench_blocking_copy},
    {"kernel launch", xs_bench_launch},
    {"synchronisation", xs_bench_sync},
    {"polls", xs_bench_polls},
    {"mailbox", xs_bench_mailbox},
    {"messages of kernels", xs_bench_messages},
    {"loads and stores of a block", xs_bench_blocks},
    {"gap between kernels", xs_bench_kernel_gap},
    {"stream creation", xs_bench_stream_create},
    {"graphs", xs_bench_graph},
    {"batches of copies", xs_bench_batch},
    {"pinned allocation", xs_bench_pin},
    {"registration", xs_bench_register},
    {"first touch", xs_bench_touch},
    {"device allocation", xs_bench_allocate},
    {"gathering", xs_bench_gather},
    {"copies between GPUs", xs_bench_peers},
};

#define STEPS (sizeof(steps) / sizeof(*steps))

static int parse_device(const char *name, const char *text, void *into)
{
	char *end;
	long value = strtol(text, &end, 10);

	(void)name;
	if (*text == '\0' || *end != '\0' || value < 0 || value > INT_MAX)
		return xs_cli_misuse(text, "not a device number",
				     "give a whole number; the first is 0");
	*(int *)into = (int)value;
	return 0;
}

static const struct xs_cli_option options[] = {
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct calibrate_options, output),
     "write to FILE, - for standard output, instead of\n"
     "keeping it for reports of this GPU and host"},
    {"--device", 0, "N", parse_device,
     offsetof(struct calibrate_options, device),
     "number of the GPU to measure (default 0)"},
    {"--name", 0, "NAME", xs_cli_parse_text,
     offsetof(struct calibrate_options, name),
     "name of the profile (default: from the GPU's)"},
    {0}};

static int calibrate_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_calibrate = {
    .name = "calibrate",
    .function = calibrate_main,
    .summary = "measure this machine's profile",
    .usage = "Usage: xferspy calibrate [OPTIONS]\n"
	     "Measures how fast this machine moves data between host and GPU. "
	     "Without -o\n"
	     "the profile is kept in $XDG_DATA_HOME/xferspy (default: "
	     "~/.local/share/xferspy),\n"
	     "and reports on traces of this GPU and host use it. Takes less "
	     "than a minute;\n"
	     "keep the machine idle meanwhile.\n",
    .notes = "At the end it prints how far replay predictions differ from "
	     "measured rounds,\n"
	     "to standard error if the profile goes to standard output.\n",
    .options = options,
};

/* "NVIDIA GeForce RTX 4090" becomes "geforce-rtx-4090". */
static void name_after_gpu(const char *gpu, char *name, size_t size)
{
	size_t n = 0;

	if (strncmp(gpu, "NVIDIA ", 7) == 0)
		gpu += 7;
	for (; *gpu != '\0' && n + 1 < size; gpu++)
		name[n++] = isalnum((unsigned char)*gpu)
				? (char)tolower((unsigned char)*gpu)
				: '-';
	name[n] = '\0';
}

static void label(struct xs_machine *machine,
		  const struct calibrate_options *given)
{
	time_t now = time(NULL);
	struct tm utc;

	snprintf(machine->source, sizeof(machine->source), "calibrated");
	if (gmtime_r(&now, &utc) != NULL)
		strftime(machine->date, sizeof(machine->date),
			 "%Y-%m-%dT%H:%M:%SZ", &utc);
	if (given->name != NULL)
		snprintf(machine->name, sizeof(machine->name), "%s",
			 given->name);
	else
		name_after_gpu(machine->gpu, machine->name,
			       sizeof(machine->name));
}

/* Reports a failed step on stderr and in the profile's notes. */
static void note_failure(struct xs_machine *machine, const char *what,
			 const char *why, bool again)
{
	size_t used = strlen(machine->notes);

	fprintf(stderr, "xferspy: calibrate: %s: %s; %s\n", what, why,
		again ? "results of earlier passes are kept"
		      : "left out of the profile");
	snprintf(machine->notes + used, sizeof(machine->notes) - used,
		 "%snot measured%s: %s (%s)", used > 0 ? "; " : "",
		 again ? " again" : "", what, why);
}

/* Runs a step of a pass (0: outside the passes). Returns false if it failed;
 * the profile then has what was measured before. */
static bool take(const struct step *step, int pass, struct xs_bench *bench)
{
	bool progress = isatty(STDERR_FILENO), failed;

	if (progress && pass > 0)
		fprintf(stderr, "\r\033[Kpass %d of %d: %s\r", pass,
			XS_BENCH_PASSES, step->what);
	else if (progress)
		fprintf(stderr, "\r\033[K%s\r", step->what);
	set_deadline(step->what);
	step->measure(bench);
	if (progress)
		fputs("\033[K", stderr);
	failed = xs_cuda_failed(&bench->gpu);
	if (failed)
		note_failure(bench->machine, step->what, bench->gpu.failure,
			     pass > 1);
	xs_cuda_clear(&bench->gpu);
	return !failed;
}

/* Each pass runs all steps, so that a temporary disturbance affects only some
 * estimates of a parameter. Failed steps are not repeated. Returns whether none
 * has failed in the first pass. */
static bool measure(struct xs_bench *bench)
{
	bool failed[STEPS] = {false}, complete = true;

	take(&describe, 0, bench);
	take(&implicit_sync, 0, bench);
	for (int pass = 1; pass <= XS_BENCH_PASSES; pass++)
		for (size_t i = 0; i < STEPS; i++) {
			if (failed[i])
				continue;
			failed[i] = !take(&steps[i], pass, bench);
			complete = complete && (pass > 1 || !failed[i]);
		}
	bench->machine->passes = XS_BENCH_PASSES;
	take(&self_check, 0, bench);
	alarm(0);
	return complete;
}

/* Where the profile goes. */
struct destination {
	char own[PATH_MAX]; /* among the user's calibrations, or "" */
	char uuid[48], host[64];
	const char *open; /* the file that is opened; NULL: stdout */
	FILE *out;
};

/* Creates the folders of a path, which has two slashes or more. */
static int make_folders(const char *path)
{
	char folder[PATH_MAX];

	for (const char *end = strchr(path + 1, '/'); end;
	     end = strchr(end + 1, '/')) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(end - path),
			 path);
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Names the user's calibration of the GPU. */
static int name_own(const struct xs_bench *bench, struct destination *to)
{
	int err;

	xs_bench_read_uuid(bench, to->uuid, sizeof(to->uuid));
	if (gethostname(to->host, sizeof(to->host)) != 0)
		to->host[0] = '\0';
	err = xs_machine_own_path(to->uuid, to->host, to->own, sizeof(to->own));
	if (err)
		return xs_cli_fail("calibrate",
				   "the GPU's UUID, the host's name or your "
				   "home folder is not known",
				   "name a file with -o");
	err = make_folders(to->own);
	if (err)
		return xs_cli_fail(to->own, strerror(-err),
				   "name a file with -o");
	to->open = to->own;
	return 0;
}

static int open_output(const struct calibrate_options *given,
		       const struct xs_bench *bench, struct destination *to)
{
	int code = 0;

	to->open = given->output;
	if (!given->output)
		code = name_own(bench, to);
	return code ? code : xs_cli_open(to->open, &to->out);
}

/* An earlier calibration stays until the new one is complete. */
static int close_output(struct xs_machine *machine, struct destination *to)
{
	int code;

	snprintf(machine->uuid, sizeof(machine->uuid), "%s", to->uuid);
	snprintf(machine->host, sizeof(machine->host), "%s", to->host);
	code =
	    xs_cli_close(to->open, to->out, xs_machine_write(machine, to->out));
	if (!code && to->own[0])
		xs_cli_print(
		    "%s: reports on traces of this GPU and host use it.",
		    to->own);
	return code;
}

/* Returns an exit code: an error, which keeps the earlier profile, if that one
 * has a parameter that is unknown now. */
static int compare_earlier(const struct xs_machine *machine,
			   const struct destination *to)
{
	struct xs_machine earlier;
	const char *lacks = NULL;
	char text[160];

	xs_machine_init(&earlier);
	if (to->open &&
	    xs_machine_read_json(to->open, &earlier, text, sizeof(text)) == 0)
		lacks = xs_machine_lacks(machine, &earlier);
	if (!lacks)
		return 0;
	snprintf(text, sizeof(text),
		 "kept as it was: it has %s, which could not be measured now",
		 lacks);
	return xs_cli_fail(to->open, text,
			   "try again, or name another file with -o");
}

static int write_profile(const struct calibrate_options *given,
			 struct xs_bench *bench, struct destination *to)
{
	FILE *summary = to->out == stdout ? stderr : stdout;
	struct xs_machine *machine = bench->machine;
	int code = 0;

	xs_machine_init(machine);
	if (!measure(bench))
		code = isnan(machine->G_h2d.value + machine->G_d2h.value)
			   ? xs_cli_fail("calibrate",
					 "not even copies could be measured",
					 "an earlier profile is kept")
			   : compare_earlier(machine, to);
	if (code) {
		xs_cli_discard(to->out);
		return code;
	}
	label(machine, given);
	code = close_output(machine, to);
	if (!code)
		xs_bench_summarize(machine, summary);
	return code;
}

static int calibrate_main(int argc, char **argv)
{
	struct calibrate_options given = {0};
	struct destination to = {0};
	struct xs_machine machine;
	struct xs_bench bench = {.machine = &machine};
	int code = xs_cli_parse(&xs_cmd_calibrate, argc, argv, &given);

	if (code)
		return code;
	set_deadline("start");
	if (xs_cuda_open(&bench.gpu, given.device) != 0)
		code = xs_cli_fail("calibrate", bench.gpu.failure,
				   "run it where nvidia-smi shows a GPU");
	else if (xs_bench_open(&bench) != 0)
		code =
		    xs_cli_fail("calibrate: cannot prepare", bench.gpu.failure,
				"it needs 1 GiB of the host's memory and 512 "
				"MiB of the GPU's");
	else
		code = open_output(&given, &bench, &to);
	if (!code)
		code = write_profile(&given, &bench, &to);
	set_deadline("end");
	xs_bench_close(&bench);
	xs_cuda_close(&bench.gpu);
	alarm(0);
	return code;
}
