/* SPDX-License-Identifier: MIT */
/* xferspy model: the published equations, from numbers alone. */
#include "model/model.h"
#include "report/build.h"
#include "report/cli.h"
#include "report/render_model.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <string.h>

#define STREAMS_MAX 4096

static const char usage[] =
    "Usage: xferspy model --machine FILE|NAME --kernel-ms T\n"
    "         (--h2d-bytes N | --h2d-ms T) (--d2h-bytes N | --d2h-ms T)\n"
    "What the published equations say of copies in, a kernel, copies out.\n"
    "\n"
    "  --machine FILE|NAME  profile of the machine, such as gtx-680\n"
    "  --h2d-bytes N        to the device: 67108864, 64MiB, 1.5G\n"
    "  --d2h-bytes N        to the host\n"
    "  --h2d-ms T           the time of it, where that is known instead\n"
    "  --d2h-ms T\n"
    "  --kernel-ms T        of the kernel alone\n"
    "  --streams N          also exactly N streams\n"
    "  --format FORMAT      text (the default) or json\n"
    "  -o, --output FILE    write there, not to the standard output\n"
    "  -h, --help           this text\n"
    "\n"
    "Equations of B. van Werkhoven et al. 2014, Performance models for\n"
    "CPU-GPU data transfers: explicit (section V), eq1 and eq2 (streams,\n"
    "implicit synchronisation), eq3 and eq4 (one copy engine), eq5 (two;\n"
    "and hybrid), eq6 (mapped). Of J. Gomez-Luna et al. 2011, Performance\n"
    "models for CUDA streams on NVIDIA GeForce series: eq1 and eq3 (one copy\n"
    "engine), eq5 and eq7 (with implicit synchronisation), and the best\n"
    "number of streams of each: eq2, eq4, eq6, eq8. docs/models.md says\n"
    "where each is wrong.\n";

struct options {
	enum xs_format format;
	const char *output, *machine;
	struct xs_workload work; /* NAN: not given */
	unsigned streams;
	bool help;
};

static int bad_value(const char *option, const char *hint)
{
	return xs_cli_error(XS_EXIT_USAGE, option, "the value is not a number",
			    hint);
}

static int parse_bytes(const char *option, double *bytes)
{
	int64_t value;

	if (xs_units_parse_bytes(optarg, &value) < 0)
		return bad_value(option, "give bytes, such as 67108864 or "
					 "64MiB");
	*bytes = (double)value;
	return 0;
}

static int parse_ms(const char *option, double *ns)
{
	double ms;

	/* 10^12 ms are 31 years, and still fit int64_t as ns */
	if (xs_units_parse_number(optarg, &ms) < 0 || ms > 1e12)
		return bad_value(option, "give milliseconds, such as 12.5");
	*ns = ms * 1e6;
	return 0;
}

static int parse_option(int option, struct options *out)
{
	switch (option) {
	case 'f':
		return xs_cli_format(optarg, "text, json", &out->format);
	case 'o':
		out->output = optarg;
		return 0;
	case 'm':
		out->machine = optarg;
		return 0;
	case 'i':
		return parse_bytes("--h2d-bytes", &out->work.h2d_bytes);
	case 'u':
		return parse_bytes("--d2h-bytes", &out->work.d2h_bytes);
	case 'I':
		return parse_ms("--h2d-ms", &out->work.h2d_ns);
	case 'U':
		return parse_ms("--d2h-ms", &out->work.d2h_ns);
	case 'k':
		return parse_ms("--kernel-ms", &out->work.kernel_ns);
	default:
		if (xs_units_parse_count(optarg, STREAMS_MAX, &out->streams) ==
		    0)
			return 0;
		return bad_value("--streams",
				 "give a whole number from 1 to 4096");
	}
}

static int check(const struct options *options)
{
	const struct xs_workload *work = &options->work;
	const char *missing = NULL;

	if (!options->machine)
		missing = "--machine FILE|NAME";
	else if (isnan(work->kernel_ns))
		missing = "--kernel-ms T";
	else if (isnan(work->h2d_bytes) && isnan(work->h2d_ns))
		missing = "--h2d-bytes N or --h2d-ms T";
	else if (isnan(work->d2h_bytes) && isnan(work->d2h_ns))
		missing = "--d2h-bytes N or --d2h-ms T";
	if (!missing)
		return 0;
	return xs_cli_error(XS_EXIT_USAGE, missing, "it is missing",
			    "see xferspy model --help");
}

static int parse(int argc, char **argv, struct options *out)
{
	static const struct option options[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"output", required_argument, NULL, 'o'},
	    {"machine", required_argument, NULL, 'm'},
	    {"h2d-bytes", required_argument, NULL, 'i'},
	    {"d2h-bytes", required_argument, NULL, 'u'},
	    {"h2d-ms", required_argument, NULL, 'I'},
	    {"d2h-ms", required_argument, NULL, 'U'},
	    {"kernel-ms", required_argument, NULL, 'k'},
	    {"streams", required_argument, NULL, 's'},
	    {"help", no_argument, NULL, 'h'},
	    {0}};
	int option, err;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:h", options, NULL)) !=
	       -1) {
		if (option == '?' || option == ':')
			return xs_cli_bad_option("model", argv, option);
		if (option == 'h') {
			out->help = true;
			return 0;
		}
		err = parse_option(option, out);
		if (err)
			return err;
	}
	if (optind < argc)
		return xs_cli_error(XS_EXIT_USAGE, argv[optind],
				    "model takes options alone",
				    "see xferspy model --help");
	return check(out);
}

/* The rows for the best n, and where n was given those for it too. 0 or
 * -errno. */
static int evaluate(const struct options *options,
		    const struct xs_machine *machine, struct xs_estimates *out)
{
	struct xs_model_options how = {0};
	struct xs_estimates more = {0};
	int err = xs_model_workload(&options->work, machine, &how, out);

	if (err || !options->streams)
		return err;
	how.streams = options->streams;
	err = xs_model_workload(&options->work, machine, &how, &more);
	for (size_t i = 0; !err && i < more.count; i++)
		if (more.items[i].n_streams)
			err = xs_estimates_add(out, &more.items[i]);
	xs_estimates_free(&more);
	return err;
}

static int64_t whole(double number)
{
	return isfinite(number) ? llround(number) : XS_UNKNOWN;
}

static double time_of(double ns, double bytes, double lo_ns, double G)
{
	if (!isnan(ns))
		return ns;
	return bytes > 0 ? lo_ns + bytes * G : 0;
}

/* list as rows of the result; they are set against the explicit one. */
static void fill(struct xs_model_result *out, struct xs_result *result,
		 const struct options *options, const struct xs_estimates *list)
{
	const struct xs_machine *m = &out->machine;
	const struct xs_workload *work = &options->work;
	struct xs_result_phase base = {.rounds = 1, .round_ns = XS_UNKNOWN};

	out->h2d_bytes = whole(work->h2d_bytes);
	out->d2h_bytes = whole(work->d2h_bytes);
	out->h2d_ns = whole(time_of(work->h2d_ns, work->h2d_bytes,
				    m->lo_h2d_ns.value, m->G_h2d.value));
	out->d2h_ns = whole(time_of(work->d2h_ns, work->d2h_bytes,
				    m->lo_d2h_ns.value, m->G_d2h.value));
	out->kernel_ns = whole(work->kernel_ns);
	out->estimates = xs_arena_alloc(&result->arena, list->count,
					sizeof(*out->estimates));
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].strategy, "pinned") == 0)
			base.round_ns = whole(list->items[i].round_ns);
	for (size_t i = 0; out->estimates && i < list->count; i++)
		xs_build_estimate(
		    result, base.round_ns == XS_UNKNOWN ? NULL : &base,
		    &list->items[i], &out->estimates[out->estimate_count++]);
}

static int print(const struct options *options,
		 const struct xs_model_result *model)
{
	FILE *out;
	int code = xs_cli_open(options->output, &out), err;

	if (code)
		return code;
	if (options->format == XS_FORMAT_JSON)
		err = xs_render_model_json(model, out);
	else
		err = xs_render_model_text(model, xs_cli_color(out), out);
	return xs_cli_close(options->output, out, err);
}

int xs_cmd_model(int argc, char **argv)
{
	struct options options = {.work = {NAN, NAN, NAN, NAN, NAN}};
	struct xs_result result = {.run.wall_ns = XS_UNKNOWN};
	struct xs_model_result model = {0};
	struct xs_estimates list = {0};
	int code = parse(argc, argv, &options), err;

	if (code)
		return code;
	if (options.help) {
		fputs(usage, stdout);
		return XS_EXIT_DONE;
	}
	code = xs_cli_machine(options.machine, &model.machine);
	if (code)
		return code;
	err = evaluate(&options, &model.machine, &list);
	if (!err)
		fill(&model, &result, &options, &list);
	if (err || result.arena.failed)
		code = xs_cli_error(XS_EXIT_INPUT, "model",
				    strerror(err ? -err : ENOMEM),
				    "check the numbers");
	else
		code = print(&options, &model);
	xs_estimates_free(&list);
	xs_arena_free(&result.arena);
	return code;
}
