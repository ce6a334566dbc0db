/* SPDX-License-Identifier: MIT */
/* The table of commands, one file each. */
#include "report/commands/cli.h"

const struct xs_cli_command *const xs_cli_commands[] = {
    &xs_cmd_run,    &xs_cmd_report,
    &xs_cmd_diff,   &xs_cmd_digest,
    &xs_cmd_merge,  &xs_cmd_calibrate,
    &xs_cmd_model,  &xs_cmd_dump,
    &xs_cmd_export, NULL};
