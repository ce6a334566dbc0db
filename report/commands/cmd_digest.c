/* SPDX-License-Identifier: MIT */
/* xferspy digest: summarises a trace; digests of many traces merge. */
#include "report/commands/cli.h"
#include "report/commands/job_inputs.h"
#include "report/commands/report_machines.h"
#include "report/job/digest.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct options {
	const char *output;
	struct xs_cli_machines machine;
};

static const struct xs_cli_option options[] = {
    XS_CLI_OUTPUT_ROW(struct options, output),
    {"--machine", 0, "FILE|NAME", xs_cli_parse_machine,
     offsetof(struct options, machine),
     "machine profile, as of xferspy report"},
    {0}};

static int digest_main(int argc, char **argv);

const struct xs_cli_command xs_cmd_digest = {
    .name = "digest",
    .function = digest_main,
    .summary = "summarise a trace for a report on a whole job",
    .usage =
	"Usage: xferspy digest TRACE [OPTIONS]\n"
	"Writes what a report on many traces needs of this one, in at most 100 "
	"KB:\n"
	"xferspy merge joins such digests, xferspy report reports on them.\n",
    .options = options,
    .words = XS_CLI_WORDS_FILES,
    .single = "trace",
};

static int parse(int argc, char **argv, struct options *out)
{
	const int code = xs_cli_parse(&xs_cmd_digest, argc, argv, out);

	return code ? code : xs_cli_check_output(out->output, argv + optind, 1);
}

static int write_digest(const char *output, const json_t *group)
{
	FILE *out;
	const int code = xs_cli_open(output, &out);

	return code ? code
		    : xs_cli_close(output, out, xs_digest_write(group, out));
}

static int digest_main(int argc, char **argv)
{
	struct options given = {.machine.most = 1};
	struct xs_result_options how = {0};
	struct xs_report_machines machines = {0};
	json_t *group = NULL;
	int code = parse(argc, argv, &given);

	if (!code)
		code = xs_report_machines_load(
		    given.machine.names, given.machine.count, &machines, &how);
	if (!code)
		code = xs_job_inputs_read(argv[optind], &how, &group);
	if (!code)
		code = write_digest(given.output, group);
	json_decref(group);
	free(machines.others);
	return code;
}
