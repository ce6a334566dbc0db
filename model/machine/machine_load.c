/* SPDX-License-Identifier: MIT */
/* Finds a machine profile by name or path and reads it. */
#include "model/machine/machine.h"

#include "model/machine/machine_json.h"
#include "model/machine/program_path.h"
#include "model/machine/usual.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
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

/* The user's folder, then the installed one; both may be missing. */
struct folders {
	char paths[2][PATH_MAX];
	size_t count;
};

static void find_folders(struct folders *out)
{
	const char *own = getenv("XFERSPY_MACHINES");
	char relative[PATH_MAX];

	out->count = 0;
	if (own && own[0] && strlen(own) < PATH_MAX)
		strcpy(out->paths[out->count++], own);
	if (xs_program_path(XS_MACHINES_FROM_BIN, relative, sizeof(relative)))
		return;
	/* without "bin/.." where it exists, since messages name it */
	if (realpath(relative, out->paths[out->count]))
		out->count++;
	else
		strcpy(out->paths[out->count++], relative);
}

/* Stores in path the first <folder>/<name>.json that exists. */
static bool find_by_name(const struct folders *folders, const char *name,
			 char path[PATH_MAX])
{
	for (size_t i = 0; i < folders->count; i++) {
		const int length = snprintf(path, PATH_MAX, "%s/%s.json",
					    folders->paths[i], name);

		if (length > 0 && length < PATH_MAX && !access(path, R_OK))
			return true;
	}
	return false;
}

int xs_machine_load(const char *name_or_path, struct xs_machine *machine,
		    char *error, size_t error_size)
{
	const bool named = !is_path(name_or_path);
	struct folders folders;
	char path[PATH_MAX];

	xs_machine_init(machine);
	if (named)
		find_folders(&folders);
	if (!named || find_by_name(&folders, name_or_path, path)) {
		int err = xs_machine_read_json(named ? path : name_or_path,
					       machine, error, error_size);

		machine->shipped = named && !machine->uuid[0];
		xs_machine_usual_host(machine);
		return err;
	}
	snprintf(
	    error, error_size,
	    "machine profile %s: no such name in %s%s%s; give a file (with a / "
	    "or .json), or measure one with `xferspy calibrate -o %s.json`",
	    name_or_path, folders.paths[0], folders.count > 1 ? " or " : "",
	    folders.count > 1 ? folders.paths[1] : "", name_or_path);
	return -ENOENT;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Adds the names of a folder's profiles to the `count` that are there. Returns
 * their number. */
static int add_names(const char *folder, char (*names)[XS_MACHINE_NAME_MAX],
		     int count, int max)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		return count;
	while (count < max && (entry = readdir(dir))) {
		const size_t length = strlen(entry->d_name);

		if (length <= 5 || length - 5 >= XS_MACHINE_NAME_MAX ||
		    strcmp(entry->d_name + length - 5, ".json") != 0)
			continue;
		snprintf(names[count], XS_MACHINE_NAME_MAX, "%.*s",
			 (int)length - 5, entry->d_name);
		if (!lfind(names[count], names, &(size_t){(size_t)count},
			   sizeof(names[0]), compare_names))
			count++;
	}
	closedir(dir);
	return count;
}

int xs_machine_names(char (*names)[XS_MACHINE_NAME_MAX], int max)
{
	struct folders folders;
	int count = 0;

	find_folders(&folders);
	for (size_t i = 0; i < folders.count; i++)
		count = add_names(folders.paths[i], names, count, max);
	if (count > 0)
		qsort(names, (size_t)count, sizeof(names[0]), compare_names);
	return count;
}
