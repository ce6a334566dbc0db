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
    XS_CLI_OUTPUT_ROW(struct merge_options, output), {0}};

static int merge_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_merge = {
    .name = "merge",
    .function = merge_main,
    .summary = "join digests of traces into one",
    .usage = "Usage: xferspy merge DIGEST|FOLDER... [-o FILE]\n"
	     "Joins what xferspy digest or xferspy merge wrote: the same bytes "
	     "in any\n"
	     "order and grouping.\n",
    .notes = "What cannot be read is counted in the result; the exit code is "
	     "then 2.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
};

/* Merges the files, and writes that. Returns an exit code. */
static int merge(const char *output, const struct xs_job_inputs *inputs)
{
	json_t *all = NULL;
	FILE *out = NULL;
	int code = xs_cli_check_output(output, inputs->paths, inputs->count);
	int failed;

	if (!code)
		code = xs_cli_open(output, &out);
	if (code)
		return code;
	failed = xs_job_inputs_merge(inputs, NULL, &all);
	if (failed == inputs->count) { /* leaves an older output as it is */
		xs_cli_discard(out);
		code = XS_EXIT_INPUT;
	} else {
		code = xs_cli_close(output, out, xs_digest_write(all, out));
	}
	json_decref(all);
	return code ? code : failed ? XS_EXIT_INPUT : 0;
}

static int merge_main(int argc, char **argv)
{
	struct merge_options given = {0};
	struct xs_job_inputs inputs = {0};
	int code = xs_cli_parse(&xs_cmd_merge, argc, argv, &given);

	if (!code && optind == argc)
		code = xs_cli_misuse("merge", "no digest was given",
				     "name what xferspy digest wrote");
	if (!code)
		code = xs_job_inputs_list(argv + optind, argc - optind, true,
					  &inputs);
	if (!code)
		code = merge(given.output, &inputs);
	xs_job_inputs_free(&inputs);
	return code;
}
