/* SPDX-License-Identifier: MIT */
#include "report/commands/job_inputs.h"

#include "report/job/digest.h"
#include "report/job/trace_digest.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Takes the path, which becomes the list's own. */
static void add(struct xs_job_inputs *out, char *path)
{
	const size_t count = (size_t)out->count + 1;

	out->paths = xs_realloc(out->paths, count * sizeof(*out->paths));
	out->paths[out->count++] = path;
}

static bool is_named_trace(const char *path)
{
	return fnmatch("?*.xspy", path, 0) == 0 ||
	       fnmatch("?*.xspy.gz", path, 0) == 0 ||
	       fnmatch("?*.xspy.[1-9]*([0-9])?(.gz)", path, FNM_EXTMATCH) == 0;
}

static int is_digest(const struct dirent *entry)
{
	return xs_digest_is_named(entry->d_name);
}

static int is_input(const struct dirent *entry)
{
	return is_named_trace(entry->d_name) || is_digest(entry);
}

/* What would block, or never end: nothing that a run leaves. */
static bool is_special(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && !S_ISREG(file.st_mode) &&
	       !S_ISDIR(file.st_mode);
}

static void leave_out(char *path)
{
	xs_cli_error(0, path, "it is no regular file", "it is left out");
	free(path);
}

/* Adds the files of a folder. Returns 0, -ENOENT if nothing is there, or
 * -errno. */
static int add_folder(const char *folder, bool digests,
		      struct xs_job_inputs *out)
{
	struct dirent **entries = NULL;
	const int before = out->count;
	const int count = scandir(folder, &entries,
				  digests ? is_digest : is_input, alphasort);
	char *path;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			xs_no_memory();
		if (entries[i]->d_type != DT_REG && is_special(path))
			leave_out(path);
		else
			add(out, path);
		free(entries[i]);
	}
	free(entries);
	return out->count > before ? 0 : -ENOENT;
}

/* A file, and the size of a digest. */
struct sized {
	char *path;
	off_t bytes; /* 0: a trace */
	int at;	     /* its place as given */
};

static int largest_digest(const void *left, const void *right)
{
	const struct sized *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return a->at - b->at;
}

/* Puts the digests first, the largest before others: a merged one comes before
 * what it was made of. */
static void sort_by_size(struct xs_job_inputs *inputs)
{
	struct sized *all = xs_calloc((size_t)inputs->count + 1, sizeof(*all));
	struct stat file;

	for (int i = 0; i < inputs->count; i++) {
		char *path = inputs->paths[i];
		const bool digest = !is_named_trace(path) && xs_digest_is(path);

		all[i] = (struct sized){.path = path, .at = i};
		if (digest && stat(path, &file) == 0)
			all[i].bytes = file.st_size;
	}
	qsort(all, (size_t)inputs->count, sizeof(*all), largest_digest);
	for (int i = 0; i < inputs->count; i++)
		inputs->paths[i] = all[i].path;
	free(all);
}

int xs_job_inputs_list(char *const *given, int count, bool digests,
		       struct xs_job_inputs *out)
{
	const char *what = "xferspy";
	int err = 0;

	*out = (struct xs_job_inputs){0};
	for (int i = 0; i < count && !err; i++) {
		struct stat file;
		const bool is_folder =
		    stat(given[i], &file) == 0 && S_ISDIR(file.st_mode);

		what = given[i];
		if (is_folder)
			err = add_folder(what, digests, out);
		else
			add(out, xs_strdup(what));
	}
	sort_by_size(out);
	return err ? xs_cli_fail(
			 what,
			 err != -ENOENT ? strerror(-err)
			 : digests	? "no digest is there"
					: "no trace and no digest is there",
			 digests ? "make digests first: xferspy digest TRACE"
				 : "name a folder with *.xspy or *.digest, "
				   "perhaps .gz, or the traces of other tools")
		   : 0;
}

void xs_job_inputs_free(struct xs_job_inputs *inputs)
{
	for (int i = 0; i < inputs->count; i++)
		free(inputs->paths[i]);
	free(inputs->paths);
}

/* Sets *group to that of a trace. Returns 0 or XS_EXIT_INPUT. */
static int map(const char *path, const struct xs_result_options *how,
	       json_t **group)
{
	struct xs_result *result;
	const int code = xs_cli_read(path, how, &result);

	if (code)
		return code;
	*group = xs_digest_of_result(result);
	xs_result_free(result);
	return 0;
}

static int read_digest(const char *path, json_t **group)
{
	const char *error;
	const int err = xs_digest_read(path, group, &error);

	return err ? xs_cli_fail(path, error ? error : strerror(-err),
				 "it is left out")
		   : 0;
}

int xs_job_inputs_read(const char *path, const struct xs_result_options *how,
		       json_t **group)
{
	int code;

	*group = NULL;
	code = how && !xs_digest_is(path) ? map(path, how, group)
					  : read_digest(path, group);
	if (code)
		*group = xs_digest_of_problem("unreadable", path);
	return code;
}

/* Replaces a group whose traces are all known by one that only counts a
 * duplicate; else adds these to the known ones. */
static void count_once(json_t *known, const char *path, json_t **group)
{
	json_t *own = xs_digest_ids(*group);

	if (xs_digest_are_known(own, known)) {
		json_decref(*group);
		*group = xs_digest_of_problem("duplicate", path);
	}
	json_object_update(known, own);
	json_decref(own);
}

int xs_job_inputs_merge(const struct xs_job_inputs *inputs,
			const struct xs_result_options *how, json_t **all)
{
	json_t *ids = json_object();
	int failed = 0;

	*all = json_object();
	for (int i = 0; i < inputs->count; i++) {
		json_t *group;

		failed +=
		    xs_job_inputs_read(inputs->paths[i], how, &group) != 0;
		if (how)
			count_once(ids, inputs->paths[i], &group);
		xs_digest_merge(*all, group);
		json_decref(group);
	}
	json_decref(ids);
	return failed;
}

int xs_job_inputs_build(const struct xs_job_inputs *inputs,
			const struct xs_result_options *how,
			struct xs_job **job)
{
	json_t *digest;
	const int failed = xs_job_inputs_merge(inputs, how, &digest);
	const json_t *problems;
	bool is_part; /* of a digest's traces, too */

	*job = failed < inputs->count ? xs_job_build(digest) : NULL;
	problems = xs_digest_get(digest, "table", "problems");
	is_part = json_object_get(problems, "unreadable") ||
		  json_object_get(problems, "damaged");
	json_decref(digest);
	xs_job_inputs_tell(failed, inputs->count);
	return is_part ? XS_EXIT_INPUT : 0;
}

int xs_job_inputs_check_machine(const struct xs_job_inputs *inputs,
				const struct xs_result_options *how)
{
	for (int i = 0; how->machine && i < inputs->count; i++)
		if (xs_digest_is(inputs->paths[i]))
			return xs_cli_misuse(
			    "--machine",
			    "a digest has the machine with which it was made",
			    "give it to xferspy digest");
	return 0;
}

int xs_job_inputs_tell(int failed, int count)
{
	char what[64];

	snprintf(what, sizeof(what), "%d of %d traces", failed, count);
	if (failed && count > 1)
		xs_cli_fail(what,
			    failed == 1 ? "it could not be read"
					: "they could not be read",
			    failed < count ? "the report is about the others"
					   : "there is no report");
	return failed ? XS_EXIT_INPUT : 0;
}
