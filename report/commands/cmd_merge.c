/* SPDX-License-Identifier: MIT */
/* xferspy merge: joins digests. */
#include "report/commands/cli.h"
#include "report/commands/job_inputs.h"
#include "report/job/digest.h"

#include <getopt.h>

struct merge_options {
	const char *output;
};

static const struct xs_cli_option options[] = {
    {"--output", 'o', "FILE", xs_cli_parse_text,
     offsetof(struct merge_options, output),
     "write to FILE instead of standard output"},
    {0}};

static int merge_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_merge = {
    .name = "merge",
    .function = merge_main,
    .summary = "join digests of traces into one",
    .usage = "Usage: xferspy merge DIGEST... [-o FILE]\n"
	     "Joins what xferspy digest or xferspy merge wrote: the same bytes "
	     "in any\n"
	     "order and grouping.\n",
    .notes = "What cannot be read is counted in the result; the exit code is "
	     "then 2.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
};

static int merge_main(int argc, char **argv)
{
	struct merge_options given = {0};
	struct xs_job_inputs inputs;
	json_t *all = NULL;
	FILE *out = NULL;
	int code = xs_cli_parse(&xs_cmd_merge, argc, argv, &given), failed;

	if (!code && optind == argc)
		code =
		    xs_cli_error(XS_EXIT_USAGE, "merge", "no digest was given",
				 "name what xferspy digest wrote");
	if (!code)
		code = xs_cli_check_output(given.output, argv + optind,
					   argc - optind);
	if (!code)
		code = xs_cli_open(given.output, &out);
	if (code)
		return code == XS_CLI_DONE ? XS_EXIT_DONE : code;
	inputs = (struct xs_job_inputs){argv + optind, argc - optind};
	failed = xs_job_inputs_merge(&inputs, NULL, &all);
	if (failed == inputs.count) { /* leaves an older output as it is */
		xs_cli_discard(out);
		json_decref(all);
		return XS_EXIT_INPUT;
	}
	code = xs_cli_close(given.output, out,
			    failed < 0 ? failed : xs_digest_write(all, out));
	json_decref(all);
	return code ? code : failed ? XS_EXIT_INPUT : 0;
}
