/* SPDX-License-Identifier: MIT */
#include "report/commands/job_inputs.h"

#include "report/job/digest.h"
#include "report/job/map.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Takes the path, which becomes the list's own. */
static int add(struct xs_job_inputs *out, char *path)
{
	char **paths = path ? realloc(out->paths,
				      (size_t)(out->count + 1) * sizeof(*paths))
			    : NULL;

	if (!paths) {
		free(path);
		return -ENOMEM;
	}
	out->paths = paths;
	out->paths[out->count++] = path;
	out->has_digest |= xs_digest_is(path);
	return 0;
}

static bool ends_with(const char *name, const char *suffix)
{
	const size_t length = strlen(name), end = strlen(suffix);

	return length > end && strcmp(name + length - end, suffix) == 0;
}

static int is_trace(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".xspy");
}

static int is_digest(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".digest");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* What would block, or never end: nothing that a run leaves. */
static bool is_special(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && !S_ISREG(file.st_mode) &&
	       !S_ISDIR(file.st_mode);
}

/* Returns 0, -ENOENT if nothing is there, or -errno. */
static int add_folder(const char *folder, struct xs_job_inputs *out)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_trace, by_name), err = 0;
	const int before = out->count;
	char *path;

	if (!count) {
		free(entries);
		count = scandir(folder, &entries, is_digest, by_name);
	}
	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		if (!err &&
		    asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			err = -ENOMEM;
		else if (!err && is_special(path))
			free(path);
		else if (!err)
			err = add(out, path);
		free(entries[i]);
	}
	free(entries);
	return err || out->count > before ? err : -ENOENT;
}

int xs_job_inputs_list(char *const *given, int count, struct xs_job_inputs *out)
{
	*out = (struct xs_job_inputs){0};
	for (int i = 0; i < count; i++) {
		struct stat file;
		const bool is_folder =
		    stat(given[i], &file) == 0 && S_ISDIR(file.st_mode);
		const int err = is_folder ? add_folder(given[i], out)
					  : add(out, strdup(given[i]));

		if (err)
			return xs_cli_error(
			    XS_EXIT_INPUT, given[i],
			    err == -ENOENT ? "no trace and no digest is there"
					   : strerror(-err),
			    "name a folder with *.xspy or *.digest");
	}
	return 0;
}

void xs_job_inputs_free(struct xs_job_inputs *inputs)
{
	for (int i = 0; i < inputs->count; i++)
		free(inputs->paths[i]);
	free(inputs->paths);
}

/* The digest of a trace. Returns 0, XS_EXIT_INPUT or -ENOMEM. */
static int map(const char *path, const struct xs_result_options *how,
	       json_t **group)
{
	struct xs_result *result;
	const int code = xs_cli_read(path, how, &result);

	*group = NULL;
	if (code)
		return code;
	*group = xs_digest_of_result(result);
	xs_result_free(result);
	return *group ? 0 : -ENOMEM;
}

static int read_digest(const char *path, json_t **group)
{
	const char *error;
	const int err = xs_digest_read(path, group, &error);

	return err ? xs_cli_error(XS_EXIT_INPUT, path,
				  error ? error : strerror(-err),
				  "the report is without it")
		   : 0;
}

/* Whether the digest is of one trace that was there before; it is then. */
static bool was_there(const json_t *group, json_t *ids)
{
	const char *id;
	bool was;

	if (!xs_digest_is_single(group, &id))
		return false;
	was = json_object_get(ids, id) != NULL;
	json_object_set_new(ids, id, json_true());
	return was;
}

/* Merges a file. Returns 0, XS_EXIT_INPUT or -ENOMEM. */
static int merge(const char *path, const struct xs_result_options *how,
		 json_t *ids, json_t *all)
{
	const char *problem = NULL;
	json_t *group;
	int code = xs_digest_is(path) ? read_digest(path, &group)
				      : map(path, how, &group),
	    err = code < 0 ? code : 0;

	if (code > 0)
		problem = "unreadable";
	else if (!code && was_there(group, ids))
		problem = "duplicate";
	if (problem) {
		json_decref(group);
		group = xs_digest_of_problem(problem, path);
	}
	if (!err)
		err = group ? xs_digest_merge(all, group) : -ENOMEM;
	json_decref(group);
	return err ? err : code;
}

int xs_job_inputs_merge(const struct xs_job_inputs *inputs,
			const struct xs_result_options *how, json_t **group)
{
	json_t *ids = json_object();
	int failed = 0, code;

	*group = xs_digest_new();
	for (int i = 0; i < inputs->count; i++) {
		code = ids && *group ? merge(inputs->paths[i], how, ids, *group)
				     : -ENOMEM;
		if (code < 0) {
			failed = code;
			break;
		}
		failed += code != 0;
	}
	json_decref(ids);
	return failed;
}

int xs_job_inputs_tell(int failed, int count)
{
	char what[64];

	snprintf(what, sizeof(what), "%d of %d traces", failed, count);
	if (failed && count > 1)
		xs_cli_error(XS_EXIT_INPUT, what,
			     failed == 1 ? "it could not be read"
					 : "they could not be read",
			     failed < count ? "the report is about the others"
					    : "there is no report");
	return failed ? XS_EXIT_INPUT : 0;
}
