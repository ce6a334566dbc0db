/* SPDX-License-Identifier: MIT */
/* Finds a machine profile by name or path and reads it. */
#include "model/machine/machine.h"

#include "model/machine/machine_json.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_path(const char *name)
{
	const size_t length = strlen(name);

	return strchr(name, '/') ||
	       (length > 5 && !strcmp(name + length - 5, ".json"));
}

/* Stores in path the first <dir>/<name>.json that exists. */
static bool find_by_name(const char *name, char path[PATH_MAX])
{
	const char *dirs[] = {getenv("XFERSPY_MACHINES"), XS_MACHINE_DIR,
			      XS_SOURCE_MACHINE_DIR};
	size_t i;
	int length;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (!dirs[i] || !dirs[i][0])
			continue;
		length = snprintf(path, PATH_MAX, "%s/%s.json", dirs[i], name);
		if (length > 0 && length < PATH_MAX && !access(path, R_OK))
			return true;
	}
	return false;
}

int xs_machine_load(const char *name_or_path, struct xs_machine *machine,
		    char *error, size_t error_size)
{
	char path[PATH_MAX];

	xs_machine_init(machine);
	if (is_path(name_or_path))
		return xs_machine_read_json(name_or_path, machine, error,
					    error_size);
	if (!find_by_name(name_or_path, path)) {
		snprintf(
		    error, error_size,
		    "machine profile %s: no such name in "
		    "$XFERSPY_MACHINES, %s or %s; give a file (with a / or "
		    ".json), or measure one with `xferspy calibrate -o "
		    "%s.json`",
		    name_or_path, XS_MACHINE_DIR, XS_SOURCE_MACHINE_DIR,
		    name_or_path);
		return -ENOENT;
	}
	return xs_machine_read_json(path, machine, error, error_size);
}
