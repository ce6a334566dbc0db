/* SPDX-License-Identifier: MIT */
#include "report/diff/comparable.h"

#include <math.h>
#include <string.h>

/* Returns the next word of a command line, NULL at its end. */
static const char *next_word(struct xs_diff *diff, const char **line)
{
	const char *word = *line + strspn(*line, " ");
	const size_t length = strcspn(word, " ");

	*line = word + length;
	return length ? xs_arena_print(&diff->arena, "%.*s", (int)length, word)
		      : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns whether the next word belongs to this option of Python. */
static bool has_value(const char *option)
{
	return strcmp(option, "-W") == 0 || strcmp(option, "-X") == 0 ||
	       strcmp(option, "--check-hash-based-pycs") == 0;
}

/* Returns the program's name without its folder; for Python that of the script
 * or module. NULL: unknown. */
static const char *program_name(struct xs_diff *diff, const char *app)
{
	const char *name = app ? next_word(diff, &app) : NULL, *word;

	if (!name)
		return NULL;
	name = base_name(name);
	if (strncmp(name, "python", 6) != 0)
		return name;
	while ((word = next_word(diff, &app))) {
		if (word[0] != '-')
			return base_name(word);
		if (strcmp(word, "-c") == 0)
			break;
		if (has_value(word))
			next_word(diff, &app);
	}
	return "python";
}

/* Returns "NVIDIA H200, NVIDIA H200", NULL if no GPU is known. */
static const char *gpu_names(struct xs_diff *diff,
			     const struct xs_result_run *run)
{
	const char *names = NULL;

	for (size_t i = 0; i < run->device_count; i++)
		if (run->devices[i].name)
			names = xs_arena_print(
			    &diff->arena, "%s%s%s", names ? names : "",
			    names ? ", " : "", run->devices[i].name);
	return names;
}

/* Adds a warning if both are known and differ. */
static bool warn(struct xs_diff *diff, const char *what, const char *before,
		 const char *after)
{
	if (!before || !after || strcmp(before, after) == 0)
		return false;
	diff->warnings[diff->warning_count++] = xs_arena_print(
	    &diff->arena, "%s: %s before, %s after", what, before, after);
	return true;
}

void xs_diff_check(struct xs_diff *diff)
{
	const struct xs_result_run *before = &diff->before->run;
	const struct xs_result_run *after = &diff->after->run;

	diff->different = warn(diff, "these are different programs",
			       program_name(diff, before->app),
			       program_name(diff, after->app));
	diff->different |=
	    warn(diff, "these are different GPUs", gpu_names(diff, before),
		 gpu_names(diff, after));
	warn(diff, "the driver's versions differ", before->driver_version,
	     after->driver_version);
}

bool xs_diff_passes(const struct xs_diff *diff, double limit_percent)
{
	return isnan(limit_percent) ||
	       (!(diff->change_percent > limit_percent) &&
		(!diff->different || diff->allow_different));
}
