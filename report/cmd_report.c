/* SPDX-License-Identifier: MIT */
/* xferspy report: what each strategy would bring. */
#include "report/cli.h"
#include "report/render.h"
#include "report/result.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

/* Chunks beyond this are no plan of anybody's. */
#define STREAMS_MAX 4096

static const char usage[] =
    "Usage: xferspy report TRACE... [OPTIONS]\n"
    "Where the time of a run went, and what other ways of moving its data\n"
    "would have brought, in ms of the whole run.\n"
    "\n"
    "  --format FORMAT      text (the default), json or csv (estimates)\n"
    "  -o, --output FILE    write there, not to the standard output\n"
    "  --machine FILE|NAME  profile of the machine, such as h200; without\n"
    "                       it one is fitted from each trace\n"
    "  --streams N          also show exactly N streams\n"
    "  --atgpu              also show each phase on the ATGPU model (JSON\n"
    "                       always has it)\n"
    "  -h, --help           this text\n"
    "\n"
    "Several traces: one report after another; in JSON an array.\n";

struct options {
	enum xs_format format;
	const char *output;
	const char *machine;
	unsigned streams;
	bool atgpu, help;
};

static int parse(int argc, char **argv, struct options *out)
{
	static const struct option options[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"output", required_argument, NULL, 'o'},
	    {"machine", required_argument, NULL, 'm'},
	    {"streams", required_argument, NULL, 's'},
	    {"atgpu", no_argument, NULL, 'a'},
	    {"help", no_argument, NULL, 'h'},
	    {0}};
	int option, err = 0;

	opterr = 0;
	while (!err && (option = getopt_long(argc, argv, ":o:h", options,
					     NULL)) != -1) {
		switch (option) {
		case 'f':
			err = xs_cli_format(optarg, "text, json, csv",
					    &out->format);
			break;
		case 'o':
			out->output = optarg;
			break;
		case 'm':
			out->machine = optarg;
			break;
		case 's':
			if (xs_units_parse_count(optarg, STREAMS_MAX,
						 &out->streams) < 0)
				err = xs_cli_error(
				    XS_EXIT_USAGE, optarg,
				    "no number of streams",
				    "give a whole number from 1 to 4096");
			break;
		case 'a':
			out->atgpu = true;
			break;
		case 'h':
			out->help = true;
			return 0;
		default:
			err = xs_cli_bad_option("report", argv, option);
		}
	}
	if (!err && optind == argc)
		err =
		    xs_cli_error(XS_EXIT_USAGE, "report", "no trace was given",
				 "name the file that the traced program "
				 "wrote (*.xspy)");
	return err;
}

static int render(const struct options *options,
		  struct xs_result *const *results, size_t count, FILE *out)
{
	switch (options->format) {
	case XS_FORMAT_JSON:
		return xs_render_json(results, count, out);
	case XS_FORMAT_CSV:
		xs_render_csv(results, count, out);
		return 0;
	case XS_FORMAT_TEXT:
		break;
	}
	return xs_render_text(results, count, xs_cli_color(out), out);
}

int xs_cmd_report(int argc, char **argv)
{
	struct options options = {.format = XS_FORMAT_TEXT};
	struct xs_result_options how = {0};
	struct xs_result **results = NULL;
	struct xs_machine machine;
	size_t count = 0;
	FILE *out = NULL;
	int code, err = 0;

	code = parse(argc, argv, &options);
	if (code)
		return code;
	if (options.help) {
		fputs(usage, stdout);
		return XS_EXIT_DONE;
	}
	how.streams = options.streams;
	how.atgpu = options.atgpu;
	if (options.machine) {
		code = xs_cli_machine(options.machine, &machine);
		if (code)
			return code;
		how.machine = &machine;
	}
	code = xs_cli_not_input(options.output, argv + optind, argc - optind);
	if (!code)
		code = xs_cli_open(options.output, &out);
	if (code)
		return code;
	results = calloc((size_t)(argc - optind), sizeof(*results));
	if (!results)
		err = -ENOMEM;
	for (int i = optind; i < argc && !code && !err; i++) {
		code = xs_cli_read(argv[i], &how, &results[count]);
		count += !code;
	}
	if (!code && !err)
		err = render(&options, results, count, out);
	if (xs_cli_close(options.output, out, err) && !code)
		code = XS_EXIT_INPUT;
	for (size_t i = 0; i < count; i++)
		xs_result_free(results[i]);
	free(results);
	return code;
}
