/* SPDX-License-Identifier: MIT */
/* xferspy model: evaluates the published equations from numbers. */
#include "report/commands/cli.h"
#include "report/commands/screen.h"
#include "report/formulas/evaluate.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#define COUNT_MAX 4096

struct model_options {
	const struct xs_renderer *renderer;
	const char *output;
	struct xs_cli_machines machines;
	struct xs_formulas_input question; /* without its machine */
	double sync_ns;			   /* NAN: from the profile */
	enum xs_screen_color color;
};

static int parse_bytes(const char *name, const char *value, void *into)
{
	int64_t bytes;

	if (xs_units_parse_bytes(value, &bytes) < 0)
		return xs_cli_bad_number(
		    name, value, "give bytes, such as 67108864 or 64MiB");
	*(double *)into = (double)bytes;
	return 0;
}

static int parse_ms(const char *name, const char *value, void *into)
{
	double ms;

	if (xs_units_parse_number(value, &ms) < 0)
		return xs_cli_bad_number(name, value,
					 "give milliseconds, such as 12.5");
	/* fits int64_t as ns */
	if (ms > 1e12)
		return xs_cli_misuse(name, "the value is more than 31 years",
				     "give milliseconds, such as 12.5");
	*(double *)into = ms * 1e6;
	return 0;
}

static int parse_plain(const char *name, const char *value, void *into)
{
	if (xs_units_parse_number(value, into) < 0)
		return xs_cli_bad_number(name, value,
					 "give a number, such as 1e9");
	return 0;
}

static int parse_count(const char *name, const char *value, void *into)
{
	if (xs_units_parse_count(value, COUNT_MAX, into) < 0)
		return xs_cli_bad_number(name, value,
					 "give a whole number from 1 to 4096");
	return 0;
}

/* Bytes or time of one direction, not both. */
static int check_direction(const char *bytes_option, double bytes,
			   const char *ms_option, double ns)
{
	char both[64];

	if (!isnan(bytes) && !isnan(ns)) {
		snprintf(both, sizeof(both), "%s and %s", bytes_option,
			 ms_option);
		return xs_cli_misuse(both, "they exclude each other",
				     "give either the bytes or the time");
	}
	if (!isnan(bytes) || !isnan(ns))
		return 0;
	snprintf(both, sizeof(both), "%s N or %s T", bytes_option, ms_option);
	return xs_cli_misuse(both, "it is missing", "see xferspy model --help");
}

/* Options that need other options. */
static int check_companions(const struct model_options *options)
{
	const struct xs_formulas_input *in = &options->question;
	const bool atgpu =
	    !isnan(in->memory_bytes + in->blocks + in->operations);

	if (!isnan(in->flops) && isnan(in->memory_bytes))
		return xs_cli_misuse("--flops", "it has no effect alone",
				     "give --memory-bytes too");
	if (in->connections || in->peer)
		return xs_cli_misuse(in->peer ? "--peer" : "--connections",
				     "it has no effect alone",
				     "give --control too");
	if (!atgpu && !(isnan(in->blocks) && isnan(in->operations) &&
			isnan(in->shared_bytes) && isnan(options->sync_ns)))
		return xs_cli_misuse(
		    "--blocks, --operations, --shared-bytes, --sync-ms",
		    "ATGPU needs further numbers",
		    "give --memory-bytes, --blocks and --operations together");
	return 0;
}

/* --control asks about messages, not about rounds. */
static int check_control(const struct model_options *options)
{
	const struct xs_formulas_input *in = &options->question;
	const struct xs_workload *work = &in->work;
	const double of_rounds[] = {
	    work->h2d_ns,     work->d2h_ns,   work->kernel_ns,
	    in->flops,	      in->blocks,     in->memory_bytes,
	    in->shared_bytes, in->operations, options->sync_ns};
	bool other =
	    in->streams || work->h2d_crossings + work->d2h_crossings > 0;

	for (size_t i = 0; i < sizeof(of_rounds) / sizeof(*of_rounds); i++)
		other = other || !isnan(of_rounds[i]);
	if (other)
		return xs_cli_misuse("--control",
				     "it excludes the options of rounds",
				     "give --machine, --h2d-bytes or "
				     "--d2h-bytes, and --connections");
	if (!(work->h2d_bytes > 0) && !(work->d2h_bytes > 0))
		return xs_cli_misuse("--control",
				     "it needs the bytes of a message",
				     "give --h2d-bytes or --d2h-bytes");
	return 0;
}

static int check(const struct model_options *options)
{
	const struct xs_workload *work = &options->question.work;
	int code;

	if (!options->machines.count)
		return xs_cli_misuse("--machine FILE|NAME", "it is missing",
				     options->question.control
					 ? "give it, and --h2d-bytes N or "
					   "--d2h-bytes N"
					 : "see xferspy model --help");
	if (options->question.control)
		return check_control(options);
	code = check_direction("--h2d-bytes", work->h2d_bytes, "--h2d-ms",
			       work->h2d_ns);
	if (!code)
		code = check_direction("--d2h-bytes", work->d2h_bytes,
				       "--d2h-ms", work->d2h_ns);
	if (!code)
		code = check_companions(options);
	return code;
}

static const struct xs_cli_option options[] = {
    {"--machine", 0, "FILE|NAME", xs_cli_parse_machine,
     offsetof(struct model_options, machines),
     "machine profile, such as gtx-680; the name list\n"
     "prints all names"},
    {"--h2d-bytes", 0, "N", parse_bytes,
     offsetof(struct model_options, question.work.h2d_bytes),
     "bytes to the device: 67108864, 64MiB, 1.5G"},
    {"--d2h-bytes", 0, "N", parse_bytes,
     offsetof(struct model_options, question.work.d2h_bytes),
     "bytes to the host"},
    {"--h2d-ms", 0, "T", parse_ms,
     offsetof(struct model_options, question.work.h2d_ns),
     "time of the copies to the device instead of their\n"
     "bytes"},
    {"--d2h-ms", 0, "T", parse_ms,
     offsetof(struct model_options, question.work.d2h_ns),
     "time of the copies to the host"},
    {"--kernel-ms", 0, "T", parse_ms,
     offsetof(struct model_options, question.work.kernel_ns),
     "time of the kernel alone; not needed if ATGPU can\n"
     "compute it (below)"},
    {"--streams", 0, "N", parse_count,
     offsetof(struct model_options, question.streams),
     "also predict exactly N streams"},
    {"--h2d-crossings", 0, "N", parse_plain,
     offsetof(struct model_options, question.work.h2d_crossings),
     "how often each byte copied to the device crosses\n"
     "the link if the kernel reads it in mapped memory\n"
     "(default: once)"},
    {"--d2h-crossings", 0, "N", parse_plain,
     offsetof(struct model_options, question.work.d2h_crossings),
     "the same for bytes that the kernel writes"},
    {"--flops", 0, "N", parse_plain,
     offsetof(struct model_options, question.flops),
     "operations of the kernel, for the bounds of\n"
     "section III-A (with --memory-bytes)"},
    {"--memory-bytes", 0, "N", parse_bytes,
     offsetof(struct model_options, question.memory_bytes),
     "bytes of device memory that the kernel reads and\n"
     "writes; ATGPU's q is N / 128"},
    {"--blocks", 0, "N", parse_plain,
     offsetof(struct model_options, question.blocks),
     "thread blocks of the kernel: ATGPU's k"},
    {"--operations", 0, "N", parse_plain,
     offsetof(struct model_options, question.operations),
     "operations of one block: ATGPU's t"},
    {"--shared-bytes", 0, "N", parse_bytes,
     offsetof(struct model_options, question.shared_bytes),
     "shared memory of one block: ATGPU's m"},
    {"--sync-ms", 0, "T", parse_ms, offsetof(struct model_options, sync_ns),
     "time of one synchronisation: ATGPU's sigma\n"
     "(default: from the profile)"},
    {"--control", 0, NULL, NULL,
     offsetof(struct model_options, question.control),
     "instead: who should start a transfer of so many bytes\n"
     "between GPU and host: the host, a host thread for the\n"
     "GPU, or the GPU by a kernel that stays"},
    {"--peer", 0, NULL, NULL, offsetof(struct model_options, question.peer),
     "of --control: between two GPUs, from (--h2d-bytes) or\n"
     "to (--d2h-bytes) the other one's memory"},
    {"--connections", 0, "N", parse_count,
     offsetof(struct model_options, question.connections),
     "of --control: so many blocks (default: as few as are\n"
     "best, up to 32)"},
    {"--format", 0, "FORMAT", NULL, offsetof(struct model_options, renderer),
     "one of: " XS_CLI_FORMATS " (default: text)"},
    XS_CLI_OUTPUT_ROW(struct model_options, output),
    XS_SCREEN_COLOR_ROW(struct model_options, color),
    {0}};

static const char notes[] =
    "Each row names its equation. From B. van Werkhoven et al. 2014,\n"
    "Performance models for CPU-GPU data transfers:\n"
    "  -explicit   section V: copies, kernel, copies; accurate to 0.1 %\n"
    "  -eq1, -eq2  streams, implicit synchronisation, one copy engine\n"
    "  -eq3, -eq4  streams, one copy engine; the larger of the two applies\n"
    "  -eq5        streams, two copy engines; hybrid on all machines. Too\n"
    "              short where copies dominate: it omits the host time of\n"
    "              calls and the contention of both directions\n"
    "  -eq5-both-G, -eq5-both-Gg\n"
    "              the same with G, and g, of copies both ways at once\n"
    "  -eq6        mapped memory; too short if kernels read and write at the\n"
    "              same time, far too short if they read bytes repeatedly\n"
    "  -eq6-counted, -eq6-counted-mapped\n"
    "              the same with the bytes of --h2d-crossings and\n"
    "              --d2h-crossings, and with the rates of mapped memory\n"
    "From P. Anastasiadis et al. 2021, CoCoPeLia:\n"
    "  cocopelia2021-3way  streams, two copy engines that slow each other\n"
    "From J. Gomez-Luna et al. 2011, Performance models for CUDA streams on\n"
    "NVIDIA GeForce series; streams are created in every round:\n"
    "  -eq1, -eq3  one copy engine; the best n of each by -eq2, -eq4\n"
    "  -eq5, -eq7  with implicit synchronisation; -eq6, -eq8\n"
    "From T. Carroll and P. Wong 2017, An improved abstract GPU model with\n"
    "data transfer (with --memory-bytes, --blocks and --operations):\n"
    "  atgpu-cost      expression 1: all blocks run at the same time, a bound\n"
    "  atgpu-gpu-cost  expression 2: ceil(k / (k' l)) times the operations\n"
    "  swgpu-cost      the same without transfers\n"
    "  In these nothing overlaps, not even operations and memory accesses.\n"
    "From B. Klenk, L. Oden and H. Froening 2014, Analyzing Put/Get APIs\n"
    "(--control; as device-initiated of a report; it prints no equations):\n"
    "  klenk2014-eq1, -eq2, -eq3  by the host, a host thread, the GPU\n"
    "docs/models.md has all equations and their measured accuracy.\n";

static int model_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_model = {
    .name = "model",
    .function = model_main,
    .summary = "evaluate the published equations",
    .usage =
	"Usage: xferspy model --machine FILE|NAME\n"
	"         (--h2d-bytes N | --h2d-ms T) (--d2h-bytes N | --d2h-ms T)\n"
	"         --kernel-ms T [OPTIONS]\n"
	"       xferspy model --machine FILE|NAME --control\n"
	"         [--h2d-bytes N] [--d2h-bytes N] [--peer] [--connections N]\n"
	"Evaluates the published equations for copies in, a kernel, copies "
	"out: what\n"
	"dominates, how much overlap saves, copies or mapped memory, how many\n"
	"streams, and what a faster link or GPU would change.\n",
    .notes = notes,
    .options = options,
    .has_formats = true,
    .formats = XS_RENDER_MODEL,
};

static int parse(int argc, char **argv, struct model_options *out)
{
	int code = xs_cli_parse(&xs_cmd_model, argc, argv, out);

	return code ? code : check(out);
}

static int print(const struct model_options *given,
		 const struct xs_formulas_result *model)
{
	struct xs_screen screen;
	int code = xs_screen_open(&screen, given->output, given->color);

	if (code)
		return code;
	return xs_cli_close(
	    screen.path, screen.out,
	    given->renderer->model(model, &screen.display, screen.out));
}

static int load(const struct model_options *given, struct xs_machine *machine)
{
	const double sync_ns = given->sync_ns;
	int code = xs_cli_machine(given->machines.names[0], machine);
	char why[64];

	if (!isnan(sync_ns))
		machine->sync_ns = (struct xs_param){sync_ns, sync_ns, sync_ns};
	if (code ||
	    given->question.connections <= xs_closed_form_klenk_blocks(machine))
		return code;
	snprintf(why, sizeof(why),
		 "a GPU of this profile is known to hold %.0f at once",
		 xs_closed_form_klenk_blocks(machine));
	return xs_cli_misuse("--connections", why, "give so many at most");
}

/* -EDOM: the kernel time is missing, and ATGPU cannot compute it. */
static int explain(int err, const char *unknown)
{
	char why[96];

	if (err != -EDOM)
		return xs_cli_fail("model", strerror(-err),
				   "check the numbers");
	if (!unknown)
		return xs_cli_misuse("--kernel-ms T", "it is missing",
				     "see xferspy model --help");
	snprintf(why, sizeof(why), "the profile lacks %s", unknown);
	return xs_cli_misuse("--kernel-ms T", why, "give the kernel's time");
}

static int model_main(int argc, char **argv)
{
	struct model_options given = {
	    .renderer = xs_renderers[0],
	    .machines.most = 1,
	    .question = {.work = {NAN, NAN, NAN, NAN, NAN, 0, 0},
			 .flops = NAN,
			 .memory_bytes = NAN,
			 .blocks = NAN,
			 .operations = NAN,
			 .shared_bytes = NAN},
	    .sync_ns = NAN};
	struct xs_machine machine;
	struct xs_formulas_result model = {0};
	const char *unknown;
	int code = parse(argc, argv, &given), err;

	if (code)
		return code;
	code = load(&given, &machine);
	if (code)
		return code;
	given.question.machine = &machine;
	err = xs_formulas_evaluate(&given.question, &model, &unknown);
	code = err ? explain(err, unknown) : print(&given, &model);
	xs_formulas_result_free(&model);
	return code;
}
