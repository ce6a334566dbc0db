/* SPDX-License-Identifier: MIT */
/* xferspy merge: joins digests. */
#include "report/commands/cli.h"
#include "report/job/digest.h"
#include "report/job/map.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

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

/* Merges one file. Returns 0, XS_EXIT_INPUT if it cannot be read, or -ENOMEM.
 */
static int merge_file(const char *path, json_t *all)
{
	const char *error;
	json_t *group;
	int code = 0, err = xs_digest_read(path, &group, &error);

	if (err) {
		code = xs_cli_error(XS_EXIT_INPUT, path,
				    error ? error : strerror(-err),
				    "the other digests are merged");
		group = xs_digest_of_problem("unreadable", path);
	}
	err = group ? xs_digest_merge(all, group) : -ENOMEM;
	json_decref(group);
	return err ? err : code;
}

/* Returns how many cannot be read, or -ENOMEM. */
static int merge_files(char *const *paths, int count, json_t *all)
{
	int failed = 0;

	for (int i = 0; i < count; i++) {
		const int code = merge_file(paths[i], all);

		if (code < 0)
			return code;
		failed += code != 0;
	}
	return failed;
}

static int merge_main(int argc, char **argv)
{
	struct merge_options given = {0};
	json_t *all = NULL;
	FILE *out = NULL;
	int code = xs_cli_parse(&xs_cmd_merge, argc, argv, &given), merged;

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
	all = xs_digest_new();
	merged = all ? merge_files(argv + optind, argc - optind, all) : -ENOMEM;
	if (merged == argc - optind) { /* leaves an older output as it is */
		xs_cli_discard(out);
		json_decref(all);
		return XS_EXIT_INPUT;
	}
	code = xs_cli_close(given.output, out,
			    merged < 0 ? merged : xs_digest_write(all, out));
	json_decref(all);
	return code ? code : merged ? XS_EXIT_INPUT : 0;
}
